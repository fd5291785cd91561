"""Idioms: beginnings and ends that no plain verb tells."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from genome_core.facts.extractor import RuleExtractor
from genome_core.facts.time import find_times
from genome_core.types import FactKind, Record

AT = datetime(2024, 6, 15, tzinfo=UTC)


def told(text: str) -> list[tuple[str, str, str | None, FactKind]]:
    facts = RuleExtractor().extract(Record(id="t", text=text, name="Ann", at=AT), list)
    return [(f.subject, f.attribute, f.value, f.kind) for f in facts]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("We let the Leaf go in March.", "car", "Leaf"),
        ("That's me done with squash.", "hobby", "squash"),
        ("Today was my last day at Aviva.", "employer", "Aviva"),
        ("I've packed in being an accountant.", "role", "accountant"),
        ("I'm between jobs.", "employer", None),
        ("I chucked it in at Hexagon.", "employer", "Hexagon"),
        ("I stopped teaching in May.", "role", None),
        ("I had a steak and have not been vegan since.", "diet", "vegan"),
        ("The vegan thing is over.", "diet", "vegan"),
        ("My OnePlus has been pensioned off.", "phone", "OnePlus"),
        ("It's over with Duncan.", "relationship_status", "Duncan"),
    ],
)
def test_ends(text: str, attribute: str, value: str | None) -> None:
    assert ("Ann", attribute, value, FactKind.END) in told(text)


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("Home is still Bergen.", "home", "Bergen"),
        ("There's been a Honda Jazz on my drive since Boxing Day.", "car", "Honda Jazz"),
        ("Three weeks as a married woman today.", "relationship_status", "married"),
        ("I've packed in being a clerk: florist since January.", "role", "florist"),
        ("My OnePlus has been pensioned off, it's a Galaxy as of yesterday.", "phone", "Galaxy"),
        ("I've ended up at Siemens.", "employer", "Siemens"),
    ],
)
def test_what_holds(text: str, attribute: str, value: str) -> None:
    assert ("Ann", attribute, value, FactKind.ASSERTION) in told(text)


def test_who_is_no_longer_somewhere_has_gone_and_is_no_owner() -> None:
    assert ("Rory", "home", "Derry", FactKind.END) in told("Rory's no longer in Derry, he followed a girl to Aarhus.")


@pytest.mark.parametrize(
    "text",
    ["If I'm done with squash I'll tell you.", "Is that you done with squash?", "We had a hired Fiat in Sardinia."],
)
def test_what_is_supposed_asked_or_hired_is_no_fact(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("I've lived in Galway three years today.", date(2021, 6, 15)),
        ("I'm still driving for them, 4 yrs in november", date(2020, 11, 1)),
        ("it went live 20 minutes ago", date(2024, 6, 15)),
    ],
)
def test_anniversaries_and_minutes_of_a_telling_without_an_hour(text: str, start: date) -> None:
    (mention,) = find_times(text, AT)
    assert mention.start is not None
    assert mention.start.start.date() == start
