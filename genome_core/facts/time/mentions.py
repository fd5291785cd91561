"""What the grammar of time gives back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from genome_core.types import TimeSpan


class TimeRole(StrEnum):
    """What a mention says about the thing it is said of."""

    AT = "at"
    """It is or happens within ``start``."""
    SINCE = "since"
    """It begins within ``start``; its end is open."""
    UNTIL = "until"
    """It ends within ``end``; its start is open."""
    RANGE = "range"
    """It begins within ``start`` and ends within ``end``."""
    DURATION = "duration"
    """It has held for a while ("for three years now"): it began within ``start``; its end is open."""


class Lean(StrEnum):
    """Which occurrence a date without its year ("in March", "on Friday") means."""

    TENSE = "tense"
    """The words near it decide: the next one after "will", "going to" and the like, else the latest."""
    PAST = "past"
    """The latest one that has begun."""
    FUTURE = "future"
    """The first one that is not over."""


@dataclass(frozen=True, slots=True)
class TimeMention:
    """One time expression of a text.

    ``before X`` is UNTIL with an empty ``end`` at the first instant of X, ``after X`` is SINCE with an empty
    ``start`` at the first instant after X; both keep X's precision (a vague X stays as wide as it is). ``by X`` and ``until X`` have X itself as
    ``end``, ``since X`` has X itself as ``start``. So ``end.end`` is always the latest instant at which it can
    have ended, and ``start.start`` the earliest at which it can have begun.
    """

    span: tuple[int, int]
    """Offsets in the text, with the preposition that belongs to it: ``since 2019``, ``in March``."""
    role: TimeRole
    start: TimeSpan | None
    """The stretch in which it begins, or the stretch that is meant (AT)."""
    end: TimeSpan | None
    """The stretch in which it ends (UNTIL, RANGE)."""
    inferred: bool = False
    """Part of the date (year, month or week) is not in the words; ``Lean`` chose it."""
