"""Walking the journal's chains: every entry checked against the one before, and the first fault named with its kind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.errors import IntegrityError, InvalidInput
from genome_core.storage.journal import GENESIS, entry_hash, salted, whose
from genome_core.storage.moments import from_micros, to_micros
from genome_core.storage.namespaces import Place, in_scope
from genome_core.storage.schema import chains, journal, namespaces
from genome_core.types import Namespace, Scope

PAGE = 2000

Until = int | datetime | None
"""A ``seq`` that is the last to count, a time after which nothing counts, or None for everything."""


class Entry(NamedTuple):
    """One row of the journal, as it stands there."""

    seq: int
    at: int
    op: str
    namespace_id: int
    id: str
    key: int | None
    payload: str | None
    salt: bytes | None
    """None in an entry that was erased."""
    about: bytes
    digest: bytes
    hash: bytes


_COLUMNS = ", ".join(Entry._fields)


def places(connection: Connection, tenant: int, scope: Scope | None = None) -> dict[int, Place]:
    """The namespaces of a tenant by id, and the one without labels, to which entries about a chain itself belong."""
    own = sa.or_(namespaces.c.tenant == tenant, namespaces.c.path == "")
    query = sa.select(namespaces.c.id, namespaces.c.labels).where(own)
    if scope is not None:
        query = query.where(in_scope(scope))
    return {row.id: Place(row.id, tenant, row.labels) for row in connection.execute(query)}


def entries(connection: Connection, tenant: int, last: int | None = None, id: str | None = None) -> Iterator[Entry]:
    """A chain's entries in order, up to ``last``, those about one id only if it is given; not checked."""
    sql = f"SELECT {_COLUMNS} FROM {journal.name} WHERE tenant = :tenant AND seq > :after"  # noqa: S608 - our own names
    sql += "" if last is None else " AND seq <= :last"
    sql += "" if id is None else " AND (id = :id OR op = 'erase')"
    # As text: a million rows need no converting, and SQLAlchemy would look at each of their columns.
    query = sa.text(f"{sql} ORDER BY seq LIMIT {PAGE}")
    bound = {"tenant": tenant, "last": last, "id": id}
    given = {name: value for name, value in bound.items() if value is not None}
    after = 0
    while rows := connection.execute(query, given | {"after": after}).all():
        yield from map(Entry._make, rows)
        after = rows[-1][0]


def verified(
    connection: Connection, tenant: int, within: Mapping[int, Place], last: int | None = None
) -> Iterator[Entry]:
    """A chain's entries, each checked before it is handed on. ``within`` has all namespaces of the tenant.

    Raises ``IntegrityError`` at the first that was edited, removed or put elsewhere.
    """
    previous = GENESIS
    for expected, entry in enumerate(entries(connection, tenant, last), 1):
        seq, at, op, namespace_id, id, _, payload, salt, about, digest, hash = entry
        if seq != expected or entry_hash(previous, tenant, seq, at, op, about, digest) != hash:
            raise _fault(connection, tenant, expected, previous, entry)
        place = within.get(namespace_id)
        if salt is None:  # erased: there is nothing left that the digests could be compared with
            if payload is not None:
                raise IntegrityError(f"entry {seq} of chain {tenant} was edited: it has a payload but no salt")
        elif place is None or salted(salt, whose(place.labels, id)) != about:
            raise IntegrityError(f"the id or the namespace of entry {seq} of chain {tenant} was edited")
        elif payload is not None and salted(salt, payload) != digest:
            raise IntegrityError(f"the payload of entry {seq} of chain {tenant} was edited")
        previous = hash
        yield entry


def _fault(connection: Connection, tenant: int, seq: int, previous: bytes, entry: Entry) -> IntegrityError:
    """What became of entry ``seq``, in whose place ``entry`` was found."""
    what = f"entry {seq} of chain {tenant}"
    for other in entries(connection, tenant):
        fields = (other.at, other.op, other.about, other.digest)
        if other.seq != seq and entry_hash(previous, tenant, seq, *fields) == other.hash:
            return IntegrityError(f"{what} was put in the place of entry {other.seq}")
    if entry.seq != seq:
        return IntegrityError(f"{what} was removed")
    return IntegrityError(f"{what} was edited")


def concerning(found: Iterable[Entry], within: Mapping[int, Place]) -> Iterator[Entry]:
    """Those of the entries that can change what some namespaces hold."""
    return (entry for entry in found if entry.namespace_id in within or entry.op == "erase")


def last_seq(connection: Connection, tenant: int, until: Until) -> int | None:
    """The ``seq`` up to which a chain counts; None for all of it.

    Up to a time means up to the last entry recorded at or before it.
    """
    if until is None:
        return None
    if isinstance(until, datetime):
        by_then = sa.select(sa.func.max(journal.c.seq)).where(
            journal.c.tenant == tenant, journal.c.at <= to_micros(until, "until")
        )
        return connection.scalar(by_then) or 0
    if not isinstance(until, int) or isinstance(until, bool) or until < 0:
        raise InvalidInput(f"until is {until!r}", hint="give an aware datetime, or the seq of a journal entry")
    return until


def tenants_of(connection: Connection, scope: Scope, until: Until = None) -> list[int]:
    """The chains that hold entries of a scope, in order; raises ``InvalidInput`` where a ``seq`` could mean several."""
    query = sa.select(chains.c.tenant).order_by(chains.c.tenant)
    if scope != Scope():
        own = sa.select(namespaces.c.tenant).where(in_scope(scope))
        query = query.where(chains.c.tenant.in_(own))
    found = list(connection.scalars(query))
    if len(found) > 1 and until is not None and not isinstance(until, datetime):
        raise InvalidInput(
            f"seq {until} could mean any of {len(found)} chains", hint="give a time, or a scope that lies in one chain"
        )
    return found


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of the journal, for reading."""

    chain: int
    seq: int
    at: datetime
    """When it was recorded."""
    op: str
    namespace: Namespace
    id: str
    body: dict[str, Any] | None
    """What the entry holds; None where it was erased or compacted."""


def log(connection: Connection, scope: Scope, limit: int) -> list[LogEntry]:
    """The newest entries of a scope, newest first."""
    query = (
        sa.select(journal, namespaces.c.labels)
        .join(namespaces, namespaces.c.id == journal.c.namespace_id)
        .where(in_scope(scope))
        .order_by(journal.c.at.desc(), journal.c.tenant, journal.c.seq.desc())
        .limit(limit)
    )
    return [
        LogEntry(
            row.tenant,
            row.seq,
            from_micros(row.at),
            row.op,
            tuple(json.loads(row.labels)),
            row.id,
            None if row.payload is None else json.loads(row.payload),
        )
        for row in connection.execute(query)
    ]


def heads(connection: Connection, scope: Scope | None = None) -> list[Any]:
    """The rows of the chains' heads, in order."""
    query = sa.select(chains).order_by(chains.c.tenant)
    if scope is not None and scope != Scope():
        query = query.where(chains.c.tenant.in_(tenants_of(connection, scope)))
    return list(connection.execute(query))
