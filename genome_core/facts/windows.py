"""Windows: the stretches in which values held, cut out of log entries by walking through them in order of effect.

This is the inner half of the fact log; ``genome_core.facts.log`` says which entries are in effect and is what callers use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import groupby

from genome_core.types import Fact, FactKind, Precision, TimeSpan


class Basis(StrEnum):
    """How the beginning of a window is known."""

    DATED = "dated"
    """The words tell when it began."""
    SEEN = "seen"
    """It was said to hold at a time; when it began is not known."""
    IMPLIED = "implied"
    """Only its end was told: it must have held just before."""


@dataclass(frozen=True, slots=True)
class Window:
    """A value and the half-open stretch ``[begins, ends)`` in which it is known to have held.

    ``start`` and ``end`` say how well the boundaries are known: as the interval the words gave; as an interval of
    precision ``unknown`` where only the limits are known (the change came somewhere in it); None for a start that is
    not known at all and for an end that has not come. ``ends`` is None while the value still holds.
    """

    value: str
    begins: datetime
    ends: datetime | None
    start: TimeSpan | None
    end: TimeSpan | None
    basis: Basis
    certainty: float
    facts: tuple[Fact, ...]
    """The entries behind it, in order of effect: what began, confirmed and ended it."""

    def holds_at(self, moment: datetime) -> bool:
        """Whether ``moment`` lies in the window."""
        return self.begins <= moment and (self.ends is None or moment < self.ends)

    def overlap(self, span: TimeSpan) -> float:
        """How many seconds of ``span`` the window covers; for an instant 1.0 if it lies inside, else 0.0."""
        if span.start == span.end:
            return float(self.holds_at(span.start))
        stop = span.end if self.ends is None else min(self.ends, span.end)
        return max(0.0, (stop - max(self.begins, span.start)).total_seconds())


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact in effect, with the beginning that counts (a correction may take that of what it replaces)."""

    fact: Fact
    span: TimeSpan | None
    implicit: bool = False
    """An end that stands for the ``valid_to`` of an assertion."""

    @property
    def value(self) -> str:
        return self.fact.value or ""

    @property
    def is_end(self) -> bool:
        return self.fact.kind is FactKind.END or self.implicit

    @property
    def position(self) -> datetime:
        """When the entry takes effect."""
        if self.span is None:
            return self.fact.at
        latest = self.is_end or self.span.precision is Precision.UNKNOWN
        return self.span.end if latest else self.span.start

    @property
    def earliest(self) -> datetime:
        return self.fact.at if self.span is None else self.span.start


def told(fact: Fact) -> tuple[datetime, datetime, str, str, tuple[int, int], str]:
    """Order of telling; content breaks ties, so that generated ids do not."""
    return fact.at, fact.recorded_at or fact.at, fact.value or "", fact.source or "", fact.span or (0, 0), fact.id


def value_key(value: str) -> str:
    """What makes two values the same: letter case, spacing and a leading article do not matter."""
    return re.sub(r"^(?:the|an?)\s+", "", " ".join(value.casefold().split()))


