"""Asking for facts in time from the shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Genome


@pytest.fixture
def life(genome: Genome) -> str:
    """A store in which somebody moved."""
    for said_at, text in (("2023-03-11", "I live in Leeds."), ("2024-03-05", "I moved to Bristol on 2 March 2024.")):
        genome("add", "life.db", text, "--user", "tom", "--name", "Tom", "--at", said_at)
    return "life.db"


def test_a_question_is_answered_as_of_its_time(genome: Genome, life: str) -> None:
    now = genome("ask", life, "Where does Tom live?", "--user", "tom", "--at", "2025-03-01", "--json").json
    assert now["value"] == "Bristol"
    then = genome("ask", life, "Where did Tom live in May 2023?", "--user", "tom", "--at", "2025-03-01", "--json").json
    assert then["value"] == "Leeds"


def test_i_in_a_question_is_who_asks(genome: Genome, life: str) -> None:
    assert (
        genome("ask", life, "Where do I live?", "--user", "tom", "--asker", "Tom", "--json").json["value"] == "Bristol"
    )


def test_where_nothing_holds_a_sentence_says_so(genome: Genome, life: str) -> None:
    assert genome("facts", life, "--user", "tim").out == "Nothing found.\n"
    assert genome("facts", life, "--user", "tim", "--json").json == []


def test_an_answer_shows_since_when_and_who_said_so(genome: Genome, life: str) -> None:
    shown = genome("ask", life, "Where does Tom live?", "--user", "tom", "--at", "2025-03-01").out
    assert "Bristol" in shown
    assert "from 2 March 2024" in shown
    assert "2024-03-05  I moved to Bristol" in shown


def test_what_nobody_told_is_unknown(genome: Genome, life: str) -> None:
    asked = genome("ask", life, "Where does Tom work?", "--user", "tom", "--at", "2025-03-01")
    assert asked.code == 0
    assert asked.out.startswith("Unknown")


def test_the_timeline_holds_both_and_facts_only_what_holds(genome: Genome, life: str) -> None:
    home = (life, "--user", "tom", "--attribute", "home")
    assert [one["value"] for one in genome("timeline", *home, "--json").json] == ["Leeds", "Bristol"]
    held = genome("facts", *home, "--at", "2023-06-01", "--json").json
    assert [one["value"] for one in held] == ["Leeds"]
    shown = genome("timeline", *home).out
    assert "Leeds" in shown
    assert "2 March 2024" in shown


def test_the_timeline_is_drawn_as_a_page_with_what_was_said(genome: Genome, life: str) -> None:
    drawn = genome("timeline", life, "--user", "tom", "--subject", "Tom", "--html", "life.html")
    assert drawn.code == 0
    assert "life.html" in drawn.out
    page = Path("life.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<h1>Tom</h1>" in page
    assert "told on 5 March 2024: I moved to Bristol on 2 March 2024." in page


def test_the_page_shows_what_was_known_then(genome: Genome, life: str) -> None:
    genome("timeline", life, "--user", "tom", "--known-at", "2020-01-01", "--html", "life.html")
    page = Path("life.html").read_text(encoding="utf-8")
    assert "as known on 1 January 2020" in page
    assert "Bristol" not in page


def test_json_is_printed_beside_the_page(genome: Genome, life: str) -> None:
    windows = genome("timeline", life, "--user", "tom", "--attribute", "home", "--html", "life.html", "--json").json
    assert [one["value"] for one in windows] == ["Leeds", "Bristol"]
    assert Path("life.html").exists()
