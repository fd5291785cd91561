"""What is there already under the ids and duplicate keys of drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage.database import Database
from genome_core.storage.drafts import COMPARED, Draft, comparable, content, generated_id
from genome_core.storage.journal import head_of
from genome_core.storage.lists import as_list, listed
from genome_core.storage.namespaces import path_of
from genome_core.storage.prepared import Prepared
from genome_core.storage.schema import namespaces, records, tenant_of
from genome_core.types import Namespace


@dataclass(slots=True)
class Known:
    """What a write must know of a record that is there already."""

    key: int
    id: str
    duplicate: bytes | None
    version: int
    highest: int
    """The highest version that it ever had, also if a rollback gave it a lower one."""
    created_at: int
    expires_at: int | None
    at: int
    content: tuple[Any, ...]

    @property
    def origin(self) -> str:
        return str(self.content[COMPARED.index("origin")])


class Existing:
    """What is there under the ids and duplicate keys of some drafts: as a transaction sees it, or just now."""

    def __init__(self, where: Connection | Database) -> None:
        self._where = where
        self._dialect = where.dialect if isinstance(where, Database) else where.dialect.name
        self._by_id: dict[tuple[Namespace, str], Known] = {}
        self._by_duplicate: dict[tuple[Namespace, bytes], Known] = {}
        self.heads: dict[int, tuple[str, int] | None] = {}
        """By tenant, the head of the journal before the first look outside a transaction."""

    def within(self, connection: Connection) -> Existing:
        """The same for a transaction that meets the journal at these ``heads``: nothing has changed since."""
        same = Existing(connection)
        same._by_id, same._by_duplicate = dict(self._by_id), dict(self._by_duplicate)
        return same

    def look_up(self, drafts: Sequence[Draft]) -> None:
        if isinstance(self._where, Database):
            tenants = {tenant_of(draft.record.namespace, self._dialect) for draft in drafts}
            self.heads = {tenant: head_of(self._where, tenant) for tenant in tenants}
        by_namespace: dict[Namespace, list[Draft]] = {}
        for draft in drafts:
            by_namespace.setdefault(draft.record.namespace, []).append(draft)
        for namespace, here in by_namespace.items():
            duplicates = [draft.duplicate for draft in here if draft.duplicate]
            ids = [draft.record.id for draft in here]
            ids += [generated_id(namespace, one.duplicate) for one in here if one.imported and one.duplicate]
            self._fetch(namespace, ids, duplicates)

    def _fetch(self, namespace: Namespace, ids: list[str], duplicates: list[bytes]) -> None:
        wanted = {
            "tenant": tenant_of(namespace, self._dialect),
            "path": path_of(namespace),
            "ids": as_list(ids, self._dialect),
            "duplicates": as_list([one.hex() for one in duplicates], self._dialect),
        }
        for row in _KNOWN.rows(self._where, wanted):
            self.remember(namespace, known_of(row["key"], row["id"], row, row["last_version"]))

    def remember(self, namespace: Namespace, known: Known) -> None:
        self._by_id[namespace, known.id] = known
        if known.duplicate:
            self._by_duplicate[namespace, known.duplicate] = known

    def forget(self, namespace: Namespace, known: Known) -> None:
        self._by_id.pop((namespace, known.id), None)
        if known.duplicate:
            self._by_duplicate.pop((namespace, known.duplicate), None)

    def match(self, draft: Draft) -> Known | None:
        """The record that the draft equals or has the id of."""
        by_id = self._by_id.get((draft.record.namespace, draft.record.id))
        if draft.duplicate is None or (draft.imported and by_id):
            return by_id
        return self._by_duplicate.get((draft.record.namespace, draft.duplicate))

    def settled(self, drafts: Sequence[Draft], now: int) -> list[str | None]:
        """The ids of those drafts whose writing would change nothing; None for those that need it."""
        if not self._by_id:
            return [None] * len(drafts)

        def settled_id(draft: Draft) -> str | None:
            known = self.match(draft)
            alive = known is not None and (known.expires_at is None or known.expires_at > now)
            return known.id if known and alive and same(known, draft) else None

        return [settled_id(draft) for draft in drafts]

    def taken(self, namespace: Namespace, duplicate: bytes, key: int) -> bool:
        """Whether another record than that of the key has these words."""
        other = self._by_duplicate.get((namespace, duplicate))
        return other is not None and other.key != key

    def free_id(self, draft: Draft) -> str:
        """The draft's generated id, or the next one where a record that was changed since still has it."""
        namespace, candidate, attempt = draft.record.namespace, draft.record.id, 0
        while (namespace, candidate) in self._by_id:
            attempt += 1
            candidate = generated_id(namespace, draft.duplicate or b"", attempt)
            self._fetch(namespace, [candidate], [])
        return candidate


def same(known: Known, draft: Draft) -> bool:
    """Whether writing the draft over the record would change nothing.

    Of what is said again only a longer life counts. Otherwise vectors that a caller brings are the caller's say.
    """
    row = content(draft.record)
    if draft.duplicate and not draft.imported:
        return known.expires_at is None or (row["expires_at"] is not None and row["expires_at"] <= known.expires_at)
    if draft.vectors_given and draft.passages is not None:
        return False
    same_time = not draft.at_given or row["at"] == known.at
    return same_time and row["expires_at"] == known.expires_at and comparable(row) == known.content


def same_words(known: Known, row: Mapping[str, Any]) -> bool:
    """Whether a change leaves alone what makes the record the same as another."""
    before = dict(zip(COMPARED, known.content, strict=True)) | {"at": known.at}
    return all(before[name] == row[name] for name in ("text", "role", "name", "value", "at"))


def known_of(key: int, id: str, told: Mapping[str, Any], highest: int | None = None) -> Known:
    """A record of these columns; ``highest`` is the highest version that it ever had, if that is not the present one."""
    return Known(
        key, id, told["duplicate"], told["version"], highest or told["version"], told["created_at"], told["expires_at"],
        told["at"], comparable(told),
    )  # fmt: skip


_IN_NAMESPACE = (
    sa.select(
        records.c.key,
        records.c.id,
        records.c.duplicate,
        records.c.version,
        records.c.last_version,
        records.c.created_at,
        records.c.expires_at,
        records.c.at,
        *(records.c[name] for name in COMPARED),
    )
    .join(namespaces, namespaces.c.id == records.c.namespace_id)
    .where(records.c.tenant == sa.bindparam("tenant"), namespaces.c.path == sa.bindparam("path"))
)
# One look into each index: asked with OR, SQLite walks through the whole namespace.
_KNOWN = Prepared(
    sa.union_all(
        _IN_NAMESPACE.where(listed(records.c.id, "ids")),
        _IN_NAMESPACE.where(records.c.loose_duplicate.is_not(None), listed(records.c.loose_duplicate, "duplicates")),
    )
)
