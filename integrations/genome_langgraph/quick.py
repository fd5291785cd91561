"""Runs prepared SQL straight on the driver: SQLAlchemy's share of such a call would be larger than the query's own."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from genome_core.storage.database import Database

Row = Sequence[Any]
Step = tuple[str, Sequence[Mapping[str, Any]]]
"""A statement and its rows of parameters."""


class QuickLane:
    """Statements of a kind that needs no transaction of several round trips.

    Whatever the driver refuses here is done again in the ordinary way of ``Database``, which knows about deadlocks and
    reports errors in the package's terms; so only statements that may run twice belong here.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._driver_error: type[Exception] = database.engine.dialect.dbapi.Error  # type: ignore[union-attr]

    def fetch(self, sql: str, parameters: Mapping[str, Any]) -> Sequence[Row]:
        """The rows of one statement, which sees one snapshot."""
        if not self._database.in_memory:  # there, threads must take turns, which ``read`` sees to
            with suppress(self._driver_error), self._cursor() as cursor:
                return cursor.execute(sql, parameters).fetchall()  # type: ignore[no-any-return]
        with self._database.read() as connection:
            return connection.exec_driver_sql(sql, dict(parameters)).all()

    def save(self, steps: Sequence[Step]) -> None:
        """Runs the statements in one transaction: in PostgreSQL in a single round trip."""
        if self._database.is_postgres:
            with suppress(self._driver_error), self._cursor() as cursor, cursor.connection.pipeline():
                # In autocommit mode, what a pipeline sends is one implicit transaction.
                for sql, rows in steps:
                    for row in rows:
                        cursor.execute(sql, row)
                return
        self._database.write(lambda connection: [connection.exec_driver_sql(sql, [*rows]) for sql, rows in steps])

    @contextmanager
    def _cursor(self) -> Generator[Any]:
        """A cursor on which each statement is a transaction of its own."""
        pooled = self._database.engine.raw_connection()
        try:
            driver: Any = pooled.driver_connection
            if self._database.is_postgres:
                with _autocommit(driver):
                    yield driver.cursor(binary=True)
            else:
                yield driver.cursor()
        finally:
            pooled.close()


@contextmanager
def _autocommit(driver: Any) -> Generator[None]:
    driver.autocommit = True
    try:
        yield
    finally:
        driver.autocommit = False
