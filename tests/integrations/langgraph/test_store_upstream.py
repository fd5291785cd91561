"""The tests of LangGraph's own SQLite store, with ``GenomeStore`` in its place."""

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
FILES = ["tests/test_store.py", "tests/test_async_store.py", "tests/test_ttl.py"]

NEEDED = {
    "aiosqlite": "aiosqlite",
    "hatchling": "hatchling",
    "langgraph.checkpoint.sqlite": "langgraph-checkpoint-sqlite",
    "pytest_asyncio": "pytest-asyncio",
}
"""What these tests import, module by distribution: fewer than those of graphs."""

LEFT_OUT = {
    "tests/test_store.py::test_vector_store_initialization": "looks for the tables of the SQLite store",
    "tests/test_store.py::test_nonnull_migrations": "about the SQL of its migrations",
    "tests/test_store.py::test_escape_glob_literal": "about a private function",
    "tests/test_store.py::test_namespace_match_pattern": "about a private function",
    "tests/test_store.py::test_list_namespaces_prefix_uses_indexable_condition": "about the SQL that it makes",
    "tests/test_store.py::test_sql_injection_vulnerability": "it refuses keys with quotes; ours looks for them",
    "tests/test_ttl.py::test_ttl_override_default": "reads do not renew by default; LangGraph documents that they do",
    "tests/test_async_store.py::test_no_running_loop": "sync calls inside a loop are refused; ours work",
}
"""What is not run, and why."""


@pytest.mark.slow
def test_the_tests_of_the_official_store_pass() -> None:
    source = source_of("langgraph-checkpoint-sqlite", NEEDED)
    left_out = [option for name in LEFT_OUT for option in ("--deselect", name)]
    report = run(source, [*left_out, *FILES])
    assert counted(r"GenomeStore was opened (\d+) times", report) >= 120
    assert counted(r"(\d+) passed", report) >= 120
    assert counted(r"(\d+) deselected", report) >= len(LEFT_OUT)
    assert still_failing(source, report) == set(), report[-20000:]


def counted(pattern: str, report: str) -> int:
    found = re.search(pattern, report)
    return int(found[1]) if found else 0


def still_failing(source: Path, report: str) -> set[str]:
    """What fails again. Some of the tests sleep for parts of a second, and are marked by their authors to be tried thrice."""
    failing = set(re.findall(r"^FAILED (\S+)", report, re.MULTILINE))
    for _ in range(2):
        if failing:
            failing = set(re.findall(r"^FAILED (\S+)", run(source, sorted(failing)), re.MULTILINE))
    return failing


def run(source: Path, arguments: list[str]) -> str:
    options = ["-o", "addopts=", "-p", "no:cacheprovider", "-q", "-rf", "-p", "store_upstream_plugin"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *arguments],
        cwd=source,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT), str(ROOT / "integrations")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout
