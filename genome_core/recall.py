"""Finding records: from a question to hits, through the resident index of its scope."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from genome_core import pushdown
from genome_core.embedders.checks import checked
from genome_core.errors import EmbedderMismatch, InvalidInput
from genome_core.inputs import check_whole
from genome_core.protocols import Embedder, Reranker, Vectors
from genome_core.resident import ResidentIndexes, load
from genome_core.search.context import estimate_tokens
from genome_core.search.index import ScopeIndex
from genome_core.search.nearest import nearest
from genome_core.search.question import Query, parse, question_vector, wording_of
from genome_core.search.rank import Allowed, Candidate, Criteria, Mode, SearchWeights, explain, rank
from genome_core.storage import fingerprint, reading
from genome_core.storage.database import Database
from genome_core.storage.moments import to_micros
from genome_core.storage.raw_vectors import matrix
from genome_core.storage.reading import Selection
from genome_core.storage.schema import having_keys, records
from genome_core.storage.small import SmallScopes
from genome_core.types import Explanation, Hit, Record, Scope, Signal

_RERANKED = 50
"""How many of the best hits a reranker gets to see at least."""
_ALL_TURNS = 300
"""In a scope of so many records, every turn may bear on a question about facts."""
_TURNS = 60
"""In a larger one, so many turns for each wording of the question."""
_FEW = 4
"""Of one record in so many, a database is asked by their keys."""
_BEFORE = 4
"""How many turns before a turn tell who "she" is."""

_Ask = Callable[[ScopeIndex, Query, Criteria, Allowed | None], list[Candidate]]


@dataclass(frozen=True, slots=True)
class Request:
    """One search."""

    text: str
    selection: Selection
    asked_at: datetime
    limit: int = 10
    mode: Mode = "hybrid"
    weights: SearchWeights = field(default_factory=SearchWeights)
    threshold: float | None = None
    vector: Sequence[float] | Vectors | None = None
    """In place of the embedding of the text."""
    exclude: tuple[str, ...] = ()
    """Ids of records that must not be found."""
    expand: int = 0
    """How many neighbours on either side each hit gets at most."""
    expand_tokens: int | None = None
    """How many tokens all neighbours may have together, by estimate; None for no bound."""

    @property
    def criteria(self) -> Criteria:
        """What the request wants of an index."""
        of = self.selection
        return Criteria(of.now, self.limit, self.mode, self.weights, of.since, of.until, self.threshold)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Where to search and what for."""

    index: ScopeIndex
    query: Query
    filtered: bool = False
    """The index holds only what the filter lets through and nobody excludes."""


