"""What a prompt gets to know: the facts that hold, then the records that a question is about."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Unpack

from genome_core import Memory
from genome_core.knowledge import window_line
from genome_core.scopes import ReadScope
from genome_core.search.context import render_context

_FACTS = 30
"""How many facts a prompt gets at most: those that began last."""


def recalled_context(
    memory: Memory,
    query: str,
    *,
    limit: int,
    budget_tokens: int,
    seen: Collection[str] = (),
    at: datetime | None = None,
    **scope: Unpack[ReadScope],
) -> str:
    """A block of data for a prompt, or an empty string. ``seen`` are the ids of turns that the prompt holds anyway."""
    if not query.strip():
        return ""
    hits = memory.search(query, limit=limit, at=at, exclude=seen, **scope)
    windows = sorted(memory.facts(at=at, **scope), key=lambda window: window.begins)[-_FACTS:]
    return render_context(hits, list(map(window_line, windows)), budget_tokens)
