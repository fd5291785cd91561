"""How long a writer waits for another one, and connections that a pooler hands around."""

from __future__ import annotations

import math
import re
import socket
import sqlite3
import struct
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import make_url

from genome_core.errors import InvalidInput, StorageError
from genome_core.storage.database import Database
from genome_core.storage.schema import chains
from tests.faults.workers import open_memory


@contextmanager
def write_lock(url: str) -> Iterator[None]:
    """Another process's writer that is not ready yet."""
    database = Database(url)
    with database.engine.connect() as connection, connection.begin():
        connection.execute(sa.update(chains).values(seq=chains.c.seq))
        yield
    database.close()


@pytest.mark.parametrize("timeout", [0, 0.2])
def test_a_writer_gives_up_when_its_time_is_over_and_nothing_is_lost(durable_store_url: str, timeout: float) -> None:
    with open_memory(durable_store_url, timeout=timeout) as memory:
        memory.add("before", user_id="u")
        with write_lock(durable_store_url):
            with pytest.raises(StorageError) as raised:
                memory.add("meanwhile", user_id="u")
            assert "wait" in str(raised.value.hint)
            assert memory.count(user_id="u") == 1
        memory.add("after", user_id="u")
        assert memory.verify().entries == 2


def test_the_switch_to_wal_mode_waits_no_longer_than_a_writer_may(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.executescript("CREATE TABLE t (n); BEGIN IMMEDIATE")
    with pytest.raises(StorageError) as raised:
        open_memory(str(path), timeout=0)
    assert "wait" in str(raised.value.hint)
    other.execute("COMMIT")
    other.close()
    with open_memory(str(path), timeout=0) as memory:
        memory.add("after", user_id="u")


def test_what_an_error_shows_holds_nothing_of_what_was_said(store_url: str) -> None:
    database = Database(store_url)
    table = sa.Table("t", sa.MetaData(), sa.Column("n", sa.Integer, primary_key=True), sa.Column("said", sa.Text))
    database.write(table.create)
    row = {"n": 1, "said": "the secret"}
    with pytest.raises(StorageError) as raised:
        database.write(lambda connection: connection.execute(sa.insert(table), [row, row]))
    assert "secret" not in "".join(traceback.format_exception(raised.value))
    database.close()


@pytest.mark.parametrize("timeout", [-1, math.nan, math.inf, 1e10, "5", None])
def test_an_impossible_timeout_is_refused(durable_store_url: str, timeout: Any) -> None:
    with pytest.raises(InvalidInput, match="timeout"):
        Database(durable_store_url, timeout=timeout)


ALLOWED = {"user", "database", "client_encoding", "application_name", "datestyle", "timezone"}
"""The startup parameters that PgBouncer takes by default; it refuses a connection with any other."""


class Pooler:
    """A server that treats the start of a connection as PgBouncer does, and passes on what follows.

    It tells a client a process id and a key of its own, since it may serve it by several connections.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):  # closed at the end of the test
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._begin, args=(client,), daemon=True).start()

    def _begin(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as backend:
            message = self._message(client)
            while message[4:8] in (struct.pack("!I", 80877103), struct.pack("!I", 80877104)):  # asks for TLS or GSSAPI
                client.sendall(b"N")
                message = self._message(client)
            names = {name.decode() for name in message[8:].rstrip(b"\0").split(b"\0")[::2]}
            if unknown := names - ALLOWED:
                text = f"SFATAL\0C08P01\0Munsupported startup parameter: {unknown.pop()}\0\0".encode()
                client.sendall(b"E" + struct.pack("!I", len(text) + 4) + text)
                return
            backend.connect(self._target)
            backend.sendall(message)
            there = threading.Thread(target=self._pass_on, args=(client, backend), daemon=True)
            there.start()
            self._pass_on(backend, client)
            there.join()

    @staticmethod
    def _message(client: socket.socket) -> bytes:
        head = client.recv(4, socket.MSG_WAITALL)
        return head + client.recv(struct.unpack("!I", head)[0] - 4, socket.MSG_WAITALL)

    @staticmethod
    def _pass_on(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(re.sub(rb"(K\x00\x00\x00\x0c)[\x00-\xff]{8}", rb"\1genome..", data))
            target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()


def test_a_pooler_that_refuses_startup_parameters_serves_the_store(postgres_url: str) -> None:
    direct = make_url(postgres_url)
    pooler = Pooler(f"{direct.query['host']}/.s.PGSQL.{direct.port or direct.query.get('port', 5432)}")
    url = direct.set(host="127.0.0.1", port=pooler.port, query={})
    with open_memory(url.render_as_string(hide_password=False), timeout=0) as memory:
        memory.add("I drink tea", user_id="u")
        assert memory.search("tea", user_id="u")[0].record.text == "I drink tea"
        with write_lock(postgres_url), pytest.raises(StorageError, match="lock timeout"):
            memory.add("I drink coffee", user_id="u")
        with memory.database.driver() as connection:  # its next transaction may meet another server process
            assert connection.prepare_threshold is None
    pooler.close()


def test_frequent_statements_are_prepared_where_no_pooler_stands_between(postgres_url: str) -> None:
    database = Database(postgres_url)
    with database.driver() as connection:
        for _ in range(2):
            connection.execute("SELECT 1")
        assert connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()[0] >= 1
    database.close()
