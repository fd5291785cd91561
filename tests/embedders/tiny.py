"""Models small enough to be made on the spot: the same files and code paths as the real ones."""

from __future__ import annotations

import string
from pathlib import Path

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.ascii_lowercase]
VOCABULARY += [f"##{letter}" for letter in string.ascii_lowercase]
VOCABULARY += ["the", "cat", "dog", "sat", "ran", "home", ".", ","]
WIDTH = 16
WINDOW = 24


def make_transformer(folder: Path, *, pooling: str = "mean", prompts: dict[str, str] | None = None) -> Path:
    """A BERT of one layer with fixed random weights, saved in the layout of sentence-transformers."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    raw = folder.with_name(f"{folder.name}-raw")
    raw.mkdir(parents=True)
    (raw / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", "utf-8")
    BertTokenizerFast(vocab=str(raw / "vocab.txt")).save_pretrained(raw)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=WIDTH,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(raw)
    modules = [Transformer(str(raw), max_seq_length=WINDOW), Pooling(WIDTH, pooling_mode=pooling), Normalize()]
    SentenceTransformer(modules=modules, prompts=prompts, device="cpu").save(str(folder))
    return folder


def make_static(folder: Path) -> Path:
    """A static model with fixed random vectors, saved by model2vec."""
    import numpy as np
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    vocabulary = {token: number for number, token in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    vectors = np.random.default_rng(7).standard_normal((len(VOCABULARY), WIDTH)).astype(np.float32)
    StaticModel(vectors, tokenizer, normalize=True).save_pretrained(folder)
    return folder
