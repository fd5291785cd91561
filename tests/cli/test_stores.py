"""Moving and checking a whole store from the shell."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import Genome
from tests.embedders.tiny import make_transformer


@pytest.fixture
def notes(genome: Genome) -> str:
    """A store with two notes."""
    genome("add", "notes.db", "The spare key is with Mrs Abara.", "--user", "tom", "--id", "key")
    genome("add", "notes.db", "The vet is Dr Sorensen.", "--user", "tom", "--id", "vet", "--at", "2025-01-19T16:00:00Z")
    return "notes.db"


def test_an_export_comes_back_whole(genome: Genome, notes: str) -> None:
    assert genome("export", notes, "notes.jsonl", "--json").json["records"] == 2
    assert genome("import", "copy.db", "notes.jsonl", "--json").json["records"] == 2
    genome("export", "copy.db", "copy.jsonl")
    assert Path("copy.jsonl").read_text() == Path("notes.jsonl").read_text()
    for store in (notes, "copy.db"):
        assert genome("get", store, "vet", "--user", "tom", "--json").json["at"] == "2025-01-19T16:00:00+00:00"


def test_a_broken_import_writes_nothing(genome: Genome, notes: str) -> None:
    genome("export", notes, "notes.jsonl")
    with Path("notes.jsonl").open("a") as file:
        file.write("{broken\n")
    failed = genome("import", "copy.db", "notes.jsonl")
    assert failed.code == 2
    assert failed.err.startswith("genome: ")
    assert not Path("copy.db").exists(), "nor does it leave an empty store behind"
    genome("add", "other.db", "Here before.", "--user", "tom")
    assert genome("import", "other.db", "notes.jsonl").code == 2
    assert genome("export", "other.db", "other.jsonl", "--json").json["records"] == 1


def test_stats_count_the_records(genome: Genome, notes: str) -> None:
    assert genome("stats", notes, "--json").json["records"] == 2
    assert "records" in genome("stats", notes).out


def test_reindex_embeds_every_record_again(genome: Genome, notes: str) -> None:
    assert genome("reindex", notes, "--json").json["records"] == 2
    assert len(genome("search", notes, "key", "--user", "tom", "--json").json) == 2


def test_a_distilled_model_can_take_over_a_store(genome: Genome, notes: str) -> None:
    make_transformer(Path("small"))
    made = genome("distill", "small", "fast", "--json").json
    assert made["fingerprint"]["kind"] == "static"
    assert made["bytes"] > 0
    refused = genome("search", notes, "key", "--user", "tom", "--embedder", "static:fast")
    assert refused.code == 2
    assert "reindex" in refused.err
    assert genome("reindex", notes, "--embedder", "static:fast", "--json").json["embedder"] == "fast"
    assert genome("search", notes, "key", "--user", "tom", "--embedder", "static:fast").code == 0


def test_a_missing_file_is_one_line(genome: Genome, notes: str) -> None:
    failed = genome("export", notes, "no/such/folder/notes.jsonl")
    assert failed.code == 2
    assert failed.err.startswith("genome: ")
    assert genome("import", "copy.db", "missing.jsonl").code == 2
    assert not Path("copy.db").exists()


def test_a_journal_that_verifies_is_reported(genome: Genome, notes: str) -> None:
    assert genome("verify", notes, "--json").json["entries"] >= 2
    assert "verifies" in genome("verify", notes).out


def test_a_changed_journal_is_found(genome: Genome, notes: str) -> None:
    with sqlite3.connect(notes) as connection:
        changed = connection.execute("UPDATE genome_journal SET payload = replace(payload, 'Sorensen', 'Nobody')")
        assert changed.rowcount
    connection.close()
    failed = genome("verify", notes)
    assert failed.code == 2
    assert failed.err.startswith("genome: ")
