"""Giving records a new time to live (case K13-03)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from genome_core import Memory
from genome_core.errors import InvalidInput
from genome_core.protocols import Embedder
from genome_core.testing.embedders import FakeEmbedder
from tests.conftest import FakeClock


def test_renewal_moves_the_end_of_the_named_records_and_nothing_else(memory: Memory, clock: FakeClock) -> None:
    memory.add([{"content": "tea", "id": "1"}, {"content": "coffee", "id": "2"}], user_id="u", ttl=100)
    before = memory.get("1")
    assert memory.renew(["1", "unknown"], timedelta(hours=1), user_id="u") == 1
    after = memory.get("1")
    assert before is not None
    assert after is not None
    assert before.expires_at is not None
    assert after.expires_at is not None
    assert after.expires_at > before.expires_at
    assert (after.version, after.updated_at, after.text) == (before.version, before.updated_at, before.text)
    clock.advance(timedelta(minutes=10))
    assert [record.id for record in memory.get_all(user_id="u")] == ["1"]
    assert memory.verify().entries == 3


def test_renewal_for_ever_is_seen_by_an_index_that_was_loaded_before(memory: Memory, clock: FakeClock) -> None:
    memory.add([{"content": "green tea", "id": "1"}, {"content": "black tea", "id": "2"}], user_id="u", ttl=100)
    assert len(memory.search("tea", user_id="u")) == 2
    memory.renew(["2"], None, user_id="u")
    clock.advance(timedelta(days=1000))
    assert [hit.record.id for hit in memory.search("tea", user_id="u")] == ["2"]


def test_renewal_does_not_revive_what_has_expired(memory: Memory, clock: FakeClock) -> None:
    memory.add("tea", id="1", user_id="u", ttl=10)
    clock.advance(timedelta(minutes=1))
    assert memory.renew(["1"], 1000, user_id="u") == 0
    assert memory.get("1") is None
    with pytest.raises(InvalidInput):
        memory.renew(["1"], -1, user_id="u")


def test_a_record_that_was_changed_since_it_was_read_keeps_its_end(memory: Memory, clock: FakeClock) -> None:
    memory.add([{"content": "tea", "id": "1"}, {"content": "coffee", "id": "2"}], user_id="u", ttl=100)
    memory.add("milk", id="3", user_id="u", ttl=100)
    read = memory.get_all(user_id="u").records
    memory.update("1", text="green tea", ttl=None)
    memory.delete("2")
    memory.add("coffee", id="2", user_id="u")
    assert memory.renew(read, 1000, user_id="u") == 1
    clock.advance(timedelta(days=1))
    assert sorted(record.id for record in memory.get_all(user_id="u")) == ["1", "2"]


def test_renewals_and_deletions_at_once_leave_a_journal_that_verifies(durable_store_url: str) -> None:
    """A renewal of what was deleted in between is none: nothing could be replayed from a journal that tells of it."""
    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:

        def replaced(round: int) -> None:
            memory.add("tea", id="1", user_id="u", ttl=1000 + round)
            memory.renew(["1"], 5000, user_id="u")
            memory.delete("1")

        with ThreadPoolExecutor(4) as threads:
            changes = threads.map(replaced, range(60))
            renewals = [threads.submit(memory.renew, ["1"], 5000, user_id="u") for _ in range(60)]
            list(changes)
            for renewal in renewals:
                renewal.result()
        assert memory.verify(deep=True).entries > 0


def test_another_process_sees_the_renewal(durable_store_url: str, embedder: Embedder) -> None:
    clock = FakeClock()
    with (
        Memory(durable_store_url, embedder=embedder, clock=clock) as one,
        Memory(durable_store_url, embedder=embedder, clock=clock) as other,
    ):
        one.add("green tea", id="1", user_id="u", ttl=100)
        assert other.search("tea", user_id="u")
        one.renew(["1"], None, user_id="u")
        clock.advance(timedelta(days=1))
        assert [hit.record.id for hit in other.search("tea", user_id="u")] == ["1"]
