"""Where there is no date, none is seen: verbs, names, versions, rooms, scores, habits, lengths."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from genome_core.facts.time import find_times

SAID_AT = datetime(2023, 8, 11, 14, 30, tzinfo=UTC)
LINES = (Path(__file__).parent / "no_dates.txt").read_text(encoding="utf-8").splitlines()
PHRASES = [line for line in LINES if line and not line.startswith("#")]


def test_there_are_enough_phrases() -> None:
    assert len(set(PHRASES)) >= 100


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_date_is_seen(phrase: str) -> None:
    assert [phrase[slice(*m.span)] for m in find_times(phrase, SAID_AT, born=date(1990, 5, 17))] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("April moved to Oslo in April.", "in April"),
        ("You may come in May.", "in May"),
        ("We'll march on March 3rd.", "on March 3rd"),
        ("The sun came out on Sun.", "on Sun"),
        ("I fall in love every time, last fall too.", "last fall"),
        ("My 2020 Corolla died in 2022.", "in 2022"),
        ("He was second, on the second of May.", "on the second of May"),
        ("She sat down last Sat.", "last Sat"),
        ("She sat there last Sat. with me.", "last Sat."),
    ],
)
def test_the_same_word_is_a_date_where_it_is_one(text: str, words: str) -> None:
    assert [text[slice(*m.span)] for m in find_times(text, SAID_AT)] == [words]
