"""Ranking: from a question and the resident index to scored records, each part of each score told.

All signals are computed for every row at once, fused, and only then reduced to records: a record's score is that of its best passage.
Filters and expiry are applied before the best are chosen, so that the answer is exact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from genome_core.errors import InvalidInput
from genome_core.search.index import ScopeIndex
from genome_core.search.text import query_terms
from genome_core.types import Signal, TimeSpan

Mode: TypeAlias = Literal["hybrid", "dense", "lexical"]
Floats: TypeAlias = NDArray[np.float64]

ROLES = frozenset({"user", "assistant", "system", "tool", "agent", "human", "ai"})
"""Speakers that are no one's name: a question that holds such a word does not name a participant."""

K1, B = 1.2, 0.3
SELF_CONTAINED = 25
"""Terms from which on a row stands for itself; its neighbours' words count the less, the longer it is."""
DECIMALS = 6
"""Scores are equal if they agree to this many decimals; equal scores are ordered by time, the latest first, then by key."""
_MARGIN = 1e-5
_LEAST_SPREAD = 0.02
_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class SearchWeights:
    """How much each signal counts, as a multiple of its natural weight; 0 switches a signal off."""

    dense: float = 1.0
    lexical: float = 1.0
    speaker: float = 1.0
    time: float = 1.0