class Recall:
    """Searches over one store."""

    def __init__(
        self,
        database: Database,
        residents: ResidentIndexes,
        embedder: Callable[[], Embedder],
        reranker: Reranker | None,
    ) -> None:
        self._database = database
        self._small = SmallScopes(database)
        self._residents = residents
        self._embedder = embedder
        self._reranker = reranker

    def hits(self, request: Request) -> list[Hit]:
        """The best records; the newest ones where there is nothing to search by."""
        check_whole(request.limit, "limit")
        check_whole(request.expand, "expand")
        check_whole(request.expand_tokens or 0, "expand_tokens")
        if request.threshold is not None and not _is_number(request.threshold):
            raise InvalidInput(f"threshold is {request.threshold!r}", hint="give a number")
        if not request.text.strip() and request.vector is None:
            # Without a score, nothing reaches a threshold.
            return self._newest(request) if (request.threshold or 0) <= 0 else []
        few = self._of_few(request)
        if few is not None:
            return few
        prepared, wider = self._prepare(request), request
        if self._reranker and request.limit:
            wider = replace(request, limit=max(request.limit, _RERANKED))
        candidates = self._asked(prepared, wider, rank)
        records = self._records(one.key for one in candidates)
        found = [Hit(records[one.key], one.score, one.signals) for one in candidates if one.key in records]
        hits = self._reranked(request.text, found)[: request.limit]
        if not request.expand:
            return hits
        key_of = {(record.namespace, record.id): key for key, record in records.items()}
        keys = [key_of[hit.record.namespace, hit.record.id] for hit in hits]
        return self._expanded(prepared.index, keys, hits, request)

    def explain(self, request: Request, candidates: int) -> list[Explanation]:
        """The best records of the scope, hits or not, and why each is or is not among the hits."""
        check_whole(candidates, "candidates")
        explained = self._candidates(request, partial(explain, candidates=candidates))
        records = self._records(one.key for one in explained)
        ranks = {one.key: place for place, one in enumerate((one for one in explained if not one.left_out), 1)}
        told = [
            Explanation(records[one.key], one.score, one.signals, ranks.get(one.key), one.left_out)
            for one in explained
            if one.key in records
        ]
        return sorted([*told, *self._withheld(request, candidates)], key=lambda one: -one.score)

    def _withheld(self, request: Request, candidates: int) -> list[Explanation]:
        """The best records whose origin the scope leaves out, with the score that they would have, and none of their words."""
        scope = request.selection.scope
        if scope.origins is None:
            return []
        everybody = replace(request, selection=replace(request.selection, scope=replace(scope, origins=None)))
        rest = replace(request.selection, scope=replace(scope, origins=scope.origins.rest))
        with self._database.read() as connection:
            if not reading.select(connection, rest, limit=1):
                return []
        explained = self._candidates(replace(everybody, threshold=None), partial(explain, candidates=candidates))
        records = self._records(one.key for one in explained)
        return [
            Explanation(_without_words(records[one.key]), one.score, _without_details(one.signals), None, "trust")
            for one in explained
            if one.key in records and not scope.origins.admit(records[one.key].origin)
        ]

    # --- turns for questions about facts -----------------------------------------------------------------------------

    def speakers(self, scope: Scope) -> list[str]:
        """Who speaks in a scope, sorted."""
        index = self._index(scope)
        with index.lock:
            return sorted(index.speakers)

    def about(self, scope: Scope, texts: Sequence[str], at: datetime) -> list[tuple[Record, Sequence[Record]]]:
        """The turns said by ``at`` that the texts are about, each with the turns just before it, oldest first."""
        index = self._index(scope)
        selection = Selection(scope, to_micros(at), until=to_micros(at) + 1)
        if len(index) <= _ALL_TURNS:
            with self._database.read() as connection:
                return _with_turns_before([one.record for one in reading.select(connection, selection)])
        requests = [Request(text, selection, at, limit=_TURNS) for text in texts]
        return self._turns(index, sorted({one.key for request in requests for one in self._candidates(request)}))

    def best(self, scope: Scope, text: str, at: datetime, limit: int) -> list[tuple[Record, Sequence[Record]]]:
        """The best turns of a search among those said by ``at``, each with the turns just before it, best first."""
        selection = Selection(scope, to_micros(at), until=to_micros(at) + 1)
        candidates = self._candidates(Request(text, selection, at, limit=limit))
        return self._turns(self._index(scope), [one.key for one in candidates])

    def _turns(self, index: ScopeIndex, keys: Sequence[int]) -> list[tuple[Record, Sequence[Record]]]:
        """Records, each with the turns just before it."""
        before = {key: index.neighbours(key, _BEFORE)[0] for key in keys}
        records = self._records({*keys, *(other for others in before.values() for other in others)})
        return [
            (records[key], [records[other] for other in before[key] if other in records])
            for key in keys
            if key in records
        ]

    def _of_few(self, request: Request) -> list[Hit] | None:
        """The hits of a search by a vector alone in a scope of few passages; None if the request is not of this kind.

        Where there is an index in memory, it is asked: whether the passages are few need not be looked up again.
        """
        if request.mode != "dense" or request.vector is None or request.expand or self._reranker:
            return None
        if self._residents.holds(request.selection.scope):
            return None
        mine = self._embedder().fingerprint
        found = self._small.with_vectors(replace(request.selection, exclude=request.exclude), mine.digest)
        if found is None:
            return None
        firsts = {parts[0]["key"]: parts[0] for parts in found}
        best = nearest(
            list(firsts),
            [row["at"] for row in firsts.values()],
            [len(parts) for parts in found],
            matrix([row["vector"] for parts in found for row in parts], mine.dimensions),
            _vector(wording_of(request.text, ()), request, self._embedder()),
            limit=request.limit,
            threshold=request.threshold,
        )
        records = {stored.key: stored.record for stored in reading.restored([firsts[one.key] for one in best])}
        return [Hit(records[one.key], one.score, one.signals) for one in best if one.key in records]

    # --- steps -------------------------------------------------------------------------------------------------------

    def _index(self, scope: Scope) -> ScopeIndex:
        fingerprint = self._embedder().fingerprint
        with self._database.read() as connection:
            return self._residents.get(connection, scope, fingerprint)

    def _prepare(self, request: Request) -> _Prepared:
        """Where to search and what for, once more if ``reindex`` changed the embedder in between."""
        while True:
            embedder = self._embedder()
            try:
                return self._prepared(request, embedder)
            except EmbedderMismatch:
                if embedder is self._embedder():
                    raise

    def _prepared(self, request: Request, embedder: Embedder) -> _Prepared:
        scope, mine = request.selection.scope, embedder.fingerprint
        index = self._residents.current(self._database, scope)
        if index is None:
            with self._database.read() as connection:
                index = self._residents.fitting(connection, scope, mine)
                if index is None:
                    return self._pushed_down(connection, request, embedder)
        with index.lock:
            speakers = list(index.speakers)
        if request.mode == "dense":
            query = wording_of(request.text, speakers)
        else:
            query = parse(request.text, speakers, request.asked_at)
        if request.mode != "lexical":
            query = query.with_vector(_vector(query, request, embedder))
        return _Prepared(index, query)

    def _asked(self, prepared: _Prepared, request: Request, ask: _Ask) -> list[Candidate]:
        """What the index says, of the records that the filter lets through and nobody excludes.

        They are asked of the database under the index's lock, and who brings the index up to date takes that lock while it reads:
        so the connection is there before the lock is taken.
        """
        index, query, wanted = prepared.index, prepared.query, request.criteria
        if prepared.filtered or (request.selection.filter is None and not request.exclude):
            return ask(index, query, wanted, None)
        with self._database.read() as connection:
            return ask(index, query, wanted, _Passing(connection, index, request))

    def _pushed_down(self, connection: Connection, request: Request, embedder: Embedder) -> _Prepared:
        """An index made of what the database finds nearest."""
        fingerprint.check(connection, embedder.fingerprint)
        vector = _vector(wording_of(request.text, ()), request, embedder)
        keys = pushdown.nearest(connection, request.selection, vector)
        index = ScopeIndex(len(vector))
        for chunk in reading.chunks(keys):
            load(connection, index, having_keys(records, chunk))
        excluded = reading.by_ids(connection, request.selection.scope, request.exclude, request.selection.now)
        index.remove([stored.key for stored in excluded])
        query = parse(request.text, list(index.speakers), request.asked_at).with_vector(vector)
        return _Prepared(index, query, filtered=True)

    def _candidates(self, request: Request, ask: _Ask = rank) -> list[Candidate]:
        return self._asked(self._prepare(request), request, ask)

    def _records(self, keys: Iterable[int]) -> dict[int, Record]:
        return reading.by_keys(self._database, list(keys))

    def _newest(self, request: Request) -> list[Hit]:
        with self._database.read() as connection:
            selection = replace(request.selection, exclude=request.exclude)
            found = reading.select(connection, selection, limit=request.limit, newest_first=True)
        return [Hit(stored.record, 0.0) for stored in found]

    def _expanded(self, index: ScopeIndex, keys: Sequence[int], hits: Sequence[Hit], request: Request) -> list[Hit]:
        """Each record stands once: as a hit, or beside the best hit that it is near to."""
        seen = set(keys)
        beside: list[tuple[list[int], list[int]]] = []
        for key in keys:
            before, after = (
                [other for other in side if other not in seen] for side in index.neighbours(key, request.expand)
            )
            seen.update(before, after)
            beside.append((before, after))
        found = self._records(key for before, after in beside for key in (*before, *after))
        shown = {key: record for key, record in found.items() if _may_stand_beside(record, request)}
        left = math.inf if request.expand_tokens is None else request.expand_tokens
        expanded = []
        for hit, (before, after) in zip(hits, beside, strict=True):
            earlier, left = _affordable([shown[key] for key in reversed(before) if key in shown], left)
            later, left = _affordable([shown[key] for key in after if key in shown], left)
            expanded.append(replace(hit, before=tuple(reversed(earlier)), after=tuple(later)))
        return expanded

    def _reranked(self, text: str, hits: list[Hit]) -> list[Hit]:
        if self._reranker is None or not hits:
            return hits
        scores = [float(score) for score in self._reranker.score(text, hits)]
        if len(scores) != len(hits) or not all(map(math.isfinite, scores)):
            raise InvalidInput(
                f"the reranker gave {scores[:5]}... for {len(hits)} hits", hint="one finite score for each"
            )
        order = sorted(range(len(hits)), key=lambda place: (-round(scores[place], 6), place))
        return [replace(hits[place], score=scores[place]) for place in order]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not math.isnan(value)


