"""How the tables of earlier versions become those of ``schema``. Each function runs in the transaction of the upgrade."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.errors import IntegrityError
from genome_core.storage.drafts import loose_duplicate
from genome_core.storage.journal import (
    GENESIS,
    SALT_BYTES,
    digest_of_erased,
    entry_hash,
    ranges_of,
    salted,
    seqs_in,
    what_stays,
    whose,
)
from genome_core.storage.json_text import canonical
from genome_core.storage.namespaces import NamespaceTable, Place, find_place, insert_place
from genome_core.storage.pseudonyms import Pseudonyms
from genome_core.storage.schema import chains, journal, namespaces, pseudonyms, records

_PAGE = 1000
_VERSION_2 = ("seq", "at", "op", "id", "payload", "digest", "hash")


def salt_the_journal(connection: Connection) -> None:
    """2 to 3: entries get a salt, and a digest of their id and namespace. The chains are checked and then made anew."""
    _refuse_signed(connection, 2)
    binary = "BYTEA" if connection.dialect.name == "postgresql" else "BLOB"
    empty = "''" if connection.dialect.name == "postgresql" else "x''"
    connection.exec_driver_sql(f"ALTER TABLE genome_journal ADD COLUMN salt {binary}")
    connection.exec_driver_sql(f"ALTER TABLE genome_journal ADD COLUMN about {binary} NOT NULL DEFAULT {empty}")
    for tenant in connection.scalars(sa.select(chains.c.tenant)).all():
        _chain_anew(connection, tenant)


def _refuse_signed(connection: Connection, version: int) -> None:
    if connection.scalar(sa.select(sa.func.count(chains.c.signature))):
        raise IntegrityError(
            f"a signed journal of schema {version} can not be upgraded",
            hint="export it with the release that wrote it, and import",
        )


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
            about = salted(salt, canonical([row.labels, row.id]))
            head = _hash(head, (tenant, row.seq, row.at, row.op, about.hex(), digest.hex()))
            changed.append({"which": row.seq, "salt": salt, "about": about, "digest": digest, "hash": head})
        connection.execute(entry, changed)
        seq = rows[-1].seq
    connection.execute(sa.update(chains).where(chains.c.tenant == tenant).values(hash=head))


def tell_what_was_emptied(connection: Connection) -> None:
    """4 to 5: the journal covers the keys of entries, and tells which entries lost their payload and what stays of them."""
    if connection.scalar(sa.select(chains.c.tenant).limit(1)) is not None:
        _refuse_signed(connection, 4)
    for tenant in connection.scalars(sa.select(chains.c.tenant)).all():
        _Anew(connection, tenant).chain()


class _Anew:
    """One chain of version 4: checked, and made anew."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._connection, self._tenant = connection, tenant
        self._stays: dict[int, bytes] = {}
        salt = connection.scalar(sa.select(pseudonyms.c.salt))
        self._names = None if salt is None else Pseudonyms(salt, None)
        self._forgotten: list[int] = []

    def chain(self) -> None:
        own = journal.c.tenant == self._tenant
        query = sa.select(journal, namespaces.c.labels).join(namespaces, namespaces.c.id == journal.c.namespace_id)
        page = query.where(own, journal.c.seq > sa.bindparam("after")).order_by(journal.c.seq).limit(_PAGE)
        seq = at = 0
        before, head = GENESIS, GENESIS
        while rows := self._connection.execute(page, {"after": seq}).all():
            for row in rows:
                before, head = self._check(row, before), self._entry(row, head)
            seq, at = rows[-1].seq, rows[-1].at
        if self._forgotten:
            seq, head = seq + 1, self._tell_forgotten(seq + 1, at, head)
        moved = sa.update(chains).where(chains.c.tenant == self._tenant).values(seq=seq, hash=head)
        self._connection.execute(moved)

    def _check(self, row: Any, before: bytes) -> bytes:
        hash = entry_hash(before, self._tenant, row.seq, row.at, row.op, row.about, row.digest)
        about = None if row.salt is None else salted(row.salt, canonical([row.labels, row.id]))
        digest = None if row.payload is None or row.salt is None else salted(row.salt, row.payload)
        if hash != row.hash or about not in (None, row.about) or digest not in (None, row.digest):
            raise IntegrityError(
                f"entry {row.seq} of chain {self._tenant} does not verify",
                hint="nothing was upgraded: restore a backup",
            )
        return hash

    def _entry(self, row: Any, head: bytes) -> bytes:
        place, payload, about, digest = (
            Place(row.namespace_id, self._tenant, row.labels),
            row.payload,
            row.about,
            row.digest,
        )
        if row.salt is None:
            place = self._place_of_erased(place)
        else:
            about = salted(row.salt, whose(row.labels, row.id, row.key))
            if payload is None:
                self._forgotten.append(row.seq)
            elif row.op == "erase" and self._names is not None:
                body = json.loads(payload)
                stays = (self._stays[seq] for seq in seqs_in(body["ranges"]))
                payload = canonical(body | {"digest": digest_of_erased(stays), "mark": self._names.mark})
                digest = salted(row.salt, payload)
        hash = entry_hash(head, self._tenant, row.seq, row.at, row.op, about, digest)
        if row.salt is None:
            self._stays[row.seq] = what_stays(hash, place.labels, row.id, row.key)
        changed = {"namespace_id": place.id, "payload": payload, "about": about, "digest": digest, "hash": hash}
        here = sa.and_(journal.c.tenant == self._tenant, journal.c.seq == row.seq)
        self._connection.execute(sa.update(journal).where(here).values(changed))
        return hash

    def _place_of_erased(self, place: Place) -> Place:
        """Under pseudonyms, also where only some ids of a namespace were erased."""
        labels = tuple(json.loads(place.labels))
        if self._names is None or all(label.startswith("erased:") for label in labels):
            return place
        namespace = self._names.namespace(labels)
        return find_place(self._connection, namespace) or insert_place(self._connection, namespace, place.tenant)

    def _tell_forgotten(self, seq: int, at: int, head: bytes) -> bytes:
        root = NamespaceTable(self._connection.dialect.name).ensure(self._connection, [()])[()]
        salt, payload = os.urandom(SALT_BYTES), canonical({"ranges": ranges_of(self._forgotten)})
        about, digest = salted(salt, whose(root.labels, "", None)), salted(salt, payload)
        row = {"tenant": self._tenant, "seq": seq, "at": at, "op": "forget", "namespace_id": root.id, "id": ""}
        row |= {"key": None, "payload": payload, "salt": salt, "about": about, "digest": digest}
        hash = entry_hash(head, self._tenant, seq, at, "forget", about, digest)
        self._connection.execute(sa.insert(journal), row | {"hash": hash})
        return hash


