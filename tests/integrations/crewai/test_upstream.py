"""CrewAI's own tests of memory, with ``GenomeStorage`` in place of its LanceDB storage."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

LEFT_OUT = {
    "test_lancedb_list_records_exceeding_scan_cap": "the cap is LanceDB's; it saves 50,000 records one by one",
    "test_percent_underscore_and_backslash_in_scope_names_match_literally": "takes half a label for a scope",
    "test_recall_does_not_refresh_access_time_when_read_only": "a recall writes nothing, read-only or not",
}


def source() -> Path:
    """CrewAI's unpacked source distribution, fetched once; skips where it can not be had."""
    name = f"crewai-{version('crewai')}"
    default = Path(tempfile.gettempdir()) / "genome-upstream"
    cache = Path(os.environ.get("GENOME_UPSTREAM_CACHE", default))
    if not (cache / name / "tests").is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        command += ["--no-build-isolation", "--dest", str(cache), f"crewai=={version('crewai')}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"pip can not download CrewAI's source: {done.stderr.strip()[-200:]}")
        with tarfile.open(cache / f"{name}.tar.gz") as archive:
            archive.extractall(cache, filter="data")
    return cache / name


@pytest.mark.slow
@pytest.mark.skipif("GENOME_SLOW_TESTS" not in os.environ, reason="takes minutes: set GENOME_SLOW_TESTS to run it")
def test_crewais_own_tests_of_memory_pass(tmp_path: Path) -> None:
    environment = os.environ | {
        "CREWAI_STORAGE_DIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT), str(ROOT / "integrations")]),
    }
    command = [sys.executable, "-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "upstream_plugin"]
    command += ["-q", "-rf", "tests/memory", "--ignore", "tests/memory/test_qdrant_edge_storage.py"]
    command += ["-k", " and ".join(f"not {name}" for name in LEFT_OUT)]
    done = subprocess.run(command, cwd=source(), env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) >= 160
