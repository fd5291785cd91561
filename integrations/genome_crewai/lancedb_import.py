"""Takes over what CrewAI's own memory stored in a folder of LanceDB."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from crewai.memory.types import MemoryRecord

from genome_core.errors import InvalidInput, MissingDependency
from genome_crewai.memory import GenomeMemory
from genome_crewai.records import to_record
from genome_crewai.storage import GenomeStorage

_BATCH = 500


def import_lancedb(
    folder: str | os.PathLike[str], into: GenomeMemory | GenomeStorage, *, table: str = "memories"
) -> int:
    """Copies every record with its id, scope, times and metadata; returns how many. Importing again changes nothing.

    A ``GenomeMemory`` embeds the texts anew and reads the facts in them. A ``GenomeStorage`` that CrewAI fills keeps their
    vectors. ``folder`` is by default ``$CREWAI_STORAGE_DIR/memory``; it is only read.

    Raises ``InvalidInput`` where there is no such table, ``MissingDependency`` without lancedb.
    """
    count = 0
    for batch in _batches(folder, table):
        if isinstance(into, GenomeStorage):
            into.save(batch)
        else:
            into.engine.add([to_record(record, into.namespace) for record in batch])
        count += len(batch)
    return count


def _batches(folder: str | os.PathLike[str], table: str) -> Iterator[list[MemoryRecord]]:
    try:
        import lancedb
    except ImportError as error:
        raise MissingDependency("reading the folder needs lancedb", hint="pip install lancedb") from error
    if not (Path(folder) / f"{table}.lance").is_dir():
        raise InvalidInput(f"{folder} has no LanceDB table {table!r}", hint="give the folder that holds memories.lance")
    rows = lancedb.connect(str(folder)).open_table(table)
    for batch in rows.to_arrow().to_batches(max_chunksize=_BATCH):
        yield [_record(row) for row in batch.to_pylist()]


def _record(row: dict[str, Any]) -> MemoryRecord:
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
