"""Stores that are full, read-only, damaged, newer, or gone for a moment (cases K03-12, K06, K16-07)."""

from __future__ import annotations

import contextlib
import resource
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from genome_core import Memory
from genome_core.errors import IntegrityError, NotADatabase, SchemaTooNew, StorageError
from genome_core.storage.database import Database, Schema
from genome_core.storage.schema import SCHEMA
from tests.faults.workers import fork, join, open_memory
from tests.postgres import LocalPostgres, PostgresServer


def test_a_full_disk_is_a_clear_error_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with open_memory(str(path)) as memory:
        memory.add("before", id="before", user_id="u")
    acknowledged = tmp_path / "acknowledged"
    acknowledged.mkdir()

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        with open_memory(str(path)) as memory:
            for n in range(10_000):
                try:
                    memory.add(f"note {n} " + "x" * 2000, id=f"{n}", user_id="u")
                except StorageError as error:
                    if "disk" not in str(error):
                        raise
                    return
                (acknowledged / str(n)).touch()
        raise AssertionError("the disk was never full")

    assert join([fork(fill)]) == [0]
    with open_memory(str(path)) as memory:
        stored = {record.id for record in memory.get_all(user_id="u", limit=100_000)}
        assert stored == {"before"} | {file.name for file in acknowledged.iterdir()}
        assert len(stored) > 5
        assert memory.verify().entries == len(stored)
        memory.add("after", user_id="u")


def test_a_read_only_store_can_be_read_and_says_why_it_can_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with open_memory(str(path)) as memory:
        memory.add("x", user_id="u")
    with open_memory(f"sqlite:///file:{path}?mode=ro&uri=true") as memory:
        assert memory.search("x", user_id="u")[0].record.text == "x"
        with pytest.raises(StorageError, match="read-only"):
            memory.add("y", user_id="u")


@pytest.mark.parametrize("content", [b"hello world, this is a text file", b"PK\x03\x04" + bytes(2000), b"x"])
def test_a_file_of_another_kind_is_left_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(NotADatabase, match="untouched"):
        Memory(path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_a_path_that_can_not_be_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotADatabase, match="folder"):
        Memory(tmp_path)
    with pytest.raises(StorageError, match="does not exist"):
        Memory(tmp_path / "missing" / "memory.db")
    with pytest.raises(ValueError, match="no name"):
        Memory("")
    with pytest.raises(ValueError, match="mysql"):
        Memory("mysql://localhost/x")


def test_a_damaged_row_is_passed_over_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with open_memory(str(path)) as memory:
        memory.add([{"content": f"note {n}", "id": str(n), "metadata": {"n": n}} for n in range(3)], user_id="u")
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("""UPDATE genome_records SET metadata = '{"n": 1' WHERE id = '1'""")
    with open_memory(str(path)) as memory:
        with pytest.warns(RuntimeWarning, match="'1' is damaged"):
            assert [record.id for record in memory.get_all(user_id="u")] == ["0", "2"]
        with pytest.warns(RuntimeWarning, match="'1' is damaged"):
            assert {hit.record.id for hit in memory.search("note", user_id="u")} == {"0", "2"}
        assert [record.id for record in memory.get_all(user_id="u", filter={"n": {"$gte": 1}})] == ["2"]


def test_the_store_of_a_newer_release_is_left_untouched(durable_store_url: str) -> None:
    open_memory(durable_store_url).close()
    database = Database(durable_store_url)
    database.write(lambda c: c.execute(sa.text("UPDATE genome_schema SET version = 99 WHERE component = 'core'")))
    with pytest.raises(SchemaTooNew, match="upgrade"):
        open_memory(durable_store_url)
    database.close()


def test_an_older_schema_is_upgraded_in_one_transaction(store_url: str) -> None:
    tables = sa.MetaData()
    notes = sa.Table("notes", tables, sa.Column("id", sa.Integer, primary_key=True), sa.Column("text", sa.Text))
    database = Database(store_url)
    database.install(Schema("notes", 1, tables))
    database.write(lambda connection: connection.execute(sa.insert(notes).values(id=1, text="kept")))

    def add_column(connection: sa.Connection) -> None:
        connection.execute(sa.text("ALTER TABLE notes ADD COLUMN tag TEXT"))

    def fail(connection: sa.Connection) -> None:
        add_column(connection)
        raise RuntimeError("the second step fails")

    with pytest.raises(RuntimeError):
        database.install(Schema("notes", 2, tables, {1: fail}))
    database.install(Schema("notes", 2, tables, {1: add_column}))
    database.install(Schema("notes", 2, tables, {1: fail}))
    with database.read() as connection:
        assert connection.execute(sa.text("SELECT id, text, tag FROM notes")).all() == [(1, "kept", None)]
    database.close()


