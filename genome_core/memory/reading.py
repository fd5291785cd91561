"""The verbs that read records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Unpack

from genome_core import inputs
from genome_core.audit import past
from genome_core.errors import InvalidInput
from genome_core.memory.base import MemoryBase, only_one
from genome_core.protocols import Vectors
from genome_core.recall import Request
from genome_core.scopes import ReadScope, checked_id
from genome_core.search.rank import Mode, SearchWeights
from genome_core.storage import history as histories
from genome_core.storage import reading, tallies
from genome_core.storage.history import Version
from genome_core.storage.in_use import in_use
from genome_core.storage.moments import to_micros
from genome_core.storage.reading import RecordFilter, StoredRecord
from genome_core.types import Explanation, Hit, Namespace, Record, Scope


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


class Reading(MemoryBase):
    """Searching, listing and looking up records. Nothing is written."""

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
        expand_tokens: int | None = None,
        exclude: Collection[str] = (),
        **scope: Unpack[ReadScope],
    ) -> list[Hit]:
        """The records that answer a query best, best first, each with what made its score.

        ``filter``, ``since`` (inclusive), ``until`` (exclusive) and expiry apply before the best are chosen. ``at`` is
        the time of asking: "last week" is read from it, and nothing said later is found. ``threshold`` is the least
        score: see ``genome_core.search.rank``. ``vector`` takes the place of the query's embedding. ``expand`` adds to
        each hit up to so many neighbours of its session on either side, within ``expand_tokens`` for all. ``exclude``
        names records that must not be found. A blank query without a vector lists the newest records, with score 0,
        which no threshold above 0 lets through.

        Raises ``InvalidScope`` without a scope, ``InvalidInput``, ``InvalidFilter``, ``EmbedderMismatch``.
        """
        selection = self._selection(self._shown(scope), filter, since, until, at)
        inputs.check_text(query, "the query")
        return self._recall.hits(
            Request(
                query,
                selection,
                at or self.now(),
                limit,
                mode,
                weights or SearchWeights(),
                threshold,
                vector,
                _ids(exclude),
                expand,
                expand_tokens,
            )
        )

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
        selection = self._selection(self._shown(scope), filter, since, until, at)
        inputs.check_text(query, "the query")
        request = Request(query, selection, at or self.now(), limit, mode, weights or SearchWeights(), threshold)
        return self._recall.explain(request, candidates)

    def get(self, id: str, *, known_at: datetime | None = None, **scope: Unpack[ReadScope]) -> Record | None:
        """The record with this id, or None; with ``known_at``, as the store knew it then, whatever became of it since.

        One of exactly the named namespace comes before those below it; raises ``AmbiguousId`` if several others use the
        id, ``ContentErased`` if what was known then was erased or compacted.
        """
        where = self._shown(scope, required=False)
        if known_at is None:
            found = self._find(id, where, self.now())
        else:
            found = only_one(id, self._known_at(where, known_at, checked_id(id)), where)
        return found.record if found else None

    def _known_at(self, scope: Scope, known_at: datetime, id: str | None = None) -> list[StoredRecord]:
        """A scope's records as they were, without those that had expired by then, and of its origins only."""
        to_micros(known_at, "known_at")
        with self.database.read() as connection:
            found = past.records_at(connection, scope, known_at, self.journal_key, id)
        return [
            stored
            for stored in found
            if (id is None or stored.record.id == id)
            and (scope.origins is None or scope.origins.admit(stored.record.origin))
            and (stored.record.expires_at is None or stored.record.expires_at > known_at)
        ]

    def get_many(self, ids: Sequence[str], **scope: Unpack[ReadScope]) -> list[Record]:
        """The records of a scope with these ids, in order of namespace, then of ``ids``; unknown ids are passed over."""
        found = self._find_many(ids, self._shown(scope), to_micros(self.now()))
        return [stored.record for stored in found]

    def get_all(
        self,
        *,
        filter: RecordFilter | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 100,
        after: str | None = None,
        newest_first: bool = False,
        known_at: datetime | None = None,
        **scope: Unpack[ReadScope],
    ) -> Page:
        """A page of a scope's records in order of time, then of arrival.

        ``after`` takes ``Page.next``: records that come or go between two pages neither repeat nor hide others.
        ``known_at`` asks what the store knew then: records as they were, with those that are gone and without those that
        came later. It reads the scope's journal; raises ``ContentErased`` if some of it was erased or compacted.
        """
        where = self._shown(scope)
        selection = self._selection(where, filter, since, until)
        inputs.check_whole(limit, "limit")
        if known_at is not None:
            known = reading.passing(self._known_at(where, known_at), selection)
            records, following = reading.page_of(known, limit, newest_first=newest_first, after=after)
            return Page(tuple(stored.record for stored in records), following)
        few = self._small.page(selection, limit, newest_first=newest_first, after=after)
        if few is None:
            with self.database.read() as connection:
                few = reading.page(connection, selection, limit, newest_first=newest_first, after=after)
        found, following = few
        return Page(tuple(stored.record for stored in found), following)

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
            return reading.count(connection, self._selection(self._shown(scope), filter, since, until))

    def tally(
        self,
        key: str,
        *,
        of_value: bool = False,
        filter: RecordFilter | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        **scope: Unpack[ReadScope],
    ) -> dict[str, int]:
        """How often each text stands in a scope under a key of the metadata (``of_value``: of the structured value).

        A list counts by its elements, and what is no text does not count. The most frequent first, then by text.
        """
        inputs.check_text(key, "the key")
        selection = self._selection(self._shown(scope), filter, since, until)
        with self.database.read() as connection:
            return tallies.tally(connection, selection, "value" if of_value else "metadata", key)

    def history(self, id: str, **scope: Unpack[ReadScope]) -> list[Version]:
        """Every version that the record with this id had, oldest first; a deletion is the last one.

        Of what was erased it tells that it was there and when it was erased, not what it was.
        """
        checked_id(id)
        with self.database.read() as connection:
            return histories.versions(connection, self._shown(scope, required=False), id, self.journal_key)

    def namespaces(self, **scope: Unpack[ReadScope]) -> list[Namespace]:
        """The namespaces of a scope that hold records, sorted."""
        return in_use(self.database, self._shown(scope), to_micros(self.now()))

    def vectors(self, ids: Sequence[str], **scope: Unpack[ReadScope]) -> dict[str, Vectors]:
        """The stored vectors of a scope's records by id: shape (passages, dimensions), rows of norm 1."""
        return self._vectors(ids, self._shown(scope))


def _ids(given: Collection[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise InvalidInput(f"exclude is the text {given!r}", hint="give a list of ids")
    return tuple(given)
