"""Transactions and schema versions: with ``engines``, the only modules that know how SQLite and PostgreSQL differ in them.

Everything else in the package, and every adapter that keeps tables of its own, goes through ``Database``:
``read`` for a consistent snapshot, ``write`` for one atomic change, ``install`` for a schema.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.pool import SingletonThreadPool, StaticPool

from genome_core.errors import InvalidInput, MissingDependency, SchemaTooNew, StorageError
from genome_core.storage.engines import (
    BUSY_TIMEOUT,
    WRITES,
    check_timeout,
    create_engine,
    driver_of,
    install_hooks,
    url_of,
)
from genome_core.storage.failures import translated
from genome_core.storage.forking import sqlite_gate
from genome_core.storage.kept import KeptConnections, Loan, Turns
from genome_core.types import Scope

T = TypeVar("T")
Migration = Callable[[Connection], None]
Eraser = Callable[[Connection, Scope, Sequence[str] | None], int]
"""Deletes, in its caller's transaction, what a component's own tables hold of a scope: all of it, or what has one of the ids.

Returns how many things went (threads, values), not rows.
"""

_SCHEMA_LOCK = 0x67656E6F6D65  # "genome": the advisory lock under which PostgreSQL schemas are made
_DEADLOCK_RETRIES = 5

_MOST_KEPT = 5
"""Connections to a SQLite file that wait for the next short call, besides those of the pool."""

_open_databases: weakref.WeakSet[Database] = weakref.WeakSet()

ENTRY_POINTS = "genome.components"
"""The group of entry points by which adapters make their ``Schema`` known to processes that have not imported them."""

_known: dict[str, Schema] = {}


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of one component, and how databases of older versions become current ones.

    ``migrations[n]`` turns version ``n`` into ``n + 1``; it runs inside the transaction that records the new version.
    """

    component: str
    version: int
    tables: sa.MetaData
    migrations: Mapping[int, Migration] = field(default_factory=dict)
    prepare: Migration | None = None
    """Runs before the tables are first created (an extension that they need)."""
    erase: Eraser | None = None
    """How ``Memory.erase`` reaches what these tables hold; None only for tables that hold nothing of anybody."""


