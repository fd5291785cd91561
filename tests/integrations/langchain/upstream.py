"""Fetches the tests that LangChain ships in its source distributions, for the versions that are installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path

NEEDED = {"hatchling": "hatchling", "pytest_mock": "pytest-mock"}
"""What building and running them takes, module by distribution."""


class Unavailable(Exception):
    """The tests can not be had here; the message says why."""


def source_of(package: str) -> Path:
    """The unpacked source distribution of an installed package.

    It is downloaded once and kept in ``GENOME_UPSTREAM_CACHE``, by default a folder of the system's temporary files.
    """
    if missing := [name for module, name in NEEDED.items() if importlib.util.find_spec(module) is None]:
        raise Unavailable(f"LangChain's own tests need: pip install {' '.join(missing)}")
    name = f"{package.replace('-', '_')}-{version(package)}"
    cache = Path(os.environ.get("GENOME_UPSTREAM_CACHE", Path(tempfile.gettempdir()) / "genome-upstream"))
    if not (cache / name / "tests").is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        _download(f"{package}=={version(package)}", cache)
        with tarfile.open(cache / f"{name}.tar.gz") as archive:
            archive.extractall(cache, filter="data")
    return cache / name


def _download(requirement: str, folder: Path) -> None:
    options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", str(folder)]
    command = [sys.executable, "-m", "pip", "download", *options, requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().splitlines() or ["pip failed without a message"]
        raise Unavailable(f"pip can not download the source of {requirement}: {reason[-1]}")
