"""Whose records a prompt of LlamaIndex recalls."""

from __future__ import annotations

from genome_core.scopes import ReadScope, write_namespace


def recall_scope(session_id: str | None, user_id: str | None, agent_id: str | None) -> ReadScope:
    """Everything of the user (and agent); without a user, the session alone. Raises ``InvalidScope`` if neither is known."""
    if user_id is None:
        return {"namespace": write_namespace({"agent_id": agent_id, "run_id": session_id})}
    return {"user_id": user_id, "agent_id": agent_id}
