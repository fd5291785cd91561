"""A small embedder for tests, and the suite that every embedder must pass."""
# ruff: noqa: S101 - a contract suite asserts

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from genome_core.embedders.checks import checked_texts, unit
from genome_core.protocols import Embedder, Fingerprint, Vectors

_WORD = re.compile(r"\w+")


class FakeEmbedder:
    """A hashed bag of words: texts that share words are similar. Needs no model and no file.

    Each word stands for a pseudo-random direction given by its hash, so vectors are the same in every
    process. A token is a word; two are set aside for the ends of the text, as a transformer does.
    """

    def __init__(self, dimensions: int = 64, *, window: int = 256, name: str = "fake") -> None:
        self._fingerprint = Fingerprint(name=name, digest=f"{name}/1", dimensions=dimensions, kind="fake")
        self._window = window

    @property
    def fingerprint(self) -> Fingerprint:
        return self._fingerprint

    @property
    def window(self) -> int:
        return self._window

    def count_tokens(self, text: str) -> int:
        return len(_WORD.findall(text)) + 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = [self._bag(text) for text in checked_texts(texts)]
        return unit(np.array(rows).reshape(len(rows), self._fingerprint.dimensions))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.embed([text])[0]
        return row

    def _bag(self, text: str) -> NDArray[np.float64]:
        words = _WORD.findall(text.casefold()) or [""]  # a text without words still has a direction
        bag: NDArray[np.float64] = np.sum([self._direction(word) for word in words], axis=0)
        return bag

    def _direction(self, word: str) -> NDArray[np.float64]:
        size = self._fingerprint.dimensions
        noise = b"".join(
            blake2b(word.encode(), salt=block.to_bytes(8, "little")).digest() for block in range(-(-size // 64))
        )
        return np.frombuffer(noise, dtype=np.uint8)[:size].astype(np.float64) - 127.5


SAMPLES = (
    "Ann moved to Lisbon in March and found a flat near the river.",
    "hi",
    "Die Katze schläft auf dem Sofa. 猫がソファで寝ている。 🐈",
    "On Tuesday the boiler broke again, so we called the plumber, who came at nine, left at ten and sent no bill.",
    "",
    "line one\n\n\tline two   with   spaces",
)
"""Texts of several lengths, scripts and shapes."""


def check_embedder(embedder: Embedder, *, deterministic: bool = True) -> None:
    """Assert the contract of ``Embedder``: shapes, norms, order, threads and what counts as a token.

    With ``deterministic`` the vector of a text must be the same bit for bit alone, in any batch and from
    any thread; otherwise it must be close (1e-4), as with a service.
    """
    assert isinstance(embedder, Embedder)
    width = embedder.fingerprint.dimensions
    alone = np.concatenate([embedder.embed([text]) for text in SAMPLES])
    _check_vectors(alone, len(SAMPLES), width)
    _check_vectors(embedder.embed([]), 0, width)
    same = _equal_bits if deterministic else _close

    same(embedder.embed(SAMPLES), alone, "a text has another vector in a batch")
    same(embedder.embed(SAMPLES[::-1])[::-1], alone, "the vectors are not in the order of the texts")
    with ThreadPoolExecutor(8) as pool:
        for vectors in pool.map(embedder.embed, [SAMPLES] * 8):
            same(vectors, alone, "a text has another vector when several threads embed")

    query = embedder.embed_query(SAMPLES[0])
    _check_vectors(query[np.newaxis], 1, width)
    same(embedder.embed_query(SAMPLES[0]), query, "a query has another vector when asked again")
    _check_tokens(embedder)


def _check_vectors(vectors: Vectors, count: int, width: int) -> None:
    assert vectors.dtype == np.float32
    assert vectors.shape == (count, width)
    assert np.isfinite(vectors).all()
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5), "not every row has norm 1"


def _check_tokens(embedder: Embedder) -> None:
    counts = [embedder.count_tokens(f"{'word ' * size}end") for size in (0, 10, 100)]
    assert counts == sorted(counts), "a longer text has fewer tokens"
    assert 1 <= counts[0] < counts[2]
    assert embedder.window >= counts[0], "not even one word fits the window"


def _equal_bits(left: Vectors, right: Vectors, complaint: str) -> None:
    assert np.array_equal(left, right), complaint


def _close(left: Vectors, right: Vectors, complaint: str) -> None:
    assert np.allclose(left, right, atol=1e-4), complaint
