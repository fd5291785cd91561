"""Work on the store as a whole."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.protocols import Fingerprint
from genome_core.storage import fingerprint as fingerprints
from genome_core.storage import reading
from genome_core.storage.drafts import StoredPassage
from genome_core.storage.reading import Selection, StoredRecord
from genome_core.storage.schema import (
    chains,
    facts,
    journal,
    namespaces,
    passages,
    records,
    tables,
    tenant_of_key,
)
from genome_core.storage.signing import JournalKey, check_key, give_key, keep_writers_out
from genome_core.types import Scope

PAGE = 256
EVERYTHING = Selection(Scope(), now=-(2**62))
"""Every record, expired ones too."""


@dataclass(frozen=True, slots=True)
class Stats:
    """What a store holds."""

    database: str
    """``sqlite`` or ``postgresql``."""
    records: int
    namespaces: int
    passages: int
    facts: int
    journal_entries: int
    bytes: int
    """Size of the database, as the database itself tells."""
    embedder: str | None
    """Name of the embedder that wrote the vectors; None before the first one."""
    dimensions: int | None


def stats(connection: Connection) -> Stats:
    fingerprint = fingerprints.recorded(connection)
    return Stats(
        database=connection.dialect.name,
        records=_count(connection, records),
        namespaces=_count(connection, namespaces),
        passages=_count(connection, passages),
        facts=_count(connection, facts),
        journal_entries=_count(connection, journal),
        bytes=_size(connection),
        embedder=fingerprint.name if fingerprint else None,
        dimensions=fingerprint.dimensions if fingerprint else None,
    )


def _count(connection: Connection, table: sa.Table) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def _size(connection: Connection) -> int:
    if connection.dialect.name == "postgresql":
        return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    return int(pages) * int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())


def empty(connection: Connection, key: JournalKey | None, now: int) -> None:
    """Deletes every row. The chains begin anew, under other marks, so that every cache notices; the key stays the store's."""
    check_key(connection, key)
    keep_writers_out(connection)
    for table in reversed(tables.sorted_tables):
        connection.execute(sa.delete(table))
    if key is not None:
        give_key(connection, key, now)


def forget_versions(connection: Connection, keep: int, key: JournalKey | None) -> int:
    """Empties the journal's payloads of all but the newest ``keep`` versions of each record, and of all that are deleted.

    Returns how many. The entries and their digests stay, so the chains still verify.
    """
    check_key(connection, key)
    age = sa.func.row_number().over(partition_by=[journal.c.tenant, journal.c.key], order_by=journal.c.seq.desc())
    versions = (
        sa.select(journal.c.tenant, journal.c.seq, journal.c.key, age.label("age"))
        .where(journal.c.op.in_(("add", "update")), journal.c.key.is_not(None))
        .subquery()
    )
    alive = sa.select(records.c.key).where(records.c.tenant == versions.c.tenant, records.c.key == versions.c.key)
    old = sa.select(versions.c.tenant, versions.c.seq).where(sa.or_(versions.c.age > keep, ~sa.exists(alive)))
    statement = sa.update(journal).where(
        sa.tuple_(journal.c.tenant, journal.c.seq).in_(old), journal.c.payload.is_not(None)
    )
    return int(connection.execute(statement.values(payload=None)).rowcount)


def every_record(connection: Connection) -> Iterator[list[StoredRecord]]:
    """All records, expired ones too, in pages."""
    found, after = reading.page(connection, EVERYTHING, PAGE)
    yield found
    while after is not None:
        found, after = reading.page(connection, EVERYTHING, PAGE, after=after)
        yield found


def replace_passages(
    connection: Connection,
    mine: Fingerprint,
    prepared: Mapping[tuple[int, int], tuple[StoredPassage, ...]],
    prepare: Callable[[list[StoredRecord]], list[tuple[StoredPassage, ...]]],
) -> None:
    """Puts new passages in the place of all that are there, in one transaction.

    ``prepared`` has them by record key and version; what was written since is ``prepare``d here, under the write lock.
    The chains get other marks, so that every cache loads anew.
    """
    keep_writers_out(connection)
    if connection.dialect.name == "postgresql":
        # Its expression has the old width; who wants the index builds it anew.
        connection.exec_driver_sql("DROP INDEX IF EXISTS genome_passages_hnsw")
    connection.execute(sa.update(chains).values(epoch=uuid.uuid4().hex))
    bare = set(connection.scalars(sa.select(passages.c.key).where(passages.c.vector.is_(None))))
    connection.execute(sa.delete(passages))
    for page in every_record(connection):
        missing = [stored for stored in page if (stored.key, stored.record.version) not in prepared]
        late = dict(zip((stored.key for stored in missing), prepare(missing), strict=True)) if missing else {}
        rows = []
        for stored in page:
            own = late[stored.key] if stored.key in late else prepared[stored.key, stored.record.version]
            rows += [
                {
                    "tenant": tenant_of_key(stored.key),
                    "key": stored.key,
                    "part": part,
                    "namespace_id": stored.namespace_id,
                    "terms": passage.terms,
                    "vector": None if stored.key in bare else passage.vector,
                }
                for part, passage in enumerate(own)
            ]
        if rows:
            connection.execute(sa.insert(passages), rows)
    fingerprints.record(connection, mine)
