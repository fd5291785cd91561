"""The append-only journal: one entry per change, in the same transaction as the change, hash-chained.

Each entry's hash covers the hash before it and the entry's own fields; of the payload, and of the id, the key and the
namespace's labels, it covers *digests* only, so that they can later be emptied (to erase a person) while the chain still
verifies. The digests are salted with a random value of the entry's own, which goes with what is erased: without it, nobody
can find out by guessing what stood there. Which entries were emptied is told by a later one: ``erase`` for those of which
nothing is left but pseudonyms, with a digest of what stays of them, and ``forget`` for those that lost their payload only.

``seq`` counts without gaps, so it is also the feed by which caches catch up. There is one chain per tenant; SQLite has a
single one (see ``schema``).
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage import bulk
from genome_core.storage.database import Database, insert_or_ignore
from genome_core.storage.intact import check_intact
from genome_core.storage.json_text import canonical
from genome_core.storage.prepared import Prepared
from genome_core.storage.schema import chains, journal, key_of
from genome_core.storage.signing import JournalKey, check_head, count_chain, sign_head

GENESIS = bytes(32)
SALT_BYTES = 16
ABOUT_THE_STORE = ("erase", "forget", "key", "branch")
"""Operations whose entries are about the journal itself, and nobody's."""

Ranges = list[list[int]]
"""First and last ``seq`` of runs of entries, both inclusive."""


_quoted = json.encoder.encode_basestring


def entry_hash(previous: bytes, tenant: int, seq: int, at: int, op: str, about: bytes, digest: bytes) -> bytes:
    """The hash that chains an entry to the one before it: sha256 over that hash and the fields as canonical JSON."""
    fields = f'[{tenant},{seq},{at},{_quoted(op)},"{about.hex()}","{digest.hex()}"]'
    return hashlib.sha256(previous + fields.encode()).digest()


def salted(salt: bytes, text: str) -> bytes:
    """The digest of a text that tells nothing about it once the salt is gone."""
    return hashlib.sha256(salt + text.encode()).digest()


def whose(labels: str, id: str, key: int | None) -> str:
    """What an entry is about, as one text: the namespace's labels (JSON), the id and the key, as canonical JSON."""
    return f"[{_quoted(labels)},{_quoted(id)},{'null' if key is None else key}]"


def what_stays(hash: bytes, labels: str, id: str, key: int | None) -> bytes:
    """The digest of what stays of an erased entry: its hash, and its pseudonyms and key, which the hash can not cover."""
    return hashlib.sha256(hash + whose(labels, id, key).encode()).digest()


def digest_of_erased(stays: Iterable[bytes]) -> str:
    """By what an ``erase`` entry knows again what stays of the entries that it tells of, in order of ``seq``."""
    return hashlib.sha256(b"".join(stays)).hexdigest()


def ranges_of(seqs: Iterable[int]) -> Ranges:
    """The runs in ascending numbers."""
    found: Ranges = []
    for seq in seqs:
        if found and found[-1][1] == seq - 1:
            found[-1][1] = seq
        else:
            found.append([seq, seq])
    return found


def seqs_in(ranges: Sequence[Sequence[int]]) -> Iterator[int]:
    """The inverse of ``ranges_of``."""
    for first, final in ranges:
        yield from range(first, final + 1)


class Told(NamedTuple):
    """An entry without its place in a chain."""

    at: int
    op: str
    id: str
    key: int | None
    payload: str | None
    """None, like the salt, where it was erased."""
    salt: bytes | None
    about: bytes
    digest: bytes


@dataclass(slots=True)
class _Head:
    epoch: str
    seq: int
    hash: bytes


def head_of(where: Connection | Database, tenant: int) -> tuple[str, int] | None:
    """The epoch and the last ``seq`` of a tenant's chain: as long as they stay, nothing of the tenant's was written."""
    found: tuple[str, int] | None = next(iter(_LOOK.tuples(where, {"tenant": tenant})), None)
    return found


