"""The inverted lists: for each term, the rows it stands in and how often."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_COUNT_BITS = 8
_MOST = (1 << _COUNT_BITS) - 1
_ENTRY_BYTES = 8
_TERM_BYTES = 250
"""What a term costs beside its entries: the string, the array object and its place in the dictionary."""


class Postings:
    """Per term a growing array of ``row << 8 | count``, ascending by row. Rows must be added in ascending order."""

    def __init__(self) -> None:
        self._lists: dict[str, array[int]] = {}
        self._entries = 0

    @property
    def nbytes(self) -> int:
        return self._entries * _ENTRY_BYTES + len(self._lists) * _TERM_BYTES

    def extend(self, first_row: int, texts: Sequence[str]) -> NDArray[np.int32]:
        """Add one row for each text (terms joined by spaces); return the rows' lengths in terms."""
        lengths = np.zeros(len(texts), np.int32)
        lists = self._lists
        for offset, text in enumerate(texts):
            words = text.split()
            lengths[offset] = len(words)
            counts: dict[str, int] = {}
            for word in words:
                counts[word] = counts.get(word, 0) + 1
            row = (first_row + offset) << _COUNT_BITS
            for word, count in counts.items():
                entry = row | min(count, _MOST)
                known = lists.get(word)
                if known is None:
                    lists[word] = array("q", (entry,))
                else:
                    known.append(entry)
            self._entries += len(counts)
        return lengths

    def of(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows that hold a term, ascending, and its counts there."""
        entries = np.array(self._lists.get(term, ()), dtype=np.int64)  # a copy: an array that is viewed can not grow
        return entries >> _COUNT_BITS, entries & _MOST

    def renumber(self, new_row: NDArray[np.int64]) -> None:
        """Move every entry to ``new_row[row]``; entries of rows that become negative are dropped."""
        old, self._lists, self._entries = self._lists, {}, 0
        for term, entries in old.items():
            packed = np.frombuffer(entries, dtype=np.int64)
            row = new_row[packed >> _COUNT_BITS]
            kept = (row[row >= 0] << _COUNT_BITS) | (packed[row >= 0] & _MOST)
            if len(kept):
                self._lists[term] = array("q", kept.tobytes())
                self._entries += len(kept)
