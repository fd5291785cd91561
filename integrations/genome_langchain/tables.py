"""The tables that only LangChain needs, on the database of a ``Memory``."""

from __future__ import annotations

import sqlalchemy as sa

from genome_core.storage.database import Schema
from genome_core.storage.named import erase_named
from genome_core.storage.schema import Identifier

tables = sa.MetaData()

indexed = sa.Table(
    "langchain_indexed",
    tables,
    sa.Column("namespace", Identifier, primary_key=True),
    sa.Column("key", Identifier, primary_key=True),
    sa.Column("group_id", Identifier),
    sa.Column("updated_at", sa.Double, nullable=False),  # seconds since 1970, as the Indexing API hands them about
    sa.Index("langchain_indexed_time", "namespace", "updated_at"),
)

values = sa.Table(
    "langchain_values",
    tables,
    sa.Column("namespace", Identifier, primary_key=True),
    sa.Column("key", Identifier, primary_key=True),
    sa.Column("value", sa.LargeBinary, nullable=False),
)

SCHEMA = Schema(
    "langchain", 1, tables, erase=lambda connection, scope, ids: erase_named(connection, tables, scope, ids)
)
