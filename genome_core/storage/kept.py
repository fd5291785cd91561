"""Connections of the driver that are kept for short calls: the pool's part in such a call would be large."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from genome_core.errors import StorageError
from genome_core.storage.forking import sqlite_gate

_MOST = 5
"""Connections that wait for the next call, besides those of the pool."""

_AT_ONCE = 10
"""Connections to a PostgreSQL server that are in use or wait; a server has room for a hundred or so."""

_PATIENCE = 30.0
"""Seconds that a call waits for one of them, as for one of the pool's."""

_of_parents: list[list[Any]] = []
"""A parent's connections to PostgreSQL in a forked process, where they must be neither used nor closed."""


class KeptConnections:
    """The driver's connections that nobody uses just now, made as the engine's pool makes them, in autocommit mode."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: list[Any] = []
        self.is_postgres = engine.dialect.name == "postgresql"
        self._places = threading.Semaphore(_AT_ONCE) if self.is_postgres else None

    def take(self) -> Any:
        if self._places is not None and not self._places.acquire(timeout=_PATIENCE):
            raise sa.exc.TimeoutError(f"QueuePool limit: {_AT_ONCE} connections are in use")
        try:
            return self._waiting.pop()
        except IndexError:
            pass
        try:
            pooled = self._engine.raw_connection()
            connection = pooled.driver_connection
            pooled.detach()
            (_settle_postgres if self.is_postgres else _settle_sqlite)(connection)
        except BaseException:
            self._leave()
            raise
        return connection

    def give_back(self, connection: Any, *, broken: bool) -> None:
        if broken or len(self._waiting) >= _MOST:
            connection.close()
        else:
            self._waiting.append(connection)
        self._leave()

    def close(self) -> None:
        while self._waiting:
            self._waiting.pop().close()

    def leave_to_parent(self) -> None:
        """In a forked process: what is kept stays the parent's."""
        if self.is_postgres:
            _of_parents.append(self._waiting)

    def _leave(self) -> None:
        if self._places is not None:
            self._places.release()


def _settle_sqlite(connection: Any) -> None:
    """Sets a connection to SQLite up for short statements: large transactions are better off with the limits of the pool's
    connections, but memory and a log that is used again soon, while the processor still has it at hand, takes a tenth less.
    """
    connection.execute("PRAGMA cache_size = -4000")
    connection.execute("PRAGMA wal_autocheckpoint = 2000")


def _settle_postgres(connection: Any) -> None:
    """Sets a connection to PostgreSQL up for statements that come again and again.

    They are prepared, which halves the time of most, unless a pooler such as PgBouncer stands before the server: it may
    hand each transaction to another server process, which does not know what was prepared. A pooler answers for the
    server, with a number of its own where the server's process would give its id.
    """
    connection.autocommit = True
    connection.prepare_threshold = None
    [(process,)] = connection.execute("SELECT pg_backend_pid()").fetchall()
    if process == connection.info.backend_pid:
        connection.prepare_threshold = 0


class Turns:
    """Lets the threads of this process that write to a SQLite file do so one after another.

    By SQLite's own lock those who wait would sleep, longer each time, while one that writes again and again takes it anew.
    """

    def __init__(self, patience: float) -> None:
        """``patience`` is how many seconds a thread waits."""
        self._lock = threading.RLock()
        self._patience = patience

    def __enter__(self) -> None:
        """Raises ``StorageError`` where it took longer."""
        if not self._lock.acquire(timeout=self._patience):
            raise StorageError("database is locked", hint="another thread is writing; it waited for the busy timeout")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class Loan:
    """One use of a connection. ``turn`` is held meanwhile: it lets the writers of this process take turns.

    A class, because the context managers that it stands for, written as generators, took twice as long.
    """

    __slots__ = ("_connection", "_gated", "_kept", "_thread", "_translated", "_turn")

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
        self._gated = not kept.is_postgres

    def __enter__(self) -> Any:
        if self._turn is not None:
            self._turn.__enter__()
        self._thread = sqlite_gate.enter() if self._gated else 0
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
            self._kept.give_back(self._connection, broken=error is not None)
        finally:
            self._leave()
        if error is not None and (translated := self._translated(error)):
            raise translated from error

    def _leave(self) -> None:
        if self._gated:
            sqlite_gate.leave(self._thread)
        if self._turn is not None:
            self._turn.__exit__(None, None, None)
