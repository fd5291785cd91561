"""Running Python code in a fresh process, with chosen packages made absent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_python(code: str, *, absent: tuple[str, ...] = (), timeout: float = 300, **environment: str) -> str:
    """What ``code`` prints. The packages in ``absent`` can not be imported there; a failure fails the test."""
    hidden = "".join(f"sys.modules[{name!r}] = None\n" for name in absent)
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import sys\n{hidden}{code}"],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout
