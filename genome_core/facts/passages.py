"""Sentences that may hold an answer, whatever their words: the evidence where no value is sure.

Facts and typed sentences need to be understood. Here a sentence only needs to speak of the one asked about and to be likely of the
kind asked for. The likely ones stand on the axis of time, and the last one that began by the time asked about is the evidence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.candidates import THING_ATTRIBUTES, when
from genome_core.facts.chances import ANEW, CHANGES, Spoken, chances, clock
from genome_core.facts.clauses import clauses
from genome_core.facts.likeness import Prototypes
from genome_core.facts.masking import masked
from genome_core.facts.modes import FUNCTION_WORDS, words_of
from genome_core.facts.nouns import gender
from genome_core.facts.questions import DATE_VALUED, Mode, Question, Relation
from genome_core.facts.reading import could_hold
from genome_core.facts.relevance import Stated, Told, occurrences, same_subject
from genome_core.facts.sentences import Modality, said_at
from genome_core.facts.time import find_times
from genome_core.facts.words import singular, tokenize
from genome_core.types import Fact, Precision, TimeSpan

LIKELY = 0.4
"""The chance of speaking of the attribute from which a value read in a sentence stands ..."""
HINTING = 0.5
"""... from which a later one weighs more than what was read in another sentence ..."""
TELLING = 0.8
"""... and from which it puts a fact in doubt."""
POSSIBLE = 0.25
"""The chance of being the one that answers from which a sentence is evidence."""
OVER = 0.5
"""What a sentence counts that only tells of an end, as evidence of what holds after it."""
ALIKE = 0.45
"""For a question about no known attribute: the cosine to the question from which a sentence may be evidence ..."""
SHARED = 0.5
"""... or the share of the question's telling words that its turn holds, with a cosine of at least ``HALF_ALIKE``."""
HALF_ALIKE = 0.25
NEAR = 0.15
"""How far below the best one another may lie and still be taken for being later."""
_OF_TIME = frozenset([Mode.WHEN, Mode.HOW_LONG])
UNASSERTED = frozenset([Modality.QUESTION, Modality.HYPOTHETICAL, Modality.PLAN, Modality.EVENT])
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

    alike: bool = False
    """Whether the score is a likeness and no chance: all are as good, and the last one counts."""

    endings: tuple[tuple[int, int], ...] = ()
    """Its clauses that tell of an end, as offsets into its text."""

    @property
    def begins(self) -> datetime:
        if self.when is None:
            return said_at(self.told.turn)
        vague = (
            self.when.precision is Precision.UNKNOWN
        )  # "ages ago" began somewhere in fifty years, more likely late in them
        return self.when.end if vague else self.when.start

    @property
    def likely(self) -> bool:
        return self.alike or self.score >= LIKELY


def passages(
    question: Question,
    heard: Sequence[tuple[Told, Stated | None]],
    table: AttributeTable,
    prototypes: Prototypes,
    facts: Sequence[Fact] = (),
    people: Collection[str] = (),
) -> list[Passage]:
    """The likely sentences, in order of the time in the world. ``heard`` are all sentences in the order of telling, each with what
    it states of the subject; ``facts`` are those of the subject, ``people`` the names of the scope."""
    spoken = _spoken(question, heard, facts, people)
    if not spoken:
        return []
    attribute, subject = question.attribute, question.subject
    typed = (
        attribute in prototypes.names and attribute != "possession"
    )  # "What injury did she have?" is about no thing owned
    if subject and attribute and typed and question.mode not in _OF_TIME:
        known = {fact.value for fact in facts if fact.attribute == attribute and fact.value}
        weighed = chances(attribute, subject, _plain(question), spoken, table, prototypes, known)
        found = _in_order(question, [(s, chance, holds) for s, (chance, holds) in zip(spoken, weighed, strict=True)])
        if best_passage(question, found) is not None or gave_way(question, found) is not None:
            return found
    return _like_the_question(question, spoken, table, prototypes)


