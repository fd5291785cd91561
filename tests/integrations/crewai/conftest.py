"""CrewAI without telemetry, in a folder of its own, and one database per backend that is emptied before each test."""

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
from tests.postgres import PostgresServer

if TYPE_CHECKING:
    from genome_core.testing.embedders import FakeEmbedder


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: fetches and runs a test-suite of somebody else")


@pytest.fixture(scope="session", params=["sqlite", "sqlite-memory", "postgres"])
def shared_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        with server.database() as url:
            yield from _opened(url)
    elif request.param == "sqlite":
        yield from _opened(str(tmp_path_factory.mktemp("crewai") / "memory.db"))
    else:
        yield from _opened(":memory:")


def _opened(store: str) -> Iterator[Database]:
    database = Database(store)
    yield database
    database.close()


@pytest.fixture
def database(shared_database: Database) -> Database:
    """An empty database that has all tables, on each backend in turn."""
    Memory(shared_database).reset()
    return shared_database


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
