"""Whatever was done to a store: its journal verifies, says exactly what the tables hold, and makes any of its states again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genome_core import Memory
from genome_core.errors import ContentErased
from genome_core.testing.embedders import FakeEmbedder
from tests.audit.histories import IDS, TICK, USERS, Act, histories, live_through
from tests.conftest import FakeClock
from tests.postgres import PostgresServer

KEY = b"k" * 32
fresh = settings(max_examples=12, suppress_health_check=list(HealthCheck))


@contextmanager
def opened(url: str, clock: FakeClock | None = None) -> Iterator[Memory]:
    with Memory(url, embedder=FakeEmbedder(16), clock=clock or FakeClock(), journal_key=KEY) as memory:
        memory.reset()
        yield memory


@contextmanager
def blank(beside: Memory, url: str = ":memory:") -> Iterator[Memory]:
    """An empty store with the clock of another."""
    with Memory(url, embedder=FakeEmbedder(16), clock=beside.now, journal_key=KEY) as memory:
        memory.reset()
        yield memory


@fresh
@given(history=histories)
def test_the_journal_says_what_the_tables_hold(store_url: str, history: list[Act]) -> None:
    with opened(store_url) as memory:
        live_through(memory, history)
        report = memory.verify(deep=True)
        assert report.digest == memory.digest()


@pytest.fixture(params=["sqlite-memory", "postgres"])
def copy_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """URL of another store than ``store_url``, on either database."""
    if request.param == "sqlite-memory":
        yield ":memory:"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    with server.database() as url:
        yield url


@fresh
@given(history=histories)
def test_a_replay_equals_the_store_on_either_database(store_url: str, copy_url: str, history: list[Act]) -> None:
    clock = FakeClock()
    with opened(store_url, clock) as memory, blank(memory, copy_url) as copy:
        live_through(memory, history)
        clock.tick = timedelta(0)  # so that nothing expires between the two looks
        replayed = memory.replay(copy.database)
        assert replayed.digest == memory.digest() == copy.verify(deep=True).digest
        assert replayed.entries == memory.stats().journal_entries
        assert replayed.embedded == 0
        if memory.database.is_postgres is copy.database.is_postgres:
            assert copy.head() == memory.head()
            assert copy.stats().journal_entries == replayed.entries
        then = memory.now()
        facts = [
            [(fact.id, fact.recorded_at) for fact in one.fact_log(namespace=(), known_at=then)]
            for one in (memory, copy)
        ]
        assert sorted(facts[0]) == sorted(facts[1])
        for user, id in product(USERS, IDS):
            told = [[(v.op, v.at, v.record) for v in one.history(id, user_id=user)] for one in (memory, copy)]
            assert told[0] == told[1]


def states(memory: Memory, history: list[Act]) -> list[tuple[int, str]]:
    """After each act, the length of the journal and the digest."""
    found = []
    for one in history:
        live_through(memory, [one])
        found.append((memory.stats().journal_entries, memory.digest()))
    return found


@fresh
@given(history=histories, data=st.data())
def test_a_branch_is_the_store_as_it_was(history: list[Act], data: st.DataObject) -> None:
    with opened(":memory:") as memory, blank(memory) as branch:
        past = states(memory, history)
        until, digest = data.draw(st.sampled_from(past))
        with suppress(ContentErased):
            made = memory.branch(branch.database, until=until)
            report = branch.verify(deep=True)
            assert made.digest == report.digest
            assert made.embedded or made.digest == digest
            newest = branch.log(limit=1 + made.embedded)[-1]
            assert (newest.op, newest.body) == ("branch", {"head": made.head})
            if until == past[-1][0]:
                memory.verify(expected_head=made.head)


@fresh
@given(history=histories, data=st.data())
def test_a_rollback_brings_back_what_was(store_url: str, history: list[Act], data: st.DataObject) -> None:
    clock = FakeClock()
    with opened(store_url, clock) as memory:
        times = []
        for one in history:
            live_through(memory, [one])
            clock.tick = timedelta(0)  # so that nothing expires between the looks
            times.append((clock(), memory.digest(), memory.get_all(namespace=(), limit=1000).records))
            clock.tick = TICK
            clock.advance(TICK)
        then, digest, records = data.draw(st.sampled_from(times))
        now, before = memory.now(), memory.digest()
        try:
            done = memory.rollback(then)
        except ContentErased:
            assert memory.digest() == before
            return
        report = memory.verify(deep=True)
        assert done.embedded or report.digest == digest
        assert memory.get_all(namespace=(), known_at=then, limit=1000).records == records
        if not done.embedded:
            memory.rollback(now)
            assert memory.digest() == before
            memory.verify(deep=True)
