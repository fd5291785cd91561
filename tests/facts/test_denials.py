"""A no that a sentence gives: what was denied, and what is over when "still" is asked."""

from __future__ import annotations

import pytest

from genome_core.embedders import default_embedder
from genome_core.facts.likeness import Prototypes
from tests.facts.test_changes import TABLE, ask, source


@pytest.fixture(scope="module")
def prototypes() -> Prototypes:
    return Prototypes(TABLE, default_embedder().embed)


@pytest.mark.parametrize(
    ("question", "told", "value"),
    [
        ("Has Petra ever been to a beekeeping class?", "I never went near a beekeeping class.", "no"),
        ("Does Petra have Thursdays off?", "I don't have Thursdays off, whatever the rota says.", "no"),
        ("Does Petra have Thursdays off?", "Thursdays off would be a dream.", None),
        ("Does Petra still ring the church bells?", "We said goodbye to the church bells at Easter.", "no"),
        ("Does Petra still ring the church bells?", "The church bells were on the radio.", None),
        ("Has Petra ever rung the church bells?", "I do not ring the church bells any more.", None),
    ],
)
def test_a_no_comes_from_the_sentence_that_denies_what_is_asked(
    prototypes: Prototypes, question: str, told: str, value: str | None
) -> None:
    found = ask(prototypes, question, ("2024-03-01", "Petra", told))
    assert found.value == value
    if value:
        assert source(found) == "t0"


def test_a_later_sentence_that_names_it_again_takes_the_no_back(prototypes: Prototypes) -> None:
    over = ("2024-03-01", "Petra", "We said goodbye to the church bells at Easter.")
    back = ("2024-06-01", "Petra", "The church bells and I had a lovely evening.")
    assert ask(prototypes, "Does Petra still ring the church bells?", over, back).value is None
