"""What the prompt of an agent gets to know: the facts that hold, then the records that a question is about."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Unpack

from genome_core.facts.windows import Window
from genome_core.knowledge import window_line
from genome_core.scopes import ReadScope
from genome_core.search.context import estimate_tokens, render_context

if TYPE_CHECKING:
    from genome_core.memory import Memory

_FACTS = 30
"""How many facts a prompt gets at most: those that began last."""


def recalled_context(
    memory: Memory,
    query: str,
    *,
    limit: int,
    budget_tokens: int,
    count_tokens: Callable[[str], int] = estimate_tokens,
    exclude: Collection[str] = (),
    exclude_texts: Collection[str] = (),
    fact_line: Callable[[Window], str] = window_line,
    **scope: Unpack[ReadScope],
) -> str:
    """A block of data of at most ``budget_tokens``, or an empty string if there is no question or nothing to say.

    ``exclude`` and ``exclude_texts`` are the ids and the words of turns that the prompt holds anyway. Unlike
    ``Memory.context``, which answers a question, it shows all that holds now: an agent may need it for what comes next.
    Raises ``InvalidInput`` for a budget below 1.
    """
    if not query.strip():
        return ""
    hits = memory.search(query, limit=limit + len(exclude_texts), exclude=exclude, **scope)
    fresh = [hit for hit in hits if hit.record.text not in exclude_texts][:limit]
    windows = sorted(memory.facts(**scope), key=lambda window: window.begins)[-_FACTS:]
    return render_context(fresh, list(map(fact_line, windows)), budget_tokens, count_tokens)
