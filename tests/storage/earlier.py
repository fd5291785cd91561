"""Databases as earlier versions of the schema left them."""

from __future__ import annotations

import hashlib

import sqlalchemy as sa

from genome_core.storage.journal import GENESIS
from genome_core.storage.json_text import canonical


def make_version_2(connection: sa.Connection) -> None:
    """The journal as version 2 wrote it: digests without salt, ids and labels in the hash."""
    heads: dict[int, bytes] = {}
    entries = "SELECT j.*, n.labels FROM genome_journal j JOIN genome_namespaces n ON n.id = j.namespace_id"
    for row in connection.execute(sa.text(f"{entries} ORDER BY j.tenant, seq")).all():
        digest = row.digest if row.payload is None else hashlib.sha256(row.payload.encode()).digest()
        fields = (row.tenant, row.seq, row.at, row.op, row.labels, row.id, digest.hex())
        chained = heads.get(row.tenant, GENESIS) + canonical(list(fields)).encode()
        heads[row.tenant] = hashlib.sha256(chained).digest()
        connection.execute(
            sa.text("UPDATE genome_journal SET digest = :digest, hash = :hash WHERE tenant = :tenant AND seq = :seq"),
            {"digest": digest, "hash": heads[row.tenant], "tenant": row.tenant, "seq": row.seq},
        )
    for tenant, head in heads.items():
        connection.execute(
            sa.text("UPDATE genome_chains SET hash = :head WHERE tenant = :tenant"), {"head": head, "tenant": tenant}
        )
    for column in ("salt", "about"):
        connection.exec_driver_sql(f"ALTER TABLE genome_journal DROP COLUMN {column}")
    for table in ("genome_rules", "genome_pseudonyms"):
        connection.exec_driver_sql(f"DROP TABLE {table}")
    connection.exec_driver_sql("UPDATE genome_schema SET version = 2 WHERE component = 'core'")
