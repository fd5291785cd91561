"""The fact log resolved: what held when, out of append-only entries that arrive in any order.

Everything here is a pure function over the entries of one *slot*, that is of one subject and one attribute. Nothing
depends on the order of the list. Entries take effect by their time in the world; retractions and corrections, which
speak about other entries, by the time at which they were said (``at``, then ``recorded_at``, then content), so that an
old chat that is imported late changes nothing.

Times in words are intervals. A beginning counts from the first instant of its interval and an ending from its last one:
"from March 2023 to May 2023" holds from 1 March up to, not including, 1 June. Where a value follows another, the later
beginning decides. An assertion without a beginning ("I live in Oslo") is known to hold from the moment it was said.

``tier`` says how far each origin is trusted. What a less trusted source says never ends, corrects or takes back what a more trusted one
said: it fills the gaps (see ``layers``), and where it disagrees it is a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import combinations

from genome_core.errors import InvalidInput
from genome_core.facts.layers import Tier, alike, layered, levels, windows_of
from genome_core.facts.minds import is_settled, settled, standing
from genome_core.facts.windows import Basis, Entry, Window, same_value, speaks_of, told, value_key
from genome_core.types import Fact, FactKind, Precision, TimeSpan

__all__ = [
    "MIN_CERTAINTY",
    "Basis",
    "Conflict",
    "Knowledge",
    "Window",
    "check",
    "check_end",
    "conflicts",
    "holding",
    "knowledge",
    "timeline",
    "value_key",
]

MIN_CERTAINTY = 0.5
"""Entries below this (hearsay, guesses) are kept in the log but never resolve to a value."""


class Knowledge(StrEnum):
    """What the log can say about a moment."""

    HELD = "held"
    NONE = "none"
    """Known to have no value: it ended, or it was taken back."""
    UNKNOWN = "unknown"
    """The log has never heard of it for that time."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two windows, or two entries, of which at most one can be true from ``begins`` to ``ends`` (None: still)."""

    begins: datetime
    ends: datetime | None
    one: Fact
    other: Fact


def check(fact: Fact) -> None:
    """Refuse an entry that could never be resolved.

    Raises InvalidInput for a blank subject or attribute, a value missing where one is needed, a time without a zone, a
    certainty outside 0..1 and an end before the start. Start and end at the same instant are allowed: the interval is void.
    """
    if not fact.subject.strip() or not fact.attribute.strip():
        raise InvalidInput("a fact needs a subject and an attribute", hint="give both as text that is not blank")
    needs_value = fact.kind in (FactKind.ASSERTION, FactKind.CORRECTION)
    if (fact.value is None and needs_value) or (fact.value is not None and not fact.value.strip()):
        raise InvalidInput(f"a {fact.kind} needs a value", hint="give the value as text that is not blank")
    if not 0.0 <= fact.certainty <= 1.0:
        raise InvalidInput(f"certainty {fact.certainty} is outside 0..1", hint="give a number from 0 to 1")
    spans = [span for span in (fact.valid_from, fact.valid_to) if span is not None]
    moments = [fact.at, *([fact.recorded_at] if fact.recorded_at else [])]
    for moment in (*moments, *(edge for span in spans for edge in (span.start, span.end))):
        if moment.tzinfo is None:
            raise InvalidInput(f"{moment} has no time zone", hint="give aware datetimes, for example in UTC")
    if any(span.end < span.start for span in spans):
        raise InvalidInput("a time span ends before it starts", hint="swap its start and end")
    if fact.valid_from and fact.valid_to and fact.valid_to.end < fact.valid_from.start:
        raise InvalidInput("valid_to lies before valid_from", hint="swap them, or leave valid_to out")


def check_end(facts: Iterable[Fact], end: Fact, *, many: bool = False, tier: Tier = alike) -> None:
    """Refuse an end, asserted by a caller, that lies before everything it could end (raises InvalidInput).

    For entries read from text this is no error: the beginning may be told later.
    """
    check(end)
    stop = _stops(end)
    windows = timeline(facts, many=many, believer=end.believer, tier=tier)
    mine = [window for window in windows if speaks_of(end, window.value)]
    if mine and all(stop < window.begins for window in mine):
        raise InvalidInput(
            f"{end.value or end.attribute} would end at {stop.isoformat()}, before it began at {mine[0].begins.isoformat()}",
            hint="give a later time, or retract the value if it never held",
        )


