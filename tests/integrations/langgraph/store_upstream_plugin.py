"""A pytest plugin for the tests of ``langgraph-checkpoint-sqlite``: puts ``GenomeStore`` where they open its stores.

Loaded with ``-p`` in another process. As the official store without an index, ours without one embeds nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Generator, Iterator
from typing import Any, Generic, TypeVar

import pytest
from genome_langgraph import GenomeStore
from langgraph.store.base import BaseStore

T = TypeVar("T")
_opened = 0


class Ready(Generic[T]):
    """A result that those who expect a coroutine may await."""

    def __init__(self, value: T) -> None:
        self._value = value

    def __await__(self) -> Generator[None, None, T]:
        yield
        return self._value


class SyncStore(GenomeStore):
    @classmethod
    def from_conn_string(cls, conn_string: str, *, index: Any = None, ttl: Any = None) -> Any:
        global _opened
        _opened += 1
        return cls(conn_string, index=index or False, ttl=ttl)


class AsyncStore(SyncStore):
    """The official async store has coroutines here, and is no other class of ours."""

    def setup(self) -> Any:
        return Ready(super().setup())

    def sweep_ttl(self) -> Any:
        return Ready(super().sweep_ttl())

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> Any:
        return Ready(super().start_ttl_sweeper(sweep_interval_minutes))

    def stop_ttl_sweeper(self, timeout: float | None = None) -> Any:
        return Ready(super().stop_ttl_sweeper(timeout))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    for module_name in ("tests.test_store", "tests.test_async_store", "tests.test_ttl"):
        module = importlib.import_module(module_name)
        for official, ours in (("SqliteStore", SyncStore), ("AsyncSqliteStore", AsyncStore)):
            if hasattr(module, official):
                assert issubclass(getattr(module, official), BaseStore)
                setattr(module, official, ours)
    return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"GenomeStore was opened {_opened} times")
