"""Second layer: dates as the calendar names them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from genome_core.facts.time import lexicon
from genome_core.facts.time import stretch as calendar
from genome_core.facts.time.amounts import integer
from genome_core.facts.time.engine import Layer, Match, Point
from genome_core.facts.time.mentions import TimeRole
from genome_core.facts.time.stretch import Recurring, Stretch, monthly, weekly, yearly
from genome_core.facts.words import VERB_FORMS
from genome_core.types import Precision

dates = Layer()


def _day(year: int, month: int, number: int) -> Stretch:
    return calendar.day(datetime(year, month, number))


def _full_year(m: Match, word: str) -> int:
    """A year of two digits is the one at most 20 years ahead."""
    number = int(word.strip("'"))
    if len(word.strip("'")) > 2:
        return number
    century = m.chart.now.year // 100 * 100
    return century + number if century + number <= m.chart.now.year + 20 else century - 100 + number


def _year(m: Match) -> int | None:
    for name in ("year", "shortyear"):
        if word := m.word(name):
            return _full_year(m, word)
    return None


def _month(m: Match) -> int:
    return lexicon.MONTHS[m.word("month")]


def _could_be_a_verb(m: Match) -> bool:
    """Whether the month is "may" or "march" in small letters and goes on, or begins, like a verb."""
    if m.word("month") not in lexicon.VERBS or m.capital("month"):
        return False
    before = m.before()
    return not m.closed() or (before is not None and before.word in lexicon.PRONOUNS)


def _any_year_day(month: int, number: int) -> Recurring:
    return yearly(lambda year: _day(year, month, number))


def _dated(year: int | None, month: int, number: int) -> Point:
    """A day with its year, or the day of any year."""
    if year is not None:
        return Point(_day(year, month, number))
    _day(2000, month, number)  # raises for 30 February
    return Point(recurring=_any_year_day(month, number))


def _on_weekday(m: Match, point: Point) -> Point:
    """ "Tuesday 14 November": the weekday tells the year, if it is one of the nearest five."""
    if not m.word("weekday") or point.recurring is None:
        return point
    weekday, now = lexicon.WEEKDAYS[m.word("weekday")], m.chart.now
    years = sorted(range(now.year - 2, now.year + 3), key=lambda year: abs(year - now.year))
    for found in map(point.recurring.occurrence, years):
        if found.start.weekday() == weekday:
            return Point(found, inferred=True)
    return point


@dates.rule("<iso>")
def iso(m: Match) -> Point | None:
    """A time of day is kept only with its zone: without one the instant is not known, only the day."""
    word = m.word("iso")
    if len(word) > 10 and re.search(r"(z|[+-]\d\d:?\d\d)$", word):
        moment = datetime.fromisoformat(word.upper()).astimezone(m.chart.zone).replace(tzinfo=None)
        return Point(Stretch(moment, moment, Precision.INSTANT))
    year, month, number = (int(part) for part in re.split(r"[-/]", word[:10]))
    return Point(_day(year, month, number))


@dates.rule("<isomonth>")
def iso_month(m: Match) -> Point | None:
    year, month = m.word("isomonth").split("-")
    return Point(calendar.month(int(year), int(month)))


@dates.rule("<numericdate>")
def numeric_date(m: Match) -> Point | None:
    """Slashes and hyphens: month first, unless the first number is above 12. Dots: day first."""
    word = m.word("numericdate")
    first, second, year = re.split(r"[-/.]", word)
    month, number = int(first), int(second)
    if "." in word or month > 12:
        month, number = number, month
    return Point(_day(_full_year(m, year), month, number))


@dates.rule("<numericmonth>")
def numeric_month(m: Match) -> Point | None:
    month, year = m.word("numericmonth").split("/")
    return Point(calendar.month(int(year), int(month)))


_BEFORE_A_NUMERIC_DAY = frozenset("on since until till before after from due".split())


@dates.rule("<numericday>")
def numeric_day(m: Match) -> Point | None:
    month, number = (int(part) for part in m.word("numericday").split("/"))
    if month > 12:
        month, number = number, month
    before = m.before()
    introduced = before is not None and before.word in _BEFORE_A_NUMERIC_DAY
    needs = "" if before is not None and before.word == "due" else "on"
    return replace(_dated(None, month, number), needs=needs) if introduced and m.closed() else None


@dates.rule("<hyphendate>")
def hyphen_date(m: Match) -> Point | None:
    number, month, year = m.word("hyphendate").split("-")
    return Point(_day(int(year), lexicon.MONTHS[month], int(number)))


@dates.rule("(<weekday><comma>?)? the? <dayno> of? <month> (<comma>?<year>|<shortyear>)?")
def day_month(m: Match) -> Point | None:
    if _year(m) is None and _could_be_a_verb(m):
        return None
    return _on_weekday(m, _dated(_year(m), _month(m), integer(m.word("dayno"))))


@dates.rule(
    "(<weekday><comma>?)? <month> the? <dayno> (<comma>?<year>|<shortyear>)?", "<month><ordinalword>(<comma>?<year>)?"
)
def month_day(m: Match) -> Point | None:
    following = m.after()
    if _year(m) is None and (_could_be_a_verb(m) or (following and "unit" in following.classes)):
        return None
    found = _dated(_year(m), _month(m), integer(m.word("dayno") or m.word("ordinalword")))
    return _on_weekday(m, found)


@dates.rule("<month><daycommayear>")
def month_day_comma_year(m: Match) -> Point | None:
    number, year = m.word("daycommayear").split(",")
    return Point(_day(int(year), _month(m), integer(number)))


@dates.rule("the? <ordinalword> of <month> (<comma>?<year>)?")
def word_day_month(m: Match) -> Point | None:
    return _dated(_year(m), _month(m), integer(m.word("ordinalword")))


@dates.rule(
    "<month> (<range>|<dayrange>) (<comma>?<year>)?",
    "(<range>|<dayrange>) (of)? <month> (<comma>?<year>)?",
    "(from|between)? <month> <dayno> (<dash>|<to>|and) <dayno> (<comma>?<year>)?",
    "(from|between)? the? <dayno> (<dash>|<to>|and) the? <dayno> of? <month> (<comma>?<year>)?",
)
def days_of_month(m: Match) -> Point | None:
    word = m.word("range") or m.word("dayrange")
    first, last = re.findall(r"\d+", word) if word else (m.word("dayno"), m.word("dayno2"))
    year, month = _year(m), _month(m)
    if m.words()[0] not in ("from", "between") and "and" in m.words():
        return None
    start, end = integer(first), integer(last)
    if start >= end or (year is None and _could_be_a_verb(m)):
        return None
    if year is None:
        latest = _any_year_day(month, start).latest(m.chart.now)
        year = latest.start.year
        return Point(_day(year, month, start), role=TimeRole.RANGE, end=_day(year, month, end), inferred=True)
    return Point(_day(year, month, start), role=TimeRole.RANGE, end=_day(year, month, end))


@dates.rule("<month>(of|<comma>)?<year>", "<month><shortyear>")
def month_year(m: Match) -> Point | None:
    year = _year(m)
    if year is None or _could_be_a_verb(m):
        return None
    return Point(calendar.month(year, _month(m)))


def _dates_what_follows(m: Match) -> bool:
    """ "Since June Desta has ...", "in may kayla ...": what stands between a preposition and a name or another noun is the month and no
    person, save where a verb follows ("since June left")."""
    before, after = m.before(), m.after()
    if before is None or before.word not in _BEFORE_A_MONTH or after is None:
        return False
    return m.chart.tokens[after.token].capital or not (m.capital("month") and after.word in VERB_FORMS)


_BEFORE_A_MONTH = frozenset("in since until till during early late mid".split())


@dates.rule("<month>")
def bare_month(m: Match) -> Point | None:
    word, before = m.word("month"), m.before()
    if (
        (before and before.word in lexicon.EACH)
        or (word in lexicon.SHORT and not m.capital("month"))
        or (word in lexicon.NAMES and not (m.closed() or _dates_what_follows(m)))
    ):
        return None
    month = _month(m)
    return Point(recurring=yearly(lambda year: calendar.month(year, month)), needs="in")


@dates.rule("<year>", "<shortyear>")
def bare_year(m: Match) -> Point | None:
    year = _year(m)
    return None if year is None else Point(calendar.year(year), needs="in")


@dates.rule("the year (of)? <year>")
def named_year(m: Match) -> Point | None:
    return Point(calendar.year(int(m.word("year"))))


@dates.rule("<yearrange>")
def year_range(m: Match) -> Point | None:
    first, last = (int(part) for part in re.split(r"[-–—]", m.word("yearrange")))
    if not 1800 <= first < last < 2100:
        return None
    return Point(calendar.year(first), role=TimeRole.RANGE, end=calendar.year(last))


@dates.rule("the <ordinalday>", "the (<ordinalday>|<ordinalword>) of (the|this|each) month")
def day_of_month(m: Match) -> Point | None:
    if not m.closed() or "each" in m.words():
        return None
    word = m.word("ordinalday")
    return Point(recurring=monthly(integer(word or m.word("ordinalword"))), needs="on")


@dates.rule("<weekday><comma>? the <ordinalday>")
def weekday_and_day(m: Match) -> Point | None:
    """ "Friday the 13th": in the nearest month in which they meet."""
    weekday, each = lexicon.WEEKDAYS[m.word("weekday")], monthly(integer(m.word("ordinalday")))

    def meeting(index: int) -> Stretch:
        found = each.occurrence(index)
        if found.start.weekday() != weekday:
            raise ValueError("another day of the week")
        return found

    return Point(recurring=replace(each, occurrence=meeting))


@dates.rule("<weekday>")
def bare_weekday(m: Match) -> Point | None:
    word, before = m.word("weekday"), m.before()
    if (before and before.word in lexicon.EACH) or (word in lexicon.SHORT and not m.closed()):
        return None
    needs = "" if m.words()[0].endswith("'s") else "onshort" if word in lexicon.SHORT else "on"
    return Point(recurring=weekly(lexicon.WEEKDAYS[word]), needs=needs)


@dates.rule("<weekday><daypart>")
def weekday_part(m: Match) -> Point | None:
    before = m.before()
    if (before and before.word in lexicon.EACH) or not m.closed():
        return None
    return Point(recurring=weekly(lexicon.WEEKDAYS[m.word("weekday")]))


@dates.rule("<season>")
def bare_season(m: Match) -> Point | None:
    before = m.before()
    if before and before.word in lexicon.EACH:
        return None
    first = lexicon.SEASONS[m.word("season")]
    return Point(recurring=yearly(lambda year: calendar.season(year, first)), needs="in")


@dates.rule("<quarter>", "the? <ordinalword> quarter")
def bare_quarter(m: Match) -> Point | None:
    short = m.word("quarter")
    number = lexicon.QUARTERS[short] if short else integer(m.word("ordinalword"))
    if number > 4:
        return None
    recurring = yearly(lambda year: calendar.quarter(year, number))
    return Point(recurring=recurring, needs="in" if short else "container")


_TEMPERATURE = frozenset("temperature temperatures temps temp degrees fahrenheit celsius humid".split())


@dates.rule("the? (<decadenumber>|<decade>)")
def bare_decade(m: Match) -> Point | None:
    before = m.before()
    if (before and before.word in lexicon.POSSESSIVES) or any(
        token.word in _TEMPERATURE for token in m.chart.tokens[max(0, m.token - 12) : m.token + 12]
    ):
        return None
    whole = m.words()[0] == "the" or len(m.word("decadenumber")) == 5
    word = m.word("decadenumber")
    first = integer(word.strip("'")) if word else lexicon.DECADES[m.word("decade")]
    if first in range(1500, 2000, 100):
        return None  # "the 1800s" is a century
    if first < 100:
        first += 1900 if first >= 30 else 2000
    return Point(calendar.decade(first), needs="in" if whole else "container")
