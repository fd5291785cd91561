"""Facts in time through ``Memory`` (cases K05-07, K09, K17-04)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from genome_core import Memory
from genome_core.errors import InvalidInput
from genome_core.types import FactKind
from tests.conftest import FakeClock

JAN, FEB, MAR = (datetime(2024, month, 1, tzinfo=UTC) for month in (1, 2, 3))
MIDDLE = timedelta(days=14)


def values(memory: Memory, at: datetime, known_at: datetime | None = None, believer: str = "") -> list[str]:
    return [window.value for window in memory.facts(at=at, known_at=known_at, believer=believer, user_id="u")]


@pytest.mark.parametrize("order", list(permutations([("A", JAN), ("B", FEB), ("C", MAR)])))
def test_any_order_of_arrival_gives_the_same_answers(memory: Memory, order: list[tuple[str, datetime]]) -> None:
    for city, since in order:
        memory.state("Ann", "city", city, valid_from=since, user_id="u")
    assert [values(memory, at=month + MIDDLE) for month in (JAN, FEB, MAR)] == [["A"], ["B"], ["C"]]
    timeline = memory.timeline(user_id="u", subject="ann", attribute="home")
    assert [(window.value, window.begins, window.ends) for window in timeline] == [
        ("A", JAN, FEB),
        ("B", FEB, MAR),
        ("C", MAR, None),
    ]


def test_a_correction_does_not_rewrite_what_was_known(memory: Memory, clock: FakeClock) -> None:
    clock.set(datetime(2025, 1, 1, tzinfo=UTC))
    begin = datetime(2020, 1, 1, tzinfo=UTC)
    memory.state("Ann", "home", "Oslo", valid_from=begin, user_id="u")
    clock.set(datetime(2025, 1, 5, tzinfo=UTC))
    memory.state("Ann", "home", "Bergen", valid_from=begin, kind=FactKind.CORRECTION, user_id="u")
    asked = datetime(2021, 1, 1, tzinfo=UTC)
    assert values(memory, at=asked) == ["Bergen"]
    assert values(memory, at=asked, known_at=datetime(2025, 1, 3, tzinfo=UTC)) == ["Oslo"]
    assert values(memory, at=asked, known_at=datetime(2024, 12, 31, tzinfo=UTC)) == []


def test_a_changed_turn_changes_what_is_known_from_then_on(memory: Memory, clock: FakeClock) -> None:
    memory.add({"name": "Ann", "role": "user", "content": "I live in Oslo.", "id": "1"}, user_id="u")
    before = clock.now
    clock.advance(timedelta(days=1))
    memory.update("1", text="I live in Bergen.")
    clock.advance(timedelta(days=1))
    assert values(memory, at=clock.now) == ["Bergen"]
    assert values(memory, at=clock.now, known_at=before) == ["Oslo"]


def test_likes_then_dislikes_is_never_empty(memory: Memory) -> None:
    memory.state("Ann", "opinion of tea", "likes it", valid_from=JAN, user_id="u")
    memory.state("Ann", "opinion of tea", "dislikes it", valid_from=MAR, user_id="u")
    assert values(memory, at=FEB) == ["likes it"]
    assert values(memory, at=MAR + MIDDLE) == ["dislikes it"]


def test_several_values_of_one_attribute_hold_together_and_end_apart(memory: Memory) -> None:
    for language in ("French", "German"):
        memory.state("Ann", "language", language, valid_from=JAN, user_id="u")
    assert sorted(values(memory, at=FEB)) == ["French", "German"]
    memory.state("Ann", "language", "French", valid_from=FEB, kind=FactKind.END, user_id="u")
    assert values(memory, at=MAR) == ["German"]
    assert sorted(values(memory, at=JAN + MIDDLE)) == ["French", "German"]


def test_a_fact_with_an_end_in_the_future_lives_until_then(memory: Memory) -> None:
    memory.state("Ann", "lease", "flat 4", valid_from=JAN, valid_to=datetime(2024, 12, 31, tzinfo=UTC), user_id="u")
    assert values(memory, at=datetime(2024, 6, 1, tzinfo=UTC)) == ["flat 4"]
    assert values(memory, at=datetime(2025, 6, 1, tzinfo=UTC)) == []


def test_a_retraction_is_known_and_is_not_the_unknown(memory: Memory) -> None:
    memory.state("Ann", "home", "Oslo", valid_from=JAN, user_id="u")
    memory.retract("Ann", "home", "Oslo", user_id="u")
    assert values(memory, at=FEB) == []
    retracted = memory.ask("Where does Ann live?", user_id="u", at=FEB)
    never_heard_of = memory.ask("What is Ann's phone?", user_id="u", at=FEB)
    assert (retracted.value, retracted.unknown) == (None, False)
    assert (never_heard_of.value, never_heard_of.unknown) == (None, True)


def test_what_can_not_be_is_refused(memory: Memory) -> None:
    memory.state("Ann", "home", "Oslo", valid_from=MAR, user_id="u")
    naive = datetime(2024, 1, 1)
    with pytest.raises(InvalidInput, match="before"):
        memory.state("Ann", "home", None, valid_from=JAN, kind=FactKind.END, user_id="u")
    with pytest.raises(InvalidInput):
        memory.state("Ann", "home", "Rome", valid_from=MAR, valid_to=JAN, user_id="u")
    with pytest.raises(InvalidInput):
        memory.state("Ann", "home", None, user_id="u")
    with pytest.raises(InvalidInput):
        memory.state(" ", "home", "Rome", user_id="u")
    with pytest.raises(InvalidInput):
        memory.state("Ann", "home", "Rome", valid_from=naive, user_id="u")
    with pytest.raises(InvalidInput):
        memory.facts(at=naive, user_id="u")
    with pytest.raises(InvalidInput):
        memory.ask("Where does Ann live?", at=naive, user_id="u")
    with pytest.raises(InvalidInput):
        memory.ask(" ", user_id="u")
    assert len(memory.fact_log(user_id="u")) == 1


def test_a_fact_leads_to_the_turn_that_said_it_and_keeps_its_origin(memory: Memory) -> None:
    text = "By the way, I work at Acme now."
    [id] = memory.add({"role": "tool", "name": "Ann", "content": text}, user_id="u", origin="tool")
    [fact] = memory.fact_log(user_id="u")
    assert (fact.source, fact.origin, fact.namespace) == (id, "tool", ("user:u",))
    assert fact.span is not None
    assert "Acme" in text[slice(*fact.span)]
    assert fact.extractor == "rules/1"


def test_believers_disagree_in_the_open(memory: Memory) -> None:
    memory.state("Ann", "home", "Oslo", valid_from=JAN, believer="Bob", user_id="u")
    memory.state("Ann", "home", "Rome", valid_from=JAN, believer="Eve", user_id="u")
    assert values(memory, at=FEB) == []
    assert values(memory, at=FEB, believer="Bob") == ["Oslo"]
    [conflict] = memory.conflicts(user_id="u")
    assert {conflict.one.value, conflict.other.value} == {"Oslo", "Rome"}


def test_facts_are_no_memories(memory: Memory) -> None:
    memory.state("Ann", "home", "Oslo", user_id="u")
    assert memory.search("Ann home Oslo", user_id="u") == []
    assert memory.count(user_id="u") == 0


def test_the_three_times_of_asking(memory: Memory) -> None:
    def said(text: str, year: int, month: int) -> None:
        memory.add(
            {"name": "Ann", "role": "user", "content": text}, at=datetime(year, month, 10, tzinfo=UTC), user_id="u"
        )

    said("I moved to Lisbon last month.", 2024, 4)
    said("I lived in Oslo from 2019 until February 2024.", 2024, 5)
    said("Next year I want to move to Tokyo.", 2024, 6)
    assert memory.ask("Where did Ann live in 2021?", user_id="u", at=datetime(2025, 9, 1, tzinfo=UTC)).value == "Oslo"
    assert (
        memory.ask("Where did Ann live in May 2024?", user_id="u", at=datetime(2025, 9, 1, tzinfo=UTC)).value
        == "Lisbon"
    )
    assert memory.ask("Where does Ann live?", user_id="u", at=datetime(2025, 9, 1, tzinfo=UTC)).value == "Lisbon"
    assert memory.ask("Where did Ann live in 2010?", user_id="u", at=datetime(2025, 9, 1, tzinfo=UTC)).value is None


def test_no_extractor_no_facts(store_url: str, embedder: object) -> None:
    with Memory(store_url, embedder=embedder, extractor=None) as memory:  # type: ignore[arg-type]
        memory.add({"name": "Ann", "role": "user", "content": "I live in Oslo."}, user_id="u")
        assert memory.fact_log(user_id="u") == []


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata"])
def test_the_hosts_time_zone_leaks_nowhere(zone: str, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        midnight = datetime(2024, 3, 10, 0, 0, 30, tzinfo=UTC)
        memory.add({"name": "Ann", "role": "user", "content": "I moved to Oslo yesterday."}, at=midnight, user_id="u")
        [window] = memory.timeline(user_id="u")
        assert window.begins == datetime(2024, 3, 9, tzinfo=UTC)
        assert [record.at for record in memory.get_all(user_id="u", since=midnight)] == [midnight]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_evidence_has_its_words_also_where_it_was_said_after_the_time_of_asking(memory: Memory) -> None:
    said = "We talked. I live in Leeds."
    memory.add({"role": "user", "name": "Ann", "content": said}, id="1", user_id="u", at=FEB)
    early = memory.ask("Where does Ann live?", user_id="u", at=JAN)
    assert early.unknown
    assert [(one.source, one.text) for one in early.evidence] == [("1", "I live in Leeds.")]


def test_a_time_of_asking_without_a_zone_is_refused_by_its_own_name(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match=r"^at .* has no time zone"):
        memory.ask("Where does Ann live?", user_id="u", at=datetime(2024, 1, 1))