class JournalWriter:
    """Appends entries within one transaction. The tenants' chains stay locked until it ends.

    Make one at the start of the transaction, ``append`` for each change, ``flush`` at the end.
    """

    def __init__(self, connection: Connection, tenants: Iterable[int], at: int, key: JournalKey | None) -> None:
        self._connection = connection
        self._at = at
        self._key = key
        self._entries: list[tuple[Any, ...]] = []
        # Always in the same order, so that two writers can not wait for each other.
        self._heads = {tenant: self._lock(tenant) for tenant in sorted(set(tenants))}

    def _lock(self, tenant: int) -> _Head:
        row = self._head(tenant)
        if row is None:
            self._begin(tenant)
            row = self._head(tenant)
        epoch, seq, hash, signature = row
        check_intact(chains, {"epoch": epoch, "seq": seq, "hash": hash, "signature": signature})
        check_head(self._connection, self._key, tenant, seq, hash, signature)
        return _Head(epoch, seq, hash)

    def _head(self, tenant: int) -> Any:
        return _HEAD.run(self._connection, {"tenant": tenant}).fetchone()

    def _begin(self, tenant: int) -> None:
        first = {"tenant": tenant, "epoch": uuid.uuid4().hex, "seq": 0, "hash": GENESIS}
        first["signature"] = sign_head(self._key, tenant, 0, GENESIS)
        if self._connection.execute(insert_or_ignore(self._connection, chains), first).rowcount:
            count_chain(self._connection, self._key)

    @property
    def epochs(self) -> dict[int, str]:
        """By tenant, a mark that changes when the tables are emptied: whoever remembers rows must then forget them."""
        return {tenant: head.epoch for tenant, head in self._heads.items()}

    def is_at(self, heads: Mapping[int, tuple[str, int] | None]) -> bool:
        """Whether these, as ``head_of`` told them, are still the heads of their chains."""
        return all((own := self._heads.get(of)) and (own.epoch, own.seq) == head for of, head in heads.items())

    def next_key(self, tenant: int) -> int:
        """A key for a new record: that of the entry which comes next, unique in the whole database."""
        return key_of(tenant, self._heads[tenant].seq + 1)

    def append(
        self, op: str, *, tenant: int, namespace_id: int, labels: str, id: str, payload: Any, key: int | None = None
    ) -> None:
        """Adds one entry; ``labels`` is the namespace's JSON, ``payload`` any JSON."""
        text = canonical(payload)
        salt = os.urandom(SALT_BYTES)
        about, digest = salted(salt, whose(labels, id, key)), salted(salt, text)
        self.copy(tenant, namespace_id, Told(self._at, op, id, key, text, salt, about, digest))

    def copy(self, tenant: int, namespace_id: int, told: Told) -> bytes:
        """Adds an entry as another journal has it, erased or not; returns its hash here."""
        head = self._heads[tenant]
        head.seq += 1
        head.hash = entry_hash(head.hash, tenant, head.seq, told.at, told.op, told.about, told.digest)
        self._entries.append((tenant, head.seq, namespace_id, head.hash, *told))
        return head.hash

    def flush(self) -> None:
        """Writes the entries since the last flush, and the chains' new heads."""
        if not self._entries:
            return
        bulk.insert_tuples(self._connection, journal, _COLUMNS, self._entries)
        for of, head in self._heads.items():
            signature = sign_head(self._key, of, head.seq, head.hash)
            moved = {"of": of, "to": head.seq, "now": head.hash, "by": signature}
            _MOVE_HEAD.run(self._connection, moved)
        self._entries = []


_COLUMNS = ("tenant", "seq", "namespace_id", "hash", *Told._fields)
_LOOK = Prepared(sa.select(chains.c.epoch, chains.c.seq).where(chains.c.tenant == sa.bindparam("tenant")))
_HEAD = Prepared(
    sa.select(chains.c.epoch, chains.c.seq, chains.c.hash, chains.c.signature)
    .where(chains.c.tenant == sa.bindparam("tenant"))
    .with_for_update()
)
_MOVE_HEAD = Prepared(
    sa.update(chains)
    .where(chains.c.tenant == sa.bindparam("of"))
    .values(seq=sa.bindparam("to"), hash=sa.bindparam("now"), signature=sa.bindparam("by"))
)
