"""What stands in the place of an erased id or label: it can be looked up by who knows the name, and tells nobody else.

A pseudonym is an HMAC of the name under a random value of the store and, where there is one, the journal's key. Who holds
the database without that key can still check a guess; where the store has no key, so can everybody who holds it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage.database import insert_or_ignore
from genome_core.storage.intact import check_intact
from genome_core.storage.schema import namespaces, pseudonyms
from genome_core.storage.signing import JournalKey
from genome_core.types import Namespace, Scope

_PREFIX = "erased:"
_FORM = re.compile(_PREFIX + "[0-9a-f]{32}")
_PURPOSE = "pseudonym"


class Pseudonyms:
    """The pseudonyms of one store, under one key or none."""

    def __init__(self, salt: bytes, key: JournalKey | None) -> None:
        self._salt, self._key = salt, key

    @property
    def mark(self) -> str:
        """Tells the store's random value from another, in hexadecimal."""
        return hashlib.sha256(self._salt).hexdigest()

    def of(self, name: str) -> str:
        message = name.encode()
        digest = hmac.digest(self._salt, message, hashlib.sha256)
        if self._key is not None:
            digest = self._key.sign(_PURPOSE, digest)
        return _PREFIX + digest.hex()[:32]

    def namespace(self, namespace: Namespace) -> Namespace:
        return tuple(map(self.of, namespace))

    def scope(self, scope: Scope) -> Scope:
        """Where the erased namespaces of a scope are found."""
        groups = tuple(frozenset(map(self.of, group)) for group in scope.having)
        return Scope(self.namespace(scope.prefix), groups, scope.exact)


def is_one(name: str) -> bool:
    return _FORM.fullmatch(name) is not None


def hidden() -> sa.ColumnElement[bool]:
    """The WHERE clause on ``namespaces`` for those whose labels are pseudonyms."""
    return sa.and_(namespaces.c.path >= _PREFIX, namespaces.c.path < _PREFIX[:-1] + chr(ord(_PREFIX[-1]) + 1))


def made(connection: Connection, key: JournalKey | None) -> Pseudonyms:
    """The store's pseudonyms; call in a transaction that erases."""
    row = {"id": 1, "salt": os.urandom(32)}
    connection.execute(insert_or_ignore(connection, pseudonyms), row)
    salt = _salt(connection)
    assert salt is not None  # noqa: S101 - it was made above, if it was not there
    return Pseudonyms(salt, key)


def known(connection: Connection, key: JournalKey | None) -> list[Pseudonyms]:
    """Under which pseudonyms something may be found: with the key, and as from before there was one; none before the
    first erasure."""
    salt = _salt(connection)
    if salt is None:
        return []
    return [Pseudonyms(salt, key)] + ([Pseudonyms(salt, None)] if key is not None else [])


def _salt(connection: Connection) -> bytes | None:
    salt: bytes | None = connection.scalar(_SALT)
    if salt is not None:
        check_intact(pseudonyms, {"salt": salt})
    return salt


_SALT = sa.select(pseudonyms.c.salt).where(pseudonyms.c.id == 1)
