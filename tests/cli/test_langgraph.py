"""LangGraph's data from the shell: pruning threads, and moving from the official saver and store."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from genome_langgraph import GenomeSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.sqlite import SqliteStore

from tests.cli.conftest import Genome
from tests.conftest import FakeClock
from tests.integrations.langgraph.saver_helpers import at, make_checkpoint, put

DAYS_AGO = datetime.now(UTC) - timedelta(days=40)
MINUTES_AGO = datetime.now(UTC) - timedelta(minutes=5)


@pytest.fixture
def threads(genome: Genome) -> str:
    """A store with two threads of two checkpoints, one of which was left alone for 40 days."""
    for thread, now in (("idle", DAYS_AGO), ("busy", MINUTES_AGO)):
        with GenomeSaver("agent.db", clock=FakeClock(now)) as saver:
            put(saver, put(saver, at(thread), {"a": 1}), {"a": 2})
    return "agent.db"


def kept(store: str) -> list[str]:
    with GenomeSaver(store) as saver:
        return sorted(one.config["configurable"]["thread_id"] for one in saver.list(None))


def test_threads_without_a_recent_checkpoint_are_deleted(genome: Genome, threads: str) -> None:
    assert genome("prune", threads, "--older-than", "30", "--json").json == {"threads": 1, "strategy": "delete"}
    assert kept(threads) == ["busy", "busy"]
    assert "Threads deleted: 0" in genome("prune", threads, "--older-than", "30").out


def test_the_past_of_every_thread_can_go(genome: Genome, threads: str) -> None:
    assert "Threads pruned: 2" in genome("prune", threads, "--keep-latest").out
    assert kept(threads) == ["busy", "idle"]


def test_the_past_of_idle_threads_can_go(genome: Genome, threads: str) -> None:
    assert genome("prune", threads, "--keep-latest", "--older-than", "30", "--json").json["threads"] == 1
    assert kept(threads) == ["busy", "busy", "idle"]


def test_pruning_asks_what_may_go(genome: Genome, threads: str) -> None:
    asked = genome("prune", threads)
    assert asked.code == 2
    assert "--keep-latest" in asked.err
    assert len(kept(threads)) == 4
    assert genome("prune", "missing.db", "--keep-latest").code == 2
    assert not Path("missing.db").exists()


def test_threads_and_items_of_the_official_packages_are_taken_over(genome: Genome) -> None:
    with SqliteSaver.from_conn_string("old.db") as saver:
        saver.put_writes(saver.put(at("t"), make_checkpoint({"a": 1}), {}, {}), [("a", 2)], "task")
    with SqliteStore.from_conn_string("old.db") as store:
        store.setup()
        store.put(("users", "ines"), "likes", {"food": "figs"})
    imported = genome("import", "langgraph", "new.db", "old.db", "--json").json
    assert imported == {"threads": 1, "checkpoints": 1, "writes": 1, "items": 1}
    assert kept("new.db") == ["t"]
    found = genome("get", "new.db", "likes", "--namespace", "users", "--namespace", "ines", "--json").json
    assert found["value"] == {"food": "figs"}
    shown = genome("import", "langgraph", "new.db", "old.db").out
    assert "Imported old.db: threads 1, checkpoints 1, writes 1, items 1" in shown


def test_a_file_of_another_kind_is_one_line(genome: Genome) -> None:
    genome("add", "notes.db", "The vet is Dr Sorensen.", "--user", "tom")
    failed = genome("import", "langgraph", "new.db", "notes.db")
    assert failed.code == 2
    assert failed.err.startswith("genome: ")
    assert "no table checkpoints or writes or store" in failed.err


def test_without_langgraph_the_error_names_the_extra(genome: Genome, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] in ("genome_langgraph", "langgraph")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "langgraph", None)
    failed = genome("prune", "agent.db", "--keep-latest")
    assert failed.code == 2
    assert "genome-plugins[langgraph]" in failed.err
