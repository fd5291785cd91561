#!/usr/bin/env python3
"""How fast the resident index answers, beside plain numpy as the floor, all in one run.

    OMP_NUM_THREADS=1 python benchmarks/search_speed.py [--rows 100 1000 10000 100000] [--dimensions 384]

Vectors and words are synthetic: turns of 12 words drawn by Zipf's law from 30,000, two speakers, sessions of 30 turns; questions of six words,
three of them from one turn, half of the questions naming a speaker. Times are medians over the questions, in ms of CPU (a busy machine would distort the
clock on the wall), without embedding and without the database.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tables import Table

from genome_core.search.index import Block, Entry, ScopeIndex
from genome_core.search.question import Query, parse
from genome_core.search.rank import Criteria, Mode, rank

NOW = datetime(2024, 6, 1, tzinfo=UTC)
MICROS = int(NOW.timestamp() * 1e6)
MODES: tuple[Mode, ...] = ("dense", "lexical", "hybrid")
VOCABULARY, WORDS, SESSION, SPEAKERS = 30_000, 12, 30, ("Ann", "Ben")


def unit(random: np.random.Generator, rows: int, dimensions: int) -> NDArray[np.float32]:
    vectors = random.standard_normal((rows, dimensions), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def word(number: int) -> str:
    """A word of letters only: with digits it would count as several terms."""
    return "w" + "".join(chr(97 + (number // 26**place) % 26) for place in range(4)) + "x"


def turns(random: np.random.Generator, rows: int) -> list[Entry]:
    words = ((random.zipf(1.2, (rows, WORDS)) - 1) % VOCABULARY).tolist()
    return [
        Entry(
            key=row,
            session=row // SESSION,
            at=MICROS - (rows - row) * 60_000_000,
            order=row,
            speaker=SPEAKERS[row % 2],
            expires_at=None,
            passages=[(None, " ".join(map(word, words[row])))],
        )
        for row in range(rows)
    ]


def questions(random: np.random.Generator, entries: Sequence[Entry], dimensions: int, count: int) -> list[Query]:
    made = []
    for place in range(count):
        known = entries[int(random.integers(len(entries)))].passages[0][1].split()[:3]
        others = [word(number) for number in random.integers(VOCABULARY, size=3).tolist()]
        text = " ".join(["What did Ann say about" if place % 2 else "what about", *known, *others])
        made.append(parse(text, SPEAKERS, NOW).with_vector(unit(random, 1, dimensions)[0]))
    return made


def timed(calls: Mapping[str, Callable[[Any], object]], arguments: Sequence[Any]) -> dict[str, float]:
    """Medians in ms of CPU; the calls take turns, so that what else the machine does hits them alike."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for argument in arguments:
        for name, call in calls.items():
            start = time.process_time()
            call(argument)
            times[name].append(time.process_time() - start)
    return {name: 1e3 * median(values) for name, values in times.items()}


def floor(vectors: NDArray[np.float32], query: Query) -> NDArray[np.intp]:
    """A matrix-vector product and the ten best: what no exact search can do without."""
    assert query.vector is not None
    scores = vectors @ query.vector
    best = np.argpartition(scores, -10)[-10:]
    return best[np.argsort(-scores[best])]


def block(entries: Sequence[Entry], vectors: NDArray[np.float32]) -> Block:
    return Block(
        keys=[entry.key for entry in entries],
        sessions=[entry.session for entry in entries],
        at=[entry.at for entry in entries],
        order=[entry.order for entry in entries],
        speakers=[entry.speaker for entry in entries],
        expires_at=[entry.expires_at for entry in entries],
        passages=np.ones(len(entries), np.int64),
        terms=[entry.passages[0][1] for entry in entries],
        vectors=vectors[: len(entries)],
        has_vector=np.ones(len(entries), np.bool_),
    )


def measure(rows: int, dimensions: int) -> dict[str, float]:
    random = np.random.default_rng(0)
    entries, vectors = turns(random, rows), unit(random, rows, dimensions)
    index = ScopeIndex(dimensions)
    start = time.process_time()
    index.add_blocks(block(entries[first : first + 10_000], vectors[first:]) for first in range(0, rows, 10_000))
    result = {"load s": time.process_time() - start, "MB": index.nbytes / 1e6}
    asked = questions(random, entries, dimensions, max(20, min(200, 2_000_000 // rows)))
    calls: dict[str, Callable[[Query], object]] = {"numpy": lambda query: floor(index.vectors.data, query)}
    calls |= {mode: partial(rank, index, wanted=Criteria(MICROS, 10, mode)) for mode in MODES}
    calls["filtered"] = partial(rank, index, wanted=Criteria(MICROS, 10), allowed=lambda keys: keys % 2 == 0)
    timed(calls, asked[:3])
    result |= timed(calls, asked)
    new = [
        Entry(rows + i, i % 3, MICROS, i, "Ann", None, [(vectors[0], entries[i % rows].passages[0][1])])
        for i in range(50)
    ]
    result |= timed({"add one": lambda entry: index.add([entry])}, new)
    result |= timed({"remove one": lambda entry: index.remove([entry.key])}, new)
    result["dense/numpy"] = result["dense"] / result["numpy"]
    result["hybrid/dense"] = result["hybrid"] / result["dense"]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", type=int, default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--dimensions", type=int, default=384)
    arguments = parser.parse_args()
    results = {rows: measure(rows, arguments.dimensions) for rows in arguments.rows}
    table = Table("The index in RAM alone, CPU", list(next(iter(results.values()))), unit="ms")
    for rows, result in results.items():
        table.row(f"{rows:,} records", *result.values())


if __name__ == "__main__":
    main()
