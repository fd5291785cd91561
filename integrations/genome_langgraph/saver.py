"""``GenomeSaver``: LangGraph's checkpointer on GENOME's database."""

from __future__ import annotations

import asyncio
import builtins
import json
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import sqlalchemy as sa
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from sqlalchemy.engine import URL, Connection, Engine

from genome_core.errors import InvalidInput
from genome_core.protocols import Clock
from genome_core.storage.database import Database
from genome_langgraph import checkpoint_retention as retention
from genome_langgraph.async_saver import AsyncVerbs
from genome_langgraph.checkpoint_codec import (
    Key,
    StoredCheckpoint,
    config_of,
    dump_checkpoint,
    dump_writes,
    required,
    stored_checkpoints,
)
from genome_langgraph.checkpoint_history import delta_history, latest_id
from genome_langgraph.checkpoint_owners import delete_threads, owner
from genome_langgraph.checkpoint_places import Placed
from genome_langgraph.checkpoint_search import matching_keys
from genome_langgraph.checkpoint_sql import STATEMENTS
from genome_langgraph.checkpoint_tables import SCHEMA, threads
from genome_langgraph.quick import Row, check_parameters, quick_lane
from genome_langgraph.serializer import CheckpointSerializer

if TYPE_CHECKING:
    from genome_core import Memory

T = TypeVar("T")

_PAGE = 100  # checkpoints that ``list`` loads at a time
_AT_ONCE = 4  # async readers, and writers, of a loop on PostgreSQL; SQLite has one writer anyway
_LOOKS = 5  # at a checkpoint whose pieces vanish while it is read


