"""Reading: records by scope, filter and time, page by page; their history; and what the search index is made of."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection, Row

from genome_core.errors import InvalidInput
from genome_core.storage import facts as fact_log
from genome_core.storage import filters
from genome_core.storage.database import Database
from genome_core.storage.json_text import from_json
from genome_core.storage.lists import as_list, listed, one_of
from genome_core.storage.moments import from_micros, to_micros
from genome_core.storage.namespaces import is_below_one_label, of_scope, of_tenant, path_of
from genome_core.storage.prepared import Prepared
from genome_core.storage.schema import BY_TIME, having_keys, namespaces, passages, records, tenant_of, tenant_of_key
from genome_core.types import Fact, Filter, Namespace, Origins, Record, Scope

T = TypeVar("T")

_CHUNK = 500
"""How many values one IN list gets."""

EVER = 1 - 2**63, 2**63 - 1
"""Before and after every time."""

RecordFilter = Filter | Callable[[Record], bool]
"""The filter language, or any Python test of a record."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record and where it stands in the tables."""

    key: int
    namespace_id: int
    record: Record


@dataclass(frozen=True, slots=True)
class ExportedRecord:
    """A record with all that another store needs to hold it as this one does."""

    record: Record
    duplicate: bytes | None
    embedded: bool
    """Whether it has vectors."""
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records a read means. Times are microseconds; ``now`` decides what has expired."""

    scope: Scope
    now: int
    filter: RecordFilter | None = None
    since: int | None = None
    """Said at or after."""
    until: int | None = None
    """Said before."""
    exclude: tuple[str, ...] = ()
    """Ids that are left out."""
    expired: bool = False
    """Only those that have expired, instead of only those that have not."""

    @property
    def predicate(self) -> Callable[[Record], bool] | None:
        """The part of the filter that Python must decide."""
        return self.filter if callable(self.filter) else None


def chunks(items: Sequence[T], size: int = _CHUNK) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def select(
    connection: Connection, selection: Selection, *, limit: int | None = None, newest_first: bool = False
) -> list[StoredRecord]:
    """Records in order of ``(at, key)``, at most ``limit``."""
    query = _ordered(connection, selection, newest_first, limit)
    if selection.predicate is None:
        return list(_stored(connection.execute(query)))
    passing = (stored for stored in _stored(connection.execute(query)) if selection.predicate(stored.record))
    return list(islice(passing, limit))


def page(
    connection: Connection, selection: Selection, limit: int, *, newest_first: bool = False, after: str | None = None
) -> tuple[list[StoredRecord], str | None]:
    """The next ``limit`` records in order of ``(at, key)``, and the cursor of the page after; None at the end.

    A damaged row takes a place on its page but is passed over: the pages after it are not lost.
    """
    if limit == 0:
        return [], None
    query = _ordered(connection, selection, newest_first, limit + 1, after)
    if selection.predicate is None:
        rows = connection.execute(query).all()
        return list(_stored(rows[:limit])), _cursor(rows[limit - 1]) if len(rows) > limit else None
    passing: list[tuple[StoredRecord, str]] = []
    for row in connection.execute(query):
        passing += [(stored, _cursor(row)) for stored in _stored([row]) if selection.predicate(stored.record)]
        if len(passing) > limit:
            break
    more = passing[limit - 1][1] if len(passing) > limit else None
    return [stored for stored, _ in passing[:limit]], more


def passing(found: Iterable[StoredRecord], selection: Selection) -> list[StoredRecord]:
    """Those of some records at hand that pass the filter and the bounds of a selection, in their order."""
    test = selection.predicate or _always
    if selection.filter is not None and selection.predicate is None:
        node = filters.parse(selection.filter)  # type: ignore[arg-type]
        test = lambda record: filters.matches(node, {"metadata": record.metadata, "value": record.value})  # noqa: E731
    return [stored for stored in found if _within(stored.record, selection) and test(stored.record)]


def page_of(
    found: Sequence[StoredRecord], limit: int, *, newest_first: bool = False, after: str | None = None
) -> tuple[list[StoredRecord], str | None]:
    """As ``page``, of records at hand in order of ``(at, key)``."""
    places = [(_micros(stored), stored) for stored in (reversed(found) if newest_first else found)]
    if after is not None:
        last = parse_cursor(after)
        places = [(place, stored) for place, stored in places if (place < last if newest_first else place > last)]
    more = f"{places[limit - 1][0][0]}.{places[limit - 1][0][1]}" if 0 < limit < len(places) else None
    return [stored for _, stored in places[:limit]], more


def _micros(stored: StoredRecord) -> tuple[int, int]:
    return to_micros(stored.record.at) if stored.record.at else 0, stored.key


def _within(record: Record, selection: Selection) -> bool:
    at = to_micros(record.at) if record.at else 0
    return (selection.since is None or at >= selection.since) and (selection.until is None or at < selection.until)


def _always(_record: Record) -> bool:
    return True


def _ordered(
    connection: Connection, selection: Selection, newest_first: bool, limit: int | None, after: str | None = None
) -> sa.Select[Any]:
    """Records in order of ``(at, key)``, at most ``limit``; all of them where Python has to choose."""
    dialect, scope, in_sql = connection.dialect.name, selection.scope, selection.predicate is None
    along = in_sql and limit is not None and dialect == "postgresql" and is_below_one_label(scope)
    query = _passing(sa.select(records), selection, dialect) if along else _where(RECORDS, connection, selection)
    place = sa.tuple_(records.c.at, records.c.key)
    if after is not None:
        last = sa.tuple_(*(sa.literal(part) for part in parse_cursor(after)))
        query = query.where(place < last if newest_first else place > last)
    query = query.order_by(*_in_order(records, newest_first)).limit(limit if in_sql else None)
    if not along:
        return query
    # Along the index over times, and only then joined: else PostgreSQL may sort everything, of a new table even without
    # the join, unless it is told bounds of the time.
    found = query.where(BY_TIME, of_tenant(records, scope), records.c.at.between(*EVER)).subquery()
    labelled = sa.select(found, namespaces.c.labels).join(namespaces, namespaces.c.id == found.c.namespace_id)
    return labelled.order_by(*_in_order(found, newest_first))


def _in_order(source: sa.FromClause, newest_first: bool) -> list[sa.UnaryExpression[Any]]:
    columns = (source.c.at, source.c.key)
    return [column.desc() if newest_first else column.asc() for column in columns]


def _cursor(row: Row[Any]) -> str:
    """Where a page goes on after this row; records added meanwhile do not disturb it."""
    return f"{row.at}.{row.key}"


def parse_cursor(text: str) -> tuple[int, int]:
    try:
        at, key = (int(part) for part in text.split("."))
        if max(abs(at), abs(key)) >= 2**63:
            raise ValueError("out of range")
        return at, key
    except (ValueError, AttributeError):
        raise InvalidInput(f"{text!r} is not a cursor", hint="pass on Page.next as it is") from None


def keys(connection: Connection, selection: Selection, among: Sequence[int] | None = None) -> NDArray[np.int64]:
    """The keys of the records that pass, in no order; with ``among``, of these records of the scope."""
    query = _where(RECORDS if selection.predicate else _KEYS, connection, selection, among)
    rows = connection.execute(query)
    if selection.predicate is None:
        return np.array(rows.scalars().all(), np.int64)
    return np.array([stored.key for stored in _stored(rows) if selection.predicate(stored.record)], np.int64)


def count(connection: Connection, selection: Selection) -> int:
    if selection.predicate is not None:
        return len(keys(connection, selection))
    query = _where(sa.select(sa.func.count()).select_from(records), connection, selection)
    return int(connection.execute(query).scalar_one())


def one(database: Database, namespace: Namespace, id: str, now: int) -> StoredRecord | None:
    """The record of exactly this namespace that has the id."""
    tenant = tenant_of(namespace, database.dialect)
    place = {"path": path_of(namespace), "tenant": tenant, "id": id, "now": now}
    return next(restored(_ONE.rows(database, place)), None)


def some(database: Database, namespace: Namespace, ids: Collection[str], now: int) -> list[StoredRecord]:
    """The records of exactly this namespace that have one of these ids, in the order of the ids."""
    tenant, distinct = tenant_of(namespace, database.dialect), dict.fromkeys(ids)
    place = {"path": path_of(namespace), "tenant": tenant, "ids": as_list(distinct, database.dialect), "now": now}
    found = {stored.record.id: stored for stored in restored(_SOME.rows(database, place))}
    return [found[id] for id in distinct if id in found]


def before(
    database: Database, namespace: Namespace, at: int, now: int, limit: int, origins: Origins | None
) -> list[Record]:
    """The last records of exactly this namespace that were said at a time or before it, of these origins, oldest first."""
    names, only = (origins.names, origins.only) if origins else ((), False)
    wanted = {
        "path": path_of(namespace),
        "tenant": tenant_of(namespace, database.dialect),
        "at": at,
        "now": now,
        "limit": limit,
        "names": as_list(names, database.dialect),
    }
    found = [_intact(fields) for fields in _BEFORE[only].tuples(database, wanted)]
    return [record for record in reversed(found) if record]


def by_ids(connection: Connection, scope: Scope, ids: Sequence[str], now: int) -> list[StoredRecord]:
    """The records of a scope that have one of these ids, in order of namespace, then as the ids were given."""
    found: list[StoredRecord] = []
    for chunk in chunks(list(dict.fromkeys(ids))):
        query = _query(connection, Selection(scope, now)).where(records.c.id.in_(chunk))
        if connection.dialect.name == "sqlite":
            query = query.where(records.c.tenant == 0)  # the first column of the index over ids
        found += _stored(connection.execute(query))
    place = {id: number for number, id in enumerate(ids)}
    return sorted(found, key=lambda stored: (stored.record.namespace, place[stored.record.id]))


def vectors(connection: Connection, keys: Sequence[int]) -> dict[int, list[NDArray[np.float32]]]:
    """The vectors of records, one for each passage that has one."""
    found: dict[int, list[NDArray[np.float32]]] = {key: [] for key in keys}
    for chunk in chunks(keys):
        query = sa.select(passages.c.key, passages.c.vector).where(
            having_keys(passages, chunk), passages.c.vector.is_not(None)
        )
        for row in connection.execute(query.order_by(passages.c.key, passages.c.part)):
            found[row.key].append(row.vector)
    return found


def by_keys(database: Database, wanted: Collection[int]) -> dict[int, Record]:
    """The records that are still there, by key."""
    tenants = {tenant_of_key(key) for key in wanted}
    lists = {"tenants": as_list(tenants, database.dialect), "keys": as_list(wanted, database.dialect)}
    found = {key: _intact(fields) for key, *fields in _BY_KEYS.tuples(database, lists)}
    return {key: record for key, record in found.items() if record}


def exported(connection: Connection, scope: Scope, now: int) -> Iterator[ExportedRecord]:
    """A scope's records in order of arrival, read page by page."""
    query = _query(connection, Selection(scope, now)).order_by(records.c.key).limit(_CHUNK)
    last = -1
    while rows := connection.execute(query.where(records.c.key > last)).all():
        keys = [row.key for row in rows]
        said, bare = fact_log.of_sources(connection, keys), without_vectors(connection, keys)
        duplicates = {row.key: row.duplicate for row in rows}
        for stored in _stored(rows):
            key = stored.key
            yield ExportedRecord(stored.record, duplicates[key], key not in bare, tuple(said.get(key, ())))
        last = rows[-1].key


