"""What the journal says is there: its entries, applied one after the other.

The fold of a chain keeps no content, only which entries hold it: a store of a million records folds into small objects,
and ``whole`` fetches the payloads of those that are needed. An operation that this module does not know is an error: who
adds one to the engine adds it to ``_OPERATIONS``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.audit.chain import Entry
from genome_core.errors import ContentErased, IntegrityError
from genome_core.storage import facts as fact_log
from genome_core.storage import pseudonyms, rules
from genome_core.storage.drafts import columns_from_json, loose_duplicate
from genome_core.storage.journal import seqs_in
from genome_core.storage.namespaces import Place
from genome_core.storage.schema import journal, key_of, seq_of_key

_CHUNK = 500


@dataclass(slots=True)
class Batch:
    """The facts that one entry added."""

    seq: int
    source: int | None
    """The key of the record that said them."""
    withdrawn_at: int | None = None


@dataclass(slots=True)
class Kept:
    """A record that is there, and the entries that hold it."""

    key: int
    namespace_id: int
    id: str
    content: int
    """The entry with its columns."""
    passages: int
    """The entry that tells of its passages."""
    facts: list[Batch] = field(default_factory=list)
    renewal: tuple[int | None] | None = None
    """When it expires, where that was changed since ``content``."""

    @property
    def entries(self) -> tuple[Any, ...]:
        """Equal for two states of a record only if the states are equal."""
        return (
            self.key,
            self.content,
            self.passages,
            self.renewal,
            tuple((one.seq, one.withdrawn_at) for one in self.facts),
        )


@dataclass(frozen=True, slots=True)
class Whole:
    """A record with all that belongs to it, as rows; of the passages, the digests."""

    row: dict[str, Any]
    passages: list[str]
    given: list[str | None] | None
    """The vectors, where the caller brought them, as the journal has them."""
    facts: list[dict[str, Any]]


class ChainState:
    """One chain's records and facts after the entries that were applied."""

    def __init__(self, tenant: int) -> None:
        self.tenant = tenant
        self.seq = 0
        self.records: dict[int, Kept] = {}
        self.rules: dict[str, dict[str, Any]] = {}
        """The rows of the holds and rules that stand, by id."""
        self.loose: list[Batch] = []
        """Facts that no record said, or whose record is gone."""
        self.removed: dict[str, int] = {}
        """Ids of loose facts that were deleted, and the last entry that did it: what was added later is there."""
        self.namespace_of: dict[int, int] = {}
        """By entry, the namespace of the facts it added."""
        self._keys: dict[tuple[int, str], int] = {}
        self._former: set[tuple[int, str, int]] = set()

    def apply(self, entry: Entry) -> None:
        """Raises ``IntegrityError`` for an entry that can not follow those before."""
        operation = _OPERATIONS.get(entry.op)
        if operation is None:
            raise IntegrityError(
                f"entry {entry.seq} of chain {self.tenant} is of the kind {entry.op!r}, which is not known here",
                hint="upgrade genome-plugins",
            )
        body = json.loads(entry.payload) if entry.payload and entry.op not in _UNREAD else None
        operation(self, entry, body)
        self.seq = entry.seq

    def _begin(self, entry: Entry, body: Any) -> None:
        self._require(entry, key_of(self.tenant, entry.seq))
        self._insert(entry, key_of(self.tenant, entry.seq))

    def _insert(self, entry: Entry, key: int) -> None:
        identity = (entry.namespace_id, entry.id)
        if identity in self._keys:
            raise self._impossible(entry)
        self._keys[identity] = key
        self._former.add((*identity, key))
        self.records[key] = Kept(key, *identity, entry.seq, entry.seq, [self._batch(entry, key)])

    def _change(self, entry: Entry, body: Any) -> None:
        kept = self._kept(entry)
        kept.content, kept.renewal = entry.seq, None
        if body is None or "passages" in body:
            kept.passages = entry.seq
        if body is None or "facts" in body:
            for batch in kept.facts:
                if batch.withdrawn_at is None:
                    batch.withdrawn_at = entry.at
            kept.facts.append(self._batch(entry, kept.key))

    def _renew(self, entry: Entry, body: Any) -> None:
        kept = self._kept(entry)
        if body is None:
            kept.content = entry.seq  # its payload is gone, and with it what the record is
        else:
            kept.renewal = (body["expires_at"],)

    def _end(self, entry: Entry, body: Any) -> None:
        kept = self._kept(entry)
        del self.records[kept.key], self._keys[kept.namespace_id, kept.id]
        if body and body.get("keep_facts"):
            for batch in kept.facts:
                batch.source = None
            self.loose += kept.facts

    def _add_facts(self, entry: Entry, body: Any) -> None:
        self._require(entry, None)
        self.loose.append(self._batch(entry, None))
        self.removed |= dict.fromkeys((body or {}).get("removed", ()), entry.seq)

    def _delete_fact(self, entry: Entry, body: Any) -> None:
        self._require(entry, None)
        self.removed[entry.id] = entry.seq

    def _reindex(self, entry: Entry, body: Any) -> None:
        self._kept(entry).passages = entry.seq

    def _compact(self, entry: Entry, body: Any) -> None:
        """The parts of a record whose own entries were emptied, or all loose facts of a namespace."""
        if entry.key is None:
            self.loose = [batch for batch in self.loose if self.namespace_of[batch.seq] != entry.namespace_id]
            self._add_facts(entry, body)
            return
        kept = self._kept(entry)
        kept.passages, kept.facts = entry.seq, [self._batch(entry, kept.key)]

    def _roll_back(self, entry: Entry, body: Any) -> None:
        """A record as it was, or its end, or the loose facts of a namespace."""
        if entry.key is None:
            self._add_facts(entry, body)
            return
        identity = (entry.namespace_id, entry.id)
        if identity in self._keys:
            self._end(entry._replace(key=self._keys[identity]), None)
        if body is None or "text" in body:
            if (*identity, entry.key) not in self._former:
                raise self._impossible(entry)
            self._insert(entry, entry.key)

    def _erase(self, entry: Entry, body: Any) -> None:
        """What the emptied entries told of is gone, for good."""
        self._require(entry, None)
        if body is None:
            raise IntegrityError(f"the payload of entry {entry.seq} of chain {self.tenant} was emptied")
        gone = set(seqs_in(body["ranges"]))
        for kept in [kept for kept in self.records.values() if seq_of_key(kept.key) in gone]:
            del self.records[kept.key], self._keys[kept.namespace_id, kept.id]
        self.loose = [batch for batch in self.loose if batch.seq not in gone]

    def _rule(self, entry: Entry, body: Any) -> None:
        self._require(entry, None)
        if body is not None:  # else it was erased with its scope
            self.rules[entry.id] = rules.row_of(body, id=entry.id, tenant=self.tenant, at=entry.at)

    def _release(self, entry: Entry, body: Any) -> None:
        self._require(entry, None)
        self.rules.pop(entry.id, None)

    def _nothing(self, entry: Entry, body: Any) -> None:
        """About the journal itself."""
        self._require(entry, None)

    def _batch(self, entry: Entry, source: int | None) -> Batch:
        self.namespace_of[entry.seq] = entry.namespace_id
        return Batch(entry.seq, source)

    def _kept(self, entry: Entry) -> Kept:
        key = self._keys.get((entry.namespace_id, entry.id))
        if key is None:
            raise self._impossible(entry)
        self._require(entry, key)
        return self.records[key]

    def _require(self, entry: Entry, key: int | None) -> None:
        if entry.key != key:
            raise IntegrityError(f"the key of entry {entry.seq} of chain {self.tenant} was edited")

    def _impossible(self, entry: Entry) -> IntegrityError:
        return IntegrityError(
            f"entry {entry.seq} of chain {self.tenant} ({entry.op} {entry.id!r}) can not follow those before it"
        )


