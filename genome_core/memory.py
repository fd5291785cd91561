"""``Memory``: the one door to the engine."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Final, Literal, Self, Unpack

import numpy as np
from sqlalchemy.engine import URL, Engine

from genome_core import drafting, inputs, pushdown, reindexing, transfer
from genome_core.drafting import Defaults
from genome_core.embedders.checks import checked
from genome_core.errors import AmbiguousId, Conflict, InvalidInput, NotFound
from genome_core.facts import log
from genome_core.facts.answers import Answer
from genome_core.facts.attributes import AttributeTable
from genome_core.facts.extractor import RuleExtractor
from genome_core.inputs import Message
from genome_core.knowledge import Knowledge, Moment, as_span, fact_lines
from genome_core.protocols import Clock, Embedder, FactExtractor, Reranker, Vectors
from genome_core.recall import Recall, Request, earlier
from genome_core.reindexing import Progress
from genome_core.resident import DEFAULT_BUDGET, ResidentIndexes
from genome_core.scopes import ReadScope, WriteScope, checked_id, checked_namespace, read_scope, write_namespace
from genome_core.search.context import render_context
from genome_core.search.rank import Mode, SearchWeights
from genome_core.storage import facts as fact_log
from genome_core.storage import history as histories
from genome_core.storage import journal, maintenance, reading
from genome_core.storage.database import BUSY_TIMEOUT, Database
from genome_core.storage.history import Version
from genome_core.storage.journal import VerifyReport
from genome_core.storage.maintenance import Stats
from genome_core.storage.moments import to_micros
from genome_core.storage.namespaces import NamespaceTable
from genome_core.storage.reading import RecordFilter, Selection, StoredRecord
from genome_core.storage.schema import SCHEMA
from genome_core.storage.writing import Draft, RecordWriter
from genome_core.types import JSON, Explanation, Fact, FactKind, Hit, Namespace, Record, Scope

_UPDATE_ATTEMPTS = 10
_TURNS_BEFORE = 6
"""How many turns said before a turn its extractor may look at."""


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()
"""An argument of ``Memory.update`` that was not given, where None means something."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of records: iterate over it, or hand ``next`` to the following call."""

    records: tuple[Record, ...]
    next: str | None
    """Where the next page begins; None at the end."""

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)


