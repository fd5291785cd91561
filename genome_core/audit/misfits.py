"""Values that are not of their column's type. SQLite keeps whatever it is given; a byte on the disk can make no text of a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.errors import IntegrityError
from genome_core.storage.schema import SCHEMA

_STORED_AS: Mapping[type[Any], tuple[str, ...]] = {int: ("integer",), str: ("text",), bool: ("integer",)}


def refuse(connection: Connection) -> None:
    """Raises ``IntegrityError`` naming the first row of SQLite's tables that holds a value of another type."""
    if connection.dialect.name != "sqlite":
        return
    for table in SCHEMA.tables.sorted_tables:
        wrong = {column.name: _is_misfit(column) for column in table.columns}
        query = sa.select(*table.primary_key.columns, *(test.label(f"{name}?") for name, test in wrong.items()))
        found = connection.execute(query.where(sa.or_(*wrong.values())).limit(1)).mappings().first()
        if found:
            raise _fault(table, found, next(name for name in wrong if found[f"{name}?"]))


def undecodable(connection: Connection) -> IntegrityError | None:
    """The fault of the first text in SQLite's tables that is no UTF-8."""
    for table in SCHEMA.tables.sorted_tables:
        for column in _texts(table):
            keys = [sa.cast(key, sa.LargeBinary).label(key.name) for key in table.primary_key.columns]
            query = sa.select(*keys, sa.cast(column, sa.LargeBinary).label("?")).where(column.is_not(None))
            for row in connection.execute(query).mappings():
                if not _is_utf8(row["?"]):
                    return _fault(table, row, column.name)
    return None


def _texts(table: sa.Table) -> Iterator[sa.Column[Any]]:
    return (column for column in table.columns if _stored_as(column) == ("text",))


def _stored_as(column: sa.Column[Any]) -> tuple[str, ...]:
    try:
        return _STORED_AS.get(column.type.python_type, ("blob",))
    except NotImplementedError:  # a vector
        return ("blob",)


def _is_misfit(column: sa.Column[Any]) -> sa.ColumnElement[bool]:
    allowed = _stored_as(column) + (("null",) if column.nullable else ())
    return sa.func.typeof(column).not_in(allowed)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _fault(table: sa.Table, row: Mapping[Any, Any], column: str) -> IntegrityError:
    keys = {key.name: row[key.name] for key in table.primary_key.columns}
    shown = ", ".join(
        f"{name} {value.decode(errors='replace') if isinstance(value, bytes) else value}"
        for name, value in keys.items()
    )
    return IntegrityError(f"the row of {table.name} with {shown} was edited: its {column} is not of its type")
