"""Statements compiled once: for those so short that SQLAlchemy's work on them would take longer than running them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Dialect

from genome_core.errors import StorageError
from genome_core.storage.database import Database
from genome_core.storage.engines import driver_of


class Prepared:
    """A statement with named parameters. Neither they nor the columns that it selects are converted."""

    def __init__(self, statement: sa.Select[Any] | sa.CompoundSelect[Any] | sa.Update) -> None:
        self._statement = statement
        self._names = [column.name for column in getattr(statement, "selected_columns", ())]
        self._texts: dict[str, str] = {}

    def rows(self, where: Connection | Database, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What the statement finds, in a transaction or just now, as dicts by column."""
        return [dict(zip(self._names, row, strict=True)) for row in self.tuples(where, parameters)]

    def tuples(self, where: Connection | Database, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """The same without the names, for short statements that are run often."""
        if isinstance(where, Connection):
            return list(self.run(where, parameters))
        try:
            with where.driver() as connection:
                return list(connection.execute(self._text(where.engine.dialect), parameters))
        except StorageError:
            if not where.is_postgres:
                raise
        with where.read() as pooled:  # the pool knows when a server was restarted; a kept connection does not
            return list(self.run(pooled, parameters))

    def run(self, connection: Connection, parameters: Mapping[str, Any]) -> Any:
        """Runs it in a transaction; returns the driver's cursor."""
        return driver_of(connection).execute(self._text(connection.dialect), parameters)

    def _text(self, dialect: Dialect) -> str:
        return self._texts.get(dialect.name) or self._compile(dialect)

    def _compile(self, dialect: Dialect) -> str:
        kind: Any = type(dialect)
        named = kind(paramstyle="pyformat" if dialect.name == "postgresql" else "named")
        text = self._texts[dialect.name] = str(self._statement.compile(dialect=named))
        return text
