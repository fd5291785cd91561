"""What ``GenomeSaver`` promises beyond LangGraph's conformance suite, on each database."""

from __future__ import annotations

import asyncio
import copy
import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from genome_langgraph import GenomeSaver
from langchain_core.messages import AIMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.base import CipherProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from genome_core.errors import InvalidInput, NotADatabase, StorageError
from genome_core.storage.database import Database
from tests.integrations.langgraph.saver_helpers import TABLES, at, copies, make_checkpoint, put, rows

LARGE = list(range(10_000))
TASK = "00000000-0000-0000-0000-000000000001"


@pytest.fixture
def saver(store_url: str) -> Iterator[GenomeSaver]:
    with GenomeSaver(store_url) as saver:
        yield saver


# Where the checkpoints go


def test_a_path_a_url_an_engine_and_a_shared_database_are_all_stores(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    engine = sa.create_engine(f"sqlite:///{path}")
    database = Database(path)
    for store in (path, str(path), f"sqlite:///{path}", engine.url, engine, database):
        with GenomeSaver(store) as saver:
            put(saver, at("t"), {"a": 1})
    with GenomeSaver(path) as saver:
        assert len(list(saver.list(at("t")))) == 6
    database.close()
    engine.dispose()


def test_what_has_a_database_shares_it_and_keeps_it_open(tmp_path: Path) -> None:
    class Owner:
        database = Database(tmp_path / "memory.db")

    with GenomeSaver(Owner()) as saver:  # type: ignore[arg-type]  # stands for genome_core.Memory
        put(saver, at("t"), {"a": 1})
        assert saver.database is Owner.database
    with Owner.database.read() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM langgraph_checkpoints")) == 1
    Owner.database.close()


def test_another_kind_of_file_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but longer than sixteen bytes")
    with pytest.raises(NotADatabase):
        GenomeSaver(path)
    assert path.read_text().startswith("not a database")


@pytest.mark.parametrize(
    "first_call",
    [
        lambda saver: saver.get_tuple(at("t")),
        lambda saver: list(saver.list(None)),
        lambda saver: saver.put_writes(at("t", "c"), [("a", 1)], TASK),
        lambda saver: saver.delete_thread("t"),
        lambda saver: saver.delete_for_runs(["r"]),
        lambda saver: saver.copy_thread("t", "u"),
        lambda saver: saver.prune(["t"]),
        lambda saver: saver.sweep_ttl(),
        lambda saver: saver.get_delta_channel_history(config=at("t"), channels=["a"]),
        lambda saver: asyncio.run(saver.adelete_thread("t")),
    ],
)
def test_any_method_may_be_the_first_call_on_a_new_file(tmp_path: Path, first_call: Any) -> None:
    with GenomeSaver(tmp_path / "new.db") as saver:
        first_call(saver)
        put(saver, at("t"), {"a": 1})


def test_the_name_of_the_official_savers_constructor_works_sync_and_async(tmp_path: Path) -> None:
    async def use() -> None:
        async with GenomeSaver.from_conn_string(str(tmp_path / "a.db")) as saver:
            assert await saver.aget_tuple(at("t")) is not None

    with GenomeSaver.from_conn_string(str(tmp_path / "a.db")) as saver:
        put(saver, at("t"), {"a": 1})
    asyncio.run(use())


# Reading and writing


def test_integer_thread_ids_are_those_of_their_text(saver: GenomeSaver) -> None:
    stored = put(saver, at(7), {"a": 1})
    assert stored["configurable"]["thread_id"] == 7
    saver.put_writes(stored, [("a", 2)], TASK)
    for thread_id in (7, "7"):
        found = saver.get_tuple(at(thread_id))
        assert found is not None
        assert found.checkpoint["channel_values"] == {"a": 1}
        assert found.pending_writes == [(TASK, "a", 2)]
        assert len(list(saver.list(at(thread_id)))) == 1
    saver.delete_thread(7)  # type: ignore[arg-type]
    assert rows(saver) == dict.fromkeys(TABLES, 0)


def test_writes_may_come_before_their_checkpoint(saver: GenomeSaver) -> None:
    checkpoint = make_checkpoint({"a": 1})
    saver.put_writes(at("t", checkpoint["id"]), [("a", 2)], TASK)
    assert saver.get_tuple(at("t", checkpoint["id"])) is None
    saver.put(at("t"), checkpoint, {}, {"a": "1"})
    found = saver.get_tuple(at("t"))
    assert found is not None
    assert found.pending_writes == [(TASK, "a", 2)]


def test_a_repeated_write_is_ignored_and_a_special_one_replaces_even_in_one_call(saver: GenomeSaver) -> None:
    stored = put(saver, at("t"), {"a": 1})
    saver.put_writes(stored, [("__resume__", 1), ("a", "first")], TASK)
    saver.put_writes(stored, [("__resume__", 2), ("a", "second")], TASK)
    found = saver.get_tuple(stored)
    assert found is not None
    assert found.pending_writes == [(TASK, "__resume__", 2), (TASK, "a", "first")]


def test_pending_writes_come_in_the_order_of_task_path_then_task_then_position(saver: GenomeSaver) -> None:
    stored = put(saver, at("t"), {"a": 1})
    saver.put_writes(stored, [("a", "last")], "task-1", "~b")
    saver.put_writes(stored, [("a", "third")], "task-3", "~a")
    saver.put_writes(stored, [("a", "first"), ("a", "second")], "task-2", "~a")
    found = saver.get_tuple(stored)
    assert found is not None
    assert [value for _, _, value in found.pending_writes or ()] == ["first", "second", "third", "last"]


def test_putting_an_id_again_replaces_it(saver: GenomeSaver) -> None:
    checkpoint = make_checkpoint({"a": "old"})
    saver.put(at("t"), checkpoint, {"step": 1}, {"a": "1"})
    checkpoint["channel_values"]["a"] = "new"
    saver.put(at("t"), checkpoint, {"step": 2}, {"a": "1"})
    (found,) = saver.list(at("t"))
    assert found.checkpoint["channel_values"] == {"a": "new"}
    assert found.metadata["step"] == 2


@pytest.mark.parametrize("version", ["00000000000000000000000000000002.0123", 2, 2.5, 1e22])
def test_versions_keep_their_value_and_type(saver: GenomeSaver, version: Any) -> None:
    put(saver, at("t"), {"a": "value"}, {"a": version})
    found = saver.get_tuple(at("t"))
    assert found is not None
    assert found.checkpoint["channel_values"] == {"a": "value"}
    assert found.checkpoint["channel_versions"] == {"a": version}
    assert type(found.checkpoint["channel_versions"]["a"]) is type(version)


def test_versions_grow_from_none_integers_and_strings_and_differ_between_forks(saver: GenomeSaver) -> None:
    first = saver.get_next_version(None, None)
    second = saver.get_next_version(first, None)
    migrated = saver.get_next_version(9, None)  # type: ignore[arg-type]  # threads of old savers have integers
    assert first < second < migrated
    assert saver.get_next_version(first, None) != second


def test_a_fork_leaves_the_main_branch_alone(saver: GenomeSaver) -> None:
    v1 = saver.get_next_version(None, None)
    base = put(saver, at("t"), {"a": "base"}, {"a": v1})
    v2 = saver.get_next_version(v1, None)
    main = put(saver, base, {"a": "main"}, {"a": v2})
    fork = put(saver, base, {"a": "fork"}, {"a": saver.get_next_version(v1, None)})
    for config, value in ((base, "base"), (main, "main"), (fork, "fork")):
        found = saver.get_tuple(config)
        assert found is not None
        assert found.checkpoint["channel_values"] == {"a": value}
        assert found.parent_config == (None if config is base else base)


def test_unchanged_values_are_stored_once(saver: GenomeSaver) -> None:
    config = put(saver, at("t"), {"big": "x" * 1000, "n": 0}, {"big": "1", "n": "1"})
    for step in range(2, 10):
        versions = {"big": "1", "n": str(step)}
        config = put(saver, config, {"big": "x" * 1000, "n": step}, versions, new={"n": str(step)})
    assert copies(saver, b"x" * 1000) == 1
    found = saver.get_tuple(config)
    assert found is not None
    assert found.checkpoint["channel_values"] == {"big": "x" * 1000, "n": 9}


def test_a_channel_that_became_empty_is_absent_and_one_holding_none_is_not(saver: GenomeSaver) -> None:
    base = put(saver, at("t"), {"a": 1, "b": 2})
    put(saver, base, {"b": None}, {"a": "2", "b": "2"})
    found = saver.get_tuple(at("t"))
    assert found is not None
    assert found.checkpoint["channel_values"] == {"b": None}


def test_namespaces_of_subgraphs_are_apart(saver: GenomeSaver) -> None:
    namespaces = ["", "child:1", "child:1|grandchild:2", "child:10"]
    for checkpoint_ns in namespaces:
        put(saver, at("t", checkpoint_ns=checkpoint_ns), {"ns": checkpoint_ns})
    for checkpoint_ns in namespaces:
        (found,) = saver.list(at("t", checkpoint_ns=checkpoint_ns))
        assert found.config["configurable"]["checkpoint_ns"] == checkpoint_ns
        assert found.checkpoint["channel_values"] == {"ns": checkpoint_ns}
    assert len(list(saver.list({"configurable": {"thread_id": "t"}}))) == len(namespaces)


def test_arguments_are_neither_changed_nor_kept(saver: GenomeSaver) -> None:
    checkpoint = make_checkpoint({"a": [1]})
    config, metadata, new = at("t"), {"step": 1, "parents": {"": "x"}}, {"a": "1"}
    before = copy.deepcopy((config, checkpoint, metadata, new))
    saver.put(config, checkpoint, metadata, new)  # type: ignore[arg-type]
    assert (config, checkpoint, metadata, new) == before
    checkpoint["channel_values"]["a"].append(2)
    found = saver.get_tuple(at("t"))
    assert found is not None
    assert found.checkpoint["channel_values"] == {"a": [1]}
    found.checkpoint["channel_values"]["a"].append(3)
    again = saver.get_tuple(at("t"))
    assert again is not None
    assert again.checkpoint["channel_values"] == {"a": [1]}


@pytest.mark.parametrize("size", [0, 8_191, 8_192, 8_193, 9_016, 50_000])
def test_large_values_come_back_byte_by_byte(saver: GenomeSaver, size: int) -> None:
    value = bytes(range(256)) * (size // 256 + 1)
    put(saver, at("t"), {"a": value[:size], "b": value[:size]})
    found = saver.get_tuple(at("t"))
    assert found is not None
    assert found.checkpoint["channel_values"] == {"a": value[:size], "b": value[:size]}
    (listed,) = saver.list(at("t"))
    assert listed == found


# Bad input


def test_a_step_of_many_channels_and_writes_is_kept_whole(saver: GenomeSaver) -> None:
    values = {f"channel{number}": f"{number} " * (1 if number % 3 else 9_000) for number in range(40)}
    writes = [(f"channel{number}", number) for number in range(40)]
    config = put(saver, at("t"), values)
    saver.put_writes(config, writes, TASK)
    found = saver.get_tuple(config)
    assert found is not None
    assert found.checkpoint["channel_values"] == values
    assert found.pending_writes == [(TASK, channel, value) for channel, value in writes]
    saver.delete_thread("t")
    assert set(rows(saver).values()) == {0}


def test_a_database_that_others_keep_locked_is_an_error_of_this_package(tmp_path: Path) -> None:
    database = Database(tmp_path / "agent.db", timeout=0.1)
    saver = GenomeSaver(database)
    config = put(saver, at("t"), {"a": 1})
    with closing(sqlite3.connect(tmp_path / "agent.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="holds the write lock"):
            saver.put_writes(config, [("a", 2)], TASK)
        assert saver.get_tuple(config) is not None  # readers do not wait
    saver.put_writes(config, [("a", 2)], TASK)
    database.close()


def test_a_config_without_thread_or_checkpoint_says_what_is_missing(saver: GenomeSaver) -> None:
    with pytest.raises(InvalidInput, match="thread_id"):
        saver.get_tuple({"configurable": {}})
    with pytest.raises(InvalidInput, match="thread_id"):
        saver.put({}, make_checkpoint({}), {}, {})
    with pytest.raises(InvalidInput, match="checkpoint_id"):
        saver.put_writes(at("t"), [("a", 1)], TASK)


def test_a_value_that_cannot_be_stored_leaves_nothing_behind(saver: GenomeSaver) -> None:
    with pytest.raises(TypeError):
        put(saver, at("t"), {"a": 1, "lock": threading.Lock()})
    with pytest.raises(TypeError):
        saver.put_writes(at("t", "c"), [("a", 1), ("b", threading.Lock())], TASK)
    assert rows(saver) == dict.fromkeys(TABLES, 0)


def test_a_step_that_the_database_refuses_undoes_those_before(saver: GenomeSaver) -> None:
    checkpoint = make_checkpoint({"a": LARGE}, {"a": "1"})
    saver.setup()
    saver.database.write(lambda connection: connection.execute(sa.text("DROP TABLE langgraph_values")))
    with pytest.raises(RuntimeError):
        saver.put(at("t"), checkpoint, {}, {"a": "1"})
    with saver.database.read() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM langgraph_checkpoints")) == 0
        assert connection.scalar(sa.text("SELECT count(*) FROM langgraph_threads")) == 0


@pytest.mark.parametrize("text", ["half \ud83d", "nul \x00"])
def test_a_name_that_no_database_keeps_leaves_nothing_behind(saver: GenomeSaver, text: str) -> None:
    """K12-04: on PostgreSQL what stood before it in the same pipeline must not stay."""
    values = {"a": "x" * 50_000, text: 1}
    calls: list[Any] = [
        lambda: saver.put(at("t"), make_checkpoint(values), {}, dict.fromkeys(values, "1")),
        lambda: saver.put(at("t"), make_checkpoint({"a": 1}, {"a": "1", text: "1"}), {}, {"a": "1"}),
        lambda: saver.put(at(text), make_checkpoint({"a": 1}), {}, {"a": "1"}),
        lambda: saver.put(at("t", checkpoint_ns=text), make_checkpoint({"a": 1}), {}, {"a": "1"}),
        lambda: saver.put_writes(at("t", "c"), [("a", 1), (text, 2)], TASK),
        lambda: saver.put_writes(at("t", "c"), [("a", 1)], TASK, text),
        lambda: saver.set_ttl(text, None),
        lambda: saver.get_tuple(at(text)),
        lambda: list(saver.list(at(text))),
        lambda: list(saver.list(at("t", text))),
        lambda: list(saver.list(at("t", checkpoint_ns=text))),
        lambda: list(saver.list(at("t"), before=at("t", text))),
        lambda: saver.delete_thread(text),
        lambda: saver.delete_for_runs([text]),
        lambda: saver.copy_thread("t", text),
        lambda: saver.copy_thread(text, "t"),
        lambda: saver.prune(["t", text]),
    ]
    for call in calls:
        with pytest.raises(InvalidInput, match="clean_text"):
            call()
    assert rows(saver) == dict.fromkeys(TABLES, 0)
    put(saver, at("t"), {"a": 1})
    assert len(list(saver.list(None))) == 1


# Metadata


def test_metadata_that_is_not_json_is_kept_and_found(saver: GenomeSaver) -> None:
    message = AIMessage("hello", id="m1")
    put(saver, at("t"), {"a": 1}, writes={"node": {"messages": [message]}}, tenant="a")
    (found,) = saver.list(None, filter={"tenant": "a"})
    assert found.metadata["writes"] == {"node": {"messages": [message]}}  # type: ignore[typeddict-item]


def test_metadata_that_cannot_be_stored_is_dropped_with_a_warning(
    saver: GenomeSaver, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        put(saver, at("t"), {"a": 1}, lock=threading.Lock(), tenant="a")
    assert "lock" in caplog.text
    (found,) = saver.list(None, filter={"tenant": "a"})
    assert "lock" not in found.metadata


def test_metadata_takes_in_the_plain_entries_of_the_config_and_nothing_else(saver: GenomeSaver) -> None:
    config = at("t")
    config["metadata"] = {"user": "ann"}
    config["configurable"] |= {"assistant": "a1", "__pregel_runtime": object(), "nested": {"secret": 1}}
    put(saver, config, {"a": 1})
    (found,) = saver.list(at("t"))
    assert found.metadata == {
        "source": "loop", "step": 1, "parents": {}, "user": "ann", "assistant": "a1"
    }  # fmt: skip


# Listing


def test_list_takes_the_thread_the_namespace_the_id_a_filter_a_bound_and_a_limit(saver: GenomeSaver) -> None:
    ids: dict[str, list[str]] = {}
    for thread_id in ("t", "u"):
        config = at(thread_id)
        for step in range(4):
            config = put(saver, config, {"a": step}, step=step, tenant="ab"[step % 2], tags={"x": [step]})
            ids.setdefault(thread_id, []).append(config["configurable"]["checkpoint_id"])

    def steps(*arguments: Any, **options: Any) -> list[Any]:
        return [
            (one.config["configurable"]["thread_id"], one.metadata["step"]) for one in saver.list(*arguments, **options)
        ]

    assert steps(at("t")) == [("t", 3), ("t", 2), ("t", 1), ("t", 0)]
    assert steps(None) == [(thread_id, step) for thread_id in ("u", "t") for step in (3, 2, 1, 0)]
    assert steps(at("t", ids["t"][1])) == [("t", 1)]
    assert steps(None, filter={"tenant": "a"}) == [("u", 2), ("u", 0), ("t", 2), ("t", 0)]
    assert steps(at("t"), filter={"tenant": "a", "step": 2}) == [("t", 2)]
    assert steps(at("t"), filter={"tags": {"x": [1]}}) == [("t", 1)]
    assert steps(at("t"), filter={"missing": None}) == [("t", 3), ("t", 2), ("t", 1), ("t", 0)]
    assert steps(at("t"), filter={"tenant' OR 1=1 --": "a"}) == []
    assert steps(at("t"), before=at("t", ids["t"][2])) == [("t", 1), ("t", 0)]
    assert steps(at("t"), before=at("t")) == [("t", 3), ("t", 2), ("t", 1), ("t", 0)]
    assert steps(at("t"), before=at("t", ids["t"][3]), filter={"tenant": "a"}, limit=1) == [("t", 2)]
    assert steps(None, limit=0) == []
    assert steps(None, filter={"tenant": "a"}, limit=0) == []
    for limit in (-1, -100):
        with pytest.raises(ValueError, match="limit"):
            steps(None, limit=limit)


def test_list_may_be_abandoned_nested_and_written_under(saver: GenomeSaver) -> None:
    config = at("t")
    for step in range(5):
        config = put(saver, config, {"a": step}, step=step)
    next(saver.list(at("t")))
    seen = []
    for outer in saver.list(at("t")):
        inner = saver.get_tuple(outer.config)
        assert inner is not None
        saver.put_writes(outer.config, [("a", "noted")], TASK)
        assert len(list(saver.list(at("t"), before=outer.config))) == outer.metadata["step"]
        seen.append(inner.metadata["step"])
    assert seen == [4, 3, 2, 1, 0]


def test_list_reads_long_threads_page_by_page_and_skips_what_was_deleted(saver: GenomeSaver) -> None:
    config = at("t")
    for step in range(230):
        config = put(saver, config, {"a": step}, {"a": f"{step:04}"}, step=step)
    assert [one.checkpoint["channel_values"]["a"] for one in saver.list(at("t"))] == list(range(229, -1, -1))
    half_read = saver.list(at("t"))
    next(half_read)
    saver.delete_thread("t")
    assert len(list(half_read)) == 99


# Serializers


class Xor(CipherProtocol):
    """Not a cipher, but enough to see what passes through one."""

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        return "xor", bytes(byte ^ 0x55 for byte in plaintext)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        assert ciphername == "xor"
        return bytes(byte ^ 0x55 for byte in ciphertext)


def test_an_encrypting_serializer_leaves_nothing_of_the_state_in_clear(store_url: str) -> None:
    secret = "the-alarm-code-is-1234"
    with GenomeSaver(store_url, serde=EncryptedSerializer(Xor())) as saver:
        values = {"word": secret, "number": 987654321, "large": [secret] * 1000, "writes": {secret: True}}
        stored = put(saver, at("t"), values, note=secret, writes={"node": secret})
        saver.put_writes(stored, [("word", secret), ("__error__", secret)], TASK)

        found = saver.get_tuple(at("t"))
        assert found is not None
        assert found.checkpoint["channel_values"] == values
        assert found.metadata["note"] == secret  # type: ignore[typeddict-item]
        assert [value for *_, value in found.pending_writes or ()] == [secret, secret]
        assert len(list(saver.list(None, filter={"note": secret}))) == 1
        with saver.database.read() as connection:
            for table in TABLES:
                for row in connection.execute(sa.text(f"SELECT * FROM {table}")):
                    stored_text = repr([bytes(cell) if isinstance(cell, memoryview) else cell for cell in row])
                    assert secret not in stored_text
                    assert "987654321" not in stored_text
        assert rows(saver)["langgraph_chunks"] == 0


def test_rows_of_a_time_without_encryption_stay_readable(store_url: str, tmp_path: Path) -> None:
    engine = Database(store_url)
    put(GenomeSaver(engine), at("t"), {"a": ["x"] * 5000})
    with_cipher = GenomeSaver(engine, serde=EncryptedSerializer(Xor()))
    found = with_cipher.get_tuple(at("t"))
    assert found is not None
    assert found.checkpoint["channel_values"] == {"a": ["x"] * 5000}
    engine.close()


def test_a_serializer_with_plain_dumps_and_loads_works(store_url: str) -> None:
    class Repr:
        def dumps(self, obj: Any) -> bytes:
            return repr(obj).encode()

        def loads(self, data: bytes) -> Any:
            import ast

            return ast.literal_eval(data.decode())

    with GenomeSaver(store_url, serde=Repr()) as saver:  # type: ignore[arg-type]
        put(saver, at("t"), {"a": {"b": (1, 2)}})
        found = saver.get_tuple(at("t"))
        assert found is not None
        assert found.checkpoint["channel_values"] == {"a": {"b": (1, 2)}}


def test_a_clone_with_an_allowlist_shares_the_store(saver: GenomeSaver) -> None:
    saver.serde = JsonPlusSerializer(allowed_msgpack_modules=None)
    clone = saver.with_allowlist([("some.module", "Name")])
    assert clone is not saver
    put(saver, at("t"), {"a": 1})
    assert clone.get_tuple(at("t")) == saver.get_tuple(at("t"))


# Sync and async


async def test_sync_verbs_work_inside_a_running_loop(saver: GenomeSaver) -> None:
    stored = put(saver, at("t"), {"a": 1})
    saver.put_writes(stored, [("a", 2)], TASK)
    assert saver.get_tuple(at("t")) is not None
    assert len(list(saver.list(at("t")))) == 1
    saver.prune(["t"])
    saver.delete_thread("t")
    assert await saver.aget_tuple(at("t")) is None


def test_one_saver_serves_several_event_loops(saver: GenomeSaver) -> None:
    async def step(number: int) -> None:
        await saver.aput(at("t"), make_checkpoint({"a": number}), {}, {"a": "1"})
        assert len([one async for one in saver.alist(at("t"))]) == number + 1

    for number in range(3):
        asyncio.run(step(number))
    other = threading.Thread(target=asyncio.run, args=(step(3),))
    other.start()
    other.join()
    assert len(list(saver.list(at("t")))) == 4


def test_every_sync_verb_has_an_async_twin_with_the_same_parameters() -> None:
    import inspect

    verbs = [name for name in dir(BaseCheckpointSaver) if name.startswith("a") and hasattr(GenomeSaver, name[1:])]
    assert {"aget_tuple", "alist", "aput", "aput_writes", "aprune", "acopy_thread"} <= set(verbs)
    for name in [*verbs, "aprune_idle", "aset_ttl", "asweep_ttl"]:
        twin, verb = getattr(GenomeSaver, name), getattr(GenomeSaver, name[1:])
        assert inspect.signature(twin).parameters == inspect.signature(verb).parameters, name


async def test_abandoning_an_async_list_holds_nothing(saver: GenomeSaver) -> None:
    for step in range(3):
        put(saver, at("t"), {"a": step})
    async for _ in saver.alist(at("t")):
        await saver.adelete_thread("t")
        break
    assert rows(saver) == dict.fromkeys(TABLES, 0)


def test_threads_write_at_once_without_losing_anything(saver: GenomeSaver) -> None:
    def work(thread_id: str) -> None:
        config = at(thread_id)
        for step in range(10):
            config = put(saver, config, {"a": LARGE[step:]}, {"a": str(step)})
            saver.put_writes(config, [("a", step)], TASK)

    workers = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert rows(saver) | {"langgraph_chunks": 0} == {
        "langgraph_threads": 8,
        "langgraph_checkpoints": 80,
        "langgraph_values": 80,
        "langgraph_chunks": 0,
        "langgraph_writes": 80,
    }
