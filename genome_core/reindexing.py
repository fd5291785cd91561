"""Embedding every record anew, with another embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from genome_core import drafting
from genome_core.protocols import Embedder
from genome_core.storage import maintenance, reading
from genome_core.storage.database import Database
from genome_core.storage.drafts import StoredPassage
from genome_core.storage.reading import StoredRecord
from genome_core.storage.signing import JournalKey

Progress = Callable[[int, int], None]
"""Called with how many records are done, and how many there are."""


def reindex(
    database: Database, embedder: Embedder, key: JournalKey | None, now: int, progress: Progress | None = None
) -> int:
    """Gives every record new passages and vectors and makes this the store's embedder; returns how many records.

    The embedding is done while others go on reading and writing; the switch is one transaction. Records without vectors
    stay without; vectors that callers brought are replaced by the embedder's.
    """

    def prepare(page: list[StoredRecord]) -> list[tuple[StoredPassage, ...]]:
        return drafting.passages_of([stored.record for stored in page], embedder)

    prepared: dict[tuple[int, int], tuple[StoredPassage, ...]] = {}
    with database.read() as connection:
        total = maintenance.stats(connection).records
    for page in _pages(database):
        versions = [(stored.key, stored.record.version) for stored in page]
        prepared.update(zip(versions, prepare(page), strict=True))
        if progress:
            progress(len(prepared), total)
    database.write(
        lambda connection: maintenance.replace_passages(connection, key, now, embedder.fingerprint, prepared, prepare)
    )
    return total


def _pages(database: Database) -> Iterator[list[StoredRecord]]:
    """All records, each page in a transaction of its own, so that none is open while texts are embedded."""
    after: str | None = None
    while True:
        with database.read() as connection:
            found, after = reading.page(connection, maintenance.EVERYTHING, maintenance.PAGE, after=after)
        yield found
        if after is None:
            return
