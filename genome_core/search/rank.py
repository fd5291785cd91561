"""Ranking: from a question and a resident index to scored records, the part of each signal told.

*Dense*: how many standard deviations a record's best passage stands out of the scope's cosines, so that any encoder fits the same
weights. *Lexical*: BM25 of the best passage in its conversation, relative to the best in the scope. A record with many passages has many
chances to look good, so that its beginning counts beside its best passage in both. *Speaker* and *time* prefer what was said by whom and
when the question asks about. docs/recall.md tells the reasons and the measurements.

Filters and expiry are applied before the best are chosen, so that the answer is exact; scores do not depend on filter or limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from genome_core.errors import InvalidInput
from genome_core.search.bm25 import LexicalScores, bm25, matched_terms
from genome_core.search.index import ScopeIndex
from genome_core.search.question import Query
from genome_core.types import Signal, TimeSpan

Mode: TypeAlias = Literal["hybrid", "dense", "lexical"]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Allowed: TypeAlias = Callable[[NDArray[np.int64]], Mask]
"""Which of some records, named by their keys, a filter lets through."""

DENSE_WEIGHT = 0.12
"""For one standard deviation; what answers a question stands out by about four."""
LEXICAL_WEIGHT = 0.5
NAMED_WEIGHT = 0.4
VOICE_WEIGHT = 0.3
"""Less than for a name: what "I" want to know may also have been said to me."""
TIME_WEIGHT = 0.4
LEAD, LEAD_PASSAGES = 0.5, 5
"""How much the beginning of a record, which says what it is about, counts beside its best passage: without it long records would
win by their many chances. In a document of more passages than these it tells less and counts less, in proportion."""
LEAST_LEXICAL = 0.5
"""Where even the best record holds less than this share of the question's words, words tell little and weigh less."""
PRIOR_TEXTS, PRIOR_SPREAD = 10, 0.15
"""A small scope does not tell what unrelated texts look like: so many of cosine 0 and this spread are assumed."""
LATER_DAYS = 30.0
"""What was said so long after the time in question is preferred by 1/e of what was said in it."""
DECIMALS = 6
"""Scores that agree to so many decimals are equal; equal ones are ordered by time, the latest first, then by key."""
_STEPS = float(10**DECIMALS)
_MARGIN = 1e-5
_LEAST = float(np.finfo(np.float64).min)
_GROUP = 64
_TRIED = 100
"""Whether they pass is first asked of the best records: of at least so many, ..."""
_TRIED_EACH = 8
"""... and of so many for each that is wanted."""
_WHOLE = 4
"""Once more than one record in so many would be asked of, all are: that costs a database no more."""
_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class SearchWeights:
    """How much each signal of a hybrid search counts, as a multiple of its usual weight; 0 switches it off."""

    dense: float = 1.0
    lexical: float = 1.0
    speaker: float = 1.0
    time: float = 1.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not 0 <= getattr(self, name) < float("inf"):
                raise InvalidInput(f"weight {name} is {getattr(self, name)}", hint="give a finite number of at least 0")


@dataclass(frozen=True, slots=True)
class Criteria:
    """What is wanted of an index, and how it is scored. Times are in microseconds since the epoch."""

    now: int
    """What has expired by then is not there."""
    limit: int
    mode: Mode = "hybrid"
    weights: SearchWeights = SearchWeights()
    since: int | None = None
    """Said at or after."""
    until: int | None = None
    """Said before."""
    threshold: float | None = None
    """The least score, on the scale of the mode."""


class Candidate(NamedTuple):
    """A record and its score: cosine for dense, the documented 0..1 for hybrid, the share of the question's words for lexical."""

    key: int
    score: float
    signals: tuple[Signal, ...]
    left_out: str = ""
    """Why it is not among the hits: ``filter``, ``expired``, ``no match``, ``threshold`` or ``limit``; empty for a hit."""


def rank(index: ScopeIndex, query: Query, wanted: Criteria, allowed: Allowed | None = None) -> list[Candidate]:
    """The best records, best first.

    ``allowed`` tells which records a filter lets through: it is asked under the index's lock, and of no more records than it
    takes to know the best.
    """
    _check(query, wanted)
    with index.lock:
        if wanted.limit == 0 or not len(index):
            return []
        ranking = _Ranking(index, query, wanted)
        pool = ranking.within(ranking.found)
        return ranking.best(pool if allowed is None else ranking.passing(pool, allowed), wanted.limit, wanted.threshold)


