"""Search indexes kept in memory, one per scope that was asked for, brought up to date by the journal."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection, CursorResult, Row

from genome_core.protocols import Fingerprint
from genome_core.search.index import Block, ScopeIndex
from genome_core.search.question import ROLES
from genome_core.storage import fingerprint
from genome_core.storage.database import Database
from genome_core.storage.journal import head_of
from genome_core.storage.lists import as_list, listed
from genome_core.storage.namespaces import NamespaceTable, in_scope, of_scope, path_range
from genome_core.storage.prepared import Prepared
from genome_core.storage.raw_vectors import matrix, raw_vector
from genome_core.storage.reading import EVER, chunks
from genome_core.storage.schema import chains, journal, namespaces, passages, records, tenant_of, tenant_of_key
from genome_core.types import Scope

DEFAULT_BUDGET = 2 * 1024**3
"""Bytes that all resident indexes of one Memory may hold together."""

_EMPTY_BYTES = 8_000
"""What the index of a scope takes that holds nothing."""
_PASSAGE_BYTES = 400
"""What a passage takes beside its vector, about."""
_BLOCK = 10_000
"""How many passages are read from the database at a time."""
_FEW = 1_000
"""Passages that are counted one by one."""


@dataclass(slots=True)
class _Resident:
    index: ScopeIndex
    heads: dict[int, tuple[str, int]] = field(default_factory=dict)
    """By tenant, the epoch and the last entry of the journal that the index has seen."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    bytes: int = 0


class ResidentIndexes:
    """The indexes of recently asked scopes; the least recently used go first when they outgrow the budget."""

    def __init__(self, namespace_table: NamespaceTable, budget: int = DEFAULT_BUDGET) -> None:
        self._namespaces = namespace_table
        self._budget = budget
        self._residents: OrderedDict[Scope, _Resident] = OrderedDict()
        self._too_large: set[Scope] = set()
        self._bytes = 0
        self._lock = threading.Lock()

    def fitting(self, connection: Connection, scope: Scope, mine: Fingerprint) -> ScopeIndex | None:
        """As ``get``; None for a scope whose index would not fit the budget. SQLite has no other way than to hold it."""
        with self._lock:
            known = connection.dialect.name == "sqlite" or scope in self._residents
            if not known and scope in self._too_large:
                return None
        if known:
            return self.get(connection, scope, mine)
        most = self._budget // (np.dtype(np.float32).itemsize * mine.dimensions + _PASSAGE_BYTES)
        rows = _count(connection, scope, most + 1)
        if rows <= most:
            return self.get(connection, scope, mine, rows)
        with self._lock:
            self._too_large.add(scope)
        return None

    def holds(self, scope: Scope) -> bool:
        """Whether the scope has an index, current or not."""
        with self._lock:
            return scope in self._residents

    def current(self, database: Database, scope: Scope) -> ScopeIndex | None:
        """The index of a scope if it is there and nothing was written since, by one short look at the tenant's chain."""
        with self._lock:
            resident = self._residents.get(scope)
            if resident is None or (database.is_postgres and not scope.prefix):  # several tenants
                return None
            self._residents.move_to_end(scope)
        tenant = tenant_of(scope.prefix, database.dialect)
        head = head_of(database, tenant)
        with resident.lock:
            return resident.index if head and resident.heads == {tenant: head} else None

    def get(self, connection: Connection, scope: Scope, mine: Fingerprint, rows: int | None = None) -> ScopeIndex:
        """The index of a scope, no older than the connection's snapshot. ``rows`` is how many passages it has, where that is known.

        Raises ``EmbedderMismatch`` if the store's vectors are not of the caller's embedder.
        """
        with self._lock:
            resident = self._residents.setdefault(scope, _Resident(ScopeIndex(mine.dimensions)))
            self._residents.move_to_end(scope)
        with resident.lock:
            if self._catch_up(connection, scope, resident, mine, rows):
                self._weigh(scope, resident)
        return resident.index

    def clear(self) -> None:
        with self._lock:
            self._residents.clear()
            self._too_large.clear()
            self._bytes = 0

    @property
    def nbytes(self) -> int:
        with self._lock:
            return self._bytes

    def _weigh(self, scope: Scope, resident: _Resident) -> None:
        """Counts the bytes of an index that has changed, and lets others go if all together have outgrown the budget."""
        now = resident.index.nbytes + _EMPTY_BYTES
        with self._lock:
            if self._residents.get(scope) is not resident:  # let go in the meantime
                return
            self._bytes += now - resident.bytes
            resident.bytes = now
            while self._bytes > self._budget and len(self._residents) > 1:
                _, oldest = self._residents.popitem(last=False)
                self._bytes -= oldest.bytes

    def _catch_up(
        self, connection: Connection, scope: Scope, resident: _Resident, mine: Fingerprint, rows: int | None
    ) -> bool:
        seen, heads = resident.heads, self._heads(connection, scope)
        if not seen or any(heads.get(tenant, ("", 0))[0] != epoch for tenant, (epoch, _) in seen.items()):
            # Asked for the first time, or the journal does not go on from where the index stopped: after a reset.
            fingerprint.check(connection, mine)
            resident.index = ScopeIndex(mine.dimensions)
            everything = of_scope(records, scope, connection.dialect.name)
            if rows is None:
                rows = connection.scalar(sa.select(sa.func.count()).where(everything)) or 0
            resident.index.reserve(rows)
            load(connection, resident.index, everything)
            resident.heads = heads
            return True
        # Another thread may have brought the index further than this snapshot, for some tenants.
        moved = {tenant: head for tenant, head in heads.items() if head[1] > seen.get(tenant, ("", 0))[1]}
        if not moved:
            return False
        changed = _changed_keys(connection, scope, seen, moved)
        with resident.index.lock:  # nobody must see a changed record missing
            resident.index.remove(changed)
            for chunk in chunks(changed):
                _load_again(connection, resident.index, scope, chunk)
        resident.heads = seen | moved
        return bool(changed)

    def _heads(self, connection: Connection, scope: Scope) -> dict[int, tuple[str, int]]:
        if connection.dialect.name == "sqlite" or scope.prefix:
            tenant = self._namespaces.tenant(scope.prefix)
            head = head_of(connection, tenant)
            return {tenant: head} if head else {}
        found = connection.execute(_HEADS.where(self._namespaces.holding(chains, scope)))
        return {row.tenant: (row.epoch, row.seq) for row in found}


