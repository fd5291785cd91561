"""Holidays whose date is fixed or can be computed, by the words that name them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

HolidayDate = Callable[[int], date]


def easter(year: int) -> date:
    """Western Easter Sunday, by the anonymous Gregorian computus (Meeus/Jones/Butcher)."""
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - ((b - (b + 8) // 25 + 1) // 3) + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - (c % 4)) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return date(year, f // 31, f % 31 + 1)


def nth_weekday(year: int, month: int, weekday: int, n: int) -> date:
    """The ``n``-th Monday (0) to Sunday (6) of a month; ``n`` = -1 is the last one."""
    if n < 0:
        following = date(year + month // 12, month % 12 + 1, 1)
        last = following - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (n - 1))


def fixed(month: int, day: int) -> HolidayDate:
    return lambda year: date(year, month, day)


def on_weekday(month: int, weekday: int, n: int, plus: int = 0) -> HolidayDate:
    return lambda year: nth_weekday(year, month, weekday, n) + timedelta(days=plus)


def from_easter(days: int) -> HolidayDate:
    return lambda year: easter(year) + timedelta(days=days)


HOLIDAYS: dict[str, HolidayDate] = {
    "new year's day": fixed(1, 1),
    "new years day": fixed(1, 1),
    "new (year's|year|years)": fixed(1, 1),
    "mlk day": on_weekday(1, 0, 3),
    "martin luther king day": on_weekday(1, 0, 3),
    "groundhog day": fixed(2, 2),
    "valentine's( day)?": fixed(2, 14),
    "valentines( day)?": fixed(2, 14),
    "presidents<apostrophe>? day": on_weekday(2, 0, 3),
    "st patrick's( day)?": fixed(3, 17),
    "st patricks( day)?": fixed(3, 17),
    "april fools( day)?": fixed(4, 1),
    "april fool's( day)?": fixed(4, 1),
    "good friday": from_easter(-2),
    "easter( sunday)?": from_easter(0),
    "easter monday": from_easter(1),
    "earth day": fixed(4, 22),
    "cinco de mayo": fixed(5, 5),
    "mother's day": on_weekday(5, 6, 2),
    "mothers day": on_weekday(5, 6, 2),
    "memorial day": on_weekday(5, 0, -1),
    "juneteenth": fixed(6, 19),
    "father's day": on_weekday(6, 6, 3),
    "fathers day": on_weekday(6, 6, 3),
    "independence day": fixed(7, 4),
    "labor day": on_weekday(9, 0, 1),
    "labour day": on_weekday(9, 0, 1),
    "columbus day": on_weekday(10, 0, 2),
    "halloween( night)?": fixed(10, 31),
    "veterans day": fixed(11, 11),
    "thanksgiving( day)?": on_weekday(11, 3, 4),
    "black friday": on_weekday(11, 3, 4, plus=1),
    "cyber monday": on_weekday(11, 3, 4, plus=4),
    "christmas( day)?": fixed(12, 25),
    "xmas( day)?": fixed(12, 25),
    "christmas eve": fixed(12, 24),
    "xmas eve": fixed(12, 24),
    "boxing day": fixed(12, 26),
    "new year's eve": fixed(12, 31),
    "new years eve": fixed(12, 31),
    "nye": fixed(12, 31),
    "hogmanay": fixed(12, 31),
    "bonfire night": fixed(11, 5),
    "guy fawkes( night| day)?": fixed(11, 5),
    "burns night": fixed(1, 25),
    "australia day": fixed(1, 26),
    "candlemas": fixed(2, 2),
    "pancake day": from_easter(-47),
    "shrove tuesday": from_easter(-47),
    "ash wednesday": from_easter(-46),
    "palm sunday": from_easter(-7),
    "mothering sunday": from_easter(-21),
    "maundy thursday": from_easter(-3),
    "ascension day": from_easter(39),
    "pentecost": from_easter(49),
    "whit (sunday|weekend)": from_easter(49),
    "whit monday": from_easter(50),
    "anzac day": fixed(4, 25),
    "may day": fixed(5, 1),
    "midsummer( eve| day)?": fixed(6, 24),
    "canada day": fixed(7, 1),
    "bastille day": fixed(7, 14),
    "all saints( day)?": fixed(11, 1),
    "remembrance (sunday|day)": fixed(11, 11),
    "st andrew's day": fixed(11, 30),
    "st nicholas( day)?": fixed(12, 6),
    "twelfth night": fixed(1, 5),
    "epiphany": fixed(1, 6),
}
"""Templates (see ``engine``) to the date in a year. United States where countries differ (Mother's Day, Labor Day), otherwise whose name it is."""
