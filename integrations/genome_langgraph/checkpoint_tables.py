"""The tables of ``GenomeSaver``, for SQLite and PostgreSQL.

A checkpoint's row holds no channel values: ``versions`` names a version per channel, and each version of a channel is
one row of ``langgraph_values``, shared by every checkpoint that names it. There are no foreign keys, because the
runtime may store the writes of a checkpoint before the checkpoint itself. Times are microseconds since 1970 in UTC.
"""

from __future__ import annotations

import sqlalchemy as sa

from genome_core.storage.database import Schema

# Ids sort by code point, whatever the locale of the PostgreSQL cluster: "latest" means the greatest checkpoint_id.
Identifier = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

tables = sa.MetaData()

threads = sa.Table(
    "langgraph_threads",
    tables,
    sa.Column("thread_id", Identifier, primary_key=True),
    sa.Column("saved_at", sa.BigInteger, nullable=False),
    sa.Column("ttl", sa.BigInteger),  # microseconds without a new checkpoint; NULL: as the saver says
)

checkpoints = sa.Table(
    "langgraph_checkpoints",
    tables,
    sa.Column("thread_id", Identifier, primary_key=True),
    sa.Column("checkpoint_ns", Identifier, primary_key=True),
    sa.Column("checkpoint_id", Identifier, primary_key=True),
    sa.Column("parent_id", Identifier),
    sa.Column("run_id", Identifier),
    sa.Column("versions", sa.Text, nullable=False),  # JSON object: channel -> version, as text
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
    sa.Column("metadata_type", sa.Text, nullable=False),
    sa.Column("metadata", sa.LargeBinary, nullable=False),
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

SCHEMA = Schema("langgraph_saver", 1, tables)
