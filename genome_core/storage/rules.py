"""Rules about how long things are kept, in the database: legal holds, and times after which ``sweep`` erases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.errors import Held
from genome_core.storage.journal import JournalWriter
from genome_core.storage.json_text import canonical
from genome_core.storage.moments import from_micros
from genome_core.storage.namespaces import Place, path_of
from genome_core.storage.schema import namespaces, rules
from genome_core.types import JSON, Namespace, Scope

TABLE = rules.name
OPERATIONS = ("rule", "release")
"""What the journal tells of rules."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How long a scope's records are kept: not beyond ``keep``, or, where that is None, until the rule is released."""

    id: str
    scope: Scope
    keep: timedelta | None
    """How long after its last change a record goes; None for a legal hold."""
    origin: str | None
    """Only records of this origin; None for all."""
    reason: str
    at: datetime
    """When the rule was made."""

    @property
    def is_hold(self) -> bool:
        return self.keep is None


def scope_json(scope: Scope) -> dict[str, JSON]:
    return {"prefix": list(scope.prefix), "having": [sorted(group) for group in scope.having], "exact": scope.exact}


def every(connection: Connection) -> list[Rule]:
    """All rules, in the order in which they were made."""
    return [_rule(row) for row in connection.execute(sa.select(rules).order_by(rules.c.at, rules.c.id))]


def holds(connection: Connection) -> list[Rule]:
    found = sa.select(rules).where(rules.c.keep.is_(None)).order_by(rules.c.at, rules.c.id)
    return [_rule(row) for row in connection.execute(found)]


def refuse_held(connection: Connection, places: Iterable[Namespace]) -> None:
    """Raises ``Held`` if a legal hold covers one of the namespaces. Call in the transaction that would delete there."""
    if standing := holds(connection):
        for namespace in dict.fromkeys(places):
            for rule in standing:
                if rule.scope.matches(namespace):
                    raise _held(rule)


def is_held(standing: Iterable[Rule], namespace: Namespace) -> bool:
    return any(rule.is_hold and rule.scope.matches(namespace) for rule in standing)


def held_namespaces(connection: Connection) -> list[int]:
    """The namespaces' numbers that a legal hold covers."""
    standing = holds(connection)
    rows = connection.execute(sa.select(namespaces.c.id, namespaces.c.labels)).all() if standing else []
    return [row.id for row in rows if is_held(standing, tuple(json.loads(row.labels)))]


def refuse_any_hold(connection: Connection) -> None:
    for rule in holds(connection):
        raise _held(rule)


def _held(rule: Rule) -> Held:
    return Held(f"the legal hold {rule.id} ({rule.reason}) keeps this", hint=f"release({rule.id!r}) ends the hold")


def add(
    connection: Connection,
    writer: JournalWriter,
    place: Place,
    scope: Scope,
    *,
    keep: int | None,
    origin: str | None,
    reason: str,
    now: int,
) -> str:
    """Stores and journals a rule; returns its id. ``place`` is that of the scope's prefix, ``keep`` in microseconds."""
    body: dict[str, JSON] = {
        "scope": canonical(scope_json(scope)),
        "keep": keep,
        "origin": origin,
        "reason": reason,
    }
    # Of what it says, when and where: a number would come again in a store that was replayed from another database.
    seed = canonical([body, now, writer.next_key(place.tenant)]).encode()
    id = f"rule-{hashlib.blake2b(seed, digest_size=8).hexdigest()}"
    connection.execute(sa.insert(rules), row_of(body, id=id, tenant=place.tenant, at=now))
    _journal(writer, "rule", place, id, body)
    return id


def row_of(body: Mapping[str, Any], *, id: str, tenant: int, at: int) -> dict[str, Any]:
    """The row of a rule, from what its entry in the journal holds."""
    return {**body, "id": id, "tenant": tenant, "path": path_of(json.loads(body["scope"])["prefix"]), "at": at}


def rows(connection: Connection, tenant: int) -> dict[str, dict[str, Any]]:
    """A tenant's rules by id, as they stand in the table."""
    query = sa.select(rules).where(rules.c.tenant == tenant)
    return {row["id"]: dict(row) for row in connection.execute(query).mappings()}


def remove(connection: Connection, writer: JournalWriter, place: Place, id: str) -> bool:
    """Ends a rule; returns whether there was one."""
    gone = connection.execute(sa.delete(rules).where(rules.c.id == id)).rowcount
    if gone:
        _journal(writer, "release", place, id, {})
    return bool(gone)


def find(connection: Connection, id: str) -> Rule | None:
    row = connection.execute(sa.select(rules).where(rules.c.id == id)).first()
    return _rule(row) if row else None


def erase(connection: Connection, scope: Scope) -> None:
    """Removes the rules about what lies in an erased scope: they name whose it was."""
    gone: Sequence[str] = [
        rule.id for rule in every(connection) if rule.scope.prefix and scope.matches(rule.scope.prefix)
    ]
    connection.execute(sa.delete(rules).where(rules.c.id.in_(gone)))


def _journal(writer: JournalWriter, op: str, place: Place, id: str, body: dict[str, JSON]) -> None:
    writer.append(op, tenant=place.tenant, namespace_id=place.id, labels=place.labels, id=id, payload=body)


def _rule(row: Any) -> Rule:
    body = json.loads(row.scope)
    scope = Scope(tuple(body["prefix"]), tuple(frozenset(group) for group in body["having"]), body["exact"])
    keep = None if row.keep is None else timedelta(microseconds=row.keep)
    return Rule(row.id, scope, keep, row.origin, row.reason, from_micros(row.at))