def explain(
    index: ScopeIndex, query: Query, wanted: Criteria, allowed: Allowed | None = None, *, candidates: int = 100
) -> list[Candidate]:
    """The hits, and the ``candidates`` best records of the scope: each with the reason why it was left out."""
    _check(query, wanted)
    with index.lock:
        if not len(index):
            return []
        ranking, threshold = _Ranking(index, query, wanted), wanted.threshold
        passed = ranking.within(index.alive.data)
        if allowed is not None:
            passed = passed & allowed(index.key.data)
        shown = ranking.best(ranking.found & passed, wanted.limit, threshold) if wanted.limit else []
        hits = {c.key for c in shown}
        let_through = set(index.key.data[passed].tolist())
        found = set(index.key.data[ranking.found].tolist())
        expired = set(index.key.data[index.alive.data & ~ranking.present.records].tolist())

        def reason(candidate: Candidate) -> str:
            if candidate.key in hits:
                return ""
            if candidate.key in expired:
                return "expired"
            if candidate.key not in let_through:
                return "filter"
            if candidate.key not in found:
                return "no match"
            return "threshold" if threshold is not None and candidate.score < threshold else "limit"

        others = [c for c in ranking.best(index.alive.data, candidates, None) if c.key not in hits]
        told = sorted([*shown, *others], key=lambda candidate: -candidate.score)
        return [c._replace(left_out=reason(c)) for c in told]


def _check(query: Query, wanted: Criteria) -> None:
    if wanted.mode not in ("hybrid", "dense", "lexical"):
        raise InvalidInput(f"mode is {wanted.mode!r}", hint="use 'hybrid', 'dense' or 'lexical'")
    if wanted.limit < 0:
        raise InvalidInput(f"limit is {wanted.limit}", hint="give 0 or more")
    if wanted.mode != "lexical" and query.vector is None:
        raise InvalidInput(f"mode {wanted.mode!r} needs the question's vector", hint="use Query.with_vector")


@dataclass(slots=True)
class _Part:
    """One signal: its raw value and its part in the score, for every record."""

    value: Floats
    part: Floats


