"""The append-only journal: one entry per change, in the same transaction as the change, hash-chained.

Each entry's hash covers the hash before it and the entry's own fields; of the payload, and of the id and the namespace's
labels, it covers *digests* only, so that they can later be emptied (to erase a person) while the chain still verifies. The
digests are salted with a random value of the entry's own, which goes with what is erased: without it, nobody can find out
by guessing what stood there. ``seq`` counts without gaps, so it is also
the feed by which caches catch up. There is one chain per tenant; SQLite has a single one (see ``schema``).
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from genome_core.errors import IntegrityError
from genome_core.storage.database import insert_or_ignore
from genome_core.storage.schema import KEY_BITS, chains, journal, key_of, namespaces, records
from genome_core.storage.signing import JournalKey, check_head, check_key, count_chain, counted_chains, sign_head

GENESIS = bytes(32)
SALT_BYTES = 16
_PAGE = 1000


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical(value: Any) -> str:
    """JSON with one spelling for one value: sorted keys, no spaces, real characters."""
    return _ENCODER.encode(value)


def entry_hash(previous: bytes, entry: Iterable[Any]) -> bytes:
    """The hash that chains an entry to the one before it."""
    return hashlib.sha256(previous + canonical(list(entry)).encode()).digest()


def salted(salt: bytes, text: str) -> bytes:
    """The digest of a text that tells nothing about it once the salt is gone."""
    return hashlib.sha256(salt + text.encode()).digest()


def whose(labels: str, id: str) -> str:
    """What an entry is about, as one text: the namespace's labels (JSON) and the id."""
    return canonical([labels, id])


@dataclass(slots=True)
class _Head:
    epoch: str
    seq: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What ``verify`` walked through without finding a fault."""

    chains: int
    entries: int
    erased: int
    """Entries whose payload was emptied; their digests still chain."""


class JournalWriter:
    """Appends entries within one transaction. The tenants' chains stay locked until it ends.

    Make one at the start of the transaction, ``append`` for each change, ``flush`` at the end.
    """

    def __init__(self, connection: Connection, tenants: Iterable[int], at: int, key: JournalKey | None) -> None:
        self._connection = connection
        self._at = at
        self._key = key
        self._entries: list[dict[str, Any]] = []
        # Always in the same order, so that two writers can not wait for each other.
        self._heads = {tenant: self._lock(tenant) for tenant in sorted(set(tenants))}

    def _lock(self, tenant: int) -> _Head:
        row = self._connection.execute(_HEAD, {"tenant": tenant}).first()
        if row is None:
            self._begin(tenant)
            row = self._connection.execute(_HEAD, {"tenant": tenant}).one()
        check_head(self._connection, self._key, tenant, row.seq, row.hash, row.signature)
        return _Head(row.epoch, row.seq, row.hash)

    def _begin(self, tenant: int) -> None:
        first = {"tenant": tenant, "epoch": uuid.uuid4().hex, "seq": 0, "hash": GENESIS}
        first["signature"] = sign_head(self._key, tenant, 0, GENESIS)
        if self._connection.execute(insert_or_ignore(self._connection, chains), first).rowcount:
            count_chain(self._connection, self._key)

    @property
    def epochs(self) -> dict[int, str]:
        """By tenant, a mark that changes when the tables are emptied: whoever remembers rows must then forget them."""
        return {tenant: head.epoch for tenant, head in self._heads.items()}

    def next_key(self, tenant: int) -> int:
        """A key for a new record: that of the entry which comes next, unique in the whole database."""
        return key_of(tenant, self._heads[tenant].seq + 1)

    def append(
        self, op: str, *, tenant: int, namespace_id: int, labels: str, id: str, payload: Any, key: int | None = None
    ) -> None:
        """Adds one entry; ``labels`` is the namespace's JSON, ``payload`` any JSON."""
        head = self._heads[tenant]
        text = canonical(payload)
        salt = os.urandom(SALT_BYTES)
        digest, about = salted(salt, text), salted(salt, whose(labels, id))
        head.seq += 1
        head.hash = entry_hash(head.hash, (tenant, head.seq, self._at, op, about.hex(), digest.hex()))
        self._entries.append(
            {
                "tenant": tenant,
                "seq": head.seq,
                "at": self._at,
                "op": op,
                "namespace_id": namespace_id,
                "id": id,
                "key": key,
                "payload": text,
                "salt": salt,
                "about": about,
                "digest": digest,
                "hash": head.hash,
            }
        )

    def flush(self) -> None:
        """Writes the entries and the chains' new heads."""
        if not self._entries:
            return
        self._connection.execute(_INSERT, self._entries)
        moved = [
            {"of": of, "to": head.seq, "now": head.hash, "by": sign_head(self._key, of, head.seq, head.hash)}
            for of, head in self._heads.items()
        ]
        self._connection.execute(_MOVE_HEAD, moved)


