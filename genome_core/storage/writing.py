"""Writing: records with their passages, facts and journal entries, all in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.errors import Conflict
from genome_core.protocols import Fingerprint
from genome_core.storage import bulk, rules
from genome_core.storage import facts as fact_log
from genome_core.storage import fingerprint as fingerprints
from genome_core.storage.database import Database
from genome_core.storage.drafts import RECORD_COLUMNS, Draft, content, imported, loose_duplicate, payload, values_told
from genome_core.storage.existing import Existing, Known, known_of, same, same_words
from genome_core.storage.journal import JournalWriter
from genome_core.storage.namespaces import NamespaceTable, Place
from genome_core.storage.reading import StoredRecord, chunks
from genome_core.storage.schema import facts, having_keys, passages, records
from genome_core.storage.signing import JournalKey
from genome_core.trust import TrustPolicy
from genome_core.types import JSON, Fact, Namespace

T = TypeVar("T")


class RecordWriter:
    """Writes records; each method is one transaction. ``now`` is the recorded time in microseconds."""

    def __init__(
        self,
        database: Database,
        namespace_table: NamespaceTable,
        trust: TrustPolicy,
        key: JournalKey | None = None,
    ) -> None:
        self._database = database
        self._trust = trust
        self._namespaces = namespace_table
        self.key = key
        """Signs the journal's heads."""
        self._seen: dict[int, tuple[str, Fingerprint]] = {}
        """By tenant, the epoch in which an embedder was last compared with the store's, and that embedder."""

    def put(
        self,
        drafts: Sequence[Draft],
        now: int,
        embedder: Fingerprint | None,
        gone: Sequence[StoredRecord] = (),
        actor: str | None = None,
        known: Existing | None = None,
    ) -> list[str]:
        """Stores all drafts and deletes what is ``gone``, or nothing of it; returns the drafts' ids in order.

        ``known`` is what ``existing`` found for them: looked up again if anything was written since. Raises ``NotTrusted`` if the ``actor`` is an origin that may not delete one of them.

        A draft equal to a stored record returns that record's id. A draft with the id of a stored record becomes its
        next version, unless nothing would change. ``embedder`` is the one that made the vectors, if there are any: raises
        ``EmbedderMismatch`` if the store's are of another.
        """

        def work(change: _Change) -> list[str]:
            if gone:
                change.delete(gone, "delete", keep_facts=False, actor=actor)
            if known is not None and not gone and change.journal.is_at(known.heads):
                change.existing = known.within(change.connection)
            else:
                change.existing.look_up(drafts)
            return [change.put(draft) for draft in drafts]

        embeds = any(passage.vector is not None for draft in drafts for passage in draft.passages or ())
        namespaces = [draft.record.namespace for draft in drafts] + [stored.record.namespace for stored in gone]
        return self._write(namespaces, now, work, embedder if embeds else None)

    def existing(self, drafts: Sequence[Draft]) -> Existing:
        """What is there just now under the ids and words of the drafts."""
        existing = Existing(self._database)
        existing.look_up(drafts)
        return existing

    def replace(
        self, draft: Draft, expected_version: int, now: int, embedder: Fingerprint | None, actor: str | None = None
    ) -> None:
        """Writes the next version of a record; raises ``Conflict`` if its version is no longer the expected one.

        The journal tells the ``actor``, the origin of who makes the change; None is the application.
        """

        def work(change: _Change) -> None:
            change.existing.look_up([draft])
            change.replace(draft, expected_version, actor)

        self._write([draft.record.namespace], now, work, embedder)

    def renew(self, found: Sequence[StoredRecord], expires_at: int | None, now: int) -> int:
        """Changes when those of the records expire that still are as they were read, and nothing else; returns how many."""
        namespaces = [stored.record.namespace for stored in found]
        return self._write(namespaces, now, lambda change: change.renew(found, expires_at)) if found else 0

    def delete(
        self,
        found: Sequence[StoredRecord],
        now: int,
        *,
        op: str = "delete",
        keep_facts: bool = False,
        asserted: Sequence[Fact] = (),
        actor: str | None = None,
    ) -> int:
        """Deletes those of the records that are still there, and facts that no record said; returns how many records.

        Raises ``NotTrusted`` if the ``actor`` is an origin that may not delete one of them.
        """
        namespaces = [stored.record.namespace for stored in found] + [fact.namespace for fact in asserted]

        def work(change: _Change) -> int:
            change.delete_facts(asserted, actor)
            return change.delete(found, op, keep_facts, actor)

        return self._write(namespaces, now, work) if namespaces else 0

    def assert_facts(self, namespace: Namespace, new: Sequence[Fact], now: int) -> list[str]:
        """Adds facts that no record said; returns their ids."""
        return self._write([namespace], now, lambda change: change.assert_facts(namespace, new))

    def _write(
        self,
        namespaces: Iterable[Namespace],
        now: int,
        work: Callable[[_Change], T],
        embedder: Fingerprint | None = None,
    ) -> T:
        wanted = list(dict.fromkeys(namespaces))

        def transaction(connection: Connection) -> tuple[T, _Change]:
            journal = JournalWriter(connection, map(self._namespaces.tenant, wanted), now, self.key)
            epochs = journal.epochs
            if any(self._seen.get(tenant) != (epoch, embedder) for tenant, epoch in epochs.items()):
                self._namespaces.forget()
                if embedder:
                    fingerprints.adopt(connection, embedder)
            change = _Change(connection, journal, self._namespaces.ensure(connection, wanted, epochs), now, self._trust)
            result = work(change)
            change.flush()
            return result, change

        result, change = self._database.write(transaction)
        epochs = change.journal.epochs
        if embedder:
            self._seen |= {tenant: (epoch, embedder) for tenant, epoch in epochs.items()}
        self._namespaces.remember(change.places, epochs)
        return result


