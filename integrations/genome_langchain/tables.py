"""The tables that only LangChain needs, on the database of a ``Memory``."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from genome_core.storage.database import Database, Schema
from genome_core.storage.named import erase_named

# Keys sort and compare by code point, whatever the locale of the PostgreSQL cluster.
Identifier = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

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


def upsert(database: Database, table: sa.Table) -> sa.Insert:
    """INSERT that replaces the row with the same primary key."""
    insert = postgresql.insert(table) if database.is_postgres else sqlite.insert(table)
    key = [column.name for column in table.primary_key]
    others = {column.name: insert.excluded[column.name] for column in table.columns if column.name not in key}
    return insert.on_conflict_do_update(index_elements=key, set_=others)
