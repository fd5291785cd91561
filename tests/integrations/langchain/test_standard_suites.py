"""LangChain's own standard suites (langchain-tests), on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from genome_langchain import GenomeVectorStore
from langchain_tests.integration_tests import VectorStoreIntegrationTests

from genome_core import Memory
from genome_core.embedders import CallableEmbedder


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, store_url: str) -> Iterator[GenomeVectorStore]:
        with Memory(store_url, embedder=CallableEmbedder(self.get_embeddings())) as memory:
            yield GenomeVectorStore(memory)
