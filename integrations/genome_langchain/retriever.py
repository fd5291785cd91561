"""``GenomeRetriever``: recall from a ``Memory`` as a LangChain retriever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import run_in_executor
from pydantic import ConfigDict, Field

from genome_core import Hit, Memory, SearchWeights, Trust
from genome_core.inputs import clean_text
from genome_core.search.rank import Mode
from genome_langchain.documents import DocumentFilter, record_filter, to_document


class GenomeRetriever(BaseRetriever):
    """Finds turns and documents of a scope by meaning, words, speaker and time.

    The scope is that of ``Memory.search``: ``user_id``, ``agent_id`` and ``run_id`` (lists mean any of them) or a
    ``namespace``, with everything below. ``at`` asks as of that time: nothing said later is found, and "last week" is read
    from it. Every search argument may also be given to ``invoke`` and its kin, ``retriever.invoke("Where does Tom live?", k=2,
    at=then)``, but ``run_id``, which LangChain takes for the id of the call's trace.

    Each document's metadata has under ``genome`` why and what was found: ``score``, ``signals``, ``namespace``, ``role``,
    ``speaker``, ``origin``, ``at`` (ISO 8601, UTC).

    Raises ``ValueError`` without a scope, for a negative ``k`` and for an unknown filter operator.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    memory: Memory = Field(repr=False)
    k: int = 4
    filter: DocumentFilter | None = None
    at: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    threshold: float | None = None
    mode: Mode = "hybrid"
    weights: SearchWeights | None = None
    user_id: str | None = None
    agent_id: str | Sequence[str] | None = None
    run_id: str | Sequence[str] | None = None
    namespace: Sequence[str] | None = None
    min_trust: Trust | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return self._found(query, **kwargs)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return await run_in_executor(None, self._found, query, **kwargs)

    def _found(self, query: str, **kwargs: Any) -> list[Document]:
        chosen = {name: getattr(self, name) for name in _SEARCH_ARGUMENTS} | kwargs
        limit, filter = chosen.pop("k"), record_filter(chosen.pop("filter"))
        return [_document(hit) for hit in self.memory.search(clean_text(query), limit=limit, filter=filter, **chosen)]


_SEARCH_ARGUMENTS = tuple(GenomeRetriever.model_fields.keys() - BaseRetriever.model_fields.keys() - {"memory"})


def _document(hit: Hit) -> Document:
    record = hit.record
    why = {
        "score": hit.score,
        "signals": [asdict(signal) for signal in hit.signals],
        "namespace": list(record.namespace),
        "role": record.role,
        "speaker": record.speaker,
        "origin": record.origin,
        "at": record.at.isoformat() if record.at else None,
    }
    return to_document(record, genome=why)
