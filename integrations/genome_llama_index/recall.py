"""What a prompt gets to know: the facts that hold, then the records that a question is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from genome_core import Hit, Memory
from genome_core.facts.windows import Window
from genome_core.facts.wording import say_span
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
    is_new: Callable[[Hit], bool],
    seen: int,
    limit: int,
    budget_tokens: int,
    count_tokens: Callable[[str], int],
    **scope: Unpack[ReadScope],
) -> str:
    """A block of data of at most ``budget_tokens``, or an empty string.

    ``is_new`` tells whether a hit is not in the prompt anyway, where ``seen`` turns are.
    """
    if not query.strip() or budget_tokens < 1:
        return ""
    hits = [hit for hit in memory.search(query, limit=limit + seen, **scope) if is_new(hit)][:limit]
    windows = sorted(memory.facts(**scope), key=lambda window: window.begins)[-_FACTS:]
    return render_context(hits, [_fact_line(window) for window in windows], budget_tokens, count_tokens)


def _fact_line(window: Window) -> str:
    """``Ann: home = Lisbon (since March 2024)``; where no person said it, also who did."""
    fact = window.facts[0]
    about = [f"since {say_span(window.start)}"] if window.start else []
    about += [f"origin {fact.origin}"] if fact.origin != "user" else []
    return f"{fact.subject}: {fact.attribute} = {window.value}" + (f" ({', '.join(about)})" if about else "")
