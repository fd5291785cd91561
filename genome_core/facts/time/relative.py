"""First layer: times counted from the moment of speaking."""

from __future__ import annotations

from genome_core.facts.time import lexicon
from genome_core.facts.time import stretch as calendar
from genome_core.facts.time.amounts import amount, away
from genome_core.facts.time.engine import Layer, Match, Point
from genome_core.facts.time.mentions import Lean, TimeRole
from genome_core.facts.time.stretch import Stretch, Unit, around, day, shift, weekend, weekly, yearly
from genome_core.facts.time.tense import has_not, lean
from genome_core.types import Precision

relative = Layer(deictic=True)


def _followed_by_of(m: Match) -> bool:
    following = m.after()
    return following is not None and following.word == "of"


# Days


@relative.rule("<dayword> <daypart>?", "early <dayword> <daypart>?")
def day_word(m: Match) -> Point | None:
    before = m.before()
    if before and before.word == "." and before.end == m.chart.cells[m.start].start:  # code: ``date.today()``
        return None
    return Point(day(shift(m.chart.now, Unit.DAY, lexicon.DAYS[m.word("dayword")])))


@relative.rule("the? day before yesterday", "the? night before last")
def before_yesterday(m: Match) -> Point | None:
    return Point(day(shift(m.chart.now, Unit.DAY, -2)))


@relative.rule("the? day after tomorrow")
def after_tomorrow(m: Match) -> Point | None:
    return Point(day(shift(m.chart.now, Unit.DAY, 2)))


@relative.rule("late? last night", "last evening")
def last_night(m: Match) -> Point | None:
    return Point(day(shift(m.chart.now, Unit.DAY, -1)))


@relative.rule(
    "(early|late|earlier|later)? this (morning|afternoon|evening)", "(earlier|later) (today|tonight)", "just now"
)
def this_day(m: Match) -> Point | None:
    return Point(day(m.chart.now))


# Calendar units


@relative.rule("the? <last> <calunit>", "this (past|last) <calunit>")
def last_unit(m: Match) -> Point | None:
    """The calendar unit before this one; with "the past", the one that ends now."""
    unit = lexicon.CALENDAR_UNITS[m.word("calunit")]
    words, now = m.words(), m.chart.now
    if _followed_by_of(m) or m.word("calunit") in lexicon.PLURALS:
        return None
    if "past" in words and words[0] == "the":
        until_now = Stretch(now, now, Precision.INSTANT)
        return Point(around(shift(now, unit, -1), unit), role=TimeRole.RANGE, end=until_now)
    if unit is Unit.WEEKEND and "past" in words and now.weekday() == 6:
        return Point(weekend(now))
    return Point(around(shift(now, unit, -1), unit))


@relative.rule("this (current)? <calunit>")
def this_unit(m: Match) -> Point | None:
    if m.word("calunit") in lexicon.PLURALS:
        return None
    return Point(around(m.chart.now, lexicon.CALENDAR_UNITS[m.word("calunit")]))


@relative.rule("(the|this)? <next> <calunit>")
def next_unit(m: Match) -> Point | None:
    """The calendar unit after this one; "this coming weekend" is the first that is not over."""
    unit = lexicon.CALENDAR_UNITS[m.word("calunit")]
    now = m.chart.now
    if _followed_by_of(m) or m.word("calunit") in lexicon.PLURALS:
        return None
    if unit is Unit.WEEKEND and now.weekday() < 5 and "next" not in m.words():
        return Point(weekend(now))
    return Point(around(shift(now, unit, 1), unit))


@relative.rule("(over|on|at|for|during|all)? the weekend")
def the_weekend(m: Match) -> Point | None:
    now = m.chart.now
    following = m.after()
    if following and following.word in ("of", "before", "after"):
        return None
    ahead = lean(m.chart, m.token) is Lean.FUTURE
    back = 0 if ahead or now.weekday() >= 5 else -1
    return Point(weekend(shift(now, Unit.WEEK, back)), inferred=True)


@relative.rule("the <calunit> before last")
def before_last(m: Match) -> Point | None:
    unit = lexicon.CALENDAR_UNITS[m.word("calunit")]
    return Point(around(shift(m.chart.now, unit, -2), unit))


@relative.rule("the <calunit> after next")
def after_next(m: Match) -> Point | None:
    unit = lexicon.CALENDAR_UNITS[m.word("calunit")]
    return Point(around(shift(m.chart.now, unit, 2), unit))


@relative.rule("(earlier|later) (this|in the) <calunit>")
def earlier_this(m: Match) -> Point | None:
    """The part of the running unit that is over, or still to come."""
    whole = around(m.chart.now, lexicon.CALENDAR_UNITS[m.word("calunit")])
    today = day(m.chart.now)
    if m.words()[0] == "earlier":
        return Point(Stretch(whole.start, today.end, whole.precision))
    return Point(Stretch(today.start, whole.end, whole.precision))


@relative.rule("<about>? this time last <calunit>", "<about>? this time next <calunit>")
def this_time_last(m: Match) -> Point | None:
    unit = lexicon.CALENDAR_UNITS[m.word("calunit")]
    moment = shift(m.chart.now, unit, -1 if "last" in m.words() else 1)
    return Point(around(moment, Unit.MONTH if unit is Unit.YEAR else Unit.DAY))


