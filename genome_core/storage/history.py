"""What the journal tells of one record: every version it had."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage import pseudonyms, reading
from genome_core.storage.journal import seqs_in
from genome_core.storage.lists import one_of
from genome_core.storage.moments import from_micros
from genome_core.storage.namespaces import in_scope, labels_json, of_scope
from genome_core.storage.pseudonyms import Pseudonyms
from genome_core.storage.schema import BY_ID, journal, namespaces, records
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
    known = pseudonyms.known(connection, key)
    entries = sa.select(journal, namespaces.c.labels, namespaces.c.path)
    entries = entries.join(namespaces, namespaces.c.id == journal.c.namespace_id)
    rows = entries_about(connection, entries.where(in_scope(scope)), scope, [id])
    for names in known:
        erased = entries.where(_erased_too(scope, names), journal.c.id == names.of(id), journal.c.salt.is_(None))
        rows += connection.execute(erased.where(BY_ID)).all()
    rows = sorted((row for row in rows if row.op in _VERSIONS), key=lambda row: (row.path, row.seq))
    found = [(row, _record(row.id, row.labels, row.at, row.payload)) for row in rows]
    told = _of_origins(found, scope)
    steps = [
        _Step(row.labels, row.tenant, row.seq, Version(from_micros(row.at), row.op, record)) for row, record in told
    ]
    rows = [row for row, _ in told]
    if any(row.salt is None for row in rows):
        steps = _in_order(steps + _erasures(connection, rows), known)
    return [step.version for step in steps]


def entries_about(connection: Connection, query: sa.Select[Any], scope: Scope, ids: Sequence[str]) -> list[Any]:
    """The rows that a query over the journal selects in a scope, those about one of the ids; it must select ``id`` and ``key``.

    The entry of a new record stands in no index over ids: it is found by the key that the record has, or that another entry names.
    """
    here = query.where(one_of(journal.c.id, ids))
    found = list(connection.execute(here.where(BY_ID)))
    live = sa.select(records.c.key).where(one_of(records.c.id, ids), of_scope(records, scope, connection.dialect.name))
    if connection.dialect.name == "sqlite":
        live = live.where(records.c.tenant == 0)  # the first column of the index over ids
    keys = {row.key for row in found if row.key is not None} | set(connection.scalars(live))
    new = here.where(sa.not_(BY_ID), one_of(journal.c.key, keys))
    return [*found, *connection.execute(new)]


class _Step(NamedTuple):
    labels: str
    tenant: int
    seq: int
    version: Version


def _in_order(steps: Sequence[_Step], known: Sequence[Pseudonyms]) -> list[_Step]:
    """Namespace by namespace, what was erased in one before what is there now."""
    all_labels = {step.labels for step in steps}
    own = {labels_json(names.namespace(tuple(json.loads(one)))): one for one in all_labels for names in known}
    # Only in a journal that was replayed from SQLite into PostgreSQL are they in several chains.
    several = len({step.tenant for step in steps}) > 1
    return sorted(
        steps, key=lambda step: (own.get(step.labels, step.labels), step.version.at if several else 0, step.seq)
    )


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


def _erasures(connection: Connection, rows: Sequence[Any]) -> list[_Step]:
    """When what the rows told was erased, in each namespace."""
    found = []
    for told in told_erasures(connection):
        gone = set(seqs_in(json.loads(told.payload)["ranges"]))
        places = sorted({row.labels for row in rows if row.tenant == told.tenant and row.seq in gone})
        version = Version(from_micros(told.at), "erase", None)
        found += [_Step(labels, told.tenant, told.seq, version) for labels in places]
    return found


def told_erasures(connection: Connection) -> Sequence[Any]:
    """The journal's entries about erasures, in order of time."""
    root = sa.select(namespaces.c.id).where(namespaces.c.path == "").scalar_subquery()
    query = sa.select(journal).where(journal.c.namespace_id == root, journal.c.op == "erase")
    return connection.execute(query.order_by(journal.c.at, journal.c.id, journal.c.tenant)).all()


def _erased_too(scope: Scope, names: Pseudonyms) -> sa.ColumnElement[bool]:
    """Namespaces of the scope: those that are there, and those whose labels were erased."""
    return sa.or_(in_scope(scope), in_scope(names.scope(scope)))


def _record(id: str, labels: str, recorded_at: int, payload: str | None) -> Record | None:
    body = json.loads(payload) if payload else {}
    if "text" not in body:
        return None
    return reading.record_of({"updated_at": recorded_at, "believer": "", **body, "id": id, "labels": labels})
