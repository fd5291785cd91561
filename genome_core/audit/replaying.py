"""Making a store again from its journal, in another place: all of it, or as it was at some time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.audit import chain, tables, vectors, verification
from genome_core.audit.chain import Entry, Until
from genome_core.audit.emptied import Emptied
from genome_core.audit.fold import ChainState, Payloads, Whole
from genome_core.audit.verification import Head
from genome_core.errors import ContentErased, InvalidInput
from genome_core.protocols import Embedder
from genome_core.storage import bulk
from genome_core.storage import fingerprint as fingerprints
from genome_core.storage.database import Database
from genome_core.storage.drafts import digest_of
from genome_core.storage.journal import (
    GENESIS,
    JournalWriter,
    Told,
    digest_of_erased,
    ranges_of,
    salted,
    seqs_in,
    what_stays,
    whose,
)
from genome_core.storage.json_text import canonical
from genome_core.storage.namespaces import NamespaceTable, Place, find_place, insert_place
from genome_core.storage.schema import (
    chains,
    facts,
    journal,
    key_of,
    passages,
    pseudonyms,
    records,
    rules,
    seq_of_key,
    tenant_of,
    tenant_of_key,
)
from genome_core.storage.signing import JournalKey, check_key, keep_writers_out
from genome_core.types import Scope

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Replay:
    """What was made again."""

    head: str
    """The head of the source at the last entry that counted."""
    entries: int
    records: int
    embedded: int
    """Records whose old vectors no longer exist and came out otherwise when embedded anew; told in the new journal."""
    digest: str
    """The digest of what the new store holds, in hexadecimal."""


def replay(
    source: Database,
    target: Database,
    key: JournalKey | None,
    now: int,
    embedder: Callable[[], Embedder],
    until: Until = None,
    *,
    branch: bool = False,
) -> Replay:
    """Writes the source's journal, up to ``until``, and what it says into an empty store; all of it or nothing.

    The source is verified first. Raises ``IntegrityError``, ``ContentErased`` for what can not be made again,
    ``InvalidInput`` if the target is not empty.
    """
    with source.read() as reading:
        check_key(reading, key)
        return target.write(
            lambda writing: _Copy(source, reading, target, writing, key, now).made(until, embedder, branch)
        )


class _Copy:
    """One replay: from one open connection into another.

    On the same kind of database the entries stay as they are. On the other one they stand in other chains, so that their
    numbers and hashes are new, and so is what an entry says of others: ``erase`` and ``forget`` tell of them by number, in each
    chain that has some.
    """

    def __init__(
        self,
        source: Database,
        reading: Connection,
        target: Database,
        writing: Connection,
        key: JournalKey | None,
        now: int,
    ) -> None:
        self._reading, self._writing, self._key, self._now = reading, writing, key, now
        self._same = source.dialect == target.dialect
        self._dialect = target.dialect
        self._places: dict[int, Place] = {}
        """By the source's namespace, the target's."""
        self._keys: dict[int, int] = {}
        """By the source's keys, the target's, where they differ."""
        self._stays: dict[int, bytes] = {}
        """By the target's keys, the digests of what stays of erased entries."""
        self._forgotten: list[int] = []
        """The target's keys of entries that were emptied later than the state that is made."""
        self._embedded: list[tuple[dict[str, Any], list[str]]] = []

    def made(self, until: Until, embedder: Callable[[], Embedder], branch: bool) -> Replay:
        self._require_empty()
        verification.verify(self._reading, self._key)
        ends, entries, count = [], 0, 0
        for tenant in chain.tenants_of(self._reading, Scope(), until):
            last = chain.last_seq(self._reading, tenant, until)
            if last == 0:
                continue
            places = chain.places(self._reading, tenant)
            state, end = self._copy_chain(tenant, places, last)
            count += self._make_rows(state, places, embedder)
            entries += state.seq
            ends += [(tenant, state.seq, end)] if state.seq else []
        self._copy_embedder()
        self._copy_pseudonyms()
        head = str(Head(tuple(ends)))
        self._tell(head, branch)
        return Replay(head, entries, count, len(self._embedded), tables.digest(self._writing, Scope()).hex())

    def _require_empty(self) -> None:
        keep_writers_out(self._writing)
        if self._writing.execute(sa.select(chains.c.tenant).limit(1)).first():
            raise InvalidInput("the store to write into is not empty", hint="name a new file or an empty database")

    def _copy_chain(self, tenant: int, places: Mapping[int, Place], last: int | None) -> tuple[ChainState, bytes]:
        used = self._used(tenant, last)
        own = {id: self._place(place) for id, place in places.items() if id in used}
        self._places |= own
        writer = JournalWriter(self._writing, {place.tenant for place in own.values()}, self._now, self._key)
        state, emptied, end = ChainState(tenant), Emptied(tenant, places), GENESIS
        for entry in chain.entries(self._reading, tenant, last):
            state.apply(entry)
            emptied.apply(entry)
            self._copy_entry(writer, tenant, own[entry.namespace_id], entry)
            end = entry.hash
            if entry.seq % _BATCH == 0:
                writer.flush()
        writer.flush()
        if emptied.erased:
            first = min(emptied.erased)
            raise ContentErased(
                f"entry {first} of chain {tenant} was erased later than that", hint="replay a later state"
            )
        self._forgotten += [self._key_of(key_of(tenant, seq)) for seq in emptied.forgotten]
        return state, end

    def _copy_entry(self, writer: JournalWriter, tenant: int, place: Place, entry: Entry) -> None:
        if self._same:
            writer.copy(place.tenant, place.id, _told(entry))
        elif entry.op in ("erase", "forget"):
            self._tell_emptied(writer, tenant, place, entry)
        else:
            own = self._keys[key_of(tenant, entry.seq)] = writer.next_key(place.tenant)
            key = self._key_of(entry.key)
            about = entry.about if entry.salt is None else salted(entry.salt, whose(place.labels, entry.id, key))
            hash = writer.copy(place.tenant, place.id, _told(entry)._replace(key=key, about=about))
            if entry.salt is None:
                self._stays[own] = what_stays(hash, place.labels, entry.id, key)

    def _tell_emptied(self, writer: JournalWriter, tenant: int, place: Place, entry: Entry) -> None:
        body = json.loads(entry.payload or "")
        keys = sorted(self._keys[key_of(tenant, seq)] for seq in seqs_in(body["ranges"]))
        for chain_, own in _by_tenant(keys) or [(place.tenant, [])]:
            told = body | {"ranges": ranges_of(map(seq_of_key, own))}
            if "digest" in body:
                told["digest"] = digest_of_erased(self._stays[key] for key in own)
            text, salt = canonical(told), entry.salt or b""
            writer.copy(chain_, place.id, _told(entry)._replace(payload=text, digest=salted(salt, text)))

    def _key_of(self, key: Any) -> Any:
        return key if self._same or key is None else self._keys[key]

    def _used(self, tenant: int, last: int | None) -> set[int]:
        query = sa.select(journal.c.namespace_id).where(journal.c.tenant == tenant).distinct()
        return set(self._reading.scalars(query if last is None else query.where(journal.c.seq <= last)))

    def _place(self, place: Place) -> Place:
        """The same namespace in the target, made if it is not there."""
        namespace = vectors.labels_of(place)
        tenant = place.tenant if self._same else tenant_of(namespace, self._dialect)
        known = find_place(self._writing, namespace)
        if known is None:
            known = insert_place(self._writing, namespace, tenant if namespace else 0)
        return Place(known.id, tenant, place.labels)

    def _make_rows(self, state: ChainState, places: Mapping[int, Place], embedder: Callable[[], Embedder]) -> int:
        payloads = Payloads(self._reading, state, places)
        wholes = payloads.whole(state.records[key] for key in sorted(state.records))
        count = 0
        for chunk in _batches(wholes):
            count += len(chunk)
            parts = vectors.parts_of(self._reading, chunk, places, embedder)
            rows = [self._moved(whole.row) for whole in chunk]
            self._insert(records, rows)
            self._insert(
                passages, [one for row, own in zip(rows, parts, strict=True) for one in vectors.rows_of(row, own)]
            )
            self._insert(facts, [self._moved_fact(fact) for whole in chunk for fact in whole.facts])
            self._embedded += [
                (row, [digest_of(part) for part in own])
                for row, own, whole in zip(rows, parts, chunk, strict=True)
                if not vectors.is_same(own, whole)
            ]
        self._insert(facts, [self._moved_fact(fact) for fact in payloads.loose()])
        self._insert(rules, [self._moved_rule(row) for row in state.rules.values()])
        payloads.require_all()
        return count

    def _insert(self, table: sa.Table, rows: list[dict[str, Any]]) -> None:
        bulk.insert(self._writing, table, rows)

    def _moved(self, row: dict[str, Any]) -> dict[str, Any]:
        place = self._places[row["namespace_id"]]
        return row | {"tenant": place.tenant, "namespace_id": place.id, "key": self._key_of(row["key"])}

    def _moved_fact(self, row: dict[str, Any]) -> dict[str, Any]:
        return self._moved(row) | {"source_key": self._key_of(row["source_key"])}

    def _moved_rule(self, row: dict[str, Any]) -> dict[str, Any]:
        prefix = tuple(json.loads(row["scope"])["prefix"])
        return row if self._same else row | {"tenant": tenant_of(prefix, self._dialect)}

    def _copy_embedder(self) -> None:
        fingerprint = fingerprints.recorded(self._reading)
        if fingerprint is not None:
            fingerprints.record(self._writing, fingerprint)

    def _copy_pseudonyms(self) -> None:
        """By which what was erased is still known to who knows its name."""
        rows = self._reading.execute(sa.select(pseudonyms)).mappings().all()
        self._insert(pseudonyms, [dict(row) for row in rows])

    def _tell(self, head: str, branch: bool) -> None:
        """What the new store's journal says beyond the old one's."""
        forgotten = _by_tenant(sorted(self._forgotten))
        tenants = {row["tenant"] for row, _ in self._embedded} | {tenant for tenant, _ in forgotten}
        root = NamespaceTable(self._dialect).ensure(self._writing, [()])[()] if branch else None
        if not tenants and root is None:
            return
        writer = JournalWriter(self._writing, tenants | ({root.tenant} if root else set()), self._now, self._key)
        if root is not None:
            for tenant, keys in forgotten:
                emptied = {"ranges": ranges_of(map(seq_of_key, keys))}
                writer.append("forget", tenant=tenant, namespace_id=root.id, labels=root.labels, id="", payload=emptied)
            body = {"head": head}
            writer.append("branch", tenant=root.tenant, namespace_id=root.id, labels=root.labels, id="", payload=body)
        own = {place.id: place for place in self._places.values()}
        for row, digests in self._embedded:
            place = own[row["namespace_id"]]
            writer.append(
                "reindex",
                tenant=place.tenant,
                namespace_id=place.id,
                labels=place.labels,
                id=row["id"],
                key=row["key"],
                payload={"passages": digests},
            )
        writer.flush()


def _told(entry: Entry) -> Told:
    return Told(entry.at, entry.op, entry.id, entry.key, entry.payload, entry.salt, entry.about, entry.digest)


def _by_tenant(keys: Sequence[int]) -> list[tuple[int, list[int]]]:
    return [(tenant, list(own)) for tenant, own in groupby(keys, tenant_of_key)]


def _batches(wholes: Iterator[Whole]) -> Iterator[list[Whole]]:
    while chunk := list(islice(wholes, _BATCH)):
        yield chunk
