"""What is there already under the ids and duplicate keys of drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage.drafts import COMPARED, Draft, comparable, content, generated_id
from genome_core.storage.namespaces import Place
from genome_core.storage.reading import chunks
from genome_core.storage.schema import records
from genome_core.types import Namespace


@dataclass(slots=True)
class Known:
    """What a write must know of a record that is there already."""

    key: int
    id: str
    duplicate: bytes | None
    version: int
    created_at: int
    expires_at: int | None
    at: int
    content: tuple[Any, ...]

    @property
    def origin(self) -> str:
        return str(self.content[COMPARED.index("origin")])


class Existing:
    """What is there under the ids and duplicate keys of some drafts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._by_id: dict[tuple[int, str], Known] = {}
        self._by_duplicate: dict[tuple[int, bytes], Known] = {}

    def look_up(
        self, places: Mapping[Namespace, Place], drafts: Sequence[Draft], *, generated_ids: bool = True
    ) -> None:
        """Reads it; without ``generated_ids`` not what only a new record needs, whether its id is free."""
        by_place: dict[Place, list[Draft]] = {}
        for draft in drafts:
            if draft.record.namespace in places:
                by_place.setdefault(places[draft.record.namespace], []).append(draft)
        for place, here in by_place.items():
            for chunk in chunks(here):
                duplicates = [draft.duplicate for draft in chunk if draft.duplicate]
                ids = [one.record.id for one in chunk if generated_ids or one.duplicate is None or one.imported]
                self._fetch(place, ids, duplicates)

    def _fetch(self, place: Place, ids: list[str], duplicates: list[bytes]) -> None:
        # One query for each index: asked with OR, SQLite walks through the whole namespace.
        for query, values in ((_BY_ID, ids), (_BY_DUPLICATE, duplicates)):
            if values:
                wanted = {"of": place.tenant, "place": place.id, "values": values}
                for row in self._connection.execute(query, wanted):
                    self.remember(place, known_of(row._asdict()))

    def remember(self, place: Place, known: Known) -> None:
        self._by_id[place.id, known.id] = known
        if known.duplicate:
            self._by_duplicate[place.id, known.duplicate] = known

    def forget(self, place: Place, known: Known) -> None:
        self._by_id.pop((place.id, known.id), None)
        if known.duplicate:
            self._by_duplicate.pop((place.id, known.duplicate), None)

    def match(self, place: Place, draft: Draft) -> Known | None:
        """The record that the draft equals or has the id of."""
        by_id = self._by_id.get((place.id, draft.record.id))
        if draft.duplicate is None or (draft.imported and by_id):
            return by_id
        return self._by_duplicate.get((place.id, draft.duplicate))

    def taken(self, place: Place, duplicate: bytes, key: int) -> bool:
        """Whether another record than that of the key has these words."""
        other = self._by_duplicate.get((place.id, duplicate))
        return other is not None and other.key != key

    def free_id(self, place: Place, draft: Draft) -> str:
        """The draft's generated id, or the next one where a record that was changed since still has it."""
        candidate, attempt = draft.record.id, 0
        while (place.id, candidate) in self._by_id:
            attempt += 1
            candidate = generated_id(draft.record.namespace, draft.duplicate or b"", attempt)
            self._fetch(place, [candidate], [])
        return candidate


def same(known: Known, draft: Draft) -> bool:
    """Whether writing the draft over the record would change nothing. Vectors that a caller brings are the caller's say."""
    if draft.vectors_given and draft.passages is not None:
        return False
    row = content(draft.record)
    if draft.duplicate and not draft.imported:
        return known.expires_at is None or (row["expires_at"] is not None and row["expires_at"] <= known.expires_at)
    same_time = not draft.at_given or row["at"] == known.at
    return same_time and row["expires_at"] == known.expires_at and comparable(row) == known.content


def same_words(known: Known, row: Mapping[str, Any]) -> bool:
    """Whether a change leaves alone what makes the record the same as another."""
    before = dict(zip(COMPARED, known.content, strict=True)) | {"at": known.at}
    return all(before[name] == row[name] for name in ("text", "role", "name", "value", "at"))


def known_of(row: Mapping[str, Any]) -> Known:
    return Known(
        row["key"], row["id"], row["duplicate"], row["version"], row["created_at"], row["expires_at"], row["at"],
        comparable(row),
    )  # fmt: skip


_KNOWN = sa.select(
    records.c.key,
    records.c.id,
    records.c.duplicate,
    records.c.version,
    records.c.created_at,
    records.c.expires_at,
    records.c.at,
    *(records.c[name] for name in COMPARED),
).where(
    records.c.tenant == sa.bindparam("of"),
    records.c.namespace_id == sa.bindparam("place"),
)
_BY_ID = _KNOWN.where(records.c.id.in_(sa.bindparam("values", expanding=True)))
_BY_DUPLICATE = _KNOWN.where(records.c.duplicate.in_(sa.bindparam("values", expanding=True)))
