"""CrewAI's own tests of memory, with ``GenomeStorage`` in place of its LanceDB storage."""

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

NEEDED = {"hatchling": "hatchling"}
"""What building and running the tests takes, module by distribution."""

LEFT_OUT = {
    "test_lancedb_list_records_exceeding_scan_cap": "the cap is LanceDB's; it saves 50,000 records one by one",
    "test_percent_underscore_and_backslash_in_scope_names_match_literally": "takes half a label for a scope",
    "test_recall_does_not_refresh_access_time_when_read_only": "a recall writes nothing, read-only or not",
}


@pytest.mark.slow
def test_crewais_own_tests_of_memory_pass(tmp_path: Path) -> None:
    environment = os.environ | {
        "CREWAI_STORAGE_DIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT), str(ROOT / "integrations")]),
    }
    command = [sys.executable, "-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "upstream_plugin"]
    command += ["-q", "-rf", "tests/memory", "--ignore", "tests/memory/test_qdrant_edge_storage.py"]
    command += ["-k", " and ".join(f"not {name}" for name in LEFT_OUT)]
    done = subprocess.run(
        command, cwd=source_of("crewai", NEEDED), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) >= 160