def timeline(
    facts: Iterable[Fact],
    *,
    many: bool = False,
    known_at: datetime | None = None,
    believer: str = "",
    tier: Tier = alike,
) -> list[Window]:
    """What held when, by all entries of one slot: windows in order of time.

    ``many`` says that the attribute can have several values at once (languages, pets): each value then has its own
    windows. ``known_at`` leaves out what was recorded later. ``believer`` chooses whose view: the common one by default.

    With one value at a time, the entry with the latest beginning not after a moment decides about that moment; of equal
    beginnings the one said last. A value with an end leaves nothing behind it: what held before does not come back
    unless somebody says so.
    """
    entries = _entries(facts, known_at, believer, tier)
    if not many:
        return layered(entries, tier)
    windows = [window for group in _by_value(entries) for window in layered(group, tier)]
    return sorted(windows, key=lambda window: (window.begins, value_key(window.value)))


def holding(
    facts: Iterable[Fact],
    at: datetime,
    *,
    many: bool = False,
    known_at: datetime | None = None,
    believer: str = "",
    tier: Tier = alike,
) -> list[Window]:
    """The windows that cover the instant ``at``: at most one unless ``many``."""
    return [w for w in timeline(facts, many=many, known_at=known_at, believer=believer, tier=tier) if w.holds_at(at)]


def knowledge(
    facts: Iterable[Fact],
    at: datetime,
    *,
    many: bool = False,
    known_at: datetime | None = None,
    believer: str = "",
    tier: Tier = alike,
) -> Knowledge:
    """Whether a value held at ``at``, none did, or nothing is known."""
    facts = list(facts)
    windows = timeline(facts, many=many, known_at=known_at, believer=believer, tier=tier)
    if any(window.holds_at(at) for window in windows):
        return Knowledge.HELD
    entries = _entries(facts, known_at, believer, tier)
    if any(window.ends is not None and window.ends <= at for window in windows):
        return Knowledge.NONE
    if any(entry.fact.kind is FactKind.END and _stops(entry.fact) <= at for entry in entries):
        return Knowledge.NONE
    visible = _visible(facts, known_at, believer, tier)
    if not windows and any(fact.kind is FactKind.RETRACTION for fact in visible):
        return Knowledge.NONE
    return Knowledge.UNKNOWN


def conflicts(
    facts: Iterable[Fact], *, many: bool = False, known_at: datetime | None = None, tier: Tier = alike
) -> list[Conflict]:
    """Where believers disagree, sources of unequal trust, or two sources that give different values for the same beginning.

    Several values of an attribute that can have many are no conflict. What was resolved is none any more (see ``minds``).
    """
    if many:
        return []
    facts = list(facts)
    views: list[list[Window]] = []
    found: list[Conflict] = []
    decided: list[Fact] = []
    for name in sorted({fact.believer for fact in facts}):
        entries = _entries(facts, known_at, name, tier)
        found += _source_conflicts(entries)
        views += [windows_of(entries, level, tier) for level in levels(entries, tier)]
        decided += [fact for fact in _visible(facts, known_at, name, tier) if fact.settles]
    for mine, theirs in combinations(views, 2):
        found += [c for one in mine for other in theirs if (c := _clash(one, other))]
    unsettled = {(c.one, c.other): c for c in found if not is_settled(c.one, c.other, decided, tier)}
    return sorted(unsettled.values(), key=lambda c: (c.begins, told(c.one), told(c.other)))


# --- from facts to entries in effect -------------------------------------------------------------------------------


def _stops(end: Fact) -> datetime:
    return end.valid_from.end if end.valid_from else end.at


def _visible(facts: Iterable[Fact], known_at: datetime | None, believer: str, tier: Tier) -> list[Fact]:
    """The facts of one view, in order of telling; no resolution that was reopened."""
    chosen = [
        fact
        for fact in facts
        if fact.believer == believer
        and fact.certainty >= MIN_CERTAINTY
        and (known_at is None or (fact.recorded_at or fact.at) <= known_at)
    ]
    return sorted(standing(chosen, tier), key=told)