_HEAD = (
    sa.select(chains.c.epoch, chains.c.seq, chains.c.hash, chains.c.signature)
    .where(chains.c.tenant == sa.bindparam("tenant"))
    .with_for_update()
)
_INSERT = sa.insert(journal)
_MOVE_HEAD = (
    sa.update(chains)
    .where(chains.c.tenant == sa.bindparam("of"))
    .values(seq=sa.bindparam("to"), hash=sa.bindparam("now"), signature=sa.bindparam("by"))
)


def verify(connection: Connection, key: JournalKey | None = None) -> VerifyReport:
    """Walks every chain from its first entry; raises ``IntegrityError`` naming the first fault and its kind.

    A store with a key verifies with that key only: raises ``JournalKeyError`` for another one, or none.
    """
    check_key(connection, key)
    entries = erased = 0
    heads = connection.execute(sa.select(chains).order_by(chains.c.tenant)).all()
    known = {head.tenant for head in heads}
    for tenant in connection.scalars(sa.select(journal.c.tenant).distinct()):
        if tenant not in known:
            raise IntegrityError(f"the head of chain {tenant} was removed")
    for head in heads:
        seq, previous = 0, GENESIS
        for row in _walk(connection, head.tenant):
            seq += 1
            _check(row, seq, previous)
            previous = row.hash
            erased += row.payload is None
        if (seq, previous) != (head.seq, head.hash):
            raise IntegrityError(f"chain {head.tenant} was cut: {seq} entries are there, its head counts {head.seq}")
        check_head(connection, key, head.tenant, head.seq, head.hash, head.signature)
        entries += seq
    if key is not None and counted_chains(connection) != len(heads):
        raise IntegrityError(f"{counted_chains(connection)} chains were signed, but there are {len(heads)}")
    seqs = {head.tenant: head.seq for head in heads}
    for tenant, newest in connection.execute(_NEWEST_RECORD):
        if newest & ((1 << KEY_BITS) - 1) > seqs.get(tenant, 0):
            raise IntegrityError(f"chain {tenant} was emptied: records are there that it does not tell of")
    return VerifyReport(chains=len(heads), entries=entries, erased=erased)


_NEWEST_RECORD = sa.select(records.c.tenant, sa.func.max(records.c.key)).group_by(records.c.tenant)


def _walk(connection: Connection, tenant: int) -> Iterator[Row[Any]]:
    seq = 0
    page = (
        sa.select(journal, namespaces.c.labels)
        .outerjoin(namespaces, namespaces.c.id == journal.c.namespace_id)
        .where(journal.c.tenant == tenant, journal.c.seq > sa.bindparam("after"))
        .order_by(journal.c.seq)
        .limit(_PAGE)
    )
    while rows := connection.execute(page, {"after": seq}).all():
        yield from rows
        seq = rows[-1].seq


def _check(row: Row[Any], seq: int, previous: bytes) -> None:
    where = f"entry {row.seq} of chain {row.tenant}"
    if row.seq != seq:
        raise IntegrityError(f"entry {seq} of chain {row.tenant} was removed")
    if row.salt is None:  # erased: there is nothing left that the digests could be compared with
        if row.payload is not None:
            raise IntegrityError(f"{where} was edited: it has a payload but no salt")
    elif salted(row.salt, whose(row.labels or "", row.id)) != row.about:
        raise IntegrityError(f"the id or the namespace of {where} was edited")
    elif row.payload is not None and salted(row.salt, row.payload) != row.digest:
        raise IntegrityError(f"the payload of {where} was edited")
    fields = (row.tenant, row.seq, row.at, row.op, row.about.hex(), row.digest.hex())
    if entry_hash(previous, fields) != row.hash:
        raise IntegrityError(f"{where} was edited or put in another place")
