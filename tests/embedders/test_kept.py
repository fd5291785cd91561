"""Vectors of sentences that come with the package are embedded once on a machine, not once in each process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from genome_core.embedders.kept import kept_vectors
from genome_core.protocols import Fingerprint, Vectors
from genome_core.testing.embedders import FakeEmbedder

TEXTS = ("I moved to Oslo.", "She works at Acme.")
MODEL = Fingerprint("fake", "0" * 64, 16, "transformer")


@dataclass
class Counting:
    """Counts the texts that are embedded."""

    embedder: FakeEmbedder = field(default_factory=lambda: FakeEmbedder(16))
    texts: int = 0

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        return self.embedder.embed(texts)


def test_the_next_process_embeds_nothing(empty_cache: Path) -> None:
    first, second = Counting(), Counting()
    vectors = kept_vectors(first, MODEL, TEXTS)
    assert np.array_equal(kept_vectors(second, MODEL, TEXTS), vectors)
    assert np.array_equal(vectors, FakeEmbedder(16).embed(TEXTS))
    assert (first.texts, second.texts) == (2, 0)


@pytest.mark.parametrize(
    ("model", "texts"),
    [
        (Fingerprint("fake", "1" * 64, 16, "transformer"), TEXTS),
        (Fingerprint("fake", "0" * 64, 16, "static"), TEXTS),
        (MODEL, TEXTS[::-1]),
    ],
)
def test_another_model_or_other_sentences_are_embedded(
    empty_cache: Path, model: Fingerprint, texts: Sequence[str]
) -> None:
    kept_vectors(Counting(), MODEL, TEXTS)
    other = Counting()
    kept_vectors(other, model, texts)
    assert other.texts == 2


@pytest.mark.parametrize("kind", ["callable", "service", "fake"])
def test_what_is_known_by_its_name_only_is_not_kept(empty_cache: Path, kind: str) -> None:
    for _ in range(2):
        embed = Counting()
        kept_vectors(embed, Fingerprint("mine", "mine", 16, kind), TEXTS)
        assert embed.texts == 2
    assert not empty_cache.exists()


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"x" * 100])
def test_a_damaged_file_is_made_anew(empty_cache: Path, content: bytes) -> None:
    vectors = kept_vectors(Counting(), MODEL, TEXTS)
    [file] = (empty_cache / "sentences").iterdir()
    file.write_bytes(content)
    assert np.array_equal(kept_vectors(Counting(), MODEL, TEXTS), vectors)
    third = Counting()
    kept_vectors(third, MODEL, TEXTS)
    assert third.texts == 0


def test_without_a_cache_they_are_embedded_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GENOME_CACHE", str(tmp_path / "file"))
    for _ in range(2):
        embed = Counting()
        assert kept_vectors(embed, MODEL, TEXTS).shape == (2, 16)
        assert embed.texts == 2
