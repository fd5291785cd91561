"""What the tables hold, record by record in order of arrival, and the digest of it all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection, CursorResult

from genome_core.audit.chain import places
from genome_core.storage.drafts import columns_to_json
from genome_core.storage.json_text import canonical
from genome_core.storage.namespaces import in_scope
from genome_core.storage.schema import facts, namespaces, passages, records, tenant_of_key
from genome_core.types import Scope

_PAGE = 500


@dataclass(slots=True)
class Live:
    """A record's rows. Without ``row``, they are rows of a record that is not there."""

    key: int
    row: dict[str, Any] | None = None
    passages: list[tuple[int, int, str]] = field(default_factory=list)
    """Part, namespace and digest of each."""
    facts: list[dict[str, Any]] = field(default_factory=list)


def live(connection: Connection, tenant: int) -> Iterator[Live]:
    """All rows of a tenant that belong to a record, whether it is there or not, in order of key."""
    after = -1
    while True:
        rows = _dicts(connection.execute(_NEXT, {"of": tenant, "after": after}))
        last = rows[-1]["key"] if len(rows) == _PAGE else 2**63 - 1

        def within(key: sa.ColumnElement[Any], after: int = after, last: int = last) -> sa.ColumnElement[bool]:
            return sa.and_(key > after, key <= last)

        yield from _gathered(connection, tenant, rows, within)
        if len(rows) < _PAGE:
            return
        after = last


def live_among(connection: Connection, keys: Sequence[int]) -> Iterator[Live]:
    """The rows of those records of the keys that are there, in order of key."""
    for tenant, own in groupby(sorted(keys), tenant_of_key):
        waiting = iter(own)
        while chunk := list(islice(waiting, _PAGE)):
            rows = _dicts(connection.execute(_BY_KEY, {"of": tenant, "keys": chunk}))
            yield from _gathered(connection, tenant, rows, lambda key, chunk=chunk: key.in_(chunk))  # type: ignore[misc]


def _gathered(
    connection: Connection,
    tenant: int,
    rows: Sequence[dict[str, Any]],
    wanted: Callable[[sa.ColumnElement[Any]], sa.ColumnElement[bool]],
) -> Iterator[Live]:
    found = {row["key"]: Live(row["key"], row) for row in rows}
    parts = _passages(connection).where(passages.c.tenant == tenant, wanted(passages.c.key))
    for key, part, namespace_id, terms, vector in connection.execute(parts).all():
        digest = _digest(terms, vector, connection.dialect.name)
        found.setdefault(key, Live(key)).passages.append((part, namespace_id, digest))
    for fact in connection.execute(_FACTS.where(facts.c.tenant == tenant, wanted(facts.c.source_key))).mappings().all():
        found.setdefault(fact["source_key"], Live(fact["source_key"])).facts.append(dict(fact))
    yield from (found[key] for key in sorted(found))


def _dicts(result: CursorResult[Any]) -> list[dict[str, Any]]:
    names = tuple(result.keys())
    return [dict(zip(names, row, strict=True)) for row in result.all()]


def loose_facts(connection: Connection, tenant: int) -> list[dict[str, Any]]:
    """The rows of the facts that no record said, in order of arrival."""
    return [dict(row) for row in connection.execute(_LOOSE, {"of": tenant}).mappings()]


def digest(connection: Connection, scope: Scope) -> bytes:
    """One value for what a scope holds: the same wherever, and in whatever order, it is kept."""
    found = Digest()
    for tenant in connection.scalars(sa.select(namespaces.c.tenant).where(in_scope(scope)).distinct()).all():
        own = places(connection, tenant, scope)
        for one in live(connection, tenant):
            if one.row is not None and one.row["namespace_id"] in own:
                found.add(own[one.row["namespace_id"]].labels, one.row, one)
        for fact in loose_facts(connection, tenant):
            if fact["namespace_id"] in own:
                found.add_fact(own[fact["namespace_id"]].labels, fact)
    return found.value()


class Digest:
    """The digest of a state, from its records and loose facts in any order."""

    def __init__(self) -> None:
        self._found: list[bytes] = []

    def add(self, labels: str, row: dict[str, Any], one: Live) -> None:
        said = sorted(map(_fact_state, one.facts))
        parts = [digest for _, _, digest in one.passages]
        self._found.append(_hash(["record", labels, row["id"], columns_to_json(row), parts, said]))

    def add_fact(self, labels: str, fact: dict[str, Any]) -> None:
        self._found.append(_hash(["fact", labels, _fact_state(fact)]))

    def value(self) -> bytes:
        return hashlib.sha256(b"".join(sorted(self._found))).digest()


def _fact_state(fact: dict[str, Any]) -> str:
    return canonical([fact["id"], fact["recorded_at"], fact["withdrawn_at"], fact["body"]])


def _hash(state: Any) -> bytes:
    return hashlib.sha256(canonical(state).encode()).digest()


def _digest(terms: str, vector: bytes | None, dialect: str) -> str:
    """As ``drafts.digest_of``, from the bytes as the database keeps them."""
    data = b""
    if vector is not None and dialect == "postgresql":
        # pgvector's binary form: two header fields of two bytes, then the numbers in network order.
        data = b"\0" + np.frombuffer(vector, ">f4", offset=4).astype("<f4").tobytes()
    elif vector is not None:
        data = b"\0" + vector
    return hashlib.sha256(terms.encode() + data).hexdigest()


def _passages(connection: Connection) -> sa.Select[Any]:
    stored: sa.ColumnElement[Any] = (
        sa.func.vector_send(passages.c.vector, type_=sa.LargeBinary)
        if connection.dialect.name == "postgresql"
        else sa.type_coerce(passages.c.vector, sa.LargeBinary)
    )
    columns = (passages.c.key, passages.c.part, passages.c.namespace_id, passages.c.terms, stored.label("vector"))
    return sa.select(*columns).order_by(passages.c.key, passages.c.part)


_NEXT = (
    sa.select(records)
    .where(records.c.tenant == sa.bindparam("of"), records.c.key > sa.bindparam("after"))
    .order_by(records.c.key)
    .limit(_PAGE)
)
_BY_KEY = sa.select(records).where(
    records.c.tenant == sa.bindparam("of"), records.c.key.in_(sa.bindparam("keys", expanding=True))
)
_FACTS = sa.select(facts).order_by(facts.c.source_key, facts.c.key, facts.c.part)
_LOOSE = (
    sa.select(facts)
    .where(facts.c.tenant == sa.bindparam("of"), facts.c.source_key.is_(None))
    .order_by(facts.c.key, facts.c.part)
)
