"""Dropping the content of old versions, without losing what the journal must say of the present."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.audit import tables
from genome_core.audit.fold import snapshot_of
from genome_core.storage import rules
from genome_core.storage.journal import JournalWriter, ranges_of
from genome_core.storage.namespaces import NamespaceTable, Place
from genome_core.storage.schema import facts, journal, namespaces, records, tenant_of_key
from genome_core.storage.signing import JournalKey, check_key, keep_writers_out

_VERSIONS = ("add", "update", "rollback")
_CHUNK = 500


def forget_versions(connection: Connection, keep: int, key: JournalKey | None, now: int) -> int:
    """Empties the journal's payloads of all but the newest ``keep`` versions of each record, and of all that are deleted.

    Returns how many. What is under legal hold stays whole. The entries and their digests stay, so the chains still verify.
    What the emptied entries told of the present (facts read in an older version, say) is told anew by entries of the kind
    ``compact``, so that the store can still be replayed, and compared with its journal. An entry ``forget`` tells which
    were emptied.
    """
    check_key(connection, key)
    keep_writers_out(connection)
    held = set(rules.held_namespaces(connection))
    old = [row for row in connection.execute(_old(keep)) if row.namespace_id not in held]
    if not old:
        return 0
    places = {row.id: Place(row.id, row.tenant, row.labels) for row in connection.execute(sa.select(namespaces))}
    writer = JournalWriter(connection, {row.tenant for row in old}, now, key)
    keys = sorted({row.key for row in old})
    _tell_again(connection, writer, places, keys)
    _tell_loose_again(connection, writer, places, keys)
    _tell_forgotten(connection, writer, old)
    writer.flush()
    _empty(connection, [(row.tenant, row.seq) for row in old])
    return sum(row.op in _VERSIONS for row in old)


def _tell_forgotten(connection: Connection, writer: JournalWriter, rows: Sequence[Any]) -> None:
    root = NamespaceTable(connection.dialect.name).ensure(connection, [()])[()]
    for tenant in sorted({row.tenant for row in rows}):
        body = {"ranges": ranges_of(row.seq for row in rows if row.tenant == tenant)}
        writer.append("forget", tenant=tenant, namespace_id=root.id, labels=root.labels, id="", payload=body)


def _old(keep: int) -> sa.Select[Any]:
    age = sa.func.row_number().over(partition_by=[journal.c.tenant, journal.c.key], order_by=journal.c.seq.desc())
    versions = (
        sa.select(
            journal.c.tenant,
            journal.c.seq,
            journal.c.key,
            journal.c.op,
            journal.c.payload,
            journal.c.namespace_id,
            age.label("age"),
        )
        .where(journal.c.op.in_(_VERSIONS), journal.c.key.is_not(None))
        .subquery()
    )
    told = journal.alias()
    too_old = sa.select(
        versions.c.tenant, versions.c.seq, versions.c.key, versions.c.op, versions.c.namespace_id
    ).where(sa.or_(versions.c.age > keep, ~_alive(versions)), versions.c.payload.is_not(None))
    affected = sa.select(too_old.subquery().c.key)
    told_before = sa.select(told.c.tenant, told.c.seq, told.c.key, told.c.op, told.c.namespace_id).where(
        told.c.op == "compact",
        told.c.key.is_not(None),
        told.c.payload.is_not(None),
        sa.or_(~_alive(told), told.c.key.in_(affected)),
    )
    both = sa.union_all(too_old, told_before).subquery()
    return sa.select(both).order_by(both.c.tenant, both.c.seq)


def _alive(table: Any) -> sa.ColumnElement[bool]:
    return sa.exists(sa.select(records.c.key).where(records.c.tenant == table.c.tenant, records.c.key == table.c.key))


def _tell_again(connection: Connection, writer: JournalWriter, places: dict[int, Place], keys: Sequence[int]) -> None:
    for found in tables.live_among(connection, keys):
        if found.row is None:
            continue
        place = places[found.row["namespace_id"]]
        own = writer.next_key(place.tenant)
        body = {"passages": [digest for _, _, digest in found.passages], "facts": snapshot_of(found.facts)}
        _append(writer, place, found.row["id"], found.key, body)
        rekey_facts(connection, found.facts, own)


def _tell_loose_again(
    connection: Connection, writer: JournalWriter, places: dict[int, Place], keys: Sequence[int]
) -> None:
    """For the namespaces in which an emptied record left facts behind: all their facts that have no record."""
    affected: set[int] = set()
    for start in range(0, len(keys), _CHUNK):
        affected |= set(connection.scalars(_KEPT_FACTS, {"keys": keys[start : start + _CHUNK]}))
    for namespace_id in sorted(affected):
        place = places[namespace_id]
        rows = [row for row in tables.loose_facts(connection, place.tenant) if row["namespace_id"] == namespace_id]
        tell_loose(connection, writer, place, rows)


def tell_loose(connection: Connection, writer: JournalWriter, place: Place, rows: Sequence[dict[str, Any]]) -> None:
    """One entry that tells of all facts of a namespace that have no record."""
    key = writer.next_key(place.tenant)
    _append(writer, place, "", None, {"facts": snapshot_of(rows)})
    rekey_facts(connection, rows, key)


def _append(writer: JournalWriter, place: Place, id: str, key: int | None, body: Any) -> None:
    writer.append(
        "compact", tenant=place.tenant, namespace_id=place.id, labels=place.labels, id=id, key=key, payload=body
    )


def rekey_facts(connection: Connection, rows: Sequence[dict[str, Any]], key: int) -> None:
    """Puts facts under the entry that tells of them now."""
    if not rows:
        return
    tenant = tenant_of_key(key)
    old = [{"of": tenant, "key_": row["key"], "part_": row["part"]} for row in rows]
    connection.execute(_DELETE_FACT, old)
    connection.execute(sa.insert(facts), [{**row, "key": key, "part": part} for part, row in enumerate(rows)])


def _empty(connection: Connection, entries: Sequence[tuple[int, int]]) -> None:
    for start in range(0, len(entries), _CHUNK):
        batch = [{"of": tenant, "at_": seq} for tenant, seq in entries[start : start + _CHUNK]]
        connection.execute(_EMPTY, batch)


_KEPT_FACTS = (
    sa.select(journal.c.namespace_id)
    .distinct()
    .where(
        journal.c.op.in_(("delete", "expire")),
        journal.c.payload.contains("keep_facts"),
        journal.c.key.in_(sa.bindparam("keys", expanding=True)),
    )
)
_DELETE_FACT = sa.delete(facts).where(
    facts.c.tenant == sa.bindparam("of"), facts.c.key == sa.bindparam("key_"), facts.c.part == sa.bindparam("part_")
)
_EMPTY = (
    sa.update(journal)
    .where(journal.c.tenant == sa.bindparam("of"), journal.c.seq == sa.bindparam("at_"))
    .values(payload=None)
)