def _count(connection: Connection, scope: Scope, enough: int) -> int:
    """How many passages a scope has on PostgreSQL, as far as ``enough``.

    Few are counted by the index over namespaces. That takes long for many, and to walk through the tenant's passages for few.
    """
    dialect, few = connection.dialect.name, min(enough, _FEW)
    if scope.prefix or scope.exact:
        own = (records.c.tenant == passages.c.tenant, records.c.key == passages.c.key)
        within = (records.c.tenant == tenant_of(scope.prefix, dialect), records.c.namespace_id == namespaces.c.id)
        each = sa.select(passages.c.key).join(records, sa.and_(*own)).where(*within, records.c.at.between(*EVER))
        here = each.limit(few).lateral()
        rows = _counted(
            connection, sa.select(here.c.key).join_from(namespaces, here, sa.true()).where(in_scope(scope)), few
        )
        if rows < few:
            return rows
    return _counted(connection, sa.select(passages.c.key).where(of_scope(passages, scope, dialect)), enough)


def _counted(connection: Connection, query: sa.Select[Any], enough: int) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(query.limit(enough).subquery())) or 0


def _changed_keys(
    connection: Connection, scope: Scope, seen: dict[int, tuple[str, int]], moved: Iterable[int]
) -> list[int]:
    keys: set[int] = set()
    whole = scope.prefix and not scope.having and not scope.exact
    for tenant in moved:
        since = seen.get(tenant, ("", 0))[1]
        if whole:
            first, end = path_range(scope.prefix)
            rows = _CHANGED_BELOW.rows(connection, {"tenant": tenant, "since": since, "first": first, "end": end})
            keys.update(row["key"] for row in rows)
        else:
            within = sa.select(namespaces.c.id).where(in_scope(scope))
            changed = _CHANGED.where(journal.c.namespace_id.in_(within))
            keys.update(connection.scalars(changed, {"tenant": tenant, "since": since}))
    return sorted(keys)


