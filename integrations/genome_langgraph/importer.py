"""Takes over what LangGraph's official SQLite saver and store have written: threads with their writes, and items."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ormsgpack
import sqlalchemy as sa
from langgraph.checkpoint.base import ChannelVersions, Checkpoint
from langgraph.checkpoint.serde.jsonplus import EXT_DELTA_SNAPSHOT, JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.store.base import IndexConfig, PutOp

from genome_core import Memory, Record
from genome_core.errors import InvalidInput
from genome_core.importing.moving import sqlite_file, utc
from genome_core.storage.moments import from_micros
from genome_core.storage.reading import ExportedRecord
from genome_core.transfer import write_file
from genome_langgraph.checkpoint_tables import threads
from genome_langgraph.saver import GenomeSaver
from genome_langgraph.store import GenomeStore

_TABLES = ("checkpoints", "writes", "store")
_WRITES = 1000  # rows that are saved at a time


@dataclass(frozen=True, slots=True)
class Imported:
    """How much a file held."""

    threads: int
    checkpoints: int
    writes: int
    items: int
    left_out: Mapping[str, int] | None = None
    """How much was left out, by why."""


def import_sqlite(path: str | os.PathLike[str], memory: Memory, *, index: IndexConfig | None = None) -> Imported:
    """Copies the threads and items of a file of ``SqliteSaver`` and ``SqliteStore`` (or their async twins) into a memory.

    The file is opened for reading only and read as it is at one moment, so that its graphs may go on. All of it is checked
    before anything is written. Ids and times are kept, and classes need not be importable: objects are copied as they
    were written. ``index`` says which fields of the items are found by meaning, as for ``GenomeStore``; vectors are made
    anew. Items that have expired are left out. Importing again brings back the file's state of the ids that it holds.

    Raises ``NotFound``, ``NotADatabase``, or ``InvalidInput`` for a file without such tables and for encrypted or pickled
    checkpoints.
    """
    with sqlite_file(Path(path), _TABLES, "a file of SqliteSaver or SqliteStore") as source:
        store = GenomeStore(memory, index=index)
        for _ in _checkpoints(source):
            pass  # what can not be read raises here, before anything is written
        with TemporaryDirectory() as folder:
            file = Path(folder) / "items.jsonl"
            items = write_file(
                file, (ExportedRecord(one, None, embedded=True, facts=()) for one in _items(source, store))
            )
            if items:  # otherwise no embedder is needed
                memory.import_(file)
        threads, checkpoints = _import_threads(source, memory)
        expired = _count_items(source) - items
        left_out = {"expired": expired} if expired else None
        return Imported(threads, checkpoints, _import_writes(source, memory), items, left_out)


def _columns(source: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table; none if there is no such table."""
    return {row["name"] for row in source.execute("SELECT name FROM pragma_table_info(?)", (table,))}


# --- threads ---------------------------------------------------------------------------------------------------------


class _AsWritten(JsonPlusSerializer):
    """LangGraph's serializer, but objects stay in the form in which they were written and need no class."""

    def __init__(self) -> None:
        super().__init__()
        self._unpack_ext_hook = _keep


def _keep(code: int, data: bytes) -> Any:
    if code == EXT_DELTA_SNAPSHOT:  # the saver must see which values are snapshots
        return _DeltaSnapshot(ormsgpack.unpackb(data, ext_hook=_keep, option=ormsgpack.OPT_NON_STR_KEYS))
    return ormsgpack.Ext(code, data)


_SERDE = _AsWritten()


@dataclass(frozen=True, slots=True)
class _Saved:
    """A checkpoint of the file."""

    thread_id: str
    checkpoint_ns: str
    parent_id: str | None
    checkpoint: Checkpoint
    metadata: Any
    at: datetime


def _checkpoints(source: sqlite3.Connection) -> Iterator[_Saved]:
    """Thread by thread, and in each namespace the oldest first; raises ``InvalidInput`` for one that can not be read."""
    if not _columns(source, "checkpoints"):
        return
    for row in source.execute("SELECT * FROM checkpoints ORDER BY thread_id, checkpoint_ns, checkpoint_id"):
        try:
            checkpoint = _numbered(_SERDE.loads_typed((row["type"], row["checkpoint"])))
            metadata = json.loads(row["metadata"]) if row["metadata"] else {}
            at = utc(checkpoint["ts"])
        except (ValueError, TypeError, KeyError, AttributeError, NotImplementedError) as error:
            raise InvalidInput(
                f"checkpoint {row['checkpoint_id']} of thread {row['thread_id']!r} can not be read: {error!r}",
                hint="encrypted and pickled threads can not be imported; nothing was written",
            ) from error
        yield _Saved(row["thread_id"], row["checkpoint_ns"], row["parent_checkpoint_id"], checkpoint, metadata, at)


