"""A pytest plugin for LangChain's own tests of indexing: puts GENOME's record manager and vector store into them.

``GENOME_UPSTREAM_STORE`` says where both go: a path, ``:memory:`` or a database URL; each object gets a namespace of its own.
Loaded with ``-p`` in another process.
"""

from __future__ import annotations

import os
import uuid
from functools import cache
from typing import Any

import langchain_classic.indexes._sql_record_manager as classic_manager
import langchain_core.indexing as core_indexing
import langchain_core.vectorstores as core_stores
import pytest
from genome_langchain import GenomeRecordManager, GenomeVectorStore
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings

from genome_core import Memory
from genome_core.embedders import CallableEmbedder

_made = {"record managers": 0, "vector stores": 0}


@cache
def _memory() -> Memory:
    embedder = CallableEmbedder(DeterministicFakeEmbedding(size=5))
    return Memory(os.environ["GENOME_UPSTREAM_STORE"], embedder=embedder, extractor=None)


class _Manager(GenomeRecordManager):
    def __init__(self, namespace: str, **_options: Any) -> None:
        super().__init__(f"{namespace} {uuid.uuid4()}", _memory())
        _made["record managers"] += 1


class _Store(GenomeVectorStore):
    def __init__(self, _embedding: Embeddings) -> None:
        super().__init__(_memory(), namespace=("upstream", uuid.uuid4().hex))
        _made["vector stores"] += 1

    @property
    def store(self) -> dict[str, dict[str, Any]]:
        """What the tests look at in LangChain's own store."""
        page = self.memory.get_all(namespace=self.namespace, limit=1000)
        return {record.id: {"id": record.id, "text": record.text, "metadata": record.metadata} for record in page}


def pytest_configure(config: pytest.Config) -> None:
    setattr(core_indexing, "InMemoryRecordManager", _Manager)  # noqa: B010 -- mypy knows it as a type
    setattr(core_stores, "InMemoryVectorStore", _Store)  # noqa: B010
    setattr(classic_manager, "SQLRecordManager", _Manager)  # noqa: B010


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for name, number in _made.items():
        terminalreporter.write_line(f"made {number} {name}")
