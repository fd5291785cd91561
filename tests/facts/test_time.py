"""Reading English time expressions. Said on Friday 11 August 2023, 14:30, unless a test says otherwise."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from genome_core.errors import InvalidInput
from genome_core.facts.time import Lean, TimeMention, TimeRole, find_times
from genome_core.types import Precision, TimeSpan

SAID_AT = datetime(2023, 8, 11, 14, 30, tzinfo=UTC)
BORN = date(1990, 5, 17)


def shown(span: TimeSpan | None) -> str:
    """``2023-05-07 +1 day``: the first day, the length in days, the precision."""
    if span is None:
        return "-"
    return f"{span.start:%Y-%m-%d} +{(span.end - span.start).days} {span.precision}"


def only(text: str, said_at: datetime = SAID_AT, born: date | None = None, lean: Lean = Lean.TENSE) -> TimeMention:
    mentions = find_times(text, said_at, born=born, lean=lean)
    assert len(mentions) == 1, [text[slice(*m.span)] for m in mentions]
    return mentions[0]


def meant(text: str, **more: object) -> str:
    mention = only(text, **more)  # type: ignore[arg-type]
    assert mention.role is TimeRole.AT
    return shown(mention.start)


def test_a_naive_moment_of_speaking_is_refused_with_the_way_out() -> None:
    with pytest.raises(InvalidInput, match="tzinfo=UTC"):
        find_times("yesterday", datetime(2023, 8, 11))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7 May 2023", "2023-05-07 +1 day"),
        ("May 7th, 2023", "2023-05-07 +1 day"),
        ("May 7,2023", "2023-05-07 +1 day"),
        ("on the 7th of May, 2023", "2023-05-07 +1 day"),
        ("Sunday, May 7 2023", "2023-05-07 +1 day"),
        ("the first of May 2023", "2023-05-01 +1 day"),
        ("2023-05-07", "2023-05-07 +1 day"),
        ("2023/05/07", "2023-05-07 +1 day"),
        ("2023-05-07 10:00", "2023-05-07 +1 day"),
        ("7-May-2023", "2023-05-07 +1 day"),
        ("5/7/2023", "2023-05-07 +1 day"),
        ("25/7/2023", "2023-07-25 +1 day"),
        ("5/7/23", "2023-05-07 +1 day"),
        ("7.5.2023", "2023-05-07 +1 day"),
        ("Dec. 5, 2021", "2021-12-05 +1 day"),
        ("in May 2023", "2023-05-01 +31 month"),
        ("Sept. 2020", "2020-09-01 +30 month"),
        ("May '23", "2023-05-01 +31 month"),
        ("2023-05", "2023-05-01 +31 month"),
        ("05/2023", "2023-05-01 +31 month"),
        ("in 2022", "2022-01-01 +365 year"),
        ("back in '98", "1998-01-01 +365 year"),
        ("2019 was a hard year", "2019-01-01 +365 year"),
        ("in the spring of 2022", "2022-03-01 +92 season"),
        ("summer 2022", "2022-06-01 +92 season"),
        ("the winter of 2021", "2021-12-01 +90 season"),
        ("Q3 2022", "2022-07-01 +92 season"),
        ("in the second quarter of 2022", "2022-04-01 +91 season"),
        ("in the nineties", "1990-01-01 +3652 decade"),
        ("in the 80s", "1980-01-01 +3653 decade"),
        ("in the 2010s", "2010-01-01 +3652 decade"),
        ("in early 2022", "2022-01-01 +120 year"),
        ("mid-2022", "2022-05-01 +123 year"),
        ("late March 2022", "2022-03-21 +11 month"),
        ("the early 2010s", "2010-01-01 +1216 decade"),
        ("at the beginning of 2021", "2021-01-01 +120 year"),
        ("the first half of 2022", "2022-01-01 +181 year"),
        ("the first three months of 2022", "2022-01-01 +90 year"),
        ("the first weekend of August 2023", "2023-08-05 +2 week"),
        ("the last Friday in May 2022", "2022-05-27 +1 day"),
        ("at Christmas 2020", "2020-12-25 +1 day"),
        ("on New Year's Eve 2019", "2019-12-31 +1 day"),
        ("Easter Monday 2022", "2022-04-18 +1 day"),
        ("Thanksgiving 2021", "2021-11-25 +1 day"),
        ("Memorial Day 2022", "2022-05-30 +1 day"),
        ("Labor Day 2022", "2022-09-05 +1 day"),
        ("the day after Christmas 2021", "2021-12-26 +1 day"),
        ("the week of May 8, 2023", "2023-05-08 +7 week"),
        ("the week before 9 June 2023", "2023-05-29 +7 week"),
        ("the Friday before 15 July 2023", "2023-07-14 +1 day"),
        ("two weeks after 3 May 2023", "2023-05-15 +7 week"),
        ("as of 3 May 2021", "2021-05-03 +1 day"),
    ],
)
def test_dates_as_the_calendar_names_them(text: str, expected: str) -> None:
    assert meant(text) == expected
    assert not only(text).inferred


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "2023-08-11 +1 day"),
        ("yesterday morning", "2023-08-10 +1 day"),
        ("yesterday's party", "2023-08-10 +1 day"),
        ("yday", "2023-08-10 +1 day"),
        ("yesteday", "2023-08-10 +1 day"),
        ("tmrw", "2023-08-12 +1 day"),
        ("tommorow night", "2023-08-12 +1 day"),
        ("last night", "2023-08-10 +1 day"),
        ("this morning", "2023-08-11 +1 day"),
        ("the day before yesterday", "2023-08-09 +1 day"),
        ("the day after tomorrow", "2023-08-13 +1 day"),
        ("yesterday at 5pm", "2023-08-10 +1 day"),
        ("last week", "2023-07-31 +7 week"),
        ("this week", "2023-08-07 +7 week"),
        ("next month", "2023-09-01 +30 month"),
        ("last year", "2022-01-01 +365 year"),
        ("last weekend", "2023-08-05 +2 week"),
        ("this past weekend", "2023-08-05 +2 week"),
        ("the weekend before last", "2023-07-29 +2 week"),
        ("two weekends ago", "2023-07-29 +2 week"),
        ("last Tuesday", "2023-08-08 +1 day"),
        ("last Fri", "2023-08-04 +1 day"),
        ("last Tues. evening", "2023-08-08 +1 day"),
        ("this past Friday", "2023-08-04 +1 day"),
        ("this Monday", "2023-08-07 +1 day"),
        ("next Friday", "2023-08-18 +1 day"),
        ("Tuesday last week", "2023-08-01 +1 day"),
        ("a week ago Friday", "2023-08-04 +1 day"),
        ("two Fridays ago", "2023-07-28 +1 day"),
        ("a week from Monday", "2023-08-21 +1 day"),
        ("three days ago", "2023-08-08 +1 day"),
        ("2 wks ago", "2023-07-24 +7 week"),
        ("2wks ago", "2023-07-24 +7 week"),
        ("two months ago", "2023-06-01 +30 month"),
        ("18 months ago", "2022-02-01 +28 month"),
        ("about five years ago", "2018-01-01 +365 year"),
        ("twenty-five yrs ago", "1998-01-01 +365 year"),
        ("two years and three months ago", "2021-05-01 +31 month"),
        ("a year and a half ago", "2021-11-11 +182 year"),
        ("ten years ago today", "2013-08-11 +1 day"),
        ("ten years ago this month", "2013-08-01 +31 month"),
        ("two years ago this March", "2021-03-01 +31 month"),
        ("this time last year", "2022-08-01 +31 month"),
        ("last March", "2023-03-01 +31 month"),
        ("last October", "2022-10-01 +31 month"),
        ("next May", "2024-05-01 +31 month"),
        ("March last year", "2022-03-01 +31 month"),
        ("last year in March", "2022-03-01 +31 month"),
        ("on the 5th of last month", "2023-07-05 +1 day"),
        ("last summer", "2022-06-01 +92 season"),
        ("this summer", "2023-06-01 +92 season"),
        ("the summer before last", "2021-06-01 +92 season"),
        ("last Christmas", "2022-12-25 +1 day"),
        ("last year's Christmas party", "2022-12-25 +1 day"),
        ("earlier this year", "2023-01-01 +223 year"),
        ("later this year", "2023-08-11 +143 year"),
        ("late last year", "2022-09-01 +122 year"),
        ("in two weeks", "2023-08-21 +7 week"),
        ("two days from now", "2023-08-13 +1 day"),
        ("'yesterday'", "2023-08-10 +1 day"),
        ("next Tuesday's meeting", "2023-08-15 +1 day"),
        ("It's been two years since we moved", "2021-01-01 +365 year"),
    ],
)
def test_times_counted_from_the_moment_of_speaking(text: str, expected: str) -> None:
    assert meant(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a few days ago", "2023-08-05 +5 unknown"),
        ("a few years back", "2017-01-01 +1826 unknown"),
        ("a couple of weeks ago", "2023-07-17 +14 unknown"),
        ("2-3 weeks ago", "2023-07-17 +14 unknown"),
        ("in 2005 or 2006", "2005-01-01 +730 unknown"),
        ("a month or two ago", "2023-06-01 +61 unknown"),
        ("three or four months ago", "2023-04-01 +61 unknown"),
        ("the other day", "2023-07-28 +14 unknown"),
        ("recently", "2023-05-11 +93 unknown"),
        ("a while ago", "2020-08-11 +1095 unknown"),
        ("years ago", "2003-01-01 +6940 unknown"),
    ],
)
def test_vague_times_are_wide_and_of_unknown_precision(text: str, expected: str) -> None:
    assert meant(text) == expected


@pytest.mark.parametrize(
    ("text", "role", "start", "end"),
    [
        ("I've lived here since 2019", TimeRole.SINCE, "2019-01-01 +365 year", "-"),
        ("ever since March 2020", TimeRole.SINCE, "2020-03-01 +31 month", "-"),
        ("since the summer of 2020", TimeRole.SINCE, "2020-06-01 +92 season", "-"),
        ("since last October", TimeRole.SINCE, "2022-10-01 +31 month", "-"),
        ("since two weeks ago", TimeRole.SINCE, "2023-07-24 +7 week", "-"),
        ("starting next Monday", TimeRole.SINCE, "2023-08-14 +1 day", "-"),
        ("from June 2021 onwards", TimeRole.SINCE, "2021-06-01 +30 month", "-"),
        ("from 2019 until now", TimeRole.SINCE, "2019-01-01 +365 year", "-"),
        ("2019 - present", TimeRole.SINCE, "2019-01-01 +365 year", "-"),
        ("after March 2023", TimeRole.SINCE, "2023-04-01 +0 month", "-"),
        ("until last year", TimeRole.UNTIL, "-", "2022-01-01 +365 year"),
        ("till March 2021", TimeRole.UNTIL, "-", "2021-03-01 +31 month"),
        ("by the end of 2022", TimeRole.UNTIL, "-", "2022-09-01 +122 year"),
        ("by Friday", TimeRole.UNTIL, "-", "2023-08-18 +1 day"),
        ("until now", TimeRole.UNTIL, "-", "2023-08-11 +0 instant"),
        ("before March 2023", TimeRole.UNTIL, "-", "2023-03-01 +0 month"),
        ("from 2019 to 2021", TimeRole.RANGE, "2019-01-01 +365 year", "2021-01-01 +365 year"),
        ("2019-2021", TimeRole.RANGE, "2019-01-01 +365 year", "2021-01-01 +365 year"),
        ("from March to May 2023", TimeRole.RANGE, "2023-03-01 +31 month", "2023-05-01 +31 month"),
        ("Jan-Mar 2022", TimeRole.RANGE, "2022-01-01 +31 month", "2022-03-01 +31 month"),
        ("from November to March 2022", TimeRole.RANGE, "2021-11-01 +30 month", "2022-03-01 +31 month"),
        ("May 5-7, 2023", TimeRole.RANGE, "2023-05-05 +1 day", "2023-05-07 +1 day"),
        ("between 5 and 7 May 2023", TimeRole.RANGE, "2023-05-05 +1 day", "2023-05-07 +1 day"),
        ("between March 2021 and June 2022", TimeRole.RANGE, "2021-03-01 +31 month", "2022-06-01 +30 month"),
        ("between 2019 and 2021", TimeRole.RANGE, "2019-01-01 +365 year", "2021-01-01 +365 year"),
        ("over the last two years", TimeRole.RANGE, "2021-01-01 +365 year", "2023-08-11 +0 instant"),
        ("these past six months", TimeRole.RANGE, "2023-02-01 +28 month", "2023-08-11 +0 instant"),
        ("in the next two weeks", TimeRole.RANGE, "2023-08-11 +0 instant", "2023-08-21 +7 week"),
        ("for the past three years", TimeRole.DURATION, "2020-01-01 +366 year", "-"),
        ("for three years now", TimeRole.DURATION, "2020-01-01 +366 year", "-"),
        ("I've been vegan for 3 yrs", TimeRole.DURATION, "2020-01-01 +366 year", "-"),
        ("She has worked there for six weeks", TimeRole.DURATION, "2023-06-26 +7 week", "-"),
        ("They've been married 20 years", TimeRole.DURATION, "2003-01-01 +365 year", "-"),
        ("I haven't smoked in two years", TimeRole.DURATION, "2021-01-01 +365 year", "-"),
        ("We haven't spoken for six months", TimeRole.DURATION, "2023-02-01 +28 month", "-"),
        ("I'll be away from Monday to Wednesday", TimeRole.RANGE, "2023-08-14 +1 day", "2023-08-16 +1 day"),
        ("She's had that car for years", TimeRole.DURATION, "2003-08-11 +6576 unknown", "-"),
        ("Seven years now, and counting", TimeRole.DURATION, "2016-01-01 +366 year", "-"),
    ],
)
def test_roles(text: str, role: TimeRole, start: str, end: str) -> None:
    mention = only(text)
    assert (mention.role, shown(mention.start), shown(mention.end)) == (role, start, end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met in March", "2023-03-01 +31 month"),
        ("We'll meet in March", "2024-03-01 +31 month"),
        ("I'm flying home in December", "2023-12-01 +31 month"),
        ("She moved out in December", "2022-12-01 +31 month"),
        ("My contract ends in July", "2024-07-01 +31 month"),
        ("He handed in his notice on the 4th", "2023-08-04 +1 day"),
        ("The party will be on the 4th", "2023-09-04 +1 day"),
        ("I went on Monday", "2023-08-07 +1 day"),
        ("See you Monday", "2023-08-14 +1 day"),
        ("The wedding is in March", "2024-03-01 +31 month"),
        ("The wedding was in March", "2023-03-01 +31 month"),
        ("The deadline is 3/15, due 3/15", "2024-03-15 +1 day"),
        ("dinner on Tuesday 14 November", "2023-11-14 +1 day"),
        ("Labor Day weekend", "2022-09-03 +3 week"),
        ("Sept 5 was great", "2022-09-05 +1 day"),
        ("on Halloween we dressed up", "2022-10-31 +1 day"),
        ("We're going to celebrate on Halloween", "2023-10-31 +1 day"),
        ("over the weekend", "2023-08-05 +2 week"),
        ("in the fall", "2022-09-01 +91 season"),
        ("around Easter", "2023-04-09 +1 day"),
        ("Friday the 13th", "2023-01-13 +1 day"),
    ],
)
def test_a_missing_year_follows_the_tense_and_is_marked_as_inferred(text: str, expected: str) -> None:
    assert meant(text) == expected
    assert only(text).inferred


def test_the_caller_who_knows_the_direction_can_say_so() -> None:
    assert meant("in March", lean=Lean.FUTURE) == "2024-03-01 +31 month"
    assert meant("We'll meet in March", lean=Lean.PAST) == "2023-03-01 +31 month"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on my 30th birthday", "2020-05-17 +1 day"),
        ("when I was 12", "2002-05-17 +365 year"),
        ("at the age of twenty one", "2011-05-17 +366 year"),
        ("when I turned 18", "2008-05-17 +1 day"),
        ("in my twenties", "2010-05-17 +3653 decade"),
        ("on my birthday", "2023-05-17 +1 day"),
        ("when I was a kid", "1993-05-17 +3652 unknown"),
    ],
)
def test_ages_need_a_date_of_birth(text: str, expected: str) -> None:
    assert meant(text, born=BORN) == expected
    assert find_times(text, SAID_AT) == []


def test_since_an_age() -> None:
    mention = only("I've played since I was 12", born=BORN)
    assert (mention.role, shown(mention.start)) == (TimeRole.SINCE, "2002-05-17 +365 year")


def test_one_born_on_29_february_turns_an_age_on_1_march() -> None:
    assert meant("on my 21st birthday", born=date(2000, 2, 29)) == "2021-03-01 +1 day"


def test_lengths_without_an_anchor_are_no_times() -> None:
    for text in (
        "I lived there for three years",
        "I had been there for three years",
        "I'll be in Rome for two weeks",
        "three months later they split up",
        "the following week",
        "since then",
    ):
        assert find_times(text, SAID_AT) == [], text


def test_the_span_holds_the_preposition_but_not_that_of_the_verb() -> None:
    for text, words in (
        ("I moved to Oslo in March 2020.", "in March 2020"),
        ("We moved in last month", "last month"),
        ("We moved in over the weekend!", "over the weekend"),
        ("What's going on lately?", "lately"),
        ("I've been here since May 2020, I think", "since May 2020"),
        ("The dinner on Friday at 10:30 am is off", "on Friday at 10:30 am"),
        ("🙂 yesterday — I quit", "yesterday"),
    ):
        assert text[slice(*only(text).span)] == words


def test_several_times_in_one_turn_come_in_order() -> None:
    text = "I joined Acme in 2019, left last March and start at Initech next Monday."
    assert [text[slice(*m.span)] for m in find_times(text, SAID_AT)] == ["in 2019", "last March", "next Monday"]


def test_an_instant_needs_its_zone() -> None:
    span = only("2023-05-07T10:00:00+02:00").start
    assert span == TimeSpan(datetime(2023, 5, 7, 8, tzinfo=UTC), datetime(2023, 5, 7, 8, tzinfo=UTC), Precision.INSTANT)
    assert meant("2023-05-07T10:00:00") == "2023-05-07 +1 day"


def test_days_are_those_of_the_zone_of_said_at_and_come_out_in_utc() -> None:
    evening = datetime(2023, 8, 10, 20, 0, tzinfo=ZoneInfo("America/Los_Angeles"))
    span = only("yesterday", said_at=evening).start
    assert span is not None
    assert span.start == datetime(2023, 8, 9, 7, tzinfo=UTC)
    assert span.start.tzinfo is UTC
    assert span.end - span.start == timedelta(days=1)


def test_a_day_can_have_23_hours() -> None:
    said_at = datetime(2023, 3, 27, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    span = only("yesterday", said_at=said_at).start
    assert span is not None
    assert span.end - span.start == timedelta(hours=23)


def test_dates_outside_the_calendar_are_no_times() -> None:
    for text in ("30 February 2023", "2023-13-45", "31/31/2023", "900 decades ago", "in 999 decades"):
        assert find_times(text, SAID_AT) == [], text


def test_the_edges_of_the_calendar_raise_nothing() -> None:
    west, east = timezone(timedelta(hours=-12)), timezone(timedelta(hours=14))
    text = "yesterday, tomorrow, last year, next year, in March, on Friday, since 1999, a few weeks ago, next decade"
    for said_at in (datetime(1, 1, 1, tzinfo=east), datetime(9999, 12, 31, 23, 59, tzinfo=west)):
        for mention in find_times(text, said_at):
            assert mention.start is not None


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("Since June Desta has been a regular there.", "2023-06"),
        ("Since march is when it changed.", "2023-03"),
        ("So in december kayla jumped ship.", "2022-12"),
        ("It was April when he got the room.", "2023-04"),
        ("The holidays, call it August, were long.", "2023-08"),
        ("What was Viktor working as in January 2023?", "2023-01"),
    ],
)
def test_a_month_before_a_name_or_named_as_the_time_is_read(text: str, month: str) -> None:
    found = only(text).start
    assert found is not None
    assert f"{found.start:%Y-%m}" == month


@pytest.mark.parametrize(
    "text", ["Since June left me I cook.", "Since May moved out it is quiet.", "A song by June Carter."]
)
def test_a_month_that_is_a_person_is_no_time(text: str) -> None:
    assert not find_times(text, SAID_AT)


def test_as_belongs_to_the_verb_of_a_question() -> None:
    text = "What was Viktor working as in January 2023?"
    assert text[slice(*only(text).span)] == "in January 2023"
