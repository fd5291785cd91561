"""What of an index is there at a time, and how long its rows are for BM25: reckoned once for all questions, until something changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from genome_core.search.index import ScopeIndex

K1, B = 1.2, 0.3
NEVER = np.iinfo(np.int64).max
"""When what never expires does."""


class Lengths(NamedTuple):
    """What BM25 knows of the rows before it is asked for a word."""

    present: NDArray[np.bool_]
    total: int
    """How many are present."""
    need: NDArray[np.float32] | None
    """How much each needs its neighbours; 0 outside conversations, None where there are no conversations."""
    norm: NDArray[np.float64]
    """What is added to a count in the denominator: it grows with the row's length, its window's share included."""


class Present:
    """What has not expired by a time. It holds until the next expiry, as long as the index does not change."""

    def __init__(self, index: ScopeIndex, now: int) -> None:
        self.records: NDArray[np.bool_] = index.alive.data & (index.expires.data > now)
        self.comparable: NDArray[np.bool_] = self.records & index.has_vector.data
        """Those that are found by meaning."""
        self.all_comparable = bool((self.comparable == self.records).all())
        self._from, self._until = now, int(index.expires.data.min(where=self.records, initial=NEVER))
        self._lengths: Lengths | None = None

    def holds_at(self, now: int) -> bool:
        return self._from <= now < self._until

    def lengths(self, index: ScopeIndex) -> Lengths:
        """Only a session in which several speakers take part is a conversation: notes by one hand have no window."""
        if self._lengths is None:
            present = index.of_rows(self.records)
            dialogue = index.of_rows(index.voices.data[index.session.data] > 1)
            size = index.length.data + dialogue * index.context_length.data
            total = int(np.count_nonzero(present))
            average = float(size.sum(where=present, dtype=np.float64)) / max(total, 1)
            norm = K1 * (1 - B) + (K1 * B / max(average, 1e-9)) * size
            need = index.need.data * dialogue if dialogue.any() else None
            self._lengths = Lengths(present, total, need, norm)
        return self._lengths
