"""English time expressions, resolved against the moment of speaking.

``find_times`` is a grammar of its own: standard library only, no clock, the same answer for the same arguments. See
``docs/time.md`` for its rules in tables.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cache

from genome_core.errors import InvalidInput
from genome_core.facts.time.combine import chosen, contained, offsets, parts
from genome_core.facts.time.dates import dates
from genome_core.facts.time.engine import Cell, Chart, Grammar, Point
from genome_core.facts.time.lasting import lasting
from genome_core.facts.time.mentions import Lean, TimeMention, TimeRole
from genome_core.facts.time.named import named
from genome_core.facts.time.relative import relative
from genome_core.facts.time.roles import roles
from genome_core.facts.time.stretch import Stretch
from genome_core.types import TimeSpan

__all__ = ["Lean", "TimeMention", "TimeRole", "find_times"]


@cache
def _grammar() -> Grammar:
    """Built at first use, which takes some tenths of a second, so that importing stays cheap."""
    return Grammar([lasting, relative, named, dates, chosen, contained, parts, offsets, roles])


def find_times(text: str, said_at: datetime, *, born: date | None = None, lean: Lean = Lean.TENSE) -> list[TimeMention]:
    """The time expressions of ``text``, in order and without overlaps.

    ``said_at`` is the moment of speaking and must be aware. Days are counted in its own zone (UTC for a record's
    ``at``), and the spans returned are UTC. ``born`` is the speaker's date of birth: with it "when I was 12" is a
    time, without it there is no mention. ``lean`` decides what a date without its year means.

    Raises InvalidInput for a naive ``said_at`` (a ValueError): give it a zone, ``said_at.replace(tzinfo=UTC)``.
    """
    if said_at.tzinfo is None or said_at.utcoffset() is None:
        raise InvalidInput(
            "said_at has no time zone", hint="pass an aware datetime, such as said_at.replace(tzinfo=UTC)"
        )
    chart = _grammar().read(text, said_at, born, lean)
    found = (_mention(cell, cell.point, chart) for cell in chart.cells if cell.point is not None)
    return [mention for mention in found if mention is not None]


def _mention(cell: Cell, point: Point, chart: Chart) -> TimeMention | None:
    if not point.final:
        return None
    try:
        start = point.stretch and _span(point.stretch, chart)
        end = point.end and _span(point.end, chart)
    except OverflowError:  # at the edge of the calendar a local time may have no UTC
        return None
    return TimeMention((cell.start, cell.end), point.role, start, end, point.inferred)


def _span(stretch: Stretch, chart: Chart) -> TimeSpan:
    start, end = (moment.replace(tzinfo=chart.zone).astimezone(UTC) for moment in (stretch.start, stretch.end))
    return TimeSpan(start, end, stretch.precision)
