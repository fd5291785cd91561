"""Aware datetimes and microseconds since 1970 in UTC: the one place that converts between them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from genome_core.errors import InvalidInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_EARLIEST, _LATEST = ((end.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND for end in (datetime.min, datetime.max))


def to_micros(moment: datetime, what: str = "the time") -> int:
    """Microseconds since the epoch, exactly; raises ``InvalidInput`` for anything but an aware datetime."""
    if not isinstance(moment, datetime):
        raise InvalidInput(f"{what} is {moment!r}", hint="give a datetime with a time zone")
    if moment.utcoffset() is None:
        raise InvalidInput(f"{what} {moment} has no time zone", hint="add one, such as tzinfo=datetime.UTC")
    micros = (moment - _EPOCH) // _MICROSECOND
    if not _EARLIEST <= micros <= _LATEST:
        raise InvalidInput(f"{what} {moment} lies outside the years 1 to 9999 in UTC", hint="leave it out for 'never'")
    return micros


@lru_cache(maxsize=10_000)
def from_micros(micros: int) -> datetime:
    """The aware datetime in UTC, remembered: what is written together has the same times."""
    return _EPOCH + timedelta(microseconds=micros)
