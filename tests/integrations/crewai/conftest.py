"""CrewAI without telemetry, in a folder of its own."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

# CrewAI reads these when it is imported.
os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true",
    OTEL_SDK_DISABLED="true",
    CREWAI_STORAGE_DIR=tempfile.mkdtemp(prefix="genome-crewai-"),
)
with warnings.catch_warnings():
    # "Cannot set an attribute on 'crewai.rag' for child module 'embeddings'"
    warnings.simplefilter("ignore", ImportWarning)
    import crewai  # noqa: F401
    from genome_crewai import GenomeMemory, GenomeStorage

from genome_core import Memory
from genome_core.storage.database import Database
from tests.conftest import FakeClock

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
