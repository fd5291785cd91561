"""Rows on which everything else rests, looked at before they are used: SQLite keeps a value of any type in any column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from genome_core.errors import IntegrityError


def check_intact(table: sa.Table, row: Mapping[str, Any]) -> None:
    """Raises ``IntegrityError`` for a value of a row that is not of its column's type."""
    for name, value in row.items():
        column = table.c[name]
        if not isinstance(value, column.type.python_type) and not (column.nullable and value is None):
            raise IntegrityError(f"{table.name} was edited: its {name} is not of its type")
