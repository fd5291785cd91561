"""A database that an earlier version wrote is upgraded when it is opened, and refused where its journal does not verify."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from genome_core import Memory
from genome_core.errors import IntegrityError
from genome_core.storage.database import Database
from genome_core.storage.journal import GENESIS, entry_hash
from genome_core.testing.embedders import FakeEmbedder


def _as_version_1(store_url: str, tamper: Callable[[sa.Connection], None] = lambda _: None) -> None:
    """The journal as version 1 wrote it: digests without salt, ids and labels in the hash."""
    with Memory(store_url, embedder=FakeEmbedder()) as memory:
        memory.add("I live in Leeds.", id="home", user_id="ann", at=memory.now())
        memory.update("home", text="I live in York.", user_id="ann")
        memory.add("I live in Rome.", id="home", user_id="bob")
        memory.compact()

    def work(connection: sa.Connection) -> None:
        heads: dict[int, bytes] = {}
        entries = "SELECT j.*, n.labels FROM genome_journal j JOIN genome_namespaces n ON n.id = j.namespace_id"
        for row in connection.execute(sa.text(f"{entries} ORDER BY j.tenant, seq")).all():
            digest = row.digest if row.payload is None else hashlib.sha256(row.payload.encode()).digest()
            fields = (row.tenant, row.seq, row.at, row.op, row.labels, row.id, digest.hex())
            heads[row.tenant] = entry_hash(heads.get(row.tenant, GENESIS), fields)
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
        connection.exec_driver_sql("UPDATE genome_schema SET version = 1 WHERE component = 'core'")
        tamper(connection)

    database = Database(store_url)
    database.write(work)
    database.close()


def test_a_journal_without_salt_is_upgraded(durable_store_url: str) -> None:
    _as_version_1(durable_store_url)
    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
        assert memory.verify().entries == 3
        assert [version.record and version.record.text for version in memory.history("home", user_id="ann")] == [
            None,
            "I live in York.",
        ]
        memory.add("I live in Oslo.", user_id="ann")
        assert memory.verify().entries == 4


def test_a_journal_that_does_not_verify_is_not_upgraded(durable_store_url: str) -> None:
    _as_version_1(
        durable_store_url,
        lambda connection: connection.exec_driver_sql(  # type: ignore[arg-type,return-value]
            "UPDATE genome_journal SET payload = replace(payload, 'York', 'Ulm')"
        ),
    )
    for _ in range(2):
        with pytest.raises(IntegrityError, match="does not verify"):
            Memory(durable_store_url)
