"""Stretches of the calendar, and counting in it.

Inside the grammar all times are naive and stand in the speaker's own zone, so that a day is the speaker's day. They
become aware UTC only on the way out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from genome_core.types import Precision

DAY = timedelta(days=1)


class Unit(Enum):
    """A unit of counting: its length in days or in months, and how finely a count of it is meant."""

    MINUTE = ("minute", 1 / 1440, 0, Precision.DAY)
    HOUR = ("hour", 1 / 24, 0, Precision.DAY)
    DAY = ("day", 1, 0, Precision.DAY)
    NIGHT = ("night", 1, 0, Precision.DAY)
    WEEK = ("week", 7, 0, Precision.WEEK)
    WEEKEND = ("weekend", 7, 0, Precision.WEEK)
    FORTNIGHT = ("fortnight", 14, 0, Precision.WEEK)
    MONTH = ("month", 0, 1, Precision.MONTH)
    QUARTER = ("quarter", 0, 3, Precision.SEASON)
    YEAR = ("year", 0, 12, Precision.YEAR)
    DECADE = ("decade", 0, 120, Precision.DECADE)

    def __init__(self, label: str, days: float, months: int, precision: Precision) -> None:
        self.label = label
        self.days = days
        self.months = months
        self.precision = precision


class Stretch(NamedTuple):
    """A half-open stretch of naive local time."""

    start: datetime
    end: datetime
    precision: Precision

    def contains(self, moment: datetime) -> bool:
        return self.start <= moment < self.end


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day(moment: datetime) -> Stretch:
    start = midnight(moment)
    return Stretch(start, start + DAY, Precision.DAY)


def week(moment: datetime) -> Stretch:
    """The week of ``moment``, from Monday on (ISO 8601)."""
    start = midnight(moment) - moment.weekday() * DAY
    return Stretch(start, start + 7 * DAY, Precision.WEEK)


def weekend(moment: datetime) -> Stretch:
    """Saturday and Sunday of the week of ``moment``; there is no finer precision for two days than the week."""
    monday = week(moment).start
    return Stretch(monday + 5 * DAY, monday + 7 * DAY, Precision.WEEK)


def months(first: datetime, count: int, precision: Precision) -> Stretch:
    """``count`` whole months from the month of ``first`` on."""
    start = midnight(first).replace(day=1)
    return Stretch(start, shift(start, Unit.MONTH, count), precision)


def month(year: int, number: int) -> Stretch:
    return months(datetime(year, number, 1), 1, Precision.MONTH)


def quarter(year: int, number: int) -> Stretch:
    """Quarter 1 to 4 of a calendar year; three months, so its precision is that of a season."""
    return months(datetime(year, 3 * number - 2, 1), 3, Precision.SEASON)


def season(year: int, first_month: int) -> Stretch:
    """The three months from ``first_month`` of ``year`` on; a winter has the year in which it begins."""
    return months(datetime(year, first_month, 1), 3, Precision.SEASON)


def year(number: int) -> Stretch:
    return months(datetime(number, 1, 1), 12, Precision.YEAR)


def decade(number: int) -> Stretch:
    """The decade of a year, such as 1990 to 1999."""
    return months(datetime(number - number % 10, 1, 1), 120, Precision.DECADE)


def shift(moment: datetime, unit: Unit, count: float) -> datetime:
    """``moment`` moved by ``count`` units; the day of the month is cut to the month's length.

    Raises OverflowError or ValueError outside the years 1 to 9999.
    """
    if not unit.months:
        return moment + timedelta(days=unit.days * count)
    whole = int(unit.months * count)
    moment += timedelta(days=30 * (unit.months * count - whole))
    index = moment.year * 12 + moment.month - 1 + whole
    target = moment.replace(year=index // 12, month=index % 12 + 1, day=1)
    following = target.replace(day=28) + 4 * DAY
    last_day = (following - following.day * DAY).day
    return target.replace(day=min(moment.day, last_day))


def around(moment: datetime, unit: Unit) -> Stretch:
    """The calendar unit in which ``moment`` lies."""
    if unit is Unit.WEEKEND:
        return weekend(moment)
    match unit.precision:
        case Precision.WEEK:
            return week(moment)
        case Precision.MONTH:
            return month(moment.year, moment.month)
        case Precision.SEASON:
            return quarter(moment.year, (moment.month + 2) // 3)
        case Precision.YEAR:
            return year(moment.year)
        case Precision.DECADE:
            return decade(moment.year)
        case _:
            return day(moment)


def portion(stretch: Stretch, first: int, last: int, of: int) -> Stretch:
    """From the ``first`` to the ``last`` of ``of`` equal portions: the middle third is (1, 2, 3).

    It keeps the precision of the whole, since only the words are finer. A day is not cut.
    """
    if stretch.precision is Precision.DAY:
        return stretch
    whole_months = (stretch.end.year - stretch.start.year) * 12 + stretch.end.month - stretch.start.month
    if stretch.start.day == stretch.end.day == 1 and whole_months % of == 0:
        start, end = (shift(stretch.start, Unit.MONTH, whole_months // of * n) for n in (first, last))
    else:
        length = (stretch.end - stretch.start) / of
        start, end = (midnight(stretch.start + length * n) for n in (first, last))
    return Stretch(start, end, stretch.precision)


@dataclass(frozen=True, slots=True)
class Recurring:
    """Something that comes once in every week, month or year: a weekday, the 4th, March, Christmas."""

    period: Unit
    occurrence: Callable[[int], Stretch]
    """The one in the period with this index; raises ValueError where there is none (30 February)."""

    def index(self, moment: datetime) -> int:
        if self.period is Unit.WEEK:
            return (moment.toordinal() - 1) // 7
        if self.period is Unit.MONTH:
            return moment.year * 12 + moment.month - 1
        return moment.year

    def _near(self, moment: datetime, step: int, fits: Callable[[Stretch], bool]) -> Stretch:
        """The first that fits, from the period of ``moment`` in the direction of ``step``."""
        start = self.index(moment) - step
        for index in range(start, start + 40 * step, step):
            try:
                stretch = self.occurrence(index)
            except ValueError:
                continue
            if fits(stretch):
                return stretch
        raise ValueError("no such day in forty periods")

    def latest(self, moment: datetime) -> Stretch:
        """The latest that has begun at ``moment``."""
        return self._near(moment, -1, lambda s: s.start <= moment)

    def last(self, moment: datetime) -> Stretch:
        """The latest that was over before the day of ``moment``."""
        return self._near(moment, -1, lambda s: s.end <= midnight(moment))

    def coming(self, moment: datetime) -> Stretch:
        """The first that is not over at ``moment``."""
        return self._near(moment, 1, lambda s: s.end > moment)

    def next(self, moment: datetime) -> Stretch:
        """The first that begins after ``moment``; of a weekday, the one in the following week."""
        if self.period is Unit.WEEK:
            return self.occurrence(self.index(moment) + 1)
        return self._near(moment, 1, lambda s: s.start > moment)

    def within(self, container: Stretch) -> Stretch | None:
        """The first in ``container``, if there is one."""
        found = self.coming(container.start)
        if found.start < container.start:
            found = self._near(container.start, 1, lambda s: s.start >= container.start)
        return found if found.start < container.end else None


def weekly(weekday: int) -> Recurring:
    """A weekday, Monday being 0."""
    return Recurring(Unit.WEEK, lambda index: day(datetime.fromordinal(index * 7 + 1 + weekday)))


def monthly(number: int) -> Recurring:
    """A day of the month."""
    return Recurring(Unit.MONTH, lambda index: day(datetime(index // 12, index % 12 + 1, number)))


def yearly(occurrence: Callable[[int], Stretch]) -> Recurring:
    """Something that each year has once."""
    return Recurring(Unit.YEAR, occurrence)