def _like_the_question(
    question: Question, spoken: Sequence[Spoken], table: AttributeTable, prototypes: Prototypes
) -> list[Passage]:
    """Those that are about as like the question as the best one and could hold an answer: which of them is meant, time decides."""
    attribute, subject = question.attribute or "", question.subject or ""
    thing = attribute in THING_ATTRIBUTES
    texts = [masked(s.told, s.part.spans, subject, thing=thing) if subject else s.told.sentence.text for s in spoken]
    scores = by_question(question, texts, [one.told for one in spoken], prototypes)
    least = max(ALIKE, max(scores) - NEAR)
    found = []
    for one, score in zip(spoken, scores, strict=True):
        if score >= least:
            text = one.told.sentence.text
            holds = could_hold(text, attribute, subject, table, clock(one.told, attribute))
            if holds or one.part.endings or question.mode in _OF_TIME or _may_point(text, question):
                found.append((one, score, holds))
    return _in_order(question, found, alike=True)


def _in_order(question: Question, found: Iterable[tuple[Spoken, float, bool]], *, alike: bool = False) -> list[Passage]:
    timed = question.attribute not in DATE_VALUED
    made = [passage_of(s.told, s.part, score, timed=timed, holds=holds, alike=alike) for s, score, holds in found]
    return sorted(made, key=lambda p: (p.begins, p.score, p.told.turn.id, p.told.sentence.span))


def _may_point(text: str, question: Question) -> bool:
    """Whether the answer may stand beside a sentence that holds none: it announces a change ("I changed my major again"), or tells of
    who says it, and "who" is asked."""
    if CHANGES.search(text):
        return True
    return question.subject is None and bool(re.match(r"\W*who\b", question.text, re.I) and re.search(r"\bI\b", text))


def passage_of(
    told: Told, part: Stated, score: float, *, timed: bool, holds: bool = True, alike: bool = False
) -> Passage:
    """``timed``: its time says since when, and is not what is asked for ("the deadline is 30 May")."""
    start, end = when(part.times) if timed else (None, None)
    over = end if start is None and end is not None and end.start <= said_at(told.turn) else None
    return Passage(told, score, start or over, bool(part.endings) or over is not None, holds, alike, part.endings)


def best_passage(question: Question, found: Sequence[Passage]) -> Passage | None:
    """The one that answers the question: the last that began by the time asked about."""
    if question.mode in _OF_TIME:
        # What happened is named in the question: the sentence has to name it too, and to tell when.
        asked = telling_words(question)
        dated = [p for p in found if p.when is not None and shared_words(asked, p.told.sentence.text) >= SHARED]
        if question.mode is Mode.WHEN and question.ended:
            dated = [p for p in dated if p.ended or _TELLS_END.search(p.told.sentence.text)]
        return max(dated, key=lambda p: (p.score, p.begins), default=None)
    if question.anchor is not None:
        return _beside(question, found)
    start, end = question.when.start, question.when.end
    if question.relation is Relation.BEFORE or start == end:
        begun = [p for p in found if p.begins <= start]
    else:
        begun = [p for p in found if p.begins < end]
    best = _most_likely(begun)
    # What is told later to be over held before, if it is named.
    over = next((p for p in found if p.ended and p.holds and p.likely and p.begins > start), None)
    if best is None or (over is not None and not best.likely and over.score >= TELLING):
        return over
    if question.relation is Relation.BEFORE and not question.dated:
        # "Who had it before Ann?": what speaks of Ann has to speak of another one too.
        return best if _FROM_ANOTHER.search(best.told.sentence.text) else None
    return next((p for p in begun if p.likely), None) if question.mode is Mode.FIRST else best


def _most_likely(begun: Sequence[Passage]) -> Passage | None:
    """The one that most likely tells what holds: it speaks of the attribute, and no later one does."""
    if begun and begun[-1].alike:
        return begun[-1]
    best, most, none_later = None, POSSIBLE, 1.0
    for passage in reversed(begun):
        chance = passage.score * none_later * (OVER if passage.ended else 1.0)
        if chance >= most:
            best, most = passage, chance
        none_later *= 1 - passage.score
    return best


