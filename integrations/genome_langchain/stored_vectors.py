"""The stored vectors of records that a search found, for reordering them by diversity."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from genome_core import Memory, Record
from genome_core.storage.reading import chunks
from genome_core.storage.schema import namespaces, passages, records
from genome_core.types import Namespace

_VECTORS = (
    sa.select(namespaces.c.labels, records.c.id, passages.c.vector)
    .join_from(records, namespaces, namespaces.c.id == records.c.namespace_id)
    .join(passages, sa.and_(passages.c.tenant == records.c.tenant, passages.c.key == records.c.key))
    .where(records.c.id.in_(sa.bindparam("ids", expanding=True)), passages.c.vector.is_not(None))
)


def nearest_vectors(
    memory: Memory, found: Sequence[Record], query: NDArray[np.float32]
) -> dict[tuple[Namespace, str], NDArray[np.float32]]:
    """By namespace and id, each record's vector: of its passages the one nearest to the query."""
    nearest: dict[tuple[Namespace, str], NDArray[np.float32]] = {}
    with memory.database.read() as connection:
        for chunk in chunks(sorted({record.id for record in found})):
            for labels, id, vector in connection.execute(_VECTORS, {"ids": chunk}):
                identity = (tuple(json.loads(labels)), id)
                best = nearest.get(identity)
                if best is None or vector @ query > best @ query:
                    nearest[identity] = vector
    return nearest
