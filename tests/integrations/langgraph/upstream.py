"""Fetches the test-suite that LangGraph ships in its source distribution, for the version that is installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path

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
"""What that suite imports, module by distribution."""


class Unavailable(Exception):
    """The suite cannot be had here; the message says why."""


def source_of(package: str) -> Path:
    """The unpacked source distribution of an installed package.

    It is downloaded once and kept in ``GENOME_UPSTREAM_CACHE``, by default a folder of the system's temporary files.
    """
    if missing := [name for module, name in NEEDED.items() if importlib.util.find_spec(module) is None]:
        raise Unavailable(f"LangGraph's tests need: pip install {' '.join(missing)}")
    name = f"{package}-{version(package)}"
    default = Path(tempfile.gettempdir()) / "genome-upstream"
    cache = Path(os.environ.get("GENOME_UPSTREAM_CACHE", default))
    if not (cache / name / "tests").is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        _download(package, cache)
        with tarfile.open(cache / f"{name}.tar.gz") as archive:
            archive.extractall(cache, filter="data")
    return cache / name


def _download(package: str, folder: Path) -> None:
    requirement = f"{package}=={version(package)}"
    options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, requirement], capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines() or ["pip failed without a message"]
        raise Unavailable(f"pip cannot download the source of {requirement}: {reason[-1]}")
