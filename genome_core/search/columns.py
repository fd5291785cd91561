"""Growable numpy columns: the index appends to them without copying what is there on every call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_GROWTH = 1.25


class Column:
    """An array whose first axis grows. ``data`` is a view of the filled part: do not keep it across an ``extend``."""

    def __init__(self, dtype: DTypeLike, *tail: int) -> None:
        self._buffer: NDArray[Any] = np.empty((0, *tail), dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def data(self) -> NDArray[Any]:
        return self._buffer[: self._size]

    @property
    def nbytes(self) -> int:
        return self._buffer.nbytes

    def reserve(self, more: int) -> None:
        """Make room for so many more rows at once."""
        self._grow_to(self._size + more)

    def _grow_to(self, room: int) -> None:
        if room > len(self._buffer):
            grown = np.empty((room, *self._buffer.shape[1:]), self._buffer.dtype)
            grown[: self._size] = self.data
            self._buffer = grown

    def extend(self, block: NDArray[Any]) -> None:
        """Append a block of rows; amortised constant time a row."""
        size = self._size + len(block)
        if size > len(self._buffer):
            self._grow_to(max(size, int(len(self._buffer) * _GROWTH), 8))
        self._buffer[self._size : size] = block
        self._size = size

    def keep(self, chosen: NDArray[Any]) -> None:
        """Keep only the chosen rows (a mask or positions)."""
        self._buffer = self.data[chosen]
        self._size = len(self._buffer)
