"""Which turns a prompt gets, for any conversation and any room."""

from __future__ import annotations

from genome_llama_index.window import last_turns
from hypothesis import given
from hypothesis import strategies as st

from genome_core import Record

# A question, answers, and calls of tools with one to three results each; what a conversation is made of.
steps = st.one_of(
    st.just(["user"]),
    st.just(["assistant"]),
    st.integers(1, 3).map(lambda results: ["assistant", *["tool"] * results]),
)
conversations = st.lists(steps, min_size=1, max_size=12).map(lambda parts: [role for part in parts for role in part])


def records(roles: list[str]) -> list[Record]:
    return [Record(text="x" * (1 + number % 3), id=str(number), role=role) for number, role in enumerate(roles)]


def cost(record: Record) -> int:
    return len(record.text)


@given(roles=conversations, room=st.integers(-3, 40))
def test_the_turns_are_whole_in_order_and_fit(roles: list[str], room: int) -> None:
    said = records(roles)
    given = last_turns(reversed(said), room, cost)
    places = [int(record.id) for record in given]
    assert given
    assert places == sorted(set(places))
    assert given[-1] == said[-1]
    for place in places:
        if roles[place] == "tool" and place:
            assert place - 1 in places, "a result without what stands before it"
        if place + 1 < len(roles) and roles[place + 1] == "tool":
            assert place + 1 in places, "a call without its results"
    if "user" in roles:
        assert given[0].role == "user"
        assert max(place for place, role in enumerate(roles) if role == "user") in places


@given(roles=conversations, room=st.integers(0, 40))
def test_more_than_the_room_is_taken_only_by_the_question_and_the_newest_step(roles: list[str], room: int) -> None:
    given = last_turns(reversed(records(roles)), room, cost)
    newest = next(place for place in reversed(range(len(given))) if given[place].role != "tool" or place == 0)
    rest = given[:newest] if given[newest].role == "user" else given[1:newest]
    assert not rest or sum(map(cost, given)) <= room


@given(roles=conversations)
def test_with_room_enough_all_turns_from_the_first_question_on_are_given(roles: list[str]) -> None:
    said = records(roles)
    first = roles.index("user") if "user" in roles else 0
    assert last_turns(reversed(said), 10_000, cost) == said[first:]
