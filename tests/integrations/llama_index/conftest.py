"""The engine's embedder for LlamaIndex."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from genome_llama_index import GenomeEmbedding

if TYPE_CHECKING:
    from genome_core.testing.embedders import FakeEmbedder


@pytest.fixture
def embed_model(embedder: FakeEmbedder) -> GenomeEmbedding:
    """The memory's embedder as LlamaIndex sees it."""
    return GenomeEmbedding(embedder)
