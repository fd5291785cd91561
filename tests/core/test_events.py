"""When something happened that no fact tells: ``Memory.ask`` answers with the sentence that tells it, and its time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from genome_core import Memory, Record, Trust
from tests.conftest import FakeClock

TOLD = datetime(2023, 5, 20, 9, tzinfo=UTC)
ASKED = datetime(2023, 12, 1, tzinfo=UTC)
TURNS = [
    "The bread was still warm.",
    "I ran a charity race last Saturday, for the hospice.",
    "I baked my lemon cake for the harvest fair!",
    "Did you ever run a marathon?",
    "We had soup with too much pepper.",
]


@pytest.fixture
def told(memory: Memory, clock: FakeClock) -> Memory:
    for number, text in enumerate(TURNS):
        clock.set(TOLD + timedelta(hours=number))
        memory.add(Record(text=text, id=str(number), role="user", name="Melanie", at=clock.now), user_id="u")
    clock.set(ASKED)
    return memory


def test_an_event_told_with_its_time_is_dated(told: Memory) -> None:
    answer = told.ask("When did Melanie run the charity race?", user_id="u")
    assert answer.value == "13 May 2023"
    assert answer.evidence[0].source == "1"
    assert not answer.unknown


def test_an_event_told_without_a_time_gives_the_sentence_and_when_it_was_said(told: Memory) -> None:
    answer = told.ask("When did Melanie bake the lemon cake for the harvest fair?", user_id="u")
    assert answer.value is None
    first = answer.evidence[0]
    assert (first.source, first.when, first.said.date()) == ("2", None, TOLD.date())


def test_an_event_that_nobody_told_is_unknown(told: Memory) -> None:
    answer = told.ask("When did Melanie visit the aquarium with her nephews?", user_id="u")
    assert answer.unknown
    assert not answer.evidence


def test_an_event_is_unknown_before_it_was_told(told: Memory) -> None:
    question = "When did Melanie run the charity race?"
    assert told.ask(question, user_id="u", known_at=TOLD).unknown
    assert told.ask(question, user_id="u", at=TOLD).unknown
    assert told.ask(question, user_id="u", known_at=TOLD + timedelta(hours=2)).value == "13 May 2023"


def test_a_page_of_the_web_does_not_date_what_a_person_told(told: Memory) -> None:
    page = Record(text="Melanie ran the charity race on 1 April 2023.", role="user", name="Melanie", at=ASKED)
    told.add(page, origin="web", user_id="u")
    asked = told.ask("When did Melanie run the charity race?", user_id="u", min_trust=Trust.UNTRUSTED)
    assert asked.value == "13 May 2023"


def test_what_another_believes_is_no_evidence(told: Memory) -> None:
    told.add("I painted the fence on 3 May 2023.", believer="Ann", user_id="u")
    question = "When did the fence get painted?"
    assert told.ask(question, user_id="u").unknown
    assert told.ask(question, user_id="u", believer="Ann").evidence
