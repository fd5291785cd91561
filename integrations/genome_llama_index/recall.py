"""What a prompt gets to know: the facts that hold, then the records that a question is about."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Unpack

from genome_core import Memory
from genome_core.facts.windows import Window
from genome_core.knowledge import window_line
from genome_core.scopes import ReadScope, write_namespace
from genome_core.search.context import render_context

_FACTS = 30
"""How many facts a prompt gets at most: those that began last."""


def recall_scope(session_id: str | None, user_id: str | None, agent_id: str | None) -> ReadScope:
    """Everything of the user (and agent); without a user, the session alone. Raises ``InvalidScope`` if neither is known."""
    if user_id is None:
        return {"namespace": write_namespace({"agent_id": agent_id, "run_id": session_id})}
    return {"user_id": user_id, "agent_id": agent_id}


def recalled_context(
    memory: Memory,
    query: str,
    *,
    exclude: Collection[str] = (),
    exclude_texts: Collection[str] = (),
    limit: int,
    budget_tokens: int,
    count_tokens: Callable[[str], int],
    **scope: Unpack[ReadScope],
) -> str:
    """A block of data of at most ``budget_tokens``, or an empty string.

    ``exclude`` and ``exclude_texts`` are the ids or the words of turns that the prompt holds anyway.
    """
    if not query.strip() or budget_tokens < 1:
        return ""
    hits = memory.search(query, limit=limit + len(exclude_texts), exclude=exclude, **scope)
    fresh = [hit for hit in hits if hit.record.text not in exclude_texts][:limit]
    windows = sorted(memory.facts(**scope), key=lambda window: window.begins)[-_FACTS:]
    return render_context(fresh, [_fact_line(window) for window in windows], budget_tokens, count_tokens)


def _fact_line(window: Window) -> str:
    """A fact in words; where no person said it, also who did."""
    origin = window.facts[0].origin
    return window_line(window) if origin == "user" else f"{window_line(window)} (origin {origin})"
