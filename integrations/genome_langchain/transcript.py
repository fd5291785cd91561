"""Which turns of a transcript that was sent again are already stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from genome_core import Memory, Record
from genome_core.types import Namespace


def last_records(memory: Memory, namespace: Namespace, count: int) -> list[Record]:
    """The latest ``count`` records of this very namespace, oldest first."""
    page = memory.get_all(limit=count, newest_first=True, namespace=namespace, exact=True)
    return list(page)[::-1]


def overlap(stored: Sequence[Record], sent: Sequence[Record], key: Callable[[Record], Any]) -> int:
    """How many of the first turns sent are the last turns stored, in the same order; turns are equal if their keys are."""
    old, new = [key(record) for record in stored], [key(record) for record in sent]
    for size in range(min(len(old), len(new)), 0, -1):
        if old[-size:] == new[:size]:
            return size
    return 0
