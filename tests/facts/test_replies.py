"""Replies: what a turn leaves out because the question before it said it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from genome_core.facts.extractor import RuleExtractor
from genome_core.types import Fact, FactKind, Record

AT = datetime(2024, 6, 15, tzinfo=UTC)


def replied(question: str, reply: str, *, by: str = "Bea") -> list[Fact]:
    asked = Record(id="q", text=question, name="Ann", at=AT)
    return RuleExtractor().extract(Record(id="r", text=reply, name=by, at=AT), lambda: [asked])


@pytest.mark.parametrize(
    ("question", "reply", "attribute", "value"),
    [
        ("Where are you now?", "Leeds, since May", "home", "Leeds"),
        ("so what r u doing now", "barista. well, sort of", "role", "barista"),
        ("Where do you work?", "the hospital, since June", "employer", "hospital"),
        ("since when have you a dog", "since March. A rescue.", "pet", "dog"),
        ("how long have you been at Acme?", "two years", "employer", "Acme"),
        ("Are you still single?", "yes, since 2019", "relationship_status", "single"),
        ("and are you still in Cork?", "Yep!", "home", "Cork"),
    ],
)
def test_a_reply_is_read_with_the_question(question: str, reply: str, attribute: str, value: str) -> None:
    (fact,) = replied(question, reply)
    assert (fact.subject, fact.attribute, fact.value, fact.kind) == ("Bea", attribute, value, FactKind.ASSERTION)
    start, end = fact.span or (0, 0)
    assert 0 <= start <= end <= len(reply)


def test_a_no_to_a_question_with_still_is_an_end() -> None:
    (fact,) = replied("are you still at Acme?", "nope, not any more")
    assert (fact.value, fact.kind) == ("Acme", FactKind.END)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("where are you living?", "don't ask"),
        ("where are you living?", "somewhere warm"),
        ("Have you moved?", "no"),
        ("Are you moving to Leeds?", "no idea"),
        ("where are you now?", "It's a long story, Leeds is lovely"),
    ],
)
def test_what_answers_nothing_gives_nothing(question: str, reply: str) -> None:
    assert replied(question, reply) == []


def test_nobody_answers_their_own_question() -> None:
    assert replied("Where are you now?", "Leeds, since May", by="Ann") == []


@pytest.mark.parametrize(
    ("said", "reply", "subject", "value"),
    [
        ("Did you hear Rhodri's moved to Bath?", "He's in Bristol!", "Rhodri", "Bristol"),
        ("Ines is our second data analyst.", "Not an analyst. Data engineer.", "Ines", "Data engineer"),
    ],
)
def test_who_knows_better_corrects(said: str, reply: str, subject: str, value: str) -> None:
    (fact,) = replied(said, reply)
    assert (fact.subject, fact.value, fact.kind) == (subject, value, FactKind.CORRECTION)


def test_what_is_said_of_somebody_else_corrects_nothing() -> None:
    assert all(fact.kind is not FactKind.CORRECTION for fact in replied("I moved to Leeds in May.", "She's in Hove."))


def test_speakers_put_themselves_right() -> None:
    asked = Record(id="q", text="I've gone and bought a Skoda", name="Huw", at=AT)
    turn = Record(id="r", text="Fabia. No, sorry, Octavia, the Fabia was the test drive", name="Huw", at=AT)
    (fact,) = RuleExtractor().extract(turn, lambda: [asked])
    assert (fact.value, fact.kind) == ("Octavia", FactKind.CORRECTION)
