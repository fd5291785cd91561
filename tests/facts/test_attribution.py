"""Of whom a clause tells, what of it counts, and how sentences are worded for comparison."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.extractor import RuleExtractor
from genome_core.facts.masking import masked
from genome_core.facts.reading import read_value
from genome_core.facts.relevance import Stated, Told, stated
from genome_core.facts.sentences import read_sentences
from genome_core.facts.time import find_times
from genome_core.types import Record

SAID = datetime(2024, 9, 1, tzinfo=UTC)


def told(text: str, speaker: str = "Jin") -> Told:
    turn = Record(id="t", text=text, name=speaker, at=SAID)
    [sentence] = read_sentences(turn)
    return Told(sentence, turn)


def part(text: str, subject: str) -> Stated | None:
    return stated(told(text), subject, ["Jin", "Ann", "Rolf", "Nele"])


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("I swapped my iPhone for a Pixel and everyone thinks it is a toy", "Jin"),
        ("I only heard this now, but Rolf got divorced in May.", "Rolf"),
        ("Rolf got engaged in March, so the gossip was right for once.", "Rolf"),
        ("I was in Lisbon for a wedding but Rolf works at Acme", "Rolf"),
        ("My favourite band is Alvvays but I'll make room", "Jin"),
    ],
)
def test_hearsay_trips_and_plans_bar_only_their_own_clauses(text: str, subject: str) -> None:
    assert part(text, subject) is not None


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Kim says Nele got the job at Siemens", "Nele"),
        ("Nele got the job, no idea if it's true", "Nele"),
        ("People say Rolf left Acme and moved to Oslo", "Rolf"),
        ("Rolf flew to Oslo, just for the weekend", "Rolf"),
    ],
)
def test_what_is_only_reported_or_happened_once_states_nothing(text: str, subject: str) -> None:
    assert part(text, subject) is None


def test_a_pronoun_of_the_other_gender_is_somebody_else() -> None:
    found = part("Ann and Rolf separated, and he has been living in Odense.", "Ann")
    assert found is not None
    assert "Odense" not in "".join(
        "Ann and Rolf separated, and he has been living in Odense."[a:b] for a, b in found.spans
    )


@pytest.mark.parametrize(
    "text", ["I'm out of Salford", "I lived in Bristol for three years", "I was at Acme before that"]
)
def test_a_state_of_the_past_has_ended(text: str) -> None:
    found = part(text, "Jin")
    assert found is not None
    assert found.ended


def test_she_after_someone_is_nobody_known() -> None:
    before = Record(id="a", text="Ann started at the bank.", name="Jin", at=SAID)
    turn = Record(id="b", text="Rolf started dating someone in February, she's a dentist.", name="Jin", at=SAID)
    assert not [fact for fact in RuleExtractor().extract(turn, lambda: [before]) if fact.attribute == "role"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("She drove her dad's pickup truck to the dump", None),
        ("She swapped her Yaris for something bigger", None),
        ("She swapped her Yaris for a Golf", "Golf"),
    ],
)
def test_what_belongs_to_others_or_was_given_away_is_no_value(text: str, value: str | None) -> None:
    found = read_value(text, "car", AttributeTable())
    assert (found.text if found else None) == value


def test_a_month_that_opens_a_clause_is_a_time_and_the_start_of_july_is_not_ahead() -> None:
    [month] = find_times("She went off it, and in February lasagne became her favorite food.", SAID)
    [part_of] = find_times("At the start of July Bruno joined a gym.", SAID)
    assert month.start is not None
    assert month.start.start.month == 2
    assert part_of.start is not None
    assert part_of.start.start == datetime(2024, 7, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "subject", "worded"),
    [
        ("Rolf moved to Oslo in May.", "Rolf", "She moved to the city."),
        ("im still in the Yaris ive had since 2018", "Jin", "She is still in the car she has had"),
        ("Rolf's car isnt here", "Rolf", "Her car is not here"),
        ("Rolf works at Netflix", "Rolf", "She works at Netflix"),
    ],
)
def test_names_and_times_are_taken_out_and_texting_is_spelt_out(text: str, subject: str, worded: str) -> None:
    assert masked(told(text), ((0, len(text)),), subject) == worded


def test_a_thing_is_worded_as_it() -> None:
    text = "Kestrel went live"
    assert masked(told(text), ((0, len(text)),), "Kestrel", thing=True) == "It went live"