class Memory:
    """Memory for agents, in a SQLite file, in RAM (``":memory:"``) or on PostgreSQL.

    ``store`` is a path, a database URL, a SQLAlchemy ``Engine`` or a ``Database``; what was handed in open stays open.
    ``embedder`` defaults to the local all-MiniLM-L6-v2, loaded when it is first needed. ``extractor`` reads facts out
    of turns (by default by rules, None: no facts); ``attributes`` says which attributes there are beside the usual ones. ``clock`` tells the recorded time. ``timeout`` is how many seconds a write waits for another
    one before it raises ``StorageError``. ``cache_bytes`` bounds the resident search indexes.

    Whose memory a call means is its scope: ``user_id``, ``agent_id`` and ``run_id``, or a ``namespace`` of labels.
    Writes go to the namespace made of all ids given. Reads cover everything below: a user with all their agents and
    runs; an agent or a run under every user, lists meaning any of them; ``namespace=()`` is everybody's.

    Safe to use from many threads and, on files and PostgreSQL, from many processes. Every time is an aware datetime.
    """

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
    ) -> None:
        self.database = store if isinstance(store, Database) else Database(store, timeout=timeout)
        self._owns_database = not isinstance(store, Database)
        try:
            self.database.install(SCHEMA)
        except BaseException:
            self._close_database()
            raise
        self._embedder = embedder
        self._embedder_lock = threading.Lock()
        self._attributes = attributes or AttributeTable()
        self._extractor = RuleExtractor(self._attributes) if extractor == "rules" else extractor
        self._clock = clock or (lambda: datetime.now(UTC))
        self._namespaces = NamespaceTable(self.database.dialect)
        self._writer = RecordWriter(self.database, self._namespaces, lambda: self.embedder.fingerprint)
        self._residents = ResidentIndexes(self._namespaces, cache_bytes)
        self._recall = Recall(self.database, self._residents, lambda: self.embedder, reranker)
        self._knowledge = Knowledge(
            self.database,
            self._writer,
            self._attributes,
            self._recall,
            lambda texts: drafting.embed(self.embedder, texts),
        )

    @property
    def embedder(self) -> Embedder:
        """The embedder, loaded at the first use."""
        with self._embedder_lock:
            if self._embedder is None:
                from genome_core.embedders import default_embedder

                self._embedder = default_embedder()
            return self._embedder

    # --- writing -----------------------------------------------------------------------------------------------------

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
        **scope: Unpack[WriteScope],
    ) -> list[str]:
        """Stores one message or many, in one transaction; returns their ids in order.

        A message is a text, a mapping with ``role`` and ``content`` (and ``name``, ``id``, ``at``, ``metadata``,
        ``origin``, ``value``) or a ``Record``. The arguments fill in what the messages leave open: ``at`` is when it
        was said, by default now; ``ttl`` is a timedelta or seconds. ``vectors`` brings one vector a message (None: not
        found by meaning) in place of the embedder's.

        Without an id of the caller's, a record with the same words (after Unicode NFC, white space collapsed), role,
        speaker, value and given time in the same namespace is the same record: its id is returned and nothing stored.
        With an id, the record becomes the next version of what has that id, unless nothing would change.

        Raises ``InvalidInput`` or ``InvalidScope`` before anything is written, ``EmbedderError``, ``StorageError``.
        """
        batch = [inputs.to_record(message) for message in inputs.as_list(messages)]
        if id is not None and len(batch) != 1:
            raise InvalidInput("one id for several messages", hint="give each message its own 'id'")
        if vectors is not None and len(vectors) != len(batch):
            raise InvalidInput(f"{len(batch)} messages but {len(vectors)} vectors", hint="give one for each, or None")
        now = self.now()
        defaults = Defaults(
            now=now,
            namespace=write_namespace(scope, required=False),
            id=id or "",
            metadata=metadata or {},
            at=at,
            origin=origin,
            expires_at=inputs.expiry(now, ttl),
        )
        return self._put([drafting.draft(record, defaults) for record in batch], now, vectors)

    def write(self, put: Sequence[Record], delete: Sequence[tuple[Namespace, str]] = ()) -> list[str]:
        """Stores records with namespaces and deletes others by namespace and id, in one transaction; returns the ids stored.

        For adapters of stores with batches. A record that is both put and deleted is there afterwards. Raises as ``add``
        does, before anything is written.
        """
        now = self.now()
        drafts = [drafting.draft(record, Defaults(now=now)) for record in put]
        ids_of: dict[Namespace, list[str]] = {}
        for namespace, id in delete:
            ids_of.setdefault(checked_namespace(namespace), []).append(id)
        gone = [
            stored
            for namespace, ids in ids_of.items()
            for stored in self._find_many(ids, Scope(namespace, exact=True), to_micros(now))
        ]
        return self._put(drafts, now, None, gone)

    def renew(self, ids: Sequence[str], ttl: timedelta | float | None, **scope: Unpack[ReadScope]) -> int:
        """Gives records a new time to live, counted from now (None: for ever); returns how many there were.

        They keep their version and ``updated_at``. What has expired is not revived.
        """
        now = self.now()
        found = self._find_many(ids, read_scope(scope), to_micros(now))
        expires_at = inputs.expiry(now, ttl)
        self._writer.renew(found, to_micros(expires_at) if expires_at else None, to_micros(now))
        return len(found)

    def _put(
        self,
        drafts: Sequence[Draft],
        now: datetime,
        vectors: drafting.VectorsGiven | None,
        gone: Sequence[StoredRecord] = (),
    ) -> list[str]:
        recorded_at = to_micros(now)
        ids = self._writer.settled(drafts, recorded_at)
        if vectors is not None:
            ids = [
                id and self._with_vector(draft, id, given)
                for draft, id, given in zip(drafts, ids, vectors, strict=True)
            ]
        places = [place for place, id in enumerate(ids) if id is None]
        if places or gone:
            given = None if vectors is None else [vectors[place] for place in places]
            new = drafting.with_passages([drafts[place] for place in places], self.embedder, given)
            for place, id in zip(places, self._writer.put(self._with_facts(new), recorded_at, gone), strict=True):
                ids[place] = id
        return [id for id in ids if id is not None]

    def _with_vector(self, draft: Draft, id: str, given: Sequence[float] | Vectors | None) -> str | None:
        """The id, if the record's stored vector is the given one."""
        stored = self.vectors([id], namespace=draft.record.namespace, exact=True).get(id)
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
        **scope: Unpack[ReadScope],
    ) -> Record:
        """Makes the next version of a record and returns it; what is not given stays (``metadata={}`` clears it).

        With ``if_version`` the change happens only if the record still has that version, else ``Conflict``. Without,
        concurrent updates of different parts are all kept. Raises ``NotFound``, ``AmbiguousId`` (name the scope),
        ``InvalidInput``.
        """
        where = read_scope(scope, required=False)
        for _ in range(_UPDATE_ATTEMPTS):
            now = self.now()
            old = self._require(id, where, now)
            if if_version is not None and old.version != if_version:
                raise Conflict(f"record {id!r} is at version {old.version}, not {if_version}", hint="read it again")
            new = replace(
                old,
                text=old.text if text is None else text,
                index=old.index if text is None else None,
                metadata=old.metadata if metadata is None else metadata,
                value=old.value if isinstance(value, _Unset) else value,
                name=old.name if isinstance(name, _Unset) else name,
                at=at or old.at,
                expires_at=old.expires_at if isinstance(ttl, _Unset) else inputs.expiry(now, ttl),
            )
            try:
                self._writer.replace(self._next_version(old, new, now), old.version, to_micros(now))
            except Conflict:
                if if_version is not None:
                    raise
            else:
                return self._require(id, Scope(old.namespace), now)
        raise Conflict(f"record {id!r} changed at each of {_UPDATE_ATTEMPTS} attempts", hint="try again later")

    def _next_version(self, old: Record, new: Record, now: datetime) -> Draft:
        """Embeds and reads again only what the change touches."""
        draft = drafting.draft(new, Defaults(now=now))
        if (new.text, new.name, new.index) != (old.text, old.name, old.index):
            [draft] = drafting.with_passages([draft], self.embedder)
        elif new.at == old.at:
            return draft
        return self._with_facts([draft])[0]

    def delete(self, id: str, *, keep_facts: bool = False, **scope: Unpack[ReadScope]) -> bool:
        """Deletes a record with its vectors and facts; returns whether there was one.

        Its versions stay in ``history``. ``keep_facts`` leaves the facts that it said. Raises ``AmbiguousId``.
        """
        now = self.now()
        found = self._find(id, read_scope(scope, required=False), now)
        return bool(found and self._writer.delete([found], to_micros(now), keep_facts=keep_facts))

    def delete_many(self, ids: Sequence[str], *, keep_facts: bool = False, **scope: Unpack[ReadScope]) -> int:
        """Deletes the records of a scope with these ids, in one transaction; returns how many there were."""
        now = to_micros(self.now())
        found = self._find_many(ids, read_scope(scope), now)
        return self._writer.delete(found, now, keep_facts=keep_facts)

    def delete_all(
        self, *, filter: RecordFilter | None = None, keep_facts: bool = False, **scope: Unpack[ReadScope]
    ) -> int:
        """Deletes every record of a scope (that passes the filter), in one transaction; returns how many.

        Without a filter, the facts that were asserted directly go too, unless ``keep_facts``.
        """
        where, now = read_scope(scope), to_micros(self.now())
        with self.database.read() as connection:
            found = reading.select(connection, Selection(where, now, filter))
            all_facts = filter is None and not keep_facts
            asserted = fact_log.select(connection, where, asserted_only=True) if all_facts else []
        return self._writer.delete(found, now, keep_facts=keep_facts, asserted=asserted)

    def sweep(self) -> int:
        """Deletes what has expired, which no read shows any more; returns how many."""
        now = to_micros(self.now())
        with self.database.read() as connection:
            found = reading.select(connection, Selection(Scope(), now, expired=True))
        return self._writer.delete(found, now, op="expire")

    # --- reading -----------------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        filter: RecordFilter | None = None,
        threshold: float | None = None,
        at: datetime | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        mode: Mode = "hybrid",
        weights: SearchWeights | None = None,
        vector: Sequence[float] | Vectors | None = None,
        expand: int = 0,
        exclude: Collection[str] = (),
        **scope: Unpack[ReadScope],
    ) -> list[Hit]:
        """The records that answer a query best, best first, each with what made its score.

        ``filter``, ``since`` (inclusive), ``until`` (exclusive) and expiry apply before the best are chosen. ``at`` is
        the time of asking: "last week" is read from it, and nothing said later is found. ``threshold`` is the least
        score: see ``genome_core.search.rank``. ``vector`` takes the place of the query's embedding. ``expand`` adds to
        each hit so many neighbours of its session on either side. ``exclude`` names records that must not be found. A blank query without a vector lists the newest
        records, with score 0.

        Raises ``InvalidScope`` without a scope, ``InvalidInput``, ``InvalidFilter``, ``EmbedderMismatch``.
        """
        selection = self._selection(read_scope(scope), filter, since, earlier(until, at))
        request = self._request(query, selection, at, limit, mode, weights, threshold, vector)
        return self._recall.hits(replace(request, exclude=tuple(exclude)), expand)

    def explain(
        self,
        query: str,
        *,
        limit: int = 10,
        filter: RecordFilter | None = None,
        threshold: float | None = None,
        at: datetime | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        mode: Mode = "hybrid",
        weights: SearchWeights | None = None,
        candidates: int = 100,
        **scope: Unpack[ReadScope],
    ) -> list[Explanation]:
        """What ``search`` makes of the ``candidates`` best records of a scope: each signal, the score, the rank, and for
        what it leaves out the reason. Raises as ``search`` does."""
        selection = self._selection(read_scope(scope), filter, since, earlier(until, at))
        return self._recall.explain(self._request(query, selection, at, limit, mode, weights, threshold), candidates)

    def _request(
        self,
        query: str,
        selection: Selection,
        at: datetime | None,
        limit: int,
        mode: Mode,
        weights: SearchWeights | None,
        threshold: float | None,
        vector: Sequence[float] | Vectors | None = None,
    ) -> Request:
        inputs.check_text(query, "the query")
        return Request(query, selection, at or self.now(), limit, mode, weights or SearchWeights(), threshold, vector)

    def get(self, id: str, **scope: Unpack[ReadScope]) -> Record | None:
        """The record with this id, or None.

        One of exactly the named namespace comes before those below it; raises ``AmbiguousId`` if several others use the id.
        """
        found = self._find(id, read_scope(scope, required=False), self.now())
        return found.record if found else None

    def get_many(self, ids: Sequence[str], **scope: Unpack[ReadScope]) -> list[Record]:
        """The records of a scope with these ids, in order of namespace, then of ``ids``; unknown ids are passed over."""
        found = self._find_many(ids, read_scope(scope), to_micros(self.now()))
        return [stored.record for stored in found]

    def vectors(self, ids: Sequence[str], **scope: Unpack[ReadScope]) -> dict[str, Vectors]:
        """The stored vectors of a scope's records by id: shape (passages, dimensions), rows of norm 1."""
        found = self._find_many(ids, read_scope(scope), to_micros(self.now()))
        with self.database.read() as connection:
            rows = reading.vectors(connection, [stored.key for stored in found])
        return {stored.record.id: np.stack(rows[stored.key]) for stored in found if rows[stored.key]}

    def get_all(
        self,
        *,
        filter: RecordFilter | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 100,
        after: str | None = None,
        newest_first: bool = False,
        **scope: Unpack[ReadScope],
    ) -> Page:
        """A page of a scope's records in order of time, then of arrival.

        ``after`` takes ``Page.next``: records that come or go between two pages neither repeat nor hide others.
        """
        selection = self._selection(read_scope(scope), filter, since, until)
        found = self._select(selection, limit + 1 if limit >= 0 else limit, newest_first=newest_first, after=after)
        more = reading.cursor(found[limit - 1]) if 0 < limit < len(found) else None
        return Page(tuple(stored.record for stored in found[:limit]), more)

    def count(
        self,
        *,
        filter: RecordFilter | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        **scope: Unpack[ReadScope],
    ) -> int:
        """How many records of a scope there are (that pass the filter)."""
        with self.database.read() as connection:
            return reading.count(connection, self._selection(read_scope(scope), filter, since, until))

    def history(self, id: str, **scope: Unpack[ReadScope]) -> list[Version]:
        """Every version that the record with this id had, oldest first; a deletion is the last one."""
        checked_id(id)
        with self.database.read() as connection:
            return histories.versions(connection, read_scope(scope, required=False), id)

    def namespaces(self, **scope: Unpack[ReadScope]) -> list[Namespace]:
        """The namespaces of a scope that hold records, sorted."""
        with self.database.read() as connection:
            return reading.in_use(connection, read_scope(scope), to_micros(self.now()))

    def context(
        self,
        query: str,
        *,
        budget_tokens: int = 1000,
        limit: int = 20,
        at: datetime | None = None,
        filter: RecordFilter | None = None,
        threshold: float | None = None,
        exclude: Collection[str] = (),
        **scope: Unpack[ReadScope],
    ) -> str:
        """What a prompt should know about a query: a block of dated, quoted records within a budget of tokens.

        Where the query is a question about a fact, what the log knows stands on top. The block is data: nothing inside a memory can close it. It carries a marker, so that
        ``genome_core.search.context.strip_context`` takes it out of text that is to be stored. ``exclude``
        names records that the prompt holds already. Empty if nothing is found.
        """
        hits = self.search(query, limit=limit, at=at, filter=filter, threshold=threshold, exclude=exclude, **scope)
        known = fact_lines(self.ask(query, at=at, **scope)) if query.strip() else []
        return render_context(hits, known, budget_tokens)

    # --- facts -------------------------------------------------------------------------------------------------------

    def ask(
        self,
        question: str,
        *,
        at: datetime | None = None,
        known_at: datetime | None = None,
        believer: str = "",
        asker: str = "user",
        **scope: Unpack[ReadScope],
    ) -> Answer:
        """Answers a question about what holds, held, or changed when.

        ``at`` is the time of asking, by default now: "last spring" is read from it. ``known_at`` asks what was known
        then: facts recorded later do not count. ``asker`` is who "I" is in the question. The answer tells the value, its
        window and what it rests on; where no value is sure, the sentences that speak of it; ``unknown`` where nothing does.

        Raises ``InvalidInput`` for a blank question, ``InvalidScope`` without a scope.
        """
        where = read_scope(scope)
        inputs.check_text(question, "the question")
        return self._knowledge.ask(question, where, at or self.now(), known_at, believer, asker)

    def facts(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
        believer: str = "",
        **scope: Unpack[ReadScope],
    ) -> list[log.Window]:
        """What holds at ``at`` (by default now), as known at ``known_at`` (by default now): one window a value.

        Each window has the facts behind it, and each fact the record that said it.
        """
        moment = at or self.now()
        to_micros(moment, "at")
        windows = self._knowledge.windows(read_scope(scope), subject, attribute, known_at, believer)
        return [window for window in windows if window.holds_at(moment)]

    def timeline(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        known_at: datetime | None = None,
        believer: str = "",
        **scope: Unpack[ReadScope],
    ) -> list[log.Window]:
        """What held when, as known at ``known_at``: all windows by subject and attribute, each in order of time."""
        return self._knowledge.windows(read_scope(scope), subject, attribute, known_at, believer)

    def fact_log(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        known_at: datetime | None = None,
        **scope: Unpack[ReadScope],
    ) -> list[Fact]:
        """The entries that the windows are made of, in order of recording: every believer's, unsure ones too."""
        return self._knowledge.entries(read_scope(scope), subject, attribute, known_at)

    def conflicts(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        known_at: datetime | None = None,
        **scope: Unpack[ReadScope],
    ) -> list[log.Conflict]:
        """Where believers disagree, or two sources that speak of the same time."""
        return self._knowledge.conflicts(read_scope(scope), subject, attribute, known_at)

    def state(
        self,
        subject: str,
        attribute: str,
        value: str | None,
        *,
        valid_from: Moment = None,
        valid_to: Moment = None,
        kind: FactKind = FactKind.ASSERTION,
        at: datetime | None = None,
        certainty: float = 1.0,
        believer: str = "",
        origin: str = "user",
        **scope: Unpack[WriteScope],
    ) -> str:
        """Adds a fact to the log directly; returns its id.

        ``valid_from`` is when it began to hold (for an end: when it ended) and ``valid_to`` when it stopped: an instant,
        a ``TimeSpan`` as wide as the knowledge of it, or None where it is not known. ``at`` is when it was said, by
        default now. ``kind`` END stops the value (any value, if it is None), CORRECTION replaces what was said about the
        same time.

        Raises ``InvalidInput`` for an end before the start, a value missing or a time without a zone.
        """
        now = self.now()
        fact = Fact(
            subject=subject,
            attribute=self._attributes.canonical(attribute),
            value=value,
            kind=kind,
            valid_from=as_span(valid_from, "valid_from"),
            valid_to=as_span(valid_to, "valid_to"),
            at=at or now,
            certainty=certainty,
            believer=believer,
            origin=origin,
        )
        return self._knowledge.state(write_namespace(scope), fact, now)

    def retract(
        self, subject: str, attribute: str, value: str | None = None, *, believer: str = "", **scope: Unpack[WriteScope]
    ) -> str:
        """Takes back a value (any value, if it is None) as never true: from now on it never held; returns the entry's id.

        What was known before stays askable with ``known_at``. To say that something stopped, use ``state`` with END.
        """
        return self.state(subject, attribute, value, kind=FactKind.RETRACTION, believer=believer, **scope)

    # --- the store as a whole ----------------------------------------------------------------------------------------

    def verify(self) -> VerifyReport:
        """Walks the journal; raises ``IntegrityError`` naming the first entry that was edited, moved or removed."""
        with self.database.read() as connection:
            return journal.verify(connection)

    def stats(self) -> Stats:
        """How much the store holds, and which embedder wrote its vectors."""
        with self.database.read() as connection:
            return maintenance.stats(connection)

    def check_writable(self) -> None:
        """Opens and ends a write transaction; raises ``StorageError`` if the store can not be written to now."""
        self.database.write(lambda connection: None)

    def export(self, path: str | os.PathLike[str], **scope: Unpack[ReadScope]) -> int:
        """Writes the records of a scope (by default all) and their facts as JSON lines; returns how many records."""
        where = read_scope(scope, required=False)
        return transfer.export(self.database, where, path, to_micros(self.now()))

    def import_(self, path: str | os.PathLike[str]) -> int:
        """Stores what ``export`` wrote, ids, times and scopes included; returns how many records the file names.

        The whole file is checked first; importing it again changes nothing. Raises ``InvalidInput`` with the number of
        the first bad line.
        """
        return transfer.import_(self.database, path, self.embedder, self._writer, self.now())

    def reindex(self, embedder: Embedder | None = None, progress: Progress | None = None) -> int:
        """Embeds every record anew, with another embedder or this one; returns how many records there are.

        Others may read and write meanwhile; the switch is one transaction. ``progress`` is called with (done, total).
        """
        with self._embedder_lock:
            if embedder is not None:
                self._embedder = embedder
        total = reindexing.reindex(self.database, self.embedder, progress)
        self._residents.clear()
        return total

    def create_vector_index(self) -> None:
        """Builds pgvector's HNSW index, for scopes that are too large to be searched in memory. PostgreSQL only."""
        if not self.database.is_postgres:
            raise InvalidInput("SQLite has no vector index", hint="scopes are searched in memory, exactly")
        dimensions = self.embedder.fingerprint.dimensions
        self.database.write(lambda connection: pushdown.create_index(connection, dimensions))

    def reset(self) -> None:
        """Empties every table of the engine: everybody's records, facts and journal. Needs no embedder."""
        self.database.write(maintenance.empty)
        self._residents.clear()

    def close(self) -> None:
        """Closes the connections that this Memory opened, and drops its caches."""
        self._residents.clear()
        self._close_database()

    def _close_database(self) -> None:
        if self._owns_database:
            self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- helpers -----------------------------------------------------------------------------------------------------

    def now(self) -> datetime:
        """What the clock says."""
        now = self._clock()
        to_micros(now, "the clock's time")
        return now

    def _selection(
        self, scope: Scope, filter: RecordFilter | None, since: datetime | None, until: datetime | None
    ) -> Selection:
        return Selection(
            scope,
            to_micros(self.now()),
            filter,
            None if since is None else to_micros(since, "since"),
            None if until is None else to_micros(until, "until"),
        )

    def _select(
        self, selection: Selection, limit: int, *, newest_first: bool, after: str | None = None
    ) -> list[StoredRecord]:
        if limit < 0:
            raise InvalidInput(f"limit is {limit}", hint="give 0 or more")
        with self.database.read() as connection:
            return reading.select(connection, selection, limit=limit, newest_first=newest_first, after=after)

    def _find(self, id: str, scope: Scope, now: datetime) -> StoredRecord | None:
        found = self._find_many([id], scope, to_micros(now))
        own = [stored for stored in found if stored.record.namespace == scope.prefix]
        if len(own) == 1:
            return own[0]
        if len(found) > 1:
            places = ", ".join(str(stored.record.namespace) for stored in found[:3])
            raise AmbiguousId(f"{id!r} is in {len(found)} namespaces: {places}", hint="name the scope")
        return found[0] if found else None

    def _find_many(self, ids: Sequence[str], scope: Scope, now: int) -> list[StoredRecord]:
        for id in ids:
            checked_id(id)
        with self.database.read() as connection:
            return reading.by_ids(connection, scope, ids, now)

    def _require(self, id: str, scope: Scope, now: datetime) -> Record:
        found = self._find(id, scope, now)
        if found is None:
            raise NotFound(f"no record {id!r}", hint="it was deleted, has expired, or lies outside the scope")
        return found.record

    def _with_facts(self, drafts: list[Draft]) -> list[Draft]:
        return drafting.with_facts(drafts, self._extractor, self._said_before) if self._extractor else drafts

    def _said_before(self, record: Record) -> Sequence[Record]:
        """The stored turns just before a record, in its own namespace, oldest first."""
        now = to_micros(self.now())
        with self.database.read() as connection:
            own = Selection(Scope(record.namespace), now, None, until=to_micros(record.at or self.now()) + 1)
            found = reading.select(connection, own, limit=_TURNS_BEFORE, newest_first=True)
        return [stored.record for stored in reversed(found) if stored.record.id != record.id]