class _Ranking:
    """The work on one question over all records of an index; lives within one call, under the index's lock."""

    def __init__(self, index: ScopeIndex, query: Query, wanted: Criteria) -> None:
        self.index, self.query, self.wanted = index, query, wanted
        self.present = index.present(wanted.now)
        self.parts: dict[str, _Part] = {}
        self.slope = 1.0
        """By how much the fused score grows with the cosine."""
        weights = wanted.weights
        if wanted.mode != "lexical":
            self.row_cosine: Floats = (index.vectors.data @ query.vector).astype(np.float64)
            self.parts["dense"] = self._dense(weights.dense)
        if wanted.mode != "dense":
            self.lexical = bm25(index, query.terms, self.present)
            self.parts["lexical"] = self._lexical(self.lexical, weights.lexical)
        if wanted.mode == "hybrid":
            self._add_cues(weights)
        first, *others = self.parts.values()
        self.fused: Floats = first.part.copy()
        for part in others:
            self.fused += part.part
        self.scale = self._scale(weights) if wanted.mode == "hybrid" else 1.0
        self.found = self._found()

    def _found(self) -> Mask:
        """Records that may answer at all: those with a vector, or holding a word of the question themselves."""
        present, mode = self.present, self.wanted.mode
        if mode == "dense" or (mode == "hybrid" and present.all_comparable):
            return present.comparable
        holding = np.zeros(len(self.index.key), np.bool_)
        for rows in self.lexical.holding.values():
            holding[self.index.owner.data[rows]] = True
        holding &= present.records
        if mode == "hybrid":
            holding |= present.comparable
        return holding

    def within(self, pool: Mask) -> Mask:
        """Those of the pool that were said within the bounds."""
        if self.wanted.since is not None:
            pool = pool & (self.index.at.data >= self.wanted.since)
        if self.wanted.until is not None:
            pool = pool & (self.index.at.data < self.wanted.until)
        return pool

    def _best_passage(self, rows: Floats) -> Floats:
        if self.index.undivided:
            return rows
        best: Floats = np.maximum.reduceat(rows, self.index.first.data)
        return best

    def _with_lead(self, best: Floats, rows: Floats) -> Floats:
        """The best passage of each record, and its first for its share."""
        if self.index.undivided:
            return best
        share = self._lead_share(slice(None))
        blend: Floats = (1 - share) * best + share * rows[self.index.first.data]
        return blend

    def _lead_share(self, records: slice | NDArray[np.int64]) -> Floats:
        share: Floats = LEAD * np.minimum(1.0, LEAD_PASSAGES / self.index.count.data[records])
        return share

    def _dense(self, weight: float) -> _Part:
        cosine = self._best_passage(self.row_cosine)
        if self.wanted.mode == "dense":
            return _Part(cosine, cosine)
        has_vector = self.index.has_vector.data
        fit = self._with_lead(cosine, self.row_cosine)
        comparable = self.present.comparable
        known = fit if comparable.all() else fit[comparable]
        count = len(known) + PRIOR_TEXTS
        mean = known.sum() / count
        spread = np.sqrt((((known - mean) ** 2).sum() + PRIOR_TEXTS * (PRIOR_SPREAD**2 + mean**2)) / count)
        z = (fit - mean) / spread
        self.slope = weight * DENSE_WEIGHT / spread
        return _Part(cosine, np.where(has_vector, weight * DENSE_WEIGHT * z, 0.0))

    def _lexical(self, scores: LexicalScores, weight: float) -> _Part:
        """The raw value is the share of the question's words: 1 where each stands once in a passage of average length."""
        shares = scores.rows / max(scores.mass, 1e-9)
        best = self._best_passage(shares)
        if self.wanted.mode == "lexical":
            return _Part(best, best)
        fair = self._with_lead(best, shares)
        top = max(float(fair.max(initial=0.0, where=self.present.records)), LEAST_LEXICAL)
        return _Part(best, weight * LEXICAL_WEIGHT / top * fair)

    def _add_cues(self, weights: SearchWeights) -> None:
        index, query = self.index, self.query
        speaker, usual = (query.names[0], NAMED_WEIGHT) if len(query.names) == 1 else (query.voice, VOICE_WEIGHT)
        speakers = index.speakers if speaker and weights.speaker else {}
        number = speakers.get(speaker or "")
        if number is not None and len(speakers) > 1:
            cue = (index.speaker.data == number).astype(np.float64)
            self.parts["speaker"] = _Part(cue, weights.speaker * usual * cue)
        if query.times and weights.time:
            cue = np.max([_closeness(index.at.data, span) for span in query.times], axis=0)
            self.parts["time"] = _Part(cue, weights.time * TIME_WEIGHT * cue)

    def _scale(self, weights: SearchWeights) -> float:
        """What turns fused scores into 0..1: the best record gets its relevance, the others their share of it.

        Relevance is ``1 - (1 - cosine) * (1 - share of the question's words)``: it is high if a record fits by meaning or by words.
        """
        there = self.present.records
        best = int(np.where(there, self.fused, -np.inf).argmax())
        if not there[best]:
            return 0.0
        doubt = 1.0
        for name, weight in (("dense", weights.dense), ("lexical", weights.lexical)):
            doubt *= 1 - min(max(float(self.parts[name].value[best]), 0.0), 1.0) * (weight > 0)
        return (1 - doubt) / max(float(self.fused[best]), 1e-9)

    def passing(self, pool: Mask, allowed: Allowed) -> Mask:
        """Records of the pool that are let through: all among which the best can be.

        A score does not depend on what else passes, so the best that pass are the first of the best that do.
        """
        limit = self.wanted.limit
        scores, size = np.where(pool, self.fused, -np.inf), max(_TRIED, _TRIED_EACH * limit)
        records = np.flatnonzero(pool)
        while size * _WHOLE <= len(records):
            tried = _near_the_top(scores, size)
            passed = tried[allowed(self.index.key.data[tried])]
            enough = int(np.count_nonzero(scores[passed] >= np.partition(scores[tried], -size)[-size]))
            if enough >= limit:
                return _mask(passed, len(pool))
            size *= max(3, 2 * limit // max(enough, 1))
        return _mask(records[allowed(self.index.key.data[records])], len(pool))

    def best(self, pool: Mask, limit: int, threshold: float | None) -> list[Candidate]:
        """The ``limit`` best records of the pool, ties by time (the latest first), then by key."""
        index, records = self.index, _near_the_top(np.where(pool, self.fused, -np.inf), limit)
        self._refine(records)
        fused, keys = self.fused[records], index.key.data[records]
        order = np.lexsort((keys, -index.at.data[records], -fused.round(DECIMALS)))[:limit]
        scores = [_rounded(score * self.scale) for score in fused[order].tolist()]
        if self.wanted.mode == "hybrid":
            scores = [min(max(score, 0.0), 1.0) for score in scores]
        found = map(Candidate, keys[order].tolist(), scores, self._signals(records[order]))
        return [one for one in found if threshold is None or one.score >= threshold]

    def _refine(self, records: NDArray[np.int64]) -> None:
        """Recompute the cosines of a few records exactly: those of a large product depend in the last bits on a row's place,
        and equal texts must get equal scores."""
        dense = self.parts.get("dense")
        if dense is None or not len(records):
            return
        assert self.query.vector is not None  # noqa: S101  checked at the door
        question = self.query.vector.astype(np.float64)
        if self.index.undivided:
            best = np.einsum("ij,j->i", self.index.vectors.data.take(records, axis=0), question)
            better = best - dense.value[records]
        else:
            counts = self.index.count.data[records].astype(np.int64)
            starts = np.cumsum(counts) - counts
            rows = np.repeat(self.index.first.data[records] - starts, counts) + np.arange(counts.sum())
            exact = np.einsum("ij,j->i", self.index.vectors.data.take(rows, axis=0), question)
            best = np.maximum.reduceat(exact, starts)
            better = best - dense.value[records]
            if self.wanted.mode == "hybrid":
                share = self._lead_share(records)
                better = (1 - share) * better + share * (exact[starts] - self.row_cosine[rows[starts]])
            self.row_cosine[rows] = exact
        change = np.where(self.index.has_vector.data[records], self.slope * better, 0.0)
        dense.value[records] = best
        self.fused[records] += change
        if dense.part is not dense.value:
            dense.part[records] += change

    def _signals(self, records: NDArray[np.int64]) -> Iterable[tuple[Signal, ...]]:
        details = self._details(records)
        signals = []
        for name, part in self.parts.items():
            values, parts = part.value[records].tolist(), [one * self.scale for one in part.part[records].tolist()]
            signals.append(map(Signal, repeat(name), values, parts, details.get(name, repeat(""))))
        return zip(*signals, strict=True)

    def _details(self, records: NDArray[np.int64]) -> dict[str, Iterable[str]]:
        """For a reader: which passage, which words, who and when."""
        index, query = self.index, self.query
        details: dict[str, Iterable[str]] = {}
        if "speaker" in self.parts:
            details["speaker"] = repeat(", ".join(query.names) or f"{query.voice} is asked about")
        if "time" in self.parts:
            details["time"] = repeat(", ".join(f"{span.start:%Y-%m-%d} to {span.end:%Y-%m-%d}" for span in query.times))
        if "lexical" in self.parts:
            details["lexical"] = matched_terms(index, self.lexical, self._best_rows(records, self.lexical.rows))
        if "dense" in self.parts and not index.undivided:
            counts = index.count.data[records].tolist()
            places = (self._best_rows(records, self.row_cosine) - index.first.data[records]).tolist()
            details["dense"] = [
                f"passage {place + 1} of {count}" if count > 1 else ""
                for place, count in zip(places, counts, strict=True)
            ]
        return details

    def _best_rows(self, records: NDArray[np.int64], rows: Floats) -> NDArray[np.int64]:
        first, count = self.index.first.data[records], self.index.count.data[records]
        if self.index.undivided or (count == 1).all():
            return first.astype(np.int64)
        return np.array([f + np.argmax(rows[f : f + c]) for f, c in zip(first, count, strict=True)], np.int64)


def _near_the_top(scores: Floats, limit: int) -> NDArray[np.int64]:
    """The places of the ``limit`` best scores and of those just behind, in order; -inf is no score."""
    groups = len(scores) // _GROUP
    if limit >= groups:
        return _reaching(scores, _best(scores, limit))
    # The limit-th best of all groups' bests is no better than the limit-th best of all: most places need no sorting.
    places = _reaching(scores, _best(scores[: groups * _GROUP].reshape(_GROUP, groups).max(axis=0), limit))
    left = scores[places]
    return places[_reaching(left, _best(left, limit))]


def _best(scores: Floats, limit: int) -> float:
    """The ``limit``-th best score; -inf where there are not more."""
    return float(np.partition(scores, -limit)[-limit]) if 0 < limit < len(scores) else -np.inf


def _reaching(scores: Floats, score: float) -> NDArray[np.int64]:
    places: NDArray[np.int64] = (scores >= max(score - _MARGIN, _LEAST)).nonzero()[0]
    return places


def _rounded(score: float) -> float:
    """As numpy rounds, which is not quite as Python does."""
    return round(score * _STEPS) / _STEPS


def _mask(records: NDArray[np.int64], count: int) -> Mask:
    mask = np.zeros(count, np.bool_)
    mask[records] = True
    return mask


def _closeness(at: NDArray[np.int64], span: TimeSpan) -> Floats:
    """1 within a span of time, less and less after it, 0 before it: people speak of things when they happen and afterwards."""
    start, end = (int(moment.timestamp() * 1e6) for moment in (span.start, span.end))
    later = np.maximum(at - end, 0) / (LATER_DAYS * _DAY)
    closeness: Floats = np.where(at >= start, np.exp(-later), 0.0)
    return closeness
