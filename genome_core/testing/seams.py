"""Contract suites for what a user can plug in, beside the one for embedders: they raise AssertionError naming what is wrong."""

# ruff: noqa: S101 -- a contract suite speaks in assertions

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from genome_core.protocols import FactExtractor, Reranker
from genome_core.types import Hit, Record

SAID_AT = datetime(2024, 3, 10, 9, 30, tzinfo=UTC)
TURNS = (
    "I moved to Oslo last month.",
    "Maya works at Acme now, and her sister Ann lives in Leeds.",
    "Should we go to Rome in May?",
    "thinking about getting a dog someday lol",
    "no way!! 😀\n\n  ...",
    "",
    "She quit.",
)


def check_extractor(extractor: FactExtractor) -> None:
    """Whether an extractor keeps its contract on a few ordinary turns.

    It names itself and its version, gives the same facts for the same turn, says which words each came from, and leaves to
    the store what is the store's.
    """
    assert extractor.version.strip(), "an extractor has a name and a version"
    before = [Record(text="Maya called.", id="before", namespace=("user:u",), name="Sam", at=SAID_AT)]
    for number, text in enumerate(TURNS):
        turn = Record(text=text, id=f"turn{number}", namespace=("user:u",), name="Sam", at=SAID_AT, origin="tool")
        first, again = (list(extractor.extract(turn, lambda: before)) for _ in range(2))
        assert first == again, f"two readings of {text!r} differ"
        for fact in first:
            assert fact.source == turn.id, f"{fact} does not name its source"
            assert fact.span is not None, f"{fact} does not say which words it came from"
            assert 0 <= fact.span[0] < fact.span[1] <= len(text), f"the span of {fact} lies outside its turn"
            assert fact.extractor == extractor.version, f"{fact} does not name its extractor"
            assert fact.origin == turn.origin, f"{fact} hides the origin of its turn"
            assert fact.at == turn.at, f"{fact} was said at another time than its turn"
            assert fact.subject.strip(), f"{fact} has no subject"
            assert fact.attribute.strip(), f"{fact} has no attribute"


def check_reranker(reranker: Reranker) -> None:
    """Whether a reranker gives one finite score for each hit, in the order of the hits."""
    texts = ["The cat sat on the mat.", "Interest rates rose again.", "A kitten was asleep on the rug."]
    hits = [Hit(Record(text=text, id=str(number)), 0.5) for number, text in enumerate(texts)]
    for count in (0, 1, 3):
        scores: Sequence[float] = reranker.score("Where is the cat?", hits[:count])
        assert len(scores) == count, f"{len(scores)} scores for {count} hits"
        assert all(abs(float(score)) < float("inf") for score in scores), f"a score is not finite: {scores}"
    forward, backward = reranker.score("cat", hits), reranker.score("cat", hits[::-1])
    assert [round(float(s), 4) for s in forward] == [round(float(s), 4) for s in backward][::-1], (
        "scores follow the hits"
    )
