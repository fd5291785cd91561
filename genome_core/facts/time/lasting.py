"""First layer: vague times, and how long something has lasted or will last."""

from __future__ import annotations

from genome_core.facts.time import lexicon
from genome_core.facts.time.amounts import away
from genome_core.facts.time.engine import Layer, Match, Point
from genome_core.facts.time.mentions import TimeRole
from genome_core.facts.time.stretch import Stretch, Unit, day, shift
from genome_core.facts.time.tense import still_holds
from genome_core.types import Precision

lasting = Layer(deictic=True)


def _back(m: Match, unit: Unit, low: float, high: float) -> Stretch:
    """The days from ``high`` to ``low`` units before now, both included, of unknown precision."""
    first, last = (day(shift(m.chart.now, unit, -count)) for count in (high, low))
    return Stretch(first.start, last.end, Precision.UNKNOWN)


def _now(m: Match) -> Stretch:
    return Stretch(m.chart.now, m.chart.now, Precision.INSTANT)


def _follows(m: Match, words: frozenset[str]) -> bool:
    following = m.after()
    return following is not None and following.word in words


# Vague times: wide spans of unknown precision


@lasting.rule("(recently|lately)", "of late")
def recently(m: Match) -> Point | None:
    """The last three months."""
    before, following = m.before(), m.after()
    if before and before.word in ("as", "how", "more", "most"):
        return None
    if m.words()[0] == "of" and following and not following.classes.isdisjoint(("month", "year", "season", "weekday")):
        return None
    return Point(_back(m, Unit.MONTH, 0, 3))


@lasting.rule("(until|till) (very|quite|just)? recently")
def until_recently(m: Match) -> Point | None:
    return Point(role=TimeRole.UNTIL, end=_back(m, Unit.MONTH, 0, 3))


@lasting.rule("the other <daypart>", "the other day", "the other <calunit>")
def the_other_day(m: Match) -> Point | None:
    """One to fourteen days ago; of weeks and months, one to three."""
    if not m.word("calunit"):
        return Point(_back(m, Unit.DAY, 1, 14))
    unit = lexicon.CALENDAR_UNITS[m.word("calunit")]
    if unit not in (Unit.WEEK, Unit.WEEKEND, Unit.MONTH) or not m.closed() or _follows(m, frozenset({"of"})):
        return None
    return Point(_back(m, unit, 1, 3))


@lasting.rule(
    "(quite|just)? (a|some) (little|good|short)? (while|time|bit) (ago|back)", "not (too|so|that|very)? long ago"
)
def a_while_ago(m: Match) -> Point | None:
    """Up to three years ago."""
    return Point(_back(m, Unit.DAY, 1, 3 * 365))


@lasting.rule("(a long time|a long while|ages|long) ago")
def long_ago(m: Match) -> Point | None:
    """One to fifty years ago."""
    return Point(_back(m, Unit.YEAR, 1, 50))


@lasting.rule("in recent <units>")
def in_recent(m: Match) -> Point | None:
    return Point(_back(m, lexicon.UNITS[m.word("units")], 0, 6))


# Lengths that end or begin now

_OF = frozenset({"of"})
_SHORT = (Unit.MINUTE, Unit.HOUR)


@lasting.rule(
    "(over|in|during|within|for|throughout|across|these|of)? (the|these|my|our)? (very|whole)? <last> {amount} <unit>",
    "(over|in|during|within|for|throughout|across) (the|this) (last|past) <unit>",
    "(over|in|during|within|for|throughout|across|these) (the|these)? (last|past) <units>",
)
def last_units(m: Match) -> Point | None:
    """From so many units back to now; "for the last" leaves the end open."""
    unit = lexicon.UNITS[m.word("unit") or m.word("units")]
    if _follows(m, _OF) or unit in _SHORT or m.word("unit") == "weekend":
        return None
    counted = m.words("amount") if "amount" in m.names else ["few"] if m.word("units") else ["one"]
    start = away(m.chart.now, counted, unit, -1)
    if m.words()[0] == "for":
        return Point(start, role=TimeRole.DURATION)
    return Point(start, role=TimeRole.RANGE, end=_now(m))


@lasting.rule(
    "(over|in|during|within|for)? the <next> {amount} <unit>", "(over|in|during|within|for)? the <next> <units>"
)
def next_units(m: Match) -> Point | None:
    unit = lexicon.UNITS[m.word("unit") or m.word("units")]
    if _follows(m, _OF) or unit in _SHORT:
        return None
    counted = m.words("amount") if "amount" in m.names else ["few"]
    return Point(_now(m), role=TimeRole.RANGE, end=away(m.chart.now, counted, unit, 1))


_NO_LENGTH = frozenset(
    "old older younger later earlier after before ago back away long of from late early apart ahead sooner in more less"
    " - on".split()
)
"""What makes "three years" an age, a distance or an offset."""
_NO_LENGTH_BEFORE = frozenset(
    "in over within every per than of a the his her my our their about by about to after before under another next"
    " last first only all".split()
)
_STILL = frozenset("now already far running counting".split())


@lasting.rule(
    "(for|going on) (over|at least|more than|well over|the better part of)? {amount} <unit> (now|already|so far|running|straight|and counting|in a row)?",
    "{amount} <unit> (now|already|so far|running|and counting)?",
)
def held_for(m: Match) -> Point | None:
    """ "For three years": counted back from now where the tense, or a "now", says that it still holds."""
    words, unit, before = m.words(), lexicon.UNITS[m.word("unit")], m.before()
    if unit in _SHORT or _follows(m, _NO_LENGTH):
        return None
    if unit is Unit.YEAR and words[-1] not in _STILL and _follows(m, frozenset({"today", "tomorrow"})):
        return None  # an anniversary: see ``combine``
    introduced = words[0] in ("for", "going")
    if not introduced and (words[0] == "over" or (before and before.word in _NO_LENGTH_BEFORE)):
        return None
    if words[-1] not in _STILL and not still_holds(m.chart, m.token):
        return None
    return Point(away(m.chart.now, m.words("amount"), unit, -1), role=TimeRole.DURATION)


@lasting.rule(
    "for (many|all these)? <units> (now|already)?",
    "for (quite|such|like)? a (long|good|little)? while (now|already)?",
    "for (a long time|ages|so long) (now|already)?",
)
def held_for_long(m: Match) -> Point | None:
    """Two to twenty units, or one month to five years, where it still holds."""
    words = m.words()
    if words[-1] not in _STILL and not still_holds(m.chart, m.token):
        return None
    if m.word("units"):
        unit = lexicon.UNITS[m.word("units")]
        return None if unit in _SHORT else Point(_back(m, unit, 2, 20), role=TimeRole.DURATION)
    return Point(_back(m, Unit.MONTH, 1, 60), role=TimeRole.DURATION)


@lasting.rule("since {amount} <unit>")
def since_amount(m: Match) -> Point | None:
    """ "Since two years", as speakers of other languages say it."""
    if _follows(m, _NO_LENGTH):
        return None
    return Point(away(m.chart.now, m.words("amount"), lexicon.UNITS[m.word("unit")], -1), role=TimeRole.SINCE)


@lasting.rule(
    "(it's|its|it has|it is) (already|now)? been? (over|almost|nearly|like)? {amount} <unit> (now|already)? since"
)
def been_since(m: Match) -> Point | None:
    """ "It's been two years since we moved" tells when that was."""
    return Point(away(m.chart.now, m.words("amount"), lexicon.UNITS[m.word("unit")], -1))
