"""The passages of records that are made again: copied where the store still has them, embedded where it has not.

The journal keeps a digest of each passage, and the vector itself only where a caller brought it: vectors in every entry
would make the journal twice as large, and a deterministic embedder gives the same ones again. What the digest does not
confirm is told, never passed off as the old one.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core import drafting
from genome_core.audit.fold import Whole
from genome_core.protocols import Embedder
from genome_core.storage import fingerprint as fingerprints
from genome_core.storage import reading
from genome_core.storage.drafts import StoredPassage, digest_of
from genome_core.storage.namespaces import Place
from genome_core.storage.schema import having_keys, passages, vector_bytes
from genome_core.types import Record

Parts = tuple[StoredPassage, ...]

_BYTES = 4
"""Of one number."""


def record_of(whole: Whole, places: Mapping[int, Place]) -> Record:
    return reading.record_of(whole.row | {"labels": places[whole.row["namespace_id"]].labels})


def parts_of(
    connection: Connection, wanted: Sequence[Whole], places: Mapping[int, Place], embedder: Callable[[], Embedder]
) -> list[Parts]:
    """The passages of the records, in their order, from the store of ``connection`` or else made by the embedder.

    ``embedder`` is asked for only if something must be embedded; raises ``EmbedderMismatch`` if the store is of another.
    """
    stored = _stored(connection, [whole.row["key"] for whole in wanted])
    store = fingerprints.recorded(connection)
    width = store.dimensions if store else 0
    result: list[Parts | None] = [_known(whole, stored.get(whole.row["key"], ()), places, width) for whole in wanted]
    missing = [place for place, parts in enumerate(result) if parts is None]
    if missing:
        model = embedder()
        fingerprints.check(connection, model.fingerprint)
        records = [record_of(wanted[place], places) for place in missing]
        for place, made in zip(missing, drafting.passages_of(records, model), strict=True):
            bare = tuple(StoredPassage(part.terms, None) for part in made)
            result[place] = bare if is_same(bare, wanted[place]) else made
    return [parts for parts in result if parts is not None]


def is_same(parts: Parts, whole: Whole) -> bool:
    """Whether these are the passages that the journal tells of."""
    return [digest_of(part) for part in parts] == whole.passages


def _known(whole: Whole, stored: Parts, places: Mapping[int, Place], width: int) -> Parts | None:
    """``width`` is that of the store's embedder."""
    if is_same(stored, whole):
        return stored
    vectors = [None if text is None else base64.b64decode(text) for text in whole.given or ()]
    if whole.given is not None and all(vector is None or len(vector) == _BYTES * width for vector in vectors):
        words = drafting.all_words(record_of(whole, places))
        given = tuple(StoredPassage(words, vector) for vector in vectors)
        if is_same(given, whole):
            return given
    return None


def _stored(connection: Connection, keys: Sequence[int]) -> dict[int, Parts]:
    query = sa.select(passages.c.key, passages.c.terms, passages.c.vector).where(having_keys(passages, keys))
    found: dict[int, list[StoredPassage]] = {}
    for key, terms, vector in connection.execute(query.order_by(passages.c.key, passages.c.part)):
        found.setdefault(key, []).append(StoredPassage(terms, None if vector is None else vector_bytes(vector)))
    return {key: tuple(parts) for key, parts in found.items()}


def rows_of(row: Mapping[str, object], parts: Parts) -> list[dict[str, object]]:
    """The rows of a record's passages."""
    place = {name: row[name] for name in ("tenant", "key", "namespace_id")}
    return [place | {"part": part, "terms": one.terms, "vector": one.vector} for part, one in enumerate(parts)]


def labels_of(place: Place) -> tuple[str, ...]:
    return tuple(json.loads(place.labels))
