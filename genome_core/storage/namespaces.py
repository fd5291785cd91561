"""Namespaces in the database: paths that compare label by label, and the scopes that select them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage.lists import one_of
from genome_core.storage.schema import namespace_labels, namespaces, tenant_of
from genome_core.types import Namespace, Origins, Scope

_ESCAPE, _END = "\x1e", "\x1f"


@dataclass(frozen=True, slots=True)
class Place:
    """A namespace as the tables know it."""

    id: int
    tenant: int
    labels: str
    """The labels as a JSON array."""


def path_of(namespace: Namespace) -> str:
    """The labels as one text in which each label is closed by a mark that no label can hold.

    Everything below a namespace begins with its path, and nothing else does: a range of texts, whatever the labels hold.
    """
    escaped = (label.replace(_ESCAPE, _ESCAPE + "0").replace(_END, _ESCAPE + "1") for label in namespace)
    return "".join(label + _END for label in escaped)


def path_range(prefix: Namespace) -> tuple[str, str]:
    """The first path of those below a namespace that has labels, itself included, and the end of them."""
    path = path_of(prefix)
    return path, path[:-1] + chr(ord(_END) + 1)


def range_of(scope: Scope) -> tuple[str, str]:
    """The first path of a scope that is exact or has labels, and the end of them."""
    if not scope.exact:
        return path_range(scope.prefix)
    # No label holds U+0000, so nothing but the namespace itself comes before its path with U+0001 behind it.
    path = path_of(scope.prefix)
    return path, path + "\x01"


def labels_json(namespace: Namespace) -> str:
    return json.dumps(list(namespace), ensure_ascii=False, separators=(",", ":"))


def in_scope(scope: Scope) -> sa.ColumnElement[bool]:
    """The WHERE clause on ``namespaces`` for a scope; whose words are read in them is for the tables that hold words."""
    conditions: list[sa.ColumnElement[bool]] = [sa.true()]
    if scope.exact:
        conditions.append(namespaces.c.path == path_of(scope.prefix))
    elif scope.prefix:
        first, end = path_range(scope.prefix)
        conditions += [namespaces.c.path >= first, namespaces.c.path < end]
    for group in scope.having:
        holding = sa.select(namespace_labels.c.namespace_id).where(one_of(namespace_labels.c.label, sorted(group)))
        conditions.append(namespaces.c.id.in_(holding))
    return sa.and_(*conditions)


def of_scope(table: sa.Table, scope: Scope, dialect: str) -> sa.ColumnElement[bool]:
    """The WHERE clause for the rows of a table that belong to a scope; of ``records``, those of its origins.

    PostgreSQL is told the tenant, so that it looks into one partition. SQLite is not: there all rows have the same, and it
    would walk through everybody's. PostgreSQL finds the namespaces first: of a table that was just filled it knows too little
    to see that walking through all records for each of them takes long.
    """
    within: sa.ColumnElement[bool] = sa.true()
    if scope.prefix or scope.having or scope.exact:
        ids = sa.select(namespaces.c.id).where(in_scope(scope))
        if dialect == "postgresql":
            within = table.c.namespace_id == sa.func.any(sa.func.array(ids.scalar_subquery()))
        else:
            within = table.c.namespace_id.in_(ids)
    if "origin" in table.c:
        within = sa.and_(within, of_origins(table.c.origin, scope.origins))
    if dialect == "postgresql" and (scope.prefix or scope.exact):
        return sa.and_(table.c.tenant == tenant_of(scope.prefix, dialect), within)
    return within


def is_below_one_label(scope: Scope) -> bool:
    """Whether a scope is, in PostgreSQL, all of a tenant but what shares its number by chance."""
    return len(scope.prefix) == 1 and not scope.exact and not scope.having


def of_tenant(records: sa.Table, scope: Scope) -> sa.ColumnElement[bool]:
    """The WHERE clause for the records below one label, which is asked row by row while they are read in order."""
    first, end = path_range(scope.prefix)
    is_below = sa.and_(namespaces.c.path >= first, namespaces.c.path < end)
    here = sa.select(is_below).where(namespaces.c.id == records.c.namespace_id).scalar_subquery()
    mine = records.c.tenant == tenant_of(scope.prefix, "postgresql")
    return sa.and_(mine, of_origins(records.c.origin, scope.origins), here)


def of_origins(column: sa.ColumnElement[str], origins: Origins | None) -> sa.ColumnElement[bool]:
    """The WHERE clause for words of these origins; None for all."""
    if origins is None:
        return sa.true()
    named = column.in_(origins.names)
    return named if origins.only else sa.not_(named)


class NamespaceTable:
    """Finds and makes the rows of namespaces, remembering those that it has seen."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._seen: dict[Namespace, tuple[str, Place]] = {}
        """With the epoch of the chain in which the row was there: an erasure begins another."""
        self._lock = threading.Lock()

    def tenant(self, namespace: Namespace) -> int:
        return tenant_of(namespace, self._dialect)

    def holding(self, table: sa.Table, scope: Scope) -> sa.ColumnElement[bool]:
        """The WHERE clause for the rows of the tenants that a scope can mean."""
        if scope.prefix or scope.exact or self._dialect == "sqlite":
            return table.c.tenant == self.tenant(scope.prefix)
        return table.c.tenant.in_(sa.select(namespaces.c.tenant).where(in_scope(scope)))

    def ensure(
        self, connection: Connection, wanted: Iterable[Namespace], epochs: Mapping[int, str] = MappingProxyType({})
    ) -> dict[Namespace, Place]:
        """The rows of these namespaces, made where they are missing.

        ``epochs`` are those of the chains that the transaction has locked; what was remembered in others is looked up.
        """
        places = {}
        for namespace in dict.fromkeys(wanted):
            epoch, place = self._seen.get(namespace, ("", None))
            if place is None or epochs.get(place.tenant) != epoch:
                place = find_place(connection, namespace) or self._insert(connection, namespace)
            places[namespace] = place
        return places

    def remember(self, places: Mapping[Namespace, Place], epochs: Mapping[int, str]) -> None:
        """Call after the commit, with the epochs that it saw: a rolled-back row must not be remembered."""
        with self._lock:
            self._seen.update((namespace, (epochs[place.tenant], place)) for namespace, place in places.items())

    def forget(self) -> None:
        """Drops the names of what was erased."""
        with self._lock:
            self._seen.clear()

    def _insert(self, connection: Connection, namespace: Namespace) -> Place:
        return insert_place(connection, namespace, self.tenant(namespace))


def find_place(connection: Connection, namespace: Namespace) -> Place | None:
    row = connection.execute(_BY_PATH, {"path": path_of(namespace)}).first()
    return Place(row.id, row.tenant, row.labels) if row else None


def insert_place(connection: Connection, namespace: Namespace, tenant: int) -> Place:
    """Makes the rows of a namespace that is not there."""
    labels = labels_json(namespace)
    row = {"tenant": tenant, "path": path_of(namespace), "labels": labels}
    new_id = connection.execute(sa.insert(namespaces).returning(namespaces.c.id), row).scalar_one()
    if namespace:
        rows = [{"label": label, "namespace_id": new_id} for label in set(namespace)]
        connection.execute(sa.insert(namespace_labels), rows)
    return Place(new_id, tenant, labels)


_BY_PATH = sa.select(namespaces).where(namespaces.c.path == sa.bindparam("path"))
