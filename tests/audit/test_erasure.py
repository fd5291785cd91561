"""Erasing: nothing is left of what goes, everything else stays, and the journal tells that it was done."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from datetime import timedelta
from functools import partial

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genome_core import Memory
from genome_core.erasure import ErasureReceipt
from genome_core.errors import ContentErased, Held, IntegrityError, InvalidInput, InvalidScope, MissingDependency
from genome_core.storage.database import Database, Schema
from genome_core.storage.journal import head_of
from genome_core.storage.namespaces import find_place
from genome_core.storage.signing import JournalKey
from genome_core.testing.embedders import FakeEmbedder
from genome_core.trust import Trust
from tests.audit.traces import traces
from tests.conftest import FakeClock
from tests.faults.workers import fork, join

SECRET = "Xyzzyplugh"
KEY = b"a key for the journal of a test"


@pytest.fixture
def memory(store_url: str, embedder: FakeEmbedder, clock: FakeClock) -> Iterator[Memory]:
    with Memory(store_url, embedder=embedder, clock=clock) as memory:
        yield memory


def plant(memory: Memory) -> None:
    """Two users; everything that one of them left holds the secret."""
    turn = {"role": "user", "name": SECRET, "content": f"I am {SECRET} and I live in Leeds.", "id": f"{SECRET}/1"}
    memory.add(turn, user_id=SECRET)
    memory.update(f"{SECRET}/1", text=f"I am {SECRET} and I live in York.", user_id=SECRET)
    memory.add(f"{SECRET} has a dog", user_id=SECRET, run_id="r1", metadata={"who": SECRET}, ttl=1e6)
    memory.add("gone soon", id=f"{SECRET}/2", user_id=SECRET)
    memory.delete(f"{SECRET}/2", user_id=SECRET)
    memory.state(SECRET, "home", "Oslo", user_id=SECRET)
    memory.add({"role": "user", "name": "Bob", "content": "I live in Rome.", "id": "bob/1"}, user_id="bob")


def test_nothing_of_an_erased_user_is_left(memory: Memory) -> None:
    plant(memory)
    assert traces(memory, SECRET)
    assert memory.search("dog", user_id=SECRET)
    receipt = memory.erase(reason="asked by letter", user_id=SECRET)
    assert traces(memory, SECRET) == []
    assert receipt.counts["records"] == 2
    assert receipt.counts["facts"] >= 2
    assert receipt.counts["entries"] == 6
    assert receipt.counts["namespaces"] == 2
    assert memory.search("dog", user_id=SECRET) == []
    assert memory.facts(user_id=SECRET) == []
    assert memory.namespaces(namespace=()) == [("user:bob",)]
    assert memory.verify().erased == 6


def test_others_keep_everything(memory: Memory) -> None:
    plant(memory)
    memory.erase(reason="asked", user_id=SECRET)
    assert memory.get("bob/1", user_id="bob")
    assert memory.search("Where does Bob live?", user_id="bob")[0].record.id == "bob/1"
    assert [version.op for version in memory.history("bob/1")] == ["add"]
    assert memory.facts(user_id="bob")


def test_an_erased_id_tells_when_but_not_what(memory: Memory) -> None:
    plant(memory)
    receipt = memory.erase(reason="asked", user_id=SECRET)
    versions = memory.history(f"{SECRET}/1", user_id=SECRET)
    assert [version.op for version in versions] == ["add", "update", "erase"]
    assert [version.record for version in versions] == [None] * 3
    assert versions[-1].at == receipt.at
    assert memory.history(f"{SECRET}/1", user_id="bob") == []


def test_single_ids_go_and_the_rest_of_the_scope_stays(memory: Memory) -> None:
    plant(memory)
    receipt = memory.erase([f"{SECRET}/1", f"{SECRET}/2", "unknown"], reason="asked", user_id=SECRET)
    assert receipt.counts["records"] == 1
    assert receipt.counts["entries"] == 4
    assert receipt.counts["facts"] >= 2  # read in both versions of the record
    assert memory.count(user_id=SECRET) == 1
    assert [version.op for version in memory.history(f"{SECRET}/1", user_id=SECRET)] == ["add", "update", "erase"]
    assert memory.facts(user_id=SECRET)[0].value == "Oslo"
    assert memory.verify(deep=True)


def test_facts_that_outlived_their_record_go_with_it(memory: Memory) -> None:
    memory.add({"role": "user", "name": "Ann", "content": "I live in Leeds.", "id": "home"}, user_id="ann")
    memory.delete("home", user_id="ann", keep_facts=True)
    assert memory.facts(user_id="ann")
    assert memory.erase(["home"], reason="asked", user_id="ann").counts["facts"] == 1
    assert memory.facts(user_id="ann") == []


def test_facts_told_again_by_compact_go_one_by_one(memory: Memory) -> None:
    for user_id, (id, place) in (("ann", ("home", "Leeds")), ("ann", ("work", "Xanten"))):
        memory.add({"role": "user", "name": "Ann", "content": f"I live in {place}.", "id": id}, user_id=user_id)
        memory.delete(id, user_id=user_id, keep_facts=True)
    memory.compact()
    assert {fact.value for fact in memory.fact_log(user_id="ann")} == {"Leeds", "Xanten"}
    assert memory.erase(["work"], reason="asked", user_id="ann").counts["facts"] == 1
    assert [fact.value for fact in memory.fact_log(user_id="ann")] == ["Leeds"]
    assert traces(memory, "Xanten") == []
    assert memory.verify(deep=True)


def test_entries_that_something_else_emptied_are_found(memory: Memory) -> None:
    plant(memory)
    memory.erase([f"{SECRET}/1"], reason="asked", user_id=SECRET)
    emptied = "UPDATE genome_journal SET payload = NULL, salt = NULL WHERE id = 'bob/1'"
    memory.database.write(lambda connection: connection.execute(sa.text(emptied)))
    with pytest.raises(IntegrityError, match="emptied"):
        memory.verify()


def test_erasing_again_returns_the_same_receipt(memory: Memory) -> None:
    plant(memory)
    first = memory.erase(reason="asked", user_id=SECRET)
    entries = memory.verify().entries
    assert memory.erase(reason="asked again", user_id=SECRET) == first
    assert memory.verify().entries == entries
    nobody = memory.erase(reason="asked", user_id="nobody")
    assert nobody.counts == {}
    assert nobody.chains == ()


def test_an_erased_user_can_come_back_and_be_erased_again(memory: Memory) -> None:
    plant(memory)
    memory.erase(reason="asked", user_id=SECRET)
    plant(memory)
    assert memory.count(user_id=SECRET) == 2
    assert [version.op for version in memory.history(f"{SECRET}/1", user_id=SECRET)][-2:] == ["add", "update"]
    memory.erase(reason="asked", user_id=SECRET)
    assert traces(memory, SECRET) == []
    ops = [version.op for version in memory.history(f"{SECRET}/1", user_id=SECRET)]
    assert ops == ["add", "update", "erase"] * 2
    assert memory.verify(deep=True)


def test_a_thousand_records_of_many_runs_go_at_once(memory: Memory) -> None:
    for run in range(20):
        memory.add([f"note {n} of {SECRET}" for n in range(60)], user_id=SECRET, run_id=f"r{run}")
    assert memory.erase(reason="asked", user_id=SECRET).counts["records"] == 1200
    assert traces(memory, SECRET) == []
    assert memory.count(namespace=()) == 0


def test_caches_of_another_memory_forget_too(durable_store_url: str, embedder: FakeEmbedder) -> None:
    with Memory(durable_store_url, embedder=embedder) as memory, Memory(durable_store_url, embedder=embedder) as other:
        plant(memory)
        assert other.search("dog", user_id=SECRET)
        memory.erase(reason="asked", user_id=SECRET)
        assert other.search("dog", user_id=SECRET) == []
        other.add("I am back", user_id=SECRET)  # into a namespace that must be made anew
        assert memory.search("back", user_id=SECRET)[0].record.namespace == (f"user:{SECRET}",)
        assert memory.verify(deep=True)


def test_a_writer_that_is_late_remembers_no_namespace_that_was_erased(memory: Memory) -> None:
    """Else the next words would go to a row that is gone, or on SQLite to that of whoever got its number."""
    memory.add("tea", user_id="ann")
    ann = ("user:ann",)
    with memory.database.read() as connection:
        place = find_place(connection, ann)
        assert place is not None
        head = head_of(connection, place.tenant)
        assert head is not None
    memory.erase(reason="asked", user_id="ann")
    memory.add("milk", user_id="ann")
    memory._namespaces.remember({ann: place}, {place.tenant: head[0]})  # as after a commit before the erasure
    memory.add("water", user_id="ann")
    assert memory.count(user_id="ann") == 2
    assert memory.verify(deep=True)


def test_a_signed_receipt_proves_what_it_says(durable_store_url: str, embedder: FakeEmbedder) -> None:
    with Memory(durable_store_url, embedder=embedder, journal_key=KEY) as memory:
        plant(memory)
        receipt = memory.erase(reason="asked", user_id=SECRET)
        assert receipt.is_signed_by(JournalKey(KEY))
        assert not receipt.is_signed_by(JournalKey(b"another key than the journal's"))
        kept = ErasureReceipt.from_json(receipt.to_json())
        assert kept == receipt
        assert kept.is_signed_by(JournalKey(KEY))
        forged = ErasureReceipt.from_json(receipt.to_json() | {"reason": "never asked"})
        assert not forged.is_signed_by(JournalKey(KEY))
        assert traces(memory, SECRET) == []
        assert memory.verify(deep=True)
    with Memory(durable_store_url, embedder=embedder, journal_key=KEY) as memory:
        assert [version.op for version in memory.history(f"{SECRET}/1", user_id=SECRET)][-1] == "erase"


def test_a_receipt_without_a_key_is_not_signed(memory: Memory) -> None:
    plant(memory)
    receipt = memory.erase(reason="asked", user_id=SECRET)
    assert (receipt.key, receipt.signature) == (None, None)
    assert not receipt.is_signed_by(JournalKey(KEY))


def test_what_may_remain_is_said(memory: Memory) -> None:
    plant(memory)
    receipt = memory.erase(reason="asked", user_id=SECRET)
    assert receipt.is_complete is not memory.database.is_postgres
    assert any("VACUUM" in place for place in receipt.remains) is memory.database.is_postgres


def test_a_reader_of_an_older_state_delays_the_cleaning_of_the_file(sqlite_url: str, embedder: FakeEmbedder) -> None:
    with (
        Memory(sqlite_url, embedder=embedder, timeout=0.2) as memory,
        Memory(sqlite_url, embedder=embedder, timeout=0.2) as other,
    ):
        plant(memory)
        with other.database.read() as connection:
            connection.execute(sa.text("SELECT count(*) FROM genome_records")).one()
            first = memory.erase(reason="asked", user_id=SECRET)
            assert not first.is_complete
            assert memory.count(user_id=SECRET) == 0
        again = memory.erase(reason="asked", user_id=SECRET)
        assert again.is_complete
        assert again.id == first.id
        assert traces(memory, SECRET) == []


def test_bad_requests_change_nothing(memory: Memory) -> None:
    plant(memory)
    with pytest.raises(InvalidScope):
        memory.erase(reason="asked")
    with pytest.raises(InvalidScope):
        memory.erase(["x"], reason="asked")
    with pytest.raises(InvalidInput, match="list of ids"):
        memory.erase("x", reason="asked", user_id=SECRET)
    with pytest.raises(InvalidInput, match="reason"):
        memory.erase(reason=" ", user_id=SECRET)
    assert memory.count(user_id=SECRET) == 2


def test_what_is_quarantined_is_erased_too(memory: Memory) -> None:
    memory.add(f"{SECRET} says a page", user_id=SECRET, origin="web")
    with pytest.raises(InvalidInput, match="min_trust"):
        memory.erase(reason="asked", user_id=SECRET, min_trust=Trust.TRUSTED)
    assert memory.erase(reason="asked", user_id=SECRET).counts["records"] == 1
    assert traces(memory, SECRET) == []


def test_an_erasure_that_fails_leaves_everything(memory: Memory) -> None:
    def fail(*_: object) -> int:
        raise RuntimeError("in the middle")

    plant(memory)
    before = memory.stats()
    memory.database.install(Schema("test_failing", 1, sa.MetaData(), erase=fail))
    with pytest.raises(RuntimeError, match="in the middle"):
        memory.erase(reason="asked", user_id=SECRET)
    assert memory.stats().journal_entries == before.journal_entries
    assert memory.count(user_id=SECRET) == 2
    assert memory.verify().erased == 0


def test_tables_that_nobody_here_knows_stop_an_erasure(memory: Memory) -> None:
    plant(memory)
    added = "INSERT INTO genome_schema (component, version) VALUES ('somebody_elses', 1)"
    memory.database.write(lambda connection: connection.execute(sa.text(added)))
    with pytest.raises(MissingDependency, match="somebody_elses"):
        memory.erase(reason="asked", user_id=SECRET)
    assert memory.count(user_id=SECRET) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_killed_at_any_point_leaves_all_or_nothing(durable_store_url: str) -> None:
    """Killed in the transaction, and after it before the file is rewritten; asking again finishes it."""

    def erase(place: str) -> None:
        with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
            if place == "before the commit":
                memory.database.install(Schema("test_killer", 1, sa.MetaData(), erase=lambda *_: _die()))
            else:
                memory.database.vacuum = _die  # type: ignore[method-assign, assignment]
                if memory.database.is_postgres:
                    memory._forget_all = _die  # type: ignore[method-assign, assignment]
            memory.erase(reason="asked", user_id=SECRET)

    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
        plant(memory)
    assert join([fork(lambda: erase("before the commit"))]) == [-signal.SIGKILL]
    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
        assert memory.count(user_id=SECRET) == 2
        memory.database.write(
            lambda connection: connection.execute(sa.text("DELETE FROM genome_schema WHERE component = 'test_killer'"))
        )
    assert join([fork(lambda: erase("after the commit"))]) == [-signal.SIGKILL]
    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
        assert memory.count(user_id=SECRET) == 0
        assert memory.erase(reason="asked", user_id=SECRET).counts["records"] == 2
        assert traces(memory, SECRET) == []
        assert memory.verify(deep=True)


def _die() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_writers_and_an_erasure_at_once(durable_store_url: str, embedder: FakeEmbedder) -> None:
    with Memory(durable_store_url, embedder=embedder) as memory:
        plant(memory)

        def write(n: int) -> None:
            memory.add(f"{n} of {SECRET}", user_id=SECRET if n % 2 else "bob")

        with ThreadPoolExecutor(4) as pool:
            written = pool.map(write, range(40))
            receipts = [memory.erase(reason="asked", user_id=SECRET) for _ in range(3)]
            list(written)
        assert memory.count(user_id="bob") == 21
        memory.erase(reason="asked", user_id=SECRET)
        assert memory.count(user_id=SECRET) == 0
        assert all(receipt.counts["entries"] for receipt in receipts)
        assert memory.verify(deep=True)
        assert memory.search("Rome", user_id="bob")


def test_the_first_words_of_somebody_and_an_erasure_at_once(durable_store_url: str, embedder: FakeEmbedder) -> None:
    """There is no chain yet that the erasure could lock."""
    with Memory(durable_store_url, embedder=embedder) as memory, ThreadPoolExecutor(2) as pool:
        users = [f"u{number}" for number in range(30)]
        for user in users:
            written = pool.submit(memory.add, "I live in Leeds.", user_id=user)
            erased = pool.submit(memory.erase, reason="asked", user_id=user)
            assert written.result()
            erased.result()
        assert memory.verify(deep=True)
        for user in users:
            memory.erase(reason="asked", user_id=user)
        assert memory.count(namespace=()) == 0
        assert memory.verify(deep=True)


_ops = st.sampled_from(["add", "update", "delete", "erase", "erase ids", "fact", "compact", "rollback"])
_steps = st.lists(st.tuples(_ops, st.integers(0, 2), st.integers(0, 3)), max_size=25)


@given(steps=_steps)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_after_any_history_the_chain_verifies_and_nothing_erased_is_left(steps: list[tuple[str, int, int]]) -> None:
    clock = FakeClock()
    with Memory(":memory:", embedder=FakeEmbedder(), extractor=None, journal_key=KEY, clock=clock) as memory:
        alive: dict[str, dict[str, str]] = {"u0": {}, "u1": {}, "u2": {}}
        past = []
        for number, (op, who, which) in enumerate(steps):
            user, id, text = f"u{who}", f"id{which}", f"words{number}x"
            past.append((clock.now - clock.tick / 2, deepcopy(alive)))
            if op == "add":
                memory.add(text, id=id, user_id=user)
                alive[user][id] = text
            elif op == "update" and id in alive[user]:
                memory.update(id, text=text, user_id=user)
                alive[user][id] = text
            elif op == "delete":
                memory.delete(id, user_id=user)
                alive[user].pop(id, None)
            elif op == "erase":
                memory.erase(reason="asked", user_id=user)
                alive[user].clear()
                assert _payloads(memory, user) == 0
            elif op == "erase ids":
                memory.erase([id], reason="asked", user_id=user)
                alive[user].pop(id, None)
            elif op == "fact":
                memory.state("Ann", "home", text, user_id=user)
            elif op == "compact":
                memory.compact()
            elif op == "rollback":
                then, was = past[number * which // 4]
                with suppress(ContentErased):
                    memory.rollback(then, user_id=user)
                    alive[user] = dict(was[user])
            assert memory.verify(deep=True)
        for user, records in alive.items():
            assert {record.id: record.text for record in memory.get_all(user_id=user)} == records


def _payloads(memory: Memory, user: str) -> int:
    with memory.database.read() as connection:
        query = "SELECT count(*) FROM genome_journal j JOIN genome_namespaces n ON n.id = j.namespace_id"
        return int(
            connection.execute(sa.text(f"{query} WHERE n.labels LIKE :user"), {"user": f"%{user}%"}).scalar_one()
        )


# --- holds and rules -------------------------------------------------------------------------------------------------


def test_a_hold_keeps_everything_until_it_is_released(memory: Memory, clock: FakeClock) -> None:
    plant(memory)
    memory.add("short-lived", user_id=SECRET, ttl=1, id="short")
    hold = memory.hold("case 2026-17", user_id=SECRET)
    clock.advance(timedelta(days=1))
    attempts = [
        lambda: memory.delete(f"{SECRET}/1", user_id=SECRET),
        lambda: memory.delete_many([f"{SECRET}/1"], user_id=SECRET),
        lambda: memory.delete_all(user_id=SECRET),
        lambda: memory.delete_all(namespace=()),
        lambda: memory.write((), [((f"user:{SECRET}",), f"{SECRET}/1")]),
        lambda: memory.erase(reason="asked", user_id=SECRET),
        lambda: memory.erase([f"{SECRET}/1"], reason="asked", user_id=SECRET),
        lambda: memory.erase(reason="asked", namespace=()),
        memory.reset,
    ]
    for attempt in attempts:
        with pytest.raises(Held, match=r"case 2026-17.*release"):
            attempt()
    assert memory.sweep() == 0
    memory.compact()
    assert len(memory.history("short", user_id=SECRET)) == 1
    first = memory.history(f"{SECRET}/1", user_id=SECRET)[0].record
    assert first is not None
    assert "Leeds" in first.text
    assert memory.erase(reason="asked", user_id="bob").counts["records"] == 1
    assert memory.release(hold).reason == "case 2026-17"
    assert memory.sweep() == 1
    memory.erase(reason="asked", user_id=SECRET)
    assert traces(memory, SECRET) == []
    assert memory.verify(deep=True)
    assert memory.rules() == []


def test_a_hold_on_one_run_leaves_the_others_free(memory: Memory) -> None:
    memory.add("one", user_id="ann", run_id="r1")
    memory.add("two", user_id="ann", run_id="r2")
    memory.hold("case", user_id="ann", run_id="r1")
    assert memory.delete_all(user_id="ann", run_id="r2") == 1
    with pytest.raises(Held):
        memory.delete_all(user_id="ann")


def test_a_rule_erases_what_is_older(memory: Memory, clock: FakeClock) -> None:
    memory.add("from a tool", id="tool", user_id="ann", origin="tool")
    memory.add("from ann", id="own", user_id="ann")
    memory.add("deleted", id="deleted", user_id="ann", origin="tool")
    memory.delete("deleted", user_id="ann")
    memory.retain(timedelta(days=30), origin="tool", reason="policy 7", user_id="ann")
    assert memory.sweep() == 0
    clock.advance(timedelta(days=31))
    memory.add("new from a tool", id="new", user_id="ann", origin="tool")
    assert memory.sweep() == 1
    assert {record.id for record in memory.get_all(user_id="ann")} == {"own", "new"}
    assert [version.op for version in memory.history("tool", user_id="ann")] == ["add", "erase"]
    assert [version.record for version in memory.history("deleted", user_id="ann")] == [None] * 3
    assert memory.sweep() == 0
    [rule] = memory.rules()
    assert (rule.keep, rule.origin, rule.reason, rule.is_hold) == (timedelta(days=30), "tool", "policy 7", False)
    memory.release(rule.id)
    clock.advance(timedelta(days=31))
    assert memory.sweep() == 0
    assert memory.verify(deep=True)


def test_holds_and_rules_go_with_a_replay_and_a_branch(memory: Memory, embedder: FakeEmbedder) -> None:
    memory.add("evidence", id="a", user_id="ann")
    hold = memory.hold("case", user_id="ann")
    memory.retain(100, namespace=(), origin="tool", reason="policy")
    before = memory.now()
    memory.release(hold)
    for copied, standing in ((memory.replay, memory.rules()), (partial(memory.branch, until=before), None)):
        with Memory(":memory:", embedder=embedder, clock=memory.now) as copy:
            copied(copy.database)
            copy.verify(deep=True)
            if standing is not None:
                assert copy.rules() == standing
                continue
            assert [rule.reason for rule in copy.rules()] == ["case", "policy"]
            with pytest.raises(Held):
                copy.erase(reason="asked", user_id="ann")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("DELETE FROM genome_rules", "is no longer there"),
        ("UPDATE genome_rules SET keep = 1", "was edited"),
        ("UPDATE genome_rules SET id = 'rule-0'", "is not in the journal"),
    ],
)
def test_a_rule_that_was_changed_past_the_journal_is_found(memory: Memory, change: str, told: str) -> None:
    memory.hold("case", user_id="ann")
    memory.database.write(lambda connection: connection.exec_driver_sql(change))
    with pytest.raises(IntegrityError, match=f"the rule 'rule-.*' {told}"):
        memory.verify(deep=True)


def test_ids_name_records_and_not_rules(memory: Memory) -> None:
    rule = memory.retain(100, user_id="ann", reason="policy")
    memory.add("a record by the same name", id=rule, user_id="ann")
    everybodys = memory.retain(200, namespace=())
    assert memory.erase([rule], reason="asked", user_id="ann").counts["entries"] == 1
    memory.verify(deep=True)
    assert [one.id for one in memory.rules()] == [rule, everybodys]
    memory.add("more", user_id="ann")
    memory.erase(reason="asked", namespace=())
    memory.verify(deep=True)
    assert [one.id for one in memory.rules()] == [everybodys]


def test_a_hold_is_stronger_than_a_rule(memory: Memory, clock: FakeClock) -> None:
    memory.add("kept", user_id="ann")
    memory.add("goes", user_id="bob")
    memory.retain(timedelta(days=1), namespace=())
    memory.hold("case", user_id="ann")
    clock.advance(timedelta(days=2))
    assert memory.sweep() == 1
    assert memory.count(namespace=()) == 1


def test_a_change_makes_a_record_young_again(memory: Memory, clock: FakeClock) -> None:
    memory.add("old", id="x", user_id="ann")
    memory.retain(timedelta(days=10), user_id="ann")
    clock.advance(timedelta(days=9))
    memory.update("x", text="new", user_id="ann")
    clock.advance(timedelta(days=9))
    assert memory.sweep() == 0


def test_rules_need_a_scope_and_sense(memory: Memory) -> None:
    for bad in (0, -1, True, float("nan")):
        with pytest.raises(InvalidInput, match="keep"):
            memory.retain(bad, user_id="ann")
    with pytest.raises(InvalidScope):
        memory.hold("case")
    with pytest.raises(InvalidScope, match="name the user"):
        memory.hold("case", agent_id="a")
    with pytest.raises(InvalidInput, match="reason"):
        memory.hold("", user_id="ann")
    with pytest.raises(LookupError):
        memory.release("rule-1")
    assert memory.rules() == []


def test_sqlite_itself_zeroes_what_is_erased(sqlite_url: str, embedder: FakeEmbedder) -> None:
    """Even where the file can not be rewritten, the free pages hold nothing of what this erasure deleted."""
    with Memory(sqlite_url, embedder=embedder) as memory:
        memory.add(f"{SECRET} " * 5000, user_id=SECRET)
        Database(sqlite_url).vacuum()
        memory.database.vacuum = lambda: False  # type: ignore[method-assign]
        memory.erase(reason="asked", user_id=SECRET)
        with memory.database.driver() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert traces(memory, SECRET) == []
