"""Candidate sentences: what they state of whom, the value in them, and times in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.candidates import candidates, hear
from genome_core.facts.reading import read_value
from genome_core.facts.relevance import Told, stated, topics
from genome_core.facts.sentences import read_sentences
from genome_core.facts.wording import say_duration, say_span
from genome_core.types import Fact, FactKind, Precision, Record, TimeSpan

SAID = datetime(2023, 6, 1, tzinfo=UTC)
TABLE = AttributeTable()


def told(text: str, speaker: str = "Bob") -> list[Told]:
    record = Record(id="t0", text=text, name=speaker, at=SAID)
    return [Told(sentence, record) for sentence in read_sentences(record)]


def said_of(subject: str, text: str, speaker: str = "Bob") -> str | None:
    """The clauses of the last sentence that count, joined."""
    sentences = told(text, speaker)
    topic = topics(sentences, ["Ann", "Bob"])[-1]
    part = stated(sentences[-1], subject, ["Ann", "Bob"], topic=topic)
    body = sentences[-1].sentence.text
    return None if part is None else " / ".join(body[start:end] for start, end in part.spans)


@pytest.mark.parametrize(
    ("subject", "text", "expected"),
    [
        ("Ann", "Ann lives in Oslo.", "Ann lives in Oslo"),
        ("Ann", "A bank hired Ann in May.", "A bank hired Ann in May"),
        ("Ann", "Ann's new address is in Oslo.", "Ann's new address is in Oslo"),
        ("Bob", "My Pixel drowned, so I use a Fairphone.", "My Pixel drowned / I use a Fairphone"),
        ("Bob", "Dad had a Volvo, I loved it.", "I loved it"),
        ("Bob", "My sister got engaged.", None),
        ("Ann", "Ann's sister got engaged.", None),
        ("Bob", "Ann lives in Oslo.", None),
        ("Ann", "Saw Ann yesterday. She lives in Oslo now.", "She lives in Oslo now"),
        ("Bob", "Saw Ann yesterday. Works at a bank these days.", None),
        ("Bob", "I grew up in Oslo, what about you?", "I grew up in Oslo"),
        ("Ann", "Ann will move to Oslo.", None),
        ("Ann", "Ann starts at the bank in July.", None),
        ("Ann", "Ann would eat curry every day, since May 2021.", "Ann would eat curry every day / since May 2021"),
    ],
)
def test_only_the_clauses_about_the_subject_count(subject: str, text: str, expected: str | None) -> None:
    found = said_of(subject, text)
    assert (found.rstrip(" ,.") if found else None) == expected


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("Ann has called Lisbon home for years.", "home", "Lisbon"),
        ("Ann is on the payroll of a law firm.", "employer", "law firm"),
        ("Ann earns her living as a nurse.", "role", "nurse"),
        ("Ann traded the old car in for a Jeep.", "car", "Jeep"),
        ("Ann swapped the Golf for a Polo.", "car", "Polo"),
        ("Ann trains at a yoga studio.", "gym", "yoga studio"),
        ("Ann started craving curry.", "favorite food", "curry"),
        ("Ann tied the knot.", "relationship_status", "married"),
        ("Ann is dating someone.", "relationship_status", "dating someone"),
        ("Ann smiled.", "home", None),
    ],
)
def test_the_value_is_the_phrase_of_the_right_kind(text: str, attribute: str, value: str | None) -> None:
    found = read_value(text, attribute, TABLE, people=["Ann"], about=[(0, 3)])
    assert (found.text if found else None) == value


def test_two_phrases_of_the_right_kind_are_not_sure() -> None:
    found = read_value("Ann likes Oslo and Rome.", "home", TABLE, about=[(0, 3)])
    assert found is not None
    assert not found.alone


def test_a_sentence_that_a_rule_has_read_is_left_to_the_fact() -> None:
    sentences = told("Ann lives in Oslo.")
    assert [c.value for c in candidates("Ann", "home", [], hear("Ann", sentences), table=TABLE)] == ["Oslo"]
    fact = Fact(subject="Ann", attribute="home", value="Oslo", at=SAID, source="t0", span=(0, 17))
    assert candidates("Ann", "home", [fact], hear("Ann", sentences), table=TABLE) == []


def test_a_known_value_that_ends_is_found_by_its_name() -> None:
    pet = Fact(subject="Bob", attribute="pet", value="Biscuit", at=SAID - timedelta(300), source="t-1")
    (found,) = candidates("Bob", "pet", [pet], hear("Bob", told("We lost Biscuit in January.")), table=TABLE)
    assert (found.fact.kind, found.fact.value) == (FactKind.END, "Biscuit")
    assert found.fact.valid_from is not None
    assert found.fact.valid_from.precision is Precision.MONTH


@pytest.mark.parametrize(
    ("start", "end", "precision", "words"),
    [
        ("2023-09-16", "2023-09-17", Precision.DAY, "16 September 2023"),
        ("2023-09-01", "2023-10-01", Precision.MONTH, "September 2023"),
        ("2023-01-01", "2024-01-01", Precision.YEAR, "2023"),
        ("2023-06-01", "2023-09-01", Precision.SEASON, "summer 2023"),
        ("2010-01-01", "2020-01-01", Precision.DECADE, "the 2010s"),
        ("2023-09-04", "2023-09-11", Precision.WEEK, "the week of 4 September 2023"),
        ("2023-09-04", "2023-11-11", Precision.UNKNOWN, "between 4 September 2023 and 10 November 2023"),
    ],
)
def test_a_span_is_said_in_its_own_precision(start: str, end: str, precision: Precision, words: str) -> None:
    first, last = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, end))
    assert say_span(TimeSpan(first, last, precision)) == words


def test_a_duration_is_said_in_two_units_or_in_years_where_it_is_rough() -> None:
    start = datetime(2020, 3, 10, tzinfo=UTC)
    assert say_duration(start, datetime(2022, 6, 9, tzinfo=UTC)) == "2 years and 2 months"
    assert say_duration(start, datetime(2022, 6, 9, tzinfo=UTC), rough=True) == "2 years"
    assert say_duration(start, start + timedelta(15)) == "2 weeks"
