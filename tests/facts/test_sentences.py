"""Sentences: where they end, how they are meant, whom and when they speak of."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.corrections import _TAKEN_BACK, _WRONG
from genome_core.facts.hearsay import IMAGINED
from genome_core.facts.reader import _NOW
from genome_core.facts.sentences import (
    _FILLERS,
    _SUPPOSED,
    RUMOUR,
    TRIP,
    Modality,
    Sentence,
    attribute_types,
    read_sentences,
    split_sentences,
)
from genome_core.facts.words import lowered
from genome_core.types import Record

SAID = datetime(2024, 5, 15, 12, tzinfo=UTC)


def sentences(text: str, *earlier: str) -> list[Sentence]:
    before = [Record(text=said, name="Otto", at=SAID) for said in earlier]
    return read_sentences(Record(text=text, name="Vera", at=SAID), lambda: before)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Wolff moved to St. Gallen. She likes it.", ["Dr. Wolff moved to St. Gallen.", "She likes it."]),
        ("It costs 3.50 at the U.S. store", ["It costs 3.50 at the U.S. store"]),
        ("well... maybe not... Anyway, hi", ["well... maybe not...", "Anyway, hi"]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("omg!!so happy", ["omg!!", "so happy"]),
        ("", []),
        ("...", []),
    ],
)
def test_sentences_end_where_people_end_them(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in split_sentences(text)] == expected


@given(st.text(max_size=200))
def test_spans_are_in_order_apart_and_without_blanks(text: str) -> None:
    spans = split_sentences(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= two[0] for one, two in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("Where do you live?", Modality.QUESTION),
        ("how was the move", Modality.QUESTION),
        ("I'm going to join Hexagon", Modality.PLAN),
        ("We'd love a bigger flat", Modality.PLAN),
        ("If I get the job we will celebrate", Modality.HYPOTHETICAL),
        ("Pavel doesn't work there", Modality.NEGATED),
        ("I no longer work at Hexagon", Modality.ENDED),
        ("She used to sing", Modality.ENDED),
        ("Rumour has it Pavel quit", Modality.HEARSAY),
        ("Pavel says he quit", Modality.HEARSAY),
        ("I was in Rome for a conference", Modality.EVENT),
    ],
)
def test_modality_is_read_from_the_words(text: str, modality: Modality) -> None:
    assert modality in sentences(text)[0].modality


def test_a_plain_statement_has_no_modality() -> None:
    assert sentences("Pavel works at Hexagon")[0].modality == frozenset()


def test_asking_for_attention_is_no_question() -> None:
    assert Modality.QUESTION not in sentences("Did I tell you Pavel moved to Nantes?")[0].modality


def test_hearsay_names_whose_words_they_are() -> None:
    assert sentences("Pavel says he quit")[0].believer == "Pavel"


def test_times_have_offsets_into_the_turn() -> None:
    text = "Hello there. I moved in March 2023."
    (mention,) = sentences(text)[1].times
    assert text[slice(*mention.span)] == "in March 2023"


def test_entities_resolve_the_speaker_relatives_and_pronouns() -> None:
    assert "Vera" in sentences("I moved")[0].entities
    assert "Vera's sister" in sentences("My sister moved")[0].entities
    assert "Ola" in sentences("My sister Ola moved")[0].entities
    assert "Ola" in sentences("She moved to Nantes", "How is Ola?")[0].entities


PATTERNS = (RUMOUR, TRIP, IMAGINED, _SUPPOSED, _FILLERS, _NOW, _TAKEN_BACK, _WRONG)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_for_lower_case_name_no_capital(pattern: re.Pattern[str]) -> None:
    assert re.findall(r"(?<!\\)[A-Z]", pattern.pattern) == []


@given(st.text())
def test_lower_case_keeps_every_offset(text: str) -> None:
    low = lowered(text)
    assert len(low) == len(text)
    assert [low[i] for i, c in enumerate(text) if c.isascii()] == [c.lower() for c in text if c.isascii()]


def test_a_pronoun_in_a_later_sentence_means_who_was_named_just_before_it() -> None:
    assert "Declan's grandmother" in sentences("I said yes! Declan has the house of his grandmother.")[1].entities


def test_a_pronoun_means_who_is_named_in_its_own_sentence() -> None:
    found = sentences("Our Philip has a post in Leeds; he began there in May.", "Edgar has a cold.")
    assert "Edgar" not in found[0].entities


def test_a_date_in_the_simple_present_of_a_change_is_ahead() -> None:
    for text in ("We move to Leeds on 9 May.", "We get married on 9 May."):
        (time,) = sentences(text)[0].times
        assert time.start is not None
        assert time.start.start > SAID


def test_a_pronoun_that_fits_two_people_is_left_open() -> None:
    found = sentences("She moved to Nantes", "How are Ola and Clara?")[0].entities
    assert "Ola" not in found or "Clara" not in found


def test_attribute_types_come_from_cues_and_from_likeness() -> None:
    sentence = sentences("We relocated to Nantes")[0]
    table = AttributeTable()
    assert attribute_types(sentence, table)["home"] > 0.5
    liked = attribute_types(sentence, table, likeness=lambda text: {"car": 0.9, "home": 0.1})
    assert liked["car"] == 0.9
    assert liked["home"] > 0.5
