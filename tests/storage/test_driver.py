"""The short way to the database: connections of the driver that are kept between calls."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
import sqlalchemy as sa

from genome_core.errors import StorageError
from genome_core.storage.database import Database

ROOT = Path(__file__).parents[2]


def test_closing_leaves_no_connection_open(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db")
    with database.driver() as outer, database.driver() as inner:
        outer.execute("CREATE TABLE t (n)")
        inner.execute("INSERT INTO t VALUES (1)")
    assert (tmp_path / "a.db-wal").exists()
    database.close()
    assert not (tmp_path / "a.db-wal").exists()  # SQLite removes it with the last connection
    with database.driver() as connection:
        assert connection.execute("SELECT n FROM t").fetchall() == [(1,)]
    database.close()
    assert not (tmp_path / "a.db-wal").exists()


def test_what_an_error_leaves_behind_is_undone_and_locks_nobody_out(durable_store_url: str) -> None:
    database = Database(durable_store_url, timeout=0.1)
    with database.driver(alone=True) as connection:
        connection.execute("CREATE TABLE t (n INT)")

    def fail() -> None:
        with database.driver(alone=True) as connection:
            connection.execute("BEGIN")
            connection.execute("INSERT INTO t VALUES (1)")
            connection.execute("SELECT n FROM nowhere")

    with pytest.raises(StorageError, match="nowhere"):
        fail()
    with ThreadPoolExecutor(1) as other:
        other.submit(
            database.write, lambda connection: connection.execute(sa.text("INSERT INTO t VALUES (2)"))
        ).result()
    with database.driver() as connection:
        assert [tuple(row) for row in connection.execute("SELECT n FROM t").fetchall()] == [(2,)]
    database.close()


def test_many_threads_write_alone_and_lose_nothing(durable_store_url: str) -> None:
    database = Database(durable_store_url)
    with database.driver(alone=True) as connection:
        connection.execute("CREATE TABLE t (n INT)")

    def add(number: int) -> None:
        with database.driver(alone=True) as connection:
            connection.execute(f"INSERT INTO t VALUES ({number})")

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(add, range(200)))
    with database.read() as reader:
        assert reader.scalars(sa.text("SELECT n FROM t ORDER BY n")).all() == list(range(200))
    database.close()


def test_short_and_long_writes_of_a_process_take_turns_and_meet_no_lock(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db")
    with database.driver(alone=True) as connection:
        connection.execute("CREATE TABLE t (n INT)")
    begun = Event()

    def short() -> None:
        with database.driver(alone=True) as connection:
            begun.set()
            connection.execute("INSERT INTO t VALUES (2)")

    with ThreadPoolExecutor(1) as other:

        def long(connection: sa.Connection) -> Future[None]:
            connection.execute(sa.text("INSERT INTO t VALUES (1)"))
            waits = other.submit(short)
            assert not begun.wait(0.3)
            return waits

        database.write(long).result()
    with database.driver() as connection:
        assert connection.execute("SELECT n FROM t").fetchall() == [(1,), (2,)]
    database.close()


def test_a_short_write_waits_no_longer_than_the_timeout_for_a_long_one(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db", timeout=0.1)

    def short() -> None:
        with database.driver(alone=True):
            pass

    with ThreadPoolExecutor(1) as other, pytest.raises(StorageError, match="locked"):
        database.write(lambda _: other.submit(short).result())
    short()
    database.close()


def test_an_engine_that_was_handed_in_gets_its_connection_back(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'a.db'}", pool_size=1, max_overflow=0, pool_timeout=0.1)
    with Database(engine).driver() as connection:
        connection.execute("CREATE TABLE t (n)")
    with engine.connect() as again:
        assert again.scalar(sa.text("SELECT count(*) FROM t")) == 0
    engine.dispose()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_process_opens_its_own(tmp_path: Path) -> None:
    script = f"""
import os
from genome_core.storage.database import Database

database = Database({str(tmp_path / "a.db")!r})
with database.driver() as before:
    before.execute("CREATE TABLE t (n)")
    child = os.fork()
with database.driver(alone=True) as after:
    assert (after is before) == bool(child)
    after.execute("INSERT INTO t VALUES (1)")
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
with database.driver() as connection:
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)
