"""Which embedder wrote a store's vectors: recorded with the first one, compared ever after."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.errors import EmbedderMismatch
from genome_core.protocols import Fingerprint
from genome_core.storage.database import insert_or_ignore
from genome_core.storage.schema import embedder


def recorded(connection: Connection) -> Fingerprint | None:
    row = connection.execute(_SELECT).first()
    return Fingerprint(row.name, row.digest, row.dimensions, row.kind) if row else None


def check(connection: Connection, mine: Fingerprint) -> bool:
    """Whether the store has an embedder yet; raises ``EmbedderMismatch`` if it is another one than mine."""
    theirs = recorded(connection)
    if theirs is None:
        return False
    if (theirs.digest, theirs.dimensions, theirs.kind) != (mine.digest, mine.dimensions, mine.kind):
        raise EmbedderMismatch(
            f"the store holds vectors of {_told(theirs)}, not of {_told(mine)}",
            hint="open it with that embedder, or call reindex(embedder) to embed every record anew",
        )
    return True


def record(connection: Connection, mine: Fingerprint) -> None:
    """Makes this the store's embedder."""
    connection.execute(sa.delete(embedder))
    connection.execute(insert_or_ignore(connection, embedder), _row(mine))


def adopt(connection: Connection, mine: Fingerprint) -> None:
    """Call in a transaction that writes vectors."""
    if not check(connection, mine):
        connection.execute(insert_or_ignore(connection, embedder), _row(mine))
        check(connection, mine)  # another writer may have been first


def _row(fingerprint: Fingerprint) -> dict[str, Any]:
    """There is one row, so that two first writers meet on its key."""
    return {"id": 1} | asdict(fingerprint)


def _told(fingerprint: Fingerprint) -> str:
    return f"{fingerprint.name} ({fingerprint.dimensions} dimensions, {fingerprint.digest[:12]})"


_SELECT = sa.select(embedder)
