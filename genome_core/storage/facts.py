"""The fact log in the database: entries are added, withdrawn when their source changes, and removed with it, never edited."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Connection

from genome_core.storage.lists import one_of
from genome_core.storage.moments import from_micros, to_micros
from genome_core.storage.namespaces import Place, in_scope, of_origins
from genome_core.storage.schema import facts, namespaces, records, tenant_of_key
from genome_core.types import Fact, FactKind, Precision, Scope, TimeSpan

_ENCODER = json.JSONEncoder(ensure_ascii=False)
_KEPT = [field.name for field in fields(Fact) if field.name not in ("namespace", "id", "recorded_at")]


_RARE = frozenset(["settles", "reason", "by"])
"""Left out where there is nothing to say: few facts decide between others."""


def subject_key(subject: str) -> str:
    """Subjects are the same if they differ in case, spacing or a leading article only."""
    return re.sub(r"^(?:the|an?) ", "", " ".join(subject.casefold().split()))


def to_json(fact: Fact) -> dict[str, Any]:
    """A fact as JSON; times become microseconds. Namespace, id and recorded time are columns of their own."""
    body = {name: _plain(getattr(fact, name)) for name in _KEPT}
    return {name: value for name, value in body.items() if value or name not in _RARE}


def to_journal(fact: Fact) -> dict[str, Any]:
    """A fact as JSON with the time at which it was recorded, where that is not the time of its journal entry."""
    return to_json(fact) | ({"recorded_at": to_micros(fact.recorded_at)} if fact.recorded_at else {})


def from_journal(body: dict[str, Any], **columns: Any) -> Fact:
    """The inverse of ``to_journal``."""
    recorded_at = body.get("recorded_at")
    own = {name: value for name, value in body.items() if name != "recorded_at"}
    return from_json(own, recorded_at=None if recorded_at is None else from_micros(recorded_at), **columns)


def from_json(body: dict[str, Any], **columns: Any) -> Fact:
    """The inverse of ``to_json``."""
    given = dict(body)
    given["kind"] = FactKind(given["kind"])
    given["at"] = from_micros(given["at"])
    given["span"] = tuple(given["span"]) if given["span"] else None
    given["settles"] = tuple(given.get("settles", ()))
    for name in ("valid_from", "valid_to"):
        if given[name]:
            start, end, precision = given[name]
            given[name] = TimeSpan(from_micros(start), from_micros(end), Precision(precision))
    return Fact(**given, **columns)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_micros(value)
    if isinstance(value, TimeSpan):
        return [to_micros(value.start), to_micros(value.end), value.precision.value]
    if isinstance(value, tuple):
        return list(value)
    return value.value if isinstance(value, FactKind) else value


def rows(
    entries: Iterable[Fact], *, place: Place, key: int, recorded_at: int, source_key: int | None
) -> list[dict[str, Any]]:
    """The rows of facts that one journal entry adds.

    A fact's id is made of what it says, where and when, so that the same input gives the same ids in every store. Only an
    import has facts that bring the time at which they were recorded.
    """
    result = []
    for part, fact in enumerate(entries):
        body = _ENCODER.encode(to_json(fact))
        recorded = to_micros(fact.recorded_at) if fact.recorded_at else recorded_at
        seed = f"{place.labels}\n{recorded}\n{part}\n{body}".encode()
        result.append(
            {
                "tenant": place.tenant,
                "key": key,
                "part": part,
                "namespace_id": place.id,
                "id": f"fact-{hashlib.blake2b(seed, digest_size=16).hexdigest()}",
                "subject": fact.subject,
                "subject_key": subject_key(fact.subject),
                "attribute": fact.attribute,
                "recorded_at": recorded,
                "withdrawn_at": None,
                "source_key": source_key,
                "body": body,
            }
        )
    return result


def withdraw(connection: Connection, tenant: int, source_key: int, at: int) -> None:
    """The source was changed: from now on its facts are no longer known, but what was known before stays askable."""
    connection.execute(_WITHDRAW, {"of": tenant, "source": source_key, "at": at})


def remove(connection: Connection, tenant: int, source_keys: Sequence[int]) -> None:
    """The sources are gone and their facts with them."""
    connection.execute(sa.delete(facts).where(facts.c.tenant == tenant, one_of(facts.c.source_key, source_keys)))


def remove_one(connection: Connection, tenant: int, id: str) -> None:
    """A fact that no record said, or whose record is gone."""
    connection.execute(_REMOVE_ONE, {"of": tenant, "which": id})


def detach(connection: Connection, tenant: int, source_keys: Sequence[int]) -> None:
    """The sources are gone but their facts stay."""
    connection.execute(
        sa.update(facts)
        .where(facts.c.tenant == tenant, one_of(facts.c.source_key, source_keys))
        .values(source_key=None)
    )


def select(
    connection: Connection,
    scope: Scope,
    *,
    subject: str | None = None,
    attribute: str | None = None,
    known_at: int | None = None,
    now: int | None = None,
    asserted_only: bool = False,
) -> list[Fact]:
    """Entries of the log in order of recording, of the scope's origins: as known at ``known_at``, by default as known now.

    ``now`` leaves out what records said that have expired by then, ``asserted_only`` leaves out those that a record said.
    """
    query = _FACTS.where(in_scope(scope)).order_by(*ORDER)
    if now is not None:
        expired = sa.select(records.c.key).where(
            records.c.tenant == facts.c.tenant, records.c.key == facts.c.source_key, records.c.expires_at <= now
        )
        query = query.where(~sa.exists(expired))
    if asserted_only:
        query = query.where(facts.c.source_key.is_(None))
    if subject is not None:
        query = query.where(facts.c.subject_key == subject_key(subject))
    if attribute is not None:
        query = query.where(facts.c.attribute == attribute)
    if known_at is None:
        query = query.where(facts.c.withdrawn_at.is_(None))
    else:
        still = sa.or_(facts.c.withdrawn_at.is_(None), facts.c.withdrawn_at > known_at)
        query = query.where(facts.c.recorded_at <= known_at, still)
    found = [_fact(row) for row in connection.execute(query)]
    return found if scope.origins is None else [fact for fact in found if scope.origins.admit(fact.origin)]


def subjects(connection: Connection, scope: Scope) -> list[str]:
    """Whom or what the log of a scope speaks of, as first written, sorted."""
    query = sa.select(facts.c.subject).join(namespaces, namespaces.c.id == facts.c.namespace_id)
    if scope.origins is not None:
        query = query.where(of_origins(_origin(connection.dialect.name), scope.origins))
    return sorted(connection.scalars(query.where(in_scope(scope)).distinct()))


def _origin(dialect: str) -> sa.ColumnElement[str]:
    if dialect == "postgresql":
        origin: sa.ColumnElement[str] = sa.cast(facts.c.body, JSONB)["origin"].astext
        return origin
    return sa.func.json_extract(facts.c.body, "$.origin", type_=sa.Text)


def of_sources(connection: Connection, source_keys: Sequence[int]) -> dict[int, list[Fact]]:
    """The facts, as known now, by the key of the record that said them."""
    tenants = {tenant_of_key(key) for key in source_keys}
    query = _FACTS.where(
        one_of(facts.c.tenant, tenants), one_of(facts.c.source_key, source_keys), facts.c.withdrawn_at.is_(None)
    ).order_by(facts.c.key, facts.c.part)
    found: dict[int, list[Fact]] = {}
    for row in connection.execute(query):
        found.setdefault(row.source_key, []).append(_fact(row))
    return found


def _fact(row: Any) -> Fact:
    return from_json(
        json.loads(row.body),
        id=row.id,
        recorded_at=from_micros(row.recorded_at),
        namespace=tuple(json.loads(row.labels)),
    )


ORDER = (facts.c.recorded_at, sa.func.coalesce(facts.c.source_key, facts.c.key), facts.c.key, facts.c.part)
"""The order of recording; what was recorded at the same time, in the order in which its sources came."""
_FACTS = sa.select(facts.c.id, facts.c.recorded_at, facts.c.body, facts.c.source_key, namespaces.c.labels).join(
    namespaces, namespaces.c.id == facts.c.namespace_id
)
_REMOVE_ONE = sa.delete(facts).where(
    facts.c.tenant == sa.bindparam("of"), facts.c.id == sa.bindparam("which"), facts.c.source_key.is_(None)
)
_WITHDRAW = (
    sa.update(facts)
    .where(
        facts.c.tenant == sa.bindparam("of"),
        facts.c.source_key == sa.bindparam("source"),
        facts.c.withdrawn_at.is_(None),
    )
    .values(withdrawn_at=sa.bindparam("at"))
)
