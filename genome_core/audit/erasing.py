"""Erasing for good, in one transaction: rows go, and of the journal's entries only what tells nothing stays.

An erased entry keeps its time, operation, digests and hash, so that the chain verifies. It loses payload and salt, and its
id and the labels of its namespace become pseudonyms. One entry per chain tells that it was done: when, why, how much, to
which entries, and a digest of what stays of them.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.audit.compacting import tell_loose
from genome_core.audit.tables import loose_facts
from genome_core.storage import pseudonyms, rules
from genome_core.storage.database import Schema
from genome_core.storage.history import entries_about, told_erasures
from genome_core.storage.journal import (
    ABOUT_THE_STORE,
    JournalWriter,
    Ranges,
    digest_of_erased,
    ranges_of,
    what_stays,
)
from genome_core.storage.json_text import canonical
from genome_core.storage.lists import one_of
from genome_core.storage.namespaces import NamespaceTable, Place, find_place, in_scope, insert_place
from genome_core.storage.pseudonyms import Pseudonyms
from genome_core.storage.reading import chunks
from genome_core.storage.schema import (
    chains,
    facts,
    journal,
    key_of,
    namespace_labels,
    namespaces,
    passages,
    records,
)
from genome_core.storage.signing import JournalKey
from genome_core.types import Namespace, Scope

Condition = sa.ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class ErasedChain:
    """What an erasure did to one chain of the journal."""

    chain: int
    seq: int
    """The entry that tells of the erasure."""
    hash: str
    """The hash of that entry, in hexadecimal."""
    entries: Ranges
    """The entries that were emptied."""
    digest: str
    """SHA-256 over what stays of the emptied entries, in hexadecimal: those entries and no others."""


@dataclass(slots=True)
class Erasure:
    """What was erased, as the journal tells it."""

    id: str
    at: int
    reason: str
    counts: dict[str, int]
    chains: list[ErasedChain] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Target:
    """What is to go: a whole scope, or the things in it that have one of the ids."""

    scope: Scope
    ids: tuple[str, ...] | None = None

    def to_json(self) -> list[Any]:
        return [rules.scope_json(self.scope), None if self.ids is None else sorted(self.ids)]


@dataclass(slots=True)
class _Found:
    """The journal's entries about what goes."""

    rows: dict[tuple[int, int], Any] = field(default_factory=dict)
    """By tenant and ``seq``."""
    keys: dict[int, set[int]] = field(default_factory=dict)
    """By tenant: keys of records and of asserted facts."""

    def add(self, row: Any) -> None:
        self.rows[row.tenant, row.seq] = row
        keys = self.keys.setdefault(row.tenant, set())
        keys.add(key_of(row.tenant, row.seq))  # what the entry itself added: a record, or facts
        if row.key is not None:
            keys.add(row.key)


def erase(
    connection: Connection,
    table: NamespaceTable,
    components: Sequence[Schema],
    key: JournalKey | None,
    targets: Sequence[Target],
    *,
    reason: str,
    now: int,
) -> Erasure | None:
    """Erases what the targets mean; None if nothing of it is there. Raises ``Held`` where a legal hold stands.

    ``components`` are those that keep tables in the database. ``now`` is in microseconds.
    """
    tenants = {
        tenant
        for target in targets
        for tenant in connection.scalars(sa.select(chains.c.tenant).where(table.holding(chains, target.scope)))
    }
    locked = tenants | {table.tenant(())}
    writer = JournalWriter(connection, locked, now, key)
    _zero_what_goes(connection)
    rows: dict[tuple[int, int], Any] = {}
    counts = Counter[str]()
    for target in targets:
        within = _within(target.scope, locked)
        found = _find(connection, target, within)
        rules.refuse_held(connection, _places(connection, target, found, within))
        _tell_others_again(connection, writer, target, found, within)
        counts.update(_delete_rows(connection, target, found, within))
        if target.ids is None:
            rules.erase(connection, target.scope)
        for schema in components:
            if schema.erase is not None:
                counts.update({schema.component: schema.erase(connection, target.scope, target.ids)})
        rows |= found.rows
    gone = [
        one for target in targets if target.ids is None for one in _labelled(connection, _within(target.scope, locked))
    ]
    if not (rows or gone or any(counts.values())):
        return None
    names = pseudonyms.made(connection, key)
    stays = _empty_entries(connection, [rows[place] for place in sorted(rows)], names)
    _remove_namespaces(connection, gone)
    counts.update(entries=len(rows))
    if any(target.ids is None for target in targets):
        counts.update(namespaces=len(gone))
    done = Erasure(uuid.uuid4().hex, now, reason, dict(counts))
    _tell(connection, table, writer, done, stays, names, _asked(targets, names))
    return done


