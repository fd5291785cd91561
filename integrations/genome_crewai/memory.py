"""``GenomeMemory``: CrewAI's memory on the engine of ``genome_core``, without a single call of a model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from crewai.llms.base_llm import BaseLLM
from crewai.memory.types import MemoryMatch, MemoryRecord, compute_composite_score
from crewai.memory.unified_memory import Memory as CrewMemory
from crewai.memory.utils import join_scope_paths
from pydantic import Field, field_serializer
from sqlalchemy.engine import URL, Engine

from genome_core import Memory, Record
from genome_core.errors import InvalidInput, NotFound
from genome_core.facts.answers import Answer
from genome_core.facts.log import Window
from genome_core.inputs import check_whole, clean_text
from genome_core.scopes import WriteScope, write_namespace
from genome_core.types import Namespace
from genome_crewai.events import query_events, save_events
from genome_crewai.records import category_filter, record_value, to_labels, to_memory_record
from genome_crewai.statements import Statement, kept, statements
from genome_crewai.storage import GenomeStorage
from genome_crewai.views import GenomeMatch, GenomeSlice

_OF_THE_MEMORY = frozenset({"storage", "embedder"})
"""Options of CrewAI's memory for which a ``Memory`` of the engine stands here."""


class GenomeMemory(CrewMemory):
    """Memory for ``Crew(memory=...)``, ``Agent(memory=...)`` and flows. Several of them may share one ``Memory``.

    ``memory`` is a ``Memory`` (which stays the caller's) or what ``Memory`` takes as its store. ``user_id``, ``agent_id``
    and ``run_id``, or ``namespace``, say whose it is, by default ``namespace=("crewai",)``: nothing outside is ever read
    or written. Within it CrewAI's scopes are paths. Writes go below ``root_scope``; an agent of a crew gets a scope of its
    own there. Recall covers ``read_scope``, by default the same: ``read_scope="/"`` reads what all crews wrote.

    Records are ranked by relevance alone. ``recency_weight``, ``importance_weight`` and ``semantic_weight`` mix in age and
    importance as in CrewAI. A save has happened when the call returns, else the call raises.
    """

    llm: BaseLLM | str = Field(default="none", description="Not used: no model is called.")
    semantic_weight: float = 1.0
    recency_weight: float = 0.0
    importance_weight: float = 0.0
    read_scope: str | None = Field(default=None, description="What recall covers; by default root_scope.")

    def __init__(
        self,
        memory: Memory | str | os.PathLike[str] | URL | Engine = "memory.db",
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        namespace: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        known = type(self).model_fields.keys() - _OF_THE_MEMORY
        if wrong := sorted(options.keys() - known):
            there = _OF_THE_MEMORY.intersection(wrong)
            hint = "give Memory(store, embedder=...)" if there else f"its options are {', '.join(sorted(known))}"
            raise InvalidInput(f"GenomeMemory takes no {', '.join(wrong)}", hint=hint)
        whose = WriteScope(user_id=user_id, agent_id=agent_id, run_id=run_id, namespace=namespace)
        labels = write_namespace(whose, required=False)  # before anything is opened
        engine = memory if isinstance(memory, Memory) else Memory(memory)
        storage = GenomeStorage(engine, namespace=labels)
        super().__init__(storage=storage, embedder=storage.embed, **options)
        self._owns_engine = engine is not memory

    _owns_engine: bool = False

    @property
    def engine(self) -> Memory:
        """The engine's ``Memory``."""
        return self._genome.memory

    @property
    def namespace(self) -> Namespace:
        """Where everything of this memory is."""
        return self._genome.namespace

    @property
    def _genome(self) -> GenomeStorage:
        storage = self._storage
        if not isinstance(storage, GenomeStorage):
            raise TypeError("the storage of a GenomeMemory was replaced")
        return storage

    @property
    def _llm(self) -> BaseLLM:
        raise RuntimeError("GenomeMemory calls no model")

    # --- writing -----------------------------------------------------------------------------------------------------

    def extract_memories(self, content: str) -> list[str]:
        """What is worth storing of a text; see ``genome_crewai.statements``."""
        return list(statements(content))

    def remember(
        self,
        content: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
        *,
        at: datetime | None = None,
    ) -> MemoryRecord | None:
        """Stores a text and returns its record; the same text with the same fields again is the same record.

        ``at`` is when it was said, by default now. None if the memory is read-only or the text is blank.
        """
        stored = self.remember_many(
            [content], scope, categories, metadata, importance, source, private, agent_role, root_scope, at=at
        )
        return stored[0] if stored else None

    def remember_many(
        self,
        contents: list[str],
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
        *,
        at: datetime | None = None,
    ) -> list[MemoryRecord]:
        """``remember`` for several texts, in one transaction. They are stored when the call returns."""
        if self.read_only or not contents:
            return []
        path = join_scope_paths(self.root_scope if root_scope is None else root_scope, scope)
        value = record_value(
            categories, metadata, self.default_importance if importance is None else importance, source, private
        )
        moment = at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at
        with save_events(self, contents, metadata, agent_role):
            records = [
                _turn(content, agent_role, value, (*self.namespace, *to_labels(path)), moment)
                for content in contents
                if kept(content)
            ]
            ids = self.engine.add(records) if records else []
            return self._shown(ids, path)

    def _shown(self, ids: Sequence[str], path: str) -> list[MemoryRecord]:
        found = self.engine.get_many(ids, namespace=(*self.namespace, *to_labels(path)), exact=True)
        by_id = {record.id: to_memory_record(record, self.namespace) for record in found}
        return [by_id[id] for id in ids]

    def update(
        self,
        record_id: str,
        content: str | None = None,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
    ) -> MemoryRecord:
        """Changes a record of this memory's root; ``scope`` is below the root, as everywhere.

        Raises ``NotFound`` where there is none, ``ValueError`` for a blank content.
        """
        root = join_scope_paths(self.root_scope, None)
        found = self.engine.get_many([record_id], namespace=(*self.namespace, *to_labels(root)))
        if not found:
            raise RecordNotFound(f"Record not found: {record_id}")
        existing = to_memory_record(found[0], self.namespace)
        if self.read_only:
            return existing
        if content is not None and not kept(content):
            raise InvalidInput("the content is blank", hint="use forget to delete the record")
        changes = {
            "content": content,
            "scope": None if scope is None else join_scope_paths(self.root_scope, scope),
            "categories": categories,
            "metadata": metadata,
            "importance": importance,
            "last_accessed": self.engine.now().astimezone(UTC).replace(tzinfo=None),
        }
        updated = existing.model_copy(update={name: new for name, new in changes.items() if new is not None})
        self._genome.update(updated)
        return updated

    # --- reading -----------------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        depth: Literal["shallow", "deep"] = "deep",
        source: str | None = None,
        include_private: bool = False,
        *,
        at: datetime | None = None,
    ) -> list[MemoryMatch]:
        """The memories that answer a query best, best first; nothing said after ``at``, if that is given.

        ``depth`` makes no difference: every recall is one exact hybrid search. A private memory is found only by its own
        ``source`` or with ``include_private``. Reading writes nothing.
        """
        with query_events(self, query, limit) as report:
            check_whole(limit, "limit")
            hits = self.engine.search(
                clean_text(query),
                limit=limit * self._config.recall_oversample_factor,
                filter=_visible(categories, source, include_private),
                at=at,
                namespace=self.read_namespace(scope),
            )
            matches = []
            for hit in hits:
                record = to_memory_record(hit.record, self.namespace)
                score, reasons = compute_composite_score(record, min(1.0, max(0.0, hit.score)), self._config)
                matches.append(
                    GenomeMatch(record=record, score=score, match_reasons=reasons, speaker=hit.record.speaker)
                )
            matches.sort(key=lambda match: match.score, reverse=True)
            report[:] = matches[:limit]
            return list(report)

    def ask(
        self, question: str, *, at: datetime | None = None, known_at: datetime | None = None, scope: str | None = None
    ) -> Answer:
        """Answers a question about what holds, held or changed when, as in ``Memory.ask``."""
        return self.engine.ask(clean_text(question), at=at, known_at=known_at, namespace=self.read_namespace(scope))

    def facts(
        self,
        *,
        subject: str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
        scope: str | None = None,
    ) -> list[Window]:
        """What holds at a time, as in ``Memory.facts``."""
        return self.engine.facts(subject=subject, at=at, known_at=known_at, namespace=self.read_namespace(scope))

    def read_namespace(self, scope: str | None = None) -> Namespace:
        """What a read covers: a scope below the root, or all that this memory may read."""
        widest = self.root_scope if self.read_scope is None else self.read_scope
        path = join_scope_paths(widest, None) if scope is None else join_scope_paths(self.root_scope, scope)
        return (*self.namespace, *to_labels(path))

    def slice(self, scopes: list[str], categories: list[str] | None = None, read_only: bool = True) -> GenomeSlice:
        """A view of several scopes; one that is not read-only writes to the first of them."""
        return GenomeSlice(scopes=scopes, categories=categories, read_only=read_only).bind(self)

    # --- life --------------------------------------------------------------------------------------------------------

    def drain_writes(self) -> None:
        """Nothing to wait for: saves have happened when they return."""

    def close(self) -> None:
        """Closes the engine if this memory opened it."""
        self._save_pool.shutdown(wait=True)
        if self._owns_engine:
            self.engine.close()

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> GenomeMemory:
        """A memory with settings of its own on the same database."""
        return self.model_copy()

    @field_serializer("storage", "embedder", "llm")
    def _described(self, _part: Any) -> str:
        """Connections and functions have no JSON form: after a restore, give the crew its memory again."""
        return "genome"

    # --- async -------------------------------------------------------------------------------------------------------

    async def aextract_memories(self, content: str) -> list[str]:
        """``extract_memories``, which waits for nothing."""
        return self.extract_memories(content)

    async def aremember(self, content: str, *args: Any, **options: Any) -> MemoryRecord | None:
        """``remember`` in a worker thread."""
        return await asyncio.to_thread(self.remember, content, *args, **options)

    async def aremember_many(self, contents: list[str], *args: Any, **options: Any) -> list[MemoryRecord]:
        """``remember_many`` in a worker thread."""
        return await asyncio.to_thread(self.remember_many, contents, *args, **options)

    async def arecall(self, query: str, *args: Any, **options: Any) -> list[MemoryMatch]:
        """``recall`` in a worker thread."""
        return await asyncio.to_thread(self.recall, query, *args, **options)


class RecordNotFound(NotFound, ValueError):
    """No such record; CrewAI raises ``ValueError`` for it."""


def _turn(
    content: str, agent_role: str | None, value: dict[str, Any], namespace: Namespace, at: datetime | None
) -> Record:
    text = kept(content)
    said = (
        content
        if isinstance(content, Statement)
        else Statement(text, "assistant" if agent_role else "user", agent_role)
    )
    notes = {"task": said.task} if said.task else {}
    metadata = value["metadata"] | notes
    return Record(
        text=text,
        namespace=namespace,
        role=said.role,
        name=said.name,
        value=value | {"metadata": metadata},
        metadata=metadata,
        index=(text, said.task) if said.task else None,
        at=at,
    )


def _visible(categories: Sequence[str] | None, source: str | None, include_private: bool) -> dict[str, Any] | None:
    parts = [category_filter(categories)] if categories else []
    if not include_private:
        open_to_all: dict[str, Any] = {"$not": {"$value": {"private": True}}}
        own = [] if source is None else [{"$value": {"source": source}}]
        parts.append({"$or": [open_to_all, *own]})
    return {"$and": parts} if parts else None
