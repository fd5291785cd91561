"""What ``sweep`` erases: what is kept longer than a rule says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage import rules
from genome_core.storage.history import entries_about
from genome_core.storage.journal import ABOUT_THE_STORE
from genome_core.storage.namespaces import in_scope
from genome_core.storage.rules import Rule
from genome_core.storage.schema import journal, namespaces
from genome_core.types import Namespace, Scope

_NO_CONTENT = (*ABOUT_THE_STORE, *rules.OPERATIONS)


def due(connection: Connection, now: int) -> dict[Namespace, list[str]]:
    """By namespace, the ids of what did not change for longer than a rule says; what was deleted counts, too."""
    standing = rules.every(connection)
    found: dict[Namespace, set[str]] = {}
    for rule in standing:
        if rule.keep is not None:
            for namespace, id in _older(connection, rule, now):
                if not rules.is_held(standing, namespace):
                    found.setdefault(namespace, set()).add(id)
    return {namespace: sorted(ids) for namespace, ids in found.items()}


def _older(connection: Connection, rule: Rule, now: int) -> Iterator[tuple[Namespace, str]]:
    assert rule.keep is not None  # noqa: S101 - the caller has looked
    limit = now - rule.keep // timedelta(microseconds=1)
    query = (
        sa.select(journal.c.tenant, journal.c.namespace_id, journal.c.id, namespaces.c.labels)
        .join(namespaces, namespaces.c.id == journal.c.namespace_id)
        .where(in_scope(rule.scope), journal.c.salt.is_not(None), journal.c.op.not_in(_NO_CONTENT))
        .group_by(journal.c.tenant, journal.c.namespace_id, journal.c.id, namespaces.c.labels)
        .having(sa.func.max(journal.c.at) <= limit)
    )
    for row in connection.execute(query).all():
        if rule.origin is None or _origin(connection, row) == rule.origin:
            yield tuple(json.loads(row.labels)), row.id


def _origin(connection: Connection, row: Any) -> str | None:
    """The origin of a record or of an asserted fact, from its newest entry that has content."""
    query = sa.select(journal.c.seq, journal.c.id, journal.c.key, journal.c.payload).where(
        journal.c.tenant == row.tenant, journal.c.namespace_id == row.namespace_id
    )
    place = Scope(tuple(json.loads(row.labels)), exact=True)
    for entry in sorted(entries_about(connection, query, place, [row.id]), key=lambda entry: -entry.seq):
        if entry.payload is None:
            continue
        body = json.loads(entry.payload)
        for content in (body, *body.get("facts", ())):
            if "origin" in content:
                return str(content["origin"])
    return None