def _numbered(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint with versions that are text, where they were numbers: the runtime compares them with new ones."""
    seen = {node: _as_text(versions) for node, versions in checkpoint["versions_seen"].items()}
    return {**checkpoint, "channel_versions": _as_text(checkpoint["channel_versions"]), "versions_seen": seen}


def _as_text(versions: ChannelVersions) -> ChannelVersions:
    return {
        channel: version if isinstance(version, str) else f"{int(version):032}.0"
        for channel, version in versions.items()
    }


class _Values:
    """Which value each version of a channel stands for, in one namespace of a thread.

    The official savers store all values with each checkpoint. So one version may stand for several: of branches that
    count alike, or of a value that was changed in place. ``GenomeSaver`` stores a value once per version.
    """

    def __init__(self) -> None:
        self._digests: dict[tuple[str, Any], bytes] = {}

    def settle(self, checkpoint: Checkpoint) -> tuple[Checkpoint, ChannelVersions]:
        """The checkpoint with versions that stand for one value each, and those that were not met before."""
        versions: ChannelVersions = {}
        new: ChannelVersions = {}
        for channel, version in checkpoint["channel_versions"].items():
            digest = _digest(checkpoint, channel)
            if self._digests.get((channel, version), digest) != digest:
                # Sorts below every other version of this number: who has seen that one need not run again.
                version = f"{str(version).split('.', 1)[0]}.-{digest.hex()}"
            versions[channel] = version
            if (channel, version) not in self._digests:
                self._digests[channel, version] = digest
                new[channel] = version
        return {**checkpoint, "channel_versions": versions}, new


def _digest(checkpoint: Checkpoint, channel: str) -> bytes:
    """What tells the values of a channel apart; an empty channel has none."""
    if channel not in checkpoint["channel_values"]:
        return b""
    return hashlib.blake2b(_SERDE.dumps_typed(checkpoint["channel_values"][channel])[1], digest_size=8).digest()


class _SavedAt:
    """The clock of a saver that stores what was saved long ago."""

    moment = datetime.min.replace(tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment


def _import_threads(source: sqlite3.Connection, memory: Memory) -> tuple[int, int]:
    """Returns how many threads and checkpoints there were. A thread counts as idle since its latest checkpoint."""
    clock = _SavedAt()
    saver = GenomeSaver(memory, serde=_SERDE, clock=clock)
    saver.setup()
    count = 0
    saved_at: dict[str, datetime] = {}
    for (thread_id, checkpoint_ns), saved in groupby(
        _checkpoints(source), lambda one: (one.thread_id, one.checkpoint_ns)
    ):
        values = _Values()
        saved_at.setdefault(thread_id, _saved_at(memory, thread_id))
        for one in saved:
            clock.moment = saved_at[thread_id] = max(saved_at[thread_id], one.at)
            checkpoint, new = values.settle(one.checkpoint)
            parent = {"thread_id": thread_id, "checkpoint_ns": checkpoint_ns, "checkpoint_id": one.parent_id}
            owner = {name: one.metadata[name] for name in ("user_id", "agent_id") if name in one.metadata}
            saver.put({"configurable": parent | owner}, checkpoint, one.metadata, new)
            count += 1
    return len(saved_at), count


def _saved_at(memory: Memory, thread_id: str) -> datetime:
    """When the memory's own thread of this name was saved last: if it has gone on, it stays as young as it is."""
    with memory.database.read() as connection:
        micros = connection.scalar(sa.select(threads.c.saved_at).where(threads.c.thread_id == thread_id))
    return from_micros(micros or 0)


def _import_writes(source: sqlite3.Connection, memory: Memory) -> int:
    """Copies the writes as they are, in order; those that belong to no checkpoint yet too."""
    columns = _columns(source, "writes")
    if not columns:
        return 0
    task_path = "task_path" if "task_path" in columns else "'' AS task_path"
    rows = source.execute(
        f"SELECT thread_id, checkpoint_ns, checkpoint_id, task_id, idx, {task_path}, channel, type, value AS data"  # noqa: S608
        " FROM writes ORDER BY thread_id, checkpoint_ns, checkpoint_id, task_id, idx"
    )
    saver = GenomeSaver(memory)
    count = 0
    while batch := rows.fetchmany(_WRITES):
        saver.put_stored_writes({**row, "data": row["data"] or b""} for row in map(dict, batch))
        count += len(batch)
    return count


# --- items -----------------------------------------------------------------------------------------------------------


def _count_items(source: sqlite3.Connection) -> int:
    there = bool(_columns(source, "store"))
    return int(source.execute("SELECT count(*) FROM store").fetchone()[0]) if there else 0


def _items(source: sqlite3.Connection, store: GenomeStore) -> Iterator[Record]:
    """The items that have not expired, with their times."""
    if not _columns(source, "store"):
        return
    now = store.memory.now()
    for row in map(dict, source.execute("SELECT * FROM store ORDER BY prefix, key")):
        try:
            expires_at = utc(row["expires_at"]) if row.get("expires_at") else None
            op = PutOp(
                tuple(row["prefix"].split(".")), row["key"], json.loads(row["value"]), ttl=row.get("ttl_minutes")
            )
            created_at, updated_at = utc(row["created_at"]), utc(row["updated_at"])
            record = store.record(op)
        except (ValueError, TypeError) as error:
            raise InvalidInput(
                f"item {row['key']!r} of {row['prefix']!r} can not be taken: {error}", hint="nothing was written"
            ) from error
        if expires_at is None or expires_at > now:
            times = replace(record, at=updated_at, created_at=created_at, updated_at=updated_at)
            yield replace(times, expires_at=expires_at, version=1)
