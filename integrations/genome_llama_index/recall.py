"""Whose records a prompt of LlamaIndex recalls, and how it says a fact."""

from __future__ import annotations

from genome_core.facts.windows import Window
from genome_core.knowledge import window_line
from genome_core.scopes import ReadScope, write_namespace


def recall_scope(session_id: str | None, user_id: str | None, agent_id: str | None) -> ReadScope:
    """Everything of the user (and agent); without a user, the session alone. Raises ``InvalidScope`` if neither is known."""
    if user_id is None:
        return {"namespace": write_namespace({"agent_id": agent_id, "run_id": session_id})}
    return {"user_id": user_id, "agent_id": agent_id}


def fact_line(window: Window) -> str:
    """A fact in words; where no person said it, also who did."""
    origin = window.facts[0].origin
    return window_line(window) if origin == "user" else f"{window_line(window)} (origin {origin})"
