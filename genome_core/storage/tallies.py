"""Counting the texts that records hold under a key."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Connection

from genome_core.storage import filters
from genome_core.storage.reading import Selection, narrowed
from genome_core.storage.schema import records


def tally(connection: Connection, selection: Selection, column: str, key: str) -> dict[str, int]:
    """How often each text stands under a key of a JSON column, alone or in a list: the most frequent first, then by text."""
    json_at = _on_postgres if connection.dialect.name == "postgresql" else _on_sqlite
    root = records.c[column]
    found = sa.case((filters.IsReadable(root), json_at(root, key))).label("found")
    equal: sa.Select[Any] = sa.select(found, sa.func.count()).select_from(records).group_by(found)
    counts: Counter[str] = Counter()
    # The database counts equal lists: mostly there are few.
    for text, count in connection.execute(narrowed(equal, connection, selection)):
        value = None if text is None else json.loads(text)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                counts[one] += count
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def _on_sqlite(root: sa.ColumnElement[Any], key: str) -> sa.ColumnElement[Any]:
    """The text or list under the key as JSON, else NULL. Kept small: SQLite parses once for each time it is asked."""
    if path := filters.sqlite_path([key]):
        kind: Any = sa.func.json_type(root, path)
        value: Any = sa.func.json_extract(root, path)
        return sa.case({"text": sa.func.json_quote(value), "array": value}, value=kind)
    entry = sa.func.json_each(root).table_valued("key", "type", "value", joins_implicitly=True)
    found = sa.case({"text": sa.func.json_quote(entry.c.value), "array": entry.c.value}, value=entry.c.type)
    return sa.select(found).select_from(entry).where(entry.c.key == key).scalar_subquery()


def _on_postgres(root: sa.ColumnElement[Any], key: str) -> sa.ColumnElement[Any]:
    return sa.cast(sa.cast(root, JSONB).op("->")(sa.cast(key, sa.Text)), sa.Text)
