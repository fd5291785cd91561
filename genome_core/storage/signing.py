"""The key of a journal: it signs the chains' heads, so that nobody without it can change what the chains hold.

A key is never stored. The database holds its ``check`` (an HMAC of a constant, by which a wrong key is noticed), and the
number of chains, signed, so that a whole chain that was removed is missed. Every chain's head carries a signature of its
own (``genome_chains``). Once a store has a key, it neither opens nor takes a write without it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.errors import IntegrityError, InvalidInput, JournalKeyError
from genome_core.storage.database import Database
from genome_core.storage.intact import check_intact
from genome_core.storage.schema import chains, journal_keys

_SHORTEST = 16


class JournalKey:
    """A secret that signs; everything signed has a purpose, so that one signature can not pass for another.

    Raises ``InvalidInput`` for a secret of fewer than 16 bytes.
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        if len(secret) < _SHORTEST:
            raise InvalidInput(
                f"the journal key has {len(secret)} bytes", hint=f"use 32 random bytes; {_SHORTEST} are the least"
            )
        self._secret = bytes(secret)

    @classmethod
    def of(cls, given: bytes | str | os.PathLike[str] | JournalKey | None) -> JournalKey | None:
        """A key from its bytes, or from the file that holds them (a line end at the end of the file does not count)."""
        if given is None or isinstance(given, JournalKey):
            return given
        if isinstance(given, bytes | bytearray):
            return cls(bytes(given))
        if not isinstance(given, str | os.PathLike):
            raise InvalidInput(f"the journal key is {type(given).__name__}", hint="give bytes, or the path of a file")
        try:
            return cls(Path(given).read_bytes().removesuffix(b"\n").removesuffix(b"\r"))
        except OSError as error:
            raise JournalKeyError(
                f"the journal key can not be read from {os.fspath(given)}: {error.strerror}",
                hint="name the file of the key",
            ) from error

    @property
    def id(self) -> str:
        """Tells keys apart without telling the key: 16 hexadecimal digits."""
        return self.sign("key id", b"").hex()[:16]

    def sign(self, purpose: str, message: bytes) -> bytes:
        """HMAC-SHA256 over the purpose and the message: 32 bytes."""
        return hmac.digest(self._secret, b"genome\0" + purpose.encode() + b"\0" + message, hashlib.sha256)

    def signed(self, purpose: str, message: bytes, signature: bytes | None) -> bool:
        """Whether this key made the signature."""
        return signature is not None and hmac.compare_digest(self.sign(purpose, message), signature)

    def __repr__(self) -> str:
        return f"JournalKey(id={self.id!r})"


def unlock(database: Database, key: JournalKey | None, now: Callable[[], int]) -> None:
    """Opens a store with its key; one without any entry gets the key. ``now`` tells the time in microseconds.

    Raises ``JournalKeyError`` for a key that is missing, wrong, or not yet that of the store.
    """
    with database.read() as connection:
        blank = key is not None and _is_blank(connection)
    if key is not None and blank:
        database.write(lambda connection: _begin(connection, key, now()))
    with database.read() as connection:
        check_key(connection, key)


def check_key(connection: Connection, key: JournalKey | None) -> None:
    """Raises ``JournalKeyError`` unless this is the key of the store, or the store has none and none is given."""
    row = connection.execute(_SELECT).first()
    if row is None and key is None:
        return
    if row is None:
        raise JournalKeyError(
            "the store's journal is not signed",
            hint="open it without a key and call rekey(key) to begin; if it was signed before, the signatures were removed",
        )
    if key is None:
        raise JournalKeyError("the store's journal is signed with a key", hint="give that key as journal_key")
    check_intact(journal_keys, row._asdict())
    if row.id != 1:
        raise IntegrityError("the row of the journal's key was edited")
    if not hmac.compare_digest(_check(key), row.check):
        raise JournalKeyError("the store's journal is signed with another key", hint="give the key that it was given")
    if not key.signed("chains", _counted(row.since, row.chains), row.signature):
        raise IntegrityError("the number of chains was changed by somebody without the key")


def signed_since(connection: Connection) -> int | None:
    """Since when the journal is signed with its present key, in microseconds."""
    since: int | None = connection.scalar(sa.select(journal_keys.c.since))
    return since


def give_key(connection: Connection, key: JournalKey, now: int) -> None:
    """Makes this the store's key and signs every head as it stands. Call ``keep_writers_out`` before."""
    heads = connection.execute(sa.select(chains.c.tenant, chains.c.seq, chains.c.hash)).all()
    for head in heads:
        connection.execute(_SIGN, {"of": head.tenant, "by": sign_head(key, head.tenant, head.seq, head.hash)})
    connection.execute(sa.delete(journal_keys))
    row = {"id": 1, "check": _check(key), "since": now, "chains": len(heads)}
    connection.execute(sa.insert(journal_keys), row | {"signature": key.sign("chains", _counted(now, len(heads)))})


def count_chain(connection: Connection, key: JournalKey | None) -> None:
    """One chain more; call where it is made."""
    if key is None:
        check_key(connection, None)
        return
    row = connection.execute(_SELECT.with_for_update()).first()
    check_key(connection, key)
    assert row is not None  # noqa: S101 - check_key has seen it
    signature = key.sign("chains", _counted(row.since, row.chains + 1))
    connection.execute(sa.update(journal_keys).values(chains=row.chains + 1, signature=signature))


def counted_chains(connection: Connection) -> int | None:
    """How many chains there must be; None where no key vouches for the number. Call after ``check_key``."""
    number: int | None = connection.scalar(sa.select(journal_keys.c.chains))
    return number


def sign_head(key: JournalKey | None, tenant: int, seq: int, hash: bytes) -> bytes | None:
    return None if key is None else key.sign("head", b"%d:%d:%b" % (tenant, seq, hash))


def check_head(
    connection: Connection, key: JournalKey | None, tenant: int, seq: int, hash: bytes, signature: bytes | None
) -> None:
    """Raises ``JournalKeyError`` for the wrong key, ``IntegrityError`` for a head that was changed without it."""
    expected = sign_head(key, tenant, seq, hash)
    if expected == signature:
        return
    check_key(connection, key)
    raise IntegrityError(f"the head of chain {tenant} was changed by somebody without the key")


def _begin(connection: Connection, key: JournalKey, now: int) -> None:
    keep_writers_out(connection)
    if _is_blank(connection):  # still: somebody else may have been first
        give_key(connection, key, now)


def keep_writers_out(connection: Connection) -> None:
    """Every write begins by locking its chain: who holds them all, and keeps new ones from being made, is alone."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"LOCK TABLE {chains.name} IN EXCLUSIVE MODE")


def _is_blank(connection: Connection) -> bool:
    used = connection.execute(sa.select(chains.c.tenant).limit(1)).first() or connection.execute(_SELECT).first()
    return used is None


def _check(key: JournalKey) -> bytes:
    return key.sign("check", b"")


def _counted(since: int, number: int) -> bytes:
    return b"%d:%d" % (since, number)


_SELECT = sa.select(journal_keys)
_SIGN = sa.update(chains).where(chains.c.tenant == sa.bindparam("of")).values(signature=sa.bindparam("by"))
