"""Searching with a filter of which a part is left for Python."""

from __future__ import annotations

from typing import Any

from genome_core import Hit, Memory
from genome_core.errors import InvalidInput
from genome_llama_index.filters import NodeFilter

_MORE = (8, 64)
"""How many times as many of the best are tried first, before every record of the scope is read."""


def search(memory: Memory, query: str, filter: NodeFilter, limit: int, **arguments: Any) -> list[Hit]:
    """As ``Memory.search``, for a filter of nodes: the best that pass it, exactly.

    A record's score depends neither on the filter nor on the limit, so the best that pass are the first of the best that do.
    The engine looks at the best first too, but in its memory alone: where PostgreSQL searches, it would read the whole scope.
    """
    if limit < 0:
        raise InvalidInput(f"limit is {limit}", hint="give 0 or more")
    if filter.test is None or not limit:
        return memory.search(query, filter=filter.database, limit=limit, **arguments)
    for times in _MORE:
        best = memory.search(query, filter=filter.database, limit=limit * times, **arguments)
        passing = [hit for hit in best if filter.test(hit.record)]
        if len(passing) >= limit or len(best) < limit * times:
            return passing[:limit]
    return memory.search(query, filter=filter.whole, limit=limit, **arguments)