class _Change:
    """The work of one transaction. Inserts are gathered and written together by ``flush``."""

    def __init__(
        self,
        connection: Connection,
        journal: JournalWriter,
        places: dict[Namespace, Place],
        now: int,
        trust: TrustPolicy,
    ) -> None:
        self.connection, self.journal, self.places, self.now, self.trust = connection, journal, places, now, trust
        self.existing = Existing(connection)
        self._pending: set[int] = set()
        """The keys of records with rows that are gathered but not yet in the tables."""
        self._records: list[tuple[Any, ...]] = []
        self._passages: list[tuple[Any, ...]] = []
        self._facts: list[dict[str, Any]] = []

    def put(self, draft: Draft) -> str:
        place = self.places[draft.record.namespace]
        known = self._match(draft)
        if known is None:
            return self._insert(draft, place)
        if not same(known, draft):
            if draft.duplicate and not draft.imported:
                self._prolong(known, draft, place)
            else:
                self._update(known, draft, place)
        return known.id

    def _prolong(self, known: Known, draft: Draft, place: Place) -> None:
        """Said again, to be kept for longer: the record lives as long as either asks for."""
        until = content(draft.record)["expires_at"]
        self._insert_rows()
        self._renew(place, known.id, known.key, until)
        known.expires_at = until

    def _renew(self, place: Place, id: str, key: int, expires_at: int | None) -> None:
        self.connection.execute(_RENEW, {"of": place.tenant, "which": key, "until": expires_at})
        self._journal("renew", place, id, key, {"expires_at": expires_at})

    def replace(self, draft: Draft, expected_version: int, actor: str | None) -> None:
        place = self.places[draft.record.namespace]
        known = self._match(draft)
        if known is None or known.version != expected_version:
            raise Conflict(
                f"record {draft.record.id!r} is no longer at version {expected_version}", hint="read it again and retry"
            )
        self._update(known, draft, place, actor)

    def delete(self, found: Sequence[StoredRecord], op: str, keep_facts: bool, actor: str | None = None) -> int:
        if op == "expire":
            holds = rules.holds(self.connection)
            found = [stored for stored in found if not rules.is_held(holds, stored.record.namespace)]
        else:
            rules.refuse_held(self.connection, [stored.record.namespace for stored in found])
        still_there = self._still_there(found, expired=op == "expire")
        gone = [stored for stored in found if stored.key in still_there]
        told: dict[str, JSON] = ({"keep_facts": True} if keep_facts else {}) | _by(actor)
        for stored in gone:
            if actor is not None:
                self.trust.check_change(actor, still_there[stored.key].origin, stored.record.id, "delete")
            self._journal(op, self.places[stored.record.namespace], stored.record.id, stored.key, told)
        self._remove_rows({stored.key: self.places[stored.record.namespace].tenant for stored in gone}, keep_facts)
        return len(gone)

    def renew(self, found: Sequence[StoredRecord], expires_at: int | None) -> int:
        still_there = self._still_there(found, expired=False)
        kept = [one for one in found if one.key in still_there and still_there[one.key].version == one.record.version]
        for stored in kept:
            self._renew(self.places[stored.record.namespace], stored.record.id, stored.key, expires_at)
        return len(kept)

    def assert_facts(self, namespace: Namespace, new: Sequence[Fact]) -> list[str]:
        place = self.places[namespace]
        key = self.journal.next_key(place.tenant)
        rows = fact_log.rows(new, place=place, key=key, recorded_at=self.now, source_key=None)
        self._facts += rows
        self._journal("facts", place, rows[0]["id"], None, {"facts": [fact_log.to_journal(fact) for fact in new]})
        return [row["id"] for row in rows]

    def delete_facts(self, asserted: Sequence[Fact], actor: str | None) -> None:
        rules.refuse_held(self.connection, [fact.namespace for fact in asserted])
        for fact in asserted:
            if actor is not None:
                self.trust.check_change(actor, fact.origin, fact.id, "delete")
            place = self.places[fact.namespace]
            fact_log.remove_one(self.connection, place.tenant, fact.id)
            self._journal("delete_fact", place, fact.id, None, _by(actor))

    def flush(self) -> None:
        """Writes what was gathered, and the journal."""
        self._insert_rows()
        self.journal.flush()

    def _insert_rows(self) -> None:
        bulk.insert_tuples(self.connection, records, _RECORD, self._records)
        bulk.insert_tuples(self.connection, passages, _PASSAGE, self._passages)
        bulk.insert(self.connection, facts, self._facts)
        self._records, self._passages, self._facts = [], [], []
        self._pending.clear()

    def _match(self, draft: Draft) -> Known | None:
        """The record that the draft meets. One that has expired is not there: its row makes room."""
        known = self.existing.match(draft)
        if known is None or known.expires_at is None or known.expires_at > self.now:
            return known
        namespace = draft.record.namespace
        place = self.places[namespace]
        self._journal("expire", place, known.id, known.key, {})
        self._remove_rows({known.key: place.tenant}, keep_facts=False)
        self.existing.forget(namespace, known)
        return None

    def _insert(self, draft: Draft, place: Place) -> str:
        id = self.existing.free_id(draft) if draft.duplicate else draft.record.id
        key = self.journal.next_key(place.tenant)
        told = self._told(draft, version=1, created_at=self.now)
        if draft.imported:
            told |= imported(draft.record)
        made_of_it = id == draft.record.id and not draft.imported
        loose = None if made_of_it else loose_duplicate(draft.record.namespace, id, draft.duplicate)
        self._records.append((place.tenant, key, place.id, id, loose, *values_told(told)))
        self._add_parts(draft, place, key)
        self._journal("add", place, id, key, payload(draft, told))
        self.existing.remember(draft.record.namespace, known_of(key, id, told))
        return id

    def _update(self, known: Known, draft: Draft, place: Place, actor: str | None = None) -> None:
        self.trust.check_change(draft.record.origin, known.origin, known.id, "change")
        if known.key in self._pending:
            self._insert_rows()  # the batch changes what it has just written
        told = self._told(draft, version=known.highest + 1, created_at=known.created_at)
        if draft.duplicate and self.existing.taken(draft.record.namespace, draft.duplicate, known.key):
            told["duplicate"] = None  # an import must not take the place of another record with the same words
        if told["duplicate"] is None and same_words(known, told):
            told["duplicate"] = known.duplicate
        loose = loose_duplicate(draft.record.namespace, known.id, told["duplicate"])
        changed = told | {"loose_duplicate": loose, "last_version": None}
        self.connection.execute(_UPDATE_RECORD, {"of": place.tenant, "which": known.key, **changed})
        if draft.passages is not None:
            self.connection.execute(_DELETE_PASSAGES, {"of": place.tenant, "keys": [known.key]})
        if draft.facts is not None:
            fact_log.withdraw(self.connection, place.tenant, known.key, self.now)
        self._add_parts(draft, place, known.key)
        self._journal("update", place, known.id, known.key, payload(draft, told) | _by(actor))
        self.existing.forget(draft.record.namespace, known)
        self.existing.remember(draft.record.namespace, known_of(known.key, known.id, told))

    def _told(self, draft: Draft, *, version: int, created_at: int) -> dict[str, Any]:
        """The ``RECORD_COLUMNS``."""
        return {
            "duplicate": draft.duplicate,
            "version": version,
            "created_at": created_at,
            "updated_at": self.now,
            **content(draft.record),
        }

    def _add_parts(self, draft: Draft, place: Place, key: int) -> None:
        self._pending.add(key)
        self._passages += [
            (place.tenant, key, part, place.id, passage.terms, passage.vector)
            for part, passage in enumerate(draft.passages or ())
        ]
        if draft.facts:
            own = self.journal.next_key(place.tenant)
            self._facts += fact_log.rows(draft.facts, place=place, key=own, recorded_at=self.now, source_key=key)

    def _journal(self, op: str, place: Place, id: str, key: int | None, payload: JSON) -> None:
        self.journal.append(
            op, tenant=place.tenant, namespace_id=place.id, labels=place.labels, id=id, key=key, payload=payload
        )

    def _still_there(self, found: Sequence[StoredRecord], *, expired: bool) -> dict[int, Any]:
        """Of those that no one has deleted, or renewed, since they were read: origin and version, by key."""
        there: dict[int, Any] = {}
        for chunk in chunks(found):
            query = sa.select(records.c.key, records.c.origin, records.c.version).where(
                having_keys(records, [stored.key for stored in chunk])
            )
            if expired:
                query = query.where(records.c.expires_at <= self.now)
            there.update((row.key, row) for row in self.connection.execute(query))
        return there

    def _remove_rows(self, tenants: dict[int, int], keep_facts: bool) -> None:
        by_tenant: dict[int, list[int]] = {}
        for key, tenant in tenants.items():
            by_tenant.setdefault(tenant, []).append(key)
        for tenant, all_keys in by_tenant.items():
            for keys in chunks(all_keys):
                self.connection.execute(_DELETE_RECORDS, {"of": tenant, "keys": keys})
                self.connection.execute(_DELETE_PASSAGES, {"of": tenant, "keys": keys})
                (fact_log.detach if keep_facts else fact_log.remove)(self.connection, tenant, keys)


_RECORD = ("tenant", "key", "namespace_id", "id", "loose_duplicate", *RECORD_COLUMNS)
_PASSAGE = ("tenant", "key", "part", "namespace_id", "terms", "vector")


def _by(actor: str | None) -> dict[str, JSON]:
    """Who acts, as the journal tells it; nothing where it is the application."""
    return {} if actor is None else {"actor": actor}


_UPDATE_RECORD = sa.update(records).where(
    records.c.tenant == sa.bindparam("of"), records.c.key == sa.bindparam("which")
)


_RENEW = _UPDATE_RECORD.values(expires_at=sa.bindparam("until"))


_DELETE_RECORDS = sa.delete(records).where(
    records.c.tenant == sa.bindparam("of"), records.c.key.in_(sa.bindparam("keys", expanding=True))
)


_DELETE_PASSAGES = sa.delete(passages).where(
    passages.c.tenant == sa.bindparam("of"), passages.c.key.in_(sa.bindparam("keys", expanding=True))
)
