"""Lists of values in SQL that may be long: a statement takes 65,535 parameters in PostgreSQL, and in SQLite fewer still."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from genome_core.storage.json_text import json_text


def one_of(column: sa.ColumnElement[Any], values: Collection[Any]) -> sa.ColumnElement[bool]:
    """The WHERE clause for a column that holds one of the values (numbers, texts or bytes), however many they are."""
    return _InList(column, sa.bindparam(None, list(values), type_=_list_for(column), unique=True))


def listed(column: sa.ColumnElement[Any], name: str) -> sa.ColumnElement[bool]:
    """The same with a parameter of this name, for a statement that is prepared once; ``as_list`` makes its value."""
    return _InList(column, sa.bindparam(name, type_=_list_for(column)))


def as_list(values: Collection[Any], dialect: str) -> Any:
    """Many values as one parameter: a list for an array on PostgreSQL, and JSON in SQLite, which has no arrays."""
    if dialect == "postgresql":
        return list(values)
    return json_text([one.hex() if isinstance(one, bytes) else one for one in values])


def install(connection: sqlite3.Connection) -> None:
    """Teaches a connection of SQLite to read bytes in a list; its own ``unhex`` came with 3.41."""
    connection.create_function("genome_unhex", 1, bytes.fromhex, deterministic=True)


def _list_for(column: sa.ColumnElement[Any]) -> _List:
    kinds: tuple[type[sa.types.TypeEngine[Any]], ...] = (sa.Text, sa.LargeBinary)
    return _List(next((kind for kind in kinds if isinstance(column.type, kind)), sa.BigInteger))


def in_list(column: str, values: str, dialect: str) -> str:
    """The same as text, of a column of whole numbers or texts and of a parameter that ``as_list`` made."""
    if dialect == "postgresql":
        return f"({column} = ANY ({values}))"
    return f"({column} IN (SELECT value FROM json_each({values})))"  # noqa: S608 -- both are the caller's own


class _List(sa.types.TypeDecorator[Any]):
    """One parameter that holds many values."""

    impl = sa.Text
    cache_ok = True

    def __init__(self, kind: type[sa.types.TypeEngine[Any]]) -> None:
        super().__init__()
        self.kind = kind

    def load_dialect_impl(self, dialect: Dialect) -> sa.types.TypeEngine[Any]:
        array = postgresql.ARRAY(self.kind)
        return dialect.type_descriptor(array if dialect.name == "postgresql" else sa.Text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return as_list(value, dialect.name)


class _InList(FunctionElement[bool]):
    type = sa.Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Self:
        """As it stands: SQLAlchemy would write ``... = 1`` for SQLite, which then uses no index."""
        return self


@compiles(_InList, "postgresql")
def _on_postgres(element: _InList, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(part, **options) for part in element.clauses)
    return in_list(column, values, "postgresql")


@compiles(_InList, "sqlite")
def _on_sqlite(element: _InList, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(part, **options) for part in element.clauses)
    value = "genome_unhex(value)" if isinstance(element.clauses.clauses[0].type, sa.LargeBinary) else "value"
    return f"({column} IN (SELECT {value} FROM json_each({values})))"  # noqa: S608 -- column and values are compiled