# Counts


@relative.rule("{amount} <unit> (ago|back)", "{amount} <unit> and a half (ago|back)", "a <unit> or (so|two) (ago|back)")
def ago(m: Match) -> Point | None:
    unit = lexicon.UNITS[m.word("unit")]
    words = m.words("amount") if "amount" in m.names else ["one", *(["or", "two"] if "two" in m.words() else [])]
    following = m.after()
    if m.words()[-1] == "back" and following and following.word in ("to", "in", "at", "home", "and", "from"):
        return None
    if m.words()[-2] == "half":
        words = [*words, "and", "a", "half"]
    if unit in (Unit.MINUTE, Unit.HOUR) and m.chart.now == day(m.chart.now).start:
        return Point(
            day(m.chart.now)
        )  # a telling at 00:00:00 sharp has a date and no hour: "20 minutes ago" is that day
    return Point(away(m.chart.now, words, unit, -1))


@relative.rule("{amount} <unit> and? {amount} <unit> ago")
def ago_twice(m: Match) -> Point | None:
    """ "Two years and three months ago": as precise as the smaller unit."""
    larger, smaller = (lexicon.UNITS[m.word(name)] for name in ("unit", "unit2"))
    count, _ = amount(m.words("amount"))
    return Point(away(shift(m.chart.now, larger, -count), m.words("amount2"), smaller, -1))


@relative.rule("{amount} <unit> ago this <calunit>")
def ago_this(m: Match) -> Point | None:
    """ "Ten years ago this month"."""
    low, high = amount(m.words("amount"))
    moment = shift(m.chart.now, lexicon.UNITS[m.word("unit")], -low)
    return Point(around(moment, lexicon.CALENDAR_UNITS[m.word("calunit")])) if low == high else None


@relative.rule(
    "{amount} <unit> ago (today|yesterday|tomorrow)", "{amount} <unit> (from|before) (today|yesterday|tomorrow)"
)
def anniversary(m: Match) -> Point | None:
    """ "Ten years ago today" is a day, whatever the unit."""
    low, high = amount(m.words("amount"))
    if low != high:
        return None
    back = m.words()[-2] != "from"
    day_of = shift(m.chart.now, Unit.DAY, lexicon.DAYS[m.words()[-1]])
    return Point(day(shift(day_of, lexicon.UNITS[m.word("unit")], -low if back else low)))


@relative.rule("(on|to)? this day {amount} <unit> ago", "{amount} <unit> ago to the day")
def on_this_day(m: Match) -> Point | None:
    low, high = amount(m.words("amount"))
    return Point(day(shift(m.chart.now, lexicon.UNITS[m.word("unit")], -low))) if low == high else None


@relative.rule("<units> ago")
def units_ago(m: Match) -> Point | None:
    """ "Years ago": two to twenty of them."""
    unit = lexicon.UNITS[m.word("units")]
    first, last = (around(shift(m.chart.now, unit, -count), unit) for count in (20, 2))
    return Point(Stretch(first.start, last.end, Precision.UNKNOWN))


@relative.rule("{amount} <weekdays> ago", "{amount} <seasons> ago")
def weekdays_ago(m: Match) -> Point | None:
    """ "Two Fridays ago", "three summers ago": the last one, and then back."""
    low, high = amount(m.words("amount"))
    word = m.word("weekdays") or m.word("seasons")
    if word in lexicon.WEEKDAYS or word in lexicon.WEEKDAYS_PLURAL:
        each = weekly({**lexicon.WEEKDAYS, **lexicon.WEEKDAYS_PLURAL}[word])
    else:
        first = {**lexicon.SEASONS, **lexicon.SEASONS_PLURAL}[word]
        each = yearly(lambda year: calendar.season(year, first))
    index = each.index(each.last(m.chart.now).start)
    found = [each.occurrence(index - int(count) + 1) for count in (high, low)]
    return Point(found[0]) if low == high else Point(Stretch(found[0].start, found[1].end, Precision.UNKNOWN))


_BEFORE_A_RATE = frozenset("time times once twice first done".split())


@relative.rule("in {amount} <unit> time?", "{amount} <unit> from now")
def ahead(m: Match) -> Point | None:
    """ "In two weeks"; with "haven't", how long not."""
    words, unit = m.words(), lexicon.UNITS[m.word("unit")]
    if words[0] == "in":
        if has_not(m.chart, m.token) and unit.precision is not Precision.DAY:
            return Point(away(m.chart.now, m.words("amount"), unit, -1), role=TimeRole.DURATION)
        before = m.before()
        a_rate = before is not None and (before.word in _BEFORE_A_RATE or "unit" in before.classes)
        if a_rate or unit is Unit.MINUTE or (m.words("amount") == ["a"] and unit.precision is Precision.DAY):
            return None
        if lean(m.chart, m.token, Lean.FUTURE) is Lean.PAST:
            return None
    return Point(away(m.chart.now, m.words("amount"), unit, 1))
