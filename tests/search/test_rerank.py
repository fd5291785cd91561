"""The cross-encoder adapter, on a tiny model with random weights: what it scores is noise, how it is called is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from genome_core.protocols import Reranker
from genome_core.search.rerank import CrossEncoderReranker
from genome_core.types import Hit, Record


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("cross-encoder")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "user", ":", "tea", "coffee", "rain"]
    BertTokenizer(vocab={word: number for number, word in enumerate(words)}).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        initializer_range=1.0,
        max_position_embeddings=64,
    )
    config.num_labels = 1
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_each_hit_gets_the_score_of_its_own_text(tiny_model: Path) -> None:
    reranker = CrossEncoderReranker(tiny_model, device="cpu")
    assert isinstance(reranker, Reranker)
    hits = [Hit(Record(text=text), 0.0) for text in ("tea", "coffee", "tea", "rain")]
    scores = reranker.score("tea", hits)
    assert len(scores) == 4
    assert scores[0] == pytest.approx(scores[2])
    assert scores[0] != pytest.approx(scores[1])


def test_no_hits_load_no_model() -> None:
    assert CrossEncoderReranker("no/such-model").score("tea", []) == []
