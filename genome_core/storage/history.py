"""What the journal tells of one record: every version it had."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage import pseudonyms, reading
from genome_core.storage.moments import from_micros
from genome_core.storage.namespaces import in_scope
from genome_core.storage.pseudonyms import Pseudonyms
from genome_core.storage.schema import journal, namespaces
from genome_core.storage.signing import JournalKey
from genome_core.types import Record, Scope


@dataclass(frozen=True, slots=True)
class Version:
    """One entry of a record's history."""

    at: datetime
    """When it was recorded."""
    op: str
    """``add``, ``update``, ``delete``, ``expire``, ``rollback``, or ``erase`` for when what was before was erased."""
    record: Record | None
    """The record as it was from then on; None where it ended, or where its content was erased."""


_VERSIONS = ("add", "update", "delete", "expire", "rollback")


def versions(connection: Connection, scope: Scope, id: str, key: JournalKey | None = None) -> list[Version]:
    """The history of the records with this id in the scope, oldest first; what was erased is found by its pseudonym.

    No version of an origin that the scope leaves out is told. ``key`` is the journal's: without it, what was erased under it is not found.
    """
    places = sa.and_(in_scope(scope), journal.c.id == id)
    for names in pseudonyms.known(connection, key):
        places = sa.or_(places, sa.and_(_erased_too(scope, names), journal.c.id == names.of(id)))
    query = (
        sa.select(journal, namespaces.c.labels)
        .join(namespaces, namespaces.c.id == journal.c.namespace_id)
        .where(places, journal.c.op.in_(_VERSIONS))
        .order_by(namespaces.c.path, journal.c.seq)
    )
    found = [(row, _record(row.id, row.labels, row.at, row.payload)) for row in connection.execute(query)]
    told = _of_origins(found, scope)
    steps = [(row.labels, row.seq, Version(from_micros(row.at), row.op, record)) for row, record in told]
    rows = [row for row, _ in told]
    if any(row.salt is None for row in rows):
        steps = sorted(steps + _erasures(connection, rows), key=lambda step: step[:2])
    return [version for _, _, version in steps]


def _of_origins(found: Sequence[tuple[Any, Record | None]], scope: Scope) -> Sequence[tuple[Any, Record | None]]:
    """The entries without those about a record while its origin is one that the scope leaves out."""
    if scope.origins is None:
        return found
    told = []
    hidden: set[str] = set()
    """The namespaces whose record is left out at this point of the history."""
    for row, record in found:
        if record is not None:
            (hidden.discard if scope.origins.admit(record.origin) else hidden.add)(row.labels)
        if row.labels not in hidden:
            told.append((row, record))
        if row.op in ("delete", "expire"):
            hidden.discard(row.labels)
    return told


def _erasures(connection: Connection, rows: Sequence[Any]) -> list[tuple[str, int, Version]]:
    """When what the rows told was erased, in each namespace."""
    found = []
    for told in told_erasures(connection):
        gone = set(erased_entries(json.loads(told.payload)))
        places = sorted({row.labels for row in rows if row.tenant == told.tenant and row.seq in gone})
        found += [(labels, told.seq, Version(from_micros(told.at), "erase", None)) for labels in places]
    return found


def told_erasures(connection: Connection) -> Sequence[Any]:
    """The journal's entries about erasures, in order of time."""
    root = sa.select(namespaces.c.id).where(namespaces.c.path == "").scalar_subquery()
    query = sa.select(journal).where(journal.c.namespace_id == root, journal.c.op == "erase")
    return connection.execute(query.order_by(journal.c.at, journal.c.id, journal.c.tenant)).all()


def erased_entries(payload: Mapping[str, Any]) -> Iterator[int]:
    """The ``seq`` of the entries that an erasure emptied, from its own entry's payload."""
    for first, final in payload["ranges"]:
        yield from range(first, final + 1)


def _erased_too(scope: Scope, names: Pseudonyms) -> sa.ColumnElement[bool]:
    """Namespaces of the scope: those that are there, and those whose labels were erased."""
    return sa.or_(in_scope(scope), in_scope(names.scope(scope)))


def _record(id: str, labels: str, recorded_at: int, payload: str | None) -> Record | None:
    body = json.loads(payload) if payload else {}
    if "text" not in body:
        return None
    return reading.record_of({"updated_at": recorded_at, **body, "id": id, "labels": labels})
