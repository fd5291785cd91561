"""Reading English time expressions. Said on Friday 11 August 2023 unless a test says otherwise."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from genome_core.errors import InvalidInput
from genome_core.facts.time import TimeRole, find_times
from genome_core.types import Precision

SAID_AT = datetime(2023, 8, 11, 14, 30, tzinfo=UTC)


def test_a_naive_moment_of_speaking_is_refused() -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        find_times("yesterday", datetime(2023, 8, 11))


def test_yesterday_is_the_day_before() -> None:
    (mention,) = find_times("I moved yesterday", SAID_AT)
    assert mention.span == (8, 17)
    assert mention.role is TimeRole.AT
    assert mention.start is not None
    assert (mention.start.start, mention.start.end) == (
        datetime(2023, 8, 10, tzinfo=UTC),
        datetime(2023, 8, 11, tzinfo=UTC),
    )
    assert mention.start.precision is Precision.DAY
