"""Which turns of a transcript that was sent again are already stored."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from genome_core import Memory, Record
from genome_core.types import Namespace


def last_records(memory: Memory, namespace: Namespace, count: int) -> list[Record]:
    """The latest ``count`` records of this very namespace, oldest first."""
    page = memory.get_all(limit=count, newest_first=True, namespace=namespace, exact=True)
    return list(page)[::-1]


def sent_again(stored: Sequence[Record], sent: Sequence[Record]) -> int:
    """How many of the first turns sent stand in the same order among the turns stored: the longest such run.

    A single turn counts only if it is the last one stored: the same word twice is more often said than sent again.
    """
    old, new = [(turn.role, turn.text) for turn in stored], [(turn.role, turn.text) for turn in sent]
    longest = 0
    for start in range(len(old)):
        pairs = zip(old[start:], new, strict=False)
        length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if length > longest and (length > 1 or start == len(old) - 1):
            longest = length
    return longest
