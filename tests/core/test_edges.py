"""Corners where records were once lost, mixed or misread."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.pool import SingletonThreadPool

from genome_core import Memory, Record
from genome_core.errors import GenomeError, InvalidInput, StorageError
from genome_core.testing.embedders import FakeEmbedder
from tests.conftest import FakeClock


def texts(found: Any) -> list[str]:
    return [(one.record if hasattr(one, "record") else one).text for one in found]


def test_the_last_of_a_batch_counts_even_if_it_equals_what_was_there(memory: Memory) -> None:
    memory.add("b", id="1", user_id="u")
    memory.add([{"content": "a", "id": "1"}, {"content": "b", "id": "1"}], user_id="u")
    assert texts(memory.get_all(user_id="u")) == ["b"]
    assert [v.record.text for v in memory.history("1") if v.record] == ["b", "a", "b"]


def test_a_record_that_moves_away_in_a_batch_makes_room_for_its_words(memory: Memory) -> None:
    [id] = memory.add("first", user_id="u")
    ids = memory.add([{"content": "second", "id": id}, "first"], user_id="u")
    assert ids[0] == id
    assert sorted(texts(memory.get_all(user_id="u"))) == ["first", "second"]


def test_what_is_put_and_deleted_at_once_is_there(memory: Memory) -> None:
    record = Record(text="t", id="1", namespace=("n",))
    memory.write([record])
    memory.write([record], [(("n",), "1")])
    assert memory.get("1") is not None
    memory.write([], [(("n",), "1")])
    assert memory.get("1") is None


@pytest.mark.parametrize("fault", ["progress", "embedder"])
def test_a_failed_reindex_leaves_the_store_as_it_was(memory: Memory, fault: str) -> None:
    class Broken(FakeEmbedder):
        def embed(self, texts: Any) -> Any:
            raise RuntimeError("out of memory")

    memory.add(["green tea", "a bicycle"], user_id="u")

    def stop(done: int, total: int) -> None:
        raise RuntimeError("stop")

    embedder, progress = (FakeEmbedder(32), stop) if fault == "progress" else (Broken(32), None)
    with pytest.raises(RuntimeError):
        memory.reindex(embedder, progress)
    memory.add("black tea", user_id="u")
    assert set(texts(memory.search("tea", user_id="u", limit=2))) == {"green tea", "black tea"}


def test_others_read_and_write_while_reindex_works(memory: Memory) -> None:
    memory.add([f"note {n} about tea" for n in range(300)], user_id="u")
    seen: list[int] = []

    def meanwhile(done: int, total: int) -> None:
        memory.add(f"written at {done}", id=f"late{len(seen)}", user_id="u")
        memory.add(Record(text="hidden", id=f"hidden{done}", namespace=("user:u",), index=()))
        seen.append(len(memory.search("tea", user_id="u", limit=400)))

    memory.reindex(FakeEmbedder(32), progress=meanwhile)
    assert seen[0] >= 300
    assert memory.embedder.fingerprint.dimensions == 32
    found = [hit.record.id for hit in memory.search("written at", user_id="u")]
    assert {f"late{number}" for number in range(len(seen))} <= set(found)
    assert "hidden" not in texts(memory.search("hidden", user_id="u", limit=400))
    memory.add("and after", user_id="u")
    assert texts(memory.search("and after", user_id="u", limit=1)) == ["and after"]


@pytest.mark.parametrize(
    "moment",
    [
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-8))),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=8))),
    ],
)
def test_a_time_that_not_every_zone_can_tell_is_refused(memory: Memory, moment: datetime) -> None:
    with pytest.raises(InvalidInput, match="9999"):
        memory.add("x", user_id="u", at=moment)
    with pytest.raises(InvalidInput, match="9999"):
        memory.add(Record(text="x", expires_at=moment), user_id="u")
    for bound in ("at", "since", "until"):
        with pytest.raises(InvalidInput, match="9999"):
            memory.search("x", user_id="u", **{bound: moment})  # type: ignore[arg-type]
    assert memory.count(user_id="u") == 0


def test_the_last_moment_there_is_can_stand_for_never(memory: Memory) -> None:
    never = datetime.max.replace(tzinfo=UTC)
    memory.add(Record(text="x", expires_at=never, at=datetime.min.replace(tzinfo=UTC)), user_id="u")
    [record] = memory.get_all(user_id="u", until=never)
    assert record.expires_at == never
    assert texts(memory.search("x", user_id="u", at=never)) == ["x"]


def test_said_again_for_longer_lives_longer(memory: Memory, clock: FakeClock) -> None:
    first = memory.add("x", user_id="u", ttl=5)
    assert memory.add("x", user_id="u", ttl=3600) == first
    clock.advance(timedelta(minutes=1))
    assert memory.count(user_id="u") == 1
    assert memory.add("x", user_id="u") == first
    assert memory.add("x", user_id="u", ttl=1) == first
    clock.advance(timedelta(days=400))
    assert texts(memory.search("x", user_id="u")) == ["x"]


def test_neighbours_of_a_hit_are_what_a_search_may_show(memory: Memory, clock: FakeClock) -> None:
    now = clock.now
    memory.add({"content": "turn one tea", "at": now}, user_id="u")
    memory.add({"content": "short-lived", "at": now + timedelta(seconds=1)}, user_id="u", ttl=30)
    memory.add({"content": "excluded", "at": now + timedelta(seconds=2), "id": "no"}, user_id="u")
    memory.add({"content": "said later", "at": now + timedelta(days=9)}, user_id="u")
    clock.advance(timedelta(minutes=5))
    [hit] = memory.search("tea", user_id="u", limit=1, expand=5, exclude=["no"], at=now + timedelta(days=1))
    assert texts(hit.after) == []


@pytest.mark.parametrize(
    "change",
    [
        {"created_at": "2024-01-01T00:00:00"},
        {"updated_at": "yesterday"},
        {"version": "abc"},
        {"version": 0},
        {"metadata": [1]},
        {"text": None},
    ],
)
def test_an_import_is_checked_to_its_last_line_first(memory: Memory, tmp_path: Path, change: dict[str, Any]) -> None:
    memory.add([f"note {n}" for n in range(300)], user_id="u")
    path = tmp_path / "export.jsonl"
    memory.export(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    last = json.loads(lines[-1])
    last["record"] |= change
    path.write_text("\n".join([*lines[:-1], json.dumps(last)]), encoding="utf-8")
    memory.reset()
    with pytest.raises(InvalidInput, match="line 301"):
        memory.import_(path)
    assert memory.stats().records == 0


def test_a_failed_export_leaves_the_last_one_and_nothing_else(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    memory.add({"name": "Ann", "role": "user", "content": "I live in Oslo."}, user_id="u")
    memory.export(path)
    whole = path.read_text(encoding="utf-8")
    memory.database.write(lambda connection: connection.execute(sa.text("UPDATE genome_facts SET body = '{'")))
    with pytest.raises(ValueError, match="Expecting"):
        memory.export(path)
    assert path.read_text(encoding="utf-8") == whole
    assert [file.name for file in tmp_path.glob("export*")] == ["export.jsonl"]


def test_an_empty_file_is_no_export(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(InvalidInput, match="empty"):
        memory.import_(tmp_path / "empty")


def test_a_damaged_row_hides_no_other_from_any_verb(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, embedder=FakeEmbedder()) as memory:
        memory.add([{"content": f"note {n}", "id": str(n)} for n in range(10)], user_id="u")
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE genome_records SET metadata = '{' WHERE id IN ('1', '4')")

        def every_id() -> list[str]:
            page = memory.get_all(user_id="u", limit=3)
            found = [record.id for record in page]
            while page.next:
                page = memory.get_all(user_id="u", limit=3, after=page.next)
                found += [record.id for record in page]
            return found

        with pytest.warns(RuntimeWarning, match="damaged"):
            seen = every_id()
        assert seen == ["0", "2", "3", "5", "6", "7", "8", "9"]
        with pytest.warns(RuntimeWarning, match="damaged"):
            memory.export(tmp_path / "export.jsonl")
        assert len((tmp_path / "export.jsonl").read_text().splitlines()) == 9
        with pytest.warns(RuntimeWarning, match="damaged"):
            memory.reindex(FakeEmbedder(32))
        assert len(memory.search("note", user_id="u")) == 8


def test_delete_all_leaves_nothing_that_has_expired(memory: Memory, clock: FakeClock) -> None:
    memory.add("secret", user_id="u", ttl=1)
    clock.advance(timedelta(minutes=1))
    assert memory.delete_all(user_id="u") == 0
    assert memory.stats().records == 0
    assert memory.stats().passages == 0


def test_a_change_of_metadata_does_not_make_room_for_a_twin(memory: Memory) -> None:
    [id] = memory.add("x", user_id="u")
    memory.update(id, metadata={"a": 1})
    assert memory.add("x", user_id="u") == [id]
    memory.update(id, text="y")
    assert memory.add("x", user_id="u") != [id]


def test_a_hidden_record_stays_hidden(memory: Memory) -> None:
    memory.add(Record(text="tea", id="h", namespace=("n",), index=()))
    memory.update("h", text="more tea")
    assert memory.search("tea", namespace=("n",)) == []
    assert memory.search("tea", namespace=("n",), mode="lexical") == []


def test_a_long_running_process_ranks_as_a_fresh_one(durable_store_url: str) -> None:
    with Memory(durable_store_url, embedder=FakeEmbedder()) as old:
        for name in ("Ann", "Bob", "Cid"):
            old.add([{"name": name, "content": f"{name} says tea {n}", "role": "user"} for n in range(3)], user_id="u")
        question = "What did Ann say about tea?"
        old.search(question, user_id="u")
        old.delete_all(user_id="u", filter=lambda record: record.name == "Ann")
        with Memory(durable_store_url, embedder=FakeEmbedder()) as fresh:
            assert old.search(question, user_id="u") == fresh.search(question, user_id="u")


def test_facts_of_the_expired_are_not_told(memory: Memory, clock: FakeClock) -> None:
    memory.add({"name": "Ann", "role": "user", "content": "I live in Oslo."}, user_id="u", ttl=5)
    assert [window.value for window in memory.facts(user_id="u")] == ["Oslo"]
    clock.advance(timedelta(minutes=1))
    assert memory.facts(user_id="u") == []
    assert memory.ask("Where does Ann live?", user_id="u").value is None


CALLS: list[Callable[[Memory], Any]] = [
    lambda m: m.get_all(agent_id=5),  # type: ignore[arg-type]
    lambda m: m.add("x", user_id="u", metadata="abc"),  # type: ignore[arg-type]
    lambda m: m.add("x", user_id="u", id=""),
    lambda m: m.add({"content": "x", "id": ""}, user_id="u"),
    lambda m: m.add("x", user_id="u", metadata={"n": 10**5000}),
    lambda m: m.add(Record(text="x", index="abc"), user_id="u"),  # type: ignore[arg-type]
    lambda m: m.get_all(user_id="u", after="9" * 30 + ".1"),
    lambda m: m.get_all(user_id="u", after=5),  # type: ignore[arg-type]
    lambda m: m.get_all(user_id="u", limit=2**63),
    lambda m: m.get_all(user_id="u", limit=None),  # type: ignore[arg-type]
    lambda m: m.search("x", user_id="u", limit=2.5),  # type: ignore[arg-type]
    lambda m: m.search("x", user_id="u", exclude="abc"),
    lambda m: m.explain("x", user_id="u", candidates=-5),
    lambda m: m.count(user_id="u", filter={"\ud83d": 1}),
    lambda m: m.count(user_id="u", filter={"a\x00": 1}),
    lambda m: m.count(user_id="u", filter={f"k{n}": n for n in range(1500)}),
    lambda m: m.count(user_id="u", filter={"$or": [{"$and": [{"a": n} for n in range(30)]} for _ in range(30)]}),
    lambda m: m.state("half \ud83d", "home", "Oslo", user_id="u"),
    lambda m: m.state("Ann", "home", "nul \x00", user_id="u"),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_odd_arguments_are_refused_in_our_own_words(memory: Memory, number: int) -> None:
    memory.add("x", user_id="u", id="before")
    with pytest.raises(GenomeError) as raised:
        CALLS[number](memory)
    assert isinstance(raised.value, ValueError)
    assert memory.stats().journal_entries == 1


def test_deep_nesting_is_refused(memory: Memory) -> None:
    deep: Any = 1
    for _ in range(700):
        deep = [deep]
    with pytest.raises(InvalidInput, match="levels"):
        memory.add("x", user_id="u", metadata={"deep": deep})


def test_an_engine_that_would_split_the_database_is_refused() -> None:
    engine = sa.create_engine("sqlite://", poolclass=SingletonThreadPool)
    with pytest.raises(InvalidInput, match="StaticPool"):
        Memory(engine)
    engine.dispose()


def test_an_engine_with_its_own_begin_works(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'memory.db'}")

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    with Memory(engine, embedder=FakeEmbedder()) as memory:
        memory.add("x", user_id="u")
        assert texts(memory.search("x", user_id="u")) == ["x"]
    engine.dispose()


def test_what_was_renewed_meanwhile_is_not_swept(
    memory: Memory, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from genome_core.storage import reading

    memory.add("x", id="k", user_id="u", ttl=60)
    clock.advance(timedelta(minutes=5))
    select = reading.select

    def renew_after_reading(*arguments: Any, **options: Any) -> Any:
        found = select(*arguments, **options)
        forever = sa.text("UPDATE genome_records SET expires_at = NULL")
        arguments[0].execute(forever) if memory.database.in_memory else memory.database.write(
            lambda c: c.execute(forever)
        )
        return found

    monkeypatch.setattr(reading, "select", renew_after_reading)
    assert memory.sweep() == 0
    monkeypatch.undo()
    assert memory.get("k") is not None


def test_reranked_hits_have_their_neighbours(store_url: str) -> None:
    class ByLength:
        def score(self, query: str, hits: Any) -> list[float]:
            return [float(len(hit.record.text)) for hit in hits]

    class TooFew:
        def score(self, query: str, hits: Any) -> list[float]:
            return [1.0]

    with Memory(store_url, embedder=FakeEmbedder(), reranker=ByLength()) as memory:
        memory.add([f"tea {'x' * n}" for n in range(6)], user_id="u")
        [hit] = memory.search("tea", user_id="u", limit=1, expand=1)
        assert (hit.record.text, texts(hit.before)) == ("tea xxxxx", ["tea xxxx"])
        memory._recall._reranker = TooFew()
        with pytest.raises(InvalidInput, match="reranker"):
            memory.search("tea", user_id="u")


def test_explain_shows_the_hits_of_a_selective_filter(memory: Memory) -> None:
    memory.add([{"content": f"tea note {n}", "id": f"{n}", "metadata": {"n": n}} for n in range(150)], user_id="u")
    hits = memory.search("tea", user_id="u", filter={"n": {"$lt": 5}})
    explained = memory.explain("tea", user_id="u", filter={"n": {"$lt": 5}}, candidates=3)
    assert [one.record.id for one in explained if one.rank] == [hit.record.id for hit in hits]


def test_verify_notices_that_the_whole_journal_is_gone(memory: Memory) -> None:
    memory.add(["a", "b"], user_id="u")

    def empty(connection: sa.Connection) -> None:
        connection.execute(sa.text("DELETE FROM genome_journal"))
        connection.execute(sa.text("DELETE FROM genome_chains"))

    memory.database.write(empty)
    with pytest.raises(GenomeError, match="emptied"):
        memory.verify()


def test_a_hidden_record_is_no_neighbour_after_a_move(memory: Memory, tmp_path: Path) -> None:
    memory.add([Record(text="tool blob", index=()), "green tea"], user_id="u")
    memory.export(tmp_path / "export.jsonl")
    memory.reset()
    memory.import_(tmp_path / "export.jsonl")
    [hit] = memory.search("tea", user_id="u", expand=2)
    assert (hit.before, hit.after) == ((), ())


def test_the_newest_but_those_excluded(memory: Memory) -> None:
    for user in ("a", "b", "c"):
        memory.add(f"of {user}", id="1", user_id=user)
    memory.add("another", id="2", user_id="a", at=datetime(2020, 1, 1, tzinfo=UTC))
    assert texts(memory.search("", namespace=(), exclude=["1"], limit=1)) == ["another"]


def test_an_import_brings_a_changed_record_back_under_its_id(memory: Memory, tmp_path: Path) -> None:
    [id] = memory.add("x", user_id="u")
    memory.export(tmp_path / "export.jsonl")
    memory.update(id, text="y")
    memory.import_(tmp_path / "export.jsonl")
    assert [(record.id, record.text) for record in memory.get_all(user_id="u")] == [(id, "x")]
    memory.update(id, text="y")
    [other] = memory.add("x", user_id="u")
    memory.import_(tmp_path / "export.jsonl")
    assert {(record.id, record.text) for record in memory.get_all(user_id="u")} == {(id, "x"), (other, "x")}


def test_a_write_inside_a_read_in_memory_says_what_is_wrong() -> None:
    with Memory(":memory:", embedder=FakeEmbedder()) as memory:
        memory.add("x", user_id="u")
        with pytest.raises(GenomeError, match="inside a read"):
            memory.get_all(user_id="u", filter=lambda record: bool(memory.add("y", user_id="u")))


def test_a_store_in_memory_that_was_closed_says_so() -> None:
    with Memory(":memory:", embedder=FakeEmbedder()) as memory:
        memory.add("a", user_id="u")
    with pytest.raises(StorageError, match="ends when it is closed"):
        memory.count(user_id="u")
