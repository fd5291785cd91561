"""Where a secret is still found in a store."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from genome_core import Memory


def traces(memory: Memory, secret: str) -> list[str]:
    """The tables whose rows hold the secret in any spelling of its case, and SQLite's files whose bytes do."""
    wanted = secret.lower()
    found = []
    with memory.database.read() as connection:
        for table in sorted(sa.inspect(connection).get_table_names()):
            for row in connection.execute(sa.text(f'SELECT * FROM "{table}"')):
                found += [table for value in row if wanted in _readable(value)]
    return found + [file.name for file in database_files(memory) if wanted.encode() in file.read_bytes().lower()]


def database_files(memory: Memory) -> list[Path]:
    """SQLite's file with its log; none for a store in memory and on PostgreSQL."""
    name = memory.database.engine.url.database
    if memory.database.is_postgres or memory.database.in_memory or not name:
        return []
    return [file for file in Path(name).parent.iterdir() if file.name.startswith(Path(name).name)]


def _readable(value: object) -> str:
    return bytes(value).decode("latin-1").lower() if isinstance(value, bytes | memoryview) else str(value).lower()
