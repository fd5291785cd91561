"""Taking a question apart."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from genome_core.search.question import parse, question_vector
from genome_core.testing.embedders import FakeEmbedder

NOW = datetime(2024, 6, 15, 12, tzinfo=UTC)
PAIR = ["Melanie", "Will", "Dr. Ada Byron"]
AGENT = ["user", "assistant"]


@pytest.mark.parametrize(
    ("text", "names", "wording"),
    [
        ("What did Melanie paint?", ("Melanie",), "What did paint?"),
        ("What is Melanie's job?", ("Melanie",), "What is job?"),
        ("What is Melanie’s job?", ("Melanie",), "What is job?"),
        ("what did melanie paint?", ("Melanie",), "what did paint?"),
        ("What did Mel paint?", ("Melanie",), "What did paint?"),
        ("Where does Ada work?", ("Dr. Ada Byron",), "Where does work?"),
        ("Where does Dr. Ada Byron work?", ("Dr. Ada Byron",), "Where does work?"),
        ("Who has a mellow voice?", (), "Who has a mellow voice?"),
        ("What will it cost?", (), "What will it cost?"),
        ("what will it cost?", (), "what will it cost?"),
        ("What will Will do?", ("Will",), "What will do?"),
        ("Melanie?", ("Melanie",), "Melanie?"),
    ],
)
def test_the_participants_named_are_left_out_of_what_is_embedded(
    text: str, names: tuple[str, ...], wording: str
) -> None:
    query = parse(text, PAIR, NOW)
    assert query.names == names
    assert query.wording == wording
    assert query.text == text


def test_several_names_stay_among_the_words_to_look_up() -> None:
    query = parse("What did Melanie tell Will about boats?", PAIR, NOW)
    assert query.names == ("Melanie", "Will")
    assert "melani" in query.terms
    assert "melani" not in parse("What did Melanie tell about boats?", PAIR, NOW).terms


def test_a_nickname_that_fits_two_participants_names_neither() -> None:
    assert parse("What did Mar say?", ["Maria", "Marcus"], NOW).names == ()


@pytest.mark.parametrize(
    ("text", "speakers", "voice"),
    [
        ("What is my dog called?", AGENT, "user"),
        ("What did you recommend to me?", AGENT, "assistant"),
        ("Can you tell me when I moved?", AGENT, "user"),
        ("Who won the match?", AGENT, None),
        ("What is my dog called?", ["user"], "user"),
        ("What is my dog called?", PAIR, None),
        ("What is the user's name?", AGENT, None),
    ],
)
def test_i_and_you_stand_for_the_roles_of_the_scope(text: str, speakers: list[str], voice: str | None) -> None:
    query = parse(text, speakers, NOW)
    assert query.voice == voice
    assert query.names == ()


def test_times_are_counted_from_the_asking() -> None:
    (span,) = parse("What happened in May 2023?", [], NOW).times
    assert (span.start, span.end) == (datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC))
    (day,) = parse("What did we eat yesterday?", [], NOW).times
    assert day.start == datetime(2024, 6, 14, tzinfo=UTC)
    (since,) = parse("What has changed since May 2023?", [], NOW).times
    assert since.end == NOW
    assert parse("How long ago did it happen?", [], NOW).times == ()
    assert parse("What was it before 2020?", [], NOW).times == ()


def test_the_vector_of_a_short_question_is_the_embedders_own() -> None:
    embedder = FakeEmbedder()
    assert np.array_equal(question_vector("Where is Ann?", embedder), embedder.embed_query("Where is Ann?"))


def test_a_question_beyond_the_window_still_has_a_vector_of_norm_one() -> None:
    vector = question_vector("word other thing " * 1000, FakeEmbedder(window=50))
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
