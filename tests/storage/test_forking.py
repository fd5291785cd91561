"""A fork waits for the threads that are inside SQLite, and lets them finish."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from genome_core.storage import forking
from genome_core.storage.forking import ForkGate


def in_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_a_fork_waits_for_a_thread_inside_which_may_enter_again() -> None:
    gate, entered, events = ForkGate(), threading.Event(), []
    forking_now = threading.Event()

    def work() -> None:
        with gate.inside():
            entered.set()
            forking_now.wait()
            with gate.inside():
                events.append("inner")
            events.append("outer")

    def fork() -> None:
        gate.before_fork()
        events.append("fork")
        gate.after_fork_in_parent()

    worker = in_thread(work)
    entered.wait()
    forker = in_thread(fork)
    while not gate._forking:
        pass
    forking_now.set()
    worker.join()
    forker.join()
    assert events == ["inner", "outer", "fork"]


def test_who_comes_during_a_fork_enters_after_it() -> None:
    gate, events = ForkGate(), []

    def work() -> None:
        with gate.inside():
            events.append("inside")

    gate.before_fork()
    worker = in_thread(work)
    events.append("forked")
    gate.after_fork_in_parent()
    worker.join()
    assert events == ["forked", "inside"]


def test_a_thread_that_forks_inside_does_not_wait_for_itself() -> None:
    gate = ForkGate()
    with gate.inside():
        gate.before_fork()
        gate.after_fork_in_parent()


def test_a_read_kept_open_delays_a_fork_but_does_not_prevent_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forking, "PATIENCE", 0.05)
    gate, entered, leave = ForkGate(), threading.Event(), threading.Event()

    def work() -> None:
        with gate.inside():
            entered.set()
            leave.wait()

    worker = in_thread(work)
    entered.wait()
    gate.before_fork()
    gate.after_fork_in_child()
    leave.set()
    worker.join()
    with gate.inside():
        gate.before_fork()
        gate.after_fork_in_parent()
