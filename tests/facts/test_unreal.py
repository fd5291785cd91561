"""What is said without being so: offers, trials, interest, what others say, and what was read around them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from genome_core.facts.candidates import hear
from genome_core.facts.extractor import RuleExtractor
from genome_core.facts.masking import masked
from genome_core.facts.relevance import Stated, Told
from genome_core.facts.sentences import Modality, read_sentences
from genome_core.types import Fact, FactKind, Record


def turn(text: str) -> Record:
    return Record(id="t", text=text, name="Ann", at=datetime(2024, 6, 15, tzinfo=UTC))


def stated(text: str, subject: str) -> Stated | None:
    told = [Told(sentence, turn(text)) for sentence in read_sentences(turn(text))]
    return hear(subject, told, ["Ann", subject])[0][1]


def facts(text: str) -> list[Fact]:
    return list(RuleExtractor().extract(turn(text), list))


@pytest.mark.parametrize(
    "text",
    [
        "Omar was eyeing up a Mustang at the dealership.",
        "Omar got offered a place at the academy but we said no.",
        "Omar had a free week at CrossFit and never went back.",
        "Omar is looking after a parrot for his neighbour.",
        "Omar applied to Nokia, then he turned it down.",
    ],
)
def test_what_is_only_weighed_tried_or_offered_states_nothing(text: str) -> None:
    assert stated(text, "Omar") is None


def test_an_answer_of_yes_or_no_is_no_hearsay() -> None:
    (yes,) = read_sentences(turn("Omar popped the question and she said yes."))
    (quoted,) = read_sentences(turn("The lease says no pets."))
    assert Modality.HEARSAY not in yes.modality
    assert Modality.HEARSAY in quoted.modality


def test_what_could_not_be_is_no_plan_and_what_followed_is_stated() -> None:
    text = "Omar couldn't stand the heat and made the move to Portland in May."
    part = stated(text, "Omar")
    assert part is not None
    assert text[slice(*part.spans[-1])].startswith("made the move")


def test_a_plan_leaves_what_has_happened_beside_it() -> None:
    assert stated("Omar moved to Oslo and will start at Nokia.", "Omar") is not None
    assert stated("Omar is in Oslo and will move to Rome.", "Omar") is None


def test_since_is_never_ahead() -> None:
    (fact,) = facts("I think I can say it out loud: Grant is dating someone, since Valentine's or so.")
    assert fact.valid_from is not None
    assert fact.valid_from.start == datetime(2024, 2, 14, tzinfo=UTC)


def test_what_one_had_to_leave_was_left_in_the_past() -> None:
    (fact,) = facts("Had to leave Gold's Gym at the end of March, they shut our branch.")
    assert (fact.kind, fact.valid_from.end if fact.valid_from else None) == (
        FactKind.END,
        datetime(2024, 4, 1, tzinfo=UTC),
    )


def test_a_couple_that_split_up_is_no_couple_any_more() -> None:
    ended = {fact.attribute for fact in facts("We split up in March.") if fact.kind is FactKind.END}
    assert ended == {"relationship_status", "partner"}


@pytest.mark.parametrize(
    ("text", "worded"),
    [
        ("I joined Anytime Fitness in May.", "She joined the gym"),
        ("Had to leave Gold's Gym.", "Had to leave the gym"),
    ],
)
def test_a_name_is_masked_without_the_verb_before_it(text: str, worded: str) -> None:
    (sentence,) = read_sentences(turn(text))
    assert masked(Told(sentence, turn(text)), [(0, len(text))], "Ann").startswith(worded)
