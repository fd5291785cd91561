"""Forks wait for SQLite: a child must not inherit a lock that nobody in it can give back."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager

PATIENCE = 5.0
"""Seconds that a fork waits for other threads to leave SQLite, and that they wait for it, before either goes on."""


class ForkGate:
    """Lets threads into SQLite, and lets a fork happen only while no other thread is inside.

    SQLite guards its memory, its page cache and its list of open files by locks of the process. A child forked while
    another thread holds one has a copy that stays locked, and hangs when it opens its first connection.
    The waits are limited, so that a thread which keeps a read open can delay a fork but not prevent it.
    """

    def __init__(self) -> None:
        self._renew()
        self._depths: dict[int, int] = {}  # how many times each thread is inside
        self._forking = False

    def _renew(self) -> None:
        self._lock = threading.RLock()  # taken without the condition, which hands on to it in Python
        self._condition = threading.Condition(self._lock)

    @contextmanager
    def inside(self) -> Generator[None]:
        thread = self.enter()
        try:
            yield
        finally:
            self.leave(thread)

    def enter(self) -> int:
        """Goes in; returns what ``leave`` takes, which another thread may call (it may be the one to close a generator)."""
        thread = threading.get_ident()
        with self._lock:
            if self._forking and thread not in self._depths:  # who is inside must be able to finish
                self._condition.wait_for(lambda: not self._forking, PATIENCE)
            self._depths[thread] = self._depths.get(thread, 0) + 1
        return thread

    def leave(self, thread: int) -> None:
        with self._lock:
            depth = self._depths.pop(thread, 0)  # in a child, threads that it does not have were forgotten
            if depth > 1:
                self._depths[thread] = depth - 1
            if self._forking:
                self._condition.notify_all()

    def before_fork(self) -> None:
        """Waits until other threads are outside, and keeps them there until one of the two methods below."""
        self._condition.acquire()
        self._forking = True
        thread = threading.get_ident()
        self._condition.wait_for(lambda: not self._depths.keys() - {thread}, PATIENCE)

    def after_fork_in_parent(self) -> None:
        self._forking = False
        self._condition.notify_all()
        self._condition.release()

    def after_fork_in_child(self) -> None:
        thread = threading.get_ident()
        self._depths = {thread: self._depths[thread]} if thread in self._depths else {}
        self._forking = False
        self._renew()


sqlite_gate = ForkGate()
"""The one of this process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=sqlite_gate.before_fork,
        after_in_parent=sqlite_gate.after_fork_in_parent,
        after_in_child=sqlite_gate.after_fork_in_child,
    )
