"""BM25 of passages within their conversation, computed from the postings when a question comes.

A short turn ("Yes, last Tuesday!") is understood through the turns around it, a long one stands for itself. So the count of a term
in a row is its count in the row itself plus ``need(row) * need(neighbour)`` times its count in each neighbour of the row's window, where
``need`` falls with the length of the record from 1 to 0. Lengths are reckoned in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from genome_core.search.index import ScopeIndex
from genome_core.search.present import K1, Lengths, Present

Floats = NDArray[np.float64]

MOST_TERMS = 64
"""A longer question is asked by so many of its terms, the rarest."""
_RARE = 64
"""A term that bears on less than one in so many rows is counted in those alone."""


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """BM25 of every row for one question."""

    rows: Floats
    mass: float
    """The score of a row of average length that holds every term once; a term found nowhere counts as the rarest."""
    holding: dict[str, NDArray[np.int64]]
    """For each term the rows that hold it themselves, ascending."""


def bm25(index: ScopeIndex, terms: Sequence[str], present: Present) -> LexicalScores:
    """Score all rows; those not ``present`` count for nothing, also not as somebody's neighbour."""
    there, total, need, norm = lengths = present.lengths(index)
    scores, mass = np.zeros(len(norm)), 0.0
    holding: dict[str, NDArray[np.int64]] = {}
    for term, rows, counts in _rarest(index, terms, lengths):
        if not len(rows):
            mass += _idf(total, 0)
            continue
        places, frequency = _frequency(index, rows, counts, need)
        bearing = frequency if total == len(there) else (frequency > 0) & there[places]
        idf = _idf(total, int(np.count_nonzero(bearing)))
        mass += idf
        holding[term] = rows
        scores[places] += (idf * (K1 + 1)) * frequency / (frequency + norm[places])
    return LexicalScores(scores, mass, holding)


def _idf(total: int, documents: int) -> float:
    return math.log1p((total - documents + 0.5) / (documents + 0.5))


def _rarest(
    index: ScopeIndex, terms: Sequence[str], lengths: Lengths
) -> list[tuple[str, NDArray[np.int64], NDArray[np.int64]]]:
    """The terms with their rows and counts among what is present, at most ``MOST_TERMS``."""
    found = []
    for term in terms:
        rows, counts = index.postings.of(term)
        if lengths.total < len(lengths.present):
            here = lengths.present[rows]
            rows, counts = rows[here], counts[here]
        found.append((term, rows, counts))
    return sorted(found, key=lambda entry: len(entry[1]))[:MOST_TERMS] if len(found) > MOST_TERMS else found


def _frequency(
    index: ScopeIndex, rows: NDArray[np.int64], counts: NDArray[np.int64], need: NDArray[np.float32] | None
) -> tuple[slice | NDArray[np.int64], Floats]:
    """Places, and how often a term stands in each of them and, discounted, in the rows around it; nowhere else does it count.

    Being in each other's window is mutual, so that the rows which a row gives to are those of its own window.
    """
    if need is None:
        return rows, counts.astype(np.float64)
    gift = counts * need[rows]
    lending = gift > 0
    if not lending.any():
        return rows, counts.astype(np.float64)
    lenders = rows if lending.all() else rows[lending]
    around = index.windows.data.take(lenders, axis=0)
    given = np.repeat(gift[lending], around.shape[1])
    around = around.ravel() + 1  # so that -1, nobody, is the first place, which is thrown away
    if len(around) * _RARE > len(need):
        places: slice | NDArray[np.int64] = slice(None)
        mine = rows
        from_around = np.bincount(around, given, minlength=len(need) + 1)[1:]
    else:
        touched, found = np.unique(np.concatenate(([0], rows + 1, around)), return_inverse=True)
        places, mine = touched[1:] - 1, found[1 : len(rows) + 1] - 1
        from_around = np.bincount(found[len(rows) + 1 :], given, minlength=len(touched))[1:]
    frequency: Floats = np.multiply(from_around, need[places], dtype=np.float64)
    frequency[mine] += counts
    return places, frequency


def matched_terms(index: ScopeIndex, scores: LexicalScores, rows: NDArray[np.int64]) -> list[str]:
    """For a reader: for each of a few rows the terms it holds, and in brackets those that only its neighbours hold."""
    if not scores.holding:
        return [""] * len(rows)
    dialogue = index.voices.data[index.session.data[index.owner.data[rows]]] > 1
    looked_at = rows[:, np.newaxis]
    if dialogue.any():
        looked_at = np.column_stack((rows, np.where(dialogue[:, np.newaxis], index.windows.data[rows], -1)))
    # of each row and term, whether each of the rows looked at holds it
    held = np.array(
        [one.take(one.searchsorted(looked_at), mode="clip") == looked_at for one in scores.holding.values()]
    )
    itself = held[:, :, 0]
    around = ~itself & held.any(axis=2)
    terms, near = list(scores.holding), [f"({term})" for term in scores.holding]
    own = [list(compress(terms, chosen)) for chosen in itself.T.tolist()]
    return [", ".join(mine + list(compress(near, chosen))) for mine, chosen in zip(own, around.T.tolist(), strict=True)]
