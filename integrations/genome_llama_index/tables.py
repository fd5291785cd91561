"""The table that only LlamaIndex needs, on the database of a ``Memory``."""

from __future__ import annotations

import sqlalchemy as sa

from genome_core.storage.database import Schema
from genome_core.storage.named import erase_named
from genome_core.storage.schema import Identifier

tables = sa.MetaData()

values = sa.Table(
    "llama_index_values",
    tables,
    sa.Column("namespace", Identifier, primary_key=True),
    sa.Column("collection", Identifier, primary_key=True),
    sa.Column("key", Identifier, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

SCHEMA = Schema(
    "llama_index", 1, tables, erase=lambda connection, scope, ids: erase_named(connection, tables, scope, ids)
)
