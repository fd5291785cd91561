"""The middle layers: a date and what it stands in, parts of a stretch, times counted from another time."""

from __future__ import annotations

from dataclasses import replace

from genome_core.facts.time import lexicon
from genome_core.facts.time.amounts import amount, away, integer
from genome_core.facts.time.engine import Layer, Match, Point
from genome_core.facts.time.mentions import Lean, TimeRole
from genome_core.facts.time.stretch import DAY, Stretch, Unit, around, day, portion, shift, weekly
from genome_core.facts.time.tense import goes_on, lean, settle
from genome_core.types import Precision

chosen = Layer(deictic=True)
contained = Layer()
parts = Layer()
offsets = Layer()


# "last March", "this Friday", "next Christmas", "the summer before last"


@chosen.rule("(the|this|that)? <last> <partial>")
def last_of(m: Match) -> Point | None:
    before, following = m.before(), m.after()
    counted = m.words()[0] == "the" or (before is not None and before.word == "the")
    if counted and following and following.word in ("of", "in"):
        return None  # "the last Friday in May"
    return Point(m.recurring("partial").last(m.chart.now))


@chosen.rule("(the|this)? <next> <partial>")
def next_of(m: Match) -> Point | None:
    """ "Next Friday" is that of the following week; "this coming Friday", said on a Friday, is not today."""
    recurring, now = m.recurring("partial"), m.chart.now
    coming = recurring.coming(now)
    return Point(recurring.next(now) if "next" in m.words() or coming == day(now) else coming)


@chosen.rule("this <partial>")
def this_of(m: Match) -> Point | None:
    """The one in the running week or year; a weekday that is over, with a future verb, is the coming one."""
    before, now, recurring = m.before(), m.chart.now, m.recurring("partial")
    if before and "ofyear" in before.classes:  # "two years ago this March"
        return None
    if m.first_word("partial") in lexicon.VERBS and not m.capital("partial"):  # "this may be"
        return None
    found = recurring.occurrence(recurring.index(now))
    if found.end <= now and lean(m.chart, m.token) is Lean.FUTURE:
        found = recurring.coming(now)
    return Point(found)


@chosen.rule("the <partial> before last")
def partial_before_last(m: Match) -> Point | None:
    recurring = m.recurring("partial")
    last = recurring.last(m.chart.now)
    return Point(recurring.occurrence(recurring.index(last.start) - 1))


# "March last year", "last week on Tuesday", "Christmas 2020", "the second week of June 2022"


def _register_container(period: str) -> None:
    """A day of the week in a week, a day of the month in a month, a month or a holiday in a year."""
    each, of = f"each{period}", f"of{period}"

    @contained.rule(
        f"(in|on|at|the)? <{each}> (of|in|<comma>)? <{of}>",
        f"<{of}> (in|on|at|during|around|this|<comma>)? the? <{each}>",
    )
    def in_container(m: Match) -> Point | None:
        container = m.point(of)
        found = m.recurring(each).within(container.stretch) if container.stretch else None
        return Point(found, inferred=container.inferred) if found else None


for _period in ("year", "month", "week"):
    _register_container(_period)


@contained.rule(
    "<point> at? <clock> <ampm>?",
    "<point> at <number> <ampm>",
    "<point> in the <daypart>",
    "at? <clock> <ampm>? on? <point>",
    "at <number> <ampm> on? <point>",
)
def with_clock(m: Match) -> Point | None:
    """A time of day stays inside the day: the zone in which it was meant is not known."""
    point = m.point("point")
    return replace(point, needs="") if point.needs == "on" else point


@contained.rule(
    "the? (<ordinalword>|last|<ordinal>) (week|weekend|<eachweek>) (of|in) the? <eachyear>",
    "the? (<ordinalword>|last|<ordinal>) (week|weekend|<eachweek>) (of|in) <ofmonth>",
)
def nth_in_month(m: Match) -> Point | None:
    """The first weekend of August: the n-th that begins in the month."""
    month, inferred = settle(m, "eachyear" if m.cell("eachyear") else "ofmonth")
    if month.precision is not Precision.MONTH:
        return None
    if m.cell("eachweek"):
        each, width = m.recurring("eachweek"), DAY
    elif "weekend" in m.words():
        each, width = weekly(5), 2 * DAY
    else:
        each, width = weekly(0), 7 * DAY
    starts = [s for n in range(6) if month.contains(s := each.coming(month.start + 7 * n * DAY).start)]
    word = m.word("ordinal") or m.word("ordinalword")
    number = integer(word) if word else len(starts)
    if not 1 <= number <= len(starts):
        return None
    start = starts[number - 1]
    return Point(Stretch(start, start + width, Precision.DAY if width == DAY else Precision.WEEK), inferred=inferred)


# "early March", "the end of last year", "mid-2022"


@parts.rule("<part> <dash>? (in|of)? the? <point>", "(in|during)? the <part> <dash>? <point>")
def early(m: Match) -> Point | None:
    before, (stretch, inferred) = m.before(), settle(m)
    if stretch.precision is Precision.DECADE and before and before.word in lexicon.POSSESSIVES:
        return None  # "in her early thirties" is an age
    return Point(portion(stretch, *lexicon.PARTS[m.word("part")], of=3), inferred=inferred)


