"""The middle layers: a date and what it stands in, parts of a stretch, times counted from another time."""

from __future__ import annotations

from dataclasses import replace

from genome_core.facts.time import lexicon
from genome_core.facts.time.amounts import amount, away, integer
from genome_core.facts.time.engine import Chart, Layer, Match, Point
from genome_core.facts.time.mentions import Lean
from genome_core.facts.time.stretch import DAY, Stretch, Unit, around, day, portion, shift, weekly
from genome_core.facts.time.tense import lean
from genome_core.types import Precision

chosen = Layer(deictic=True)
contained = Layer()
parts = Layer()
offsets = Layer()


def settle(chart: Chart, point: Point, token: int, default: Lean = Lean.PAST) -> tuple[Stretch, bool]:
    """The stretch of a point; of one that recurs, the occurrence that the tense asks for (and True: inferred)."""
    if point.stretch is not None:
        return point.stretch, point.inferred
    if point.recurring is None:
        raise ValueError("this point has no start")
    if lean(chart, token, default) is Lean.FUTURE:
        found = point.recurring.coming(chart.now)
        if point.recurring.period is Unit.WEEK and found.contains(chart.now):
            found = point.recurring.next(chart.now)
        return found, True
    if point.recurring.period is Unit.WEEK:
        return point.recurring.last(chart.now), True
    return point.recurring.latest(chart.now), True


def _settled(m: Match, name: str = "point") -> Point:
    cell = m.cell(name)
    if cell is None or cell.point is None:
        raise ValueError(f"no point {name!r}")
    stretch, inferred = settle(m.chart, cell.point, cell.token)
    return Point(stretch, inferred=inferred)


def _stretch(m: Match, name: str = "point") -> Stretch:
    stretch = _settled(m, name).stretch
    if stretch is None:
        raise ValueError("a settled point has a stretch")
    return stretch


# "last March", "this Friday", "next Christmas", "the summer before last"


@chosen.rule("(the|this|that)? <last> <partial>", "this past <partial>")
def last_of(m: Match) -> Point | None:
    recurring, before, following = m.point("partial").recurring, m.before(), m.after()
    counted = m.words()[0] == "the" or (before is not None and before.word == "the")
    if recurring is None or (counted and following and following.word in ("of", "in")):
        return None  # "the last Friday in May"
    return Point(recurring.last(m.chart.now))


@chosen.rule("(the|this)? <next> <partial>")
def next_of(m: Match) -> Point | None:
    recurring = m.point("partial").recurring
    if recurring is None:
        return None
    words = m.words()
    return Point(recurring.next(m.chart.now) if "next" in words else _after_today(m, recurring.coming(m.chart.now)))


def _after_today(m: Match, found: Stretch) -> Stretch:
    """ "This coming Friday", said on a Friday, is the next one."""
    recurring = m.point("partial").recurring
    if recurring is not None and found == day(m.chart.now):
        return recurring.next(m.chart.now)
    return found


@chosen.rule("this <partial>")
def this_of(m: Match) -> Point | None:
    """The one in the running week or year; a weekday that is over, with a future verb, is the coming one."""
    cell, point, now = m.cell("partial"), m.point("partial"), m.chart.now
    recurring, before = point.recurring, m.before()
    if recurring is None or cell is None or (before and "ofyear" in before.classes):  # "two years ago this March"
        return None
    word = m.chart.tokens[cell.token]
    if word.word in lexicon.VERBS and not word.capital:
        return None
    found = recurring.occurrence(recurring.index(now))
    if found.end <= now and lean(m.chart, m.token) is Lean.FUTURE:
        found = recurring.coming(now)
    return Point(found)


@chosen.rule("the <partial> before last")
def partial_before_last(m: Match) -> Point | None:
    recurring = m.point("partial").recurring
    if recurring is None:
        return None
    last = recurring.last(m.chart.now)
    return Point(recurring.occurrence(recurring.index(last.start) - 1))


# "March last year", "last week on Tuesday", "Christmas 2020", "the second week of June 2022"


def _inside(m: Match, partial: str, container: str) -> Point | None:
    recurring, stretch = m.point(partial).recurring, m.point(container).stretch
    if recurring is None or stretch is None:
        return None
    found = recurring.within(stretch)
    return None if found is None else Point(found, inferred=m.point(container).inferred)


for _period, _container in (("year", "year"), ("month", "month"), ("week", "week")):

    @contained.rule(
        f"(in|on|at|the)? <each{_period}> (of|in|<comma>)? <of{_container}>",
        f"<of{_container}> (in|on|at|during|around|this|<comma>)? the? <each{_period}>",
        f"the <each{_period}> of <of{_container}>",
    )
    def in_container(m: Match, period: str = f"each{_period}", container: str = f"of{_container}") -> Point | None:
        return _inside(m, period, container)


@contained.rule("<point> at? <clock> <ampm>?", "<point> at <number> <ampm>", "<point> in the <daypart>")
def with_clock(m: Match) -> Point | None:
    """A time of day stays inside the day: the zone in which it was meant is not known."""
    return _with_clock(m)


@contained.rule("at? <clock> <ampm>? on? <point>", "at <number> <ampm> on? <point>")
def clock_first(m: Match) -> Point | None:
    return _with_clock(m)


def _with_clock(m: Match) -> Point:
    point = m.point("point")
    return replace(point, needs="") if point.needs == "on" else point


