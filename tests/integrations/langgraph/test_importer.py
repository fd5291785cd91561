"""Moving from LangGraph's own SQLite saver and store: everything that they hold, readable as before, and going on."""

from __future__ import annotations

import json
import operator
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, TypedDict

import ormsgpack
import pytest
from genome_langgraph import GenomeSaver, GenomeStore
from genome_langgraph.importer import Imported, import_sqlite
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.sqlite import SqliteStore
from langgraph.types import Command, interrupt

from genome_core import Memory
from genome_core.errors import InvalidInput, NotADatabase, NotFound
from genome_core.protocols import Embedder
from tests.conftest import FakeClock
from tests.integrations.langgraph.saver_helpers import at, make_checkpoint


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    notes: Annotated[list[str], operator.add]


@pytest.fixture
def memory(store_url: str, embedder: Embedder) -> Iterator[Memory]:
    with Memory(store_url, embedder=embedder) as memory:
        yield memory


@pytest.fixture
def old(tmp_path: Path) -> Iterator[SqliteSaver]:
    """An official saver on the file ``old.db``."""
    with SqliteSaver.from_conn_string(str(tmp_path / "old.db")) as saver:
        saver.setup()
        yield saver


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "old.db"


def agent(saver: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Asks for a name in a subgraph, and waits for the answer."""

    def ask(state: State) -> dict[str, Any]:
        name = interrupt("Your name?")
        return {"messages": [AIMessage(f"Hello {name}", id=f"hello-{name}")], "notes": [name]}

    inner = StateGraph(State).add_node("ask", ask).add_edge(START, "ask").compile()
    outer = StateGraph(State).add_node("greet", inner).add_edge(START, "greet")
    return outer.compile(checkpointer=saver)


def told(saver: Any, config: RunnableConfig | None = None) -> dict[tuple[str, str, str], CheckpointTuple]:
    """Every checkpoint with its writes, by thread, namespace and id."""
    return {
        (place["thread_id"], place["checkpoint_ns"], place["checkpoint_id"]): one
        for one in saver.list(config)
        if (place := one.config["configurable"])
    }


def test_threads_read_as_before_and_go_on(old: SqliteSaver, file: Path, memory: Memory) -> None:
    for name in ("waiting", "answered"):
        agent(old).invoke({"messages": [HumanMessage("hi", id="hi")], "notes": ["hi"]}, at(name))
    agent(old).invoke(Command(resume="Ines"), at("answered"))
    before = told(old)
    assert {place[1].split(":")[0] for place in before} == {"", "greet"}

    imported = import_sqlite(file, memory)

    saver = GenomeSaver(memory)
    assert told(saver) == before
    assert (imported.threads, imported.checkpoints, imported.items) == (2, len(before), 0)
    assert imported.writes == old.conn.execute("SELECT count(*) FROM writes").fetchone()[0] > 0
    assert agent(saver).get_state(at("waiting")).next == ("greet",)
    answer = agent(saver).invoke(Command(resume="Ugo"), at("waiting"))
    assert answer == agent(old).invoke(Command(resume="Ugo"), at("waiting"))
    assert agent(saver).get_state(at("answered")).values["messages"][-1].content == "Hello Ines"


def test_a_write_keeps_its_place_among_those_of_its_task(old: SqliteSaver, file: Path, memory: Memory) -> None:
    config = old.put(at("t"), make_checkpoint({"a": 1}), {}, {})
    old.put_writes(config, [("__resume__", 0), ("b", 1), ("c", 2)], "task", "~path")
    import_sqlite(file, memory)
    saver = GenomeSaver(memory)
    saver.put_writes(config, [("__resume__", 9), ("b", 9), ("c", 9)], "task", "~path")  # repeats, so only resume counts
    found = saver.get_tuple(config)
    assert found is not None
    assert found.pending_writes == [("task", "__resume__", 9), ("task", "b", 1), ("task", "c", 2)]


def test_writes_before_their_checkpoint_are_kept(old: SqliteSaver, file: Path, memory: Memory) -> None:
    checkpoint = make_checkpoint({"a": 1})
    old.put_writes(at("t", checkpoint["id"]), [("a", 1)], "task")
    assert import_sqlite(file, memory) == Imported(threads=0, checkpoints=0, writes=1, items=0)
    saver = GenomeSaver(memory)
    found = saver.get_tuple(saver.put(at("t"), checkpoint, {}, checkpoint["channel_versions"]))
    assert found is not None
    assert found.pending_writes == [("task", "a", 1)]


def test_a_value_that_changed_in_place_keeps_what_each_checkpoint_had(
    old: SqliteSaver, file: Path, memory: Memory
) -> None:
    version = old.get_next_version(None, None)
    configs = [old.put(at("t"), make_checkpoint({"a": value}, {"a": version}), {}, {}) for value in ([1], [1, 2], [1])]
    configs.append(old.put(at("t"), make_checkpoint({}, {"a": version}), {}, {}))
    import_sqlite(file, memory)
    found = [GenomeSaver(memory).get_tuple(config) for config in configs]
    assert [one.checkpoint["channel_values"].get("a") for one in found if one] == [[1], [1, 2], [1], None]
    first, changed, again, empty = [str(one.checkpoint["channel_versions"]["a"]) for one in found if one]
    assert first == again == version
    for other in (changed, empty):
        assert other < version  # so no node that has seen it runs again
        assert version < GenomeSaver(memory).get_next_version(other, None)


def test_versions_that_were_numbers_become_text(old: SqliteSaver, file: Path, memory: Memory) -> None:
    one = old.put(at("t"), make_checkpoint({"a": "main"}, {"a": 2}), {}, {})
    fork = old.put(at("t"), make_checkpoint({"a": "fork"}, {"a": 2}), {}, {})
    import_sqlite(file, memory)
    found = [GenomeSaver(memory).get_tuple(config) for config in (one, fork)]
    assert [each.checkpoint["channel_values"] for each in found if each] == [{"a": "main"}, {"a": "fork"}]
    for each in found:
        assert each is not None
        assert isinstance(each.checkpoint["channel_versions"]["a"], str)
        after = GenomeSaver(memory).get_next_version(each.checkpoint["channel_versions"]["a"], None)
        assert int(after.split(".")[0]) == 3


def test_snapshots_of_delta_channels_are_known_as_such(old: SqliteSaver, file: Path, memory: Memory) -> None:
    base = old.put(at("t"), make_checkpoint({"d": _DeltaSnapshot(["a"])}), {}, {})
    old.put_writes(base, [("d", ["b"])], "task")
    tip = old.put(base, make_checkpoint({}, {"d": "2"}), {}, {})
    import_sqlite(file, memory)
    history = GenomeSaver(memory).get_delta_channel_history(config=tip, channels=["d"])
    assert history == old.get_delta_channel_history(config=tip, channels=["d"])
    saver = GenomeSaver(memory)
    saver.prune(["t"])
    assert saver.get_delta_channel_history(config=tip, channels=["d"]) == history


WRITE = """
import sys
from dataclasses import dataclass
from langgraph.checkpoint.sqlite import SqliteSaver
from pydantic import BaseModel
sys.path.insert(0, sys.argv[1])
from shapes import Point
from tests.integrations.langgraph.saver_helpers import at, make_checkpoint
with SqliteSaver.from_conn_string(sys.argv[2]) as saver:
    saver.put(at("t"), make_checkpoint({"p": Point(x=3)}), {}, {})
"""


def test_objects_are_copied_whose_classes_can_not_be_imported(tmp_path: Path, file: Path, memory: Memory) -> None:
    (tmp_path / "shapes.py").write_text("from pydantic import BaseModel\nclass Point(BaseModel):\n    x: int\n")
    subprocess.run([sys.executable, "-c", WRITE, str(tmp_path), str(file)], check=True)
    import_sqlite(file, memory)
    with closing(sqlite3.connect(file)) as source:
        [(type_, blob)] = source.execute("SELECT type, checkpoint FROM checkpoints").fetchall()
    raw = ormsgpack.unpackb(blob, ext_hook=lambda code, data: (code, data))["channel_values"]["p"]
    with memory.database.read() as connection:
        held = "SELECT held FROM langgraph_checkpoints WHERE held IS NOT NULL UNION SELECT data FROM langgraph_values"
        [kept] = connection.exec_driver_sql(held).scalars()
    assert type_ == "msgpack"
    assert ormsgpack.unpackb(kept, ext_hook=lambda code, data: (code, data)) == raw


def test_a_thread_is_as_old_as_its_latest_checkpoint(old: SqliteSaver, file: Path, memory: Memory) -> None:
    for thread, ts in (("old", "2020-01-01T00:00:00+00:00"), ("new", datetime.now(UTC).isoformat())):
        old.put(at(thread), {**make_checkpoint({"a": 1}), "ts": ts}, {}, {})
    import_sqlite(file, memory)
    saver = GenomeSaver(memory)
    assert saver.prune_idle(timedelta(days=30)) == 1
    assert {place[0] for place in told(saver)} == {"new"}


def test_importing_again_keeps_what_was_added_since(old: SqliteSaver, file: Path, memory: Memory) -> None:
    config = old.put(at("t"), {**make_checkpoint({"a": 1}), "ts": "2020-01-01T00:00:00+00:00"}, {}, {})
    import_sqlite(file, memory)
    saver = GenomeSaver(memory)
    later = saver.put(config, make_checkpoint({"a": 2}, {"a": "2"}), {}, {"a": "2"})
    before = told(saver)
    import_sqlite(file, memory)
    assert told(saver) == before
    assert saver.prune_idle(timedelta(days=30)) == 0
    assert saver.get_tuple(at("t")) == saver.get_tuple(later)


def test_a_checkpoint_that_can_not_be_read_stops_the_import_before_it_begins(
    old: SqliteSaver, file: Path, memory: Memory
) -> None:
    old.put(at("a"), make_checkpoint({"a": 1}), {}, {})
    old.put(at("b"), make_checkpoint({"a": 1}), {}, {})
    with SqliteStore.from_conn_string(str(file)) as store:
        store.setup()
        store.put(("docs",), "k", {"a": 1})
    old.conn.execute("UPDATE checkpoints SET type = 'msgpack+aes' WHERE thread_id = 'b'")
    old.conn.commit()
    with pytest.raises(InvalidInput, match=r"thread 'b'.*encrypted"):
        import_sqlite(file, memory)
    assert not told(GenomeSaver(memory))
    assert memory.count(namespace=()) == 0


def test_items_keep_their_values_and_times(file: Path, memory: Memory) -> None:
    with SqliteStore.from_conn_string(str(file)) as store:
        store.setup()
        store.put(("users", "ines"), "likes", {"food": "figs", "deep": {"n": [1, None, 2.5]}})
        store.put(("users", "ugo"), "likes", {"food": "olives"})
        old_item = store.get(("users", "ines"), "likes")
    with closing(sqlite3.connect(file)) as source:
        source.execute("UPDATE store SET created_at = '2023-05-06 07:08:09' WHERE prefix = 'users.ines'")
        source.commit()
    assert import_sqlite(file, memory).items == 2
    with GenomeStore(memory) as new:
        item = new.get(("users", "ines"), "likes")
        assert item is not None
        assert old_item is not None
        assert item.value == old_item.value
        assert item.created_at == datetime(2023, 5, 6, 7, 8, 9, tzinfo=UTC)
        assert item.updated_at == datetime.fromisoformat(str(old_item.updated_at)).replace(tzinfo=UTC)
        assert [one.key for one in new.search(("users",), filter={"food": "olives"})] == ["likes"]
        assert new.search(("users",), query="figs", limit=1)[0].namespace == ("users", "ines")
        import_sqlite(file, memory)
        assert new.get(("users", "ines"), "likes") == item


def test_items_that_have_expired_stay_behind(file: Path, store_url: str, embedder: Embedder, clock: FakeClock) -> None:
    with SqliteStore.from_conn_string(str(file), ttl={"default_ttl": None}) as store:
        store.setup()
        store.put(("n",), "short", {"a": 1}, ttl=5)
        store.put(("n",), "long", {"a": 2}, ttl=1000)
    clock.set(datetime.now(UTC) + timedelta(minutes=10))
    with Memory(store_url, embedder=embedder, clock=clock) as memory, GenomeStore(memory) as new:
        done = import_sqlite(file, memory)
        assert (done.items, done.left_out) == (1, {"expired": 1})
        assert [item.key for item in new.search(("n",))] == ["long"]
        clock.advance(timedelta(minutes=900))
        assert new.get(("n",), "long", refresh_ttl=True)  # for another 1000 minutes
        clock.advance(timedelta(minutes=900))
        assert new.get(("n",), "long")
        clock.advance(timedelta(minutes=1100))
        assert not new.search(("n",))


def test_the_fields_that_are_found_by_meaning_can_be_named(file: Path, memory: Memory) -> None:
    with SqliteStore.from_conn_string(str(file)) as store:
        store.setup()
        store.put(("n",), "k", {"text": "figs", "noise": "nothing"})
    import_sqlite(file, memory, index={"dims": memory.embedder.fingerprint.dimensions, "fields": ["text"]})
    with GenomeStore(memory) as new:
        assert new.search(("n",), query="figs")[0].score == pytest.approx(1, abs=1e-5)


def test_an_item_that_can_not_be_taken_stops_the_import_before_it_begins(file: Path, memory: Memory) -> None:
    with SqliteStore.from_conn_string(str(file)) as store:
        store.setup()
        store.put(("n",), "fine", {"a": 1})
        store.put(("n",), "nul", {"a": "\x00"})
    with pytest.raises(InvalidInput, match="'nul'"):
        import_sqlite(file, memory)
    assert memory.count(namespace=()) == 0


def test_files_of_older_releases_lack_columns(tmp_path: Path, memory: Memory) -> None:
    file = tmp_path / "older.db"
    checkpoint = {**make_checkpoint({"m": HumanMessage("hi", id="1")}), "v": 1, "pending_sends": []}
    _, blob = JsonPlusSerializer().dumps_typed(checkpoint)
    with closing(sqlite3.connect(file)) as source:
        source.execute(
            "CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)"
        )
        source.execute(
            "CREATE TABLE writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value)"
        )
        source.execute("CREATE TABLE store (prefix, key, value, created_at, updated_at)")
        source.execute(
            "INSERT INTO checkpoints VALUES ('t', '', ?, NULL, 'msgpack', ?, NULL)", (checkpoint["id"], blob)
        )
        source.execute("INSERT INTO writes VALUES ('t', '', ?, 'task', 0, 'm', 'null', NULL)", (checkpoint["id"],))
        times = ("2024-01-01 00:00:00",) * 2
        source.execute("INSERT INTO store VALUES ('n', 'k', ?, ?, ?)", (json.dumps({"a": 1}), *times))
        source.commit()
    assert import_sqlite(file, memory) == Imported(threads=1, checkpoints=1, writes=1, items=1)
    found = GenomeSaver(memory).get_tuple(at("t"))
    assert found is not None
    assert found.checkpoint["channel_values"]["m"] == HumanMessage("hi", id="1")
    assert found.pending_writes == [("task", "m", None)]


def test_the_file_is_not_changed_and_may_be_in_use(old: SqliteSaver, file: Path, memory: Memory) -> None:
    old.put(at("t"), make_checkpoint({"a": 1}), {}, {})
    before = file.read_bytes()
    import_sqlite(file, memory)
    assert file.read_bytes() == before
    old.put(at("t"), make_checkpoint({"a": 2}), {}, {})  # the official saver was never locked out
    assert len(told(old)) == 2


def test_other_files_are_refused(tmp_path: Path, memory: Memory) -> None:
    with pytest.raises(NotFound, match=r"missing\.db"):
        import_sqlite(tmp_path / "missing.db", memory)
    (tmp_path / "text.db").write_text("not a database, but long enough to look like one" * 100)
    with pytest.raises(NotADatabase, match=r"text\.db"):
        import_sqlite(tmp_path / "text.db", memory)
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE notes (text)")
    with pytest.raises(InvalidInput, match="no table checkpoints or writes or store"):
        import_sqlite(tmp_path / "other.db", memory)
