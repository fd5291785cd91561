"""Fixtures that every test may use: stores on each database, a settable clock, a fake embedder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.postgres import LocalPostgres, PostgresServer, session_postgres

if TYPE_CHECKING:
    from genome_core.testing.embedders import FakeEmbedder

# Every run of the gate tries the same examples, so that what was green stays green. To look for new ones:
# pytest --hypothesis-profile=explore
settings.register_profile("gate", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("gate")


class FakeClock:
    """A clock that a test sets: each reading is ``tick`` later than the one before.

    Readings are aware datetimes in UTC. The first is 2025-01-01 00:00:00.
    """

    def __init__(
        self, now: datetime = datetime(2025, 1, 1, tzinfo=UTC), tick: timedelta = timedelta(seconds=1)
    ) -> None:
        self.now = now
        self.tick = tick

    def __call__(self) -> datetime:
        reading = self.now
        self.now += self.tick
        return reading

    def set(self, now: datetime) -> None:
        """The next reading."""
        self.now = now

    def advance(self, by: timedelta) -> None:
        """Move on by ``by``, without a reading."""
        self.now += by


@pytest.fixture
def clock() -> FakeClock:
    """A clock that ticks one second at each reading and can be set."""
    return FakeClock()


@pytest.fixture
def embedder() -> FakeEmbedder:
    """A deterministic embedder without a model."""
    from genome_core.testing.embedders import FakeEmbedder

    return FakeEmbedder()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running PostgreSQL with pgvector, shared by the session; ask for ``postgres_url`` in most tests."""
    with session_postgres() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """URL of a fresh PostgreSQL database with the extension ``vector``, dropped after the test."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def private_postgres() -> Iterator[LocalPostgres]:
    """A server of the test's own, which it may stop, start and restart; use ``with private_postgres.database()``."""
    server = LocalPostgres()
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """URL of a SQLite file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'memory.db'}"


def _url_on(backend: str, request: pytest.FixtureRequest) -> str:
    if backend == "sqlite-memory":
        return "sqlite://"
    url: str = request.getfixturevalue("sqlite_url" if backend == "sqlite" else "postgres_url")
    return url


@pytest.fixture(params=["sqlite", "sqlite-memory", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    """URL of a fresh, empty store: once on a SQLite file, once in memory, once on PostgreSQL."""
    return _url_on(request.param, request)


@pytest.fixture(params=["sqlite", "postgres"])
def durable_store_url(request: pytest.FixtureRequest) -> str:
    """As ``store_url``, without the one in memory: for tests that open a store twice or from several processes."""
    return _url_on(request.param, request)