class GenomeSaver(AsyncVerbs):
    """Keeps the checkpoints of LangGraph threads in SQLite or PostgreSQL, for sync and async graphs alike.

    ``store`` is a path of a SQLite file, ``":memory:"``, a database URL, a SQLAlchemy ``Engine``, or a ``Database`` or
    ``Memory`` whose database the checkpoints shall share. The tables are created at the first call. The saver may be
    used from any thread and any event loop, and after ``os.fork``; ``close`` closes only what it opened.

    ``ttl`` is how long a thread stays without a new checkpoint before ``sweep_ttl`` removes it; ``None`` keeps it for
    ever, and ``set_ttl`` decides for one thread. ``serde`` is LangGraph's serializer, also for metadata: with an
    ``EncryptedSerializer`` only ids, namespaces, channel names, versions and times are readable in the database.

    ::

        with GenomeSaver("agent.db") as saver:
            graph = builder.compile(checkpointer=saver)

    Raises ``InvalidInput`` (a ``ValueError``) for a config without ``thread_id``, a negative limit, an unknown strategy;
    ``StorageError`` if the database refuses.
    """

    def __init__(
        self,
        store: str | os.PathLike[str] | URL | Engine | Database | Memory,
        *,
        serde: SerializerProtocol | None = None,
        ttl: timedelta | None = None,
        clock: Clock = lambda: datetime.now(UTC),
    ) -> None:
        shared = store if isinstance(store, Database) else getattr(store, "database", None)
        self._owns_database = not isinstance(shared, Database)
        self.database = shared if isinstance(shared, Database) else Database(cast(Any, store))
        at_once = _AT_ONCE if self.database.is_postgres else 1
        super().__init__(serde=serde or CheckpointSerializer(), at_once=at_once)
        self.ttl = ttl
        self._clock = clock
        self._sql = STATEMENTS[self.database.dialect]
        self._lane = quick_lane(self.database)
        self._installed = False

    @classmethod
    def from_conn_string(cls, conn_string: str) -> GenomeSaver:
        """``GenomeSaver(conn_string)``, spelt as in the official savers; works with ``with`` and ``async with``."""
        return cls(conn_string)

    def setup(self) -> None:
        """Creates the tables. Not needed: every method does so when they are missing."""
        self.database.install(SCHEMA)
        self._installed = True

    def close(self) -> None:
        """Waits for async calls that were begun, and closes the database if this saver opened it."""
        self._threads.close()
        if self._owns_database:
            self.database.close()

    def __deepcopy__(self, _memo: dict[int, Any]) -> GenomeSaver:
        """Itself: a copy of a graph goes on with the same threads."""
        return self

    def __enter__(self) -> GenomeSaver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> GenomeSaver:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that ``config`` names, or the latest of its thread and namespace; ``None`` if there is none."""
        look, load = self._get_tuple(config)
        return load(look())

    def _get_tuple(self, config: RunnableConfig) -> tuple[Callable[[], Any], Callable[[Any], CheckpointTuple | None]]:
        thread_id, checkpoint_ns = _place(config)
        place = {"thread_id": str(thread_id), "checkpoint_ns": checkpoint_ns}
        if checkpoint_id := get_checkpoint_id(config):
            place["checkpoint_id"] = checkpoint_id
        check_parameters(place)

        def look() -> tuple[Mapping[int, StoredCheckpoint], Mapping[str, bytes]]:
            self._ensure_tables()
            return self._stored(partial(self._lane.fetch_checkpoint, self._sql, place), [str(thread_id)])

        def load(stored: tuple[Mapping[int, StoredCheckpoint], Mapping[str, bytes]]) -> CheckpointTuple | None:
            found, pieces = stored
            return found[0].load(self.serde, thread_id, checkpoint_ns, pieces) if found else None

        return look, load

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first.

        ``config`` of ``None`` means all threads; without ``checkpoint_ns`` all namespaces of the thread. ``filter``
        compares metadata: every key given must be equal, a missing key equals ``None``. ``before`` restricts to ids
        strictly below its ``checkpoint_id``. What matches is decided now; the iterator loads it page by page, holds no
        connection in between, and may be abandoned or nested.
        """
        if limit is not None and limit < 0:
            raise InvalidInput(f"limit is {limit}", hint="give a number from 0, or None for all")
        found = self._read(lambda connection: matching_keys(connection, self.serde, config, filter, before, limit))
        return self._load(iter(found))

    def _load(self, keys: Iterator[Key]) -> Iterator[CheckpointTuple]:
        while page := builtins.list(islice(keys, _PAGE)):
            threads_of_page = [thread_id for thread_id, _, _ in page]
            look = partial(self._fetch, self._sql.by_keys, {"keys": json.dumps(page)})
            found, pieces = self._stored(look, threads_of_page)
            for position, (thread_id, checkpoint_ns, _) in enumerate(page):
                if position in found:  # otherwise it was deleted meanwhile
                    yield found[position].load(self.serde, thread_id, checkpoint_ns, pieces)

    def _stored(
        self, look: Callable[[], Sequence[Row]], thread_ids: Sequence[str]
    ) -> tuple[Mapping[int, StoredCheckpoint], Mapping[str, bytes]]:
        """The checkpoints by position, of which each has a thread, and the pieces of their large values by digest."""
        for _ in range(_LOOKS):
            found = stored_checkpoints(look())
            keys = {(thread_ids[position], digest) for position, one in found.items() for digest in one.digests}
            rows = self._fetch(self._sql.chunks, {"keys": json.dumps(sorted(keys))}) if keys else ()
            if len(rows) == len(keys):
                break  # otherwise some were deleted between the two looks
        return found, {digest: data for _, digest, data in rows}

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Stores a checkpoint and the values of the channels in ``new_versions``; the same id again replaces it."""
        save, saved = self._put(config, checkpoint, metadata, new_versions)
        save()
        return saved

    def _put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> tuple[Callable[[], None], RunnableConfig]:
        thread_id, checkpoint_ns = _place(config)
        versions = checkpoint["channel_versions"]
        shared = {"thread_id": str(thread_id), "checkpoint_ns": checkpoint_ns, "saved_at": self._now()}
        inside_json = {  # NUL would be stored there
            "the name of a channel": "".join(versions),
            "the version of a channel": "".join(map(str, versions.values())),
        }
        check_parameters(shared, inside_json)
        placed = Placed(self.serde, holds=not self.database.is_postgres)
        placed.place_all(checkpoint, new_versions)
        head = dump_checkpoint(self.serde, config, checkpoint, metadata, placed)
        thread = {"owner": owner(config["configurable"])}
        check_parameters(head)

        def save() -> None:
            self._ensure_tables()
            self._lane.put(self._sql, shared, thread, head, placed)

        return save, config_of(thread_id, checkpoint_ns, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Stores what a task wrote. A repeated write is ignored; an error, interrupt or resume value replaces."""
        self._put_writes(config, writes, task_id, task_path)()

    def _put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> Callable[[], None]:
        thread_id, checkpoint_ns = _place(config)
        place = {
            "thread_id": str(thread_id),
            "checkpoint_ns": checkpoint_ns,
            "checkpoint_id": required(config, "checkpoint_id"),
            "task_id": task_id,
            "task_path": task_path,
        }
        rows = dump_writes(self.serde, writes)
        check_parameters(place, *rows)
        return partial(self._save, self._sql.save_write, place, rows)

    def put_stored_writes(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Stores rows of the table of writes as they are, in one transaction: for importers."""
        ready = list(rows)
        check_parameters(*ready)
        self._save(self._sql.save_write, {}, ready)

    def delete_thread(self, thread_id: str) -> None:
        """Deletes everything of a thread in all its namespaces; unknown threads are ignored."""
        thread_ids = _ids("thread_id", [thread_id])
        self._write(lambda connection: delete_threads(connection, thread_ids))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Deletes the checkpoints whose metadata names one of the runs, with their writes and values.

        A checkpoint that follows a deleted one is left without a parent. Raises ``InvalidInput``, before anything is
        deleted, if the ``DeltaChannel`` of a remaining checkpoint is rebuilt from what would go.
        """
        runs = _ids("run_ids", run_ids)
        self._write(lambda connection: retention.delete_for_runs(connection, self.serde, runs))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copies every checkpoint, value and write of a thread into a new one; an unknown source is ignored.

        Raises ``InvalidInput`` if the target has checkpoints already.
        """
        source, target = _ids("thread_id", [source_thread_id, target_thread_id])
        if source != target:
            self._write(lambda connection: retention.copy_thread(connection, source, target))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Deletes old checkpoints of the threads; one transaction per thread.

        ``"delete"`` removes the threads. ``"keep_latest"`` keeps, in each namespace, the latest checkpoint with its
        values and writes, and of its ancestors those from which a ``DeltaChannel`` is rebuilt. The namespaces of a
        finished subgraph call go with the root checkpoint that the call started from.
        """
        prune = retention.pruning(self.serde, strategy)
        for thread_id in _ids("thread_ids", thread_ids):
            self._write(partial(prune, thread_id=thread_id))

    def prune_idle(self, older_than: timedelta, *, strategy: str = "delete") -> int:
        """Prunes the threads that saved no checkpoint for ``older_than``; returns how many there were."""
        return self._prune_where(retention.idle_since(self._now() - _microseconds(older_than)), strategy)

    def set_ttl(self, thread_id: str, ttl: timedelta | None) -> None:
        """Gives a thread its own time to live, counted from its latest checkpoint; ``None``: the saver's again."""
        microseconds = None if ttl is None else _microseconds(ttl)
        row = {"saved_at": self._now(), "ttl": microseconds}
        thread = {"thread_id": str(thread_id)}
        check_parameters(thread)
        self._save(self._sql.save_ttl, thread, [row])

    def sweep_ttl(self) -> int:
        """Deletes the threads whose time to live is over; returns how many there were."""
        default = None if self.ttl is None else _microseconds(self.ttl)
        return self._prune_where(retention.expired_at(self._now(), default), "delete")

    async def aprune_idle(self, older_than: timedelta, *, strategy: str = "delete") -> int:
        return await self._threads.run(partial(self.prune_idle, older_than, strategy=strategy))

    async def aset_ttl(self, thread_id: str, ttl: timedelta | None) -> None:
        await self._threads.run(partial(self.set_ttl, thread_id, ttl))

    async def asweep_ttl(self) -> int:
        return await self._threads.run(partial(self.sweep_ttl))

    def _prune_where(self, condition: sa.ColumnElement[bool], strategy: str) -> int:
        prune = retention.pruning(self.serde, strategy)
        chosen = sa.select(threads.c.thread_id).where(condition).order_by(threads.c.thread_id)
        thread_ids = self._read(lambda connection: connection.scalars(chosen).all())
        return sum(self._write(retention.prune_if(condition, prune, thread_id)) for thread_id in thread_ids)

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What was written to the channels along the ancestors of a checkpoint since their last stored value."""
        if not channels:
            return {}
        thread_id, checkpoint_ns = _place(config)
        place = (str(thread_id), checkpoint_ns)
        check_parameters({"thread_id": place[0], "checkpoint_ns": checkpoint_ns})
        return self._read(
            lambda connection: delta_history(
                connection,
                self.serde,
                (*place, get_checkpoint_id(config) or latest_id(connection, *place)),
                channels,
            )
        )

    def get_next_version(self, current: str | None, channel: None) -> str:
        """A greater version that no other branch of the thread gets: the values of forks must not be confused."""
        number = 0 if current is None else int(str(current).split(".", 1)[0])
        return f"{number + 1:032}.{random.random():016}"  # noqa: S311

    def _fetch(self, sql: str, parameters: Mapping[str, Any]) -> Sequence[Row]:
        self._ensure_tables()
        return self._lane.fetch(sql, parameters)

    def _save(self, sql: str, shared: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
        self._ensure_tables()
        if rows:
            self._lane.save(sql, shared, rows)

    def _read(self, look: Callable[[Connection], T]) -> T:
        self._ensure_tables()
        with self.database.read() as connection:
            return look(connection)

    def _write(self, work: Callable[[Connection], T]) -> T:
        self._ensure_tables()
        return self.database.write(work)

    def _ensure_tables(self) -> None:
        if not self._installed:
            self.setup()

    def _now(self) -> int:
        return _microseconds(self._clock() - _EPOCH)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


_MICROSECOND = timedelta(microseconds=1)


def _microseconds(duration: timedelta) -> int:
    return duration // _MICROSECOND


def _place(config: RunnableConfig) -> tuple[Any, str]:
    """The thread, as the caller spelt it, and the namespace."""
    return required(config, "thread_id"), config["configurable"].get("checkpoint_ns") or ""


def _ids(name: str, ids: Sequence[str]) -> builtins.list[str]:
    if isinstance(ids, str):
        raise TypeError(f"{name} must be a sequence of ids, not a str")
    texts = [str(id_) for id_ in ids]
    check_parameters(*({name: text} for text in texts))
    return texts
