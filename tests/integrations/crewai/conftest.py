"""Memories of CrewAI over an empty engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from genome_core import Memory
from genome_core.storage.database import Database
from tests.conftest import FakeClock
from tests.integrations.quiet_crewai import GenomeMemory, GenomeStorage

if TYPE_CHECKING:
    from genome_core.testing.embedders import FakeEmbedder


@pytest.fixture
def engine(database: Database, embedder: FakeEmbedder, clock: FakeClock) -> Iterator[Memory]:
    """An empty engine with a fake embedder, facts by rules, and a clock that ticks a second at each reading."""
    with Memory(database, embedder=embedder, clock=clock) as engine:
        yield engine


@pytest.fixture
def memory(engine: Memory) -> GenomeMemory:
    """A memory of no root over an empty engine."""
    return GenomeMemory(engine)


@pytest.fixture
def storage(engine: Memory) -> GenomeStorage:
    """A storage over an empty engine."""
    return GenomeStorage(engine)
