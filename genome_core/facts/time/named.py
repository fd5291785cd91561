"""Second layer: holidays, and the speaker's own birthdays and ages."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

from genome_core.facts.time import lexicon
from genome_core.facts.time import stretch as calendar
from genome_core.facts.time.amounts import amount, integer
from genome_core.facts.time.engine import Layer, Match, Point
from genome_core.facts.time.holidays import HOLIDAYS, HolidayDate
from genome_core.facts.time.stretch import Stretch, portion, yearly
from genome_core.types import Precision

named = Layer()


def _long_weekend(of: datetime) -> Stretch:
    """The days from a holiday to the nearest weekend, both included."""
    if of.weekday() < 2:
        return Stretch(of - (of.weekday() + 2) * calendar.DAY, of + calendar.DAY, Precision.WEEK)
    start = of if of.weekday() < 5 else calendar.weekend(of).start
    return Stretch(start, calendar.week(of).end, Precision.WEEK)


def _register_holiday(template: str, of: HolidayDate) -> None:
    def midnight(year: int) -> datetime:
        return datetime.combine(of(year), datetime.min.time())

    the_day = yearly(lambda year: calendar.day(midnight(year)))
    the_weekend = yearly(lambda year: _long_weekend(midnight(year)))

    @named.rule(f"{template} weekend?")
    def holiday(m: Match) -> Point | None:
        before = m.before()
        if before and before.word in lexicon.EACH:
            return None
        recurring = the_weekend if m.words()[-1] == "weekend" else the_day
        return Point(recurring=recurring, needs="" if m.end - m.start > 1 and m.closed() else "at")


for _template, _of in HOLIDAYS.items():
    _register_holiday(_template, _of)


def _birthday(born: date, age: int) -> datetime:
    """The day on which one born on 29 February turns an age is 1 March where there is no such day."""
    try:
        return datetime(born.year + age, born.month, born.day)
    except ValueError:
        return datetime(born.year + age, born.month + 1, 1)


def _age(born: date, first: int, after_last: int, precision: Precision) -> Point | None:
    if not 0 <= first <= 130:
        return None
    return Point(Stretch(_birthday(born, first), _birthday(born, after_last), precision))


@named.rule("my (<ordinal>|<ordinalword>) birthday")
def numbered_birthday(m: Match) -> Point | None:
    if m.chart.born is None:
        return None
    age = integer(m.word("ordinal") or m.word("ordinalword"))
    return Point(calendar.day(_birthday(m.chart.born, age)))


@named.rule("my birthday")
def birthday(m: Match) -> Point | None:
    born = m.chart.born
    if born is None:
        return None
    return Point(recurring=yearly(lambda year: calendar.day(_birthday(born, year - born.year))), needs="on")


@named.rule("when? i (was|turned|turn) <about>? {count} (years old)?")
def at_age(m: Match) -> Point | None:
    born, following, before = m.chart.born, m.after(), m.before()
    introduced = m.words()[0] == "when" or (
        before and before.word in ("since", "until", "till", "before", "after", "from")
    )
    if born is None or not introduced or (following and "unit" in following.classes):
        return None
    age = int(amount(m.words("count"))[0])
    if "turned" in m.words() or "turn" in m.words():
        return Point(calendar.day(_birthday(born, age)))
    return _age(born, age, age + 1, Precision.YEAR)


@named.rule("(at|from|by) the? age of? {count}")
def age_of(m: Match) -> Point | None:
    if m.chart.born is None:
        return None
    age = int(amount(m.words("count"))[0])
    return _age(m.chart.born, age, age + 1, Precision.YEAR)


_CHILDHOOD = {
    "kid": (3, 13),
    "child": (3, 13),
    "teenager": (13, 20),
    "teen": (13, 20),
    "baby": (0, 3),
    "toddler": (1, 4),
}


@named.rule("(when i was|as) (a|a little|a young)? (kid|child|teenager|teen|baby|toddler)")
def as_a_child(m: Match) -> Point | None:
    if m.chart.born is None or not m.closed():
        return None
    return _age(m.chart.born, *_CHILDHOOD[m.words()[-1]], Precision.UNKNOWN)


@named.rule("in my <part>? <dash>? <ages>")
def in_ones_twenties(m: Match) -> Point | None:
    if m.chart.born is None:
        return None
    found = _age(m.chart.born, *lexicon.AGES[m.word("ages")], Precision.DECADE)
    if found is None or found.stretch is None or not m.word("part"):
        return found
    return replace(found, stretch=portion(found.stretch, *lexicon.PARTS[m.word("part")], of=3))
