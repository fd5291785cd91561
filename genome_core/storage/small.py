"""Scopes that hold few records: read whole by one prepared statement, and filtered and sorted here.

SQL that is made for a filter takes longer to make than such a scope takes to read, and so does an index in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from genome_core.storage import filters
from genome_core.storage.database import Database
from genome_core.storage.lists import as_list, listed
from genome_core.storage.namespaces import range_of
from genome_core.storage.prepared import Prepared
from genome_core.storage.raw_vectors import raw_vector
from genome_core.storage.reading import RECORDS, Selection, StoredRecord, lasting, parse_cursor, restored
from genome_core.storage.schema import embedder, namespaces, passages, records, tenant_of
from genome_core.types import Scope

MOST = 128
"""Records of a scope that is read whole."""

MOST_WITH_VECTORS = 32
"""Passages of a scope of which a search reads all vectors each time; with more, an index in memory is worth its making."""

LONGEST = 250_000
"""Characters in them: to read more than a page shows is cheap only as long as it is little."""

_REMEMBERED = 1000
_FOREVER = 2**63 - 1


class SmallScopes:
    """Reads pages of the scopes that hold few records, and remembers which hold more."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._large: set[Scope] = set()

    def page(
        self, selection: Selection, limit: int, *, newest_first: bool = False, after: str | None = None
    ) -> tuple[list[StoredRecord], str | None] | None:
        """As ``reading.page``; None if the scope holds many records, or is not of a kind that is prepared."""
        scope = selection.scope
        if not self._is_plain(selection) or selection.exclude or scope in self._large:
            return None
        last = parse_cursor(after) if after is not None else None
        passes = None if selection.filter is None else filters.test(selection.filter)  # type: ignore[arg-type]
        if limit == 0:
            return [], None
        rows = _rows(self._database, selection, _WHOLE)
        if len(rows) > MOST:
            self._remember(scope)
            return None
        if sum(map(_length, rows)) > LONGEST:
            self._remember(scope)
        if last is not None:
            rows = [row for row in rows if (_place(row) < last if newest_first else _place(row) > last)]
        rows.sort(key=_place, reverse=newest_first)
        shown: list[Mapping[str, Any]] = []
        for row in rows:
            if passes is None or passes(row):
                shown.append(row)
                if len(shown) > limit:
                    break
        following = f"{shown[limit - 1]['at']}.{shown[limit - 1]['key']}" if len(shown) > limit else None
        return list(restored(shown[:limit])), following

    def with_vectors(self, selection: Selection, digest: str) -> list[list[dict[str, Any]]] | None:
        """The rows of the records that pass and are found by meaning: of each one row a passage, in order, with its vector.

        None if the scope holds many passages, is not of a kind that is prepared, or has vectors of another embedder than that
        of the digest.
        """
        if not self._is_plain(selection):
            return None
        passes = None if selection.filter is None else filters.test(selection.filter)  # type: ignore[arg-type]
        rows = _rows(self._database, selection, _WITH_VECTORS)
        if len(rows) > MOST_WITH_VECTORS or any(row["digest"] != digest for row in rows):
            return None
        found: dict[int, list[dict[str, Any]]] = {}
        for row in sorted(rows, key=itemgetter("key", "part")):
            found.setdefault(row["key"], []).append(row)
        return [
            parts
            for parts in found.values()
            if parts[0]["id"] not in selection.exclude
            and all(row["vector"] is not None for row in parts)
            and (passes is None or passes(parts[0]))
        ]

    def _remember(self, scope: Scope) -> None:
        """One that shrinks is read as a large one from then on, which is as right."""
        if len(self._large) >= _REMEMBERED:
            self._large.clear()
        self._large.add(scope)

    def _is_plain(self, selection: Selection) -> bool:
        scope = selection.scope
        if scope.having or selection.expired or selection.predicate or not (scope.prefix or scope.exact):
            return False
        bounded = selection.since is not None or selection.until is not None
        return scope.exact or not bounded  # else few may pass of very many namespaces, each of which would be looked at


def _rows(
    database: Database, selection: Selection, statements: Mapping[tuple[str, bool], Prepared]
) -> list[dict[str, Any]]:
    scope = selection.scope
    origins, (first, end) = scope.origins, range_of(scope)
    wanted = {
        "first": first,
        "end": end,
        "tenant": tenant_of(scope.prefix, database.dialect),
        "now": selection.now,
        "since": -_FOREVER if selection.since is None else selection.since,
        "until": _FOREVER if selection.until is None else selection.until,
        "names": as_list(origins.names if origins else (), database.dialect),
    }
    return statements[database.dialect, bool(origins and origins.only)].rows(database, wanted)


def _length(row: Mapping[str, Any]) -> int:
    return len(row["text"]) + len(row["metadata"]) + len(row["value"] or "")


def _place(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["at"], row["key"]


def _whole(dialect: str, only: bool, *, vectors: bool) -> Prepared:
    """Both databases are made to find the namespaces first: of a new table they know too little to see that this is best.

    SQLite is not told the tenant, by which it would walk through everybody's records. PostgreSQL looks at one namespace after
    the other, since nothing may cross the bound of a LATERAL subquery that has a LIMIT; and that ``at`` has bounds, even where
    nobody gave one, shows it which index to use.
    """
    named = listed(records.c.origin, "names")
    wanted = (
        records.c.at >= sa.bindparam("since"),
        records.c.at < sa.bindparam("until"),
        lasting(sa.bindparam("now", type_=sa.BigInteger)),
        named if only else sa.not_(named),
    )
    below = (namespaces.c.path >= sa.bindparam("first"), namespaces.c.path < sa.bindparam("end"))
    most = MOST_WITH_VECTORS if vectors else MOST
    parts = (passages.c.part, raw_vector(dialect), sa.select(embedder.c.digest).scalar_subquery().label("digest"))
    of_record = sa.and_(passages.c.tenant == records.c.tenant, passages.c.key == records.c.key)
    if dialect == "sqlite":
        every = RECORDS.add_columns(*parts).join(passages, of_record) if vectors else RECORDS
        return Prepared(_some(every.where(*below, *wanted), most))
    mine = (records.c.tenant == sa.bindparam("tenant"), records.c.namespace_id == namespaces.c.id)
    every = sa.select(records, *parts).join(passages, of_record) if vectors else sa.select(records)
    here = _some(every.where(*mine, *wanted), most).lateral()
    return Prepared(
        _some(sa.select(here, namespaces.c.labels).join_from(namespaces, here, sa.true()).where(*below), most)
    )


def _some(query: sa.Select[Any], most: int) -> sa.Select[Any]:
    """As many rows as tell whether there are more than ``most``; SQLAlchemy would make parameters of the numbers."""
    return query.limit(sa.literal_column(str(most + 1))).offset(sa.literal_column("0"))


_KINDS = list(product(("sqlite", "postgresql"), (True, False)))
_WHOLE = {(dialect, only): _whole(dialect, only, vectors=False) for dialect, only in _KINDS}
_WITH_VECTORS = {(dialect, only): _whole(dialect, only, vectors=True) for dialect, only in _KINDS}
