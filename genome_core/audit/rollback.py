"""Bringing a store, or a scope of it, back to an earlier state, by entries that the journal keeps.

Nothing in the journal is taken back: what came after the earlier state stays in it, and the rollback is told by entries of
its own: ``rollback`` with the state of one record, or of the facts of one namespace that no record said, and ``delete`` for
a record that was not there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.audit import chain, vectors
from genome_core.audit.chain import Until
from genome_core.audit.fold import ChainState, Kept, Payloads, Whole, snapshot_of
from genome_core.audit.vectors import Parts
from genome_core.errors import Conflict
from genome_core.protocols import Embedder, Fingerprint
from genome_core.storage import facts as fact_log
from genome_core.storage import fingerprint as fingerprints
from genome_core.storage import pseudonyms, rules
from genome_core.storage.database import Database
from genome_core.storage.drafts import columns_to_json, digest_of
from genome_core.storage.journal import JournalWriter
from genome_core.storage.namespaces import Place
from genome_core.storage.pseudonyms import Pseudonyms
from genome_core.storage.schema import facts, having_keys, journal, key_of, passages, records, tenant_of_key
from genome_core.storage.signing import JournalKey, check_key
from genome_core.types import Scope

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Rollback:
    """What a rollback changed."""

    entries: int
    """How many entries the journal got; 0 if the state was the same."""
    restored: int
    """Records that are again as they were."""
    removed: int
    """Records that were not there then."""
    embedded: int
    """Restored records whose old vectors no longer exist and came out otherwise when embedded anew."""


@dataclass(slots=True)
class _Plan:
    """What must change in one chain. ``head`` is the entry up to which the plan knows the chain."""

    head: int
    places: Mapping[int, Place]
    removed: list[Kept] = field(default_factory=list)
    restored: list[tuple[Whole, Parts]] = field(default_factory=list)
    lost_facts: list[dict[str, Any]] = field(default_factory=list)
    found_facts: list[dict[str, Any]] = field(default_factory=list)

    def touched(self) -> list[Place]:
        rows = [whole.row for whole, _ in self.restored] + self.lost_facts + self.found_facts
        return [
            self.places[id]
            for id in {kept.namespace_id for kept in self.removed} | {row["namespace_id"] for row in rows}
        ]


def roll_back(
    database: Database,
    key: JournalKey | None,
    scope: Scope,
    until: Until,
    now: int,
    embedder: Callable[[], Embedder],
) -> Rollback:
    """Brings a scope back to its state at ``until``; raises ``ContentErased``, or ``Held`` where a legal hold stands, before
    anything is changed.

    Everything slow happens before the one transaction; if others wrote meanwhile it begins again, and gives up with
    ``Conflict`` after some attempts.
    """
    for _ in range(_ATTEMPTS):
        with database.read() as connection:
            check_key(connection, key)
            names = pseudonyms.known(connection, key)
            tenants = chain.tenants_of(connection, scope, until, names)
            plans = {tenant: _plan(connection, tenant, scope, until, embedder, names) for tenant in tenants}
            model = fingerprints.recorded(connection)

        def work(
            connection: Connection, plans: Mapping[int, _Plan] = plans, model: Fingerprint | None = model
        ) -> Rollback | None:
            # A chain that has no records tells of no reindex.
            return _carry_out(connection, plans, key, now) if fingerprints.recorded(connection) == model else None

        done = database.write(work)
        if done is not None:
            return done
    raise Conflict(f"the store changed at each of {_ATTEMPTS} attempts", hint="try again when nobody writes")


def _plan(
    connection: Connection,
    tenant: int,
    scope: Scope,
    until: Until,
    embedder: Callable[[], Embedder],
    names: Sequence[Pseudonyms],
) -> _Plan:
    everywhere = chain.places(connection, tenant)
    within = chain.places(connection, tenant, scope, names)
    last = chain.last_seq(connection, tenant, until)
    past, present = ChainState(tenant), ChainState(tenant)
    head = 0
    for entry in chain.verified(connection, tenant, everywhere):
        head = entry.seq
        if entry.namespace_id in within or entry.op == "erase":
            present.apply(entry)
            if last is None or entry.seq <= last:
                past.apply(entry)
    plan = _Plan(head, within)
    plan.removed = [kept for key, kept in sorted(present.records.items()) if key not in past.records]
    changed = [
        kept
        for key, kept in sorted(past.records.items())
        if key not in present.records or present.records[key].entries != kept.entries
    ]
    payloads = Payloads(connection, past, within)
    there = Payloads(connection, present, within)
    standing = {
        whole.row["key"]: _content(whole)
        for whole in there.whole(present.records[kept.key] for kept in changed if kept.key in present.records)
    }
    wholes = [whole for whole in payloads.whole(changed) if standing.get(whole.row["key"]) != _content(whole)]
    then = {row["id"]: row for row in payloads.loose()}
    payloads.require_all()
    _keep_versions_apart(connection, wholes)
    plan.restored = list(zip(wholes, vectors.parts_of(connection, wholes, within, embedder), strict=True))
    now = {row["id"]: row for row in there.loose()}
    plan.lost_facts = [row for id, row in now.items() if id not in then]
    plan.found_facts = [row for id, row in then.items() if id not in now]
    return plan


def _keep_versions_apart(connection: Connection, wholes: Sequence[Whole]) -> None:
    """Tells each record the highest version that it ever had: the next one is above that, so that none means two contents."""
    for whole in wholes:
        query = sa.select(journal.c.payload).where(
            journal.c.tenant == whole.row["tenant"],
            journal.c.namespace_id == whole.row["namespace_id"],
            journal.c.id == whole.row["id"],
            journal.c.key == whole.row["key"],
            journal.c.op.in_(("add", "update", "rollback")),
            journal.c.payload.is_not(None),
        )
        bodies = map(json.loads, connection.scalars(query))
        highest = max(body.get("last_version") or body.get("version", 0) for body in bodies)
        whole.row["last_version"] = highest if highest > whole.row["version"] else None


def _content(whole: Whole) -> tuple[Any, ...]:
    """Equal for two states of a record that differ only in the entries that tell of them."""
    said = [{name: value for name, value in fact.items() if name not in ("key", "part")} for fact in whole.facts]
    row = {name: value for name, value in whole.row.items() if name != "last_version"}
    return row, whole.passages, said


def _carry_out(connection: Connection, plans: Mapping[int, _Plan], key: JournalKey | None, now: int) -> Rollback | None:
    """None if somebody has written since the plans were made."""
    writer = JournalWriter(connection, plans, now, key)
    if any(writer.next_key(tenant) != key_of(tenant, plan.head + 1) for tenant, plan in plans.items()):
        return None
    rules.refuse_held(connection, [vectors.labels_of(place) for plan in plans.values() for place in plan.touched()])
    entries = restored = removed = embedded = 0
    for plan in plans.values():
        entries += _carry_out_facts(connection, writer, plan)
        _delete(connection, [kept.key for kept in plan.removed] + [whole.row["key"] for whole, _ in plan.restored])
        for kept in plan.removed:
            # Not an entry of the kind "rollback": once emptied, it could not be told from one that restores.
            _append(writer, plan.places[kept.namespace_id], kept.id, kept.key, {}, op="delete")
        for whole, parts in plan.restored:
            _restore(connection, writer, plan.places[whole.row["namespace_id"]], whole, parts)
            embedded += not vectors.is_same(parts, whole)
        restored, removed = restored + len(plan.restored), removed + len(plan.removed)
    writer.flush()
    return Rollback(entries + restored + removed, restored, removed, embedded)


def _carry_out_facts(connection: Connection, writer: JournalWriter, plan: _Plan) -> int:
    count = 0
    for namespace_id in sorted({row["namespace_id"] for row in plan.lost_facts + plan.found_facts}):
        place = plan.places[namespace_id]
        lost = [row["id"] for row in plan.lost_facts if row["namespace_id"] == namespace_id]
        found = [row for row in plan.found_facts if row["namespace_id"] == namespace_id]
        for id in lost:
            fact_log.remove_one(connection, place.tenant, id)
        key = writer.next_key(place.tenant)
        _append(writer, place, "", None, {"facts": snapshot_of(found), "removed": lost})
        _insert_facts(connection, found, key)
        count += 1
    return count


def _restore(connection: Connection, writer: JournalWriter, place: Place, whole: Whole, parts: Parts) -> None:
    key = writer.next_key(place.tenant)
    body = columns_to_json(whole.row)
    body |= {"passages": [digest_of(part) for part in parts], "facts": snapshot_of(whole.facts)}
    if whole.row["last_version"]:
        body["last_version"] = whole.row["last_version"]
    _append(writer, place, whole.row["id"], whole.row["key"], body)
    connection.execute(sa.insert(records), whole.row)
    if parts:
        connection.execute(sa.insert(passages), vectors.rows_of(whole.row, parts))
    _insert_facts(connection, whole.facts, key)


def _append(writer: JournalWriter, place: Place, id: str, key: int | None, body: Any, *, op: str = "rollback") -> None:
    writer.append(op, tenant=place.tenant, namespace_id=place.id, labels=place.labels, id=id, key=key, payload=body)


def _insert_facts(connection: Connection, rows: Sequence[dict[str, Any]], key: int) -> None:
    if rows:
        connection.execute(sa.insert(facts), [row | {"key": key, "part": part} for part, row in enumerate(rows)])


def _delete(connection: Connection, keys: Sequence[int]) -> None:
    for start in range(0, len(keys), 500):
        chunk = keys[start : start + 500]
        connection.execute(sa.delete(records).where(having_keys(records, chunk)))
        connection.execute(sa.delete(passages).where(having_keys(passages, chunk)))
        tenants = {tenant_of_key(key) for key in chunk}
        connection.execute(sa.delete(facts).where(facts.c.tenant.in_(tenants), facts.c.source_key.in_(chunk)))