def without_vectors(connection: Connection, keys: Sequence[int]) -> set[int]:
    """Those of the records that have no vector on purpose."""
    vectors = sa.select(passages.c.key).where(having_keys(passages, keys), passages.c.vector.is_not(None))
    return set(keys) - set(connection.scalars(vectors))


def _query(connection: Connection, selection: Selection) -> sa.Select[Any]:
    return _where(RECORDS, connection, selection)


def narrowed(query: sa.Select[Any], connection: Connection, selection: Selection) -> sa.Select[Any]:
    """A query over ``records`` with the conditions of a selection; a Python filter is run first and becomes its keys."""
    if selection.predicate is None:
        return _where(query, connection, selection)
    return query.where(having_keys(records, [int(key) for key in keys(connection, selection)]))


def _where(
    query: sa.Select[Any], connection: Connection, selection: Selection, among: Sequence[int] | None = None
) -> sa.Select[Any]:
    # Known to be in the scope, records are found by their keys alone: SQLite would rather walk through the scope.
    place = (
        _of_scope(records, selection.scope, connection.dialect.name) if among is None else having_keys(records, among)
    )
    return _passing(query.where(place), selection, connection.dialect.name)


def _passing(query: sa.Select[Any], selection: Selection, dialect: str) -> sa.Select[Any]:
    """The query with all conditions of a selection but its scope."""
    unexpired = lasting(selection.now)
    query = query.where(sa.not_(unexpired) if selection.expired else unexpired)
    if selection.exclude:
        query = query.where(sa.not_(one_of(records.c.id, selection.exclude)))
    if selection.since is not None:
        query = query.where(records.c.at >= selection.since)
    if selection.until is not None:
        query = query.where(records.c.at < selection.until)
    if selection.filter is not None and selection.predicate is None:
        filter: Any = selection.filter
        query = query.where(filters.where(filter, (records.c.metadata, records.c.value), dialect))
    return query


