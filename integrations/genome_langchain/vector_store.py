"""``GenomeVectorStore``: LangChain's ``VectorStore`` on GENOME."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self, Unpack

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from langchain_core.vectorstores.utils import maximal_marginal_relevance
from numpy.typing import NDArray

from genome_core import Hit, Memory, Record
from genome_core.embedders import CallableEmbedder
from genome_core.errors import InvalidInput
from genome_core.inputs import clean_text
from genome_core.scopes import WriteScope, write_namespace
from genome_core.search.question import question_vector
from genome_core.types import Namespace
from genome_langchain.documents import DocumentFilter, record_filter, to_document, to_record
from genome_langchain.embeddings import GenomeEmbeddings

DEFAULT_NAMESPACE = ("documents",)


class GenomeVectorStore(VectorStore):
    """Documents of one namespace of a ``Memory``, searched exactly by cosine.

    The scope is the same as in ``Memory``: ``user_id``, ``agent_id`` and ``run_id``, or a ``namespace``; by default
    ``("documents",)``. Documents are written to it; searches also cover what lies below it. The memory stays open: whoever
    made it closes it.

    Scores are cosine similarities, from -1 to 1, the best first; relevance scores are ``(1 + cosine) / 2``. A text longer
    than the embedder's window has several vectors and counts by its best. Documents without an id get one made from text and
    metadata, so that the same document is stored once. Metadata is JSON.

    Every search takes ``filter`` (``{"page": {"$gte": 3}}`` in the engine's filter language, or a function of a ``Document``),
    ``since`` (inclusive), ``until`` (exclusive) and ``at``, as of which nothing stored later is found.

    Raises ``ValueError`` for lists of different lengths, a negative ``k``, metadata that is not JSON, an unknown filter
    operator: always before anything is written.
    """

    def __init__(self, memory: Memory, **scope: Unpack[WriteScope]) -> None:
        self.memory = memory
        self.namespace: Namespace = write_namespace(scope, required=False) or DEFAULT_NAMESPACE

    @property
    def embeddings(self) -> GenomeEmbeddings:
        """The memory's embedder."""
        return GenomeEmbeddings(self.memory.embedder)

    # --- writing -----------------------------------------------------------------------------------------------------

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **_kwargs: Any,
    ) -> list[str]:
        """Stores texts in one transaction and returns their ids in order; a known id gets the new text and metadata.

        ``ids`` may leave single ones open with None. ``batch_size`` and the like, which other stores take, have no meaning.
        """
        return self._add(list(texts), metadatas, ids)

    def add_documents(self, documents: Iterable[Document], **kwargs: Any) -> list[str]:
        """Stores documents, under ``ids`` if given, else under their own ids; see ``add_texts``."""
        given = list(documents)
        ids = kwargs.pop("ids", None) or [document.id for document in given]
        return self._add([document.page_content for document in given], [document.metadata for document in given], ids)

    def add_embeddings(
        self,
        texts: Iterable[str],
        embeddings: Sequence[Sequence[float]],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
    ) -> list[str]:
        """As ``add_texts``, with vectors of the memory's embedder that the caller has already computed."""
        return self._add(list(texts), metadatas, ids, embeddings)

    def _add(
        self,
        texts: Sequence[str],
        metadatas: Sequence[Mapping[str, Any]] | None,
        ids: Sequence[str | None] | None,
        vectors: Sequence[Sequence[float]] | None = None,
    ) -> list[str]:
        for name, given in (("metadatas", metadatas), ("ids", ids), ("embeddings", vectors)):
            if given is not None and len(given) != len(texts):
                raise InvalidInput(f"{len(texts)} texts but {len(given)} {name}", hint="give one for each text")
        open_ends = [None] * len(texts)
        batch = [
            to_record(text, metadata, id)
            for text, metadata, id in zip(texts, metadatas or open_ends, ids or open_ends, strict=True)
        ]
        return self.memory.add(batch, vectors=vectors, namespace=self.namespace)

    def delete(self, ids: list[str] | None = None, **_kwargs: Any) -> bool | None:
        """Deletes the documents with these ids; unknown ids are ignored. Returns True.

        Without ids nothing is deleted and None returned; to empty the store, call ``memory.delete_all(namespace=...)``.
        """
        if ids is None:
            return None
        self.memory.delete_many(ids, namespace=self.namespace, exact=True)
        return True

    # --- reading -----------------------------------------------------------------------------------------------------

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents with these ids, in their order; unknown ids are left out."""
        found = {record.id: record for record in self.memory.get_many(ids, namespace=self.namespace, exact=True)}
        return [to_document(found[id]) for id in dict.fromkeys(ids) if id in found]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The ``k`` documents nearest to the query."""
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> list[tuple[Document, float]]:
        """The ``k`` nearest documents, each with its cosine similarity."""
        return self.similarity_search_with_score_by_vector(self._vector(query), k, **kwargs)

    def similarity_search_by_vector(self, embedding: Sequence[float], k: int = 4, **kwargs: Any) -> list[Document]:
        """The ``k`` documents nearest to a vector."""
        return [document for document, _ in self.similarity_search_with_score_by_vector(embedding, k, **kwargs)]

    def similarity_search_with_score_by_vector(
        self, embedding: Sequence[float], k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """The ``k`` documents nearest to a vector, each with its cosine similarity."""
        return [(to_document(hit.record), hit.score) for hit in self._nearest(embedding, k, **kwargs)]

    def max_marginal_relevance_search(
        self, query: str, k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **kwargs: Any
    ) -> list[Document]:
        """Of the ``fetch_k`` nearest documents, ``k`` that are near the query and far from each other.

        ``lambda_mult`` from 0 (only diversity counts) to 1 (only nearness).
        """
        return self.max_marginal_relevance_search_by_vector(self._vector(query), k, fetch_k, lambda_mult, **kwargs)

    def max_marginal_relevance_search_by_vector(
        self,
        embedding: Sequence[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        **kwargs: Any,
    ) -> list[Document]:
        """As ``max_marginal_relevance_search``, for a vector."""
        if k < 0:
            raise InvalidInput(f"k is {k}", hint="give 0 or more")
        found = [hit.record for hit in self._nearest(embedding, max(k, fetch_k) if k else 0, **kwargs)]
        query = np.asarray(embedding, np.float32)
        vectors = self._nearest_vectors(found, query)
        # A record that was deleted since the search has no vector any more.
        left = [record for record in found if (record.namespace, record.id) in vectors]
        matrix = [vectors[record.namespace, record.id].tolist() for record in left]
        return [to_document(left[place]) for place in maximal_marginal_relevance(query, matrix, lambda_mult, k)]

    def _vector(self, query: str) -> list[float]:
        vector: list[float] = question_vector(clean_text(query), self.memory.embedder).tolist()
        return vector

    def _nearest_vectors(
        self, found: Sequence[Record], query: NDArray[np.float32]
    ) -> dict[tuple[Namespace, str], NDArray[np.float32]]:
        """By namespace and id, each record's vector: of its passages the one nearest to the query."""
        nearest: dict[tuple[Namespace, str], NDArray[np.float32]] = {}
        for namespace in {record.namespace for record in found}:
            ids = [record.id for record in found if record.namespace == namespace]
            for id, passages in self.memory.vectors(ids, namespace=namespace, exact=True).items():
                nearest[namespace, id] = passages[np.argmax(passages @ query)]
        return nearest

    def _nearest(
        self,
        embedding: Sequence[float],
        k: int,
        *,
        filter: DocumentFilter | None = None,
        at: datetime | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Hit]:
        return self.memory.search(
            "",
            vector=embedding,
            mode="dense",
            limit=k,
            filter=record_filter(filter),
            at=at,
            since=since,
            until=until,
            namespace=self.namespace,
        )

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda cosine: min(max((1 + cosine) / 2, 0.0), 1.0)

    # --- construction ------------------------------------------------------------------------------------------------

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        store: str | os.PathLike[str] = ":memory:",
        **kwargs: Any,
    ) -> Self:
        """A store on a new ``Memory`` that embeds with LangChain's ``embedding``, with the texts in it.

        ``store`` is where: a path, a database URL, or by default RAM. ``vector_store.memory.close()`` closes it. The other
        arguments are the scope.
        """
        embedder = embedding.embedder if isinstance(embedding, GenomeEmbeddings) else CallableEmbedder(embedding)
        vector_store = cls(Memory(store, embedder=embedder), **kwargs)
        try:
            vector_store.add_texts(texts, metadatas, ids=ids)
        except BaseException:
            vector_store.memory.close()
            raise
        return vector_store
