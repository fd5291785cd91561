"""The inverted lists: for each term, the rows it stands in and how often."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

_COUNT_BITS = 8
_MOST = (1 << _COUNT_BITS) - 1
_ROW_BITS = 32
_ROW_MASK = (1 << _ROW_BITS) - 1
_ENTRY_BYTES = 8
_TERM_BYTES = 250
"""What a term costs beside its entries: the string, the array object and its place in the dictionary."""


class _Numbers(dict[str, int]):
    """Numbers words in order of their first use."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


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
        rows = [text.split() for text in texts]
        lengths = np.array([len(words) for words in rows], np.int32)
        numbers = _Numbers()
        number = np.fromiter(map(numbers.__getitem__, chain.from_iterable(rows)), np.int64, int(lengths.sum()))
        row = np.repeat(np.arange(first_row, first_row + len(texts), dtype=np.int64), lengths)
        # Sorted by term, then by row: what belongs to one list lies together.
        pairs, counts = np.unique(number << _ROW_BITS | row, return_counts=True)
        entries = (pairs & _ROW_MASK) << _COUNT_BITS | np.minimum(counts, _MOST)
        ends = np.cumsum(np.bincount(pairs >> _ROW_BITS, minlength=len(numbers))).tolist()
        start = 0
        for word, end in zip(numbers, ends, strict=True):
            self._lists.setdefault(word, array("q")).frombytes(entries[start:end].tobytes())
            start = end
        self._entries += len(entries)
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