def last(connection: Connection, key: JournalKey | None, target: Target) -> Erasure | None:
    """The latest erasure of the same target."""
    wanted = {_asked([target], names) for names in pseudonyms.known(connection, key)}
    found: Erasure | None = None
    for row in told_erasures(connection):
        body = json.loads(row.payload)
        if body["asked"] in wanted:
            if found is None or found.id != body["erasure"]:
                found = Erasure(body["erasure"], row.at, body["reason"], body["counts"])
            found.chains.append(_chain(row, body))
    return found


def _chain(row: Any, body: Mapping[str, Any]) -> ErasedChain:
    return ErasedChain(row.tenant, row.seq, row.hash.hex(), body["ranges"], body["digest"])


def _asked(targets: Sequence[Target], names: Pseudonyms) -> str:
    """Tells a request from others without telling whom it is about."""
    return names.of(canonical([target.to_json() for target in targets]))


def _zero_what_goes(connection: Connection) -> None:
    """SQLite overwrites with zeros what this connection deletes from now on."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")


def _within(scope: Scope, locked: Collection[int]) -> Condition:
    """The WHERE clause on ``namespaces`` for those of a scope whose chains are locked.

    Somebody of whom nothing was stored has no chain to lock: what is written of him meanwhile comes after the erasure.
    """
    return sa.and_(in_scope(scope), one_of(namespaces.c.tenant, locked))


def _about(target: Target, within: Condition) -> Condition:
    """The WHERE clause on the journal for entries about the target that are not erased yet."""
    about = sa.and_(
        journal.c.namespace_id.in_(sa.select(namespaces.c.id).where(within)),
        journal.c.salt.is_not(None),
        journal.c.op.not_in(ABOUT_THE_STORE),
    )
    # A rule goes with its scope. Ids name records, and what is ruled of everybody names nobody.
    ours = sa.true() if target.ids is None else sa.false()
    named = sa.and_(ours, journal.c.namespace_id.in_(sa.select(namespaces.c.id).where(namespaces.c.path != "")))
    return sa.and_(about, sa.or_(journal.c.op.not_in(rules.OPERATIONS), named))


def _find(connection: Connection, target: Target, within: Condition) -> _Found:
    found = _Found()
    columns = ("tenant", "seq", "hash", "namespace_id", "id", "key")
    query = sa.select(*(journal.c[name] for name in columns)).where(_about(target, within))
    if target.ids is None:
        rows = list(connection.execute(query))
    else:
        rows = entries_about(connection, query, target.scope, target.ids)
    for row in sorted(rows, key=lambda row: (row.tenant, row.seq)):
        found.add(row)
    return found


def _tell_others_again(
    connection: Connection, writer: JournalWriter, target: Target, found: _Found, within: Condition
) -> None:
    """Entries that ``compact`` and ``rollback`` write hold facts of many records, all that outlived theirs in a namespace.

    Where one of the ids is among them, those entries go, and what they told of others is told anew.
    """
    if target.ids is None:
        return
    gone = set(target.ids)
    told = sa.select(journal, namespaces.c.labels).join(namespaces, namespaces.c.id == journal.c.namespace_id)
    told = told.where(_about(target, within), journal.c.op.in_(("compact", "rollback")), journal.c.key.is_(None))
    by_place: dict[int, list[Any]] = {}
    for row in connection.execute(told.order_by(journal.c.tenant, journal.c.seq)):
        by_place.setdefault(row.namespace_id, []).append(row)
    for namespace_id, rows in by_place.items():
        said = [fact for row in rows if row.payload for fact in json.loads(row.payload).get("facts", ())]
        if not any(fact.get("source") in gone or fact.get("id") in gone for fact in said):
            continue
        place = Place(namespace_id, rows[0].tenant, rows[0].labels)
        loose = [fact for fact in loose_facts(connection, place.tenant) if fact["namespace_id"] == namespace_id]
        stay = [fact for fact in loose if fact["id"] not in gone and json.loads(fact["body"])["source"] not in gone]
        tell_loose(connection, writer, place, stay)
        for row in rows:
            found.add(row)


def _places(connection: Connection, target: Target, found: _Found, within: Condition) -> list[Namespace]:
    """The namespaces in which something goes."""
    query = sa.select(namespaces.c.id, namespaces.c.labels).where(within)
    used = {row.namespace_id for row in found.rows.values()}
    rows = connection.execute(query).all()
    return [tuple(json.loads(row.labels)) for row in rows if target.ids is None or row.id in used]


def _delete_rows(connection: Connection, target: Target, found: _Found, within: Condition) -> dict[str, int]:
    counts = dict.fromkeys(("records", "passages", "facts"), 0)
    tables = (records, passages, facts)
    if target.ids is None:
        these = sa.select(namespaces.c.id).where(within)
        for table in tables:
            gone = connection.execute(sa.delete(table).where(table.c.namespace_id.in_(these)))
            counts[table.name.removeprefix("genome_")] += gone.rowcount
        return counts
    for tenant, keys in found.keys.items():
        for chunk in chunks(sorted(keys)):
            for table in tables:
                told: Condition = table.c.key.in_(chunk)
                if table is facts:  # those that the records said, and those that these entries asserted
                    told = sa.or_(told, facts.c.source_key.in_(chunk))
                gone = connection.execute(sa.delete(table).where(table.c.tenant == tenant, told))
                counts[table.name.removeprefix("genome_")] += gone.rowcount
    return counts


def _labelled(connection: Connection, within: Condition) -> list[int]:
    """The namespaces that have names of their own."""
    query = sa.select(namespaces.c.id).where(within, namespaces.c.path != "", ~pseudonyms.hidden())
    return list(connection.scalars(query))


def _empty_entries(
    connection: Connection, rows: Sequence[Any], names: Pseudonyms
) -> dict[int, list[tuple[int, bytes]]]:
    """Returns, by tenant, each entry's ``seq`` and the digest of what stays of it."""
    used = sorted({row.namespace_id for row in rows})
    places = {
        row.id: _hidden(connection, row, names)
        for chunk in chunks(used)
        for row in connection.execute(sa.select(namespaces).where(namespaces.c.id.in_(chunk))).all()
    }
    stays: dict[int, list[tuple[int, bytes]]] = {}
    changed = []
    for row in rows:
        place, id = places[row.namespace_id], names.of(row.id)
        stays.setdefault(row.tenant, []).append((row.seq, what_stays(row.hash, place.labels, id, row.key)))
        changed.append({"of": row.tenant, "at_": row.seq, "new": id, "place": place.id})
    if changed:
        connection.execute(_EMPTY, changed)
    return stays