def index_in_order(connection: Connection) -> None:
    """5 to 6: of the indexes in random order, one is left. A constraint of a table in SQLite goes only with the table."""
    connection.exec_driver_sql("DROP INDEX genome_journal_history")
    for index in journal.indexes:
        index.create(connection)
    if connection.dialect.name == "postgresql":
        unique = "genome_records_tenant_namespace_id_duplicate_key"
        connection.exec_driver_sql(f"ALTER TABLE genome_records DROP CONSTRAINT {unique}")
        connection.exec_driver_sql('ALTER TABLE genome_records ADD COLUMN loose_duplicate TEXT COLLATE "C"')
    else:
        connection.exec_driver_sql("DROP INDEX genome_records_order")
        connection.exec_driver_sql("ALTER TABLE genome_records RENAME TO genome_records_5")
        records.create(connection)
        names = ", ".join(f'"{name}"' for name in records.c.keys() if name != "loose_duplicate")  # noqa: SIM118
        copied = f"INSERT INTO genome_records ({names}) SELECT {names} FROM genome_records_5"  # noqa: S608 -- our own names
        connection.exec_driver_sql(copied)
        connection.exec_driver_sql("DROP TABLE genome_records_5")
    _tell_loose_duplicates(connection)
    if connection.dialect.name == "postgresql":
        next(index for index in records.indexes if index.name == "genome_records_loose").create(connection)


def _tell_loose_duplicates(connection: Connection) -> None:
    page = (
        sa.select(records.c.tenant, records.c.key, records.c.id, records.c.duplicate, namespaces.c.labels)
        .join(namespaces, namespaces.c.id == records.c.namespace_id)
        .where(sa.tuple_(records.c.tenant, records.c.key) > sa.tuple_(sa.bindparam("tenant"), sa.bindparam("after")))
        .order_by(records.c.tenant, records.c.key)
        .limit(_PAGE)
    )
    told = sa.update(records).where(records.c.tenant == sa.bindparam("of"), records.c.key == sa.bindparam("which"))
    tenant = key = -1
    while rows := connection.execute(page, {"tenant": tenant, "after": key}).all():
        changed = [
            {"of": row.tenant, "which": row.key, "loose_duplicate": loose}
            for row in rows
            if (loose := loose_duplicate(tuple(json.loads(row.labels)), row.id, row.duplicate))
        ]
        if changed:
            connection.execute(told, changed)
        tenant, key = rows[-1].tenant, rows[-1].key
