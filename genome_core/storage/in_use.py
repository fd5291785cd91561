"""Which namespaces of a scope hold records."""

from __future__ import annotations

from itertools import product
from typing import Any

import orjson
import sqlalchemy as sa

from genome_core.storage.database import Database
from genome_core.storage.lists import as_list, listed
from genome_core.storage.namespaces import in_scope, of_origins, range_of
from genome_core.storage.prepared import Prepared
from genome_core.storage.reading import lasting
from genome_core.storage.schema import namespaces, records
from genome_core.types import Namespace, Scope


def in_use(database: Database, scope: Scope, now: int) -> list[Namespace]:
    """The namespaces of a scope that hold at least one record, sorted."""
    if scope.having:
        with database.read() as connection:
            here = _HERE.where(lasting(now), of_origins(records.c.origin, scope.origins))
            labels = connection.scalar(_LABELS.where(in_scope(scope), sa.exists(here)))
    else:
        origins, bounds = scope.origins, {}
        if scope.exact or scope.prefix:
            bounds = dict(zip(("first", "end"), range_of(scope), strict=True))
        names = as_list(origins.names if origins else (), database.dialect)
        statement = _IN_USE[bool(bounds), bool(origins and origins.only)]
        [row] = statement.rows(database, {"now": now, "names": names} | bounds)
        labels = row["labels"]
    return sorted(map(tuple, orjson.loads(f"[{labels or ''}]")))


def _in_use(bounded: bool, only: bool) -> Prepared:
    named = listed(records.c.origin, "names")
    here = _HERE.where(lasting(sa.bindparam("now", type_=sa.BigInteger)), named if only else sa.not_(named))
    query = _LABELS.where(sa.exists(here))
    if bounded:
        query = query.where(namespaces.c.path >= sa.bindparam("first"), namespaces.c.path < sa.bindparam("end"))
    return Prepared(query)


_HERE: sa.Select[tuple[Any]] = sa.select(sa.literal_column("1")).where(records.c.namespace_id == namespaces.c.id)
_LABELS = sa.select(sa.func.aggregate_strings(namespaces.c.labels, sa.literal_column("','")).label("labels"))  # type: ignore[arg-type]  # a bound one would be a parameter
"""All in one text, which is read faster than so many rows."""
_IN_USE = {(bounded, only): _in_use(bounded, only) for bounded, only in product((True, False), (True, False))}
