"""``GenomeKnowledgeStorage``: the documents of CrewAI's knowledge on the engine of ``genome_core``."""

from __future__ import annotations

import asyncio
import os
from typing import Any, Unpack

from crewai.knowledge.storage.base_knowledge_storage import BaseKnowledgeStorage
from crewai.rag.types import SearchResult
from pydantic import PrivateAttr
from sqlalchemy.engine import URL, Engine

from genome_core import Memory, Record
from genome_core.inputs import clean_text
from genome_core.scopes import WriteScope, write_namespace
from genome_core.types import Namespace
from genome_crewai.records import metadata_filter as equal_metadata

DEFAULT_NAMESPACE = ("crewai-knowledge",)


class GenomeKnowledgeStorage(BaseKnowledgeStorage):
    """``Knowledge(storage=...)``: the documents of one namespace, each stored once, found by meaning.

    ``memory`` is a ``Memory`` or what ``Memory`` takes as its store; the scope, as in ``Memory``, says whose documents they
    are, by default ``namespace=("crewai-knowledge",)``. Scores are ``(1 + cosine) / 2``, as in CrewAI's own storage, so that
    its thresholds mean the same. Errors are raised.
    """

    _memory: Memory = PrivateAttr()
    _owns_memory: bool = PrivateAttr()
    _namespace: Namespace = PrivateAttr()

    def __init__(
        self,
        memory: Memory | str | os.PathLike[str] | URL | Engine = "memory.db",
        **scope: Unpack[WriteScope],
    ) -> None:
        super().__init__()
        self._namespace = write_namespace(scope, required=False) or DEFAULT_NAMESPACE
        self._owns_memory = not isinstance(memory, Memory)
        self._memory = memory if isinstance(memory, Memory) else Memory(memory)

    def save(self, documents: list[str]) -> None:
        """Stores documents in one transaction."""
        if documents:
            self._memory.add([Record(text=text, role="document") for text in documents], namespace=self._namespace)

    def search(
        self,
        query: list[str],
        limit: int = 5,
        metadata_filter: dict[str, Any] | None = None,
        score_threshold: float = 0.6,
    ) -> list[SearchResult]:
        """The documents nearest to the queries taken together, best first, that score at least ``score_threshold``."""
        hits = self._memory.search(
            clean_text(" ".join(query)),
            limit=limit,
            mode="dense",
            filter=equal_metadata(metadata_filter) if metadata_filter else None,
            threshold=2 * score_threshold - 1,
            namespace=self._namespace,
        )
        return [
            SearchResult(
                id=hit.record.id,
                content=hit.record.text,
                metadata=dict(hit.record.metadata),
                score=(1 + hit.score) / 2,
            )
            for hit in hits
        ]

    def reset(self) -> None:
        """Deletes the documents."""
        self._memory.delete_all(namespace=self._namespace)

    async def asave(self, documents: list[str]) -> None:
        """``save`` in a worker thread."""
        await asyncio.to_thread(self.save, documents)

    async def asearch(
        self,
        query: list[str],
        limit: int = 5,
        metadata_filter: dict[str, Any] | None = None,
        score_threshold: float = 0.6,
    ) -> list[SearchResult]:
        """``search`` in a worker thread."""
        return await asyncio.to_thread(self.search, query, limit, metadata_filter, score_threshold)

    async def areset(self) -> None:
        """``reset`` in a worker thread."""
        await asyncio.to_thread(self.reset)

    def close(self) -> None:
        """Closes the memory if this object opened it."""
        if self._owns_memory:
            self._memory.close()
