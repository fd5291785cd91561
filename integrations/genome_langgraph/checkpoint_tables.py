"""The tables of ``GenomeSaver``, for SQLite and PostgreSQL.

A version of a channel is stored once, and shared by every checkpoint that names it: see checkpoint_places.py. There are
no foreign keys, because the runtime may store the writes of a checkpoint before the checkpoint itself. Times are
microseconds since 1970 in UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from genome_core.storage.database import Schema
from genome_core.types import Scope

# Ids sort by code point, whatever the locale of the PostgreSQL cluster: "latest" means the greatest checkpoint_id.
Identifier = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

tables = sa.MetaData()

COARSE = 86_400_000_000
"""Microseconds for which the row of a thread is left as it is, a day: what is said in it then changes one row less.

The row tells of most threads, without a look at their checkpoints, whether they are idle.
"""

threads = sa.Table(
    "langgraph_threads",
    tables,
    sa.Column("thread_id", Identifier, primary_key=True),
    sa.Column("saved_at", sa.BigInteger, nullable=False),  # of a checkpoint, up to ``COARSE`` before the latest one
    sa.Column("ttl", sa.BigInteger),  # microseconds without a new checkpoint; NULL: as the saver says
    sa.Column("owners", sa.Text, nullable=False, server_default=""),  # lines of JSON: see checkpoint_owners.py
)

checkpoints = sa.Table(
    "langgraph_checkpoints",
    tables,
    sa.Column("thread_id", Identifier, primary_key=True),
    sa.Column("checkpoint_ns", Identifier, primary_key=True),
    sa.Column("checkpoint_id", Identifier, primary_key=True),
    sa.Column("parent_id", Identifier),
    sa.Column("run_id", Identifier),
    sa.Column("versions", sa.Text, nullable=False),  # JSON object: channel -> version, of what is not in this row
    sa.Column("places", sa.Text),  # JSON object: channel -> where its value is, of what is in a checkpoint's row
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
    sa.Column("metadata_type", sa.Text, nullable=False),
    sa.Column("metadata", sa.LargeBinary, nullable=False),
    sa.Column("held", sa.LargeBinary),  # the values that are in this row, one after the other
    sa.Column("saved_at", sa.BigInteger),  # NULL: before schema 4, and not after the thread's
)
_HAS_RUN = checkpoints.c.run_id.is_not(None)
sa.Index("langgraph_checkpoints_run", checkpoints.c.run_id, sqlite_where=_HAS_RUN, postgresql_where=_HAS_RUN)

values = sa.Table(
    "langgraph_values",
    tables,
    sa.Column("thread_id", Identifier, primary_key=True),
    sa.Column("checkpoint_ns", Identifier, primary_key=True),
    sa.Column("channel", Identifier, primary_key=True),
    sa.Column("version", Identifier, primary_key=True),
    sa.Column("snapshot", sa.Boolean, nullable=False),  # the whole value of a DeltaChannel
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
    sa.Column("chunks", sa.Text),  # JSON list of digests: see chunks.py
)

chunks = sa.Table(
    "langgraph_chunks",
    tables,
    sa.Column("thread_id", Identifier, primary_key=True),
    sa.Column("digest", Identifier, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)

writes = sa.Table(
    "langgraph_writes",
    tables,
    sa.Column("thread_id", Identifier, primary_key=True),
    sa.Column("checkpoint_ns", Identifier, primary_key=True),
    sa.Column("checkpoint_id", Identifier, primary_key=True),
    sa.Column("task_id", Identifier, primary_key=True),
    sa.Column("idx", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("task_path", Identifier, nullable=False),
    sa.Column("channel", Identifier, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
)


def _add_owners(connection: Connection) -> None:
    from genome_langgraph.checkpoint_owners import add_owners

    add_owners(connection)


def _add_places(connection: Connection) -> None:
    """Schema 2 to 3: what was stored before stays in ``langgraph_values``."""
    _add_columns(connection, checkpoints.c.places, checkpoints.c.held)


def _add_times(connection: Connection) -> None:
    """Schema 3 to 4."""
    _add_columns(connection, checkpoints.c.saved_at)


def _keep_older_releases_away(_: Connection) -> None:
    """Schema 4 to 5: the row of a thread was at most a minute older than its latest checkpoint. It may be a day older now, and
    an older release would take the thread for idle."""


def _add_columns(connection: Connection, *columns: sa.Column[Any]) -> None:
    for column in columns:
        kind = column.type.compile(connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {column.table.name} ADD COLUMN {column.name} {kind}")


def _erase(connection: Connection, scope: Scope, ids: Sequence[str] | None) -> int:
    from genome_langgraph.checkpoint_owners import erase

    return erase(connection, scope, ids)


_MIGRATIONS = {1: _add_owners, 2: _add_places, 3: _add_times, 4: _keep_older_releases_away}
SCHEMA = Schema("langgraph_saver", 5, tables, _MIGRATIONS, erase=_erase)


class _JsonTable(FunctionElement[Any]):
    """A function that makes rows of a JSON text: ``json_each`` in SQLite, and in PostgreSQL one per kind of JSON."""

    postgres_name: str


class _JsonObject(_JsonTable):
    postgres_name = "json_each_text"
    inherit_cache = True


class _JsonList(_JsonTable):
    postgres_name = "json_array_elements_text"
    inherit_cache = True


@compiles(_JsonTable, "sqlite")
def _json_table_sqlite(element: _JsonTable, compiler: Any, **options: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **options)})"


@compiles(_JsonTable, "postgresql")
def _json_table_postgres(element: _JsonTable, compiler: Any, **options: Any) -> str:
    return f"{element.postgres_name}(CAST({compiler.process(element.clauses, **options)} AS JSON))"


def pairs(of_channels: sa.ColumnElement[Any]) -> Any:
    """The entries of ``versions`` or ``places``, as a FROM element with the columns ``key`` and ``value``."""
    return _JsonObject(of_channels).table_valued(sa.column("key", sa.Text), sa.column("value", sa.Text))


def digests(chunks: sa.ColumnElement[str | None]) -> Any:
    """The pieces of which a value consists, as a FROM element with the column ``value``."""
    return _JsonList(chunks).table_valued(sa.column("value", sa.Text))
