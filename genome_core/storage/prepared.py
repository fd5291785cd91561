"""Statements compiled once: for reads so short that putting them together would take longer than running them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from genome_core.storage.database import Database


class Prepared:
    """A SELECT with named parameters, of columns that need no conversion, whose rows are dicts by column."""

    def __init__(self, statement: sa.Select[Any]) -> None:
        self._statement = statement
        self._names = [column.name for column in statement.selected_columns]
        self._texts: dict[str, str] = {}

    def rows(self, database: Database, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What the statement finds, in one snapshot."""
        text = self._texts.get(database.dialect) or self._compile(database)
        with database.driver() as connection:
            return [dict(zip(self._names, row, strict=True)) for row in connection.execute(text, parameters)]

    def _compile(self, database: Database) -> str:
        dialect: Any = type(database.engine.dialect)
        named = dialect(paramstyle="pyformat" if database.is_postgres else "named")
        text = self._texts[database.dialect] = str(self._statement.compile(dialect=named))
        return text