def _hidden(connection: Connection, row: Any, names: Pseudonyms) -> Place:
    """The namespace in which erased entries of another stand: its labels are pseudonyms."""
    namespace = names.namespace(tuple(json.loads(row.labels)))
    return find_place(connection, namespace) or insert_place(connection, namespace, row.tenant)


def _remove_namespaces(connection: Connection, ids: Sequence[int]) -> None:
    for chunk in chunks(ids):
        connection.execute(sa.delete(namespace_labels).where(namespace_labels.c.namespace_id.in_(chunk)))
        connection.execute(sa.delete(namespaces).where(namespaces.c.id.in_(chunk)))


def _tell(
    connection: Connection,
    table: NamespaceTable,
    writer: JournalWriter,
    done: Erasure,
    stays: Mapping[int, Sequence[tuple[int, bytes]]],
    names: Pseudonyms,
    asked: str,
) -> None:
    """Journals the erasure in each chain that it touched, and gives the chains new marks: every cache notices."""
    root = table.ensure(connection, [()])[()]
    bodies: dict[int, dict[str, Any]] = {}
    for tenant, entries in sorted((stays or {root.tenant: ()}).items()):
        bodies[tenant] = body = {
            "erasure": done.id,
            "reason": done.reason,
            "asked": asked,
            "counts": done.counts,
            "ranges": ranges_of(seq for seq, _ in entries),
            "digest": digest_of_erased(one for _, one in entries),
            "mark": names.mark,
        }
        writer.append("erase", tenant=tenant, namespace_id=root.id, labels=root.labels, id=done.id, payload=body)
    writer.flush()
    for tenant, body in bodies.items():
        connection.execute(sa.update(chains).where(chains.c.tenant == tenant).values(epoch=uuid.uuid4().hex))
        row = connection.execute(
            sa.select(journal).where(journal.c.tenant == tenant).order_by(journal.c.seq.desc()).limit(1)
        ).one()
        done.chains.append(_chain(row, body))


_EMPTY = (
    sa.update(journal)
    .where(journal.c.tenant == sa.bindparam("of"), journal.c.seq == sa.bindparam("at_"))
    .values(id=sa.bindparam("new"), namespace_id=sa.bindparam("place"), payload=None, salt=None)
)
