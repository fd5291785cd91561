"""The nearest of a few records by meaning alone, without an index: what ``rank`` finds in its dense mode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genome_core.search.rank import DECIMALS, Candidate
from genome_core.types import Signal


def nearest(
    keys: Sequence[int],
    at: Sequence[int],
    passages: Sequence[int],
    vectors: NDArray[np.float32],
    question: NDArray[np.float32],
    *,
    limit: int,
    threshold: float | None,
) -> list[Candidate]:
    """The best records, best first; ties by time (the latest first), then by key.

    ``passages`` tells how many rows of ``vectors`` each record has. They lie together, in the order of the records.
    """
    if not keys:
        return []
    cosines = np.einsum("ij,j->i", vectors, question.astype(np.float64))
    counts = np.array(passages)
    starts = np.cumsum(counts) - counts
    best = np.maximum.reduceat(cosines, starts)
    scores = np.round(best, DECIMALS)
    order = np.lexsort((np.array(keys), -np.array(at), -scores))[:limit]
    found = []
    for record in order.tolist():
        if threshold is None or scores[record] >= threshold:
            detail, count, start = "", passages[record], starts[record]
            if count > 1:
                detail = f"passage {np.argmax(cosines[start : start + count]) + 1} of {count}"
            value = float(best[record])
            found.append(Candidate(keys[record], float(scores[record]), (Signal("dense", value, value, detail),)))
    return found
