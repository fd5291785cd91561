"""The chance that a sentence speaks of an attribute: what speaks for it, weighed.

Each sign is weak. Together, with weights set by hand near those fitted on conversations of several authors, they give a chance that can be compared: the
most likely sentence is the evidence, not the first one over a threshold.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.candidates import THING_ATTRIBUTES, kind_fit
from genome_core.facts.likeness import Prototypes
from genome_core.facts.masking import masked
from genome_core.facts.questions import DATE_VALUED
from genome_core.facts.reading import could_hold
from genome_core.facts.relevance import Stated, Told, occurrences
from genome_core.facts.time import TimeRole

BIAS = -1.0
WEIGHTS: Mapping[str, float] = {
    "likeness": 0.75,
    "question": 5.0,
    "idle": -4.5,
    "cue": 0.5,
    "name": 0.75,
    "kind": 0.75,
    "stated": 0.75,
    "dated": 1.0,
    "known": 0.75,
    "read": 0.75,
    "read otherwise": -0.75,
    "change": 0.5,
    "holds": 0.5,
}
"""What speaks for it, in log odds: the logarithm of the likelihood by examples, the cosine to the question and to the nearest small
talk, a cue word, a name of no known kind where a name can be the value, a noun of the right kind, a grammar that is sure of the
subject, a time, a name that is known as a value, a fact of this attribute that a rule read in it (or of another one), a word of change,
a phrase that could be the value. Set by hand near what logistic regression fitted on conversations of several authors, each left out once."""
LEAST_LIKELIHOOD = 0.02


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence that asserts something and speaks of the subject."""

    told: Told
    part: Stated
    """What it states of the subject; all of it, where the grammar does not tell."""
    sure: bool
    """Whether the grammar tells; else the subject is only named, speaks, or was spoken of just before."""
    read: frozenset[str] = frozenset()
    """The attributes of the subject of which rules read a fact in it."""


def chances(
    attribute: str,
    subject: str,
    asked: str,
    spoken: Sequence[Spoken],
    table: AttributeTable,
    prototypes: Prototypes,
    known: Collection[str],
) -> list[tuple[float, bool]]:
    """For each sentence the chance (0..1) that it speaks of the attribute, and whether a value could stand in it.

    ``asked`` is the question as it is worded for comparison; ``known`` are values of the attribute that facts tell.
    """
    signs = _signs(attribute, subject, asked, spoken, table, prototypes, known)
    odds = BIAS + sum(weight * signs[name] for name, weight in WEIGHTS.items())
    holds = signs["holds"].astype(bool).tolist()
    return [(round(float(c), 3), held) for c, held in zip(1 / (1 + np.exp(-odds)), holds, strict=True)]


def _signs(
    attribute: str,
    subject: str,
    asked: str,
    spoken: Sequence[Spoken],
    table: AttributeTable,
    prototypes: Prototypes,
    known: Collection[str],
) -> dict[str, NDArray[np.float64]]:
    """Each sign by its name, for all sentences."""
    thing = attribute in THING_ATTRIBUTES
    parts = [masked(s.told, s.part.spans, subject, thing=thing) for s in spoken]
    wholes = [masked(s.told, ((0, len(s.told.sentence.text)),), subject, thing=thing) for s in spoken]
    pieces = [_pieces(text) for text in wholes]
    question, *rows = prototypes.embed([asked, *wholes])
    fits = [kind_fit(attribute, text, table) for text in wholes]
    names = [name for name in known if name[:1].isupper()]
    texts = [s.told.sentence.text for s in spoken]
    return {
        "likeness": np.log(_likelihood(attribute, parts, wholes, pieces, prototypes) + LEAST_LIKELIHOOD),
        "question": np.stack(rows) @ question,
        "idle": np.array(prototypes.idle(wholes)),
        "cue": _flags(attribute in table.cued(text) for text in wholes),
        "name": _flags(fit == "name" for fit in fits),
        "kind": _flags(fit == "kind" for fit in fits),
        "stated": _flags(s.sure for s in spoken),
        "dated": _flags(bool(s.part.times) for s in spoken),
        "known": _flags(any(occurrences(text, name) for name in names) for text in texts),
        "read": _flags(attribute in s.read for s in spoken),
        "read otherwise": _flags(bool(s.read) and attribute not in s.read for s in spoken),
        "change": _flags(bool(CHANGES.search(text) or ANEW.search(text)) for text in texts),
        "holds": _flags(
            could_hold(text, attribute, subject, table, clock(s.told, attribute))
            for s, text in zip(spoken, texts, strict=True)
        ),
    }


def _flags(values: Iterable[bool]) -> NDArray[np.float64]:
    return np.array([float(value) for value in values])


def _likelihood(
    attribute: str, parts: Sequence[str], wholes: Sequence[str], pieces: Sequence[Sequence[str]], prototypes: Prototypes
) -> NDArray[np.float64]:
    """The likelihood by examples, of what is stated, of the whole sentence and of its best piece: a long sentence is about several things."""
    flat = prototypes.likelihoods([piece for own in pieces for piece in own], attribute)
    starts = np.cumsum([0, *(len(own) for own in pieces)])[:-1]
    best = np.maximum.reduceat(np.array(flat), starts)
    stated, whole = (np.array(prototypes.likelihoods(texts, attribute)) for texts in (parts, wholes))
    mean: NDArray[np.float64] = (stated + whole + best) / 3
    return mean


_BOUNDARY = re.compile(r"[,;:—–]|\b(?:and|so|but|because)\b")


def _pieces(text: str) -> list[str]:
    """What stands between marks and conjunctions, if it has three words or more; the whole text, if nothing has."""
    found = [piece.strip() for piece in _BOUNDARY.split(text)]
    return [piece for piece in found if len(piece.split()) >= 3] or [text]


def clock(told: Told, attribute: str) -> list[tuple[int, int]]:
    """Where a sentence tells times, unless a time is what is asked for."""
    offset = told.sentence.span[0]
    spans = [(m.span[0] - offset, m.span[1] - offset) for m in told.sentence.times if m.role is not TimeRole.DURATION]
    return [] if attribute in DATE_VALUED else spans


ANEW = re.compile(r"\b(?:new(?! year)|changed?|instead|no longer|now)\b", re.I)
"""Words that announce another value of what the question names."""
CHANGES = re.compile(
    r"\b(?:mov|switch|chang|shift|jump|transfer|swap|trad|upgrad|convert|defect|hopp?|cross|graduat|promot|relocat)\w*\b[^.;!?]{0,25}\b(?:to|for|into|onto|over)\b"
    r"|\b(?:moved|switched|changed|swapped)(?: (?:my|his|her|their|our|the) \w+)? again\b|\bnew (?:job|number|place|address|car|phone|gig|role|employer|owner)\b",
    re.I,
)
"""Words that say that something gave way to something else."""
