"""The fixtures themselves: a fixture that hands out a shared store would make every other test doubtful."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from tests.conftest import FakeClock
from tests.postgres import LocalPostgres


@pytest.mark.parametrize("attempt", [1, 2])
def test_each_test_gets_an_empty_store(store_url: str, attempt: int) -> None:
    engine = create_engine(store_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE only_once (attempt INTEGER)"))
    engine.dispose()


def test_postgres_has_pgvector(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT '[1,2]'::vector <-> '[1,3]'::vector")) == 1.0
    engine.dispose()


def test_a_private_postgres_can_be_stopped_and_started(private_postgres: LocalPostgres) -> None:
    with private_postgres.database() as url:
        engine = create_engine(url)
        private_postgres.stop("immediate")
        with pytest.raises(OperationalError):
            engine.connect()
        private_postgres.start()
        private_postgres.restart()
        with engine.connect() as connection:
            assert connection.scalar(text("SELECT 1")) == 1
        engine.dispose()


def test_the_clock_ticks_and_can_be_set(clock: FakeClock) -> None:
    first = clock()
    assert clock() == first + timedelta(seconds=1)
    clock.set(datetime(2030, 5, 6, tzinfo=UTC))
    clock.advance(timedelta(days=1))
    assert clock() == datetime(2030, 5, 7, tzinfo=UTC)
