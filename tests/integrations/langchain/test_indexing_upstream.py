"""LangChain's own tests of indexing and record managers, with GENOME's manager and vector store in them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.upstream import source_of

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

NEEDED = {"hatchling": "hatchling", "pytest_mock": "pytest-mock"}
"""What building and running the tests takes, module by distribution."""

FILES = {
    "langchain-core": ["indexing/test_indexing.py", "indexing/test_in_memory_record_manager.py"],
    "langchain-classic": ["indexes/test_indexing.py"],
}


def count(report: str, pattern: str) -> int:
    found = re.search(pattern, report)
    return int(found[1]) if found else 0


@pytest.mark.slow
@pytest.mark.parametrize(("package", "at_least"), [("langchain-core", 50), ("langchain-classic", 23)])
@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_langchains_own_tests_of_indexing_pass(
    package: str,
    at_least: int,
    backend: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    source = source_of(package, NEEDED)
    # Copied out of their folder: its conftest needs packages that these tests do not.
    for number, name in enumerate(FILES[package]):
        shutil.copy(source / "tests" / "unit_tests" / name, tmp_path / f"test_{number}_{Path(name).name}")
    store: str = request.getfixturevalue("sqlite_url" if backend == "sqlite" else "postgres_url")
    environment = os.environ | {
        "GENOME_UPSTREAM_STORE": store,
        "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT), str(ROOT / "integrations"), *sys.path]),
    }
    options = [
        "--noconftest",
        "-p",
        "no:cacheprovider",
        "-o",
        "asyncio_mode=auto",
        "-p",
        "upstream_plugin",
        "-q",
        "-rf",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    report = done.stdout + done.stderr
    assert done.returncode == 0, report[-20000:]
    assert count(report, r"(\d+) passed") >= at_least, report
    assert count(report, r"made (\d+) record managers") >= at_least, report
    assert not count(report, r"(\d+) skipped"), report
