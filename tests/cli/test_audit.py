"""The journal from the shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Genome


@pytest.fixture
def notes(genome: Genome) -> str:
    """A store with two notes, one of which was changed."""
    genome("add", "notes.db", "The spare key is with Mrs Abara.", "--user", "tom", "--id", "key")
    genome("add", "notes.db", "The vet is Dr Sorensen.", "--user", "tom", "--id", "vet")
    genome("add", "notes.db", "The vet is Dr Lindqvist.", "--user", "tom", "--id", "vet")
    return "notes.db"


def test_log_shows_the_journal_newest_first(genome: Genome, notes: str) -> None:
    entries = genome("log", notes, "--json").json
    assert [(one["seq"], one["op"], one["id"]) for one in entries] == [
        (3, "update", "vet"),
        (2, "add", "vet"),
        (1, "add", "key"),
    ]
    shown = genome("log", notes, "--user", "tom", "--limit", "1").out
    assert "Lindqvist" in shown
    assert "Sorensen" not in shown


def test_a_store_is_replayed_branched_and_rolled_back(genome: Genome, notes: str) -> None:
    replayed = genome("replay", notes, "copy.db", "--json").json
    assert replayed["digest"] == genome("verify", notes, "--deep", "--json").json["digest"]
    assert genome("branch", notes, "before.db", "--until", "2", "--json").json["records"] == 2
    assert "Sorensen" in genome("get", "before.db", "vet", "--user", "tom").out
    assert genome("stats", "before.db", "--json").json["branched_from"].startswith("genome-head 0:2:")
    assert genome("rollback", notes, "--until", "2", "--json").json["restored"] == 1
    assert "Sorensen" in genome("get", notes, "vet", "--user", "tom").out
    assert genome("verify", notes, "--deep").code == 0
    taken = genome("replay", notes, "copy.db")
    assert taken.code == 2
    assert "not empty" in taken.err


def test_a_signed_store_wants_its_key_from_every_command(
    genome: Genome, notes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("journal.key").write_text("correct horse battery staple\n")
    monkeypatch.setenv("GENOME_KEY_FILE", "journal.key")
    genome("add", "signed.db", "signed", "--user", "tom", "--id", "note")
    monkeypatch.delenv("GENOME_KEY_FILE")
    for command in (("verify", "signed.db"), ("get", "signed.db", "note", "--user", "tom"), ("log", "signed.db")):
        failed = genome(*command)
        assert failed.code == 2
        assert "key" in failed.err
    assert "with its key" in genome("verify", "signed.db", "--key-file", "journal.key").out
    Path("journal.key").write_text("incorrect horse battery staple\n")
    assert genome("verify", "signed.db", "--key-file", "journal.key").code == 2


def test_a_head_in_a_file_shows_what_was_rewritten(genome: Genome, notes: str) -> None:
    Path("head.txt").write_text(genome("verify", notes, "--json").json["head"])
    genome("add", notes, "one more", "--user", "tom")
    assert genome("verify", notes, "--head", "head.txt").code == 0
    Path(notes).unlink()
    genome("add", notes, "another story", "--user", "tom")
    failed = genome("verify", notes, "--head", "head.txt")
    assert failed.code == 2
    assert "cut" in failed.err
    assert genome("verify", notes, "--head", "nowhere.txt").code == 2
