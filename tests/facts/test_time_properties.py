"""What holds for every text and every moment of speaking."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genome_core.facts.time import Lean, TimeMention, TimeRole, find_times
from genome_core.facts.time.combine import chosen, contained, offsets, parts
from genome_core.facts.time.dates import dates
from genome_core.facts.time.engine import literals
from genome_core.facts.time.holidays import HOLIDAYS, easter
from genome_core.facts.time.lasting import lasting
from genome_core.facts.time.lexicon import CLASSES, GLUE
from genome_core.facts.time.named import named
from genome_core.facts.time.needs import Needs
from genome_core.facts.time.relative import relative
from genome_core.facts.time.roles import roles
from genome_core.types import Precision, TimeSpan

NUMBERS = [
    "1",
    "7",
    "13",
    "31",
    "45",
    "2019",
    "2023-05-07",
    "2019-2021",
    "5/7",
    "7th",
    "3-1",
    "1.5",
    "80s",
    "'19",
    "5pm",
]
WORDS = sorted(frozenset().union(*CLASSES.values()) | GLUE) + NUMBERS + [*",.-()\n"]
ROLES = [
    "since",
    "until",
    "from",
    "to",
    "between",
    "and",
    "before",
    "after",
    "by",
    "ago",
    "for",
    "my",
    "birthday",
    "when",
]

phrases = st.lists(st.sampled_from(WORDS) | st.sampled_from(ROLES), max_size=12).map(" ".join)
texts = st.text(max_size=80) | phrases
zones = st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours)))
moments = st.datetimes(timezones=zones)
ordinary_moments = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))
LAYERS = (lasting, relative, named, dates, chosen, contained, parts, offsets, roles)
RULE_WORDS = sorted({word for layer in LAYERS for template, _ in layer.templates for word in literals(template)})
few_words = st.lists(st.sampled_from(RULE_WORDS) | st.sampled_from(WORDS), max_size=5).map(" ".join)


@settings(deadline=None)
@given(few_words, ordinary_moments)
def test_no_time_is_missed_for_the_rules_that_are_passed_over(text: str, said_at: datetime) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Needs, "met", lambda needs, _: range(needs.count))
        read_in_full = find_times(text, said_at)
    assert find_times(text, said_at) == read_in_full


def well_formed(span: TimeSpan) -> bool:
    aware = span.start.tzinfo is UTC and span.end.tzinfo is UTC
    empty_is_meant = span.start < span.end or span.precision is not Precision.UNKNOWN
    return aware and span.start <= span.end and empty_is_meant


@given(texts, moments, st.none() | st.dates(), st.sampled_from(Lean))
def test_mentions_are_well_formed_inside_the_text_and_apart(
    text: str, said_at: datetime, born: date | None, lean: Lean
) -> None:
    mentions = find_times(text, said_at, born=born, lean=lean)
    last = 0
    for mention in mentions:
        start, end = mention.span
        assert last <= start < end <= len(text)
        assert text[start:end].strip() == text[start:end]
        last = end
        spans = [span for span in (mention.start, mention.end) if span is not None]
        assert all(well_formed(span) for span in spans)
        assert (mention.start is None) == (mention.role is TimeRole.UNTIL)
        assert (mention.end is not None) == (mention.role in (TimeRole.UNTIL, TimeRole.RANGE))
        if mention.start is not None and mention.end is not None:
            assert mention.start.start <= mention.end.end
    assert mentions == find_times(text, said_at, born=born, lean=lean)


@given(phrases, ordinary_moments)
def test_what_stands_around_a_sentence_does_not_change_it(text: str, said_at: datetime) -> None:
    def seen(mentions: list[TimeMention], shift: int) -> list[TimeMention]:
        return [
            TimeMention((m.span[0] - shift, m.span[1] - shift), m.role, m.start, m.end, m.inferred) for m in mentions
        ]

    before, after = "Hello there! ", " ! Bye."
    assert seen(find_times(before + text + after, said_at), len(before)) == seen(find_times(text + after, said_at), 0)


@pytest.mark.parametrize(
    "text",
    ["two months ago", "last month", "this year", "in 3 years", "ten years ago today", "on May 5 we met", "in March",
     "earlier this year", "for two years now", "since last March", "last summer", "at Christmas", "yesterday"],
)  # fmt: skip
@given(said_at=ordinary_moments, years=st.integers(-30, 30))
def test_a_shift_by_whole_years_shifts_what_counts_in_months_and_years(
    text: str, said_at: datetime, years: int
) -> None:
    def shifted(moment: datetime) -> datetime | None:
        try:
            return moment.replace(year=moment.year + years)
        except ValueError:  # 29 February
            return None

    moved = shifted(said_at)
    (first,) = find_times(text, said_at)
    if moved is None or first.start is None:
        return
    (second,) = find_times(text, moved)
    assert second.start is not None
    if (said_at.month, said_at.day) in ((2, 28), (2, 29), (3, 1)) or 29 in (first.start.start.day, first.start.end.day):
        return
    assert (shifted(first.start.start), shifted(first.start.end)) == (second.start.start, second.start.end)
    assert (first.role, first.start.precision) == (second.role, second.start.precision)


@pytest.mark.parametrize(
    "text",
    ["yesterday", "last Tuesday", "next Friday", "on Sunday", "two weeks ago", "last weekend", "this week",
     "the weekend before last", "Tuesday last week", "three days ago", "for two weeks now", "a few days ago"],
)  # fmt: skip
@given(said_at=ordinary_moments, weeks=st.integers(-300, 300))
def test_a_shift_by_whole_weeks_shifts_what_counts_in_days_and_weeks(text: str, said_at: datetime, weeks: int) -> None:
    step = timedelta(weeks=weeks)
    (first,), (second,) = find_times(text, said_at), find_times(text, said_at + step)
    assert first.start is not None
    assert second.start is not None
    assert (first.start.start + step, first.start.end + step) == (second.start.start, second.start.end)


@given(ordinary_moments, st.integers(1, 60))
def test_counts_go_back_in_order(said_at: datetime, count: int) -> None:
    for unit in ("days", "weeks", "months", "years"):
        nearer, farther = (find_times(f"{n} {unit} ago", said_at)[0].start for n in (count + 1, count + 2))
        assert nearer is not None
        assert farther is not None
        assert farther.end <= nearer.start
        assert nearer.start <= said_at


@given(ordinary_moments)
def test_past_and_future_readings_lie_on_their_sides(said_at: datetime) -> None:
    for text in ("in March", "on Friday", "on the 4th", "on May 5", "at Christmas", "in winter"):
        (past,) = find_times(text, said_at, lean=Lean.PAST)
        (future,) = find_times(text, said_at, lean=Lean.FUTURE)
        assert past.start is not None
        assert future.start is not None
        assert past.start.start <= said_at < future.start.end


@given(st.integers(1583, 4099))
def test_easter_is_a_sunday_of_spring(year: int) -> None:
    day = easter(year)
    assert day.weekday() == 6
    assert date(year, 3, 22) <= day <= date(year, 4, 25)


def test_easter_of_known_years() -> None:
    assert [easter(y) for y in (1961, 2000, 2008, 2019, 2024, 2038)] == [
        date(1961, 4, 2), date(2000, 4, 23), date(2008, 3, 23), date(2019, 4, 21), date(2024, 3, 31), date(2038, 4, 25),
    ]  # fmt: skip


@given(st.integers(1900, 2100))
def test_every_holiday_has_a_day_in_every_year(year: int) -> None:
    assert all(of(year).year == year for of in HOLIDAYS.values())


@pytest.mark.parametrize(
    "piece",
    [
        "a ",
        "may 5 ",
        "1-",
        "from 2019 to ",
        "the last ",
        "'",
        "a few ",
        "the end of the ",
        "2019-05-0",
        "\n",
        "week of ",
        "1.",
    ],
)
def test_long_texts_of_one_kind_are_read(piece: str) -> None:
    """Backtracking would make these take hours; there is no time limit, only an end."""
    text = piece * (100_000 // len(piece))
    for mention in find_times(text, datetime(2023, 8, 11, tzinfo=UTC)):
        assert mention.span[1] <= len(text)


def test_a_megabyte_of_prose_is_read() -> None:
    sentence = (
        "They had a long talk about the garden, the neighbours and the new bakery, and she moved out in May 2021.\n"
    )
    mentions = find_times(sentence * (1_000_000 // len(sentence)), datetime(2023, 8, 11, tzinfo=UTC))
    assert len(mentions) == 1_000_000 // len(sentence)


def test_the_answer_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "import datetime; from genome_core.facts.time import find_times;"
        "print(find_times('I moved in May, a few weeks ago, since last Friday; from 2019 to 2021, early next year.',"
        " datetime.datetime(2023, 8, 11, tzinfo=datetime.UTC)))"
    )
    seen = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        seen.add(subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout)
    assert len(seen) == 1
    assert json.dumps(seen.pop().decode()).count("TimeMention") == 5
