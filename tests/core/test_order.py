"""The order of what is found and listed (cases K10-04, K10-13, K14-03, K14-06)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from genome_core import Memory
from genome_core.protocols import Embedder
from genome_core.search.rank import DECIMALS
from genome_core.testing.embedders import FakeEmbedder

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


def test_equal_scores_come_latest_first_then_by_arrival_on_every_database(memory: Memory) -> None:
    moments = [NOON, NOON + timedelta(hours=1), NOON, NOON + timedelta(hours=1), NOON]
    for n, at in enumerate(moments):
        memory.add({"content": "the same words", "id": f"{n}", "at": at}, user_id="u", run_id=f"r{n}")
    for _ in range(3):
        assert [hit.record.id for hit in memory.search("same words", user_id="u", mode="dense")] == [
            "1",
            "3",
            "0",
            "2",
            "4",
        ]


def test_a_search_without_a_query_lists_the_newest_stably(memory: Memory) -> None:
    memory.add([{"content": f"turn {n}", "id": f"{n}", "at": NOON} for n in range(10)], user_id="u")
    expected = [f"{n}" for n in reversed(range(10))]
    for limit in (3, 10, 20):
        assert [hit.record.id for hit in memory.search("", user_id="u", limit=limit)] == expected[:limit]
    assert [record.id for record in memory.get_all(user_id="u", newest_first=True)] == expected


def test_writers_of_one_instant_each_keep_their_order(memory: Memory) -> None:
    def write(writer: int) -> None:
        for n in range(25):
            memory.add({"content": f"writer {writer} turn {n}", "at": NOON}, user_id="u")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    read = [record.text for record in memory.get_all(user_id="u", limit=200)]
    assert read == [record.text for record in memory.get_all(user_id="u", limit=200)]
    for writer in range(4):
        mine = [text for text in read if text.startswith(f"writer {writer} ")]
        assert mine == [f"writer {writer} turn {n}" for n in range(25)]


@pytest.mark.parametrize("step", [1, 2, 20, 200, 2000])
def test_many_hits_under_any_filter_are_exactly_the_nearest(
    durable_store_url: str, embedder: Embedder, step: int
) -> None:
    assert_nearest(durable_store_url, embedder, 6_000, [step])


def test_many_hits_among_a_hundred_thousand_records_are_exactly_the_nearest(sqlite_url: str) -> None:
    assert_nearest(sqlite_url, FakeEmbedder(8), 100_000, [1, 2, 2_000])


def assert_nearest(store: str, embedder: Embedder, count: int, steps: Sequence[int]) -> None:
    """Of so many records, a filter lets through one in each of the steps."""
    vectors = np.random.default_rng(3).normal(size=(count, embedder.fingerprint.dimensions)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    notes = [{"content": f"{n}", "id": f"{n}", "metadata": {f"{s}": n % s for s in steps}} for n in range(count)]
    cosines = np.round(vectors.astype(np.float64) @ vectors[0].astype(np.float64), DECIMALS)
    with Memory(store, embedder=embedder, extractor=None) as memory:
        for start in range(0, count, 5_000):
            part = slice(start, start + 5_000)
            memory.add(notes[part], user_id="u", at=NOON, vectors=list(vectors[part]))
        for step in steps:
            filter = {f"{step}": 0}
            found = memory.search("any", vector=vectors[0], user_id="u", mode="dense", filter=filter, limit=5000)
            nearest = sorted(range(0, count, step), key=lambda n: (-cosines[n], n))[:5000]
            assert [hit.record.id for hit in found] == [f"{n}" for n in nearest]
