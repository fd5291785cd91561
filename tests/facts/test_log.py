"""The fact log: any order of arrival, two time axes, ends, corrections, several values."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genome_core.errors import InvalidInput
from genome_core.facts.log import (
    Basis,
    Knowledge,
    check,
    check_end,
    conflicts,
    holding,
    knowledge,
    timeline,
)
from genome_core.types import Fact, FactKind, Precision, TimeSpan


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def instant(text: str) -> TimeSpan:
    return TimeSpan(day(text), day(text), Precision.INSTANT)


def month(text: str) -> TimeSpan:
    start = day(f"{text}-01")
    return TimeSpan(start, (start + timedelta(31)).replace(day=1), Precision.MONTH)


def fact(
    value: str | None,
    since: TimeSpan | None = None,
    until: TimeSpan | None = None,
    *,
    kind: FactKind = FactKind.ASSERTION,
    said: str = "2025-01-01",
    known: str | None = None,
    attribute: str = "home",
    **more: object,
) -> Fact:
    return Fact(
        subject="Ann",
        attribute=attribute,
        value=value,
        kind=kind,
        valid_from=since,
        valid_to=until,
        at=day(said),
        recorded_at=day(known or said),
        **more,  # type: ignore[arg-type]
    )


def values(facts: Sequence[Fact], at: str, **options: object) -> list[str]:
    return [window.value for window in holding(facts, day(at), **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [3, 4, 5])
def test_every_order_of_arrival_gives_one_value_at_every_instant(count: int) -> None:
    """K09-01: a late fact about the middle shortens the earlier one."""
    starts = [f"2024-{number:02d}-01" for number in range(1, count + 1)]
    expected = None
    for order in permutations(range(count)):
        facts = [
            fact("ABCDE"[number], instant(starts[number]), said=f"2025-01-{arrival + 1:02d}")
            for arrival, number in enumerate(order)
        ]
        for number, start in enumerate(starts):
            middle = (day(start) + timedelta(14)).date().isoformat()
            assert values(facts, middle) == ["ABCDE"[number]]
        shape = [(w.value, w.begins, w.ends) for w in timeline(facts)]
        expected = expected or shape
        assert shape == expected


def test_a_value_that_looks_alike_in_another_slot_is_untouched_where_many_are_allowed() -> None:
    """K09-03, K09-04: several values live side by side, one can end alone."""
    facts = [
        fact("French", instant("2020-01-01"), attribute="language"),
        fact("German", instant("2021-01-01"), attribute="language"),
    ]
    assert values(facts, "2022-01-01", many=True) == ["French", "German"]
    assert values(facts, "2022-01-01") == ["German"]
    ended = [*facts, fact("French", instant("2023-01-01"), kind=FactKind.END)]
    assert values(ended, "2024-01-01", many=True) == ["German"]
    taken_back = [*facts, fact("German", kind=FactKind.RETRACTION, said="2025-06-01")]
    assert values(taken_back, "2022-01-01", many=True) == ["French"]


def test_a_correction_does_not_rewrite_what_was_known_before() -> None:
    """K09-07: what held at T, as known at K."""
    facts = [
        fact("Oslo", instant("2020-01-01"), said="2022-01-01"),
        fact("Bergen", instant("2020-01-01"), kind=FactKind.CORRECTION, said="2022-01-05"),
    ]
    assert values(facts, "2021-01-01") == ["Bergen"]
    assert values(facts, "2021-01-01", known_at=day("2022-01-03")) == ["Oslo"]
    assert values(facts, "2021-01-01", known_at=day("2021-12-31")) == []


def test_recorded_time_and_time_of_saying_are_apart() -> None:
    """K09-12: an old chat imported late speaks about its own time, but was not known before the import."""
    late = fact("Oslo", said="2020-05-01", known="2024-01-01")
    assert values([late], "2021-01-01") == ["Oslo"]
    assert values([late], "2021-01-01", known_at=day("2023-01-01")) == []


def test_an_end_in_the_future_has_not_come_yet() -> None:
    """K09-09."""
    lease = fact("Baker Street", instant("2024-01-01"), instant("2024-12-31"))
    assert values([lease], "2024-06-01") == ["Baker Street"]
    assert values([lease], "2025-06-01") == []


def test_impossible_intervals_are_refused_and_a_void_one_says_nothing() -> None:
    """K09-10."""
    with pytest.raises(InvalidInput, match="before valid_from"):
        check(fact("Oslo", instant("2024-01-01"), instant("2023-01-01")))
    with pytest.raises(InvalidInput, match="before it began"):
        check_end([fact("Oslo", instant("2024-01-01"))], fact("Oslo", instant("2023-01-01"), kind=FactKind.END))
    with pytest.raises(InvalidInput, match=r"outside 0\.\.1"):
        check(fact("Oslo", certainty=float("nan")))
    naive = datetime(2024, 1, 1)
    without_zone = fact("Oslo", TimeSpan(naive, naive, Precision.INSTANT))
    with pytest.raises(InvalidInput, match="time zone"):
        check(without_zone)
    void = fact("Bergen", instant("2024-01-01"), instant("2024-01-01"))
    check(void)
    assert values([fact("Oslo", instant("2020-01-01")), void], "2024-02-01") == ["Oslo"]


@pytest.mark.parametrize(
    "bad", [{"value": None}, {"value": " "}, {"value": "x", "subject": ""}, {"value": "x", "attribute": " "}]
)
def test_an_entry_without_content_is_refused(bad: dict[str, str | None]) -> None:
    with pytest.raises(InvalidInput):
        check(Fact(**{"subject": "Ann", "attribute": "home", "at": day("2024-01-01"), **bad}))  # type: ignore[arg-type]


def test_unknown_none_and_held_are_told_apart() -> None:
    """K09-16."""
    assert knowledge([], day("2024-01-01")) is Knowledge.UNKNOWN
    facts = [fact("Oslo", instant("2023-01-01"))]
    assert knowledge(facts, day("2022-01-01")) is Knowledge.UNKNOWN
    assert knowledge(facts, day("2024-01-01")) is Knowledge.HELD
    ended = [*facts, fact("Oslo", instant("2024-01-01"), kind=FactKind.END)]
    assert knowledge(ended, day("2024-06-01")) is Knowledge.NONE
    taken_back = [*facts, fact("Oslo", kind=FactKind.RETRACTION, said="2025-06-01")]
    assert knowledge(taken_back, day("2024-01-01")) is Knowledge.NONE
    assert knowledge(taken_back, day("2024-01-01"), known_at=day("2025-02-01")) is Knowledge.HELD


def test_saying_it_again_does_not_split_the_window() -> None:
    facts = [fact("Oslo", month("2023-03")), fact("oslo", said="2024-05-01"), fact("Oslo", instant("2024-01-01"))]
    (window,) = timeline(facts)
    assert window.start == month("2023-03")
    assert len(window.facts) == 3


def test_an_unknown_start_is_not_the_time_of_saying() -> None:
    (window,) = timeline([fact("Oslo", said="2024-05-01")])
    assert window.start is None
    assert window.basis is Basis.SEEN
    assert values([fact("Oslo", said="2024-05-01")], "2024-04-30") == []
    assert values([fact("Oslo", said="2024-05-01")], "2024-05-01") == ["Oslo"]


def test_an_unknown_start_lies_after_what_was_known_before() -> None:
    first, second = timeline([fact("York", instant("2020-01-01")), fact("Oslo", said="2024-05-01")])
    between = TimeSpan(day("2020-01-01"), day("2024-05-01"), Precision.UNKNOWN)
    assert (first.end, second.start) == (between, between)


def test_a_return_to_an_old_value_is_a_window_of_its_own() -> None:
    facts = [fact(v, instant(t)) for v, t in [("Oslo", "2020-01-01"), ("Bergen", "2021-01-01"), ("Oslo", "2022-01-01")]]
    assert [w.value for w in timeline(facts)] == ["Oslo", "Bergen", "Oslo"]


def test_a_retraction_brings_back_what_was_there_before() -> None:
    facts = [
        fact("Ghent", instant("2015-01-01")),
        fact("Antwerp", instant("2024-01-01"), said="2024-01-05"),
        fact("Antwerp", kind=FactKind.RETRACTION, said="2024-02-01"),
    ]
    assert values(facts, "2024-06-01") == ["Ghent"]
    again = [*facts, fact("Antwerp", instant("2024-05-01"), said="2024-05-02")]
    assert values(again, "2024-06-01") == ["Antwerp"]


def test_an_end_without_a_beginning_shows_that_it_held_before() -> None:
    (window,) = timeline([fact("lawyer", month("2018-03"), kind=FactKind.END)])
    assert (window.value, window.basis, window.start) == ("lawyer", Basis.IMPLIED, None)
    assert window.ends == day("2018-04-01")


def test_an_unnamed_end_closes_what_holds_but_not_what_began_with_it() -> None:
    facts = [
        fact("Acme", month("2020-01"), source="a"),
        fact(None, month("2024-03"), kind=FactKind.END, source="b"),
        fact("Globex", instant("2024-03-18"), source="b"),
    ]
    assert values(facts, "2024-02-01") == ["Acme"]
    assert values(facts, "2024-06-01") == ["Globex"]


def test_an_end_may_name_a_part_of_the_value() -> None:
    facts = [fact("second-hand Golf", instant("2022-03-31")), fact("the Golf", month("2022-10"), kind=FactKind.END)]
    assert values(facts, "2022-12-01") == []


def test_a_month_counts_from_its_first_day_when_it_begins_and_to_its_last_when_it_ends() -> None:
    facts = [fact("Acme", month("2023-03"), month("2023-05"))]
    assert values(facts, "2023-03-01") == ["Acme"]
    assert values(facts, "2023-05-31") == ["Acme"]
    assert values(facts, "2023-06-01") == []


def test_of_equal_beginnings_the_one_said_last_decides() -> None:
    facts = [
        fact("Oslo", instant("2020-01-01"), said="2021-01-01"),
        fact("Bergen", instant("2020-01-01"), said="2021-06-01"),
    ]
    assert values(facts, "2022-01-01") == values(facts[::-1], "2022-01-01") == ["Bergen"]
    assert [w.value for w in timeline(facts)] == ["Bergen"]


def test_a_corrected_date_moves_the_beginning() -> None:
    facts = [
        fact("Oakfield", month("2019-09"), said="2023-03-14"),
        fact("St Mary's", month("2023-01"), said="2023-03-14"),
        fact("St Mary's", month("2023-02"), kind=FactKind.CORRECTION, said="2024-06-15"),
    ]
    assert values(facts, "2023-01-15") == ["Oakfield"]
    assert values(facts, "2023-02-15") == ["St Mary's"]


def test_a_correction_without_a_date_takes_the_place_of_what_held() -> None:
    facts = [
        fact("Google", month("2023-06"), said="2023-07-15"),
        fact("Microsoft", kind=FactKind.CORRECTION, said="2024-03-23"),
    ]
    assert values(facts, "2023-08-01") == ["Microsoft"]


def test_hearsay_is_kept_but_never_resolves() -> None:
    facts = [fact("Oslo", instant("2020-01-01")), fact("Bergen", instant("2021-01-01"), certainty=0.3)]
    assert values(facts, "2022-01-01") == ["Oslo"]


def test_each_believer_has_a_view_and_conflicts_name_both() -> None:
    facts = [
        fact("Oslo", instant("2020-01-01"), believer="Bob"),
        fact("Bergen", instant("2020-06-01"), believer="Cid"),
    ]
    assert values(facts, "2022-01-01") == []
    assert values(facts, "2022-01-01", believer="Bob") == ["Oslo"]
    (conflict,) = conflicts(facts)
    assert {conflict.one.value, conflict.other.value} == {"Oslo", "Bergen"}
    assert conflict.begins == day("2020-06-01")
    assert conflicts(facts, many=True) == []


def test_two_sources_that_date_different_values_alike_are_in_conflict_until_corrected() -> None:
    facts = [
        fact("Oslo", instant("2020-01-01"), source="turn-1"),
        fact("Bergen", instant("2020-01-01"), source="turn-2"),
    ]
    assert len(conflicts(facts)) == 1
    corrected = [*facts, fact("Bergen", instant("2020-01-01"), kind=FactKind.CORRECTION, said="2025-06-01")]
    assert conflicts(corrected) == []


# --- properties ----------------------------------------------------------------------------------------------------

ORIGIN = day("2020-01-01")


def moment(days: int) -> datetime:
    return ORIGIN + timedelta(days)


def reference(facts: Sequence[Fact], at: datetime) -> str | None:
    """The rule of the design, evaluated for one instant without any windows."""

    def said(f: Fact) -> tuple[datetime, str, str]:
        return f.at, f.value or "", f.source or ""

    def begins(f: Fact) -> datetime:
        return f.valid_from.start if f.valid_from else f.at

    def stops(f: Fact) -> datetime:
        return f.valid_from.end if f.valid_from else f.at

    def about(end: Fact, f: Fact) -> bool:
        return end.value in (None, f.value)

    told = sorted(facts, key=said)
    kept = [
        f
        for place, f in enumerate(told)
        if f.kind is not FactKind.RETRACTION
        and not (f.valid_to and f.valid_to.end <= begins(f))
        and not any(r.kind is FactKind.RETRACTION and about(r, f) for r in told[place + 1 :])
    ]
    ends = [f for f in kept if f.kind is FactKind.END]
    starts = [
        f
        for f in kept
        if f.kind is FactKind.ASSERTION
        and begins(f) <= at
        and not any(stops(e) == begins(f) and about(e, f) and said(e) > said(f) for e in ends)
    ]
    if not starts:
        return None
    winner = max(starts, key=lambda f: (begins(f), said(f)))
    all_ends = [(stops(e), e.value) for e in ends]
    all_ends += [(f.valid_to.end, f.value) for f in kept if f.kind is FactKind.ASSERTION and f.valid_to]
    over = any(begins(winner) < stop <= at and value in (None, winner.value) for stop, value in all_ends)
    return None if over else winner.value


@st.composite
def histories(draw: st.DrawFn) -> list[Fact]:
    facts = []
    for number in range(draw(st.integers(1, 7))):
        kind = draw(st.sampled_from([FactKind.ASSERTION] * 4 + [FactKind.END, FactKind.RETRACTION]))
        free = kind is not FactKind.ASSERTION
        value = draw(st.sampled_from(["A", "B", "C"] + ([None] if free else [])))
        start = draw(st.integers(0, 20))
        dated = draw(st.booleans()) and kind is not FactKind.RETRACTION
        lasts = draw(st.integers(0, 10)) if dated and kind is FactKind.ASSERTION and draw(st.booleans()) else None
        facts.append(
            Fact(
                subject="Ann",
                attribute="home",
                value=value,
                kind=kind,
                valid_from=TimeSpan(moment(start), moment(start), Precision.INSTANT) if dated else None,
                valid_to=None
                if lasts is None
                else TimeSpan(moment(start + lasts), moment(start + lasts), Precision.INSTANT),
                at=moment(draw(st.integers(0, 20))),
                source=str(number),
            )
        )
    return facts


@settings(max_examples=400)
@given(histories())
def test_windows_agree_with_the_rule_at_every_instant(facts: list[Fact]) -> None:
    windows = [w for w in timeline(facts) if w.basis is not Basis.IMPLIED]
    for half_days in range(-1, 70):
        at = ORIGIN + timedelta(half_days / 2)
        found = [w.value for w in windows if w.holds_at(at)]
        expected = reference(facts, at)
        assert found == ([] if expected is None else [expected]), at


@settings(max_examples=200)
@given(histories(), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_the_list_never_matters(facts: list[Fact], many: bool, chance: random.Random) -> None:
    shuffled = facts[:]
    chance.shuffle(shuffled)
    assert timeline(facts, many=many) == timeline(shuffled, many=many)


@settings(max_examples=200)
@given(histories())
def test_windows_are_in_order_and_never_overlap(facts: list[Fact]) -> None:
    windows = timeline(facts)
    for one, other in pairwise(windows):
        assert one.ends is not None
        assert one.begins <= one.ends <= other.begins


@settings(max_examples=200)
@given(histories(), st.integers(0, 20))
def test_the_past_view_never_depends_on_what_came_later(facts: list[Fact], days: int) -> None:
    known_at = moment(days)
    assert timeline(facts, known_at=known_at) == timeline([f for f in facts if f.at <= known_at])
