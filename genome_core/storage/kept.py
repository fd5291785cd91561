"""Connections to a SQLite file that are kept for short calls: the pool's part in such a call would be large."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from sqlalchemy.engine import Engine

from genome_core.storage.forking import sqlite_gate

_MOST = 5
"""Connections that wait for the next call, besides those of the pool."""


class KeptConnections:
    """The driver's connections that nobody uses just now, made as the engine's pool makes them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: list[Any] = []

    def take(self) -> Any:
        try:
            return self._waiting.pop()
        except IndexError:
            pooled = self._engine.raw_connection()
            connection = pooled.driver_connection
            pooled.detach()
            return connection

    def give_back(self, connection: Any) -> None:
        if len(self._waiting) < _MOST:
            self._waiting.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        while self._waiting:
            self._waiting.pop().close()


class Loan:
    """One use of a connection. ``turn`` is held meanwhile: it lets the writers of this process take turns.

    A class, because the context managers that it stands for, written as generators, took twice as long.
    """

    __slots__ = ("_connection", "_kept", "_thread", "_translated", "_turn")

    def __init__(
        self,
        kept: KeptConnections,
        turn: AbstractContextManager[Any] | None,
        translated: Callable[[BaseException], BaseException | None],
    ) -> None:
        """``translated`` makes the package's own error of the driver's, and None of others."""
        self._kept = kept  # a forked process has others: it must not go on with this connection
        self._turn = turn
        self._translated = translated

    def __enter__(self) -> Any:
        if self._turn is not None:
            self._turn.__enter__()
        self._thread = sqlite_gate.enter()
        try:
            self._connection = self._kept.take()
        except BaseException as error:
            self._leave()
            if translated := self._translated(error):
                raise translated from error
            raise
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._kept.give_back(self._connection)
            else:
                self._connection.close()
        finally:
            self._leave()
        if error is not None and (translated := self._translated(error)):
            raise translated from error

    def _leave(self) -> None:
        sqlite_gate.leave(self._thread)
        if self._turn is not None:
            self._turn.__exit__(None, None, None)
