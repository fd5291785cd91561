"""Runs prepared SQL straight on the driver: SQLAlchemy's share of such a call would be larger than the query's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from typing import Any, Protocol

from genome_core.errors import StorageError
from genome_core.inputs import check_text
from genome_core.storage.database import Database

Row = Sequence[Any]
Parameters = Mapping[str, Any]
Step = tuple[str, Parameters]
"""A statement, and those of its parameters that it shares with no other step."""

AFTER_FIRST = "/* after the first step */"
"""Where a statement of the form INSERT ... SELECT says that it must not run before the first step is done."""


class QuickLane(Protocol):
    """What ``GenomeSaver`` does at each step of a graph."""

    def fetch(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        """The rows of one statement, which sees one snapshot."""

    def save(self, shared: Parameters, steps: Sequence[Step]) -> None:
        """Runs the statements in one transaction; no two may write the same row."""


def check_parameters(parameters: Parameters) -> None:
    """Raises ``InvalidInput`` for text that a database can not keep.

    A driver sees that only when the statement's turn comes: what a pipeline sent before it would stay.
    """
    for name, value in parameters.items():
        if isinstance(value, str):
            check_text(value, name)


def quick_lane(database: Database) -> QuickLane:
    return _PostgresLane(database) if database.is_postgres else _SqliteLane(database)


class _SqliteLane:
    def __init__(self, database: Database) -> None:
        self._database = database

    def fetch(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        with self._database.driver() as connection:
            return connection.execute(sql, parameters).fetchall()  # type: ignore[no-any-return]

    def save(self, shared: Parameters, steps: Sequence[Step]) -> None:
        with self._database.driver(alone=True) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                for sql, own in steps:
                    connection.execute(sql, {**shared, **own})
                connection.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise


class _PostgresLane:
    """What the driver refuses is done again in the ordinary way of ``Database``, which knows about deadlocks and servers
    that were restarted; so only statements that may run twice belong here."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def fetch(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        with suppress(StorageError), self._database.driver() as connection:
            return connection.cursor(binary=True).execute(sql, parameters).fetchall()  # type: ignore[no-any-return]
        with self._database.read() as connection:
            return connection.exec_driver_sql(sql, dict(parameters)).all()

    def save(self, shared: Parameters, steps: Sequence[Step]) -> None:
        statements = [_combined(shared, steps[start : start + _AT_ONCE]) for start in range(0, len(steps), _AT_ONCE)]
        with suppress(StorageError), self._database.driver() as connection:
            # In autocommit mode, one statement is a transaction, and so is what a pipeline sends.
            with connection.pipeline() if len(statements) > 1 else nullcontext():
                for sql, parameters in statements:
                    connection.cursor(binary=True).execute(sql, parameters)
            return
        self._database.write(lambda connection: [connection.exec_driver_sql(*statement) for statement in statements])


_AT_ONCE = 8
"""How many steps become one statement: psycopg remembers statements of up to 4096 characters and 50 parameters."""


def _combined(shared: Parameters, steps: Sequence[Step]) -> tuple[str, dict[str, Any]]:
    """One statement that does what the steps do: a single round trip, in half the time of a statement each."""
    parameters = dict(shared)
    for number, (_, own) in enumerate(steps):
        parameters.update((f"{name}_{number}", value) for name, value in own.items())
    return _combined_sql(tuple(sql for sql, _ in steps), tuple(shared)), parameters


@cache
def _combined_sql(statements: Sequence[str], shared: Sequence[str]) -> str:
    def numbered(number: int) -> str:
        sql = statements[number].replace(AFTER_FIRST, "FROM step0" if number else "")
        return re.sub(r"%\((\w+)\)s", lambda name: name[0] if name[1] in shared else f"%({name[1]}_{number})s", sql)

    if len(statements) == 1:
        return numbered(0)
    *before, last = map(numbered, range(len(statements)))
    return f"WITH {', '.join(f'step{number} AS ({sql} RETURNING 1)' for number, sql in enumerate(before))} {last}"
