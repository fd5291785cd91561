"""Whose memory a run of an agent means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables.config import ensure_config

from genome_core.errors import InvalidScope
from genome_core.scopes import ReadScope, WriteScope


@dataclass(frozen=True, slots=True)
class Whose:
    """User, agent and thread; what is None is not known (yet)."""

    user_id: str | None
    agent_id: str | None
    thread_id: str | None

    def filled_in(self, context: Any) -> Whose:
        """With what the run's context says, else the ``configurable`` of the config that is being run.

        Raises ``InvalidScope`` if neither a user nor a thread is known.
        """
        configurable = ensure_config().get("configurable", {})

        def known(name: str, given: str | None) -> str | None:
            if given is not None:
                return given
            told = context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)
            found = configurable.get(name) if told is None else told
            return None if found is None else str(found)

        whose = Whose(
            known("user_id", self.user_id), known("agent_id", self.agent_id), known("thread_id", self.thread_id)
        )
        if whose.user_id is None and whose.thread_id is None:
            raise InvalidScope(
                "whose memory is it?",
                hint="pass context with user_id, or config={'configurable': {'user_id': ..., 'thread_id': ...}}",
            )
        return whose

    def write_scope(self) -> WriteScope:
        """Where the turns of the run go."""
        return {"user_id": self.user_id, "agent_id": self.agent_id, "run_id": self.thread_id}

    def read_scope(self) -> ReadScope:
        """What the run may recall: everything of the user, or its own thread where there is no user."""
        if self.user_id is None:
            return {"run_id": self.thread_id, "agent_id": self.agent_id}
        return {"user_id": self.user_id, "agent_id": self.agent_id}
