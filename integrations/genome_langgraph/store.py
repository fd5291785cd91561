"""``GenomeStore``: LangGraph's long-term memory on the engine of ``genome_core``."""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    NamespacePath,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)
from numpy.typing import NDArray
from sqlalchemy.engine import URL, Engine

from genome_core import Hit, Memory, Record
from genome_core.errors import InvalidInput, StorageError
from genome_core.facts.answers import Answer
from genome_core.facts.log import Window
from genome_core.inputs import clean_text, expiry, plain_json
from genome_core.scopes import checked_id
from genome_core.search.question import question_vector
from genome_langgraph.store_filters import translated
from genome_langgraph.store_index import configured_embedder, indexed_paths, paths, texts_at
from genome_langgraph.store_sweeper import Sweeper
from genome_langgraph.together import Together

Namespace = tuple[str, ...]
QueryVector = NDArray[np.float32]
Batch = tuple[Sequence[Op], Mapping[str, QueryVector]]
"""Operations, and the vectors of their queries where they are known already."""

_MINUTES = "langgraph_ttl_minutes"
"""The metadata key under which an item keeps the time to live that a read renews."""

_ORIGIN = "agent"
"""Of what a graph puts, whatever its value says of itself, and who deletes."""


class GenomeStore(BaseStore):
    """A drop-in ``BaseStore`` for sync and async graphs, on SQLite and PostgreSQL.

    ``memory`` is a ``Memory`` (which stays the caller's) or what ``Memory`` takes as its store. ``index`` is LangGraph's
    ``IndexConfig``: ``fields`` says what is found by meaning (by default the whole value), ``embed`` brings another embedder
    than the engine's own. With ``index=False`` nothing is embedded and queries do not rank, as in LangGraph's own stores
    without an index. ``facts`` names paths whose texts are read for facts in time. ``ttl`` is LangGraph's ``TTLConfig``;
    what has expired is never shown, swept or not.

    The methods keep no event loop and may be called from any thread, inside a running loop too. They raise ``TypeError``
    for a value that is not JSON, ``InvalidNamespaceError`` and ``InvalidInput`` (all before anything is done), ``StorageError``.
    """

    supports_ttl = True
    __slots__ = (
        "_facts",
        "_owns_memory",
        "_paths",
        "_reads",
        "_sweeper",
        "_writes",
        "index_config",
        "memory",
        "ttl_config",
    )

    def __init__(
        self,
        memory: Memory | str | os.PathLike[str] | URL | Engine = "memory.db",
        *,
        index: IndexConfig | Literal[False] | None = None,
        facts: Sequence[str] = (),
        ttl: TTLConfig | None = None,
    ) -> None:
        self.index_config = index or None
        embedder = configured_embedder(self.index_config)
        self._owns_memory = not isinstance(memory, Memory)
        if isinstance(memory, Memory):
            if embedder is not None:
                raise InvalidInput("the memory has an embedder of its own", hint="leave index['embed'] out")
            self.memory = memory
        else:
            self.memory = Memory(memory, embedder=embedder)
        self._paths = None if index is False else indexed_paths(index)
        self._facts = paths(facts)
        self.ttl_config = ttl
        self._sweeper: Sweeper | None = None
        self._writes, self._reads = Together(self._outcomes), Together(self._outcomes)

    @classmethod
    def from_conn_string(
        cls, conn_string: str, *, index: IndexConfig | Literal[False] | None = None, ttl: TTLConfig | None = None
    ) -> Self:
        """``GenomeStore(conn_string)``, spelt as in the official stores; works with ``with`` and ``async with``."""
        return cls(conn_string, index=index, ttl=ttl)

    def setup(self) -> None:
        """Nothing to do: the tables are made when the store is opened."""

    # --- LangGraph's interface ---------------------------------------------------------------------------------------

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carries the operations out: reads first, as they were before the batch, then all puts in one transaction.

        Of several puts to one key the last counts. Raises before anything is done if an operation can not be.
        """
        return self._results([(list(ops), {})])[0]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """``batch`` in worker threads. Batches that wait at the same time are carried out together, their puts in one transaction."""
        todo = list(ops)
        if any(isinstance(op, PutOp) for op in todo):
            return await self._writes((todo, {}))
        asked = [op.query for op in todo if isinstance(op, SearchOp) and op.query and self._ranks(op)]
        return await self._reads((todo, await asyncio.to_thread(self._vectors, asked) if asked else {}))

    def _results(self, batches: Sequence[Batch]) -> list[list[Result]]:
        """The results of each of some batches, whose operations are carried out as if they were of one."""
        puts = self._checked_puts([op for ops, _ in batches for op in ops])
        results: list[list[Result]] = []
        shown: list[Record] = []
        for ops, vectors in batches:
            read = [self._read(op, vectors) for op in ops]
            results.append([result for result, _ in read])
            shown += [
                record for op, (_, records) in zip(ops, read, strict=True) if self._renews(op) for record in records
            ]
        self._renew(shown)
        if puts:
            kept = [record for record in puts.values() if record is not None]
            gone = [place for place, record in puts.items() if record is None]
            self.memory.write(kept, gone, origin=_ORIGIN)
        return results

    def _outcomes(self, batches: Sequence[Batch]) -> Sequence[list[Result] | Exception]:
        """The results of each batch, or what it raised: what is wrong with one is no other's concern."""
        try:
            return self._results(batches)
        except Exception as error:  # noqa: BLE001 -- handed to whose batch it is
            if len(batches) == 1 or isinstance(error, StorageError):
                return [error] * len(batches)
        return [self._outcomes([batch])[0] for batch in batches]

    def _checked_puts(self, ops: Sequence[Op]) -> dict[tuple[Namespace, str], Record | None]:
        puts: dict[tuple[Namespace, str], Record | None] = {}
        for op in ops:
            validate_op_namespace(op)
            _check_labels(op)
            if isinstance(op, SearchOp | ListNamespacesOp) and (op.limit < 0 or op.offset < 0):
                raise InvalidInput(f"limit is {op.limit}, offset {op.offset}", hint="give 0 or more")
            if isinstance(op, PutOp):
                if not op.namespace:
                    raise InvalidNamespaceError("Namespace cannot be empty.")
                place = (tuple(op.namespace), checked_id(str(op.key)))
                puts.pop(place, None)
                puts[place] = None if op.value is None else self.record(op)
            elif not isinstance(op, GetOp | SearchOp | ListNamespacesOp):
                raise ValueError(f"unknown operation {type(op).__name__}")
        return puts

    def record(self, op: PutOp) -> Record:
        """The record that a put makes; raises ``TypeError`` for a value that is not JSON."""
        try:
            value = plain_json(dict(op.value or {}), "value")
        except InvalidInput as error:
            raise TypeError(str(error)) from error
        said = texts_at(value, self._facts)
        return Record(
            text="\n".join(said or texts_at(value, ["$"])),
            id=str(op.key),
            namespace=tuple(op.namespace),
            role="user" if said else "document",
            origin=_ORIGIN,
            value=value,
            metadata={} if op.ttl is None else {_MINUTES: float(op.ttl)},
            index=self._texts(op, value),
            at=self.memory.now(),  # a put is news even if it changes nothing
            expires_at=expiry(self.memory.now(), None if op.ttl is None else float(op.ttl) * 60),
        )

    def _texts(self, op: PutOp, value: Any) -> tuple[str, ...]:
        if op.index is False or self._paths is None:
            return ()
        return texts_at(value, self._paths if op.index is None else paths(op.index))

    def _read(self, op: Op, vectors: Mapping[str, QueryVector]) -> tuple[Result, list[Record]]:
        """The result of an operation, and the records that it showed."""
        if isinstance(op, GetOp):
            record = self.memory.get(str(op.key), namespace=op.namespace, exact=True)
            return (_item(record), [record]) if record else (None, [])
        if isinstance(op, SearchOp):
            found = self._search(op, vectors)
            return [_search_item(record, score) for record, score in found], [record for record, _ in found]
        return (self._list(op) if isinstance(op, ListNamespacesOp) else None), []

    def _ranks(self, op: SearchOp) -> bool:
        return self._paths is not None and bool(op.query and op.query.strip())

    def _vectors(self, queries: Sequence[str]) -> dict[str, QueryVector]:
        """Of the words as they stand: a store's query is no question about time or speakers."""
        return {query: question_vector(clean_text(query), self.memory.embedder) for query in queries}

    def _search(self, op: SearchOp, vectors: Mapping[str, QueryVector]) -> list[tuple[Record, float | None]]:
        filter = {"$value": translated(op.filter)} if op.filter else None
        most = op.offset + op.limit
        if op.query and self._ranks(op):
            vector = (vectors or self._vectors([op.query]))[op.query]
            hits = self.memory.search(
                "", vector=vector, namespace=op.namespace_prefix, filter=filter, limit=most, mode="dense"
            )
            return [(hit.record, hit.score) for hit in hits[op.offset :]]
        page = self.memory.get_all(namespace=op.namespace_prefix, filter=filter, limit=most, newest_first=True)
        return [(record, None) for record in page.records[op.offset :]]

    def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        if op.max_depth is not None and op.max_depth < 1:
            raise InvalidInput(f"max_depth is {op.max_depth}", hint="give 1 or more, or None")
        conditions = op.match_conditions or ()
        if unknown := {condition.match_type for condition in conditions} - {"prefix", "suffix"}:
            raise InvalidInput(f"unknown match types {sorted(unknown)}", hint="'prefix' or 'suffix'")
        prefix = next((_literal_start(one.path) for one in conditions if one.match_type == "prefix"), ())
        found = self.memory.namespaces(namespace=prefix)
        for condition in conditions:
            if condition.match_type == "suffix" or tuple(condition.path) != prefix:  # which the memory has looked for
                found = _matching(condition, found)
        if op.max_depth is not None:
            found = sorted({namespace[: op.max_depth] for namespace in found})
        return found[op.offset : op.offset + op.limit]

    def _renews(self, op: Op) -> bool:
        """Whether the operation and the configuration want a read to give an item its whole time to live again."""
        wanted = isinstance(op, GetOp | SearchOp) and op.refresh_ttl
        return wanted and (self.ttl_config or {}).get("refresh_on_read", True)

    def _renew(self, records: Sequence[Record]) -> None:
        alike: dict[tuple[Namespace, float], list[Record]] = {}
        for record in records:
            if _MINUTES in record.metadata:
                alike.setdefault((record.namespace, float(record.metadata[_MINUTES])), []).append(record)
        for (namespace, minutes), read in alike.items():
            self.memory.renew(read, minutes * 60, namespace=namespace, exact=True)

    # --- expiry ------------------------------------------------------------------------------------------------------

    def sweep_ttl(self) -> int:
        """Deletes what has expired (no read shows it any more); returns how many items."""
        return self.memory.sweep()

    async def asweep_ttl(self) -> int:
        """``sweep_ttl`` in a worker thread."""
        return await asyncio.to_thread(self.sweep_ttl)

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> concurrent.futures.Future[None]:
        """Sweeps every so many minutes (by default as configured, else 5) in a thread of its own; starting twice is fine."""
        if self._sweeper is None:
            configured = (self.ttl_config or {}).get("sweep_interval_minutes")
            minutes = sweep_interval_minutes or configured or 5
            if not 0 < minutes * 60 <= threading.TIMEOUT_MAX:
                raise InvalidInput(f"sweep_interval_minutes is {minutes}", hint="give a positive number of minutes")
            self._sweeper = Sweeper(self.sweep_ttl, minutes * 60)
        return self._sweeper.future

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stops the sweeper; returns whether it has ended within ``timeout`` seconds."""
        sweeper, self._sweeper = self._sweeper, None
        return sweeper is None or sweeper.stop(timeout)

    # --- beyond the interface ----------------------------------------------------------------------------------------

    def recall(self, query: str, namespace: Namespace, *, limit: int = 10, **options: Any) -> list[Hit]:
        """Hybrid search over items and turns below a namespace; ``options`` as in ``Memory.search``."""
        return self.memory.search(clean_text(query), namespace=namespace, limit=limit, **options)

    def facts(self, namespace: Namespace, *, at: datetime | None = None, **options: Any) -> list[Window]:
        """What holds at a time, as in ``Memory.facts``."""
        return self.memory.facts(namespace=namespace, at=at, **options)

    def ask(self, question: str, namespace: Namespace, *, at: datetime | None = None, **options: Any) -> Answer:
        """Answers a question about what holds, held or changed when, as in ``Memory.ask``."""
        return self.memory.ask(clean_text(question), namespace=namespace, at=at, **options)

    async def arecall(self, query: str, namespace: Namespace, *, limit: int = 10, **options: Any) -> list[Hit]:
        """``recall`` in a worker thread."""
        return await asyncio.to_thread(self.recall, query, namespace, limit=limit, **options)

    async def afacts(self, namespace: Namespace, *, at: datetime | None = None, **options: Any) -> list[Window]:
        """``facts`` in a worker thread."""
        return await asyncio.to_thread(self.facts, namespace, at=at, **options)

    async def aask(self, question: str, namespace: Namespace, *, at: datetime | None = None, **options: Any) -> Answer:
        """``ask`` in a worker thread."""
        return await asyncio.to_thread(self.ask, question, namespace, at=at, **options)

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        """Itself: a copy of a graph goes on with the same items."""
        return self

    def close(self) -> None:
        """Stops the sweeper and closes the memory, unless it was handed in."""
        self.stop_ttl_sweeper()
        if self._owns_memory:
            self.memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)


def _check_labels(op: Op) -> None:
    """Raises ``InvalidNamespaceError`` for a text where labels should stand: it would be taken for those of its letters."""
    if isinstance(op, ListNamespacesOp):
        labels: list[Any] = [condition.path for condition in op.match_conditions or ()]
    else:
        labels = [op.namespace_prefix if isinstance(op, SearchOp) else getattr(op, "namespace", ())]
    for one in labels:
        if isinstance(one, str):
            raise InvalidNamespaceError(f"the namespace is the text {one!r}: give its labels, such as ({one!r},)")


def _item(record: Record) -> Item:
    return Item(
        value=_value(record),
        key=record.id,
        namespace=record.namespace,
        created_at=_known(record.created_at),
        updated_at=_known(record.updated_at),
    )


def _search_item(record: Record, score: float | None) -> SearchItem:
    return SearchItem(
        record.namespace, record.id, _value(record), _known(record.created_at), _known(record.updated_at), score
    )


def _value(record: Record) -> dict[str, Any]:
    """The item's value; a turn or a document that came in another way shows its text."""
    if isinstance(record.value, dict):
        return record.value
    return {"text": record.text, "role": record.role, **({"name": record.name} if record.name else {})}


def _known(moment: datetime | None) -> datetime:
    if moment is None:
        raise ValueError("a stored record has its times")
    return moment


def _matching(condition: MatchCondition, namespaces: Sequence[Namespace]) -> list[Namespace]:
    """Those that begin or end with the labels of the condition; ``*`` stands for exactly one label."""
    path = tuple(condition.path)
    if not path:
        return list(namespaces)
    part = slice(len(path)) if condition.match_type == "prefix" else slice(-len(path), None)
    if "*" not in path:
        return [namespace for namespace in namespaces if namespace[part] == path]
    return [
        namespace
        for namespace in namespaces
        if len(namespace) >= len(path)
        and all(wanted in ("*", label) for wanted, label in zip(path, namespace[part], strict=True))
    ]


def _literal_start(path: NamespacePath) -> Namespace:
    """The labels before the first wildcard."""
    return tuple(itertools.takewhile(lambda label: label != "*", path))
