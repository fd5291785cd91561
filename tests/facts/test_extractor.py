"""RuleExtractor: what a turn is read as, and what it must never be read as."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from genome_core.facts.extractor import RuleExtractor
from genome_core.types import Fact, FactKind, Record

SAID = datetime(2024, 5, 15, 12, tzinfo=UTC)


def read(text: str, *earlier: str, name: str = "Vera") -> list[Fact]:
    before = [Record(text=said, id=str(i), name=name, at=SAID) for i, said in enumerate(earlier)]
    return RuleExtractor().extract(Record(text=text, id="t", name=name, at=SAID), lambda: before)


def triples(text: str, *earlier: str) -> list[tuple[str, str, str | None]]:
    return [(fact.subject, fact.attribute, fact.value) for fact in read(text, *earlier)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Tromsø", ("Vera", "home", "Tromsø")),
        ("We relocated to Nantes last autumn", ("Vera", "home", "Nantes")),
        ("Pavel works for Hexagon", ("Pavel", "employer", "Hexagon")),
        ("Hexagon hired Pavel in March", ("Pavel", "employer", "Hexagon")),
        ("Pavel was hired by Hexagon in March", ("Pavel", "employer", "Hexagon")),
        ("My sister Ola is a welder", ("Ola", "role", "welder")),
        ("My brother bought a Yaris last week", ("Vera's brother", "car", "Yaris")),
        ("I went vegan in January", ("Vera", "diet", "vegan")),
        ("We adopted a beagle called Crumb", ("Vera", "pet", "Crumb the beagle")),
        ("Pavel got engaged on Saturday", ("Pavel", "relationship_status", "engaged")),
        ("im working at Hexagon now", ("Vera", "employer", "Hexagon")),
    ],
)
def test_a_plain_statement_becomes_a_fact(text: str, expected: tuple[str, str, str]) -> None:
    assert triples(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Should I move to Nantes?",
        "I want to move to Nantes",
        "I'm thinking about joining Hexagon",
        "If I moved to Nantes I'd buy a boat",
        "I'll start at Hexagon in June",
        "We're moving to Nantes in June",
        "I might go vegan",
        "I wish I lived in Nantes",
        "Flew to Nantes for the weekend",
        "I have an interview at Hexagon",
        "I've never worked at Hexagon with such joy",
    ],
)
def test_what_is_not_so_yields_no_assertion(text: str) -> None:
    assert [fact for fact in read(text) if fact.kind is FactKind.ASSERTION] == []
