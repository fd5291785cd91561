"""What somebody who can write the database can not change unnoticed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from genome_core import Memory
from genome_core.audit import verification
from genome_core.errors import IntegrityError, InvalidInput, JournalKeyError, StorageError
from genome_core.storage.schema import SCHEMA, chains, journal, journal_keys, passages, pseudonyms
from genome_core.storage.schema import embedder as embedder_table
from genome_core.testing.embedders import FakeEmbedder
from tests.audit.histories import Act, histories, live_through
from tests.conftest import FakeClock

KEY = b"k" * 32


def told(memory: Memory) -> None:
    """A store with something in every table and every column."""
    memory.add(["I live in Leeds.", "My sister Ann works at Acme."], user_id="ann", metadata={"n": 1})
    memory.add({"content": "tea " * 300, "id": "long", "value": {"a": [1]}, "name": "Tom"}, user_id="bob", ttl=3600)
    memory.add("I moved to Bristol on 2 March 2024.", id="x", user_id="ann", agent_id="m")
    memory.update("x", text="I moved to Bath on 3 March 2024.")
    memory.renew(["x"], 1000, user_id="ann")
    memory.state("Tom", "home", "Oslo", user_id="ann")
    memory.state("Tom", "home", "Bergen", user_id="bob")
    memory.add("I work at Initech.", id="gone", user_id="bob")
    memory.delete("gone", keep_facts=True)
    memory.add("by words only", id="bare", user_id="bob", vectors=[None])
    memory.hold("case 7", user_id="carl")
    memory.add(["I live in Ulm.", "I like tea."], user_id="carla")
    memory.add("I live in Rome.", id="once", user_id="ann")
    memory.update("once", text="I live in Bari.", user_id="ann")
    for number in range(3):
        memory.update("long", metadata={"again": number})
    memory.compact(keep_versions=2)
    memory.erase(["once"], reason="asked", user_id="ann")
    memory.erase(reason="asked", user_id="carla")


@pytest.fixture
def store(store_url: str) -> Iterator[Memory]:
    with Memory(store_url, embedder=FakeEmbedder(), clock=FakeClock(), journal_key=KEY) as memory:
        told(memory)
        yield memory


def changed(value: Any, place: int, bit: int) -> Any:
    """The value with one bit of one byte (of text, one character) changed."""
    if value is None:
        return "1"
    if isinstance(value, np.ndarray):
        data = bytearray(value.astype("<f4").tobytes())
        data[place % len(data)] ^= 1 << bit
        return np.frombuffer(bytes(data), "<f4")
    if isinstance(value, str):
        assume(value)
        place %= len(value)
        return value[:place] + chr(ord(value[place]) ^ (1 << bit)) + value[place + 1 :]
    if isinstance(value, int):
        return value ^ (1 << bit)
    data = bytearray(value)
    data[place % len(data)] ^= 1 << bit
    return bytes(data)


class Undone(Exception):
    """Takes back the edit after it was judged."""


PROVEN = [table for table in SCHEMA.tables.sorted_tables if table is not embedder_table]
"""Every table of the engine but the one that tells which embedder wrote the vectors."""
OF_THE_JOURNAL = [journal, chains, journal_keys, pseudonyms]
"""What is proven without looking at the others."""
CACHE_MARK = chains.c.epoch


def edit_and_verify(memory: Memory, data: st.DataObject, tables: list[sa.Table], *, deep: bool) -> None:
    """Changes one byte somewhere, expects that it is found, and takes it back."""

    def work(connection: sa.Connection) -> None:
        rows_of = {
            t: connection.execute(sa.select(t).order_by(*t.primary_key.columns)).mappings().all() for t in tables
        }
        names = [table.name for table, rows in rows_of.items() if rows]
        table = SCHEMA.tables.tables[data.draw(st.sampled_from(names))]
        columns = [column.name for column in table.columns if column is not CACHE_MARK]
        column = table.columns[data.draw(st.sampled_from(columns))]
        row = rows_of[table][data.draw(st.integers(0, len(rows_of[table]) - 1))]
        new = changed(row[column.name], data.draw(st.integers(0, 5000)), data.draw(st.integers(0, 6)))
        if isinstance(new, str):
            assume("\0" not in new)
        if isinstance(new, np.ndarray):
            assume(np.isfinite(new).all())
        if row[column.name] is None and not isinstance(column.type, sa.Text):
            new = (
                b"1" if isinstance(column.type, sa.LargeBinary) else np.ones(3, np.float32) if table is passages else 1
            )
        elif row[column.name] is not None and column.nullable and data.draw(st.booleans()):
            new = None
        where = sa.and_(*(key == row[key.name] for key in table.primary_key.columns))
        try:
            assert connection.execute(sa.update(table).where(where).values({column.name: new})).rowcount == 1
        except sa.exc.IntegrityError:
            raise Undone from None  # the database itself refuses it
        with pytest.raises((StorageError, JournalKeyError)):
            verification.verify(connection, memory.journal_key, deep=deep)
        raise Undone

    with pytest.raises((Undone, StorageError)):
        memory.database.write(work)


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_changed_byte_of_any_row_is_found(store: Memory, data: st.DataObject) -> None:
    edit_and_verify(store, data, PROVEN, deep=True)


@settings(max_examples=50, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_changed_byte_of_the_journal_is_found_without_looking_at_other_tables(
    store: Memory, data: st.DataObject
) -> None:
    edit_and_verify(store, data, OF_THE_JOURNAL, deep=False)


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(history=histories, data=st.data())
def test_after_any_history_any_changed_byte_is_found(store_url: str, history: list[Act], data: st.DataObject) -> None:
    with Memory(store_url, embedder=FakeEmbedder(16), clock=FakeClock(), journal_key=KEY) as memory:
        memory.reset()
        memory.add("I live in Leeds.", id="a", user_id="ann")
        live_through(memory, history)
        for _ in range(5):
            edit_and_verify(memory, data, PROVEN, deep=True)
            edit_and_verify(memory, data, OF_THE_JOURNAL, deep=False)


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_removed_or_repeated_row_is_found(store: Memory, data: st.DataObject) -> None:
    table = SCHEMA.tables.tables[data.draw(st.sampled_from([table.name for table in PROVEN]))]
    number = data.draw(st.integers(0, 1000))

    def work(connection: sa.Connection) -> None:
        rows = connection.execute(sa.select(table).order_by(*table.primary_key.columns)).mappings().all()
        row = rows[number % len(rows)]
        connection.execute(sa.delete(table).where(*(key == row[key.name] for key in table.primary_key.columns)))
        with pytest.raises((IntegrityError, JournalKeyError)):
            verification.verify(connection, store.journal_key, deep=True)
        raise Undone

    with pytest.raises(Undone):
        store.database.write(work)


def test_a_store_that_nobody_touched_verifies_in_depth(store: Memory) -> None:
    report = store.verify(deep=True)
    assert (report.signed, report.records) == (True, store.count(namespace=()))
    assert report.digest == store.digest()


EDITS = {
    "UPDATE genome_records SET text = 'I live in Paris.' WHERE text = 'I live in Leeds.'": "its text is not",
    "UPDATE genome_records SET origin = 'system' WHERE id = 'x'": "'x'.*its origin",
    "UPDATE genome_passages SET terms = 'gold' WHERE part = 1": "'long'.*terms of passage 1",
    "DELETE FROM genome_records WHERE id = 'x'": "passages or facts of a record|'x'.*no longer there",
    "UPDATE genome_facts SET body = replace(body, 'Oslo', 'Rome') WHERE body LIKE '%Oslo%'": "body of the fact",
    "UPDATE genome_facts SET withdrawn_at = 1 WHERE body LIKE '%Oslo%'": "withdrawn_at of the fact",
    "UPDATE genome_journal SET payload = NULL WHERE payload LIKE '%sister%'": "entry . .*was emptied",
}


@pytest.mark.parametrize("edit", EDITS)
def test_the_first_record_that_differs_is_named(store: Memory, edit: str) -> None:
    store.database.write(lambda connection: connection.execute(sa.text(edit)))
    with pytest.raises(IntegrityError, match=EDITS[edit]):
        store.verify(deep=True)


HIDING = {
    "another id for what was erased": (
        "UPDATE genome_journal SET id = replace(id, 'a', 'b') WHERE salt IS NULL AND op = 'add'",
        "of an erased entry",
    ),
    "another namespace for what was erased": (
        "UPDATE genome_journal SET namespace_id = namespace_id - 1 WHERE salt IS NULL AND namespace_id > 1",
        "of an erased entry|namespace",
    ),
    "no payload": ("UPDATE genome_journal SET payload = NULL WHERE op = 'add' AND payload IS NOT NULL", "than compact"),
    "no payload and no salt": (
        "UPDATE genome_journal SET payload = NULL, salt = NULL WHERE op = 'add' AND payload IS NOT NULL",
        "than erase",
    ),
    "another key": ("UPDATE genome_journal SET key = key + 1 WHERE op = 'renew'", "key of entry"),
    "other pseudonyms": ("DELETE FROM genome_pseudonyms", "pseudonyms"),
    "the story of an erasure": (
        "UPDATE genome_journal SET payload = NULL WHERE op = 'erase'",
        "than erase|than compact",
    ),
}


@pytest.mark.parametrize("hiding", HIDING)
def test_what_looks_like_an_erasure_is_not_taken_for_one(store: Memory, hiding: str) -> None:
    edit, words = HIDING[hiding]
    store.database.write(lambda connection: connection.execute(sa.text(edit)))
    with pytest.raises(IntegrityError, match=words):
        store.verify()


MOVES = {
    "removed": ("DELETE FROM genome_journal WHERE seq = 2", "entry 2 of chain .* was removed"),
    "swapped": (
        "UPDATE genome_journal SET seq = 1000 WHERE seq = 2;"
        "UPDATE genome_journal SET seq = 2 WHERE seq = 3;"
        "UPDATE genome_journal SET seq = 3 WHERE seq = 1000",
        "entry 2 of chain .* was put in the place of entry 3",
    ),
    "edited": ("UPDATE genome_journal SET at = at + 1 WHERE seq = 2", "entry 2 of chain .* was edited"),
    "id": ("UPDATE genome_journal SET id = 'z' WHERE seq = 2", "the id, the namespace or the key of entry 2 of chain"),
    "payload": ("UPDATE genome_journal SET payload = '{}' WHERE seq = 2", "payload of entry 2 of chain .* was edited"),
    "cut": ("DELETE FROM genome_journal WHERE seq = 4", "was cut: 3 entries are there, its head counts 4"),
    "head set back": ("UPDATE genome_chains SET seq = 3", "has 4 entries, its head was set back to 3"),
}


@pytest.mark.parametrize("move", MOVES)
def test_the_kind_of_fault_is_named(store_url: str, move: str) -> None:
    with Memory(store_url, embedder=FakeEmbedder(), clock=FakeClock()) as memory:
        memory.add(["a", "b", "c", "d"], user_id="u")
        statements, words = MOVES[move]
        for statement in statements.split(";"):
            memory.database.write(lambda connection, sql=statement: connection.execute(sa.text(sql)))  # type: ignore[misc]
        with pytest.raises(IntegrityError, match=words):
            memory.verify()


def test_a_head_that_was_taken_away_shows_what_was_rewritten(store_url: str, embedder: FakeEmbedder) -> None:
    """Even by somebody who has the key: here the owner resets the store and tells another story of the same length."""
    with Memory(store_url, embedder=embedder, clock=FakeClock(), journal_key=KEY) as memory:
        memory.add(["a", "b"], user_id="u")
        taken = str(memory.head())
        memory.verify(expected_head=taken)
        memory.add("c", user_id="u")
        memory.verify(expected_head=taken)
        later = memory.head()
        memory.reset()
        with pytest.raises(IntegrityError, match="head of chain"):
            memory.verify(expected_head=taken)
        memory.add(["a", "b"], user_id="u")
        with pytest.raises(IntegrityError, match="rewritten before the head at entry 2"):
            memory.verify(expected_head=taken)
        with pytest.raises(IntegrityError, match=r"rewritten|cut"):
            memory.verify(expected_head=later)
        memory.verify()
    for text in ("", "genome-head 1:2", "genome-head 0:1:zz", "something 0:1:00"):
        with pytest.raises(InvalidInput, match="head"):
            memory.verify(expected_head=text)


def test_a_digest_is_the_same_on_every_database(store_url: str, embedder: FakeEmbedder) -> None:
    with (
        Memory(store_url, embedder=embedder, clock=FakeClock()) as memory,
        Memory(":memory:", embedder=embedder, clock=FakeClock()) as other,
    ):
        for one in (memory, other):
            told(one)
        assert memory.digest() == other.digest()
        assert memory.digest(user_id="ann") == other.digest(user_id="ann") != memory.digest(user_id="bob")
        other.update("x", metadata={"a": 1})
        assert memory.digest() != other.digest()
        assert memory.digest(user_id="bob") == other.digest(user_id="bob")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            "UPDATE genome_journal SET payload = CAST(payload AS BLOB) WHERE seq = 2",
            "genome_journal with tenant 0, seq 2",
        ),
        ("UPDATE genome_journal SET payload = CAST(x'22ff22' AS TEXT) WHERE seq = 2", "tenant 0, seq 2 .* its payload"),
        ("UPDATE genome_journal SET salt = 'salt' WHERE seq = 1", "tenant 0, seq 1 .* its salt"),
        ("UPDATE genome_journal SET id = CAST(x'ff41' AS TEXT) WHERE seq = 1", "tenant 0, seq 1 .* its id"),
        ("UPDATE genome_records SET text = CAST(x'ff41' AS TEXT) WHERE id = 'home'", "genome_records .* its text"),
        ("UPDATE genome_passages SET vector = 'no vector'", "genome_passages .* its vector"),
        ("UPDATE genome_chains SET seq = 'many'", "genome_chains with tenant 0 .* its seq"),
    ],
)
def test_a_value_of_another_type_is_named(sqlite_url: str, embedder: FakeEmbedder, change: str, told: str) -> None:
    with Memory(sqlite_url, embedder=embedder) as memory:
        memory.add("I live in Leeds.", id="home", user_id="ann")
        memory.add("I have a cat.", id="cat", user_id="ann")
        memory.verify(deep=True)
        memory.database.write(lambda connection: connection.exec_driver_sql(change))
        with pytest.raises(IntegrityError, match=told):
            memory.verify(deep=True)