def _entries(facts: Iterable[Fact], known_at: datetime | None, believer: str, tier: Tier) -> list[Entry]:
    """Apply retractions and corrections in order of telling; what is left is in effect."""
    live: list[Entry] = []
    for fact in _visible(facts, known_at, believer, tier):
        if fact.settles:
            live = settled(live, fact, tier)
        elif fact.kind in (FactKind.RETRACTION, FactKind.CORRECTION):
            mine = tier(fact.origin)
            beyond = [entry for entry in live if tier(entry.fact.origin) > mine]
            within = [entry for entry in live if tier(entry.fact.origin) <= mine]
            if fact.kind is FactKind.RETRACTION:
                live = beyond + [entry for entry in within if not _retracts(fact, entry)]
            else:
                live = beyond + _corrected(within, fact, tier)
        elif not _is_void(fact):
            live.append(Entry(fact, fact.valid_from))
    return live


def _is_void(fact: Fact) -> bool:
    begins = fact.valid_from.start if fact.valid_from else None
    return fact.valid_to is not None and begins is not None and fact.valid_to.end <= begins


def _retracts(retraction: Fact, entry: Entry) -> bool:
    """A retraction with a time takes back only what was said to begin about then."""
    if not speaks_of(retraction, entry.fact.value):
        return False
    return retraction.valid_from is None or entry.span is None or _overlap(retraction.valid_from, entry.span)


def _corrected(live: list[Entry], correction: Fact, tier: Tier) -> list[Entry]:
    """Replace what was said before about the same time.

    With a time: what was said to begin about then, and the nearest dated beginning of the same value ("in November, not in
    January"). Without one ("it is Bergen, not Oslo"): what held when it was said, whose beginning the correction takes.
    """
    span = correction.valid_from
    assertions = [entry for entry in live if not entry.is_end]
    if span is None:
        held = [w for w in layered(live, tier) if w.holds_at(correction.at)]
        replaced = [e for e in assertions if held and e.fact in held[0].facts]
        if held:
            begins = held[0].begins
            span = held[0].start or TimeSpan(begins, begins, Precision.UNKNOWN)
    else:
        replaced = [e for e in assertions if e.span is not None and _overlap(e.span, span)]
        dated = [e for e in assertions if e.span is not None and same_value(e.fact.value, correction.value)]
        if dated:
            nearest = min(abs(e.position - span.start) for e in dated)
            replaced += [e for e in dated if abs(e.position - span.start) == nearest]
    kept = [entry for entry in live if entry not in replaced]
    return kept if _is_void(correction) else [*kept, Entry(correction, span)]


def _overlap(one: TimeSpan, other: TimeSpan) -> bool:
    if one.start == other.start:
        return True
    return one.start < other.end and other.start < one.end


def _by_value(entries: Sequence[Entry]) -> list[list[Entry]]:
    """The entries of each value; an end without a value belongs to all."""
    keys = sorted({value_key(e.fact.value) for e in entries if e.fact.value is not None and not e.is_end})
    groups = [
        [e for e in entries if (speaks_of(e.fact, key) if e.is_end else value_key(e.fact.value or "") == key)]
        for key in keys
    ]
    claimed = {id(entry) for group in groups for entry in group}
    alone = [entry for entry in entries if id(entry) not in claimed and entry.fact.value is not None]
    return groups + [[entry] for entry in alone]


def _source_conflicts(entries: Sequence[Entry]) -> list[Conflict]:
    """Dated beginnings at the same time, of different values, by different sources, that nobody has corrected."""
    starts = [e for e in entries if not e.is_end and e.span is not None]
    return [
        Conflict(max(a.position, b.position), None, a.fact, b.fact)
        for a, b in combinations(starts, 2)
        if a.position == b.position
        and not same_value(a.fact.value, b.fact.value)
        and (a.fact.source, a.fact.origin) != (b.fact.source, b.fact.origin)
    ]


def _clash(one: Window, other: Window) -> Conflict | None:
    begins = max(one.begins, other.begins)
    ends = min((w.ends for w in (one, other) if w.ends is not None), default=None)
    if value_key(one.value) == value_key(other.value) or (ends is not None and ends <= begins):
        return None
    return Conflict(begins, ends, one.facts[0], other.facts[0])
