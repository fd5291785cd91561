"""``GenomeDocumentIndex``: LangChain's (beta) ``DocumentIndex``, a retriever that takes documents in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.indexing import DeleteResponse, UpsertResponse
from langchain_core.indexing.base import DocumentIndex
from langchain_core.runnables import run_in_executor
from pydantic import ConfigDict, Field

from genome_core.errors import InvalidInput
from genome_langchain.vector_store import GenomeVectorStore


class GenomeDocumentIndex(DocumentIndex):
    """A ``GenomeVectorStore`` for the Indexing API's newer interface: ``index(docs, record_manager, document_index)``."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    vector_store: GenomeVectorStore = Field(repr=False)
    k: int = 4

    def upsert(self, items: Sequence[Document], /, **_kwargs: Any) -> UpsertResponse:
        """Stores all documents, or raises and stores none."""
        return {"succeeded": self.vector_store.add_documents(items), "failed": []}

    def delete(self, ids: list[str] | None = None, **_kwargs: Any) -> DeleteResponse:
        """Deletes by ids and tells which of them there were. Raises ``InvalidInput`` without ids."""
        if ids is None:
            raise InvalidInput("which documents?", hint="give ids")
        there = [document.id for document in self.get(ids) if document.id]
        self.vector_store.delete(there)
        return {"succeeded": there, "num_deleted": len(there), "failed": [], "num_failed": 0}

    def get(self, ids: Sequence[str], /, **_kwargs: Any) -> list[Document]:
        """The documents with these ids, in their order; unknown ids are left out."""
        return self.vector_store.get_by_ids(ids)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return self._found(query, **kwargs)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return await run_in_executor(None, self._found, query, **kwargs)

    def _found(self, query: str, k: int | None = None, **kwargs: Any) -> list[Document]:
        return self.vector_store.similarity_search(query, self.k if k is None else k, **kwargs)
