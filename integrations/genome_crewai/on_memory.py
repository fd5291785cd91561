"""What CrewAI's own parts have in common that keep things in one namespace of a ``Memory``."""

from __future__ import annotations

import os

from pydantic import BaseModel, PrivateAttr
from sqlalchemy.engine import URL, Engine

from genome_core import Memory
from genome_core.scopes import WriteScope, write_namespace
from genome_core.types import Namespace


class OnMemory(BaseModel):
    """A mixin for CrewAI's models: whose things they keep, and where."""

    _memory: Memory = PrivateAttr()
    _owns_memory: bool = PrivateAttr()
    _namespace: Namespace = PrivateAttr()

    def _open(
        self, memory: Memory | str | os.PathLike[str] | URL | Engine, scope: WriteScope, without: Namespace
    ) -> None:
        """Call after the model was made. ``without`` is the namespace where the scope names none."""
        self._namespace = write_namespace(scope, required=False) or without
        self._owns_memory = not isinstance(memory, Memory)
        self._memory = memory if isinstance(memory, Memory) else Memory(memory)

    def close(self) -> None:
        """Closes the memory if this object opened it."""
        if self._owns_memory:
            self._memory.close()