_OPERATIONS: dict[str, Callable[[ChainState, Entry, Any], None]] = {
    "add": ChainState._begin,
    "update": ChainState._change,
    "renew": ChainState._renew,
    "delete": ChainState._end,
    "expire": ChainState._end,
    "facts": ChainState._add_facts,
    "delete_fact": ChainState._delete_fact,
    "reindex": ChainState._reindex,
    "compact": ChainState._compact,
    "rollback": ChainState._roll_back,
    "erase": ChainState._erase,
    "forget": ChainState._nothing,
    "key": ChainState._nothing,
    "rule": ChainState._rule,
    "release": ChainState._release,
    "branch": ChainState._nothing,
}


_UNREAD = ("add", "facts", "delete_fact", "reindex", "release", "forget", "key", "branch")
"""Of these, the fold needs to know only that they are there."""


class Payloads:
    """Fetches what entries hold, and remembers which of it is gone."""

    def __init__(self, connection: Connection, state: ChainState, places: Mapping[int, Place]) -> None:
        self._connection = connection
        self._state = state
        self._places = places
        self._reindexed: int | None = None
        self._at: dict[int, int] = {}
        self._bodies: dict[int, Any] = {}
        self.gone: list[tuple[str, str, int]] = []
        """Labels, id and entry of what can not be made again."""

    def whole(self, wanted: Iterable[Kept]) -> Iterator[Whole]:
        """The records, in the order given; those of which an entry is gone are left out, and noted in ``gone``."""
        waiting = iter(wanted)
        while chunk := list(islice(waiting, _CHUNK)):
            self._fetch({seq for kept in chunk for seq in self._entries(kept)})
            for kept in chunk:
                place = self._places[kept.namespace_id]
                missing = [seq for seq in self._entries(kept) if self._bodies.get(seq) is None]
                if missing:
                    self.gone.append((place.labels, kept.id, missing[0]))
                else:
                    yield self._assembled(kept, place)

    def loose(self) -> list[dict[str, Any]]:
        """The rows of the facts that no record said; what is gone is left out and noted in ``gone``."""
        self._fetch({batch.seq for batch in self._state.loose})
        rows: list[dict[str, Any]] = []
        for batch in self._state.loose:
            place = self._places[self._state.namespace_of[batch.seq]]
            if self._bodies.get(batch.seq) is None:
                self.gone.append((place.labels, "", batch.seq))
            else:
                removed = self._state.removed
                rows += [row for row in self._facts(batch, place) if removed.get(row["id"], 0) < batch.seq]
        return rows

    def require_all(self) -> None:
        """Raises ``ContentErased`` if anything was gone."""
        if self.gone:
            raise ContentErased(
                f"{len(self.gone)} can not be told any more: " + _told(self.gone),
                hint="their content was erased or compacted; what came later is there",
            )

    @staticmethod
    def _entries(kept: Kept) -> list[int]:
        return [kept.content, kept.passages, *(batch.seq for batch in kept.facts)]

    def _fetch(self, seqs: set[int]) -> None:
        self._at, self._bodies = {}, {}
        ordered = sorted(seqs)
        for start in range(0, len(ordered), _CHUNK):
            wanted = {"of": self._state.tenant, "seqs": ordered[start : start + _CHUNK]}
            for seq, at, payload in self._connection.execute(_PAYLOADS, wanted).all():
                self._at[seq], self._bodies[seq] = at, None if payload is None else json.loads(payload)

    def _assembled(self, kept: Kept, place: Place) -> Whole:
        row: dict[str, Any] = {"tenant": place.tenant, "key": kept.key, "namespace_id": place.id, "id": kept.id}
        row |= self._checked(kept.content, columns_from_json)
        row["loose_duplicate"] = loose_duplicate(tuple(json.loads(place.labels)), kept.id, row["duplicate"])
        if kept.renewal:
            [row["expires_at"]] = kept.renewal
        given = self._bodies[kept.passages].get("given")
        if given is not None and kept.passages < self._last_reindex():
            given = None  # of an embedding that the store has no more
        return Whole(
            row,
            self._checked(kept.passages, lambda body: body["passages"]),
            given,
            [row for batch in kept.facts for row in self._facts(batch, place)],
        )

    def _last_reindex(self) -> int:
        """The last entry that tells of another embedder, also if it is later than the state."""
        if self._reindexed is None:
            self._reindexed = self._connection.scalar(_LAST_REINDEX, {"of": self._state.tenant}) or 0
        return self._reindexed

    def _checked(self, seq: int, read: Callable[[Any], Any]) -> Any:
        try:
            return read(self._bodies[seq])
        except KeyError as error:
            raise IntegrityError(
                f"entry {seq} of chain {self._state.tenant} lacks {error}",
                hint="it was written before 0.1; export the store and import it into a new one",
            ) from error

    def _facts(self, batch: Batch, place: Place) -> list[dict[str, Any]]:
        entries, snapshots = [], []
        for body in self._bodies[batch.seq].get("facts", ()):
            own = dict(body)
            snapshots.append({name: own.pop(name) for name in ("id", "withdrawn_at") if name in own})
            entries.append(fact_log.from_journal(own))
        rows = fact_log.rows(
            entries,
            place=place,
            key=key_of(place.tenant, batch.seq),
            recorded_at=self._at[batch.seq],
            source_key=batch.source,
        )
        for row, snapshot in zip(rows, snapshots, strict=True):
            row |= snapshot
            if row["withdrawn_at"] is None:
                row["withdrawn_at"] = batch.withdrawn_at
        return rows


def snapshot_of(fact_rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Facts as an entry holds them that tells all about each, whatever entries added and withdrew them before."""
    return [
        json.loads(row["body"])
        | {"id": row["id"], "recorded_at": row["recorded_at"], "withdrawn_at": row["withdrawn_at"]}
        for row in fact_rows
    ]


def _told(gone: Sequence[tuple[str, str, int]], most: int = 5) -> str:
    named = [f"{_named(labels, id)} (entry {seq})" for labels, id, seq in gone]
    return ", ".join(named[:most]) + (f" and {len(gone) - most} more" if len(gone) > most else "")


def _named(labels: str, id: str) -> str:
    if pseudonyms.is_one(id):
        return "what was erased"
    return f"{id!r} of {labels}" if id else f"facts of {labels}"


_LAST_REINDEX = sa.select(sa.func.max(journal.c.seq)).where(
    journal.c.tenant == sa.bindparam("of"), journal.c.op == "reindex", journal.c.payload.contains('"embedder"')
)
_PAYLOADS = sa.select(journal.c.seq, journal.c.at, journal.c.payload).where(
    journal.c.tenant == sa.bindparam("of"), journal.c.seq.in_(sa.bindparam("seqs", expanding=True))
)
