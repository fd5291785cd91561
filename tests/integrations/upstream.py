"""Fetches the tests that a framework ships in its source distributions, for the version that is installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import pytest


def source_of(package: str, needs: Mapping[str, str]) -> Path:
    """The unpacked source distribution of an installed package; skips the test where it can not be had.

    ``needs`` is what building and running its tests takes, module by distribution. The source is downloaded once and kept in
    ``GENOME_UPSTREAM_CACHE``, by default a folder of the system's temporary files.
    """
    if missing := [name for module, name in needs.items() if importlib.util.find_spec(module) is None]:
        pytest.skip(f"the tests of {package} need: pip install {' '.join(missing)}")
    name = f"{package.replace('-', '_')}-{version(package)}"
    cache = Path(os.environ.get("GENOME_UPSTREAM_CACHE", Path(tempfile.gettempdir()) / "genome-upstream"))
    if not (cache / name).is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            _download(f"{package}=={version(package)}", Path(folder))
            with tarfile.open(Path(folder) / f"{name}.tar.gz") as archive:
                archive.extractall(folder, filter="data")
            try:
                (Path(folder) / name).rename(cache / name)  # at once: other tests look for it too
            except OSError:
                if not (cache / name).is_dir():
                    raise
    return cache / name


def _download(requirement: str, folder: Path) -> None:
    options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", str(folder)]
    command = [sys.executable, "-m", "pip", "download", *options, requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().splitlines() or ["pip failed without a message"]
        pytest.skip(f"pip can not download the source of {requirement}: {reason[-1]}")
