"""LangGraph's own tests of graphs, with ``GenomeSaver`` in place of its SQLite savers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.upstream import source_of

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

NEEDED = {
    "aiosqlite": "aiosqlite",
    "Crypto": "pycryptodome",
    "hatchling": "hatchling",
    "langgraph.checkpoint.postgres": "langgraph-checkpoint-postgres",
    "langgraph.checkpoint.sqlite": "langgraph-checkpoint-sqlite",
    "psycopg_pool": "psycopg-pool",
    "pytest_mock": "pytest-mock",
    "redis": "redis",
    "syrupy": "syrupy",
}
"""What building and running the tests takes, module by distribution."""

SYNC = [
    "test_pregel.py",
    "test_time_travel.py",
    "test_subgraph_persistence.py",
    "test_interruption.py",
    "test_interrupt_state.py",
    "test_interrupt_migration.py",
    "test_checkpoint_migration.py",
    "test_large_cases.py",
    "test_delta_channel_exit_mode.py",
    "test_delta_channel_fork.py",
    "test_delta_channel_migration.py",
    "test_delta_channel_parallel_order.py",
    "test_delta_channel_subgraph.py",
    "test_delta_channel_to_plain.py",
    "test_delta_channel_update_state.py",
]
ASYNC = [
    "test_pregel_async.py",
    "test_time_travel_async.py",
    "test_subgraph_persistence_async.py",
    "test_large_cases_async.py",
]
ABOUT_CHECKPOINTS = [
    "test_time_travel.py",
    "test_time_travel_async.py",
    "test_subgraph_persistence.py",
    "test_subgraph_persistence_async.py",
    "test_interruption.py",
    "test_checkpoint_migration.py",
]


def run_upstream(arguments: list[str], store: str | None) -> str:
    """Runs pytest over LangGraph's tests in another process, with our saver if ``store`` says where; returns its report."""
    source = source_of("langgraph", NEEDED)
    plugin = ["-p", "upstream_plugin"] if store else []
    environment = os.environ | {
        "NO_DOCKER": "true",
        "GENOME_UPSTREAM_STORE": store or "",
        "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT), str(ROOT / "integrations")]),
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider", "-q", "-rf", *plugin, *arguments],
        cwd=source,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def failed(report: str) -> set[str]:
    return set(re.findall(r"^FAILED (\S+)", report, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.parametrize(("files", "at_least"), [(SYNC, 632), (ASYNC, 232)], ids=["sync", "async"])
def test_langgraphs_own_tests_pass_as_with_the_official_saver(files: list[str], at_least: int) -> None:
    check(["-k", "sqlite or not memory", *(f"tests/{name}" for name in files)], "sqlite", at_least)


@pytest.mark.slow
def test_langgraphs_tests_of_checkpoints_pass_on_postgres(postgres_url: str) -> None:
    check(["-k", "sqlite", *(f"tests/{name}" for name in ABOUT_CHECKPOINTS)], postgres_url, 230)


def check(arguments: list[str], store: str, at_least: int) -> None:
    report = run_upstream(arguments, store)
    opened = re.search(r"GenomeSaver was opened (\d+) times", report)
    assert opened is not None, report[-5000:]
    assert int(opened[1]) > 100
    passed = re.search(r"(\d+) passed", report)
    assert passed is not None, report[-5000:]
    assert int(passed[1]) >= at_least
    if ours := failed(report):
        # Some tests fail whatever the saver, because a library that they look at has moved on.
        official = failed(run_upstream(sorted(ours), None))
        # Others look at windows of a tenth of a second, which a busy machine misses: they are run once more, alone.
        if alone := ours - official:
            assert failed(run_upstream(sorted(alone), store)) == set(), report[-20000:]
