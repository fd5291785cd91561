"""The value in a sentence that is known to speak of the attribute: the phrase that clearly wins, or none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from genome_core.embedders import default_embedder
from genome_core.facts.answers import Answer, Rests, answer
from genome_core.facts.attributes import AttributeTable
from genome_core.facts.candidates import Told
from genome_core.facts.choosing import Choice, choose
from genome_core.facts.likeness import Prototypes
from genome_core.facts.questions import read_question
from genome_core.facts.sentences import read_sentences
from genome_core.types import Fact, Record

TABLE = AttributeTable()
SAID = datetime(2024, 5, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def prototypes() -> Prototypes:
    return Prototypes(TABLE, default_embedder().embed)


def chosen(prototypes: Prototypes, attribute: str, text: str, facts: tuple[Fact, ...] = ()) -> Choice | None:
    """The choice for Vera in what Zed says."""
    turn = Record(id="t", text=text, name="Zed", at=SAID)
    (sentence,) = read_sentences(turn)
    return choose(Told(sentence, turn), attribute, "Vera", TABLE, prototypes, ["Vera", "Zed"], facts)


@pytest.mark.parametrize(
    ("attribute", "text", "value"),
    [
        ("employer", "A brewery by the canal took Vera on in March.", "brewery"),
        ("employer", "Vera left Corelli for Danske in October.", "Danske"),
        ("home", "From Bergen to Ghent in one day, that was Vera's June.", "Ghent"),
        ("home", "Vera has a balcony in Porto now and hangs her washing over the river.", "Porto"),
        ("favorite food", "As for Vera's stomach, lasagne is on the throne since June.", "lasagne"),
        ("hobby", "Vera's weekends belong to archery since May.", "archery"),
        ("car", "The old Volvo went to scrap and there is a Kia in Vera's drive now.", "Kia"),
        ("gym", "Vera is seen at a karate club every Tuesday since March.", "karate club"),
        ("relationship_status", "Vera and her husband signed the papers, she is divorced since June.", "divorced"),
    ],
)
def test_the_value_wins_over_the_other_phrases(prototypes: Prototypes, attribute: str, text: str, value: str) -> None:
    choice = chosen(prototypes, attribute, text)
    assert choice is not None
    assert choice.text == value
    assert choice.chance >= 0.5


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ("employer", "Vera started the new job on Monday and likes the coffee."),
        ("home", "Vera loves the new place, the light in the kitchen is lovely."),
        ("favorite food", "Vera's plate was empty before mine, as ever."),
        ("gym", "Vera chucked it in at Kraftwerk yesterday."),
        ("role", "Vera got promoted in June and bought a round for everyone."),
    ],
)
def test_nothing_is_chosen_where_the_sentence_names_no_value(prototypes: Prototypes, attribute: str, text: str) -> None:
    choice = chosen(prototypes, attribute, text)
    assert choice is None or choice.chance < 0.5


def ask(prototypes: Prototypes, turns: Sequence[tuple[str, str]], question: str) -> Answer:
    """Ask about turns of (day, text) told by Zed, of which no rule has read anything."""
    records = [
        Record(id=f"t{i}", text=text, name="Zed", at=datetime.fromisoformat(day).replace(tzinfo=UTC))
        for i, (day, text) in enumerate(turns)
    ]
    told = [Told(sentence, record) for record in records for sentence in read_sentences(record)]
    read = read_question(question, SAID, ["Vera", "Zed"], TABLE, likeness=prototypes.likeness)
    return answer(read, [], told, table=TABLE, prototypes=prototypes, people=["Vera", "Zed"])


WORK = (
    ("2021-04-02", "A brewery by the canal has Vera on its payroll since March, she smells of hops."),
    ("2022-11-02", "Vera turned her back on the beer in October and Siemens snapped her up."),
)


def test_the_winner_is_the_value_of_the_answer_and_the_sentence_its_evidence(prototypes: Prototypes) -> None:
    now = ask(prototypes, WORK, "Who does Vera work for?")
    then = ask(prototypes, WORK, "Who did Vera work for in June 2022?")
    assert (now.value, then.value) == ("Siemens", "brewery")
    assert now.rests is then.rests is Rests.SENTENCES
    assert then.evidence[0].source == "t0"


def test_a_list_is_given_where_every_sentence_that_it_missed_has_a_winner(prototypes: Prototypes) -> None:
    assert ask(prototypes, WORK, "List every employer Vera has had, in order.").values == ("brewery", "Siemens")
