"""The tables of the engine.

Every row that belongs to somebody carries ``tenant``, the place where it is kept: always 0 in SQLite, and in PostgreSQL
a hash of the namespace's first label, by which the large tables are partitioned and the journal's chains are kept apart
(two tenants that share a hash share a chain and a partition, never rows). Times are microseconds since 1970 in UTC: exact,
and the same in both databases. JSON is kept as text, so that it comes back exactly as it was.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import event
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.schema import CreateColumn

from genome_core.storage.database import Schema
from genome_core.storage.engines import use_pgvector
from genome_core.storage.lists import one_of
from genome_core.types import Namespace

PARTITIONS = 16

# Labels and ids sort and compare by code point, whatever the locale of the PostgreSQL cluster.
Identifier = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
Serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")


class _PostgresVector(sa.types.UserDefinedType[Any]):
    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "vector"


class Vector(sa.types.TypeDecorator[Any]):
    """A float32 vector: written as ``vector_bytes``, which SQLite keeps, and pgvector's type on PostgreSQL; read as a numpy array."""

    impl = sa.LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> sa.types.TypeEngine[Any]:
        return dialect.type_descriptor(_PostgresVector() if dialect.name == "postgresql" else sa.LargeBinary())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if value is None or dialect.name == "sqlite":
            return value
        return np.frombuffer(value, dtype="<f4")  # psycopg sends arrays in pgvector's binary form

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        if value is None:
            return None
        return value.to_numpy() if dialect.name == "postgresql" else np.frombuffer(value, dtype="<f4")


def vector_bytes(vector: NDArray[np.float32]) -> bytes:
    """The numbers as little-endian bytes: the same on every machine."""
    return vector.astype("<f4", copy=False).tobytes()


tables = sa.MetaData()

namespaces = sa.Table(
    "genome_namespaces",
    tables,
    sa.Column("id", Serial, primary_key=True),
    sa.Column("tenant", sa.BigInteger, nullable=False),
    sa.Column("path", Identifier, nullable=False, unique=True),
    sa.Column("labels", sa.Text, nullable=False),
)

namespace_labels = sa.Table(
    "genome_namespace_labels",
    tables,
    sa.Column("label", Identifier, primary_key=True),
    sa.Column("namespace_id", sa.BigInteger, primary_key=True),
)

