"""When a found value does not stand: read without a time, alone in a list, or said to be over beside its name."""

from __future__ import annotations

import pytest

from genome_core.embedders import default_embedder
from genome_core.facts.likeness import Prototypes
from genome_core.facts.slots import Rests
from tests.facts.test_changes import TABLE, ask, source


@pytest.fixture(scope="module")
def prototypes() -> Prototypes:
    return Prototypes(TABLE, default_embedder().embed)


def test_a_value_read_in_a_sentence_of_a_turn_without_a_time_is_evidence(prototypes: Prototypes) -> None:
    found = ask(
        prototypes, "What car does Petra have?", ("2024-03-01", "Petra", "I turned up in a Volvo, would you believe.")
    )
    assert (found.value, source(found), found.rests) == (None, "t0", Rests.SENTENCES)


def test_a_list_of_one_value_is_not_given(prototypes: Prototypes) -> None:
    question = "List every car Petra has had, in order."
    panda = ("2024-01-01", "Petra", "I bought a Fiat Panda on Monday.")
    assert ask(prototypes, question, panda).value is None
    found = ask(prototypes, question, panda, ("2024-04-01", "Petra", "I bought a Skoda Yeti on Monday."))
    assert found.values == ("Fiat Panda", "Skoda Yeti")


@pytest.mark.parametrize(
    ("later", "value"),
    [
        ("I stopped at Brightwater on Friday.", None),
        ("They laid off half of Brightwater, me included.", None),
        ("Brightwater gave us all a hamper.", "Brightwater"),
        ("I stopped for cake, and Brightwater can wait.", "Brightwater"),
    ],
)
def test_a_word_of_ending_beside_the_name_of_a_value_puts_it_in_doubt(
    prototypes: Prototypes, later: str, value: str | None
) -> None:
    began = ("2022-03-01", "Petra", "I work at Brightwater since January 2022.")
    found = ask(prototypes, "Where does Petra work?", began, ("2024-04-01", "Petra", later))
    assert found.value == value
    if value is None:
        assert source(found) == "t1"


def test_what_was_over_later_stands_before(prototypes: Prototypes) -> None:
    began = ("2022-03-01", "Petra", "I work at Brightwater since January 2022.")
    over = ("2024-04-01", "Petra", "I stopped at Brightwater on Friday.")
    assert ask(prototypes, "Where did Petra work in June 2023?", began, over).value == "Brightwater"


def test_a_member_is_not_the_chair(prototypes: Prototypes) -> None:
    question = "Who is the chair of the allotment society?"
    member = ("2024-03-01", "Petra", "I have been in the allotment society for two years.")
    assert ask(prototypes, question, member).value is None
    assert (
        ask(
            prototypes, question, ("2024-03-01", "Petra", "I am the chair of the allotment society since Monday.")
        ).value
        == "Petra"
    )


def test_the_name_of_an_employer_is_no_town(prototypes: Prototypes) -> None:
    works = ("2022-03-01", "Petra", "I live in Leeds, and I work at Brightwater since January 2022.")
    found = ask(
        prototypes, "Where does Petra live?", works, ("2024-04-01", "Petra", "I'm back at Brightwater since Monday.")
    )
    assert found.value in (None, "Leeds")


def test_who_hands_an_office_on_or_steps_down_does_not_hold_it(prototypes: Prototypes) -> None:
    question = "Who is the treasurer of the rowing club?"
    for text in (
        "I handed the books of the rowing club's treasurer to Wilma on Sunday.",
        "Bertram stepped down as treasurer of the rowing club on Sunday.",
    ):
        assert ask(prototypes, question, ("2024-03-01", "Petra", text)).value is None


def test_what_was_announced_and_then_called_off_is_no_value(prototypes: Prototypes) -> None:
    plan = ("2024-02-01", "Petra", "I start at the library on 2 April, three days a week!")
    off = ("2024-03-01", "Petra", "I'm not starting at the library after all, they cut the post.")
    assert ask(prototypes, "Where does Petra work?", plan, off).value is None