@parts.rule("(at|in|around|towards|toward|near|about)? the? very? <side> of the? <point>")
def side_of(m: Match) -> Point | None:
    stretch, inferred = settle(m)
    return Point(portion(stretch, *lexicon.SIDES[m.word("side")], of=3), inferred=inferred)


@parts.rule("the? (first|second|latter) half of the? <point>")
def half_of(m: Match) -> Point | None:
    stretch, inferred = settle(m)
    half = (0, 1) if "first" in m.words() else (1, 2)
    return Point(portion(stretch, *half, of=2), inferred=inferred)


@parts.rule("(at|in|around|towards|toward|near)? the? very? <side> of the? <calunit>")
def side_of_unit(m: Match) -> Point | None:
    """ "The end of the year" is that of the running one."""
    whole = around(m.chart.now, lexicon.CALENDAR_UNITS[m.word("calunit")])
    return Point(portion(whole, *lexicon.SIDES[m.word("side")], of=3), inferred=True)


@parts.rule("the (first|last) {amount} <unit> of <point>")
def first_units_of(m: Match) -> Point | None:
    """ "The first three months of 2022"."""
    (stretch, inferred), (low, high) = settle(m), amount(m.words("amount"))
    unit = lexicon.UNITS[m.word("unit")]
    if low != high:
        return None
    if "first" in m.words():
        part = Stretch(stretch.start, min(stretch.end, shift(stretch.start, unit, low)), stretch.precision)
    else:
        part = Stretch(max(stretch.start, shift(stretch.end, unit, -low)), stretch.end, stretch.precision)
    return Point(part, inferred=inferred)


# "two days before Christmas", "the week of May 8", "the Friday before 15 July"


@offsets.rule("{amount} <unit> (from|on) <eachweek>")
def weeks_from_weekday(m: Match) -> Point | None:
    """ "A week from Friday", "a week on Friday": counted from the coming one."""
    low, high = amount(m.words("amount"))
    if low != high or lexicon.UNITS[m.word("unit")] is not Unit.WEEK:
        return None
    return Point(day(shift(m.recurring("eachweek").coming(m.chart.now).start, Unit.WEEK, low)))


@offsets.rule("{amount} <unit> (before|after|prior to|from|following) the? <point>")
def amount_from(m: Match) -> Point | None:
    words, following = m.words(), m.after()
    if "from" in words and following and following.word in ("to", "until", "till", "through", "-"):
        return None  # "22 days from January 10 to February 1" is a length
    sign = -1 if "before" in words or "prior" in words else 1
    stretch, inferred = settle(m)
    return Point(away(stretch.start, m.words("amount"), lexicon.UNITS[m.word("unit")], sign), inferred=inferred)


@offsets.rule("{amount} <unit> (in|this|next|on|come)? <point>")
def anniversary(m: Match) -> Point | None:
    """ "Three years today", "four years in November": a state that is that old then, told while it goes on."""
    low, high = amount(m.words("amount"))
    if low != high or low != int(low) or lexicon.UNITS[m.word("unit")] is not Unit.YEAR:
        return None
    if not goes_on(m.chart, m.token):
        return None
    stretch, _ = settle(m, default=Lean.FUTURE)
    if stretch.precision not in (Precision.DAY, Precision.MONTH) or stretch.end <= m.chart.now - 2 * DAY:
        return None
    return Point(
        Stretch(shift(stretch.start, Unit.YEAR, -low), shift(stretch.end, Unit.YEAR, -low), stretch.precision),
        role=TimeRole.SINCE,
    )


def _step(m: Match) -> int:
    """Minus one before the anchor, one after it, nought for "of"."""
    return -1 if "before" in m.words() else 0 if "of" in m.words() else 1


@offsets.rule("the (day|night|morning|evening) (before|after|following|of) the? <point>")
def day_next_to(m: Match) -> Point | None:
    stretch, inferred = settle(m)
    if stretch.precision is not Precision.DAY:
        return None
    return Point(day(stretch.start + _step(m) * DAY), inferred=inferred)


@offsets.rule("the? <calunit> (before|after|following|of) the? <point>")
def unit_next_to(m: Match) -> Point | None:
    """The week of May 8, the year before 2020; not "the year after May 8", which is a length."""
    unit, (stretch, inferred) = lexicon.CALENDAR_UNITS[m.word("calunit")], settle(m)
    weeks_and_days = unit.precision is Precision.WEEK and stretch.precision is Precision.DAY
    if not weeks_and_days and unit.precision is not stretch.precision:
        return None
    return Point(around(shift(stretch.start, unit, _step(m)), unit), inferred=inferred)


@offsets.rule("the <eachweek> (before|after|following) <point>")
def weekday_next_to(m: Match) -> Point | None:
    recurring, (stretch, inferred) = m.recurring("eachweek"), settle(m)
    found = recurring.last(stretch.start) if "before" in m.words() else recurring.coming(stretch.end)
    return Point(found, inferred=inferred)