def none_later(question: Question, found: Sequence[Passage], passage: Passage) -> float:
    """The chance that none of those that began after ``passage`` and by the time asked about speaks of the attribute. What was told
    ahead ("I start on 2 September") stands also against what was told since ("I'm not starting after all")."""
    place, told = found.index(passage), said_at(passage.told.turn)
    since = [other for other in found[:place] if passage.begins > told and said_at(other.told.turn) > told]
    if any(other.likely and Modality.NEGATED in other.told.sentence.modality for other in since):
        return 0.0
    later = [*since, *found[place + 1 :]]
    return math.prod(1 - other.score for other in later if other.begins <= question.when.end)


def gave_way(question: Question, found: Sequence[Passage]) -> Passage | None:
    """The first that tells of a change after the time asked about: it may name what was before ("we moved here from Hull")."""
    if question.mode in _OF_TIME or question.anchor is not None:
        return None
    later = (p for p in found if p.begins > question.when.start and p.holds and p.likely)
    return next((p for p in later if _FROM_ANOTHER.search(p.told.sentence.text)), None)


def _beside(question: Question, found: Sequence[Passage]) -> Passage | None:
    """The one next to those that name what the question names; the sentence that tells of a change may hold both."""
    words = words_of(question.anchor or "") - FUNCTION_WORDS
    found = [p for p in found if p.likely]
    places = [i for i, p in enumerate(found) if words & words_of(p.told.sentence.text)]
    if not places:
        return None
    if question.relation is Relation.BEFORE:
        first = found[places[0]]
        if places[0] == 0:
            return first if _FROM_ANOTHER.search(first.told.sentence.text) else None
        return found[places[0] - 1]
    return found[min(places[-1] + 1, len(found) - 1)]


_FROM_ANOTHER = re.compile(
    r"\b(?:from|instead|before|old|previous|former|ex|used to|no longer|(?:not|n['’]t) .* any ?more|replac\w+|swap\w*|trad\w+|switch\w*|chang\w+"
    r"|sold|left|lost|leav\w+|quit|gave|giv\w+|ditch\w*)\b",
    re.I,
)
"""Words by which a sentence that tells of something new may tell what was before."""


_TELLS_END = re.compile(
    r"\b(?:last|final|over|done|finish\w*|end(?:ed|s)?|gone|left|leav\w+|quit\w*|stop\w*|sold|lost|gave|giv\w+|sack\w*|scrap\w*|retir\w*|resign\w*|cancel\w*|drop\w*|died?|dead|"
    r"pass(?:ed)? away|broke\w*|split\w*|separat\w*|divorc\w*|pack\w*|jack\w*|chuck\w*|hand(?:ed)?|moved out|out of|off|no longer|any ?more|former|ex|shut|closed|bye|goodbye|farewell|let)\b",
    re.I,
)
"""Words of which one stands in most sentences that tell when something ended."""


def _spoken(
    question: Question, heard: Sequence[tuple[Told, Stated | None]], facts: Sequence[Fact], people: Collection[str]
) -> list[Spoken]:
    """The sentences that assert something and speak of the subject."""
    read: dict[str, list[Fact]] = {}
    for fact in facts:
        read.setdefault(fact.source or "", []).append(fact)
    found: list[Spoken] = []
    for (told, part), goes_on in zip(heard, _continuing(question.subject, heard, people), strict=True):
        start, end = told.sentence.span
        names = frozenset(f.attribute for f in read.get(told.turn.id, ()) if start <= (f.span or (0, 0))[0] < end)
        if part is not None:
            found.append(Spoken(told, part, True, names))
        elif _asserts(told, question.subject) and (goes_on or speaks_of(told, question.subject)):
            whole = Stated(((0, len(told.sentence.text)),), told.sentence.times, ())
            found.append(Spoken(told, whole, False, names))
    return found