def _without_words(record: Record) -> Record:
    return replace(record, text="", name=None, value=None, metadata={}, index=None)


def _without_details(signals: Iterable[Signal]) -> tuple[Signal, ...]:
    return tuple(replace(signal, detail="") for signal in signals)


def _vector(query: Query, request: Request, embedder: Embedder) -> NDArray[np.float32]:
    vector = question_vector(query.wording, embedder) if request.vector is None else request.vector
    rows = vector[np.newaxis] if isinstance(vector, np.ndarray) else [vector]
    row: NDArray[np.float32] = checked(rows, 1, embedder.fingerprint.dimensions)[0]
    return row


def _with_turns_before(records: Sequence[Record]) -> list[tuple[Record, Sequence[Record]]]:
    sessions: dict[tuple[str, ...], list[Record]] = {}
    result: list[tuple[Record, Sequence[Record]]] = []
    for record in records:
        session = sessions.setdefault(record.namespace, [])
        result.append((record, session[-_BEFORE:]))
        session.append(record)
    return result


def _affordable(nearest_first: Sequence[Record], tokens: float) -> tuple[list[Record], float]:
    """The neighbours up to the first that is too long for what is left, and what is left after them."""
    kept = []
    for record in nearest_first:
        cost = estimate_tokens(record.text)
        if cost > tokens:
            break
        kept.append(record)
        tokens -= cost
    return kept, tokens


class _Passing:
    """Which records a request's filter lets through and nobody excludes, by their keys."""

    def __init__(self, connection: Connection, index: ScopeIndex, request: Request) -> None:
        self._connection, self._index, self._selection = connection, index, request.selection
        excluded = reading.by_ids(connection, request.selection.scope, request.exclude, request.selection.now)
        self._excluded = [stored.key for stored in excluded]

    def __call__(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        let_through = np.isin(keys, self._excluded, invert=True)
        if self._selection.filter is not None:
            few = len(keys) * _FEW <= len(self._index)
            passing = reading.keys(self._connection, self._selection, keys.tolist() if few else None)
            let_through &= np.isin(keys, passing)
        return let_through


def _may_stand_beside(record: Record, request: Request) -> bool:
    """Whether a neighbour of a hit may be shown: not what has expired, was said too late, or is excluded."""
    lasts = record.expires_at is None or to_micros(record.expires_at) > request.selection.now
    in_time = request.selection.until is None or record.at is None or to_micros(record.at) < request.selection.until
    return lasts and in_time and record.id not in request.exclude