def test_reset_works_while_others_read(durable_store_url: str) -> None:
    with open_memory(durable_store_url) as memory, open_memory(durable_store_url) as other:
        memory.add(["a", "b"], user_id="u")
        with other.database.read() as connection:
            assert connection.scalar(sa.text("SELECT count(*) FROM genome_records")) == 2
            memory.reset()
            assert connection.scalar(sa.text("SELECT count(*) FROM genome_records")) == 2
        assert other.count(namespace=()) == 0


EDITS = {
    "edited": "UPDATE genome_journal SET payload = replace(payload, 'note 2', 'note X') WHERE seq = 3",
    "digest and payload": "UPDATE genome_journal SET payload = NULL, digest = hash WHERE seq = 3",
    "operation": "UPDATE genome_journal SET op = 'delete' WHERE seq = 3",
    "time": "UPDATE genome_journal SET at = at + 1 WHERE seq = 3",
    "id": "UPDATE genome_journal SET id = 'other' WHERE seq = 3",
    "removed": "DELETE FROM genome_journal WHERE seq = 3",
    "cut": "DELETE FROM genome_journal WHERE seq = 5",
    "emptied": "DELETE FROM genome_journal",
    "headless": "DELETE FROM genome_chains",
    "renamed": "UPDATE genome_namespaces SET labels = '[\"user:v\"]'",
}


@pytest.mark.parametrize("edit", EDITS)
def test_verify_names_what_was_done_to_the_journal(store_url: str, edit: str) -> None:
    with open_memory(store_url) as memory:
        memory.add([f"note {n}" for n in range(5)], user_id="u")
        assert memory.verify().entries == 5
        memory.database.write(lambda connection: connection.execute(sa.text(EDITS[edit])))
        with pytest.raises(IntegrityError, match=r"entry 3|chain"):
            memory.verify()


# --- PostgreSQL ------------------------------------------------------------------------------------------------------


def test_a_restarted_server_loses_nothing(private_postgres: LocalPostgres) -> None:
    with private_postgres.database() as url, open_memory(url) as memory:
        memory.add("before", user_id="u")
        private_postgres.restart("fast")
        memory.add("after", user_id="u")
        assert {hit.record.text for hit in memory.search("before after", user_id="u")} == {"before", "after"}
        private_postgres.stop()
        with pytest.raises(StorageError):
            memory.add("meanwhile", user_id="u")
        private_postgres.start()
        memory.add("at last", user_id="u")
        assert memory.count(user_id="u") == 3
        assert memory.verify().entries == 3


def test_a_dropped_connection_is_replaced(postgres_url: str) -> None:
    with open_memory(postgres_url) as memory, open_memory(postgres_url) as other:
        [id] = memory.add("before", user_id="u")
        before = memory.get(id, user_id="u")
        with other.database.read() as connection:
            ended = sa.text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            assert connection.execute(ended).all()
        assert memory.get(id, user_id="u") == before
        memory.add("after", user_id="u")
        assert memory.count(user_id="u") == 2


def test_processes_set_up_a_blank_database_at_once(postgres: PostgresServer) -> None:
    with postgres.database(blank=True) as url:

        def set_up() -> None:
            with open_memory(url) as memory:
                memory.add("x", user_id="u")
                memory.database.install(SCHEMA)

        assert join([fork(set_up) for _ in range(6)]) == [0] * 6
        with open_memory(url) as memory:
            assert memory.count(user_id="u") == 1
            assert memory.search("x", user_id="u")


def test_processes_set_up_the_saver_at_once(postgres: PostgresServer) -> None:
    """K06-09: also where another transaction is open on the same tables' database."""
    from genome_langgraph import GenomeSaver

    from tests.integrations.langgraph.saver_helpers import at, put

    with postgres.database(blank=True) as url:
        database = Database(url)

        def set_up() -> None:
            with GenomeSaver(url) as saver:
                saver.setup()
                saver.setup()
                put(saver, at("t"), {"a": 1})

        with database.read() as connection:
            assert connection.scalar(sa.text("SELECT 1")) == 1
            assert join([fork(set_up) for _ in range(6)]) == [0] * 6
        with GenomeSaver(database) as saver:
            assert len(list(saver.list(at("t")))) == 6
        database.close()


def test_no_statement_is_prepared_on_the_server(postgres_url: str) -> None:
    """K06-10: a transaction pooler gives each transaction another connection, which knows no prepared statement."""
    from genome_langgraph import GenomeSaver

    from tests.integrations.langgraph.saver_helpers import at, put

    with open_memory(postgres_url) as memory:
        saver = GenomeSaver(memory)
        for n in range(12):
            memory.add(f"note {n}", user_id="u")
            memory.search("note", user_id="u")
            put(saver, at("t"), {"a": n})
            assert saver.get_tuple(at("t")) is not None
        with memory.database.read() as connection:
            assert connection.scalar(sa.text("SELECT count(*) FROM pg_prepared_statements")) == 0


def test_an_engine_of_the_callers_stays_open(durable_store_url: str) -> None:
    engine = sa.create_engine(durable_store_url)
    with Memory(engine) as memory:
        assert memory.count(namespace=()) == 0
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM genome_records")) == 0
    engine.dispose()
