"""Search inside PostgreSQL, for scopes too large to be kept in memory.

pgvector finds the passages nearest to the question, by an exact scan or, once ``create_vector_index`` has been called, by its
HNSW index with iterative scans; where these leave too few, by an exact scan after all. What it finds is ranked by the same
rules as everything else, within itself: words, names and times reorder what the vectors found, they do not add to it.
"""

from __future__ import annotations

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from genome_core.storage import reading
from genome_core.storage.reading import Selection
from genome_core.storage.schema import Vector, namespaces, passages, records, vector_bytes

CANDIDATES = 1000
"""How many passages pgvector is asked for."""


def nearest(connection: Connection, selection: Selection, vector: NDArray[np.float32]) -> list[int]:
    """The keys of the records of a selection whose passages are nearest to a vector, in no order."""
    connection.exec_driver_sql("SET LOCAL hnsw.iterative_scan = strict_order")
    connection.exec_driver_sql(f"SET LOCAL hnsw.ef_search = {CANDIDATES}")
    # Written as the index has it, so that the planner can use it.
    typed = sa.cast(passages.c.vector, _FixedVector(len(vector)))
    distance = typed.op("<=>", return_type=sa.Float())(sa.bindparam("vector", vector_bytes(vector), type_=Vector()))
    query = (
        reading.narrowed(sa.select(passages.c.key), connection, selection)
        .join(records, sa.and_(records.c.tenant == passages.c.tenant, records.c.key == passages.c.key))
        .where(passages.c.vector.is_not(None))
        .order_by(distance)
        .limit(CANDIDATES)
    )
    found = connection.scalars(query).all()
    if len(found) < CANDIDATES:
        # The scope has no more, or the index gave up: it does after so many rows that do not pass (hnsw.max_scan_tuples).
        connection.exec_driver_sql("SET LOCAL enable_indexscan = off")
        found = connection.scalars(query).all()
        connection.exec_driver_sql("SET LOCAL enable_indexscan TO DEFAULT")
    return sorted(set(found))


def create_index(connection: Connection, dimensions: int) -> None:
    """Builds the HNSW index over cosine distance; a no-op if it is there. Takes minutes for a million vectors."""
    connection.exec_driver_sql(
        f"CREATE INDEX IF NOT EXISTS genome_passages_hnsw ON {passages.name} "
        f"USING hnsw ((vector::vector({dimensions:d})) vector_cosine_ops)"
    )
    # Of tables that were filled just now the planner knows nothing: it would take a scope for one row and sort it.
    connection.exec_driver_sql(f"ANALYZE {namespaces.name}, {records.name}, {passages.name}")


class _FixedVector(sa.types.UserDefinedType[object]):
    cache_ok = True

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions

    def get_col_spec(self, **_: object) -> str:
        return f"vector({self.dimensions:d})"