_FIRST_OR_SECOND = re.compile(r"\b(?:i|we|me|us|my|our|you|your)\b", re.I)


def _continuing(
    subject: str | None, heard: Sequence[tuple[Told, Stated | None]], people: Collection[str]
) -> Iterator[bool]:
    """For each sentence, whether it goes on about the subject: it names nobody, and the one before it by the same speaker at that time did
    speak of the subject, or went on about it."""
    others = [name for name in people if subject and not same_subject(name, subject)]
    before: Told | None = None
    about = False
    for told, _ in heard:
        text = told.sentence.text
        if before is None or (told.turn.speaker, said_at(told.turn)) != (before.turn.speaker, said_at(before.turn)):
            about = False
        before = told
        names_other = any(occurrences(text, name) for name in others) or _opens_with_a_name(text)
        if subject and occurrences(text, subject):
            about = True
            yield False
        elif names_other:
            about = False
            yield False
        else:
            yield about and _FIRST_OR_SECOND.search(text) is None


def _opens_with_a_name(text: str) -> bool:
    """Whether the grammatical subject of a sentence is a name of no known kind, so likely a person."""
    opening = next(iter(clauses(tokenize(text))), None)
    return opening is not None and any(phrase.is_name and phrase.kinds == {"name"} for phrase in opening.subjects)


def _asserts(told: Told, subject: str | None) -> bool:
    modality = told.sentence.modality
    if modality & UNASSERTED:
        return False
    return Modality.HEARSAY not in modality or same_subject(told.sentence.believer, subject or "")


def speaks_of(told: Told, subject: str | None) -> bool:
    if subject is None:
        return True
    if same_subject(told.turn.speaker, subject):
        return not _of_others(told)
    return bool(occurrences(told.sentence.text, subject)) or any(
        same_subject(entity, subject) for entity in told.sentence.entities
    )


_SELF = re.compile(r"\b(?:i|im|ive|id|ill|me|we|us|our|ours|mine|myself)\b", re.I)
_OTHERS = re.compile(r"\b(?:he|she|they|hes|shes|his|her)\b", re.I)


def _of_others(told: Told) -> bool:
    """Whether the speaker tells of somebody else in it and not of themselves: "Euan, my cousin, has bought a flat in Dundee"."""
    text, speaker = told.sentence.text, told.turn.speaker
    if _SELF.search(text):
        return False
    others = [name for name in told.sentence.entities if not same_subject(name, speaker) and gender(name) != "n"]
    return bool(others) and (bool(_OTHERS.search(text)) or any(occurrences(text, name) for name in others))


def by_question(question: Question, texts: Sequence[str], told: Sequence[Told], prototypes: Prototypes) -> list[float]:
    """How alike each text is to the question, by the embedder and by the words that what was ``told`` shares with it."""
    asked, *rows = prototypes.embed([_plain(question), *texts])
    cosines = np.round(np.stack(rows) @ asked, 3).tolist()
    words = telling_words(question)
    scores = []
    for cosine, one in zip(cosines, told, strict=True):
        sentence, turn = one.sentence.text, one.turn.text
        shared = shared_words(words, sentence if question.mode in _OF_TIME else _asserted(turn))
        bonus = ALIKE - HALF_ALIKE if shared >= SHARED else 0.0
        if shared >= SHARED and ANEW.search(sentence):
            bonus += NEAR
        scores.append(round(cosine + bonus, 3))
    return scores


def _asserted(text: str) -> str:
    """A turn without its questions: their words are no answer."""
    return re.sub(r"[^.!?\n]*\?", " ", text)


def telling_words(question: Question) -> frozenset[str]:
    """The words of a question that say what it is about."""
    return singulars(words_of(_plain(question)) - _ASKING)


def shared_words(words: Collection[str], text: str) -> float:
    """The share of ``words`` that stand in a text."""
    return len(singulars(words_of(text)).intersection(words)) / len(words) if words else 0.0


def singulars(words: Collection[str]) -> frozenset[str]:
    """Words without the endings of the plural."""
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
