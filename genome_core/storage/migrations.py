"""How the tables of earlier versions become those of ``schema``. Each function runs in the transaction of the upgrade."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.errors import IntegrityError
from genome_core.storage.journal import GENESIS, SALT_BYTES, salted, whose
from genome_core.storage.json_text import canonical
from genome_core.storage.schema import chains, journal, namespaces

_PAGE = 1000
_VERSION_2 = ("seq", "at", "op", "id", "payload", "digest", "hash")


def salt_the_journal(connection: Connection) -> None:
    """2 to 3: entries get a salt, and a digest of their id and namespace. The chains are checked and then made anew."""
    if connection.scalar(sa.select(sa.func.count(chains.c.signature))):
        raise IntegrityError(
            "a signed journal of schema 2 can not be upgraded",
            hint="export it with the release that wrote it, and import",
        )
    binary = "BYTEA" if connection.dialect.name == "postgresql" else "BLOB"
    empty = "''" if connection.dialect.name == "postgresql" else "x''"
    connection.exec_driver_sql(f"ALTER TABLE genome_journal ADD COLUMN salt {binary}")
    connection.exec_driver_sql(f"ALTER TABLE genome_journal ADD COLUMN about {binary} NOT NULL DEFAULT {empty}")
    for tenant in connection.scalars(sa.select(chains.c.tenant)).all():
        _chain_anew(connection, tenant)


def _hash(previous: bytes, fields: Sequence[object]) -> bytes:
    return hashlib.sha256(previous + canonical(list(fields)).encode()).digest()


def _chain_anew(connection: Connection, tenant: int) -> None:
    page = (
        sa.select(*(journal.c[name] for name in _VERSION_2), namespaces.c.labels)
        .join(namespaces, namespaces.c.id == journal.c.namespace_id)
        .where(journal.c.tenant == tenant, journal.c.seq > sa.bindparam("after"))
        .order_by(journal.c.seq)
        .limit(_PAGE)
    )
    entry = sa.update(journal).where(journal.c.tenant == tenant, journal.c.seq == sa.bindparam("which"))
    seq, before, head = 0, GENESIS, GENESIS
    while rows := connection.execute(page, {"after": seq}).all():
        changed = []
        for row in rows:
            plain = None if row.payload is None else hashlib.sha256(row.payload.encode()).digest()
            before = _hash(before, (tenant, row.seq, row.at, row.op, row.labels, row.id, row.digest.hex()))
            if before != row.hash or plain not in (None, row.digest):
                raise IntegrityError(
                    f"entry {row.seq} of chain {tenant} does not verify", hint="nothing was upgraded: restore a backup"
                )
            salt = os.urandom(SALT_BYTES)
            digest = row.digest if row.payload is None else salted(salt, row.payload)
            about = salted(salt, whose(row.labels, row.id))
            head = _hash(head, (tenant, row.seq, row.at, row.op, about.hex(), digest.hex()))
            changed.append({"which": row.seq, "salt": salt, "about": about, "digest": digest, "hash": head})
        connection.execute(entry, changed)
        seq = rows[-1].seq
    connection.execute(sa.update(chains).where(chains.c.tenant == tenant).values(hash=head))
