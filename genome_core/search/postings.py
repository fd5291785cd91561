"""The inverted lists: for each term, the rows it stands in and how often."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, compress

import numpy as np
from numpy.typing import NDArray

_COUNT_BITS = 8
_MOST = (1 << _COUNT_BITS) - 1
_ROW_BITS = 32
_ROW_MASK = (1 << _ROW_BITS) - 1
_ENTRY_BYTES = 8
_TERM_BYTES = 250
"""What a term costs beside its entries: the string, the array object and its place in the dictionary."""
_BULK = 5_000
_BULK_SHARE = 8
"""So many rows, or one for so many that are there, are kept as one block."""


class _Numbers(dict[str, int]):
    """Numbers words in order of their first use."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


@dataclass(frozen=True, slots=True)
class _Block:
    """The lists of rows that came together, one behind the other. Making a list for each term would take longer than all else."""

    numbers: dict[str, int]
    """Which list is a term's."""
    borders: NDArray[np.int64]
    """Where each list begins, and where the last one ends."""
    entries: NDArray[np.int64]

    def of(self, term: str) -> NDArray[np.int64] | None:
        number = self.numbers.get(term)
        return None if number is None else self.entries[self.borders[number] : self.borders[number + 1]]

    def moved(self, new_row: NDArray[np.int64]) -> _Block:
        row = new_row[self.entries >> _COUNT_BITS]
        kept = row >= 0
        left = np.concatenate(([0], np.cumsum(kept)))[self.borders]
        holding = np.diff(left) > 0
        numbers = {word: number for number, word in enumerate(compress(self.numbers, holding))}
        borders = np.concatenate(([0], left[1:][holding]))
        return _Block(numbers, borders, row[kept] << _COUNT_BITS | self.entries[kept] & _MOST)


class Postings:
    """Per term its entries ``row << 8 | count``, ascending by row. Rows must be added in ascending order."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._lists: dict[str, array[int]] = {}
        """Of rows that came after the blocks, one by one or a few at a time."""
        self._rows = self._entries = 0

    @property
    def nbytes(self) -> int:
        terms = len(self._lists) + sum(len(block.numbers) for block in self._blocks)
        return self._entries * _ENTRY_BYTES + terms * _TERM_BYTES

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
        borders = np.concatenate(([0], np.cumsum(np.bincount(pairs >> _ROW_BITS, minlength=len(numbers)))))
        new = _Block(dict(numbers), borders, entries)
        if len(texts) >= min(_BULK, self._rows / _BULK_SHARE):
            self._blocks += [*self._gathered(), new]
        else:
            self._append(new)
        self._rows += len(texts)
        self._entries += len(entries)
        return lengths

    def _append(self, new: _Block) -> None:
        """Each term's entries to its own list."""
        start, *ends = new.borders.tolist()
        for word, end in zip(new.numbers, ends, strict=True):
            self._lists.setdefault(word, array("q")).frombytes(new.entries[start:end].tobytes())
            start = end

    def _gathered(self) -> list[_Block]:
        """What is in lists as a block, so that the rows of later blocks come after it."""
        lists, self._lists = self._lists, {}
        if not lists:
            return []
        borders = np.concatenate(([0], np.cumsum([len(entries) for entries in lists.values()])))
        entries = np.concatenate([np.frombuffer(one, np.int64) for one in lists.values()])
        return [_Block({word: number for number, word in enumerate(lists)}, borders, entries)]

    def of(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows that hold a term, ascending, and its counts there."""
        parts = [part for block in self._blocks if (part := block.of(term)) is not None]
        if term in self._lists or not parts:
            parts.append(np.array(self._lists.get(term, ()), np.int64))  # a copy: an array that is viewed can not grow
        entries = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return entries >> _COUNT_BITS, entries & _MOST

    def renumber(self, new_row: NDArray[np.int64]) -> None:
        """Move every entry to ``new_row[row]``; entries of rows that become negative are dropped."""
        blocks = [block.moved(new_row) for block in [*self._blocks, *self._gathered()]]
        self._blocks = [block for block in blocks if len(block.entries)]
        self._rows = int(np.count_nonzero(new_row >= 0))
        self._entries = sum(len(block.entries) for block in self._blocks)
