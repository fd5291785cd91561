"""Takes over a SQLite file of the package ``genome-memory`` (1.2)."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from genome_core.errors import InvalidInput
from genome_core.facts.attributes import AttributeTable
from genome_core.importing.moving import Imported, Item, sqlite_file, store, whose
from genome_core.scopes import WriteScope
from genome_core.trust import TrustPolicy
from genome_core.types import Fact, Precision, Record, TimeSpan

if TYPE_CHECKING:
    from genome_core.memory import Memory

_ENTITY, _FACT = "entity", "entity_fact"


def import_genome_memory(path: str | os.PathLike[str], memory: Memory, **otherwise: Unpack[WriteScope]) -> Imported:
    """Copies memories and facts with their ids, scopes and times; returns how much was taken and what was left out.

    A fact keeps its window, confidence, believer and source; the name of its entity becomes the subject, ``location`` and
    the like the attribute that is called so here. Provenance becomes ``origin``. What was synthesised from other memories
    becomes a document, which says so in its metadata and is trusted no more than what it was made of. A fact is trusted as
    its source is. Edges between memories, and entities themselves, have no place here.

    The scope says whose those memories become that had neither user nor agent. The file is only read.
    Raises ``NotFound``, ``NotADatabase``, ``InvalidScope`` or ``InvalidInput``, before anything is written.
    """
    with sqlite_file(Path(path), ["memories"], "a file of genome-memory") as source:
        rows = [_Row(row) for row in source.execute("SELECT * FROM memories ORDER BY created_at, rowid")]
        edges = source.execute("SELECT count(*) FROM edges").fetchone()[0]
    names = {row.id: row.content for row in rows if row.operator == _ENTITY}
    origins = _origins(rows, memory.trust)
    items = {
        row.id: Item(row.record(origins[row.id], otherwise)) for row in rows if row.operator not in (_ENTITY, _FACT)
    }
    alone: list[Fact] = []
    known = [row for row in rows if row.operator == _FACT]
    for row in known:
        source_item = items.get(row.metadata.get("source_memory_id") or "")
        fact = row.fact(names, source_item, otherwise)
        if source_item is None:
            alone.append(fact)
        else:
            items[source_item.record.id] = replace(source_item, facts=(*source_item.facts, fact))
    store(memory, list(items.values()), alone)
    return Imported(len(items), len(known), {"edges": edges, "entities": len(names)})


def _origins(rows: Sequence[_Row], trust: TrustPolicy) -> dict[str, str]:
    """Where each memory comes from, oldest first: what was synthesised, from the least trusted of what it was made of."""
    origins: dict[str, str] = {}
    for row in rows:
        parents = [origins[parent] for parent in row.parents if parent in origins]
        origins[row.id] = trust.lowest([row.origin, *parents])
    return origins


class _Row:
    """A row of the table ``memories``; raises ``InvalidInput`` for one that can not be read."""

    def __init__(self, row: sqlite3.Row) -> None:
        self.id: str = row["id"]
        self.content: str = row["content"]
        self.operator: str | None = row["operator"]
        try:
            self.scope: Mapping[str, Any] = {"user_id": row["user_id"], "agent_id": row["agent_id"]}
            self.metadata: dict[str, Any] = json.loads(row["metadata"])
            self.parents: list[str] = json.loads(row["parents"])
            self.created_at = _moment(row["created_at"])
            provenance = self.metadata.pop("_provenance", None) or {}
            self.origin: str = "agent" if self.operator else provenance.get("source", "user")
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            raise InvalidInput(f"memory {self.id!r} can not be read: {error}", hint="nothing was written") from error

    def record(self, origin: str, otherwise: WriteScope) -> Record:
        made = {"operator": self.operator, "parents": self.parents} if self.operator else {}
        return Record(
            text=self.content,
            id=self.id,
            namespace=whose(self.scope, otherwise, f"memory {self.id!r}"),
            role="document" if self.operator else "user",
            metadata=self.metadata | made,
            origin=origin,
            at=self.created_at,
            created_at=self.created_at,
            updated_at=self.created_at,
            version=1,
        )

    def fact(self, names: Mapping[str, str], source: Item | None, otherwise: WriteScope) -> Fact:
        known = self.metadata
        try:
            return Fact(
                subject=names[known["entity_id"]],
                attribute=AttributeTable().canonical(known["fact_type"].replace("_", " ")),
                value=known["value"],
                valid_from=_instant(known["valid_from"]),
                valid_to=None if known.get("valid_until") is None else _instant(known["valid_until"]),
                at=source.record.at if source and source.record.at else self.created_at,
                recorded_at=self.created_at,
                certainty=float(known.get("confidence", 1.0)),
                believer=known.get("believed_by") or "",
                source=source.record.id if source else None,
                extractor="genome-memory" if source else "",
                origin=source.record.origin if source else "user",
                namespace=whose(self.scope, otherwise, f"fact {self.id!r}"),
            )
        except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise InvalidInput(f"fact {self.id!r} can not be read: {error!r}", hint="nothing was written") from error


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _instant(seconds: float) -> TimeSpan:
    moment = _moment(seconds)
    return TimeSpan(moment, moment, Precision.INSTANT)
