"""Inserting many rows past SQLAlchemy's work on each of them: by the driver in SQLite, by COPY on PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage.database import driver_of
from genome_core.storage.schema import Vector

if TYPE_CHECKING:
    import psycopg

_COPY_FROM = 20
"""So many rows are copied; fewer are inserted, which takes fewer round trips."""


def insert(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Inserts rows that all have the same two or more columns."""
    if not rows:
        return
    names = tuple(rows[0])
    if connection.dialect.name == "sqlite":
        driver_of(connection).executemany(_insert_text(table, names), _tuples(connection, table, names, rows))
    elif len(rows) >= _COPY_FROM and not connection.scalar(_GUARDED, {"name": table.name}):
        _copy(connection, table, names, rows)
    else:
        connection.execute(_inserts(table), rows)


_GUARDED = sa.select(sa.func.row_security_active(sa.bindparam("name", type_=sa.Text)))
"""PostgreSQL does not copy into a table of which a role has only its tenant's rows."""


@cache
def _inserts(table: sa.Table) -> sa.Insert:
    return sa.insert(table)


@cache
def _insert_text(table: sa.Table, names: tuple[str, ...]) -> str:
    columns = ", ".join(f'"{name}"' for name in names)
    return f"INSERT INTO {table.name} ({columns}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608 -- our own names


def _tuples(
    connection: Connection, table: sa.Table, names: tuple[str, ...], rows: Sequence[Mapping[str, Any]]
) -> list[tuple[Any, ...]]:
    tuples: list[tuple[Any, ...]] = list(map(itemgetter(*names), rows))
    for place, name in enumerate(names):
        kind = table.columns[name].type
        if isinstance(kind, Vector):
            bind, after = kind.process_bind_param, place + 1
            tuples = [(*one[:place], bind(one[place], connection.dialect), *one[after:]) for one in tuples]
    return tuples


def _copy(connection: Connection, table: sa.Table, names: tuple[str, ...], rows: Sequence[Mapping[str, Any]]) -> None:
    from psycopg import Error

    columns = ", ".join(f'"{name}"' for name in names)
    statement = f"COPY {table.name} ({columns}) FROM STDIN (FORMAT BINARY)"
    driver = cast("psycopg.Connection[Any]", connection.connection.driver_connection)
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types([_postgres_type(table.columns[name].type) for name in names])
            for row in _tuples(connection, table, names, rows):
                copy.write_row(row)
    except Error as error:
        raise sa.exc.DBAPIError(statement, None, error) from error


def _postgres_type(kind: sa.types.TypeEngine[Any]) -> str:
    if isinstance(kind, Vector):
        return "vector"
    if isinstance(kind, sa.LargeBinary):
        return "bytea"
    if isinstance(kind, sa.BigInteger):
        return "int8"
    return "int4" if isinstance(kind, sa.Integer) else "text"
