"""A store in a file that SQLCipher encrypts: the recipe of docs/erasure.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
import sqlcipher3
from sqlalchemy.engine import Engine

from genome_core import Memory
from genome_core.errors import NotADatabase
from genome_core.testing.embedders import FakeEmbedder

SECRET = b"Xyzzyplugh"
KEY = bytes(range(32))


def encrypted(path: Path, key: bytes) -> Engine:
    def connect() -> sqlcipher3.Connection:
        connection = sqlcipher3.connect(str(path), check_same_thread=False, timeout=30)
        connection.execute(f"PRAGMA key = \"x'{key.hex()}'\"")
        return connection

    return sa.create_engine("sqlite://", module=sqlcipher3, creator=connect, poolclass=sa.QueuePool)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "encrypted.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    engine = encrypted(path, KEY)
    with Memory(engine, embedder=FakeEmbedder()) as memory:
        yield memory
    engine.dispose()


def _files(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_everything_works_and_nothing_is_in_clear(memory: Memory, path: Path) -> None:
    turn = {"role": "user", "name": "Ann", "content": f"I live in Leeds. {SECRET.decode()}", "id": "a"}
    memory.add(turn, user_id="ann", metadata={"who": {"name": SECRET.decode()}})
    memory.update("a", text=f"I live in York. {SECRET.decode()}")
    assert memory.search("York", user_id="ann", filter={"who": {"$eq": {"name": SECRET.decode()}}})
    assert memory.facts(user_id="ann")
    assert memory.verify(deep=True)
    assert len(_files(path)) > 50_000
    for word in (SECRET, b"York", b"genome_records", b"SQLite format"):
        assert word not in _files(path)
    assert memory.erase(reason="asked", user_id="ann").is_complete
    assert memory.count(namespace=()) == 0


def test_another_key_does_not_open_it(memory: Memory, path: Path) -> None:
    memory.add("secret", user_id="ann")
    for key in (bytes(32), KEY[::-1]):
        engine = encrypted(path, key)
        with pytest.raises(NotADatabase):
            Memory(engine)
        engine.dispose()
    with pytest.raises(NotADatabase):
        Memory(path)
    assert memory.count(user_id="ann") == 1
