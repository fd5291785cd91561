"""Sentences that may hold an answer, whatever their words: the evidence where no value is sure.

Facts and typed sentences need to be understood. Here a sentence only needs to speak of the one asked about and to be likely of the
kind asked for. The likely ones stand on the axis of time, and the last one that began by the time asked about is the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.candidates import kind_fit, masked, when
from genome_core.facts.likeness import Prototypes
from genome_core.facts.modes import FUNCTION_WORDS, words_of
from genome_core.facts.questions import Mode, Question, Relation
from genome_core.facts.relevance import Stated, Told, occurrences, same_subject
from genome_core.facts.sentences import Modality, said_at
from genome_core.facts.time import find_times
from genome_core.types import TimeSpan

LIKELY = 0.7
"""The score from which a sentence may be evidence: the likelihood of its type (0..1), plus ``KIND`` for a noun of the right kind
and ``STATED`` where the grammar says that it states something of the subject."""
HINTING = 0.7
"""The score from which it weighs as much as what was read in another sentence: none that is likely at all weighs less ..."""
TELLING = 1.75
"""... and from which a later one puts a fact in doubt."""
KIND = 1.25
NAME = 0.4
STATED = 0.5
SLIGHT = 0.1
"""The likelihood of its type from which a name in a sentence counts."""
NEAR = 0.75
"""How far below the best one another may lie and still be taken for being later."""
ALIKE = 0.45
"""For a question about no known attribute: the cosine to the question from which a sentence may be evidence ..."""
SHARED = 0.5
"""... or the share of the question's telling words that its turn holds, with a cosine of at least ``HALF_ALIKE``."""
HALF_ALIKE = 0.25
_OF_TIME = frozenset([Mode.WHEN, Mode.HOW_LONG])
_UNASSERTED = frozenset([Modality.QUESTION, Modality.HYPOTHETICAL, Modality.PLAN, Modality.EVENT])
_ASKING = FUNCTION_WORDS | frozenset(
    "what which who whom whose where when how long many much she he they i you me live call name use year month get have do since first last".split()
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence that may be evidence."""

    told: Told
    score: float
    when: TimeSpan | None
    """When what it says began or ended; None if it does not tell."""
    ended: bool
    """Whether it tells of something that was over by then, and so held before."""

    @property
    def begins(self) -> datetime:
        return self.when.start if self.when else said_at(self.told.turn)


def passages(
    question: Question,
    heard: Sequence[tuple[Told, Stated | None]],
    table: AttributeTable,
    prototypes: Prototypes,
) -> list[Passage]:
    """The likely sentences, in order of the time in the world. ``heard`` are all sentences in the order of telling, each with what
    it states of the subject."""
    spoken = _spoken(question, heard)
    subject = question.subject
    texts = [masked(told, part, subject) if subject else told.sentence.text for told, part, _ in spoken]
    if not texts:
        return []
    attribute = question.attribute
    typed = (
        attribute in prototypes.names and attribute != "possession"
    )  # "What injury did she have?" is about no thing owned
    if subject and typed and question.mode not in _OF_TIME:
        scores = _by_type(texts, [sure for *_, sure in spoken], attribute or "", table, prototypes)
        found = _likely(spoken, scores, LIKELY, NEAR)
        if best_passage(question, found) is not None:
            return found
    scores = _by_question(question, texts, [told for told, *_ in spoken], prototypes)
    return _likely(spoken, scores, ALIKE, NEAR / 5)


def _likely(
    spoken: Sequence[tuple[Told, Stated, bool]], scores: Sequence[float], least: float, near: float
) -> list[Passage]:
    """Those that score enough, in order of the time in the world."""
    floor = max(least, max(scores) - near)
    found = [
        _passage(told, part, score) for (told, part, _), score in zip(spoken, scores, strict=True) if score >= floor
    ]
    return sorted(found, key=lambda p: (p.begins, p.score, p.told.turn.id, p.told.sentence.span))


def _passage(told: Told, part: Stated, score: float) -> Passage:
    start, end = when(part.times)
    over = end if start is None and end is not None and end.start <= said_at(told.turn) else None
    return Passage(told, score, start or over, bool(part.endings) or over is not None)


def best_passage(question: Question, found: Sequence[Passage]) -> Passage | None:
    """The one that answers the question: the last that began by the time asked about."""
    if question.mode in _OF_TIME:
        # What happened is named in the question: the sentence has to name it too, and to tell when.
        asked = telling_words(question)
        dated = [p for p in found if p.when is not None and _shared(asked, p.told.sentence.text) >= SHARED]
        return max(dated, key=lambda p: (p.score, p.begins), default=None)
    if question.anchor is not None:
        return _beside(question, found)
    start, end = question.when.start, question.when.end
    if question.relation is Relation.BEFORE or start == end:
        begun = [p for p in found if p.begins <= start]
    else:
        begun = [p for p in found if p.begins < end]
    if not begun:
        # What is told later to be over held before.
        return next((p for p in found if p.ended), None)
    return begun[0] if question.mode is Mode.FIRST else begun[-1]


def _beside(question: Question, found: Sequence[Passage]) -> Passage | None:
    """The one next to those that name what the question names; the sentence that tells of a change may hold both."""
    words = words_of(question.anchor or "") - FUNCTION_WORDS
    places = [i for i, p in enumerate(found) if words & words_of(p.told.sentence.text)]
    if not places:
        return None
    if question.relation is Relation.BEFORE:
        return found[max(places[0] - 1, 0)]
    return found[min(places[-1] + 1, len(found) - 1)]


def _spoken(question: Question, heard: Sequence[tuple[Told, Stated | None]]) -> list[tuple[Told, Stated, bool]]:
    """The sentences that assert something and speak of the subject, by grammar (True) or only by name, speaker or pronoun."""
    found: list[tuple[Told, Stated, bool]] = []
    for told, part in heard:
        if part is not None:
            found.append((told, part, True))
        elif _asserts(told, question.subject) and _speaks_of(told, question.subject):
            whole = Stated(((0, len(told.sentence.text)),), told.sentence.times, ())
            found.append((told, whole, False))
    return found


def _asserts(told: Told, subject: str | None) -> bool:
    modality = told.sentence.modality
    if modality & _UNASSERTED:
        return False
    return Modality.HEARSAY not in modality or same_subject(told.sentence.believer, subject or "")


def _speaks_of(told: Told, subject: str | None) -> bool:
    if subject is None or same_subject(told.turn.speaker, subject):
        return True
    return bool(occurrences(told.sentence.text, subject)) or any(
        same_subject(entity, subject) for entity in told.sentence.entities
    )


def _by_type(
    texts: Sequence[str], stated: Sequence[bool], attribute: str, table: AttributeTable, prototypes: Prototypes
) -> list[float]:
    """How likely each text is about the attribute, by its examples and by the nouns in it."""
    likely = prototypes.likelihoods(texts, attribute)
    fits = [kind_fit(attribute, text, table) for text in texts]
    weight = {"kind": KIND, "name": NAME, "": 0.0}
    return [
        # A name can be anything: it counts where the words speak of the attribute at all.
        round(like + weight[fit if fit == "kind" or like >= SLIGHT else ""] + STATED * sure, 3)
        for like, fit, sure in zip(likely, fits, stated, strict=True)
    ]


def _by_question(question: Question, texts: Sequence[str], told: Sequence[Told], prototypes: Prototypes) -> list[float]:
    """How alike each text is to the question, by the embedder and by the words they share."""
    plain = _plain(question)
    asked, *rows = prototypes.embed([plain, *texts])
    cosines = np.round(np.stack(rows) @ asked, 3).tolist()
    words = telling_words(question)
    scores = []
    for cosine, one in zip(cosines, told, strict=True):
        shared = _shared(words, one.sentence.text if question.mode in _OF_TIME else one.turn.text)
        bonus = ALIKE - HALF_ALIKE if shared >= SHARED else 0.0
        scores.append(round(cosine + bonus, 3))
    return scores


def telling_words(question: Question) -> frozenset[str]:
    """The words of a question that say what it is about."""
    return words_of(_plain(question)) - _ASKING


def _shared(words: Collection[str], text: str) -> float:
    """The share of ``words`` that stand in a text."""
    return len(words_of(text).intersection(words)) / len(words) if words else 0.0


def _plain(question: Question) -> str:
    """The question without its time and with "she" for the subject, as sentences are worded for comparison."""
    text = question.text
    for mention in sorted(find_times(text, question.now), key=lambda m: -m.span[0]):
        text = text[: mention.span[0]] + text[mention.span[1] :]
    if question.subject:
        name = re.escape(question.subject)
        text = re.sub(rf"(?<![\w'’]){name}['’]s?(?!\w)", "her", text, flags=re.I)
        text = re.sub(rf"(?<![\w'’]){name}(?!\w)", "she", text, flags=re.I)
    text = re.sub(r"\bmy\b", "her", re.sub(r"\b(?:I|me)\b", "she", text), flags=re.I)
    return re.sub(r"\s+([?.,!])", r"\1", " ".join(text.split()))
