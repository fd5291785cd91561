"""Sources of unequal trust in one slot: what the more trusted said stands, what the less trusted said fills its gaps.

A less trusted assertion, end, correction or retraction never touches what a more trusted source said; the other way round it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from genome_core.facts.windows import Basis, Entry, Window, resolve
from genome_core.types import Precision, TimeSpan

Tier: TypeAlias = Callable[[str], int]
"""How far an origin is trusted: more where the number is higher."""


def alike(_origin: str) -> int:
    """All origins are trusted alike."""
    return 0


def layered(entries: Sequence[Entry], tier: Tier) -> list[Window]:
    """The windows of entries of which at most one value holds at a time, in order of time."""
    found = levels(entries, tier)
    if len(found) < 2:
        return resolve(entries)
    windows: list[Window] = []
    for level in found:
        covered = tuple(windows)
        for window in windows_of(entries, level, tier):
            windows += _uncovered(window, covered)
    lasting = [window for window in windows if window.begins != window.ends]  # an end alone, of what another tier began
    return sorted(lasting, key=lambda window: window.begins)


def levels(entries: Sequence[Entry], tier: Tier) -> list[int]:
    """The tiers that have entries, the highest first."""
    return sorted({tier(entry.fact.origin) for entry in entries}, reverse=True)


def windows_of(entries: Sequence[Entry], level: int, tier: Tier) -> list[Window]:
    """What the sources of one tier say held; the ends that more trusted ones told count for them too."""
    own = [e for e in entries if (t := tier(e.fact.origin)) == level or (t > level and e.is_end)]
    return [window for window in resolve(own) if any(tier(fact.origin) == level for fact in window.facts)]


def _uncovered(window: Window, covered: Sequence[Window]) -> list[Window]:
    parts = [window]
    for other in covered:
        parts = [left for part in parts for left in _without(part, other)]
    return parts


def _without(window: Window, other: Window) -> list[Window]:
    """What is left of a window outside another one."""
    if (other.ends is not None and other.ends <= window.begins) or (
        window.ends is not None and window.ends <= other.begins
    ):
        return [window]
    left = []
    if window.begins < other.begins:
        edge = other.start or TimeSpan(other.begins, other.begins, Precision.UNKNOWN)
        left.append(replace(window, ends=other.begins, end=edge))
    if other.ends is not None and (window.ends is None or other.ends < window.ends):
        edge = TimeSpan(other.ends, other.ends, Precision.UNKNOWN)
        left.append(replace(window, begins=other.ends, start=edge, basis=Basis.SEEN))
    return left
