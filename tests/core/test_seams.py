"""What can be plugged in keeps its contract, and the contracts catch what does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

import pytest

from genome_core import Memory
from genome_core.facts.extractor import RuleExtractor
from genome_core.protocols import Embedder
from genome_core.testing.seams import check_extractor, check_reranker
from genome_core.types import Fact, Hit, Record


class WordOverlap:
    """Scores a hit by the words it shares with the query."""

    def score(self, query: str, hits: Sequence[Hit]) -> list[float]:
        asked = set(query.lower().split())
        return [float(len(asked & set(hit.record.text.lower().split()))) for hit in hits]


class Forgetful(RuleExtractor):
    def extract(self, turn: Record, context: Callable[[], Sequence[Record]]) -> list[Fact]:
        return [replace(fact, source=None) for fact in super().extract(turn, context)]


class Fickle(WordOverlap):
    def __init__(self) -> None:
        self.calls = count()

    def score(self, query: str, hits: Sequence[Hit]) -> list[float]:
        return [float(next(self.calls)) for _ in hits]


def test_ours_keep_the_contracts() -> None:
    check_extractor(RuleExtractor())
    check_reranker(WordOverlap())


def test_the_contracts_catch_what_breaks_them() -> None:
    with pytest.raises(AssertionError, match="source"):
        check_extractor(Forgetful())
    with pytest.raises(AssertionError, match="follow"):
        check_reranker(Fickle())


class Watching:
    """Reads no facts, and notes which turns it is shown before each one."""

    version = "watching/1"

    def __init__(self) -> None:
        self.shown: list[list[str]] = []

    def extract(self, turn: Record, context: Callable[[], Sequence[Record]]) -> list[Fact]:
        self.shown.append([before.text for before in context()])
        return []


def test_an_extractor_is_shown_the_last_turns_of_the_same_namespace_as_trusted_as_its_own(
    store_url: str, embedder: Embedder, clock: Callable[[], datetime]
) -> None:
    extractor = Watching()
    with Memory(store_url, embedder=embedder, extractor=extractor, clock=clock) as memory:
        memory.add("of a run below", user_id="u", run_id="r")
        memory.add("of somebody else", user_id="v")
        for number in range(8):
            memory.add(f"turn {number}", user_id="u")
        memory.add("from the web", user_id="u", origin="web")
        memory.add("long ago", user_id="u", at=datetime(2020, 1, 1, tzinfo=UTC))
        memory.add("last", user_id="u")
    assert extractor.shown[:4] == [[], [], [], ["turn 0"]]
    assert extractor.shown[-3:] == [
        [f"turn {number}" for number in range(2, 8)],
        [],
        [f"turn {number}" for number in range(2, 8)],
    ]


def test_a_reranker_gives_the_order(embedder: Embedder) -> None:
    with Memory(":memory:", embedder=embedder, reranker=WordOverlap()) as memory:
        memory.add(["one two", "one", "one two three", "none of it"], user_id="u")
        hits = memory.search("one two three", user_id="u", limit=2)
        assert [(hit.record.text, hit.score) for hit in hits] == [("one two three", 3.0), ("one two", 2.0)]
