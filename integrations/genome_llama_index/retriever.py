"""``GenomeRetriever``: recall from a ``Memory`` as a LlamaIndex retriever."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import datetime
from typing import Any, Unpack

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.vector_stores.types import MetadataFilters

from genome_core import Hit, Memory, SearchWeights
from genome_core.inputs import clean_text
from genome_core.scopes import ReadScope, read_scope
from genome_core.search.rank import Mode
from genome_llama_index.filters import node_filter
from genome_llama_index.nodes import to_node
from genome_llama_index.searching import search


class GenomeRetriever(BaseRetriever):
    """Finds turns and nodes of a scope by meaning, words, speaker and time.

    The scope is that of ``Memory.search``: ``user_id``, ``agent_id`` and ``run_id`` (lists mean any of them) or a ``namespace``,
    with everything below. ``at`` asks as of that time: nothing said later is found, and "last week" is read from it.

    A node comes back as it was; a turn is a ``TextNode``. Each node's metadata has under ``genome``, unseen by models, why and what
    was found: ``signals``, ``namespace``, ``role``, ``speaker``, ``origin``, ``at`` (ISO 8601, UTC).

    Raises ``ValueError`` without a scope, for a negative ``similarity_top_k`` and for an unusable filter.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        similarity_top_k: int = 4,
        filters: MetadataFilters | None = None,
        at: datetime | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        threshold: float | None = None,
        mode: Mode = "hybrid",
        weights: SearchWeights | None = None,
        **scope: Unpack[ReadScope],
    ) -> None:
        super().__init__()
        read_scope(scope)
        self.memory = memory
        self.similarity_top_k = similarity_top_k
        self.filters = filters
        self.at = at
        self.since = since
        self.until = until
        self.threshold = threshold
        self.mode: Mode = mode
        self.weights = weights
        self._scope = scope

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = search(
            self.memory,
            clean_text(query_bundle.query_str),
            node_filter(self.filters),
            self.similarity_top_k,
            vector=query_bundle.embedding,
            at=self.at,
            since=self.since,
            until=self.until,
            threshold=self.threshold,
            mode=self.mode,
            weights=self.weights,
            **self._scope,
        )
        return [NodeWithScore(node=to_node(hit.record, genome=_why(hit)), score=hit.score) for hit in hits]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _why(hit: Hit) -> dict[str, Any]:
    record = hit.record
    return {
        "signals": [asdict(signal) for signal in hit.signals],
        "namespace": list(record.namespace),
        "role": record.role,
        "speaker": record.speaker,
        "origin": record.origin,
        "at": record.at.isoformat() if record.at else None,
    }
