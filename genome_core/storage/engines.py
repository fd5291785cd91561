"""Engines: how connections to SQLite and PostgreSQL are made, and what each is taught before it is first used."""

from __future__ import annotations

import os
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from genome_core.errors import InvalidInput, MissingDependency, NotADatabase, StorageError
from genome_core.storage import filters, lists

if TYPE_CHECKING:
    import psycopg

BUSY_TIMEOUT = 30.0
"""Seconds that a writer waits for another one before it gives up with ``StorageError``."""

_LONGEST_TIMEOUT = 2_147_483
"""Both databases count milliseconds in 32 bits."""
_SQLITE_HEADER = b"SQLite format 3\x00"

WRITES = "genome_write"
"""Marks a connection to SQLite whose next transaction writes."""


def url_of(store: str | os.PathLike[str] | URL) -> URL:
    if isinstance(store, URL):
        return store
    text = os.fspath(store)
    if not text:
        raise InvalidInput("the store has no name", hint="give a file path, ':memory:' or a database URL")
    if "://" not in text:
        return URL.create("sqlite", database=text)
    url = make_url(text)
    return url.set(drivername="postgresql+psycopg") if url.drivername in ("postgres", "postgresql") else url


def create_engine(url: URL, timeout: float) -> Engine:
    create = partial(sa.create_engine, url, hide_parameters=True)  # an error's message must not tell what people said
    if url.get_backend_name() == "sqlite":
        if url.database in (None, "", ":memory:"):
            return create(poolclass=StaticPool, connect_args={"check_same_thread": False})
        if not url.database.startswith("file:"):  # SQLite's own URIs look after themselves
            _refuse_other_files(Path(url.database))
        # Threads beyond the pool's size get a connection of their own; a writer waits in SQLite, not in the pool.
        return create(max_overflow=-1, connect_args={"timeout": timeout, "check_same_thread": False})
    if url.get_backend_name() != "postgresql":
        raise InvalidInput(f"no support for {url.get_backend_name()}", hint="use SQLite or PostgreSQL")
    try:
        # Transaction poolers such as PgBouncer do not keep prepared statements; see kept.py for where there are some.
        settings = {"prepare_threshold": None}
        return create(pool_pre_ping=True, pool_size=10, max_overflow=20, connect_args=settings)
    except ImportError as error:
        raise MissingDependency(
            "PostgreSQL needs psycopg and pgvector", hint="pip install 'genome-plugins[postgres]'"
        ) from error


def check_timeout(timeout: float) -> None:
    if not isinstance(timeout, int | float) or not 0 <= timeout <= _LONGEST_TIMEOUT:
        raise InvalidInput(
            f"timeout is {timeout!r}",
            hint=f"give seconds, from 0 (do not wait) to {_LONGEST_TIMEOUT:,} (about 24 days)",
        )


def _refuse_other_files(path: Path) -> None:
    if path.is_dir():
        raise NotADatabase(f"{path} is a folder", hint="name a file in it")
    if not path.parent.exists():
        raise StorageError(f"the folder {path.parent} does not exist", hint="create it first")
    if path.is_file() and path.stat().st_size > 0:
        with path.open("rb") as file:
            if file.read(len(_SQLITE_HEADER)) != _SQLITE_HEADER:
                raise NotADatabase(f"{path} is not a SQLite database", hint="it was left untouched; name another path")


def install_hooks(engine: Engine, timeout: float | None) -> None:
    """Prepares each connection once, when it is first taken out of the pool: an engine handed in may hold open ones.

    ``timeout`` is None for such an engine, which keeps its own settings.
    """
    if getattr(engine, "_genome_hooks", False):
        return
    prepare = _prepare_sqlite if engine.dialect.name == "sqlite" else _prepare_postgres

    def prepare_once(dbapi_connection: Any, entry: ConnectionPoolEntry, _proxy: Any) -> None:
        if "genome" not in entry.info and prepare(dbapi_connection, timeout):
            entry.info["genome"] = True

    event.listen(engine, "checkout", prepare_once)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "begin", _begin_sqlite)
    engine._genome_hooks = True  # type: ignore[attr-defined]


def driver_of(connection: Connection) -> Any:
    """The driver's own connection, to run a statement in the same transaction past SQLAlchemy, which would double its time."""
    return connection.connection.driver_connection


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.info.pop(WRITES, False)
    driver = driver_of(connection)
    if not driver.in_transaction:  # an engine that was handed in may have begun already, by a listener of its own
        driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_sqlite(connection: Any, timeout: float | None) -> bool:
    connection.isolation_level = None  # the driver must not begin transactions by itself; _begin_sqlite does
    cursor = connection.cursor()
    _switch_to_wal(cursor, BUSY_TIMEOUT if timeout is None else timeout)
    if timeout is not None:
        # SQLite's own advice for WAL: a killed process loses nothing; a power cut can cost the last commits but never
        # damages the file. Who wants each commit on the disk hands in an Engine: it keeps its own setting (FULL).
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA wal_autocheckpoint = 4000")  # 16 MB: busy index pages are copied to the file less often
        cursor.execute("PRAGMA cache_size = -16000")  # 16 MB: what a large transaction changes is written once
    cursor.close()
    filters.install(connection)
    lists.install(connection)
    return True


def _switch_to_wal(cursor: Any, timeout: float) -> None:
    # SQLite does not call its busy handler for this switch, so processes that open a new file at once must wait here.
    deadline = time.monotonic() + timeout
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _prepare_postgres(connection: Any, _timeout: float | None) -> bool:
    """Teaches a connection pgvector's type; returns whether the extension is there yet."""
    from pgvector.psycopg import register_vector
    from psycopg.types import TypeInfo

    known = TypeInfo.fetch(connection, "vector") is not None
    if known:
        register_vector(connection)
    connection.rollback()
    return known


def use_pgvector(connection: Connection) -> None:
    """Makes sure that the extension exists and that this connection speaks its type."""
    from pgvector.psycopg import register_vector

    connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector")
    register_vector(cast("psycopg.Connection[Any]", connection.connection.driver_connection))
