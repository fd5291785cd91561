"""Work on the store as a whole."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.protocols import Fingerprint
from genome_core.storage import bulk, reading, rules
from genome_core.storage import fingerprint as fingerprints
from genome_core.storage.database import Schema
from genome_core.storage.drafts import StoredPassage, digest_of
from genome_core.storage.journal import JournalWriter
from genome_core.storage.namespaces import labels_json
from genome_core.storage.reading import Selection, StoredRecord
from genome_core.storage.schema import (
    chains,
    facts,
    journal,
    namespaces,
    passages,
    records,
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
    branched_from: str | None
    """The head of the store that this one is a branch of; None if it is none."""


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
        branched_from=_origin(connection),
    )


def _origin(connection: Connection) -> str | None:
    root = sa.select(namespaces.c.id).where(namespaces.c.path == "").scalar_subquery()
    query = sa.select(journal.c.payload).where(
        journal.c.namespace_id == root, journal.c.id == "", journal.c.op == "branch"
    )
    payload = connection.scalar(query.order_by(journal.c.seq.desc()).limit(1))
    return json.loads(payload)["head"] if payload else None


def _count(connection: Connection, table: sa.Table) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def _size(connection: Connection) -> int:
    if connection.dialect.name == "postgresql":
        return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    return int(pages) * int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())


def empty(connection: Connection, components: Iterable[Schema], key: JournalKey | None, now: int) -> None:
    """Deletes every row of the components, of which the engine is one.

    The chains begin anew, under other marks, so that every cache notices; the key stays the store's.
    """
    check_key(connection, key)
    keep_writers_out(connection)
    rules.refuse_any_hold(connection)
    for schema in components:
        for table in reversed(schema.tables.sorted_tables):
            connection.execute(sa.delete(table))
    if key is not None:
        give_key(connection, key, now)


def every_record(connection: Connection) -> Iterator[list[StoredRecord]]:
    """All records, expired ones too, in pages."""
    found, after = reading.page(connection, EVERYTHING, PAGE)
    yield found
    while after is not None:
        found, after = reading.page(connection, EVERYTHING, PAGE, after=after)
        yield found


def replace_passages(
    connection: Connection,
    key: JournalKey | None,
    now: int,
    mine: Fingerprint,
    prepared: Mapping[tuple[int, int], tuple[StoredPassage, ...]],
    prepare: Callable[[list[StoredRecord]], list[tuple[StoredPassage, ...]]],
) -> None:
    """Puts new passages in the place of all that are there, in one transaction.

    Each record's entry in the journal tells what its passages are now. ``prepared`` has them by record key and version; what was written since is ``prepare``d here, under the write lock.
    The chains get other marks, so that every cache loads anew.
    """
    check_key(connection, key)
    keep_writers_out(connection)
    if connection.dialect.name == "postgresql":
        # Its expression has the old width; who wants the index builds it anew.
        connection.exec_driver_sql("DROP INDEX IF EXISTS genome_passages_hnsw")
    connection.execute(sa.update(chains).values(epoch=uuid.uuid4().hex))
    bare = set(connection.scalars(sa.select(passages.c.key).where(passages.c.vector.is_(None))))
    connection.execute(sa.delete(passages))
    journal_writer = JournalWriter(connection, connection.scalars(sa.select(chains.c.tenant)).all(), now, key)
    for page in every_record(connection):
        missing = [stored for stored in page if (stored.key, stored.record.version) not in prepared]
        late = dict(zip((stored.key for stored in missing), prepare(missing), strict=True)) if missing else {}
        rows: list[dict[str, Any]] = []
        for stored in page:
            own = late[stored.key] if stored.key in late else prepared[stored.key, stored.record.version]
            if stored.key in bare:
                own = tuple(StoredPassage(passage.terms, None) for passage in own)
            rows += passage_rows(stored, own)
            journal_writer.append(
                "reindex",
                tenant=tenant_of_key(stored.key),
                namespace_id=stored.namespace_id,
                labels=labels_json(stored.record.namespace),
                id=stored.record.id,
                key=stored.key,
                payload={"passages": [digest_of(passage) for passage in own], "embedder": mine.digest},
            )
        journal_writer.flush()
        bulk.insert(connection, passages, rows)
    fingerprints.record(connection, mine)


def passage_rows(stored: StoredRecord, own: Sequence[StoredPassage]) -> list[dict[str, Any]]:
    return [
        {
            "tenant": tenant_of_key(stored.key),
            "key": stored.key,
            "part": part,
            "namespace_id": stored.namespace_id,
            "terms": passage.terms,
            "vector": passage.vector,
        }
        for part, passage in enumerate(own)
    ]