def same_value(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and value_key(one) == value_key(other)


def speaks_of(end: Fact, value: str | None) -> bool:
    """Whether an end or a retraction speaks of ``value``: by a part of its words too ("the Golf" for "a used VW Golf")."""
    if end.value is None or value is None:
        return end.value is None
    one, other = set(value_key(end.value).split()), set(value_key(value).split())
    return one <= other or other <= one


def resolve(entries: Iterable[Entry]) -> list[Window]:
    """The windows of entries of which at most one value holds at a time."""
    events = [event for entry in entries for event in _events(entry)]
    events.sort(key=lambda event: (event.position, told(event.fact)))
    course = _Course()
    for _, together in groupby(events, key=lambda event: event.position):
        group = list(together)
        for event in group:
            if event.is_end:
                course.end(event)
        for event in _winners(group):
            course.begin(event)
    return course.windows()


def _events(entry: Entry) -> list[Entry]:
    stop = entry.fact.valid_to
    if stop is None or entry.is_end:
        return [entry]
    return [entry, Entry(entry.fact, stop, implicit=True)]


def _winners(group: Sequence[Entry]) -> list[Entry]:
    """Of beginnings at the same instant, the value said last, unless an end at that very instant was said later still."""
    starts = [event for event in group if not event.is_end]
    for end in group:
        if end.is_end and not end.implicit and end.earliest == end.position:
            starts = [s for s in starts if told(s.fact) > told(end.fact) or not speaks_of(end.fact, s.fact.value)]
    return [event for event in starts if same_value(event.fact.value, starts[-1].fact.value)]


@dataclass(slots=True)
class _Open:
    """A window that has not ended yet."""

    value: str
    begins: datetime
    start: TimeSpan | None
    basis: Basis
    facts: list[Fact]
    seen: datetime
    """When it was last known to hold."""

    def close(self, ends: datetime | None, end: TimeSpan | None) -> Window:
        certainty = max(fact.certainty for fact in self.facts)
        facts = tuple(dict.fromkeys(self.facts))
        return Window(self.value, self.begins, ends, self.start, end, self.basis, certainty, facts)


class _Course:
    """Walks through the entries in order of effect and cuts the windows."""

    def __init__(self) -> None:
        self._done: list[Window] = []
        self._open: _Open | None = None

    def windows(self) -> list[Window]:
        return self._done + ([self._open.close(None, None)] if self._open else [])

    def begin(self, event: Entry) -> None:
        """A value begins, or is confirmed: saying it again does not split its window."""
        if self._open and same_value(self._open.value, event.value):
            self._open.facts.append(event.fact)
            self._open.seen = event.position
            return
        span = event.span or self._unknown_until(event.position)
        basis = Basis.SEEN if span is None or span.precision is Precision.UNKNOWN else Basis.DATED
        if self._open:
            self._done.append(self._open.close(event.position, span))
        self._open = _Open(event.value, event.position, span, basis, [event.fact], event.position)

    def end(self, event: Entry) -> None:
        """A value ends. If its beginning was never told, the end alone shows that it held before."""
        if self._open and self._ends_open(event, self._open):
            self._open.facts.append(event.fact)
            self._done.append(self._open.close(event.position, event.span or self._unknown_until(event.position)))
            self._open = None
        elif self._open is None and event.fact.value is not None and not event.implicit:
            if self._done and speaks_of(event.fact, self._done[-1].value):
                last = self._done[-1]
                self._done[-1] = replace(last, facts=tuple(dict.fromkeys((*last.facts, event.fact))))
            else:
                self._imply(event, event.fact.value)

    def _imply(self, event: Entry, value: str) -> None:
        earlier = self._done[-1].ends if self._done else None
        begins = max(event.earliest, earlier) if earlier else event.earliest
        start = self._unknown_until(begins)
        implied = _Open(value, begins, start, Basis.IMPLIED, [event.fact], begins)
        self._done.append(implied.close(event.position, event.span or TimeSpan(begins, begins, Precision.UNKNOWN)))

    def _unknown_until(self, moment: datetime) -> TimeSpan | None:
        """The stretch in which an untold change must lie; None if nothing is known before it."""
        since = self._open.seen if self._open else (self._done[-1].ends if self._done else None)
        return None if since is None else TimeSpan(min(since, moment), moment, Precision.UNKNOWN)

    @staticmethod
    def _ends_open(event: Entry, current: _Open) -> bool:
        if event.implicit:
            return same_value(event.fact.value, current.value)
        if not speaks_of(event.fact, current.value) or current.begins >= event.position:
            return False
        # "She left in March" beside "She joined Acme in March": the unnamed thing that ended is the one before,
        # unless the end was said later, in another turn.
        first = current.facts[0]
        named, before = event.fact.value is not None, current.begins < event.earliest
        return (
            named
            or before
            or event.earliest == event.position
            or (told(event.fact) > told(first) and event.fact.source != first.source)
        )
