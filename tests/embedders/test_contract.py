"""Every embedder of this package against the contract suite."""

from __future__ import annotations

import pytest

from genome_core.embedders import CallableEmbedder, OnnxEmbedder, SentenceTransformerEmbedder
from genome_core.testing.embedders import FakeEmbedder, check_embedder


@pytest.mark.parametrize("dimensions", [1, 3, 64, 384, 1000])
def test_fake_embedder_keeps_the_contract(dimensions: int) -> None:
    check_embedder(FakeEmbedder(dimensions))


def test_onnx_embedder_keeps_the_contract(onnx: OnnxEmbedder) -> None:
    check_embedder(onnx)


def test_sentence_transformer_embedder_keeps_the_contract(torch_minilm: SentenceTransformerEmbedder) -> None:
    check_embedder(torch_minilm)


def test_callable_embedder_keeps_the_contract() -> None:
    check_embedder(CallableEmbedder(FakeEmbedder(16).embed))
