"""The verbs that write records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, Unpack

import numpy as np

from genome_core import drafting, inputs
from genome_core.drafting import Defaults
from genome_core.embedders.checks import checked
from genome_core.errors import Conflict, EmbedderMismatch, InvalidInput
from genome_core.inputs import Message
from genome_core.memory.base import MemoryBase
from genome_core.protocols import Embedder, Vectors
from genome_core.scopes import ReadScope, WriteScope, checked_id, checked_namespace, write_namespace
from genome_core.storage import facts as fact_log
from genome_core.storage import reading
from genome_core.storage.drafts import Draft
from genome_core.storage.existing import Existing
from genome_core.storage.moments import to_micros
from genome_core.storage.reading import RecordFilter, Selection, StoredRecord
from genome_core.types import JSON, Namespace, Record, Scope

_UPDATE_ATTEMPTS = 10


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()
"""An argument of ``Memory.update`` that was not given, where None means something."""


class Writing(MemoryBase):
    """Adding, changing and deleting records. Each verb is one transaction."""

    def add(
        self,
        messages: Message | Sequence[Message],
        *,
        metadata: Mapping[str, JSON] | None = None,
        at: datetime | None = None,
        id: str | None = None,
        origin: str | None = None,
        ttl: timedelta | float | None = None,
        vectors: drafting.VectorsGiven | None = None,
        derived_from: Sequence[Record] = (),
        believer: str = "",
        **scope: Unpack[WriteScope],
    ) -> list[str]:
        """Stores one message or many, in one transaction; returns their ids in order.

        A message is a text, a mapping with ``role`` and ``content`` (and ``name``, ``id``, ``at``, ``metadata``,
        ``origin``, ``value``) or a ``Record``. The arguments fill in what the messages leave open: ``at`` is when it
        was said, by default now; ``ttl`` is a timedelta or seconds. ``vectors`` brings one vector a message (None: not
        found by meaning) in place of the embedder's.

        ``origin`` says where all of it comes from, whatever the messages say; else each message's own counts, else it follows from the
        role. ``derived_from`` are records that it sums up or repeats: it takes the origin of the least trusted. ``believer`` is in
        whose view the facts hold that are read in it: agents that share a store keep their own timelines so.

        Without an id of the caller's, a record with the same words (after Unicode NFC, white space collapsed), role,
        speaker, value, believer and given time in the same namespace is the same record: its id is returned and nothing stored.
        With an id, the record becomes the next version of what has that id, unless nothing would change.

        Raises ``InvalidInput`` or ``InvalidScope`` before anything is written, ``NotTrusted`` (and nothing is written) if the id is that of
        a record of a higher trust, ``EmbedderError``, ``StorageError``.
        """
        if metadata is not None and not isinstance(metadata, Mapping):
            raise InvalidInput(f"metadata is {type(metadata).__name__}", hint="give a mapping")
        batch = [inputs.to_record(message) for message in inputs.as_list(messages)]
        inputs.check_text(believer, "believer")
        if id is not None and len(batch) != 1:
            raise InvalidInput("one id for several messages", hint="give each message its own 'id'")
        if vectors is not None and len(vectors) != len(batch):
            raise InvalidInput(f"{len(batch)} messages but {len(vectors)} vectors", hint="give one for each, or None")
        now = self.now()
        defaults = Defaults(
            now=now,
            namespace=write_namespace(scope, required=False),
            id="" if id is None else checked_id(id),
            metadata=metadata or {},
            at=at,
            expires_at=inputs.expiry(now, ttl),
            believer=believer,
        )
        drafts = [drafting.draft(self._lowered(record, origin, derived_from), defaults) for record in batch]
        return self._put(drafts, now, vectors)

    def _lowered(self, record: Record, origin: str | None, sources: Sequence[Record]) -> Record:
        """The record with the origin that counts: the call's or its own, or that of a source which is trusted less."""
        own = record.origin if origin is None else origin
        self._check_actor(own)
        if not sources and own == record.origin:
            return record
        lowest = self._trust.lowest([own, *(source.origin for source in sources)])
        return record if lowest == record.origin else replace(record, origin=lowest)

    def write(
        self, put: Sequence[Record], delete: Sequence[tuple[Namespace, str]] = (), *, origin: str | None = None
    ) -> list[str]:
        """Stores records with namespaces and deletes others by namespace and id, in one transaction; returns the ids stored.

        For adapters of stores with batches. A record that is both put and deleted is there afterwards. ``origin`` is who deletes,
        as in ``delete``; records that are put have their own. Raises as ``add`` and ``delete`` do, before anything is written.
        """
        self._check_actor(origin)
        now = self.now()
        drafts = [drafting.draft(self._lowered(record, None, ()), Defaults(now=now)) for record in put]
        ids_of: dict[Namespace, list[str]] = {}
        for namespace, id in delete:
            ids_of.setdefault(checked_namespace(namespace), []).append(id)
        gone = [
            stored
            for namespace, ids in ids_of.items()
            for stored in self._find_many(ids, Scope(namespace, exact=True), to_micros(now))
        ]
        return self._put(drafts, now, None, gone, origin)

    def _put(
        self,
        drafts: Sequence[Draft],
        now: datetime,
        vectors: drafting.VectorsGiven | None,
        gone: Sequence[StoredRecord] = (),
        actor: str | None = None,
    ) -> list[str]:
        recorded_at = to_micros(now)
        known = self._writer.existing(drafts)
        ids = _unsettled_by_others(drafts, known.settled(drafts, recorded_at), gone)
        if vectors is not None:
            ids = [
                id and self._with_vector(draft, id, given)
                for draft, id, given in zip(drafts, ids, vectors, strict=True)
            ]
        places = [place for place, id in enumerate(ids) if id is None]
        if places or gone:
            given = None if vectors is None else [vectors[place] for place in places]
            new = self._embedded([drafts[place] for place in places], given, recorded_at, gone, actor, known)
            for place, id in zip(places, new, strict=True):
                ids[place] = id
        return [id for id in ids if id is not None]

    def _embedded(
        self,
        drafts: Sequence[Draft],
        given: drafting.VectorsGiven | None,
        recorded_at: int,
        gone: Sequence[StoredRecord],
        actor: str | None,
        known: Existing,
    ) -> list[str]:
        """Embeds and stores drafts; once more if ``reindex`` changed the embedder in between."""
        while True:
            embedder = self.embedder if drafting.needs_embedder(drafts, given) else None
            drafting.add_passages(drafts, embedder, given)
            ready = self._with_facts(drafts)
            try:
                model = embedder.fingerprint if embedder else None
                return self._writer.put(ready, recorded_at, model, gone, actor, known)
            except EmbedderMismatch:
                if embedder is self.embedder:
                    raise

    def _with_vector(self, draft: Draft, id: str, given: Sequence[float] | Vectors | None) -> str | None:
        """The id, if the record's stored vector is the given one."""
        stored = self._vectors([id], Scope(draft.record.namespace, exact=True)).get(id)
        if given is None or stored is None:
            return id if given is None and stored is None else None
        new = checked([given], 1, self.embedder.fingerprint.dimensions)
        return id if np.array_equal(stored, new) else None

    def update(
        self,
        id: str,
        *,
        text: str | None = None,
        metadata: Mapping[str, JSON] | None = None,
        value: JSON | _Unset = UNSET,
        name: str | _Unset | None = UNSET,
        at: datetime | None = None,
        ttl: timedelta | float | _Unset | None = UNSET,
        if_version: int | None = None,
        origin: str | None = None,
        **scope: Unpack[ReadScope],
    ) -> Record:
        """Makes the next version of a record and returns it; what is not given stays (``metadata={}`` clears it).

        With ``if_version`` the change happens only if the record still has that version, else ``Conflict``. Without,
        concurrent updates of different parts are all kept. ``origin`` is who makes the change, by default the application, which may do
        everything; the record keeps its own. Raises ``NotFound``, ``AmbiguousId`` (name the scope), ``InvalidInput``, ``NotTrusted`` if
        ``origin`` is trusted less than the record's.
        """
        self._check_actor(origin)
        where = self._whole(scope, required=False)
        for _ in range(_UPDATE_ATTEMPTS):
            now = self.now()
            old = self._require(id, where, now)
            if origin is not None:
                self._trust.check_change(origin, old.origin, id, "change")
            if if_version is not None and old.version != if_version:
                raise Conflict(f"record {id!r} is at version {old.version}, not {if_version}", hint="read it again")
            new = replace(
                old,
                text=old.text if text is None else text,
                index=old.index if text is None or old.index == () else None,
                metadata=old.metadata if metadata is None else metadata,
                value=old.value if isinstance(value, _Unset) else value,
                name=old.name if isinstance(name, _Unset) else name,
                at=at or old.at,
                expires_at=old.expires_at if isinstance(ttl, _Unset) else inputs.expiry(now, ttl),
            )
            same_words = (new.text, new.name, new.index) == (old.text, old.name, old.index)
            embedder = None if same_words or new.index == () else self.embedder
            try:
                draft = self._next_version(old, new, now, embedder)
                model = embedder.fingerprint if embedder else None
                self._writer.replace(draft, old.version, to_micros(now), model, origin)
            except Conflict:
                if if_version is not None:
                    raise
            else:
                return self._require(id, Scope(old.namespace), now)
        raise Conflict(f"record {id!r} changed at each of {_UPDATE_ATTEMPTS} attempts", hint="try again later")

    def _next_version(self, old: Record, new: Record, now: datetime, embedder: Embedder | None) -> Draft:
        """Embeds and reads again only what the change touches."""
        draft = drafting.draft(new, Defaults(now=now))
        if (new.text, new.name, new.index) != (old.text, old.name, old.index):
            drafting.add_passages([draft], embedder)
        elif new.at == old.at:
            return draft
        return self._with_facts([draft])[0]

    def renew(self, records: Sequence[str | Record], ttl: timedelta | float | None, **scope: Unpack[ReadScope]) -> int:
        """Gives records a new time to live, counted from now (None: for ever); returns how many it gave one.

        ``records`` are ids, or records as they were read: of these, one that was changed since keeps what the change gave it.
        They keep their version and ``updated_at``. What has expired is not revived.
        """
        now = self.now()
        read = {(one.namespace, one.id): _state(one) for one in records if isinstance(one, Record)}
        ids = [one.id if isinstance(one, Record) else one for one in records]
        found = self._find_many(ids, self._whole(scope), to_micros(now))
        if read:
            found = [
                one for one in found if read.get((one.record.namespace, one.record.id)) in (None, _state(one.record))
            ]
        expires_at = inputs.expiry(now, ttl)
        return self._writer.renew(found, to_micros(expires_at) if expires_at else None, to_micros(now))

    def delete(
        self, id: str, *, keep_facts: bool = False, origin: str | None = None, **scope: Unpack[ReadScope]
    ) -> bool:
        """Deletes a record with its vectors and facts; returns whether there was one.

        Its versions stay in ``history``. ``keep_facts`` leaves the facts that it said. ``origin`` is who deletes, by default the
        application. Raises ``AmbiguousId``, ``NotTrusted`` if ``origin`` is trusted less than the record's.
        """
        self._check_actor(origin)
        now = self.now()
        found = self._find(id, self._whole(scope, required=False), now)
        return bool(found and self._writer.delete([found], to_micros(now), keep_facts=keep_facts, actor=origin))

    def delete_many(
        self, ids: Sequence[str], *, keep_facts: bool = False, origin: str | None = None, **scope: Unpack[ReadScope]
    ) -> int:
        """Deletes the records of a scope with these ids, in one transaction; returns how many there were.

        ``origin`` is who deletes, as in ``delete``; if one of them may not be deleted, none is.
        """
        self._check_actor(origin)
        now = to_micros(self.now())
        found = self._find_many(ids, self._whole(scope), now)
        return self._writer.delete(found, now, keep_facts=keep_facts, actor=origin)

    def delete_all(
        self,
        *,
        filter: RecordFilter | None = None,
        keep_facts: bool = False,
        origin: str | None = None,
        **scope: Unpack[ReadScope],
    ) -> int:
        """Deletes every record of a scope (that passes the filter), in one transaction; returns how many.

        Without a filter, the facts that were asserted directly go too, unless ``keep_facts``. What is quarantined goes with the rest.
        ``origin`` is who deletes, as in ``delete``; if one of them may not be deleted, none is.
        """
        self._check_actor(origin)
        where, now = self._whole(scope), to_micros(self.now())
        with self.database.read() as connection:
            found = reading.select(connection, Selection(where, now, filter))
            expired = [] if filter else reading.select(connection, Selection(where, now, expired=True))
            all_facts = filter is None and not keep_facts
            asserted = fact_log.select(connection, where, asserted_only=True) if all_facts else []
        self._writer.delete(expired, now, op="expire", keep_facts=keep_facts)
        return self._writer.delete(found, now, keep_facts=keep_facts, asserted=asserted, actor=origin)


def _state(record: Record) -> tuple[datetime | None, int]:
    """Which record of that id it is, and which of its versions."""
    return record.created_at, record.version


def _unsettled_by_others(
    drafts: Sequence[Draft], ids: Sequence[str | None], gone: Sequence[StoredRecord]
) -> list[str | None]:
    """The ids of the drafts that need no writing: not those whose record an earlier draft, or a deletion, touches."""
    touched = {(stored.record.namespace, stored.record.id) for stored in gone}
    result: list[str | None] = []
    for draft, id in zip(drafts, ids, strict=True):
        place = (draft.record.namespace, id or draft.record.id)
        if id is None or place in touched:
            touched.add(place)
            id = None
        result.append(id)
    return result
