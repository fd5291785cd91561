"""LangChain's own standard suites (langchain-tests), on SQLite and PostgreSQL, through sync and async methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from genome_langchain import (
    GenomeByteStore,
    GenomeCache,
    GenomeDocumentIndex,
    GenomeEmbeddings,
    GenomeRetriever,
    GenomeVectorStore,
)
from langchain_core.embeddings import Embeddings
from langchain_core.indexing.base import DocumentIndex
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import (
    AsyncCacheTestSuite,
    BaseStoreAsyncTests,
    BaseStoreSyncTests,
    EmbeddingsIntegrationTests,
    RetrieversIntegrationTests,
    SyncCacheTestSuite,
    VectorStoreIntegrationTests,
)
from langchain_tests.integration_tests.indexer import AsyncDocumentIndexTestSuite, DocumentIndexerTestSuite
from langchain_tests.unit_tests import EmbeddingsUnitTests

from genome_core import Memory
from genome_core.embedders import CallableEmbedder
from genome_core.storage.database import Database
from genome_core.testing.embedders import FakeEmbedder


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, database: Database) -> Iterator[GenomeVectorStore]:
        with Memory(database, embedder=CallableEmbedder(self.get_embeddings())) as memory:
            yield GenomeVectorStore(memory)


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _four_turns(self, memory: Memory) -> None:
        self.memory = memory
        memory.add(["one pear", "two pears", "three pears", "four pears"], user_id="tom")

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return GenomeRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.memory, "user_id": "tom"}

    @property
    def retriever_query_example(self) -> str:
        return "pears"


class ThreeValues:
    @pytest.fixture
    def kv_store(self, memory: Memory) -> GenomeByteStore:
        return GenomeByteStore(memory)

    @pytest.fixture
    def three_values(self) -> tuple[bytes, bytes, bytes]:
        return b"one", b"\x00\xff", b""


class TestByteStore(ThreeValues, BaseStoreSyncTests[bytes]):
    pass


class TestByteStoreAsync(ThreeValues, BaseStoreAsyncTests[bytes]):
    pass


class TestCache(SyncCacheTestSuite):
    @pytest.fixture
    def cache(self, memory: Memory) -> GenomeCache:
        return GenomeCache(memory)


class TestCacheAsync(AsyncCacheTestSuite):
    @pytest.fixture
    async def cache(self, memory: Memory) -> GenomeCache:
        return GenomeCache(memory)


class TestDocumentIndex(DocumentIndexerTestSuite):
    @pytest.fixture
    def index(self, memory: Memory) -> DocumentIndex:
        return GenomeDocumentIndex(vector_store=GenomeVectorStore(memory))


class TestDocumentIndexAsync(AsyncDocumentIndexTestSuite):
    @pytest.fixture
    async def index(self, memory: Memory) -> DocumentIndex:
        return GenomeDocumentIndex(vector_store=GenomeVectorStore(memory))


class TestEmbeddingsUnit(EmbeddingsUnitTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return GenomeEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"embedder": FakeEmbedder()}


class TestEmbeddings(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return GenomeEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"embedder": FakeEmbedder()}