@dataclass(frozen=True, slots=True)
class Query:
    """A question, taken apart. ``question`` makes one; then ``with_vector`` adds the vector of ``wording``."""

    text: str
    wording: str
    """What to embed: the question without the participants' names."""
    terms: tuple[str, ...]
    speakers: tuple[str, ...] = ()
    """The participants whom the question names."""
    times: tuple[TimeSpan, ...] = ()
    """The times that the question speaks of."""
    vector: NDArray[np.float32] | None = None

    def with_vector(self, vector: NDArray[np.float32]) -> Query:
        return replace(self, vector=vector)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record found."""

    key: int
    score: float
    signals: tuple[Signal, ...]


def question(text: str, index: ScopeIndex, times: Sequence[TimeSpan] = ()) -> Query:
    """Take a question apart: its terms, the participants it names, and its wording without them."""
    with index.lock:
        names = [name for name in index.speakers if name.casefold() not in ROLES]
    found, wording = [], text
    for name in sorted(names):
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, _forms(name)))})(?:['’]s)?(?!\w)"
        without, count = re.subn(pattern, " ", wording, flags=re.IGNORECASE)
        if count:
            found.append(name)
            wording = without
    wording = " ".join(wording.split())
    if not re.search(r"\w", wording):
        wording = text
    return Query(text, wording, tuple(query_terms(wording)), tuple(found), tuple(times))


def _forms(name: str) -> list[str]:
    """A name as a whole and its first word, longest first."""
    return list(dict.fromkeys([name, name.split()[0]])) if name.split() else [name]


def rank(
    index: ScopeIndex,
    query: Query,
    *,
    now: int,
    limit: int,
    mode: Mode = "hybrid",
    weights: SearchWeights = SearchWeights(),
    allowed: NDArray[np.int64] | None = None,
    threshold: float | None = None,
) -> list[Candidate]:
    """The best records, best first.

    ``now`` is in microseconds since the epoch: what has expired by then is not there. ``allowed`` lists the keys that a
    filter let through. ``threshold`` is the least score: cosine in [-1, 1] for dense, ... for hybrid, BM25 for lexical.
    """
    if limit < 0:
        raise InvalidInput(f"limit is {limit}", hint="give 0 or more")
    if mode != "lexical" and query.vector is None:
        raise InvalidInput(f"mode {mode!r} needs the vector of the question", hint="use Query.with_vector")
    with index.lock:
        if limit == 0 or not len(index):
            return []
        return _Ranking(index, query, now, mode, weights, allowed).best(limit, threshold)


class _Ranking:
    """One question's work over all rows of an index. Lives as long as the call, under the index's lock."""

    def __init__(
        self,
        index: ScopeIndex,
        query: Query,
        now: int,
        mode: Mode,
        weights: SearchWeights,
        allowed: NDArray[np.int64] | None,
    ) -> None:
        self.index, self.query, self.mode = index, query, mode
        self.present = index.alive.data & (index.expires.data > now)
        self.shown = self.present if allowed is None else self.present & np.isin(index.key.data, allowed)
        self.present_rows = self.present[index.owner.data]
        self.parts: dict[str, Floats] = {}
        self.values: dict[str, Floats] = {}
        if mode != "lexical":
            self._dense(weights.dense)
        if mode != "dense":
            self._lexical(weights.lexical)
        if mode == "hybrid":
            self._speaker(weights.speaker)
            self._time(weights.time)
        self.fused = np.sum(list(self.parts.values()), axis=0) if self.parts else np.zeros(len(index.owner))
        self.found = self._found()

    def _found(self) -> NDArray[np.bool_]:
        """Rows that may answer at all."""
        shown: NDArray[np.bool_] = self.shown[self.index.owner.data]
        by_meaning: NDArray[np.bool_] = self.index.has_vector.data
        if self.mode == "dense":
            return shown & by_meaning
        by_words = self.values["lexical"] > 0
        return shown & (by_words if self.mode == "lexical" else by_words | by_meaning)

    def _dense(self, weight: float) -> None:
        vectors = self.index.vectors.data
        assert self.query.vector is not None  # noqa: S101 -- checked by rank()
        cosine = (vectors @ self.query.vector).astype(np.float64)
        self.values["dense"] = cosine
        if self.mode == "dense":
            self.parts["dense"] = cosine
            return
        known = cosine[self.present_rows & self.index.has_vector.data]
        if not len(known) or not weight:
            return
        z = (cosine - known.mean()) / max(float(known.std()), _LEAST_SPREAD)
        self.parts["dense"] = np.where(self.index.has_vector.data, 0.12 * weight * z, 0.0)

    def _lexical(self, weight: float) -> None:
        bm25 = self._bm25()
        self.values["lexical"] = bm25
        top = bm25.max(initial=0.0)
        if self.mode == "lexical":
            self.parts["lexical"] = bm25
        elif top > 0 and weight:
            self.parts["lexical"] = 0.5 * weight * bm25 / top

    def _bm25(self) -> Floats:
        index = self.index
        rows = len(index.owner)
        length = index.length.data.astype(np.float64)
        need = np.minimum(1.0, SELF_CONTAINED / np.maximum(length, 1.0))
        need = need * (index.voices.data[index.session.data] > 1)[index.owner.data]
        windows = index.windows.data
        around = windows >= 0
        size = length + need * np.where(around, (length * need)[windows], 0.0).sum(axis=1)
        total = max(int(self.present_rows.sum()), 1)
        average = max(float(size[self.present_rows].mean()), 1e-9) if total else 1.0
        norm = K1 * (1 - B + B * size / average)
        score = np.zeros(rows)
        for term in self.query.terms:
            posting = index.postings.of(term)
            if posting is None:
                continue
            holding, count = posting
            here = self.present_rows[holding]
            holding, count = holding[here], count[here].astype(np.float64)
            targets = windows[holding]
            valid = targets >= 0
            given = np.broadcast_to((count * need[holding])[:, None], targets.shape)
            tf = need * np.bincount(targets[valid], given[valid], minlength=rows)
            tf[holding] += count
            documents = int(np.count_nonzero(tf[self.present_rows]))
            idf = np.log1p((total - documents + 0.5) / (documents + 0.5))
            score += idf * (K1 + 1) * tf / (tf + norm)
        return score

    def _speaker(self, weight: float) -> None:
        if len(self.query.speakers) != 1 or not weight:
            return
        number = self.index.speakers.get(self.query.speakers[0], -1)
        cue = (self.index.speaker.data == number)[self.index.owner.data].astype(np.float64)
        self.values["speaker"] = cue
        self.parts["speaker"] = 0.4 * weight * cue

    def _time(self, weight: float) -> None:
        if not self.query.times or not weight:
            return
        cue = np.zeros(len(self.index.at))
        for span in self.query.times:
            start, end = (int(t.timestamp() * 1e6) for t in (span.start, span.end))
            late = np.maximum(self.index.at.data - end, 0) / (30 * _DAY)
            cue = np.maximum(cue, np.where(self.index.at.data >= start, np.exp(-late), 0.0))
        self.values["time"] = cue[self.index.owner.data]
        self.parts["time"] = 0.4 * weight * self.values["time"]

    def best(self, limit: int, threshold: float | None) -> list[Candidate]:
        """The ``limit`` best records, ties by time (the latest first), then by key."""
        index = self.index
        rows = np.flatnonzero(self.found)
        if not len(rows):
            return []
        scores = self.fused[rows]
        records = index.owner.data[rows]
        starts = np.flatnonzero(np.diff(records, prepend=-1))
        record_scores = np.maximum.reduceat(scores, starts)
        if limit < len(record_scores):
            border = np.partition(record_scores, -limit)[-limit] - _MARGIN
            kept = np.flatnonzero(record_scores >= border)
        else:
            kept = np.arange(len(record_scores))
        rounded = np.round(record_scores[kept], DECIMALS)
        owners = records[starts[kept]]
        order = np.lexsort((index.key.data[owners], -index.at.data[owners], -rounded))[:limit]
        ends = np.append(starts[1:], len(rows))
        result = []
        for i in order:
            if threshold is not None and rounded[i] < threshold:
                break
            start, end = starts[kept[i]], ends[kept[i]]
            row = int(rows[start + int(np.argmax(scores[start:end]))])
            result.append(Candidate(int(index.key.data[owners[i]]), float(rounded[i]), self._signals(row)))
        return result

    def _signals(self, row: int) -> tuple[Signal, ...]:
        return tuple(
            Signal(name, float(value[row]), float(self.parts[name][row]) if name in self.parts else 0.0)
            for name, value in self.values.items()
        )
