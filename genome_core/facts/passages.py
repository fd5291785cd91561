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
from genome_core.facts.candidates import THING_ATTRIBUTES, kind_fit, when
from genome_core.facts.likeness import Prototypes
from genome_core.facts.masking import masked
from genome_core.facts.modes import FUNCTION_WORDS, words_of
from genome_core.facts.nouns import kinds_of_word
from genome_core.facts.questions import DATE_VALUED, Mode, Question, Relation
from genome_core.facts.reading import could_hold
from genome_core.facts.relevance import Stated, Told, occurrences, same_subject
from genome_core.facts.sentences import Modality, said_at
from genome_core.facts.time import TimeRole, find_times
from genome_core.facts.words import singular, tokenize
from genome_core.types import TimeSpan

LIKELY = 0.4
"""The chance of speaking of the attribute from which a sentence may be evidence, and a value read in it stands ..."""
HINTING = 0.5
"""... from which a later one weighs more than what was read in another sentence ..."""
TELLING = 0.8
"""... and from which it puts a fact in doubt."""
BIAS = -0.75
LIKENESS, LEAST_LIKELIHOOD = 0.75, 0.02
QUESTION = 5.25
IDLE = -4.5
CUE = 0.75
NAME = 0.75
KIND = 0.75
STATED = 0.5
DATED = 1.0
KNOWN = 1.0
"""What speaks for it, in log odds: the logarithm of the likelihood by examples, the cosine to the question and to the nearest small
talk, a cue word, a name of no known kind where a name can be the value, a noun of the right kind, a grammar that is sure of the
subject, a time, a name that is known as a value of the attribute. Fitted by logistic regression on conversations of several authors,
each left out once, and rounded."""
ALIKE = 0.45
"""For a question about no known attribute: the cosine to the question from which a sentence may be evidence ..."""
SHARED = 0.5
"""... or the share of the question's telling words that its turn holds, with a cosine of at least ``HALF_ALIKE``."""
HALF_ALIKE = 0.25
NEAR = 0.15
"""How far below the best one another may lie and still be taken for being later."""
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
    """The chance that it speaks of the attribute (0..1), or its likeness to the question."""
    when: TimeSpan | None
    """When what it says began or ended; None if it does not tell."""
    ended: bool
    """Whether it tells of something that was over by then, and so held before."""
    holds: bool = True
    """Whether a value could stand in it; only a sentence that tells of an end may go without."""

    @property
    def begins(self) -> datetime:
        return self.when.start if self.when else said_at(self.told.turn)


def passages(
    question: Question,
    heard: Sequence[tuple[Told, Stated | None]],
    table: AttributeTable,
    prototypes: Prototypes,
    known: Collection[str] = (),
) -> list[Passage]:
    """The likely sentences, in order of the time in the world. ``heard`` are all sentences in the order of telling, each with what
    it states of the subject; ``known`` are values of the attribute that facts tell."""
    spoken = _spoken(question, heard)
    subject = question.subject
    texts = [
        masked(told, part.spans, subject, thing=question.attribute in THING_ATTRIBUTES)
        if subject
        else told.sentence.text
        for told, part, _ in spoken
    ]
    if not texts:
        return []
    attribute = question.attribute
    typed = (
        attribute in prototypes.names and attribute != "possession"
    )  # "What injury did she have?" is about no thing owned
    if subject and typed and question.mode not in _OF_TIME:
        chances = _by_type(question, attribute or "", spoken, texts, table, prototypes, known)
        found = _likely(question, spoken, chances, LIKELY, table)
        if best_passage(question, found) is not None or gave_way(question, found) is not None:
            return found
    scores = by_question(question, texts, [told for told, *_ in spoken], prototypes)
    return _likely(question, spoken, scores, max(ALIKE, max(scores) - NEAR), table)


def _likely(
    question: Question,
    spoken: Sequence[tuple[Told, Stated, bool]],
    scores: Sequence[float],
    least: float,
    table: AttributeTable,
) -> list[Passage]:
    """Those that score enough and could hold an answer, in order of the time in the world."""
    attribute, subject = question.attribute or "", question.subject or ""
    likely = [
        (told, part, score, could_hold(told.sentence.text, attribute, subject, table, _clock(told, attribute)))
        for (told, part, _), score in zip(spoken, scores, strict=True)
        if score >= least
    ]
    timed = question.attribute not in DATE_VALUED
    found = [
        _passage(told, part, score, timed=timed, holds=holds)
        for told, part, score, holds in likely
        if holds or part.endings or question.mode in _OF_TIME or _may_point(told.sentence.text, question)
    ]
    return sorted(found, key=lambda p: (p.begins, p.score, p.told.turn.id, p.told.sentence.span))


