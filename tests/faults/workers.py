"""What the fault tests run in other processes. Workers are forked from the warm test process, or spawned where said."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder


def open_memory(url: str, **options: float) -> Memory:
    return Memory(url, embedder=FakeEmbedder(), **options)  # type: ignore[arg-type]


def fork(work: Callable[[], None]) -> int:
    """Runs ``work`` in a child process; returns its process id. The child ends with 0, or with 1 and a traceback."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    except BaseException:  # noqa: BLE001 -- a forked child must never return into pytest
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def join(children: list[int]) -> list[int]:
    """Waits for all; returns their exit codes."""
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
