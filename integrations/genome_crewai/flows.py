"""``GenomeFlowPersistence``: the state of CrewAI's flows on the engine of ``genome_core``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Unpack

from crewai.flow.async_feedback.types import PendingFeedbackContext
from crewai.flow.persistence.base import FlowPersistence
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python
from sqlalchemy.engine import URL, Engine

from genome_core import Memory, Record
from genome_core.errors import InvalidInput
from genome_core.scopes import WriteScope
from genome_core.types import Namespace
from genome_crewai.on_memory import OnMemory

DEFAULT_NAMESPACE = ("crewai-flows",)
_STATE, _PENDING = "state", "pending"


class GenomeFlowPersistence(OnMemory, FlowPersistence):
    """``Flow(persistence=...)`` and ``@persist(...)``: one record a flow, whose versions are the states after each method.

    ``memory`` is a ``Memory`` or what ``Memory`` takes as its store; the scope, as in ``Memory``, says whose flows they are,
    by default ``namespace=("crewai-flows",)``. States are never found by search. What JSON can not express raises
    ``InvalidInput`` instead of being stored as something else.
    """

    persistence_type: str = "GenomeFlowPersistence"

    def __init__(
        self,
        memory: Memory | str | os.PathLike[str] | URL | Engine = "memory.db",
        **scope: Unpack[WriteScope],
    ) -> None:
        super().__init__()
        self._open(memory, scope, DEFAULT_NAMESPACE)

    def init_db(self) -> None:
        """Nothing to do: the tables are made when the store is opened."""

    def save_state(self, flow_uuid: str, method_name: str, state_data: dict[str, Any] | BaseModel) -> None:
        """Stores the state after a method."""
        self._memory.write([self._record(flow_uuid, method_name, state_data)])

    def load_state(self, flow_uuid: str) -> dict[str, Any] | None:
        """The newest state of a flow, or None."""
        return self._load(flow_uuid, _STATE)

    def save_pending_feedback(
        self, flow_uuid: str, context: PendingFeedbackContext, state_data: dict[str, Any] | BaseModel
    ) -> None:
        """Stores a paused flow's state and what it waits for, in one transaction."""
        state = self._record(flow_uuid, context.method_name, state_data)
        waiting = {"context": _plain(context.to_dict()), "state": state.value}
        pending = Record(
            text="", id=_PENDING, namespace=state.namespace, role="document", origin="system", value=waiting, index=()
        )
        self._memory.write([state, pending])

    def load_pending_feedback(self, flow_uuid: str) -> tuple[dict[str, Any], PendingFeedbackContext] | None:
        """A paused flow's state and what it waits for, or None."""
        found = self._load(flow_uuid, _PENDING)
        return None if found is None else (found["state"], PendingFeedbackContext.from_dict(found["context"]))

    def clear_pending_feedback(self, flow_uuid: str) -> None:
        """The flow goes on: it waits for nothing any more."""
        self._memory.write((), [(self._place(flow_uuid), _PENDING)])

    def _place(self, flow_uuid: str) -> Namespace:
        return (*self._namespace, flow_uuid)

    def _record(self, flow_uuid: str, method_name: str, state: dict[str, Any] | BaseModel) -> Record:
        return Record(
            text="",
            id=_STATE,
            namespace=self._place(flow_uuid),
            role="document",
            origin="system",
            value=_plain(state),
            metadata={"method": method_name},
            index=(),
        )

    def _load(self, flow_uuid: str, id: str) -> dict[str, Any] | None:
        record = self._memory.get(id, namespace=self._place(flow_uuid), exact=True)
        return dict(record.value) if record and isinstance(record.value, Mapping) else None


def _plain(state: dict[str, Any] | BaseModel) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = to_jsonable_python(state)
    except PydanticSerializationError as error:
        raise InvalidInput(
            f"the state can not be stored: {error}", hint="keep JSON and pydantic models in it"
        ) from error
    return plain
