"""What CrewAI's listeners are told of saves and recalls."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from crewai.events.event_bus import crewai_event_bus
from crewai.events.types.memory_events import (
    MemoryQueryCompletedEvent,
    MemoryQueryFailedEvent,
    MemoryQueryStartedEvent,
    MemorySaveCompletedEvent,
    MemorySaveFailedEvent,
    MemorySaveStartedEvent,
)
from crewai.memory.types import MemoryMatch
from crewai.memory.unified_memory import Memory

logger = logging.getLogger("genome_crewai")

_SOURCE = "unified_memory"
"""What CrewAI's listeners know memory by."""


@contextmanager
def save_events(
    memory: Memory, contents: Sequence[str], metadata: dict[str, Any] | None, agent_role: str | None
) -> Iterator[None]:
    """Around a save: started, then completed or failed. What fails is logged and raised."""
    text = contents[0] if len(contents) == 1 else f"{len(contents)} memories"
    common: dict[str, Any] = {"value": str(text), "metadata": metadata or {}, "source_type": _SOURCE}
    crewai_event_bus.emit(memory, MemorySaveStartedEvent(**common))
    start = perf_counter()
    try:
        yield
    except Exception as error:
        # CrewAI's agents catch what is raised here and tell only their own log.
        logger.error("memory was not saved: %s", error)
        crewai_event_bus.emit(memory, MemorySaveFailedEvent(error=str(error), **common))
        raise
    elapsed = (perf_counter() - start) * 1000
    crewai_event_bus.emit(memory, MemorySaveCompletedEvent(agent_role=agent_role, save_time_ms=elapsed, **common))


@contextmanager
def query_events(memory: Memory, query: str, limit: int) -> Iterator[list[MemoryMatch]]:
    """Around a recall, likewise; put what was found into the list."""
    common: dict[str, Any] = {"query": query, "limit": limit, "score_threshold": None, "source_type": _SOURCE}
    crewai_event_bus.emit(memory, MemoryQueryStartedEvent(**common))
    start = perf_counter()
    results: list[MemoryMatch] = []
    try:
        yield results
    except Exception as error:
        logger.error("memory was not recalled: %s", error)
        crewai_event_bus.emit(memory, MemoryQueryFailedEvent(error=str(error), **common))
        raise
    elapsed = (perf_counter() - start) * 1000
    crewai_event_bus.emit(memory, MemoryQueryCompletedEvent(results=results, query_time_ms=elapsed, **common))
