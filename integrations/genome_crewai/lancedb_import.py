"""Takes over what CrewAI's own memory stored in a folder of LanceDB."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from crewai.memory.types import MemoryRecord

from genome_core import Record
from genome_core.errors import InvalidInput, MissingDependency
from genome_core.importing.moving import Item, store
from genome_crewai.memory import GenomeMemory
from genome_crewai.records import to_record
from genome_crewai.storage import ORIGIN, GenomeStorage


def import_lancedb(
    folder: str | os.PathLike[str], into: GenomeMemory | GenomeStorage, *, table: str = "memories"
) -> int:
    """Copies every record with its id, scope, times and metadata; returns how many. Importing again changes nothing.

    A ``GenomeMemory`` embeds the texts anew and reads the facts in them, as known since CrewAI stored them. A ``GenomeStorage``
    that CrewAI fills keeps their vectors. ``folder`` is by default ``$CREWAI_STORAGE_DIR/memory``; it is only read, and all of
    it is read before anything is written.

    Raises ``InvalidInput`` where there is no such table or a record can not be read, ``MissingDependency`` without lancedb.
    """
    found = [_record(row) for row in _rows(folder, table)]
    if isinstance(into, GenomeStorage):
        into.save(found)
    else:
        store(into.engine, [Item(_stored(to_record(record, into.namespace, origin=ORIGIN))) for record in found])
    return len(found)


def _stored(record: Record) -> Record:
    """The record as it was stored when it was said: CrewAI knows one time for both."""
    return replace(record, created_at=record.at, updated_at=record.at, version=1)


def _rows(folder: str | os.PathLike[str], table: str) -> list[dict[str, Any]]:
    try:
        import lancedb
    except ImportError as error:
        raise MissingDependency("reading the folder needs lancedb", hint="pip install lancedb") from error
    if not (Path(folder) / f"{table}.lance").is_dir():
        raise InvalidInput(f"{folder} has no LanceDB table {table!r}", hint="give the folder that holds memories.lance")
    rows: list[dict[str, Any]] = lancedb.connect(str(folder)).open_table(table).to_arrow().to_pylist()
    return rows


def _record(row: dict[str, Any]) -> MemoryRecord:
    try:
        return _memory_record(row)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"record {row.get('id')!r} can not be read: {error!r}", hint="nothing was written"
        ) from error


def _memory_record(row: dict[str, Any]) -> MemoryRecord:
    return MemoryRecord(
        id=row["id"],
        content=row["content"],
        scope=row["scope"],
        categories=json.loads(row["categories_str"] or "[]"),
        metadata=json.loads(row["metadata_str"] or "{}"),
        importance=row["importance"],
        created_at=datetime.fromisoformat(row["created_at"]),
        last_accessed=datetime.fromisoformat(row["last_accessed"]),
        source=row["source"] or None,
        private=row["private"],
        embedding=row["vector"],
    )
