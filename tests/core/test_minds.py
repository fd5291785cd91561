"""Several minds in one store: each believer has a timeline, and a disagreement is settled by an act that is written down."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from genome_core import Memory, Record
from genome_core.errors import InvalidInput, InvalidScope, NotFound, NotTrusted
from genome_core.facts.log import Conflict
from genome_core.protocols import Embedder
from genome_core.types import Fact, FactKind
from tests.conftest import FakeClock

MARCH, APRIL, MAY = (datetime(2024, month, 1, tzinfo=UTC) for month in (3, 4, 5))


@pytest.fixture
def memory(store_url: str, embedder: Embedder) -> Iterator[Memory]:
    with Memory(store_url, embedder=embedder, clock=FakeClock(datetime(2025, 1, 1, tzinfo=UTC))) as memory:
        yield memory


def believe(memory: Memory, believer: str, home: str, since: datetime = MARCH, origin: str = "agent") -> None:
    memory.state("Ann", "home", home, valid_from=since, at=since, believer=believer, origin=origin, user_id="ann")


def homes(memory: Memory, believer: str = "") -> list[tuple[str, datetime, datetime | None]]:
    found = memory.timeline(subject="Ann", attribute="home", believer=believer, user_id="ann")
    return [(window.value, window.begins, window.ends) for window in found]


def only(found: list[Conflict]) -> Conflict:
    assert len(found) == 1
    return found[0]


def entry(memory: Memory, id: str) -> Fact:
    return next(fact for fact in memory.fact_log(user_id="ann") if fact.id == id)


def test_each_believer_has_a_timeline_and_disagreement_shows_both_sources(memory: Memory) -> None:
    believe(memory, "planner", "Oslo")
    believe(memory, "critic", "Bergen", APRIL)
    assert homes(memory, "planner") == [("Oslo", MARCH, None)]
    assert homes(memory, "critic") == [("Bergen", APRIL, None)]
    assert homes(memory) == []
    conflict = only(memory.conflicts(user_id="ann"))
    assert (conflict.begins, conflict.ends) == (APRIL, None)
    sides = {(fact.believer, fact.value, fact.origin) for fact in (conflict.one, conflict.other)}
    assert sides == {("planner", "Oslo", "agent"), ("critic", "Bergen", "agent")}


def test_resolving_is_written_down_and_ends_the_conflict(memory: Memory) -> None:
    believe(memory, "planner", "Oslo")
    believe(memory, "critic", "Bergen")
    before = memory.stats().journal_entries
    conflict = only(memory.conflicts(user_id="ann"))
    id = memory.resolve(conflict, value="Bergen", reason="she said so on the phone", by="Tom")
    assert memory.stats().journal_entries == before + 1
    assert memory.conflicts(user_id="ann") == []
    assert homes(memory) == [("Bergen", MARCH, None)], "the common view"
    assert homes(memory, "planner") == [("Oslo", MARCH, None)], "the others keep theirs"
    fact = entry(memory, id)
    assert (fact.by, fact.reason, fact.origin, fact.believer) == ("Tom", "she said so on the phone", "user", "")
    [window] = memory.timeline(subject="Ann", user_id="ann")
    assert [one.by for one in window.facts] == ["Tom"]
    memory.verify()


def test_what_was_resolved_can_be_reopened_and_resolved_again(memory: Memory) -> None:
    believe(memory, "planner", "Oslo")
    believe(memory, "critic", "Bergen")
    conflict = only(memory.conflicts(user_id="ann"))
    first = memory.resolve(conflict, value="Bergen", reason="a guess", by="Tom")
    between = memory.now()
    memory.reopen(first, reason="it was only a guess", by="Eve", user_id="ann")
    assert memory.conflicts(user_id="ann") == [conflict]
    assert homes(memory) == []
    assert memory.conflicts(user_id="ann", known_at=between) == [], "as it was known then"
    memory.resolve(conflict, value="Oslo", reason="asked her", by="Eve")
    assert memory.conflicts(user_id="ann") == []
    assert homes(memory) == [("Oslo", MARCH, None)]
    acts = [(fact.kind, fact.by) for fact in memory.fact_log(user_id="ann") if fact.settles]
    assert acts == [
        (FactKind.CORRECTION, "Tom"),
        (FactKind.RETRACTION, "Eve"),
        (FactKind.CORRECTION, "Eve"),
    ]
    memory.verify()


def test_two_sources_of_one_view_are_decided_in_that_view(memory: Memory) -> None:
    memory.state("Ann", "home", "Oslo", valid_from=MARCH, at=MARCH, user_id="ann")
    memory.state("Ann", "home", "Bergen", valid_from=MARCH, at=APRIL, origin="agent", user_id="ann")
    assert homes(memory) == [("Bergen", MARCH, None)], "the one said last"
    conflict = only(memory.conflicts(user_id="ann"))
    id = memory.resolve(conflict, value="Oslo", reason="she knows best", by="Tom")
    assert homes(memory) == [("Oslo", MARCH, None)]
    assert memory.conflicts(user_id="ann") == []
    memory.reopen(id, reason="no", by="Tom", user_id="ann")
    assert homes(memory) == [("Bergen", MARCH, None)]
    assert memory.conflicts(user_id="ann") == [conflict]


def test_a_conflict_can_be_decided_for_neither_side(memory: Memory) -> None:
    memory.state("Ann", "home", "Oslo", valid_from=MARCH, at=MARCH, user_id="ann")
    memory.state("Ann", "home", "Bergen", valid_from=MARCH, at=APRIL, origin="agent", user_id="ann")
    memory.resolve(only(memory.conflicts(user_id="ann")), value="Rome", reason="both were wrong", by="Tom")
    assert homes(memory) == [("Rome", MARCH, None)]
    assert memory.conflicts(user_id="ann") == []


def test_a_decision_can_be_that_of_one_believer(memory: Memory) -> None:
    believe(memory, "planner", "Oslo")
    believe(memory, "critic", "Bergen")
    conflict = only(memory.conflicts(user_id="ann"))
    memory.resolve(conflict, value="Bergen", reason="convinced", by="planner", believer="planner", origin="agent")
    assert homes(memory, "planner") == [("Bergen", MARCH, None)]
    assert homes(memory, "critic") == [("Bergen", MARCH, None)]
    assert homes(memory) == []
    assert memory.conflicts(user_id="ann") == []


def test_something_new_is_a_new_conflict(memory: Memory) -> None:
    believe(memory, "planner", "Oslo")
    believe(memory, "critic", "Bergen")
    memory.resolve(only(memory.conflicts(user_id="ann")), value="Bergen", reason="asked", by="Tom")
    believe(memory, "planner", "Rome", MAY)
    found = {(conflict.one.value, conflict.other.value) for conflict in memory.conflicts(user_id="ann")}
    assert found == {("Bergen", "Rome")}


def test_a_third_mind_is_not_settled_by_what_two_others_agreed_on(memory: Memory) -> None:
    for believer, home in (("a", "Oslo"), ("b", "Bergen"), ("c", "Rome")):
        believe(memory, believer, home)
    conflicts = memory.conflicts(user_id="ann")
    assert len(conflicts) == 3
    chosen = next(c for c in conflicts if {c.one.value, c.other.value} == {"Oslo", "Bergen"})
    memory.resolve(chosen, value="Oslo", reason="asked", by="Tom")
    left = [{conflict.one.value, conflict.other.value} for conflict in memory.conflicts(user_id="ann")]
    assert {"Oslo", "Bergen"} not in left
    assert {"Oslo", "Rome"} in left


def test_all_disagreement_can_be_settled_for_one_value(memory: Memory) -> None:
    for believer, home in (("a", "Oslo"), ("b", "Bergen"), ("c", "Rome")):
        believe(memory, believer, home)
    for conflict in memory.conflicts(user_id="ann"):
        memory.resolve(conflict, value="Oslo", reason="asked", by="Tom")
    assert memory.conflicts(user_id="ann") == []
    assert homes(memory) == [("Oslo", MARCH, None)]


def test_a_conflict_that_is_over_is_decided_for_its_time_only(memory: Memory) -> None:
    for believer, home in (("a", "Oslo"), ("b", "Bergen")):
        memory.state("Ann", "home", home, valid_from=MARCH, valid_to=MAY, at=MAY, believer=believer, user_id="ann")
    memory.resolve(only(memory.conflicts(user_id="ann")), value="Oslo", reason="asked", by="Tom")
    assert homes(memory) == [("Oslo", MARCH, MAY)]
    assert memory.conflicts(user_id="ann") == []


def test_a_decision_counts_against_nobody_who_is_trusted_more(memory: Memory) -> None:
    believe(memory, "", "Oslo", origin="user")
    believe(memory, "", "Bergen", origin="agent")
    conflict = only(memory.conflicts(user_id="ann"))
    memory.resolve(conflict, value="Rome", reason="a page says so", by="crawler", origin="tool")
    assert homes(memory) == [("Bergen", MARCH, None)]
    assert conflict in memory.conflicts(user_id="ann")
    id = memory.resolve(conflict, value="Oslo", reason="asked", by="Tom")
    assert conflict not in memory.conflicts(user_id="ann")
    with pytest.raises(NotTrusted):
        memory.reopen(id, reason="no", by="crawler", origin="tool", user_id="ann")
    assert homes(memory) == [("Oslo", MARCH, None)]


def test_a_quarantined_side_is_no_conflict_until_asked_for(memory: Memory) -> None:
    from genome_core import Trust

    believe(memory, "", "Oslo", origin="user")
    believe(memory, "", "Lima", origin="web")
    assert memory.conflicts(user_id="ann") == []
    conflict = only(memory.conflicts(user_id="ann", min_trust=Trust.UNTRUSTED))
    memory.resolve(conflict, value="Oslo", reason="the page is wrong", by="Tom")
    assert memory.conflicts(user_id="ann", min_trust=Trust.UNTRUSTED) == []


def test_facts_read_in_turns_are_decided_too_and_stay_decided_when_they_are_copied(
    memory: Memory, embedder: Embedder, tmp_path: Path
) -> None:
    memory.add(Record(text="I moved to Oslo in March 2024.", name="Ann", at=APRIL), user_id="ann", agent_id="a")
    memory.add(Record(text="I moved to Bergen in March 2024.", name="Ann", at=MAY), user_id="ann", agent_id="b")
    conflict = only(memory.conflicts(user_id="ann"))
    assert {fact.namespace[-1] for fact in (conflict.one, conflict.other)} == {"agent:a", "agent:b"}
    id = memory.resolve(conflict, value="Oslo", reason="asked", by="Tom")
    assert entry(memory, id).namespace == ("user:ann",)
    assert [value for value, *_ in homes(memory)] == ["Oslo"]
    memory.export(tmp_path / "copy.jsonl")
    with Memory(":memory:", embedder=embedder, clock=FakeClock(datetime(2025, 2, 1, tzinfo=UTC))) as copy:
        copy.add("Something else comes first, so that keys differ.", user_id="bob")
        copy.import_(tmp_path / "copy.jsonl")
        assert copy.conflicts(user_id="ann") == []
        assert homes(copy) == homes(memory)
        [decision] = [fact for fact in copy.fact_log(user_id="ann") if fact.settles]
        copy.reopen(decision.id, reason="no", by="Eve", user_id="ann")
        assert len(copy.conflicts(user_id="ann")) == 1


def test_a_decision_needs_a_value_a_reason_a_name_and_a_place(memory: Memory) -> None:
    believe(memory, "a", "Oslo")
    believe(memory, "b", "Bergen")
    conflict = only(memory.conflicts(user_id="ann"))
    before = memory.stats().journal_entries
    for wrong in ({"value": " "}, {"reason": ""}, {"by": " "}, {"origin": "Web"}):
        with pytest.raises(InvalidInput):
            memory.resolve(conflict, **{"value": "Oslo", "reason": "asked", "by": "Tom", **wrong})
    with pytest.raises(NotFound):
        memory.reopen("fact-1-0", reason="no", by="Tom", user_id="ann")
    memory.state("Ann", "home", "Rome", valid_from=MARCH, at=MARCH, believer="c", user_id="bob")
    far = next(c for c in memory.conflicts(namespace=()) if c.one.namespace != c.other.namespace)
    with pytest.raises(InvalidScope):
        memory.resolve(far, value="Rome", reason="asked", by="Tom")
    assert memory.stats().journal_entries == before + 1
    memory.resolve(far, value="Rome", reason="asked", by="Tom", namespace=())
    assert far not in memory.conflicts(namespace=())


def test_a_decision_goes_with_its_scope(memory: Memory) -> None:
    believe(memory, "a", "Oslo")
    believe(memory, "b", "Bergen")
    memory.resolve(only(memory.conflicts(user_id="ann")), value="Oslo", reason="asked", by="Tom")
    memory.delete_all(user_id="ann")
    assert memory.fact_log(user_id="ann") == []


def test_agents_that_share_a_store_each_ask_their_own_view(memory: Memory) -> None:
    believe(memory, "planner", "Oslo")
    believe(memory, "critic", "Bergen")
    at = MAY + timedelta(days=1)
    for believer, home in (("planner", "Oslo"), ("critic", "Bergen")):
        answer = memory.ask("Where does Ann live?", at=at, believer=believer, user_id="ann")
        assert answer.value == home
        [window] = memory.facts(at=at, believer=believer, user_id="ann")
        assert window.value == home


def test_a_turn_tells_whose_belief_its_facts_are(memory: Memory, tmp_path: Path) -> None:
    for believer, home in (("planner", "Oslo"), ("critic", "Bergen"), ("scribe", "Bergen")):
        memory.add(f"Eve lives in {home}.", believer=believer, user_id="ann")
    memory.add({"role": "user", "content": "Eve lives in Ulm.", "believer": "scout", "id": "own"}, user_id="ann")
    memory.add("Eve lives in Bergen.", believer="scribe", user_id="ann")
    assert memory.count(user_id="ann") == 4

    def told(one: Memory) -> dict[str, list[str | None]]:
        names = ("planner", "critic", "scribe", "scout", "")
        return {name: [window.value for window in one.facts(believer=name, user_id="ann")] for name in names}

    expected = {"planner": ["Oslo"], "critic": ["Bergen"], "scribe": ["Bergen"], "scout": ["Ulm"], "": []}
    assert told(memory) == expected
    assert memory.ask("Where does Eve live?", believer="scout", user_id="ann").value == "Ulm"
    assert memory.ask("Where does Eve live?", user_id="ann").value is None
    assert memory.conflicts(user_id="ann")
    assert memory.update("own", text="Eve lives in Bath.", user_id="ann").believer == "scout"
    assert told(memory)["scout"] == ["Bath"]
    memory.verify(deep=True)
    memory.export(tmp_path / "all.jsonl")
    with Memory(":memory:", embedder=memory.embedder) as copy, Memory(":memory:", embedder=memory.embedder) as other:
        memory.replay(copy.database)
        other.import_(tmp_path / "all.jsonl")
        for one in (copy, other):
            assert told(one) == told(memory)
            assert [record.believer for record in one.get_all(user_id="ann")] == [
                record.believer for record in memory.get_all(user_id="ann")
            ]


def test_the_journal_tells_who_changed_and_who_deleted(memory: Memory) -> None:
    memory.add(["one", "two", "three"], user_id="ann", origin="tool")
    ids = [record.id for record in memory.get_all(user_id="ann")]
    memory.update(ids[0], text="once", origin="agent", user_id="ann")
    memory.update(ids[0], text="again", user_id="ann")
    memory.delete(ids[1], origin="tool", user_id="ann")
    memory.write([], [(("user:ann",), ids[2])], origin="agent")
    memory.state("Tom", "home", "Oslo", user_id="ann")
    memory.delete_all(origin="user", user_id="ann")
    entries = [entry for entry in reversed(memory.log(user_id="ann")) if entry.op not in ("add", "facts")]
    acted = [(entry.op, entry.body and entry.body.get("actor")) for entry in entries]
    assert acted[:4] == [("update", "agent"), ("update", None), ("delete", "tool"), ("delete", "agent")]
    assert sorted(acted[4:]) == [("delete", "user"), ("delete_fact", "user")]
    memory.verify(deep=True)
