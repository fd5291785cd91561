"""A database that an earlier version wrote is upgraded when it is opened, and refused where its journal does not verify."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from genome_core import Memory
from genome_core.errors import IntegrityError
from genome_core.testing.embedders import FakeEmbedder
from tests.storage.earlier import make_version_2, make_version_4, make_version_5, make_version_7


def _written_by_version_2(store_url: str) -> None:
    with Memory(store_url, embedder=FakeEmbedder()) as memory:
        memory.add("I live in Leeds.", id="home", user_id="ann", at=memory.now())
        memory.update("home", text="I live in York.", user_id="ann")
        memory.add("I live in Rome.", id="home", user_id="bob")
        memory.compact()
        memory.database.write(make_version_2)


def test_a_journal_without_salt_is_upgraded(durable_store_url: str) -> None:
    _written_by_version_2(durable_store_url)
    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
        assert memory.verify().entries == 5  # with the one that tells what compact had emptied
        versions = memory.history("home", user_id="ann")
        assert [version.record and version.record.text for version in versions] == [None, "I live in York."]
        memory.add("I live in Oslo.", user_id="ann")
        assert memory.verify(deep=True).entries == 6


def test_the_index_over_times_of_version_7_is_made_anew(postgres_url: str) -> None:
    with Memory(postgres_url, embedder=FakeEmbedder()) as memory:
        memory.add("I live in Leeds.", user_id="ann")
        memory.database.write(make_version_7)
    with Memory(postgres_url, embedder=FakeEmbedder()) as memory, memory.database.read() as connection:
        assert memory.count(user_id="ann") == 1
        defined = sa.text("SELECT indexdef FROM pg_indexes WHERE indexname = 'genome_records_times'")
        assert "WHERE (version > 0)" in str(connection.scalar(defined))


def test_the_indexes_of_version_5_are_made_anew(durable_store_url: str) -> None:
    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
        [first] = memory.add("I live in Leeds.", user_id="ann")
        memory.update(first, text="I live in York.", user_id="ann")
        [second] = memory.add("I live in Leeds.", user_id="ann")  # under another id: the first record has that still
        [third] = memory.add("I have a cat.", user_id="ann")
        memory.delete(third, user_id="ann")
        memory.add("I live in Rome.", id="home", user_id="bob")
        digest = memory.digest()
        memory.database.write(make_version_5)
    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
        assert memory.verify(deep=True).digest == digest
        assert memory.add(["I live in Leeds.", "I live in York."], user_id="ann")[0] == second
        assert memory.count(user_id="ann") == 3
        assert [version.op for version in memory.history(first, user_id="ann")] == ["add", "update"]
        assert [version.op for version in memory.history(third, user_id="ann")] == ["add", "delete"]
        assert [version.op for version in memory.history("home", user_id="bob")] == ["add"]
        assert memory.verify(deep=True)


def test_what_version_4_emptied_is_told(durable_store_url: str) -> None:
    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
        memory.add("I live in Leeds.", id="home", user_id="ann")
        memory.update("home", text="I live in York.", user_id="ann")
        memory.add(["I live in Rome.", "I have a cat."], user_id="bob")
        memory.add("I live in Rome.", id="second", user_id="bob")
        memory.erase(["home"], reason="asked", user_id="ann")
        memory.erase(reason="asked", user_id="bob")
        memory.add("I live in Ulm.", id="home", user_id="ann")
        memory.update("home", text="I live in Bath.", user_id="ann")
        memory.compact()
        digest = memory.digest()
        memory.database.write(make_version_4)
    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
        assert memory.verify(deep=True).digest == digest
        assert [version.op for version in memory.history("home", user_id="ann")] == [
            *("add", "update", "erase"),
            *("add", "update"),
        ]
        memory.erase(reason="asked", user_id="ann")
        assert memory.verify(deep=True)


def test_a_signed_journal_of_version_4_is_not_upgraded(durable_store_url: str) -> None:
    key = b"a key for the journal of a test"
    with Memory(durable_store_url, embedder=FakeEmbedder(), journal_key=key) as memory:
        memory.add("I live in Leeds.", id="home", user_id="ann")
        memory.database.write(make_version_4)
    with pytest.raises(IntegrityError, match="schema 4 can not be upgraded"):
        Memory(durable_store_url, embedder=FakeEmbedder(), journal_key=key)


def test_a_journal_that_does_not_verify_is_not_upgraded(durable_store_url: str) -> None:
    _written_by_version_2(durable_store_url)
    engine = sa.create_engine(durable_store_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE genome_journal SET payload = replace(payload, 'York', 'Ulm')")
    engine.dispose()
    for _ in range(2):
        with pytest.raises(IntegrityError, match="does not verify"):
            Memory(durable_store_url)
