"""The journal's key: what opens, what does not, and what an attacker without it can not hide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from genome_core import Memory
from genome_core.errors import IntegrityError, InvalidInput, JournalKeyError
from genome_core.storage.database import Database
from genome_core.storage.signing import JournalKey
from genome_core.testing.embedders import FakeEmbedder
from tests.conftest import FakeClock
from tests.storage.earlier import make_version_2

KEY, OTHER = b"k" * 32, b"o" * 32


def opened(url: str | Database, key: Any = None) -> Memory:
    return Memory(url, embedder=FakeEmbedder(), clock=FakeClock(), journal_key=key)


def execute(memory: Memory, *statements: str) -> None:
    for statement in statements:
        memory.database.write(lambda connection, sql=statement: connection.execute(sa.text(sql)))  # type: ignore[misc]


def test_a_signed_store_opens_with_its_key_only(durable_store_url: str, tmp_path: Path) -> None:
    file = tmp_path / "journal.key"
    file.write_bytes(KEY + b"\n")
    with opened(durable_store_url, KEY) as memory:
        memory.add("signed", user_id="u")
    for wrong in (None, OTHER):
        with pytest.raises(JournalKeyError):
            opened(durable_store_url, wrong)
    with opened(durable_store_url, file) as memory:
        memory.add("signed too", user_id="v")
        assert memory.verify().entries == 2


def test_a_key_that_can_not_be_read_or_is_short_opens_nothing(durable_store_url: str, tmp_path: Path) -> None:
    with pytest.raises(JournalKeyError, match="can not be read"):
        opened(durable_store_url, tmp_path / "missing.key")
    with pytest.raises(InvalidInput, match="4 bytes"):
        opened(durable_store_url, b"1234")
    with pytest.raises(InvalidInput, match="int"):
        opened(durable_store_url, 12345)


def test_the_key_stands_neither_in_the_store_nor_in_its_name(sqlite_url: str, tmp_path: Path) -> None:
    with opened(sqlite_url, KEY) as memory:
        memory.add("signed", user_id="u")
        assert KEY.decode() not in repr(memory.journal_key)
    assert KEY not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert JournalKey(KEY).id != JournalKey(OTHER).id


def test_a_store_that_is_in_use_does_not_take_a_key_silently(durable_store_url: str) -> None:
    """Else whoever removes the signatures, and edits, would get the edit signed at the next opening."""
    with opened(durable_store_url) as memory:
        memory.add("unsigned", user_id="u")
    with pytest.raises(JournalKeyError, match="not signed"):
        opened(durable_store_url, KEY)


def test_a_store_can_begin_to_use_a_key_and_change_it(durable_store_url: str) -> None:
    with opened(durable_store_url) as memory:
        memory.add("unsigned", user_id="u")
        memory.rekey(KEY)
        memory.add("signed", user_id="u")
    with opened(durable_store_url, KEY) as memory, opened(durable_store_url, KEY) as late:
        memory.rekey(OTHER)
        assert memory.verify().entries == 4
        for write in (lambda: late.add("stale", user_id="u"), late.reset, late.compact, late.verify):
            with pytest.raises(JournalKeyError, match="another key"):
                write()
    with opened(durable_store_url, OTHER) as memory:
        assert memory.count(user_id="u") == 2


def test_who_has_the_store_open_without_its_key_can_not_go_on_writing(durable_store_url: str) -> None:
    with opened(durable_store_url) as memory, opened(durable_store_url) as late:
        late.add("before", user_id="u")
        memory.rekey(KEY)
        for write in (
            lambda: late.add("old chain", user_id="u"),
            lambda: late.add("new chain", user_id="v"),
            late.reset,
            late.compact,
            late.verify,
        ):
            with pytest.raises(JournalKeyError):
                write()
        assert memory.count(namespace=()) == 1


def test_a_store_that_does_not_verify_gets_no_key(store_url: str) -> None:
    with opened(store_url) as memory:
        memory.add(["a", "b"], user_id="u")
        execute(memory, "UPDATE genome_journal SET at = at + 1 WHERE seq = 1")
        with pytest.raises(IntegrityError, match="entry 1"):
            memory.rekey(KEY)
        assert memory.journal_key is None
        memory.add("c", user_id="u")


def test_a_reset_store_keeps_its_key(durable_store_url: str) -> None:
    with opened(durable_store_url, KEY) as memory:
        memory.add("before", user_id="u")
        memory.reset()
        memory.add("after", user_id="u")
        assert memory.verify().entries == 1
    with pytest.raises(JournalKeyError):
        opened(durable_store_url)


CUT = """
    UPDATE genome_chains SET seq = 2, hash = (
        SELECT hash FROM genome_journal WHERE seq = 2 AND genome_journal.tenant = genome_chains.tenant
    ) WHERE seq = 3"""


def test_a_cut_tail_shows_even_if_the_head_was_cut_too(store_url: str) -> None:
    with opened(store_url, KEY) as memory:
        memory.add(["1", "2", "3"], user_id="u")
        execute(memory, CUT, "DELETE FROM genome_journal WHERE seq = 3", "DELETE FROM genome_records WHERE text = '3'")
        with pytest.raises(IntegrityError, match="head of chain"):
            memory.verify()
        with pytest.raises(IntegrityError, match="head of chain"):
            memory.add("4", user_id="u")


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE genome_chains SET signature = NULL",
        "DELETE FROM genome_journal_keys",
        "UPDATE genome_journal_keys SET since = since - 1",
        "UPDATE genome_journal_keys SET chains = chains + 1",
    ],
)
def test_signatures_can_not_be_removed_or_moved(store_url: str, edit: str) -> None:
    with opened(store_url, KEY) as memory:
        memory.add(["1", "2", "3"], user_id="u")
        execute(memory, edit)
        with pytest.raises((IntegrityError, JournalKeyError)):
            memory.verify()


def test_a_chain_that_is_gone_altogether_is_missed(postgres_url: str) -> None:
    with opened(postgres_url, KEY) as memory:
        memory.add("1", user_id="u")
        memory.add("1", user_id="v")
        memory.verify()
        execute(
            memory,
            *(
                f"DELETE FROM genome_{name} WHERE tenant = (SELECT min(tenant) FROM genome_chains)"
                for name in ("journal", "records", "passages", "facts", "chains")
            ),
        )
        with pytest.raises(IntegrityError, match="2 chains were signed"):
            memory.verify()


def test_one_signature_does_not_pass_for_another() -> None:
    key = JournalKey(KEY)
    signature = key.sign("head", b"message")
    assert key.signed("head", b"message", signature)
    assert not key.signed("receipt", b"message", signature)
    assert not key.signed("head", b"messagf", signature)
    assert not key.signed("head", b"message", None)
    assert not JournalKey(OTHER).signed("head", b"message", signature)


def test_a_store_of_the_first_schema_is_upgraded_and_can_begin_to_use_a_key(durable_store_url: str) -> None:
    with opened(durable_store_url) as memory:
        memory.add("old", user_id="u")
        memory.database.write(make_version_2)
        execute(
            memory,
            "DROP TABLE genome_journal_keys",
            "ALTER TABLE genome_chains DROP COLUMN signature",
            "UPDATE genome_schema SET version = 1 WHERE component = 'core'",
        )
    with opened(durable_store_url) as memory:
        memory.add("new", user_id="u")
        memory.rekey(KEY)
        assert memory.verify().entries == 3
