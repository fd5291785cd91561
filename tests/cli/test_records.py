"""Remembering and recalling from the shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Genome


@pytest.fixture
def notes(genome: Genome) -> str:
    """A store with three notes of two users."""
    genome("add", "notes.db", "The spare key is with Mrs Abara.", "--user", "tom", "--id", "key", "--at", "2025-02-23")
    genome("add", "notes.db", "The vet is Dr Sorensen.", "--user", "tom", "--id", "vet", "--at", "2025-01-19T16:00:00Z")
    genome("add", "notes.db", "No key needed, the door is open.", "--user", "nadia", "--metadata", '{"floor": 0}')
    return "notes.db"


def test_what_was_added_is_found(genome: Genome, notes: str) -> None:
    found = genome("search", notes, "Where is the spare key?", "--user", "tom", "--limit", "1", "--json")
    assert found.code == 0
    (hit,) = found.json
    assert hit["record"]["id"] == "key"
    assert hit["record"]["at"] == "2025-02-23T00:00:00+00:00"


def test_a_search_for_people_shows_words_and_time(genome: Genome, notes: str) -> None:
    shown = genome("search", notes, "Where is the spare key?", "--user", "tom").out
    assert "The spare key is with Mrs Abara." in shown
    assert "2025-02-23 00:00" in shown


def test_another_users_memory_stays_out(genome: Genome, notes: str) -> None:
    found = genome("search", notes, "key", "--user", "nadia", "--json").json
    assert [hit["record"]["text"] for hit in found] == ["No key needed, the door is open."]


def test_a_namespace_can_be_named_by_its_labels(genome: Genome, notes: str) -> None:
    found = genome("search", notes, "key", "--namespace", "user:nadia", "--json").json
    assert [hit["record"]["namespace"] for hit in found] == [["user:nadia"]]


def test_an_explanation_names_every_signal_and_what_was_left_out(genome: Genome, notes: str) -> None:
    ask = ("explain", notes, "Where is the spare key?", "--user", "tom", "--limit", "1")
    first, second = genome(*ask, "--json").json
    assert (first["record"]["id"], first["rank"], first["left_out"]) == ("key", 1, "")
    assert (second["record"]["id"], second["rank"], second["left_out"]) == ("vet", None, "limit")
    assert {"dense", "lexical"} <= {signal["name"] for signal in first["signals"]}
    shown = genome(*ask).out
    assert "lexical" in shown
    assert "limit" in shown


def test_a_filter_and_times_narrow_a_search(genome: Genome, notes: str) -> None:
    def ids(*options: str) -> list[str]:
        return [hit["record"]["id"] for hit in genome("search", notes, "key", "--json", *options).json]

    assert ids("--user", "tom", "--until", "2025-02-01") == ["vet"]
    assert ids("--user", "tom", "--since", "2025-02-01") == ["key"]
    assert ids("--user", "nadia", "--filter", '{"floor": 1}') == []


def test_text_comes_from_standard_input(genome: Genome) -> None:
    added = genome("add", "notes.db", "-", "--user", "tom", "--json", stdin="Nothing before seven.")
    (record_id,) = added.json["ids"]
    assert genome("get", "notes.db", record_id, "--user", "tom", "--json").json["text"] == "Nothing before seven."


def test_a_record_shows_all_that_it_holds(genome: Genome, notes: str) -> None:
    record = genome("get", notes, "vet", "--user", "tom", "--json").json
    assert record["namespace"] == ["user:tom"]
    assert record["at"] == "2025-01-19T16:00:00+00:00"
    shown = genome("get", notes, "vet", "--user", "tom").out
    assert "The vet is Dr Sorensen." in shown


def test_history_tells_how_a_record_came_to_be(genome: Genome, notes: str) -> None:
    assert len(genome("history", notes, "vet", "--user", "tom", "--json").json) == 1
    assert "add" in genome("history", notes, "vet", "--user", "tom").out


def test_words_from_a_store_are_not_read_as_markup(genome: Genome) -> None:
    genome("add", "notes.db", "The tag is [red]urgent[/red].", "--user", "tom")
    assert "[red]urgent[/red]" in genome("search", "notes.db", "tag", "--user", "tom").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("search", "notes.db", "key", "--user", ""), "user"),
        (("search", "notes.db", "key", "--user", "tom", "--filter", "{"), "JSON"),
        (("search", "notes.db", "key", "--user", "tom", "--filter", "[]"), "object"),
        (("search", "notes.db", "key", "--user", "tom", "--filter", '{"a": {"$no": 1}}'), "$no"),
        (("search", "notes.db", "key", "--user", "tom", "--since", "yesterday"), "2025-03-01"),
        (("get", "notes.db", "nothing", "--user", "tom"), "nothing"),
        (("search", "notes.db", "key"), "--user, --agent, --run, --namespace)"),
        (("search", "notes.db", "key", "--min-trust", "untrusted"), "--user"),
        (("hold", "notes.db", "--reason", "case"), "--everybody"),
        (("add", "notes.db", " ", "--user", "tom"), "blank"),
        (("add", "notes.db", "x", "--user", "tom", "--at", "2025-01-19T16:00"), "2025-03-01T12:00:00+00:00"),
        (("import", "copy.db", "notes.db"), "line 1"),
    ],
)
def test_an_error_is_one_line_that_helps(genome: Genome, notes: str, arguments: tuple[str, ...], says: str) -> None:
    failed = genome(*arguments)
    assert failed.code == 2
    assert failed.out == ""
    assert failed.err.startswith("genome: ")
    assert failed.err.count("\n") == 1
    assert says in failed.err


@pytest.mark.parametrize(
    "command", [("search", "no.db", "key", "--user", "tom"), ("stats", "no.db"), ("verify", "no.db")]
)
def test_reading_creates_no_store(genome: Genome, command: tuple[str, ...]) -> None:
    assert genome(*command).code == 2
    assert not Path("no.db").exists()


def test_a_store_on_postgres_works_as_well(genome: Genome, postgres_url: str) -> None:
    assert genome("add", postgres_url, "The spare key is with Mrs Abara.", "--user", "tom").code == 0
    assert len(genome("search", postgres_url, "key", "--user", "tom", "--json").json) == 1
