"""What the journal tells of one record: every version it had."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage import reading
from genome_core.storage.moments import from_micros
from genome_core.storage.namespaces import in_scope
from genome_core.storage.schema import journal, namespaces
from genome_core.types import Record, Scope


@dataclass(frozen=True, slots=True)
class Version:
    """One entry of a record's history."""

    at: datetime
    """When it was recorded."""
    op: str
    """``add``, ``update``, ``delete``, ``expire`` or ``rollback``."""
    record: Record | None
    """The record as it was from then on; None where it ended, or where its content was erased."""


_VERSIONS = ("add", "update", "delete", "expire", "rollback")


def versions(connection: Connection, scope: Scope, id: str) -> list[Version]:
    """The history of the records with this id in the scope, oldest first."""
    query = (
        sa.select(journal.c.seq, journal.c.at, journal.c.op, journal.c.payload, namespaces.c.labels)
        .join(namespaces, namespaces.c.id == journal.c.namespace_id)
        .where(in_scope(scope), journal.c.id == id, journal.c.op.in_(_VERSIONS))
        .order_by(namespaces.c.path, journal.c.seq)
    )
    return [
        Version(from_micros(row.at), row.op, _record(id, row.labels, row.at, row.payload))
        for row in connection.execute(query)
    ]


def _record(id: str, labels: str, recorded_at: int, payload: str | None) -> Record | None:
    body = json.loads(payload) if payload else {}
    if "text" not in body:
        return None
    return reading.record_of({"updated_at": recorded_at, **body, "id": id, "labels": labels})
