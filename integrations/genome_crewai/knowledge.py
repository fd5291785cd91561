"""``GenomeKnowledgeStorage``: the documents of CrewAI's knowledge on the engine of ``genome_core``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import Any, Unpack

from crewai.knowledge.storage.base_knowledge_storage import BaseKnowledgeStorage
from crewai.rag.types import SearchResult
from sqlalchemy.engine import URL, Engine

from genome_core import Memory, Record
from genome_core.inputs import clean_text
from genome_core.scopes import WriteScope
from genome_crewai.on_memory import OnMemory

DEFAULT_NAMESPACE = ("crewai-knowledge",)
_ROLE = "document"


class GenomeKnowledgeStorage(OnMemory, BaseKnowledgeStorage):
    """``Knowledge(storage=...)``: the documents of one namespace, each stored once, found by meaning.

    ``memory`` is a ``Memory`` or what ``Memory`` takes as its store; the scope, as in ``Memory``, says whose documents they
    are, by default ``namespace=("crewai-knowledge",)``; what else stands there or below is neither found nor deleted. Scores are
    ``(1 + cosine) / 2``, as in CrewAI's own storage, so that its thresholds mean the same. Errors are raised.
    """

    def __init__(
        self,
        memory: Memory | str | os.PathLike[str] | URL | Engine = "memory.db",
        **scope: Unpack[WriteScope],
    ) -> None:
        super().__init__()
        self._open(memory, scope, DEFAULT_NAMESPACE)

    def save(self, documents: list[str]) -> None:
        """Stores documents in one transaction."""
        if documents:
            self._memory.add([Record(text=text, role=_ROLE) for text in documents], namespace=self._namespace)

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
            filter=_documents(metadata_filter or {}),
            threshold=2 * score_threshold - 1,
            namespace=self._namespace,
            exact=True,
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
        self._memory.delete_all(filter=_documents({}), namespace=self._namespace, exact=True)

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


def _documents(metadata: Mapping[str, Any]) -> Callable[[Record], bool]:
    """Passes documents with this metadata: beside them, a user's namespace holds what the user said."""
    return lambda record: (
        record.role == _ROLE and all(record.metadata.get(name) == value for name, value in metadata.items())
    )