def _may_point(text: str, question: Question) -> bool:
    """Whether the answer may stand beside a sentence that holds none: it announces a change ("I changed my major again"), or tells of
    who says it, and "who" is asked."""
    if _CHANGES.search(text):
        return True
    return question.subject is None and bool(re.match(r"\W*who\b", question.text, re.I) and re.search(r"\bI\b", text))


def _clock(told: Told, attribute: str) -> list[tuple[int, int]]:
    """Where a sentence tells times, unless a time is what is asked for."""
    offset = told.sentence.span[0]
    spans = [(m.span[0] - offset, m.span[1] - offset) for m in told.sentence.times if m.role is not TimeRole.DURATION]
    return [] if attribute in DATE_VALUED else spans


def _passage(told: Told, part: Stated, score: float, *, timed: bool, holds: bool = True) -> Passage:
    """``timed``: its time says since when, and is not what is asked for ("the deadline is 30 May")."""
    start, end = when(part.times) if timed else (None, None)
    over = end if start is None and end is not None and end.start <= said_at(told.turn) else None
    return Passage(told, score, start or over, bool(part.endings) or over is not None, holds)


def best_passage(question: Question, found: Sequence[Passage]) -> Passage | None:
    """The one that answers the question: the last that began by the time asked about."""
    if question.mode in _OF_TIME:
        # What happened is named in the question: the sentence has to name it too, and to tell when.
        asked = telling_words(question)
        dated = [p for p in found if p.when is not None and shared_words(asked, p.told.sentence.text) >= SHARED]
        return max(dated, key=lambda p: (p.score, p.begins), default=None)
    if question.anchor is not None:
        return _beside(question, found)
    start, end = question.when.start, question.when.end
    if question.relation is Relation.BEFORE or start == end:
        begun = [p for p in found if p.begins <= start]
    else:
        begun = [p for p in found if p.begins < end]
    if not begun:
        # What is told later to be over held before, if it is named.
        return next((p for p in found if p.ended and p.holds), None)
    if question.relation is Relation.BEFORE and not question.dated:
        # "Who had it before Ann?": what speaks of Ann has to speak of another one too.
        return begun[-1] if _FROM_ANOTHER.search(begun[-1].told.sentence.text) else None
    return begun[0] if question.mode is Mode.FIRST else begun[-1]


def gave_way(question: Question, found: Sequence[Passage]) -> Passage | None:
    """The first that tells of a change after the time asked about: it may name what was before ("we moved here from Hull")."""
    if question.mode in _OF_TIME or question.anchor is not None:
        return None
    later = (p for p in found if p.begins > question.when.start and p.holds)
    return next((p for p in later if _FROM_ANOTHER.search(p.told.sentence.text)), None)


def _beside(question: Question, found: Sequence[Passage]) -> Passage | None:
    """The one next to those that name what the question names; the sentence that tells of a change may hold both."""
    words = words_of(question.anchor or "") - FUNCTION_WORDS
    places = [i for i, p in enumerate(found) if words & words_of(p.told.sentence.text)]
    if not places:
        return None
    if question.relation is Relation.BEFORE:
        first = found[places[0]]
        if places[0] == 0:
            return first if _FROM_ANOTHER.search(first.told.sentence.text) else None
        return found[places[0] - 1]
    return found[min(places[-1] + 1, len(found) - 1)]


