"""Times in words: as precise as they are known, never more."""

from __future__ import annotations

from datetime import datetime, timedelta

from genome_core.types import Precision, TimeSpan

_SEASONS = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip


def say_day(moment: datetime) -> str:
    """ "16 September 2023"."""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def say_month(moment: datetime) -> str:
    """ "September 2023"."""
    return f"{_MONTHS[moment.month - 1]} {moment.year}"


def say_span(span: TimeSpan) -> str:
    """The span in words of its own precision; "between ... and ..." where it is no whole unit of the calendar."""
    start, end, precision = span.start, span.end, span.precision
    last = end - timedelta(microseconds=1) if end > start else end
    if precision is Precision.INSTANT or start.date() == last.date():
        return say_day(start)
    if precision is Precision.MONTH and start.month == last.month and start.year == last.year:
        return say_month(start)
    if precision is Precision.YEAR and start.year == last.year:
        return str(start.year)
    if precision is Precision.SEASON and start.day == 1 and start.month in _SEASONS:
        return f"{_SEASONS[start.month]} {start.year}"
    if precision is Precision.DECADE and start.year % 10 == 0:
        return f"the {start.year}s"
    if precision is Precision.WEEK and last - start < timedelta(days=7):
        return f"the week of {say_day(start)}"
    if precision is Precision.UNKNOWN and start == end:
        return f"by {say_day(start)}"
    return f"between {say_day(start)} and {say_day(last)}"


def say_duration(start: datetime, end: datetime, *, rough: bool = False) -> str:
    """How long from ``start`` to ``end``, in the two largest units ("2 years and 3 months", "5 weeks"); in whole years where
    the times are only known roughly (``rough``)."""
    days = max(0, (end - start).days)
    if rough and days >= 365:
        return _joined((round(days / 365.25), "year"))
    months = (end.year - start.year) * 12 + end.month - start.month - (end.day < start.day)
    if months >= 12:
        return _joined((months // 12, "year"), (months % 12, "month"))
    if months >= 2:
        return _joined((months, "month"))
    return _joined((days // 7, "week")) if days >= 14 else _joined((days, "day"))


def _joined(*parts: tuple[int, str]) -> str:
    kept = [f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in parts if count]
    return " and ".join(kept) or f"0 {parts[-1][1]}s"
