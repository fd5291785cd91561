"""Walking the journal's chains: every entry checked against the one before, and the first fault named with its kind."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.errors import IntegrityError, InvalidInput
from genome_core.storage import pseudonyms
from genome_core.storage.journal import GENESIS, entry_hash, salted, whose
from genome_core.storage.lists import as_list, in_list
from genome_core.storage.moments import from_micros, to_micros
from genome_core.storage.namespaces import Place, in_scope
from genome_core.storage.pseudonyms import Pseudonyms
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


def places(
    connection: Connection, tenant: int, scope: Scope | None = None, names: Sequence[Pseudonyms] = ()
) -> dict[int, Place]:
    """The namespaces in which entries of a chain can stand, by id; with a scope, those of it, by their names or ``names``.

    Beside the tenant's own they are the one without labels, to which entries about a chain itself belong, and those that have
    pseudonyms: a store that was replayed from SQLite can not tell whose they were.
    """
    own = sa.or_(namespaces.c.tenant == tenant, namespaces.c.path == "", pseudonyms.hidden())
    query = sa.select(namespaces.c.id, namespaces.c.labels).where(own)
    if scope is not None:
        query = query.where(named(scope, names))
    return {row.id: Place(row.id, tenant, row.labels) for row in connection.execute(query)}


def named(scope: Scope, names: Sequence[Pseudonyms]) -> sa.ColumnElement[bool]:
    """The WHERE clause on ``namespaces`` for those of a scope, by their own labels or by ``names``."""
    return sa.or_(in_scope(scope), *(in_scope(one.scope(scope)) for one in names))


def entries(
    connection: Connection,
    tenant: int,
    last: int | None = None,
    within: Collection[int] | None = None,
    ids: Collection[str] | None = None,
) -> Iterator[Entry]:
    """A chain's entries in order, up to ``last``; not checked.

    ``within`` are namespaces, and ``ids`` what entries are about, of which they tell; ``erase`` entries may concern any.
    """
    sql = f"SELECT {_COLUMNS} FROM {journal.name} WHERE tenant = :tenant AND seq > :after"  # noqa: S608 - our own names
    bound: dict[str, Any] = {"tenant": tenant}
    if last is not None:
        sql, bound["last"] = f"{sql} AND seq <= :last", last
    for column, values in (("namespace_id", within), ("id", ids)):
        if values is not None:
            sql += f" AND (op = 'erase' OR {in_list(column, ':' + column, connection.dialect.name)})"
            bound[column] = as_list(values, connection.dialect.name)
    # As text: a million rows need no converting, and SQLAlchemy would look at each of their columns.
    query = sa.text(f"{sql} ORDER BY seq LIMIT {PAGE}")
    after = 0
    while rows := connection.execute(query, bound | {"after": after}).all():
        yield from map(Entry._make, rows)
        after = rows[-1][0]


def verified(connection: Connection, tenant: int, within: Mapping[int, Place]) -> Iterator[Entry]:
    """A chain's entries, each checked before it is handed on. ``within`` has all namespaces of the tenant.

    Raises ``IntegrityError`` at the first that was edited, removed or put elsewhere.
    """
    previous = GENESIS
    for expected, entry in enumerate(entries(connection, tenant), 1):
        seq, at, op, namespace_id, id, key, payload, salt, about, digest, hash = entry
        if seq != expected or entry_hash(previous, tenant, seq, at, op, about, digest) != hash:
            raise _fault(connection, tenant, expected, previous, entry)
        place = within.get(namespace_id)
        if salt is None:  # erased: what stays of it is for the entry that tells of the erasing
            if payload is not None:
                raise IntegrityError(f"entry {seq} of chain {tenant} was edited: it has a payload but no salt")
        elif place is None or salted(salt, whose(place.labels, id, key)) != about:
            raise IntegrityError(f"the id, the namespace or the key of entry {seq} of chain {tenant} was edited")
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


def tenants_of(
    connection: Connection, scope: Scope, until: Until = None, names: Sequence[Pseudonyms] = ()
) -> list[int]:
    """The chains that hold entries of a scope, in order, also those that stand there under one of the ``names``.

    Raises ``InvalidInput`` where a ``seq`` could mean several.
    """
    query = sa.select(chains.c.tenant).order_by(chains.c.tenant)
    if scope != Scope():
        own = sa.select(namespaces.c.tenant).where(in_scope(scope))
        hidden = sa.select(namespaces.c.id).where(sa.or_(sa.false(), *(in_scope(one.scope(scope)) for one in names)))
        erased = sa.select(journal.c.tenant).where(journal.c.namespace_id.in_(hidden))
        query = query.where(sa.or_(chains.c.tenant.in_(own), chains.c.tenant.in_(erased)))
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


def log(connection: Connection, scope: Scope, limit: int, names: Sequence[Pseudonyms] = ()) -> list[LogEntry]:
    """The newest entries of a scope, newest first; those that were erased under one of the ``names`` too."""
    query = (
        sa.select(journal, namespaces.c.labels)
        .join(namespaces, namespaces.c.id == journal.c.namespace_id)
        .where(named(scope, names))
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
