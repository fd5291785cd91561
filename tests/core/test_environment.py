"""What a Memory needs around it, and what happens when it goes away (cases K03-12, K06-10, K06-12, K16-03)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from psycopg import sql

from genome_core import Memory
from genome_core.errors import StorageError
from genome_core.protocols import Embedder, Fingerprint, Vectors
from genome_core.storage import bulk
from genome_core.storage.database import Database
from genome_core.storage.schema import passages
from genome_core.testing.embedders import FakeEmbedder
from tests.postgres import PostgresServer

PROGRAM = """
import sys
from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
for store in (":memory:", sys.argv[1]):
    with Memory(store, embedder=FakeEmbedder()) as memory:
        memory.add("I live in Oslo.", user_id="u")
        assert memory.search("Oslo", user_id="u")[0].record.text == "I live in Oslo."
"""


@pytest.mark.parametrize("home", ["", "/dev/null"])
def test_nothing_is_written_but_the_store(tmp_path: Path, home: str) -> None:
    nowhere, given = tmp_path / "cwd", tmp_path / "given"
    nowhere.mkdir()
    given.mkdir()
    environment = {name: text for name, text in os.environ.items() if name != "HOME" and not name.startswith("XDG_")}
    environment |= {"HOME": home} if home else {}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    root = Path(__file__).parents[2]
    environment["PYTHONPATH"] = str(root)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, str(given / "memory.db")],
        cwd=nowhere,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(nowhere.iterdir()) == []
    assert {file.name for file in given.iterdir()} <= {"memory.db", "memory.db-wal", "memory.db-shm"}


class Unloadable:
    """An embedder whose model can not be loaded any more."""

    window = 256

    @property
    def fingerprint(self) -> Fingerprint:
        raise RuntimeError("the model is gone")

    def count_tokens(self, text: str) -> int:
        raise RuntimeError("the model is gone")

    def embed(self, texts: object) -> Vectors:
        raise RuntimeError("the model is gone")

    def embed_query(self, text: str) -> Vectors:
        raise RuntimeError("the model is gone")


def test_what_needs_no_model_works_without_one(durable_store_url: str, embedder: Embedder, tmp_path: Path) -> None:
    with Memory(durable_store_url, embedder=embedder) as memory:
        memory.add([{"content": f"note {n}", "id": f"{n}"} for n in range(3)], user_id="u")
    with Memory(durable_store_url, embedder=Unloadable()) as memory:
        assert memory.count(user_id="u") == 3
        assert [record.id for record in memory.get_all(user_id="u")] == ["0", "1", "2"]
        assert memory.search("", user_id="u", limit=1)[0].record.id == "2"
        assert memory.export(tmp_path / "export.jsonl") == 3
        assert memory.delete("0", user_id="u") is True
        assert [version.op for version in memory.history("0")] == ["add", "delete"]
        assert memory.verify().entries == 4
        memory.reset()
        assert memory.stats().records == 0
    with Memory(durable_store_url, embedder=FakeEmbedder(32, name="another")) as memory:
        memory.add("a new beginning", user_id="u")
        assert memory.search("beginning", user_id="u")[0].record.text == "a new beginning"


def test_a_connection_lost_inside_a_batch_writes_nothing_and_the_next_call_works(
    postgres: PostgresServer, postgres_url: str, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = sa.make_url(postgres_url).database
    assert name is not None
    kill = sql.SQL(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = {} AND pid <> pg_backend_pid()"
    )
    with Memory(postgres_url, embedder=embedder) as memory:
        memory.add("before", user_id="u")
        armed = [True]

        insert = bulk.insert_tuples

        def lose(connection: sa.Connection, table: sa.Table, *given: Any) -> None:
            if table is passages and armed:
                armed.clear()
                postgres.execute(kill.format(sql.Literal(name)))
            insert(connection, table, *given)

        monkeypatch.setattr(bulk, "insert_tuples", lose)
        with pytest.raises(StorageError):
            memory.add(["one of a batch", "two of a batch"], user_id="u")
        assert not armed
        assert [record.text for record in memory.get_all(user_id="u")] == ["before"]
        assert memory.add(["one of a batch", "two of a batch"], user_id="u")
        assert memory.count(user_id="u") == 3
        assert memory.verify().entries == 3


def test_the_victim_of_a_deadlock_tries_again(postgres_url: str) -> None:
    database = Database(postgres_url)
    tables = sa.MetaData()
    counters = sa.Table("counters", tables, sa.Column("id", sa.Integer, primary_key=True), sa.Column("n", sa.Integer))
    database.write(tables.create_all)
    database.write(lambda connection: connection.execute(sa.insert(counters), [{"id": 1, "n": 0}, {"id": 2, "n": 0}]))
    meeting = threading.Barrier(2)
    attempts: list[int] = []

    def work(order: tuple[int, int]) -> None:
        first = [True]

        def change(connection: sa.Connection) -> None:
            attempts.append(order[0])
            for id in order:
                connection.execute(sa.update(counters).where(counters.c.id == id).values(n=counters.c.n + 1))
                if first:
                    first.clear()
                    meeting.wait(30)

        database.write(change)

    threads = [threading.Thread(target=work, args=(order,)) for order in ((1, 2), (2, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as connection:
        assert list(connection.scalars(sa.select(counters.c.n))) == [2, 2]
    database.close()
    assert len(attempts) >= 3, "the two never stood in each other's way"
