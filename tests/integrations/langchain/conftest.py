"""The adapters' database, with LangChain's own tables in it."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from genome_langchain.tables import SCHEMA, tables
from sqlalchemy.engine import Connection

from genome_core.storage.database import Database


@pytest.fixture
def database(database: Database) -> Database:
    """An empty database that has all tables, on each backend in turn."""
    database.install(SCHEMA)
    database.write(_empty)
    return database


def _empty(connection: Connection) -> None:
    for table in tables.sorted_tables:
        connection.execute(sa.delete(table))
