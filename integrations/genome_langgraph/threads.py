"""Where the async methods of the saver run, and how many of them at once."""

from __future__ import annotations

import asyncio
import contextvars
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

_MOST = 8  # threads


class Threads:
    """Threads of its own, for any event loop: those of the loop may all be taken by slow nodes and tools.

    They are started when they are needed, end with this object, and are awaited at the end of the interpreter. A forked
    process starts its own.
    """

    def __init__(self) -> None:
        self._of_process: tuple[int, ThreadPoolExecutor] | None = None

    async def run(self, call: Callable[[], T]) -> T:
        """What the call returns, as from ``asyncio.to_thread``."""
        context = contextvars.copy_context()
        return await asyncio.get_running_loop().run_in_executor(self._pool(), partial(context.run, call))

    def close(self) -> None:
        """Waits for the calls that were begun. Later ones start new threads."""
        of_process, self._of_process = self._of_process, None
        if of_process is not None and of_process[0] == os.getpid():
            of_process[1].shutdown()

    def _pool(self) -> ThreadPoolExecutor:
        of_process = self._of_process
        if of_process is None or of_process[0] != os.getpid():  # a forked process has the pool but not its threads
            self._of_process = of_process = (os.getpid(), ThreadPoolExecutor(_MOST, "genome-saver"))
        return of_process[1]


class Turns:
    """Lets at most so many calls of one event loop run at once; those of other loops do not count.

    Otherwise many graphs on one loop get their answers at once and go on in the same round of the loop, which serves
    nobody else meanwhile.
    """

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        # An entry stays while a call uses it, and keeps no loop that is over.
        self._of_loop: WeakValueDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakValueDictionary()

    def here(self) -> asyncio.Semaphore:
        """What a call on the running loop waits for."""
        return self._of_loop.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._at_once))
