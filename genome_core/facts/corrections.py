"""Corrections of what was said before: "scratch that", "it's Bergen, not Oslo"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from genome_core.types import Fact, Record

if TYPE_CHECKING:
    from genome_core.facts.extractor import RuleExtractor


def corrections(
    extractor: RuleExtractor, turn: Record, context: Callable[[], Sequence[Record]], found: Sequence[Fact]
) -> list[Fact]:
    return []
