"""Rows on which everything else rests, looked at before they are used: SQLite keeps a value of any type in any column."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sqlalchemy as sa

from genome_core.errors import IntegrityError


def check_intact(table: sa.Table, row: Mapping[str, Any]) -> None:
    """Raises ``IntegrityError`` for a value of a row that is not of its column's type."""
    kinds = _kinds(table)
    for name, value in row.items():
        if not isinstance(value, kinds[name]):
            raise IntegrityError(f"{table.name} was edited: its {name} is not of its type")


@cache
def _kinds(table: sa.Table) -> dict[str, tuple[type, ...]]:
    """What a column of each name may hold."""
    return {
        column.name: (column.type.python_type, type(None)) if column.nullable else (column.type.python_type,)
        for column in table.c
    }
