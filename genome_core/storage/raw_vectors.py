"""Vectors as the bytes that the databases send: many of them become one matrix without a step for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from genome_core.storage.schema import passages

_HEADER = 4
"""pgvector's binary form has two fields of two bytes before the numbers, which are in network order."""


def raw_vector(dialect: str) -> sa.ColumnElement[Any]:
    """The column of a passage's vector, as the database sends it."""
    if dialect == "postgresql":
        return sa.func.vector_send(passages.c.vector, type_=sa.LargeBinary).label("vector")
    return sa.type_coerce(passages.c.vector, sa.LargeBinary).label("vector")


def matrix(vectors: Sequence[bytes | None], dimensions: int) -> NDArray[np.float32]:
    """One row for each, of any byte order, blank where there is none."""
    width = 4 * dimensions
    postgres = len(next((vector for vector in vectors if vector is not None), b"")) == width + _HEADER
    blank = bytes(width)
    data = b"".join(blank if vector is None else vector[_HEADER:] if postgres else vector for vector in vectors)
    return np.frombuffer(data, dtype=">f4" if postgres else "<f4").reshape(len(vectors), dimensions)
