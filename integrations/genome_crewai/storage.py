"""``GenomeStorage``: the storage backend of CrewAI's memory on the engine of ``genome_core``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Unpack

from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
from crewai.memory.types import MemoryRecord, ScopeInfo
from sqlalchemy.engine import URL, Engine

from genome_core import Memory, Record, Trust
from genome_core.errors import InvalidInput, NotFound
from genome_core.inputs import check_whole, plain_json
from genome_core.scopes import WriteScope, write_namespace
from genome_core.storage import filters
from genome_core.types import Namespace
from genome_crewai.given_vectors import GivenVectors
from genome_crewai.records import (
    SAVED,
    category_filter,
    metadata_filter,
    to_labels,
    to_memory_record,
    to_path,
    to_record,
)

DEFAULT_NAMESPACE = ("crewai",)
_PAGE = 1000
ORIGIN = "agent"
"""Of what a crew saves, and who deletes."""


class NotSerializable(InvalidInput, TypeError):
    """Metadata that JSON can not express; CrewAI's storage raises ``TypeError`` for it."""


class GenomeStorage:
    """A ``StorageBackend`` below one namespace of a ``Memory``; CrewAI's scope ``/a/b`` is the namespace ``(..., "a", "b")``.

    ``memory`` is a ``Memory``, which stays the caller's and whose embedder CrewAI must then use
    (``Memory(storage=storage, embedder=storage.embed)``), or what ``Memory`` takes as its store: that one holds the vectors
    of whatever embedder CrewAI has. The scope is the same as in ``Memory``, by default the namespace ``("crewai",)``.

    Scopes match by whole labels. All conditions of a search or a deletion must hold; an empty list of ids or categories
    deletes nothing. Scores are cosines, negative ones counting as 0. Safe to use from many threads and processes.
    """

    def __init__(
        self, memory: Memory | str | os.PathLike[str] | URL | Engine = "memory.db", **scope: Unpack[WriteScope]
    ) -> None:
        self.namespace: Namespace = write_namespace(scope, required=False) or DEFAULT_NAMESPACE
        self._given: GivenVectors | None = None
        self._owns_memory = not isinstance(memory, Memory)
        if isinstance(memory, Memory):
            self.memory = memory
        else:
            self._given = GivenVectors()
            self.memory = Memory(memory, embedder=self._given, extractor=None)

    def embed(self, texts: list[str]) -> list[list[float]]:
        """The memory's embedder in the form that CrewAI takes."""
        rows: list[list[float]] = self.memory.embedder.embed(texts).tolist()
        return rows

    # --- writing -----------------------------------------------------------------------------------------------------

    def save(self, records: list[MemoryRecord]) -> None:
        """Stores records in one transaction; raises ``EmbeddingDimensionMismatchError`` before anything is written."""
        if not records:
            return
        self._begin_anew(next((record.embedding for record in records if record.embedding), None))
        for record in records:
            self._check(record)
        vectors = [self._vector(record) for record in records]
        # What agents chose to keep; CrewAI does not hand on who said it.
        self.memory.add([to_record(record, self.namespace, origin=ORIGIN) for record in records], vectors=vectors)

    def update(self, record: MemoryRecord) -> None:
        """Replaces the record with this id, which keeps its vector where the new one brings none and the text is the same.

        Raises ``NotFound`` (a ``LookupError``) if there is none.
        """
        self._check(record)
        old = self._find([record.id])
        if not old:
            raise NotFound(f"no record {record.id!r}", hint="save it")
        same_text = record.content == old[0].text
        index = old[0].index if same_text else None
        origin = old[0].origin if same_text else ORIGIN  # other words are the agent's own
        new = to_record(record, self.namespace, role=old[0].role, name=old[0].name, origin=origin, index=index)
        vector = record.embedding or (self._stored_vector(old[0]) if same_text else None)
        self.memory.add(new, vectors=None if vector is None and self._given is None else [vector])
        elsewhere = [(one.namespace, one.id) for one in old if one.namespace != new.namespace]
        if elsewhere:
            self.memory.write((), elsewhere)

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Deletes what meets every condition, in one transaction, with the facts it said; returns how many records."""
        if record_ids == [] or categories == []:
            return 0
        where = self._filter(categories, metadata_filter)
        until = None if older_than is None else _utc(older_than)
        if record_ids is None:
            gone = list(self._all(scope_prefix, filter=where, until=until, min_trust=Trust.UNTRUSTED))
        else:
            test = filters.parse(where)
            gone = [
                record
                for record in self._find(record_ids, scope_prefix, Trust.UNTRUSTED)
                if filters.matches(test, {"metadata": record.metadata, "value": record.value})
                and (until is None or (record.at is not None and record.at < until))
            ]
        self.memory.write((), [(record.namespace, record.id) for record in gone], origin=ORIGIN)
        return len(gone)

    def reset(self, scope_prefix: str | None = None) -> None:
        """Deletes everything in a scope, by default in the storage's whole namespace. Needs no embedder.

        A store of CrewAI's own vectors that is empty then takes vectors of any width again.
        """
        self.memory.delete_all(namespace=self._labels(scope_prefix))

    # --- reading -----------------------------------------------------------------------------------------------------

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """The records nearest to a vector, best first, with their cosine; exact."""
        if self._width() is None or not query_embedding or not any(query_embedding):
            return []
        self._check_width(query_embedding)
        hits = self.memory.search(
            "",
            vector=query_embedding,
            mode="dense",
            namespace=self._labels(scope_prefix),
            filter=self._filter(categories, metadata_filter) or None,
            limit=limit,
            threshold=min_score if min_score > 0 else None,
        )
        return [(to_memory_record(hit.record, self.namespace), max(0.0, hit.score)) for hit in hits]

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """The record with this id and its vector, or None."""
        found = self._find([record_id])
        if not found:
            return None
        rows = self.memory.vectors([record_id], namespace=found[0].namespace, exact=True).get(record_id)
        return to_memory_record(found[0], self.namespace, None if rows is None else rows[0].tolist())

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        """A page of records, newest first; none for a negative offset, as CrewAI has it."""
        check_whole(limit, "limit")
        if offset < 0:
            return []
        page = self.memory.get_all(namespace=self._labels(scope_prefix), limit=offset + limit, newest_first=True)
        return [to_memory_record(record, self.namespace) for record in page.records[offset:]]

    def count(self, scope_prefix: str | None = None) -> int:
        """How many records a scope holds, those of scopes below it included."""
        return self.memory.count(namespace=self._labels(scope_prefix))

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """What a scope and those below it hold."""
        labels = self._labels(scope)
        first = self.memory.get_all(namespace=labels, limit=1).records
        last = self.memory.get_all(namespace=labels, limit=1, newest_first=True).records
        return ScopeInfo(
            path=to_path(to_labels(scope)),
            record_count=self.count(scope),
            categories=sorted(self.list_categories(scope)),
            oldest_record=to_memory_record(first[0], self.namespace).created_at if first else None,
            newest_record=to_memory_record(last[0], self.namespace).created_at if last else None,
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """The scopes just below one, sorted."""
        labels = self._labels(parent)
        depth = len(labels) + 1
        below = {namespace[:depth] for namespace in self.memory.namespaces(namespace=labels) if len(namespace) >= depth}
        return sorted(to_path(namespace[len(self.namespace) :]) for namespace in below)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """How many records each category has."""
        return self.memory.tally("categories", of_value=True, filter=SAVED, namespace=self._labels(scope_prefix))

    def close(self) -> None:
        """Closes the memory if this storage opened it."""
        if self._owns_memory:
            self.memory.close()

    # --- async -------------------------------------------------------------------------------------------------------

    async def asave(self, records: list[MemoryRecord]) -> None:
        """``save`` in a worker thread."""
        await asyncio.to_thread(self.save, records)

    async def asearch(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """``search`` in a worker thread."""
        return await asyncio.to_thread(
            self.search, query_embedding, scope_prefix, categories, metadata_filter, limit, min_score
        )

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """``delete`` in a worker thread."""
        return await asyncio.to_thread(self.delete, scope_prefix, categories, record_ids, older_than, metadata_filter)

    # --- steps -------------------------------------------------------------------------------------------------------

    def _labels(self, path: str | None) -> Namespace:
        return (*self.namespace, *to_labels(path))

    def _find(
        self, ids: Sequence[str], scope_prefix: str | None = None, min_trust: Trust | None = None
    ) -> list[Record]:
        return self.memory.get_many(ids, namespace=self._labels(scope_prefix), min_trust=min_trust)

    def _all(self, scope_prefix: str | None, **options: Any) -> Iterator[Record]:
        after: str | None = None
        while True:
            page = self.memory.get_all(namespace=self._labels(scope_prefix), limit=_PAGE, after=after, **options)
            yield from page
            after = page.next
            if after is None:
                return

    @staticmethod
    def _filter(categories: Sequence[str] | None, metadata: Mapping[str, Any] | None) -> dict[str, Any]:
        parts = [category_filter(categories)] if categories else []
        parts += [metadata_filter(metadata)] if metadata else []
        return {"$and": parts} if parts else {}

    def _width(self) -> int | None:
        """How wide vectors are; None while the first one has not come."""
        if self._given is None:
            return self.memory.embedder.fingerprint.dimensions
        if self._given.dimensions is None:
            self._given.dimensions = self.memory.stats().dimensions
        return self._given.dimensions

    def _begin_anew(self, embedding: Sequence[float] | None) -> None:
        """Of CrewAI's own vectors, an empty store takes those of any width."""
        if self._given is None or not embedding or self._width() in (None, len(embedding)):
            return
        if not self.memory.count(namespace=(), min_trust=Trust.UNTRUSTED):
            self._given.dimensions = len(embedding)
            self.memory.reindex()  # nothing is there: it tells the store the width

    def _check(self, record: MemoryRecord) -> None:
        """Before anything is written."""
        try:
            plain_json(record.metadata, "metadata")
        except InvalidInput as error:
            raise NotSerializable(f"{error}: not JSON serializable") from error
        self._check_width(record.embedding)

    def _check_width(self, embedding: Sequence[float] | None) -> None:
        if not embedding:
            return
        stored = self._width()
        if stored is None and self._given is not None:
            self._given.dimensions = len(embedding)
        elif stored is not None and stored != len(embedding):
            raise EmbeddingDimensionMismatchError(stored, len(embedding))

    def _stored_vector(self, record: Record) -> list[float] | None:
        """The vector that CrewAI gave for a record; what the memory's own embedder made, it can make again."""
        if self._given is None:
            return None
        rows = self.memory.vectors([record.id], namespace=record.namespace, exact=True).get(record.id)
        return None if rows is None else [float(number) for number in rows[0]]

    def _vector(self, record: MemoryRecord) -> Sequence[float] | None:
        """The record's vector; where CrewAI brought none, the memory's own embedder gives it, if there is one."""
        if record.embedding and any(record.embedding):
            return record.embedding
        return None if self._given is not None else self.embed([record.content])[0]


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
