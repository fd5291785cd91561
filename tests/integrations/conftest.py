"""One database per backend for all adapters, emptied before each test: making a PostgreSQL database takes a second."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from genome_core import Memory
from genome_core.storage.database import Database
from tests.conftest import FakeClock
from tests.postgres import PostgresServer

if TYPE_CHECKING:
    from genome_core.testing.embedders import FakeEmbedder


@pytest.fixture(scope="session", params=["sqlite", "sqlite-memory", "postgres"])
def shared_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        with server.database() as url:
            yield from _opened(url)
    elif request.param == "sqlite":
        yield from _opened(str(tmp_path_factory.mktemp("shared") / "memory.db"))
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
def memory(database: Database, embedder: FakeEmbedder, clock: FakeClock) -> Iterator[Memory]:
    """An empty memory with a fake embedder, a clock that ticks a second at each reading, and no extractor of facts."""
    with Memory(database, embedder=embedder, clock=clock, extractor=None) as memory:
        yield memory
