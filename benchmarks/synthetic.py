"""Synthetic turns and vectors for the measurements of the engine and its peers, and how their times are taken."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genome_core import Memory
from genome_core.protocols import Fingerprint, Vectors

WIDTH = 384
USER = "user"
WORDS = (
    "garden music painting travel city school family weekend project running book movie dinner friend camping mountain river "
    "photo dance class meeting report train bicycle kitchen letter doctor holiday window coffee market concert winter summer"
).split()
QUESTION = "When was the dinner at the river with my family?"


class GivenVectors:
    """An embedder for benchmarks without embedding: vectors are drawn, not computed."""

    fingerprint = Fingerprint("given", "given", WIDTH, "callable")
    window = 256

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> Vectors:
        return unit(self._random, len(texts))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector


def unit(generator: np.random.Generator, count: int) -> Vectors:
    vectors = generator.standard_normal((count, WIDTH), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def turns(count: int, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    return [f"{' '.join(draw.choices(WORDS, k=20))} {seed}-{number}." for number in range(count)]


def median_ms(call: Callable[[], Any], times: int, clock: Callable[[], float] = time.perf_counter) -> float:
    taken = []
    for _ in range(times):
        started = clock()
        call()
        taken.append(clock() - started)
    return 1e3 * statistics.median(taken)


def load(store: Memory, texts: Sequence[str], vectors: Vectors, batch: int, user: str = USER) -> float:
    """Adds the texts; returns the seconds it took."""
    started = time.perf_counter()
    for start in range(0, len(texts), batch):
        store.add(texts[start : start + batch], user_id=user, vectors=list(vectors[start : start + batch]))
    return time.perf_counter() - started


def rate(rows: int, seconds: float) -> dict[str, float]:
    return {"rows_a_second": rows / seconds, "us_a_row": 1e6 * seconds / rows}


def numpy_search(vectors: Vectors, query: NDArray[np.float32], limit: int = 10) -> NDArray[np.intp]:
    scores = vectors @ query
    best = np.argpartition(-scores, limit)[:limit]
    order: NDArray[np.intp] = best[np.argsort(-scores[best])]
    return order