@contained.rule(
    "the? (<ordinalword>|last|<ordinal>) (week|weekend|<eachweek>) (of|in) the? <eachyear>",
    "the? (<ordinalword>|last|<ordinal>) (week|weekend|<eachweek>) (of|in) <ofmonth>",
)
def nth_in_month(m: Match) -> Point | None:
    """The first weekend of August: the n-th that begins in the month."""
    month = _settled(m, "eachyear" if m.cell("eachyear") else "ofmonth")
    if month.stretch is None or month.stretch.precision is not Precision.MONTH:
        return None
    if m.cell("eachweek") and (weekday := m.point("eachweek").recurring):
        each, width = weekday, DAY
    elif "weekend" in m.words():
        each, width = weekly(5), 2 * DAY
    else:
        each, width = weekly(0), 7 * DAY
    starts = [s for n in range(6) if month.stretch.contains(s := each.coming(month.stretch.start + 7 * n * DAY).start)]
    number = m.word("ordinal") or m.word("ordinalword")
    index = -1 if not number else (integer(number) if number[:1].isdigit() else lexicon.ORDINALS[number]) - 1
    if index >= len(starts):
        return None
    start = starts[index]
    precision = Precision.DAY if width == DAY else Precision.WEEK
    return replace(month, stretch=Stretch(start, start + width, precision))


# "early March", "the end of last year", "mid-2022"


def _part(m: Match, part: tuple[int, int]) -> Point | None:
    point = _settled(m)
    return None if point.stretch is None else replace(point, stretch=portion(point.stretch, *part, of=3))


@parts.rule("<part> <dash>? (in|of)? the? <point>", "(in|during)? the (early|mid|late) <point>")
def early(m: Match) -> Point | None:
    word = m.word("part") or next(word for word in m.words() if word in lexicon.PARTS)
    return _part(m, lexicon.PARTS[word])


@parts.rule("(at|in|around|towards|toward|near|about)? the? (very)? <side> of the? <point>")
def side_of(m: Match) -> Point | None:
    return _part(m, lexicon.SIDES[m.word("side")])


@parts.rule("the? (first|second|latter) half of the? <point>")
def half_of(m: Match) -> Point | None:
    half = (0, 1) if "first" in m.words() else (1, 2)
    return replace(_settled(m), stretch=portion(_stretch(m), *half, of=2))


@parts.rule("(at|in|around|towards|toward|near)? the? (very)? <side> of the? <calunit>")
def side_of_unit(m: Match) -> Point | None:
    """ "The end of the year" is that of the running one."""
    whole = around(m.chart.now, lexicon.CALENDAR_UNITS[m.word("calunit")])
    return Point(portion(whole, *lexicon.SIDES[m.word("side")], of=3), inferred=True)


# "two days before Christmas", "the week of May 8", "the Friday before 15 July"


@offsets.rule("{amount} <unit> (from|on) <eachweek>")
def weeks_from_weekday(m: Match) -> Point | None:
    """ "A week from Friday", "a week on Friday": counted from the coming one."""
    recurring, (low, high) = m.point("eachweek").recurring, amount(m.words("amount"))
    if recurring is None or low != high or lexicon.UNITS[m.word("unit")] is not Unit.WEEK:
        return None
    return Point(day(shift(recurring.coming(m.chart.now).start, Unit.WEEK, low)))


@offsets.rule("{amount} <unit> (before|after|prior to|from|following) the? <point>")
def amount_from(m: Match) -> Point | None:
    following = m.after()
    if "from" in m.words() and following and following.word in ("to", "until", "till", "through", "-"):
        return None  # "22 days from January 10 to February 1" is a length
    sign = -1 if "before" in m.words() or "prior" in m.words() else 1
    anchor = _settled(m)
    start = _stretch(m).start
    return replace(anchor, stretch=away(start, m.words("amount"), lexicon.UNITS[m.word("unit")], sign))


@offsets.rule("the (day|night|morning|evening) (before|after|following|of) the? <point>")
def next_to(m: Match) -> Point | None:
    stretch, words = _stretch(m), m.words()
    if stretch.precision is not Precision.DAY:
        return None
    step = -1 if "before" in words else 0 if "of" in words else 1
    return replace(_settled(m), stretch=day(stretch.start + step * DAY))


@offsets.rule("the? <calunit> (before|after|following|of) the? <point>")
def unit_next_to(m: Match) -> Point | None:
    """The week of May 8, the year before 2020; not "the year after May 8", which is a length."""
    unit, stretch, words = lexicon.CALENDAR_UNITS[m.word("calunit")], _stretch(m), m.words()
    weeks_and_days = unit.precision is Precision.WEEK and stretch.precision is Precision.DAY
    if not weeks_and_days and unit.precision is not stretch.precision:
        return None
    step = -1 if "before" in words else 0 if "of" in words else 1
    return replace(_settled(m), stretch=around(shift(stretch.start, unit, step), unit))


@offsets.rule("the <eachweek> (before|after|following) <point>")
def weekday_next_to(m: Match) -> Point | None:
    recurring, stretch = m.point("eachweek").recurring, _stretch(m)
    if recurring is None:
        return None
    if "before" in m.words():
        return replace(_settled(m), stretch=recurring.last(stretch.start))
    return replace(_settled(m), stretch=_first_after(recurring.coming(stretch.end), stretch))


def _first_after(found: Stretch, anchor: Stretch) -> Stretch:
    return found if found.start >= anchor.end else Stretch(found.start + 7 * DAY, found.end + 7 * DAY, found.precision)


@offsets.rule("the (first|last) {amount} <unit> of <point>")
def first_units_of(m: Match) -> Point | None:
    """ "The first three months of 2022"."""
    stretch, (low, high) = _stretch(m), amount(m.words("amount"))
    unit = lexicon.UNITS[m.word("unit")]
    if low != high:
        return None
    if "first" in m.words():
        part = Stretch(stretch.start, min(stretch.end, shift(stretch.start, unit, low)), stretch.precision)
    else:
        part = Stretch(max(stretch.start, shift(stretch.end, unit, -low)), stretch.end, stretch.precision)
    return replace(_settled(m), stretch=part)
