"""What the verbs of ``Memory`` share: the database, the embedder, the clock, and how a record is found."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
from sqlalchemy.engine import URL, Engine

from genome_core import drafting, inputs
from genome_core.errors import AmbiguousId, InvalidInput, NotFound
from genome_core.facts.attributes import AttributeTable
from genome_core.facts.extractor import RuleExtractor
from genome_core.knowledge import Knowledge
from genome_core.protocols import Clock, Embedder, FactExtractor, Reranker, Vectors
from genome_core.recall import Recall
from genome_core.resident import DEFAULT_BUDGET, ResidentIndexes
from genome_core.scopes import ReadScope, checked_id, read_scope, trusted
from genome_core.storage import reading, row_security
from genome_core.storage.database import Database
from genome_core.storage.drafts import Draft
from genome_core.storage.engines import BUSY_TIMEOUT
from genome_core.storage.moments import to_micros
from genome_core.storage.namespaces import NamespaceTable
from genome_core.storage.reading import RecordFilter, Selection, StoredRecord
from genome_core.storage.schema import SCHEMA
from genome_core.storage.signing import JournalKey, unlock
from genome_core.storage.small import SmallScopes
from genome_core.storage.writing import RecordWriter
from genome_core.trust import Trust, TrustPolicy
from genome_core.types import Record, Scope

_TURNS_BEFORE = 6
"""How many turns said before a turn its extractor may look at."""


class MemoryBase:
    """The parts behind ``Memory``, put together once."""

    def __init__(
        self,
        store: str | os.PathLike[str] | URL | Engine | Database = "memory.db",
        *,
        embedder: Embedder | None = None,
        extractor: FactExtractor | Literal["rules"] | None = "rules",
        attributes: AttributeTable | None = None,
        reranker: Reranker | None = None,
        clock: Clock | None = None,
        timeout: float = BUSY_TIMEOUT,
        cache_bytes: int = DEFAULT_BUDGET,
        journal_key: bytes | str | os.PathLike[str] | JournalKey | None = None,
        trust: TrustPolicy | None = None,
        tenant: str | None = None,
    ) -> None:
        if tenant is not None and isinstance(store, Database):
            raise InvalidInput("a tenant of a database that others share", hint="give a URL or an Engine")
        self.database = store if isinstance(store, Database) else Database(store, timeout=timeout)
        self._owns_database = not isinstance(store, Database)
        self._clock = clock or (lambda: datetime.now(UTC))
        try:
            self.journal_key = JournalKey.of(journal_key)
            if tenant is not None:
                row_security.require(self.database)
                self.database.settings.update(row_security.setting(tenant))
            self.database.install(SCHEMA)
            unlock(self.database, self.journal_key, lambda: to_micros(self.now()))
        except BaseException:
            self._close_database()
            raise
        self._embedder = embedder
        self._reranker = reranker
        self._cache_bytes = cache_bytes
        self._trust = trust or TrustPolicy()
        self._attributes = attributes or AttributeTable()
        self._extractor = RuleExtractor(self._attributes) if extractor == "rules" else extractor
        self._assemble()
        _open_memories.add(self)

    def _assemble(self) -> None:
        """Puts together what holds locks and caches: once, and again in a forked child, where a lock may have been copied held."""
        self._embedder_lock = threading.Lock()
        self._namespaces = NamespaceTable(self.database.dialect)
        self._writer = RecordWriter(self.database, self._namespaces, self._trust, self.journal_key)
        self._small = SmallScopes(self.database)
        self._residents = ResidentIndexes(self._namespaces, self._cache_bytes)
        self._recall = Recall(self.database, self._residents, lambda: self.embedder, self._reranker)
        self._knowledge = Knowledge(
            self.database,
            self._writer,
            self._attributes,
            self._recall,
            self._embed,
            self._embed_examples,
            self.now,
            self._trust,
        )

    @property
    def trust(self) -> TrustPolicy:
        """How far each origin is trusted."""
        return self._trust

    @property
    def embedder(self) -> Embedder:
        """The embedder, loaded at the first use."""
        with self._embedder_lock:
            if self._embedder is None:
                from genome_core.embedders import default_embedder

                self._embedder = default_embedder()
            return self._embedder

    def _embed(self, texts: Sequence[str]) -> Vectors:
        return drafting.embed(self.embedder, texts)

    def _embed_examples(self, texts: Sequence[str]) -> Vectors:
        from genome_core.embedders.kept import kept_vectors

        return kept_vectors(self._embed, self.embedder.fingerprint, texts)

    def now(self) -> datetime:
        """What the clock says."""
        now = self._clock()
        to_micros(now, "the clock's time")
        return now

    def close(self) -> None:
        """Closes the connections that this Memory opened, and drops its caches."""
        self._residents.clear()
        self._close_database()

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        """Itself: a copy of what holds a memory (an agent, a crew, a store) is on the same memory."""
        return self

    def _close_database(self) -> None:
        if self._owns_database:
            self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _shown(self, scope: ReadScope, *, required: bool = True) -> Scope:
        """What a read covers: what is quarantined only if it asks for it."""
        return trusted(scope, self._trust, self._trust.shown, required=required)

    def _whole(self, scope: ReadScope, *, required: bool = True) -> Scope:
        """What a change or a copy covers: what is quarantined too, unless it says otherwise."""
        return trusted(scope, self._trust, Trust.UNTRUSTED, required=required)

    def _all_origins(self, scope: ReadScope, *, required: bool = True) -> Scope:
        """What a call covers that means every origin; raises ``InvalidInput`` for one that would leave some out."""
        if scope.get("min_trust") is not None:
            raise InvalidInput("min_trust does not narrow this: it means every origin", hint="leave it out")
        return read_scope(scope, required=required)

    def _check_actor(self, origin: str | None) -> None:
        """Refuses what is no origin, or only looks like one that the policy names."""
        if origin is not None:
            inputs.check_origin(origin)
            self._trust.check_name(origin)

    def _selection(
        self,
        scope: Scope,
        filter: RecordFilter | None,
        since: datetime | None,
        until: datetime | None,
        at: datetime | None = None,
    ) -> Selection:
        """What a read means; with ``at``, nothing said later."""
        bounds = [to_micros(until, "until")] if until is not None else []
        bounds += [to_micros(at, "at") + 1] if at is not None else []
        return Selection(
            scope,
            to_micros(self.now()),
            filter,
            None if since is None else to_micros(since, "since"),
            min(bounds) if bounds else None,
        )

    def _find(self, id: str, scope: Scope, now: datetime) -> StoredRecord | None:
        if scope.exact and not scope.having:
            one = reading.one(self.database, scope.prefix, checked_id(id), to_micros(now))
            return one if one is None or scope.origins is None or scope.origins.admit(one.record.origin) else None
        return only_one(id, self._find_many([id], scope, to_micros(now)), scope)

    def _find_many(self, ids: Sequence[str], scope: Scope, now: int) -> list[StoredRecord]:
        for id in ids:
            checked_id(id)
        if scope.exact and not scope.having:
            found = reading.some(self.database, scope.prefix, ids, now)
            return found if scope.origins is None else [one for one in found if scope.origins.admit(one.record.origin)]
        with self.database.read() as connection:
            return reading.by_ids(connection, scope, ids, now)

    def _vectors(self, ids: Sequence[str], scope: Scope) -> dict[str, Vectors]:
        found = self._find_many(ids, scope, to_micros(self.now()))
        with self.database.read() as connection:
            rows = reading.vectors(connection, [stored.key for stored in found])
        return {stored.record.id: np.stack(rows[stored.key]) for stored in found if rows[stored.key]}

    def _with_facts(self, drafts: Sequence[Draft]) -> Sequence[Draft]:
        if not self._extractor:
            return drafts
        return drafting.with_facts(drafts, self._extractor, self._said_before, self._trust.tier)

    def _said_before(self, record: Record) -> Sequence[Record]:
        """The stored turns just before a record, in its own namespace and not trusted less, oldest first."""
        now = to_micros(self.now())
        at = to_micros(record.at) if record.at else now
        origins = self._trust.origins(self._trust.tier(record.origin))
        found = reading.before(self.database, record.namespace, at, now, _TURNS_BEFORE, origins)
        return [one for one in found if one.id != record.id]

    def _require(self, id: str, scope: Scope, now: datetime) -> Record:
        found = self._find(id, scope, now)
        if found is None:
            raise NotFound(f"no record {id!r}", hint="it was deleted, has expired, or lies outside the scope")
        return found.record


def only_one(id: str, found: Sequence[StoredRecord], scope: Scope) -> StoredRecord | None:
    """The one in exactly the named namespace, else the only one; raises ``AmbiguousId`` if there are several."""
    own = [stored for stored in found if stored.record.namespace == scope.prefix]
    if len(own) == 1:
        return own[0]
    if len(found) > 1:
        places = ", ".join(str(stored.record.namespace) for stored in found[:3])
        raise AmbiguousId(f"{id!r} is in {len(found)} namespaces: {places}", hint="name the scope")
    return found[0] if found else None


_open_memories: weakref.WeakSet[MemoryBase] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for memory in list(_open_memories):
        memory._assemble()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
