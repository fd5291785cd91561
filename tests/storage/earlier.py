"""Databases as earlier versions of the schema left them."""

from __future__ import annotations

import hashlib
import json

import sqlalchemy as sa

from genome_core.storage.journal import GENESIS, entry_hash, salted
from genome_core.storage.json_text import canonical
from genome_core.storage.schema import chains, journal


def make_version_4(connection: sa.Connection) -> None:
    """The journal as version 4 wrote it: no digest over keys, and nothing told of what was emptied but that it was erased."""
    heads: dict[int, tuple[int, bytes]] = {}
    connection.exec_driver_sql("DELETE FROM genome_journal WHERE op = 'forget'")
    entries = "SELECT j.*, n.labels FROM genome_journal j JOIN genome_namespaces n ON n.id = j.namespace_id"
    for row in connection.execute(sa.text(f"{entries} ORDER BY j.tenant, seq")).all():
        payload, digest, about = row.payload, row.digest, row.about
        if row.op == "erase":
            body = {name: value for name, value in json.loads(payload).items() if name != "mark"}
            payload = canonical(body | {"digest": "0" * 64})
            digest = salted(row.salt, payload)
        if row.salt is not None:
            about = salted(row.salt, canonical([row.labels, row.id]))
        last, head = heads.get(row.tenant, (0, GENESIS))
        hash = entry_hash(head, row.tenant, row.seq, row.at, row.op, about, digest)
        assert row.seq == last + 1  # forget was the last to be written
        heads[row.tenant] = row.seq, hash
        changed = {"payload": payload, "about": about, "digest": digest, "hash": hash}
        connection.execute(
            sa.update(journal).where(journal.c.tenant == row.tenant, journal.c.seq == row.seq).values(changed)
        )
    for tenant, (seq, head) in heads.items():
        connection.execute(sa.update(chains).where(chains.c.tenant == tenant).values(seq=seq, hash=head))
    for column in ("believer", "last_version"):
        connection.exec_driver_sql(f"ALTER TABLE genome_records DROP COLUMN {column}")
    connection.exec_driver_sql("UPDATE genome_schema SET version = 4 WHERE component = 'core'")


def make_version_2(connection: sa.Connection) -> None:
    """The journal as version 2 wrote it: digests without salt, ids and labels in the hash."""
    make_version_4(connection)
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
