"""Running Python code in a fresh process, with chosen packages made absent."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_python(
    code: str, environment: Mapping[str, str] | None = None, *, absent: tuple[str, ...] = (), timeout: float = 300
) -> str:
    """What ``code`` prints. Variables in ``environment`` are set, and the packages in ``absent`` can not be imported there; a failure fails the test."""
    hidden = "".join(f"sys.modules[{name!r}] = None\n" for name in absent)
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import sys\n{hidden}{code}"],
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout
