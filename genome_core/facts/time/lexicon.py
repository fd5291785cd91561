"""The words of time, by class. A word may be in several classes; what it means is decided by the rules."""

from __future__ import annotations

from genome_core.facts.time.stretch import Unit


def _numbered(rows: str, first: int) -> dict[str, int]:
    """Each row's words get the row's number."""
    return {word: number for number, row in enumerate(rows.split("|"), first) for word in row.split()}


MONTHS = _numbered(
    "january jan janurary|february feb febuary feburary|march mar|april apr|may|june jun|july jul|august aug"
    "|september sept sep septemeber|october oct|november nov novemeber|december dec decemeber",
    1,
)
WEEKDAYS = _numbered(
    "monday mon|tuesday tues tue|wednesday wed weds wensday wednsday|thursday thurs thur thu thrusday"
    "|friday fri|saturday sat saterday|sunday sun",
    0,
)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month, northern hemisphere, meteorological."""

UNITS: dict[str, Unit] = {
    **dict.fromkeys(("minute", "minutes", "min", "mins"), Unit.MINUTE),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), Unit.HOUR),
    **dict.fromkeys(("day", "days"), Unit.DAY),
    **dict.fromkeys(("night", "nights"), Unit.NIGHT),
    **dict.fromkeys(("week", "weeks", "wk", "wks"), Unit.WEEK),
    **dict.fromkeys(("weekend", "weekends"), Unit.WEEKEND),
    **dict.fromkeys(("fortnight", "fortnights"), Unit.FORTNIGHT),
    **dict.fromkeys(("month", "months", "mo", "mos", "mth", "mths"), Unit.MONTH),
    **dict.fromkeys(("quarter", "quarters"), Unit.QUARTER),
    **dict.fromkeys(("year", "years", "yr", "yrs"), Unit.YEAR),
    **dict.fromkeys(("decade", "decades"), Unit.DECADE),
}
CALENDAR_UNITS = {
    word: unit for word, unit in UNITS.items() if unit not in (Unit.MINUTE, Unit.HOUR, Unit.DAY, Unit.NIGHT)
}
PLURALS = {word: unit for word, unit in UNITS.items() if word.endswith("s")}

NUMBERS = _numbered(
    "zero|one a an|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    "|seventeen|eighteen|nineteen",
    0,
)
TENS = {
    word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety hundred".split(), 2)
}
VAGUE = {"couple": (2, 3), "few": (2, 6), "several": (3, 9), "many": (5, 20)}
"""How many may be meant, both ends included."""

ORDINALS = _numbered(
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth"
    "|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth",
    1,
) | {"thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60}
DECADES = {
    "twenties": 2020,
    "thirties": 1930,
    "forties": 1940,
    "fifties": 1950,
    "sixties": 1960,
    "seventies": 1970,
    "eighties": 1980,
    "nineties": 1990,
    "noughties": 2000,
}
AGES = {"teens": (13, 20), "twenties": (20, 30), "thirties": (30, 40), "forties": (40, 50), "fifties": (50, 60)}
DAYS = {
    "today": 0,
    "tonight": 0,
    "tonite": 0,
    "yesterday": -1,
    "yday": -1,
    "yest": -1,
    "yesteday": -1,
    "yesterdy": -1,
    "tomorrow": 1,
    "tmrw": 1,
    "tmr": 1,
    "tmw": 1,
    "tomorow": 1,
    "tommorow": 1,
    "tommorrow": 1,
}
WEEKDAYS_PLURAL = {f"{word}s": number for word, number in WEEKDAYS.items() if word.endswith("day")}
SEASONS_PLURAL = {f"{word}s": first for word, first in SEASONS.items()}
QUARTERS = {"q1": 1, "q2": 2, "q3": 3, "q4": 4}
EARLY, MIDDLE, LATE = (0, 1), (1, 2), (2, 3)
PARTS = {"early": EARLY, "mid": MIDDLE, "late": LATE}
SIDES = {
    "beginning": EARLY,
    "start": EARLY,
    "middle": MIDDLE,
    "end": LATE,
    "close": LATE,
}
"""Thirds of a stretch."""

CLASSES: dict[str, frozenset[str]] = {
    "month": frozenset(MONTHS),
    "weekday": frozenset(WEEKDAYS) | {f"{word}'s" for word in WEEKDAYS if word.endswith("day")},
    "season": frozenset(SEASONS) | {f"{word}'s" for word in SEASONS},
    "weekdays": frozenset(WEEKDAYS_PLURAL) | frozenset(word for word in WEEKDAYS if word.endswith("day")),
    "seasons": frozenset(SEASONS_PLURAL) | frozenset(SEASONS),
    "unit": frozenset(UNITS),
    "units": frozenset(PLURALS),
    "calunit": frozenset(CALENDAR_UNITS) | {f"{word}'s" for word in CALENDAR_UNITS},
    "number": frozenset(NUMBERS),
    "tens": frozenset(TENS),
    "vague": frozenset(VAGUE),
    "ordinalword": frozenset(ORDINALS),
    "decade": frozenset(DECADES),
    "ages": frozenset(AGES),
    "dayword": frozenset(DAYS) | {f"{word}'s" for word in DAYS},
    "quarter": frozenset(QUARTERS),
    "part": frozenset(PARTS),
    "side": frozenset(SIDES),
    "daypart": frozenset("morning afternoon evening night noon midnight lunchtime".split()),
    "ampm": frozenset("am pm".split()),
    "about": frozenset("about around approximately roughly nearly almost over like maybe some just exactly".split()),
    "last": frozenset("last past previous".split()),
    "next": frozenset("next coming upcoming".split()),
    "prep": frozenset(
        "in on at during throughout around circa of over for from across into within about amid all towards toward"
        " near".split()
    ),
    "to": frozenset("to until till til through thru".split()),
}
NAMES = frozenset("may april june august jan march".split())
"""Months that are also people, or verbs."""
VERBS = frozenset("may march".split())
SHORT = frozenset("mon wed sat sun mar".split())
"""Short forms that are also other words."""
DOTTED = frozenset(
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed weds thu thur thurs fri sat sun"
    " min mins hr hrs wk wks mo mos mth mths yr yrs".split()
)
"""Short forms that may have a full stop of their own."""
GLUE = frozenset(
    "and or but so because since when while where which that who if then as at in on for with by from to of the a an"
    " this these those i we you he she it they my our your his her their i'm we're i'll we'll i've we've not just also"
    " too again until till before after about around over during there here me us him them let's let though although"
    " however plus than i'd we'd you're it's he's she's they're both all onward onwards forward lol btw".split()
)
"""Words after which, or before which, a noun phrase is over."""
PRONOUNS = frozenset("i you he she it we they who that this there".split())
POSSESSIVES = frozenset("my your our his her their its".split())
EACH = frozenset("every each most any some a an another per alternate other no one many weekly".split())
"""Words that make a day or a month a recurring or an arbitrary one."""