_ANEW = re.compile(r"\b(?:new(?! year)|changed?|instead|no longer|now)\b", re.I)
"""Words that announce another value of what the question names."""
_CHANGES = re.compile(
    r"\b(?:mov|switch|chang|shift|jump|transfer|swap|trad|upgrad|convert|defect|hopp?|cross|graduat|promot|relocat)\w*\b[^.;!?]{0,25}\b(?:to|for|into|onto|over)\b"
    r"|\b(?:moved|switched|changed|swapped)(?: (?:my|his|her|their|our|the) \w+)? again\b|\bnew (?:job|number|place|address|car|phone|gig|role|employer|owner)\b",
    re.I,
)
"""Words that say that something gave way to something else."""
_FROM_ANOTHER = re.compile(
    r"\b(?:from|instead|before|old|previous|former|ex|used to|no longer|(?:not|n['’]t) .* any ?more|replac\w+|swap\w*|trad\w+|switch\w*|chang\w+"
    r"|sold|left|lost|leav\w+|quit|gave|giv\w+|ditch\w*)\b",
    re.I,
)
"""Words by which a sentence that tells of something new may tell what was before."""


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
    question: Question,
    attribute: str,
    spoken: Sequence[tuple[Told, Stated, bool]],
    texts: Sequence[str],
    table: AttributeTable,
    prototypes: Prototypes,
    known: Collection[str],
) -> list[float]:
    """The chance that each sentence speaks of the attribute. ``texts`` are what they state of the subject."""
    thing = attribute in THING_ATTRIBUTES
    wholes = [masked(told, ((0, len(told.sentence.text)),), question.subject or "", thing=thing) for told, *_ in spoken]
    likely = np.array([prototypes.likelihoods(texts, attribute), prototypes.likelihoods(wholes, attribute)]).mean(
        axis=0
    )
    asked, *rows = prototypes.embed([_plain(question), *wholes])
    odds = BIAS + LIKENESS * np.log(likely + LEAST_LIKELIHOOD) + QUESTION * (np.stack(rows) @ asked)
    odds += IDLE * np.array(prototypes.idle(wholes))
    names = [name for name in known if name[:1].isupper()]
    weight = {"kind": KIND, "name": NAME, "": 0.0}
    for i, (text, (told, part, sure)) in enumerate(zip(texts, spoken, strict=True)):
        odds[i] += weight[kind_fit(attribute, text, table)] + STATED * sure
        odds[i] += CUE * (attribute in table.cued(text)) + DATED * bool(part.times)
        odds[i] += KNOWN * any(occurrences(told.sentence.text, name) for name in names)
    return [round(float(chance), 3) for chance in 1 / (1 + np.exp(-odds))]


def by_question(question: Question, texts: Sequence[str], told: Sequence[Told], prototypes: Prototypes) -> list[float]:
    """How alike each text is to the question, by the embedder and by the words they share."""
    plain = _plain(question)
    asked, *rows = prototypes.embed([plain, *texts])
    cosines = np.round(np.stack(rows) @ asked, 3).tolist()
    words = telling_words(question)
    scores = []
    for cosine, one in zip(cosines, told, strict=True):
        shared = shared_words(words, one.sentence.text if question.mode in _OF_TIME else one.turn.text)
        bonus = ALIKE - HALF_ALIKE if shared >= SHARED else 0.0
        if shared >= SHARED and _ANEW.search(one.sentence.text):
            bonus += NEAR
        scores.append(round(cosine + bonus, 3))
    return scores


def telling_words(question: Question) -> frozenset[str]:
    """The words of a question that say what it is about."""
    return _singulars(words_of(_plain(question)) - _ASKING)


def shared_words(words: Collection[str], text: str) -> float:
    """The share of ``words`` that stand in a text."""
    return len(_singulars(words_of(text)).intersection(words)) / len(words) if words else 0.0


def _singulars(words: Collection[str]) -> frozenset[str]:
    return frozenset(singular(word) for word in words)


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


_INSTITUTIONS = frozenset(["org", "school", "gym", "club", "house", "settlement"])


def parted(
    question: Question,
    value: str,
    since: datetime,
    heard: Sequence[tuple[Told, Stated | None]],
    prototypes: Prototypes,
    people: Collection[str] = (),
) -> Passage | None:
    """The last sentence, said after ``since``, that names a value and says that it is over, in any words ("We had to say goodbye
    to Rex"). It speaks of the subject, or of nobody else of ``people``."""
    names = {token.low for token in tokenize(value) if token.capital} or words_of(value) - FUNCTION_WORDS
    # "Clinic" alone does not mean the Harrow Road Clinic.
    names = {name for name in names if not kinds_of_word(name) & _INSTITUTIONS} or names
    told = [
        one
        for one, _ in heard
        if said_at(one.turn) > since
        and names & words_of(one.sentence.text)
        and not one.sentence.modality & _UNASSERTED
        and (_speaks_of(one, question.subject) or not any(occurrences(one.sentence.text, name) for name in people))
    ]
    masks = [re.sub(rf"\b(?:{'|'.join(sorted(names))})\b", "it", one.sentence.text, flags=re.I) for one in told]
    over = [one for one, gone in zip(told, prototypes.partings(masks), strict=True) if gone]
    if not over:
        return None
    last = over[-1]
    return _passage(last, Stated(((0, len(last.sentence.text)),), last.sentence.times, ()), 1.0, timed=True)
