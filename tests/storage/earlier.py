"""Databases as earlier versions of the schema left them."""

from __future__ import annotations

import hashlib
import json
import re

import sqlalchemy as sa

from genome_core.storage.journal import GENESIS, entry_hash, salted
from genome_core.storage.json_text import canonical
from genome_core.storage.schema import chains, journal


def make_version_7(connection: sa.Connection) -> None:
    """The tables as version 7 made them: any query may take the index over times."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("DROP INDEX genome_records_times")
        connection.exec_driver_sql("CREATE INDEX genome_records_times ON genome_records (tenant, at, key)")
    connection.exec_driver_sql("UPDATE genome_schema SET version = 7 WHERE component = 'core'")


def make_version_5(connection: sa.Connection) -> None:
    """The tables as version 5 made them: an index over all ids and one over all duplicate keys."""
    connection.exec_driver_sql("DROP INDEX IF EXISTS genome_records_times")
    for index in ("genome_journal_keys_of", "genome_journal_ids", "genome_records_loose", "genome_records_order"):
        connection.exec_driver_sql(f"DROP INDEX {index}")
    connection.exec_driver_sql("CREATE INDEX genome_journal_history ON genome_journal (namespace_id, id, seq)")
    unique = "UNIQUE (tenant, namespace_id, duplicate)"
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("ALTER TABLE genome_records DROP COLUMN loose_duplicate")
        connection.exec_driver_sql(f"ALTER TABLE genome_records ADD {unique}")
    else:
        [(made,)] = connection.exec_driver_sql("SELECT sql FROM sqlite_schema WHERE name = 'genome_records'").all()
        made = re.sub(r"\s*loose_duplicate TEXT,", "", made)
        made = made.replace("UNIQUE (tenant, id, namespace_id)", f"UNIQUE (tenant, id, namespace_id), {unique}")
        connection.exec_driver_sql("ALTER TABLE genome_records DROP COLUMN loose_duplicate")
        connection.exec_driver_sql("ALTER TABLE genome_records RENAME TO genome_records_6")
        connection.exec_driver_sql(made)
        connection.exec_driver_sql("INSERT INTO genome_records SELECT * FROM genome_records_6")
        connection.exec_driver_sql("DROP TABLE genome_records_6")
    connection.exec_driver_sql("CREATE INDEX genome_records_order ON genome_records (namespace_id, at, key)")
    connection.exec_driver_sql("UPDATE genome_schema SET version = 5 WHERE component = 'core'")


def make_version_4(connection: sa.Connection) -> None:
    """The journal as version 4 wrote it: no digest over keys, and nothing told of what was emptied but that it was erased."""
    make_version_5(connection)
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