_of_scope = lru_cache(maxsize=256)(of_scope)


def lasting(now: int | sa.BindParameter[int]) -> sa.ColumnElement[bool]:
    return sa.or_(records.c.expires_at.is_(None), records.c.expires_at > now)


def _stored(rows: Iterable[Row[Any]]) -> Iterator[StoredRecord]:
    return restored(row._mapping for row in rows)


def restored(rows: Iterable[Mapping[Any, Any]]) -> Iterator[StoredRecord]:
    """The records of rows. One that was damaged from outside is passed over with a warning; the others still work."""
    for row in rows:
        record = _intact(_fields(row))
        if record:
            yield StoredRecord(row["key"], row["namespace_id"], record)


def _intact(fields: Sequence[Any]) -> Record | None:
    try:
        return _record(*fields)
    except (ValueError, OverflowError):
        warnings.warn(f"record {fields[0]!r} is damaged and was passed over", RuntimeWarning, stacklevel=4)
        return None


def record_of(row: Mapping[Any, Any]) -> Record:
    """The record of a row that also has the ``labels`` of its namespace."""
    return _record(*_fields(row))


def _record(
    id: str,
    version: int,
    text: str,
    role: str,
    name: str | None,
    value: str | None,
    metadata: str,
    index_texts: str | None,
    at: int,
    created_at: int,
    updated_at: int,
    origin: str,
    expires_at: int | None,
    believer: str,
    labels: str,
) -> Record:
    return Record(
        text=text,
        id=id,
        namespace=_namespace(labels),
        role=role,
        name=name,
        value=None if value is None else from_json(value),
        metadata={} if metadata == "{}" else from_json(metadata),
        index=None if index_texts is None else tuple(from_json(index_texts)),
        at=from_micros(at),
        created_at=from_micros(created_at),
        updated_at=from_micros(updated_at),
        origin=origin,
        expires_at=None if expires_at is None else from_micros(expires_at),
        version=version,
        believer=believer,
    )