def load(connection: Connection, index: ScopeIndex, where: sa.ColumnElement[bool]) -> None:
    """Reads records with their passages, in order of arrival, block by block."""
    query = _ROWS.add_columns(raw_vector(connection.dialect.name)).where(where).order_by(*_ORDER)
    result = connection.execute(query, execution_options={"yield_per": _BLOCK})
    index.add_blocks(_block(rows, index.dimensions) for rows in _by_records(result))


def _load_again(connection: Connection, index: ScopeIndex, scope: Scope, keys: Sequence[int]) -> None:
    """Reads those of some records that are of the scope's origins."""
    dialect, origins = connection.dialect.name, scope.origins
    lists: dict[str, Collection[Any]] = {
        "tenants": {tenant_of_key(key) for key in keys},
        "keys": keys,
        "names": origins.names if origins else (),
    }
    statement = _AGAIN[dialect, bool(origins and origins.only)]
    rows = list(statement.run(connection, {name: as_list(values, dialect) for name, values in lists.items()}))
    if rows:
        index.add_blocks([_block(rows, index.dimensions)])


def _by_records(result: CursorResult[Any]) -> Iterator[list[Row[Any]]]:
    """The rows block by block; a record's passages are not torn apart by the edge of a block."""
    left_over: list[Row[Any]] = []
    for block in result.partitions():
        rows = left_over + list(block)
        edge = next((place for place in range(len(rows), 0, -1) if rows[place - 1].key != rows[-1].key), 0)
        left_over = rows[edge:]
        if edge:
            yield rows[:edge]
    if left_over:
        yield left_over


def _block(rows: Sequence[Sequence[Any]], dimensions: int) -> Block:
    keys, sessions, at, names, roles, expires_at, terms, vectors = zip(*rows, strict=True)
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    if len(starts) < len(rows):
        keys, sessions, at, names, roles, expires_at, *_ = zip(*(rows[start] for start in starts.tolist()), strict=True)
    # Only a name makes a participant: a question that says "document" does not mean a speaker.
    speakers = [name or (role if role in ROLES else "") for name, role in zip(names, roles, strict=True)]
    return Block(
        keys=keys,
        sessions=sessions,
        at=at,
        order=keys,
        speakers=speakers,
        expires_at=expires_at,
        passages=np.diff(starts, append=len(rows)),
        terms=terms,
        vectors=matrix(vectors, dimensions),
        has_vector=np.array([vector is not None for vector in vectors], np.bool_),
    )


_HEADS = sa.select(chains.c.tenant, chains.c.epoch, chains.c.seq)
_CHANGED = (
    sa.select(journal.c.key)
    .distinct()
    .where(
        journal.c.tenant == sa.bindparam("tenant", type_=sa.BigInteger),
        journal.c.seq > sa.bindparam("since", type_=sa.BigInteger),
        journal.c.key.is_not(None),
    )
)
_CHANGED_BELOW = Prepared(
    _CHANGED.where(
        journal.c.namespace_id.in_(
            sa.select(namespaces.c.id).where(
                namespaces.c.path >= sa.bindparam("first"), namespaces.c.path < sa.bindparam("end")
            )
        )
    )
)
_ROWS = sa.select(
    records.c.key,
    records.c.namespace_id,
    records.c.at,
    records.c.name,
    records.c.role,
    records.c.expires_at,
    passages.c.terms,
).join(passages, sa.and_(passages.c.tenant == records.c.tenant, passages.c.key == records.c.key))

_ORDER = (records.c.namespace_id, records.c.at, records.c.key, passages.c.part)
"""That of the index over namespaces: a small scope in a large table is found by it, and nothing is sorted."""


def _again(dialect: str, only: bool) -> Prepared:
    named = listed(records.c.origin, "names")
    these = (listed(records.c.tenant, "tenants"), listed(records.c.key, "keys"), named if only else sa.not_(named))
    return Prepared(_ROWS.add_columns(raw_vector(dialect)).where(*these).order_by(*_ORDER))


_AGAIN = {(dialect, only): _again(dialect, only) for dialect in ("sqlite", "postgresql") for only in (True, False)}