_versions = sa.Table(
    "genome_schema",
    sa.MetaData(),
    sa.Column("component", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
)


class Database:
    """A database that several components share.

    ``store`` is a path of a SQLite file, ``":memory:"``, a database URL, or a SQLAlchemy ``Engine``. An engine that was
    handed in stays the caller's: ``close`` leaves it open. Safe to use from many threads, and after ``os.fork``.

    ``timeout`` is how many seconds a writer waits for another one, 0 for not at all; an engine that was handed in keeps its
    own setting. Raises ``NotADatabase`` for a file of another kind (which is left untouched), ``InvalidInput`` for an unknown
    database or an impossible timeout, ``MissingDependency`` if PostgreSQL's driver is not installed.
    """

    def __init__(self, store: str | os.PathLike[str] | URL | Engine, *, timeout: float = BUSY_TIMEOUT) -> None:
        check_timeout(timeout)
        self.owns_engine = not isinstance(store, Engine)
        self.engine: Engine = store if isinstance(store, Engine) else create_engine(url_of(store), timeout)
        # PostgreSQL takes 0 for "no limit". An engine that was handed in keeps its own setting.
        self._lock_timeout = max(round(timeout * 1000), 1) if self.owns_engine else None
        self.dialect = self.engine.dialect.name
        if self.dialect not in ("sqlite", "postgresql"):
            raise InvalidInput(f"no support for {self.dialect}", hint="use SQLite or PostgreSQL")
        if isinstance(self.engine.pool, SingletonThreadPool):
            raise InvalidInput(
                "each thread of this engine would see a database of its own",
                hint="create it with poolclass=sqlalchemy.pool.StaticPool, or pass ':memory:'",
            )
        self.in_memory = self.dialect == "sqlite" and isinstance(self.engine.pool, StaticPool)
        self.settings: dict[str, str] = {}
        """PostgreSQL's settings in each transaction that begins here: see ``row_security``."""
        self._timeout = timeout
        self._one_at_a_time = threading.RLock()
        self._writers = Turns(timeout)
        self._in_use: Connection | None = None
        self._lends = self.owns_engine and not self.in_memory
        self._keeps = self._lends and not self.is_postgres
        self._kept: list[Connection] = []  # connections to a SQLite file that nobody uses just now
        self._drivers = KeptConnections(self.engine)
        self._driver_error: type[Exception] = self.engine.dialect.loaded_dbapi.Error
        install_hooks(self.engine, timeout if self.owns_engine else None)
        _open_databases.add(self)

    @property
    def is_postgres(self) -> bool:
        return self.dialect == "postgresql"

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A read-only look at one consistent snapshot; waits for nobody and keeps nobody waiting."""
        with self._connection() as connection:
            if connection.in_transaction():  # an in-memory database, read again by the thread that is reading it
                yield connection
                return
            if self.is_postgres:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                self._set(connection)
                yield connection

    def write(self, work: Callable[[Connection], T]) -> T:
        """Runs ``work`` in one transaction: all of it happens, or none.

        SQLite writers queue at the start of the transaction (BEGIN IMMEDIATE). PostgreSQL may choose the transaction as
        the victim of a deadlock; ``work`` is then run again, so it must not change anything outside the database
        before it returns.
        """
        if self._keeps:
            return self._write_to_file(work)
        for attempt in range(_DEADLOCK_RETRIES):
            try:
                with self._turn(alone=True), self._connection() as connection:
                    if connection.in_transaction():
                        raise StorageError(
                            "a write inside a read of the same in-memory store", hint="end the read first"
                        )
                    if self.is_postgres:  # whatever an engine that was handed in is set to
                        connection = connection.execution_options(isolation_level="READ COMMITTED")
                    else:
                        connection.info[WRITES] = True
                    with connection.begin():
                        if self.is_postgres and self._lock_timeout:
                            # At each write, not once a connection: poolers such as PgBouncer hand those around.
                            driver_of(connection).execute(f"SET LOCAL lock_timeout = {self._lock_timeout}")
                        self._set(connection)
                        return work(connection)
            except StorageError as error:
                if attempt == _DEADLOCK_RETRIES - 1 or not _is_deadlock(error.__cause__):
                    raise
        raise AssertionError("unreachable")

    def _write_to_file(self, work: Callable[[Connection], T]) -> T:
        """The same for a SQLite file, begun and ended past SQLAlchemy, whose part in a short write would be large."""
        with self._turn(alone=True), self._translated_errors(), self._kept_connection() as connection:
            driver = driver_of(connection)
            driver.execute("BEGIN IMMEDIATE")
            result = work(connection)
            begun = connection if connection.in_transaction() else driver  # SQLAlchemy begins where it runs something
            begun.commit()
            return result

    def _set(self, connection: Connection) -> None:
        for name, value in self.settings.items():
            connection.execute(sa.select(sa.func.set_config(name, value, True)))  # until the end of the transaction

    def install(self, schema: Schema) -> None:
        """Creates or upgrades the tables of ``schema``; a no-op for a current database, safe to race.

        Raises ``SchemaTooNew``, before anything is changed, if a newer release wrote them.
        """
        _known[schema.component] = schema
        with self.read() as connection:
            found = _version(connection, schema.component)
        _refuse_newer(schema, found)
        if found != schema.version:
            self.write(lambda connection: self._upgrade(connection, schema))

    def _upgrade(self, connection: Connection, schema: Schema) -> None:
        if self.is_postgres:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
        _versions.create(connection, checkfirst=True)
        found = _version(connection, schema.component)
        _refuse_newer(schema, found)
        if found is None:
            if schema.prepare:
                schema.prepare(connection)
            schema.tables.create_all(connection)
            connection.execute(sa.insert(_versions).values(component=schema.component, version=schema.version))
            return
        for version in range(found, schema.version):
            schema.migrations[version](connection)
        connection.execute(
            sa.update(_versions).where(_versions.c.component == schema.component).values(version=schema.version)
        )

    def components(self) -> list[Schema]:
        """Everything that keeps tables in this database, upgraded to what this process knows.

        Raises ``MissingDependency`` for tables of a component that is not installed here.
        """
        with self.read() as connection:
            names = list(connection.scalars(sa.select(_versions.c.component).order_by(_versions.c.component)))
        found = [_component(name) for name in names]
        for schema in found:
            self.install(schema)
        return found

    def vacuum(self) -> bool:
        """Gives free space back to the file system. SQLite rewrites the file; PostgreSQL does so by itself, in time.

        Returns whether nothing that was deleted is left in SQLite's files: a reader that looks at an older state can keep
        it there until the next time.
        """
        if self.is_postgres:
            return False
        with self._connection() as connection:
            driver = connection.connection.cursor()  # VACUUM can not run in a transaction
            try:
                driver.execute("VACUUM")
                busy = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except self._driver_error as error:
                raise StorageError(str(error), hint="the space is given back by the next compact()") from error
            finally:
                driver.close()
        return not busy

    def missing_file(self) -> Path | None:
        """The path of SQLite's file if it is not there yet and nobody else's engine makes it; else None."""
        name = self.engine.url.database
        if self.is_postgres or not self.owns_engine or self.in_memory or not name or name.startswith("file:"):
            return None
        return None if Path(name).exists() else Path(name)

    def close(self) -> None:
        """Closes the connections, unless the engine was handed in. Closing twice is fine."""
        if self.owns_engine:
            while self._kept:
                self._kept.pop().close()
            self._drivers.close()
            self.engine.dispose()

    def driver(self, *, alone: bool = False) -> AbstractContextManager[Any]:
        """The driver's own connection in autocommit mode, for frequent statements: SQLAlchemy would double their time.

        Whoever begins a transaction there ends it. ``alone`` is for short writes: on SQLite, those of this process take
        turns here, because a connection that meets another's lock sleeps for longer than they last.

        Raises ``StorageError`` as everything here does.
        """
        if self._lends and not self.settings:
            turn = self._writers if alone and self.dialect == "sqlite" else None
            return Loan(self._drivers, turn, self._driver_failure)
        return self._other_driver(alone)

    @contextmanager
    def _other_driver(self, alone: bool) -> Generator[Any]:
        try:
            with self._turn(alone):
                if self._in_use is not None:  # an in-memory database, used again by the thread that is using it
                    yield driver_of(self._in_use)
                else:
                    with self._pooled_connection() as connection:
                        yield connection
        except (self._driver_error, sa.exc.TimeoutError) as error:
            raise translated(error) from error

    def _driver_failure(self, error: BaseException) -> StorageError | None:
        return translated(error) if isinstance(error, self._driver_error | sa.exc.TimeoutError) else None

    @contextmanager
    def _pooled_connection(self) -> Generator[Any]:
        pooled = self.engine.raw_connection()
        connection: Any = pooled.driver_connection
        try:
            if self.is_postgres:
                connection.autocommit = True
            for name, value in self.settings.items():
                connection.execute("SELECT set_config(%s, %s, false)", (name, value))
            yield connection
        finally:
            if self.is_postgres and not connection.closed:
                if connection.info.transaction_status:  # not idle: an error left a transaction open
                    connection.rollback()
                for name in self.settings:
                    connection.execute("SELECT set_config(%s, '', false)", (name,))
                connection.autocommit = False
            pooled.close()

    @contextmanager
    def _kept_connection(self) -> Generator[Connection]:
        """A connection to a SQLite file that is kept between calls: the pool's part in a short one would be large."""
        kept = self._kept  # a forked process has another list: it must not go on with this connection
        try:
            connection = kept.pop()
        except IndexError:
            connection = self.engine.connect()
        try:
            yield connection
        except BaseException:
            connection.invalidate()  # whatever an error left behind goes
            connection.close()
            raise
        if len(kept) < _MOST_KEPT:
            kept.append(connection)
        else:
            connection.close()

    def __deepcopy__(self, _memo: dict[int, Any]) -> Database:
        """Itself: connections can not be copied, and a copy of what holds them is on the same database."""
        return self

    @contextmanager
    def _connection(self) -> Generator[Connection]:
        with self._turn(), self._translated_errors():
            if self._keeps:
                with self._kept_connection() as connection:
                    yield connection
            elif not self.in_memory:
                with self.engine.connect() as connection:
                    yield connection
            elif self._in_use is not None:
                yield self._in_use
            else:
                with self.engine.connect() as self._in_use:
                    try:
                        yield self._in_use
                    finally:
                        self._in_use = None

    @contextmanager
    def _translated_errors(self) -> Generator[None]:
        """Wraps what the driver raises, once, in the package's own error."""
        try:
            yield
        except sa.exc.DBAPIError as error:
            raise translated(error.orig) from error
        except (self._driver_error, sa.exc.TimeoutError) as error:  # the former from a statement past SQLAlchemy
            raise translated(error) from error
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"{error.object[:40]!r} holds half a surrogate pair", hint="use genome_core.inputs.clean_text"
            ) from error

    @contextmanager
    def _turn(self, alone: bool = False) -> Generator[None]:
        """Waits until this thread may use the database, ``alone`` among those of this process that write to a SQLite file."""
        if self.is_postgres:
            yield
        elif self.in_memory:  # it lives in one connection, which threads must take in turn
            with self._one_at_a_time, sqlite_gate.inside():
                yield
        elif alone:
            with self._writers, sqlite_gate.inside():
                yield
        else:
            with sqlite_gate.inside():
                yield

    def _after_fork(self) -> None:
        """The child must not touch connections that the parent goes on using."""
        self._one_at_a_time = threading.RLock()
        self._writers = Turns(self._timeout)
        self._in_use = None
        self._kept = []
        self._drivers.leave_to_parent()
        self._drivers = KeptConnections(self.engine)
        if not self.in_memory:
            self.engine.dispose(close=False)


def _after_fork_in_child() -> None:
    for database in list(_open_databases):
        database._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def insert_or_ignore(connection: Connection, table: sa.Table) -> Any:
    """An INSERT that leaves a row with the same key as it is. Of two racing writers the second waits for the first."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def _component(name: str) -> Schema:
    if name not in _known:
        for entry in entry_points(group=ENTRY_POINTS, name=name):
            _known[name] = entry.load()
    if name not in _known:
        raise MissingDependency(
            f"{name} keeps tables in this database, and is not known here", hint="import or install that package first"
        )
    return _known[name]


def _version(connection: Connection, component: str) -> int | None:
    if not sa.inspect(connection).has_table(_versions.name):
        return None
    found: int | None = connection.scalar(sa.select(_versions.c.version).where(_versions.c.component == component))
    return found


def _refuse_newer(schema: Schema, found: int | None) -> None:
    if found is not None and found > schema.version:
        raise SchemaTooNew(
            f"{schema.component} has schema {found}, this release knows {schema.version}",
            hint="upgrade genome-plugins; the database was left untouched",
        )


def _is_deadlock(error: BaseException | None) -> bool:
    return getattr(getattr(error, "orig", error), "sqlstate", None) in ("40P01", "40001")
