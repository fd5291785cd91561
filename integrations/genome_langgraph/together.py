"""What the tasks of an event loop ask for at about the same time, done together in one worker thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")
R = TypeVar("R")


class Together(Generic[T, R]):
    """Calls that wait while earlier ones are under way are the next run: the more there is to do, the less each costs.

    ``run`` gets what was asked for, in order, and returns for each its result or what it raised. Each event loop has its own
    runs, one at a time; none is kept when it is over.
    """

    def __init__(self, run: Callable[[Sequence[T]], Sequence[R | Exception]]) -> None:
        self._run = run
        self._waiting: WeakKeyDictionary[asyncio.AbstractEventLoop, _Waiting[T, R]] = WeakKeyDictionary()

    async def __call__(self, wanted: T) -> R:
        """The result for what is wanted. A call that is cancelled before its run begins does nothing."""
        loop = asyncio.get_running_loop()
        waiting = self._waiting.setdefault(loop, _Waiting())
        future: asyncio.Future[R] = loop.create_future()
        waiting.calls.append((wanted, future))
        if waiting.runs is None:
            waiting.runs = loop.create_task(self._run_all(waiting))
        return await future

    async def _run_all(self, waiting: _Waiting[T, R]) -> None:
        try:
            while waiting.calls:
                calls = [call for call in waiting.calls if not call[1].done()]  # without the cancelled ones
                waiting.calls = []
                await self._run_some(calls)
        finally:
            waiting.runs = None  # a task knows its loop, which would never go

    async def _run_some(self, calls: Sequence[tuple[T, asyncio.Future[R]]]) -> None:
        try:
            outcomes = await asyncio.to_thread(self._run, [wanted for wanted, _ in calls])
        except Exception as error:  # noqa: BLE001 -- handed to those who wait
            outcomes = [error] * len(calls)
        for (_, future), outcome in zip(calls, outcomes, strict=True):
            if future.done():  # cancelled meanwhile
                continue
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)


class _Waiting(Generic[T, R]):
    """What waits on one event loop, and the task that sees to it."""

    def __init__(self) -> None:
        self.calls: list[tuple[T, asyncio.Future[R]]] = []
        self.runs: asyncio.Task[None] | None = None
