"""Inserting many rows past SQLAlchemy's work on each of them: by the driver in SQLite, by COPY on PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Dialect

from genome_core.storage.engines import driver_of
from genome_core.storage.schema import Vector

if TYPE_CHECKING:
    import psycopg

_COPY_FROM = 20
"""So many rows are copied; fewer are inserted, which takes fewer round trips."""


def insert(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Inserts rows that all have the same two or more columns."""
    if rows:
        names = tuple(rows[0])
        insert_tuples(connection, table, names, list(map(itemgetter(*names), rows)))


def insert_tuples(
    connection: Connection, table: sa.Table, names: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Inserts rows as the values of the named columns."""
    if not rows:
        return
    driver = driver_of(connection)
    if connection.dialect.name == "sqlite":
        driver.executemany(_insert_text(table, names, "?"), rows)
        return
    tuples = _bound(connection.dialect, table, names, rows)
    if len(rows) >= _COPY_FROM and not connection.scalar(_GUARDED, {"name": table.name}):
        _copy(driver, table, names, tuples)
    else:
        for start in range(0, len(rows), _COPY_FROM):
            some = tuples[start : start + _COPY_FROM]
            driver.execute(_insert_text(table, names, "%s", len(some)), list(chain.from_iterable(some)))


_GUARDED = sa.select(sa.func.row_security_active(sa.bindparam("name", type_=sa.Text)))
"""PostgreSQL does not copy into a table of which a role has only its tenant's rows."""


@cache
def _insert_text(table: sa.Table, names: tuple[str, ...], mark: str, rows: int = 1) -> str:
    columns = ", ".join(f'"{name}"' for name in names)
    values = ", ".join([f"({', '.join([mark] * len(names))})"] * rows)
    return f"INSERT INTO {table.name} ({columns}) VALUES {values}"  # noqa: S608 -- our own names


def _bound(
    dialect: Dialect, table: sa.Table, names: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> Sequence[tuple[Any, ...]]:
    """The rows with their vectors as PostgreSQL's driver takes them; SQLite's takes the bytes that they are."""
    for place, kind in _vectors_among(table, names):
        bind, after = kind.process_bind_param, place + 1
        rows = [(*one[:place], bind(one[place], dialect), *one[after:]) for one in rows]
    return rows


@cache
def _vectors_among(table: sa.Table, names: tuple[str, ...]) -> list[tuple[int, Vector]]:
    """The places and types of those columns that hold vectors."""
    kinds = [table.columns[name].type for name in names]
    return [(place, kind) for place, kind in enumerate(kinds) if isinstance(kind, Vector)]


def _copy(
    driver: psycopg.Connection[Any], table: sa.Table, names: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    columns = ", ".join(f'"{name}"' for name in names)
    statement = f"COPY {table.name} ({columns}) FROM STDIN (FORMAT BINARY)"
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types([_postgres_type(table.columns[name].type) for name in names])
        for row in rows:
            copy.write_row(row)


def _postgres_type(kind: sa.types.TypeEngine[Any]) -> str:
    if isinstance(kind, Vector):
        return "vector"
    if isinstance(kind, sa.LargeBinary):
        return "bytea"
    if isinstance(kind, sa.BigInteger):
        return "int8"
    return "int4" if isinstance(kind, sa.Integer) else "text"
