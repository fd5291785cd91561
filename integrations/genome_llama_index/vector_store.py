"""``GenomeVectorStore``: LlamaIndex's vector store on GENOME."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack

import numpy as np
from llama_index.core import Settings
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.indices.query.embedding_utils import get_top_k_mmr_embeddings
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)

from genome_core import Hit, Memory, SearchWeights, Trust
from genome_core.errors import InvalidInput
from genome_core.inputs import clean_text
from genome_core.protocols import Vectors
from genome_core.scopes import WriteScope, write_namespace
from genome_core.search.rank import Mode
from genome_core.types import Namespace, Record
from genome_llama_index.embedding import embedder_of
from genome_llama_index.filters import NodeFilter, node_filter
from genome_llama_index.nodes import to_node, to_record
from genome_llama_index.searching import search

DEFAULT_NAMESPACE = ("documents",)
_PAGE = 1000
_MMR_POOL = 50
_MODES: dict[VectorStoreQueryMode, Mode] = {
    VectorStoreQueryMode.DEFAULT: "dense",
    VectorStoreQueryMode.MMR: "dense",
    VectorStoreQueryMode.SPARSE: "lexical",
    VectorStoreQueryMode.TEXT_SEARCH: "lexical",
    VectorStoreQueryMode.HYBRID: "hybrid",
    VectorStoreQueryMode.SEMANTIC_HYBRID: "hybrid",
}


class GenomeVectorStore(BasePydanticVectorStore):
    """Nodes of one namespace of a ``Memory``, written through at once and searched exactly.

    The scope is that of ``Memory``: ``user_id``, ``agent_id`` and ``run_id``, or a ``namespace``; by default ``("documents",)``.
    Other scopes of the same database, below and beside it, are not touched. The memory stays open: whoever made it closes it.

    Nodes arrive with their embeddings, so the memory's embedder must be the embed model that made them: see ``from_store`` and
    ``GenomeEmbedding``. Nodes come back with text, metadata, relationships and type, without the embedding (``get`` has it).

    Query modes: ``default`` (cosine), ``mmr``, ``sparse`` and ``text_search`` (BM25: the share of the question's words),
    ``hybrid`` (cosine and BM25, weighed by ``alpha``) and ``semantic_hybrid`` (all signals of the engine: also who speaks and
    when). Filters mean what they mean to ``SimpleVectorStore`` and may be nested: see ``genome_llama_index.filters``.

    Raises ``ValueError`` for a node without an embedding, another mode, a negative ``similarity_top_k``, an unusable filter.
    """

    stores_text: bool = True
    is_embedding_query: bool = True

    _memory: Memory = PrivateAttr()
    _namespace: Namespace = PrivateAttr()

    def __init__(self, memory: Memory, **scope: Unpack[WriteScope]) -> None:
        super().__init__(stores_text=True)
        self._memory = memory
        self._namespace = write_namespace(scope, required=False) or DEFAULT_NAMESPACE

    @classmethod
    def from_store(
        cls,
        store: str | os.PathLike[str] = ":memory:",
        embed_model: BaseEmbedding | None = None,
        **scope: Unpack[WriteScope],
    ) -> GenomeVectorStore:
        """A vector store on a new ``Memory`` that embeds with LlamaIndex's ``embed_model``, by default that of ``Settings``.

        ``store`` is a path, a database URL, or by default RAM. ``vector_store.client.close()`` closes it.
        """
        return cls(Memory(store, embedder=embedder_of(embed_model or Settings.embed_model)), **scope)

    @classmethod
    def class_name(cls) -> str:
        return "GenomeVectorStore"

    @property
    def client(self) -> Memory:
        """The memory."""
        return self._memory

    @property
    def namespace(self) -> Namespace:
        """Where the nodes are."""
        return self._namespace

    # --- writing -----------------------------------------------------------------------------------------------------

    def add(self, nodes: Sequence[BaseNode], **_kwargs: Any) -> list[str]:
        """Stores nodes in one transaction and returns their ids in order; a node with a known id takes its place."""
        bare = [node.node_id for node in nodes if node.embedding is None]
        if bare:
            raise InvalidInput(f"node {bare[0]!r} has no embedding", hint="run an embed model over the nodes first")
        if not nodes:
            return []
        vectors = [node.get_embedding() for node in nodes]
        return self._memory.add([to_record(node) for node in nodes], vectors=vectors, namespace=self._namespace)

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """As ``add``, off the event loop."""
        return await asyncio.to_thread(self.add, nodes, **kwargs)

    def delete(self, ref_doc_id: str, **_kwargs: Any) -> None:
        """Deletes the nodes of a document; an unknown one is ignored."""
        self._delete(node_filter(None, doc_ids=[ref_doc_id]))

    async def adelete(self, ref_doc_id: str, **kwargs: Any) -> None:
        """As ``delete``, off the event loop."""
        await asyncio.to_thread(self.delete, ref_doc_id, **kwargs)

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **_kwargs: Any
    ) -> None:
        """Deletes the nodes that have one of the ids and pass the filters; with neither, all nodes."""
        if node_ids is None:
            self._delete(node_filter(filters))
        else:
            self._delete_ids(node_ids if filters is None else [one.id for one in self._records(node_ids, filters)])

    async def adelete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **kwargs: Any
    ) -> None:
        """As ``delete_nodes``, off the event loop."""
        await asyncio.to_thread(self.delete_nodes, node_ids, filters, **kwargs)

    def clear(self) -> None:
        """Deletes all nodes."""
        self._delete(NodeFilter())

    async def aclear(self) -> None:
        """As ``clear``, off the event loop."""
        await asyncio.to_thread(self.clear)

    def _delete(self, filter: NodeFilter) -> None:
        if filter.test is None:
            self._memory.delete_all(filter=filter.database, keep_facts=True, namespace=self._namespace, exact=True)
        else:
            self._delete_ids([record.id for record in self._passing(filter, Trust.UNTRUSTED)])

    def _delete_ids(self, ids: Sequence[str]) -> None:
        self._memory.delete_many(ids, keep_facts=True, namespace=self._namespace, exact=True)

    # --- reading -----------------------------------------------------------------------------------------------------

    def get(self, text_id: str) -> list[float]:
        """The embedding of a node, scaled to norm 1; raises ``KeyError`` for an unknown one."""
        vector: list[float] = self._vectors([text_id])[text_id].tolist()
        return vector

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """The nodes that have one of the ids and pass the filters; with neither, all nodes, in order of arrival."""
        return [to_node(record) for record in self._records(node_ids, filters)]

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """As ``get_nodes``, off the event loop."""
        return await asyncio.to_thread(self.get_nodes, node_ids, filters)

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """The best nodes, best first, with their similarities and ids.

        Empty ``node_ids`` and ``doc_ids`` mean no restriction. Keyword arguments (``vector_store_kwargs`` of a retriever):
        ``at`` (nothing stored later is found), ``since`` (inclusive), ``until`` (exclusive), and for ``mmr`` ``mmr_threshold``
        from 0 (only diversity) to 1 (only similarity) and ``mmr_pool``, from how many of the nearest nodes it chooses.
        """
        if query.mode is not VectorStoreQueryMode.MMR:
            return _result([(hit.record, hit.score) for hit in self._search(query, _limit(query), **kwargs)])
        pool = max(query.similarity_top_k, kwargs.pop("mmr_pool", _MMR_POOL)) if query.similarity_top_k else 0
        threshold = kwargs.pop("mmr_threshold", query.mmr_threshold)
        return self._diverse(query, [hit.record for hit in self._search(query, pool, **kwargs)], threshold)

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """As ``query``, off the event loop."""
        return await asyncio.to_thread(self.query, query, **kwargs)

    def _search(
        self,
        query: VectorStoreQuery,
        limit: int,
        *,
        at: datetime | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        **_kwargs: Any,
    ) -> list[Hit]:
        mode = _MODES.get(query.mode)
        if mode is None:
            known = ", ".join(one.value for one in _MODES)
            raise InvalidInput(f"query mode {query.mode.value!r} is not supported", hint=f"use one of {known}")
        text = clean_text(query.query_str or "")
        if query.query_embedding is None and not text.strip():
            raise InvalidInput("a query without text and embedding", hint="give query_str or query_embedding")
        return search(
            self._memory,
            "" if mode == "dense" and query.query_embedding is not None else text,
            node_filter(query.filters, node_ids=query.node_ids or None, doc_ids=query.doc_ids or None),
            limit,
            vector=query.query_embedding,
            mode=mode,
            weights=_weights(query),
            at=at,
            since=since,
            until=until,
            namespace=self._namespace,
            exact=True,
        )

    def _diverse(
        self, query: VectorStoreQuery, nearest: Sequence[Record], threshold: float | None
    ) -> VectorStoreQueryResult:
        """Of the nearest, those that LlamaIndex's own MMR chooses; similarities are its scores."""
        found = {record.id: record for record in nearest}
        vectors = self._vectors(list(found))
        if not vectors:
            return _result([])
        if query.query_embedding is None:
            asked = self._memory.embedder.embed_query(clean_text(query.query_str or ""))
        else:
            asked = np.asarray(query.query_embedding, np.float32)
        scores, ids = get_top_k_mmr_embeddings(
            asked,  # type: ignore[arg-type]  # arrays are much faster than the lists that it declares
            list(vectors.values()),  # type: ignore[arg-type]
            similarity_top_k=query.similarity_top_k,
            embedding_ids=list(vectors),
            mmr_threshold=threshold,
        )
        return _result([(found[id], float(score)) for score, id in zip(scores, ids, strict=True)])

    def _vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """Vectors by id, in the order of the ids; what another adapter wrote in several passages has their mean."""
        found = self._memory.vectors(ids, namespace=self._namespace, exact=True)
        return {id: np.mean(found[id], axis=0) for id in ids if id in found}

    def _records(self, ids: Sequence[str] | None, filters: MetadataFilters | None) -> list[Record]:
        if ids is not None and filters is None:
            return self._memory.get_many(ids, namespace=self._namespace, exact=True)
        return self._passing(node_filter(filters, node_ids=ids))

    def _passing(self, filter: NodeFilter, min_trust: Trust | None = None) -> list[Record]:
        found: list[Record] = []
        after: str | None = None
        while True:
            page = self._memory.get_all(
                filter=filter.database,
                limit=_PAGE,
                after=after,
                namespace=self._namespace,
                exact=True,
                min_trust=min_trust,
            )
            found += filter.passing(page)
            after = page.next
            if after is None:
                return found


def _limit(query: VectorStoreQuery) -> int:
    if query.mode in (VectorStoreQueryMode.SPARSE, VectorStoreQueryMode.TEXT_SEARCH):
        return query.sparse_top_k or query.similarity_top_k
    if query.mode in (VectorStoreQueryMode.HYBRID, VectorStoreQueryMode.SEMANTIC_HYBRID):
        return query.hybrid_top_k or query.similarity_top_k
    return query.similarity_top_k


def _weights(query: VectorStoreQuery) -> SearchWeights | None:
    """``alpha`` 0 is BM25 alone, 1 cosine alone, and in the middle the engine's own balance, which is the default."""
    alpha = 0.5 if query.alpha is None else query.alpha
    if not 0 <= alpha <= 1:
        raise InvalidInput(f"alpha is {alpha}", hint="give 0 (words alone) to 1 (meaning alone)")
    cues = 1.0 if query.mode is VectorStoreQueryMode.SEMANTIC_HYBRID else 0.0
    return SearchWeights(dense=2 * alpha, lexical=2 * (1 - alpha), speaker=cues, time=cues)


def _result(found: Sequence[tuple[Record, float]]) -> VectorStoreQueryResult:
    return VectorStoreQueryResult(
        nodes=[to_node(record) for record, _ in found],
        similarities=[score for _, score in found],
        ids=[record.id for record, _ in found],
    )