chains = sa.Table(
    "genome_chains",
    tables,
    sa.Column("tenant", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("epoch", sa.Text, nullable=False),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
    sa.Column("signature", sa.LargeBinary),
)

journal_keys = sa.Table(
    "genome_journal_keys",
    tables,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("check", sa.LargeBinary, nullable=False),
    sa.Column("since", sa.BigInteger, nullable=False),
    sa.Column("chains", sa.BigInteger, nullable=False),
    sa.Column("signature", sa.LargeBinary, nullable=False),
)

journal = sa.Table(
    "genome_journal",
    tables,
    sa.Column("tenant", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("op", sa.Text, nullable=False),
    sa.Column("namespace_id", sa.BigInteger, nullable=False),
    sa.Column("id", Identifier, nullable=False),
    sa.Column("key", sa.BigInteger),
    sa.Column("payload", sa.Text),
    sa.Column("salt", sa.LargeBinary),
    sa.Column("about", sa.LargeBinary, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
    sa.Index("genome_journal_keys_of", "namespace_id", "key", "seq"),
    postgresql_partition_by="HASH (tenant)",
)

BY_ID = sa.or_(journal.c.op != sa.literal_column("'add'"), journal.c.salt.is_(None))
"""The entries that are indexed by id. A new record's is found by its key: an index in the random order of ids costs a write more than all
others do, and most entries are of new records."""
sa.Index("genome_journal_ids", journal.c.namespace_id, journal.c.id, sqlite_where=BY_ID, postgresql_where=BY_ID)

records = sa.Table(
    "genome_records",
    tables,
    sa.Column("tenant", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("key", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("namespace_id", sa.BigInteger, nullable=False),
    sa.Column("id", Identifier, nullable=False),
    sa.Column("duplicate", sa.LargeBinary),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("name", sa.Text),
    sa.Column("value", sa.Text),
    sa.Column("metadata", sa.Text, nullable=False),
    sa.Column("index_texts", sa.Text),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Column("origin", Identifier, nullable=False),
    sa.Column("expires_at", sa.BigInteger),
    sa.Column("believer", Identifier, nullable=False, server_default=""),
    # The highest version that the record ever had, where a rollback gave it a lower one.
    sa.Column("last_version", sa.BigInteger),
    # What equal records share, in hexadecimal, where the id is not made of it: else the key over ids keeps a second one out.
    sa.Column("loose_duplicate", Identifier),
    sa.UniqueConstraint("tenant", "id", "namespace_id"),
    sa.Index("genome_records_order", "namespace_id", "at", "key"),
    postgresql_partition_by="HASH (tenant)",
)
_LOOSE = records.c.loose_duplicate.is_not(None)
sa.Index(
    "genome_records_loose",
    *(records.c[name] for name in ("tenant", "namespace_id", "loose_duplicate")),
    unique=True,
    sqlite_where=_LOOSE,
    postgresql_where=_LOOSE,
)
BY_TIME = records.c.version > sa.literal_column("0")
"""Always so. Only a query that says it can use the index ``TIMES``: of a table that was just filled PostgreSQL knows too little to see
when another is better, and would walk through a tenant's records for those of one namespace, or for one key."""
TIMES = sa.Index(
    "genome_records_times", records.c.tenant, records.c.at, records.c.key, postgresql_where=BY_TIME
).ddl_if(dialect="postgresql")
"""What is latest below one label, without a look at the rest. In SQLite all share a tenant: there it would lead through
everybody's records."""

passages = sa.Table(
    "genome_passages",
    tables,
    sa.Column("tenant", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("key", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("part", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("namespace_id", sa.BigInteger, nullable=False),
    sa.Column("terms", sa.Text, nullable=False),
    sa.Column("vector", Vector),
    postgresql_partition_by="HASH (tenant)",
)

facts = sa.Table(
    "genome_facts",
    tables,
    sa.Column("tenant", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("key", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("part", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("namespace_id", sa.BigInteger, nullable=False),
    sa.Column("id", Identifier, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("subject_key", Identifier, nullable=False),
    sa.Column("attribute", Identifier, nullable=False),
    sa.Column("recorded_at", sa.BigInteger, nullable=False),
    sa.Column("withdrawn_at", sa.BigInteger),
    sa.Column("source_key", sa.BigInteger),
    sa.Column("body", sa.Text, nullable=False),
    sa.Index("genome_facts_subject", "namespace_id", "subject_key", "attribute"),
    sa.Index("genome_facts_source", "tenant", "source_key"),
    sa.Index("genome_facts_id", "tenant", "id"),
    postgresql_partition_by="HASH (tenant)",
)

embedder = sa.Table(
    "genome_embedder",
    tables,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("dimensions", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
)


rules = sa.Table(
    "genome_rules",
    tables,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("tenant", sa.BigInteger, nullable=False),
    sa.Column("path", Identifier, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("keep", sa.BigInteger),
    sa.Column("origin", Identifier),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
)

pseudonyms = sa.Table(
    "genome_pseudonyms",
    tables,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("salt", sa.LargeBinary, nullable=False),
)


@event.listens_for(tables, "after_create")
def _create_partitions(_metadata: sa.MetaData, connection: Connection, **_: Any) -> None:
    if connection.dialect.name != "postgresql":
        return
    for table in tables.sorted_tables:
        if table.dialect_options["postgresql"]["partition_by"]:
            for number in range(PARTITIONS):
                connection.exec_driver_sql(
                    f"CREATE TABLE {table.name}_{number} PARTITION OF {table.name} "
                    f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
                )


def _prepare(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        use_pgvector(connection)


def _add_signatures(connection: Connection) -> None:
    binary = sa.LargeBinary().compile(dialect=connection.dialect)
    connection.exec_driver_sql(f"ALTER TABLE {chains.name} ADD COLUMN signature {binary}")
    journal_keys.create(connection)


def _salt_the_journal(connection: Connection) -> None:
    from genome_core.storage.migrations import salt_the_journal

    salt_the_journal(connection)


def _add_rules(connection: Connection) -> None:
    rules.create(connection)
    pseudonyms.create(connection)


def _to_version_5(connection: Connection) -> None:
    from genome_core.storage.migrations import tell_what_was_emptied

    for column in (records.c.believer, records.c.last_version):
        defined = CreateColumn(column).compile(dialect=connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {records.name} ADD COLUMN {defined}")
    tell_what_was_emptied(connection)


def _to_version_6(connection: Connection) -> None:
    from genome_core.storage.migrations import index_in_order

    index_in_order(connection)


def _index_times(connection: Connection) -> None:
    """6 to 7 made the index, 7 to 8 made it smaller in its claims."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"DROP INDEX IF EXISTS {TIMES.name}")
        TIMES.create(connection)


SCHEMA = Schema(
    component="core",
    version=8,
    tables=tables,
    migrations={
        1: _add_signatures,
        2: _salt_the_journal,
        3: _add_rules,
        4: _to_version_5,
        5: _to_version_6,
        6: _index_times,
        7: _index_times,
    },
    prepare=_prepare,
)


KEY_BITS = 31


def key_of(tenant: int, seq: int) -> int:
    """A record's key, unique in the whole database: the tenant and the journal entry that made the record."""
    return tenant << KEY_BITS | seq


def tenant_of_key(key: int) -> int:
    return key >> KEY_BITS


def seq_of_key(key: int) -> int:
    return key & ((1 << KEY_BITS) - 1)


def having_keys(table: sa.Table, keys: Sequence[int]) -> sa.ColumnElement[bool]:
    """The WHERE clause for rows of these keys, with their tenants so that only their partitions are searched."""
    return sa.and_(one_of(table.c.tenant, {tenant_of_key(key) for key in keys}), one_of(table.c.key, keys))


def tenant_of(namespace: Namespace, dialect: str) -> int:
    """Where rows of a namespace are kept; see the module's docstring."""
    if dialect == "sqlite":
        return 0
    return zlib.crc32(namespace[0].encode()) if namespace else 0