@lru_cache(maxsize=10_000)
def _namespace(labels: str) -> Namespace:
    """The namespace of its labels in JSON, remembered: the records of an answer mostly share a few."""
    return tuple(json.loads(labels))


_FIELDS = tuple(inspect.signature(_record).parameters)
_fields = itemgetter(*_FIELDS)
RECORDS = sa.select(records, namespaces.c.labels).join(namespaces, namespaces.c.id == records.c.namespace_id)
_KEYS = sa.select(records.c.key)
_FIELD_COLUMNS = [RECORDS.selected_columns[name] for name in _FIELDS]
_BY_KEYS = Prepared(
    RECORDS.with_only_columns(records.c.key, *_FIELD_COLUMNS).where(
        listed(records.c.tenant, "tenants"), listed(records.c.key, "keys")
    )
)
_HERE = RECORDS.where(
    namespaces.c.path == sa.bindparam("path"),
    records.c.tenant == sa.bindparam("tenant"),
    lasting(sa.bindparam("now", type_=sa.BigInteger)),
)
_ONE = Prepared(_HERE.where(records.c.id == sa.bindparam("id")))
_SOME = Prepared(_HERE.where(listed(records.c.id, "ids")))
_LAST_SAID = (
    _HERE.with_only_columns(*_FIELD_COLUMNS)
    .where(records.c.at <= sa.bindparam("at"))
    .order_by(records.c.at.desc(), records.c.key.desc())
    .limit(sa.bindparam("limit", type_=sa.Integer))
    .offset(sa.literal_column("0"))  # else SQLAlchemy makes a parameter of it for SQLite
)
_NAMED = listed(records.c.origin, "names")
_BEFORE = {True: Prepared(_LAST_SAID.where(_NAMED)), False: Prepared(_LAST_SAID.where(sa.not_(_NAMED)))}
