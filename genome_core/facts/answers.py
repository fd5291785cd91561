"""Answering a question from facts and sentences on one time axis.

Facts are sure but few; sentences about the same thing are many and unsure. Both become entries of one log (see ``candidates``)
and are resolved together, so that a sentence which no rule understood still ends the window before it. Where the deciding
entry gives no sure value, the answer is the sentence itself and its date: evidence, never a made-up value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.denials import denied
from genome_core.facts.doers import doer
from genome_core.facts.doubts import backed, over, remaining, still, sure
from genome_core.facts.layers import Tier, alike
from genome_core.facts.likeness import Prototypes
from genome_core.facts.modes import answered, mentioned, words_of
from genome_core.facts.nouns import kinds_of_word
from genome_core.facts.passages import (
    HINTING,
    TELLING,
    Passage,
    best_passage,
    gave_way,
    passages,
    singulars,
)
from genome_core.facts.questions import Mode, Question
from genome_core.facts.reading import Value, read_value
from genome_core.facts.relevance import Told, occurrences, same_subject
from genome_core.facts.sentences import said_at
from genome_core.facts.slots import Answer, Evidence, Rests, View
from genome_core.facts.valued import valued
from genome_core.facts.wording import say_span
from genome_core.types import Fact, FactKind

__all__ = ["RELATED", "Answer", "Evidence", "Rests", "answer"]

RELATED: Mapping[str, tuple[str, ...]] = {
    "partner": ("relationship_status",),
    "relationship_status": ("partner",),
    "role": ("employer",),
    "employer": ("role",),
}
"""Attributes whose sentences can serve as evidence for each other, never as a value."""


def answer(
    question: Question,
    facts: Iterable[Fact],
    sentences: Sequence[Told] = (),
    *,
    table: AttributeTable | None = None,
    prototypes: Prototypes | None = None,
    people: Collection[str] = (),
    known_at: datetime | None = None,
    believer: str = "",
    tier: Tier = alike,
) -> Answer:
    """Answer ``question`` from ``facts`` and ``sentences`` about its subject (others are passed over).

    ``prototypes`` (with an embedder behind them) find sentences in words that no cue foresees; without them cues decide alone.
    ``people`` are the names of the scope. ``known_at`` leaves out facts recorded and sentences said later. ``tier`` says how far each
    origin is trusted: nothing puts in doubt what a more trusted source said.
    """
    table = table or AttributeTable()
    mine = [fact for fact in facts if same_subject(fact.subject, question.subject or "")]
    view = View(question, mine, sentences, table, prototypes, people, known_at, believer, tier)
    found = _telling(_known(question, view))
    if question.mode in _YES_OR_NO and found.value is None:
        # a sentence that was not understood decides neither
        return denied(Answer(question) if found.evidence else found, view)
    if prototypes is None:
        return found
    if question.mode is Mode.WHETHER:
        return still(found, view, prototypes)
    return doer(sure(_weighed(found, view, prototypes), view), view)


def _known(question: Question, view: View) -> Answer:
    """What facts and typed sentences tell."""
    names = _asked(question, view) if question.subject is not None else []
    if not names:
        return Answer(question)
    found = _first(answered(view.slot(name)) for name in names)
    if found.value is None and not found.evidence and question.attributes:
        for name in RELATED.get(question.attributes[0], ()):
            related = answered(view.slot(name))
            if related.evidence:
                return Answer(question, evidence=related.evidence, rests=Rests.SENTENCES)
    return found


def _telling(found: Answer) -> Answer:
    """The answer without a value that only says again what was asked: "a cat" for "What is her cat called?"."""
    question = found.question
    asked = words_of(question.text)
    if "or" in asked or found.value is None:  # "engaged or married?" names what may be the answer
        return found
    if question.mode is Mode.HISTORY:
        empty = any(singulars(words_of(value)) <= singulars(asked) for value in found.values)
    else:
        empty = question.mode is Mode.VALUE and (words_of(found.value) <= asked or _no_person(question, found.value))
    return Answer(question, evidence=found.evidence, rests=found.rests) if empty else found


def _no_person(question: Question, value: str) -> bool:
    """Whether "who" is asked and the value is a status: nobody is "single"."""
    return bool(re.match(r"\W*who\b", question.text, re.I)) and bool(kinds_of_word(value.lower()) & {"status"})


def _weighed(found: Answer, view: View, prototypes: Prototypes) -> Answer:
    """The answer, held against the sentences that likely tell the same. Where a later one speaks of it too and was not
    understood, a value is doubtful, and the sentence is the answer. "Whether" and "ever" want a yes or a no: a sentence that is only
    likely decides neither."""
    question = view.question
    if question.mode not in _WEIGHED:
        return found
    likely = passages(question, view.heard, view.table, prototypes, view.facts, view.people)
    likely = _most_trusted(question, likely, found, view.tier)
    return valued(_decided(found, likely, view, prototypes), likely, view, prototypes)


def _decided(found: Answer, likely: list[Passage], view: View, prototypes: Prototypes) -> Answer:
    """What was found, or the likely sentence that weighs more."""
    question = view.question
    found = backed(found, [passage for passage in likely if passage.likely])
    if found.rests is Rests.FACTS:  # the log has weighed the sentences that rules understood
        own = {e.source for e in found.evidence}
        likely = [p for p in likely if p.told.turn.id in own or not _understood(p, view)]
    found = remaining(found, view, prototypes)
    gone = over(found, view, prototypes)
    if gone is not None:
        return _from([gone], found)
    read = {e.source for e in found.evidence}
    if question.mode is Mode.HISTORY:
        read -= {p.told.turn.id for p in likely if p.ended and _names_another(p, found, view)}
        least = TELLING if len(found.values) > 1 else HINTING  # who asks for a list expects more than one
        missed = [p for p in likely if p.score >= least and p.told.turn.id not in read and p.begins <= question.now]
        return _from(missed, found) if missed and found.value is not None else found
    best = best_passage(question, likely)
    if best is None and found.unknown and not found.evidence:
        best = gave_way(question, likely)
    if best is None or (best.told.turn.id in read and found.value is not None):
        return found
    if not found.unknown and found.value is None and not found.evidence and not _follows(found, best, view):
        return found
    if found.evidence and not _outdone(found, best):
        return found
    if question.mode is Mode.WHEN and best.when is not None:
        return replace(
            _from([best], found), value=say_span(best.when), values=(say_span(best.when),), certainty=0.5, unknown=False
        )
    return _from([best], found)


def _most_trusted(question: Question, likely: list[Passage], found: Answer, tier: Tier) -> list[Passage]:
    """The likely sentences without those that are trusted less than what was found, or than one that answers the question."""
    window = found.window
    floor = max((tier(fact.origin) for fact in window.facts), default=None) if window else None
    for level in sorted({tier(passage.told.turn.origin) for passage in likely}, reverse=True):
        if floor is not None and level < floor:
            break
        kept = [passage for passage in likely if tier(passage.told.turn.origin) >= level]
        if best_passage(question, kept) is not None:
            return kept
    return [passage for passage in likely if floor is None or tier(passage.told.turn.origin) >= floor]


_OF_TIMES = frozenset([Mode.WHEN, Mode.HOW_LONG, Mode.HOW_MANY])
_YES_OR_NO = frozenset([Mode.WHETHER, Mode.EVER])
_WEIGHED = frozenset([Mode.VALUE, Mode.FIRST, Mode.PREVIOUS, Mode.WHEN, Mode.HOW_LONG, Mode.HOW_MANY, Mode.HISTORY])


def _understood(passage: Passage, view: View) -> bool:
    """Whether a rule read a fact of the attribute in this very sentence; one that was corrected since must not come back as a doubt."""
    (start, end), turn = passage.told.sentence.span, passage.told.turn.id
    return any(
        fact.source == turn and fact.attribute == view.question.attribute and start <= (fact.span or (0, 0))[0] < end
        for fact in view.facts
    )


def _follows(found: Answer, best: Passage, view: View) -> bool:
    """Whether a sentence tells what came after an end ("lost my phone, the new one is ...")."""
    end = found.window.ends if found.window else None
    if end is None or best.begins < end:
        return False
    return not best.ended or _new_value(best, view) is not None


def _names_another(passage: Passage, found: Answer, view: View) -> bool:
    """Whether a sentence that tells of an end names a value that was not found: "no longer in Derry, he followed a girl to Aarhus"."""
    new = _new_value(passage, view)
    return new is not None and new.text.casefold() not in {value.casefold() for value in found.values}


def _without(spans: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """What lies between ``spans`` in a text of that length."""
    bounds = [0, *(bound for span in sorted(spans) for bound in span), length]
    return list(zip(bounds[::2], bounds[1::2], strict=True))


def _new_value(passage: Passage, view: View) -> Value | None:
    """What a sentence names for the attribute that no fact about it has told."""
    question, sentence = view.question, passage.told.sentence
    attribute, offset = question.attribute or "", sentence.span[0]
    known = {fact.value.casefold() for fact in view.facts if fact.attribute == attribute and fact.value}
    found = read_value(
        sentence.text,
        attribute,
        view.table,
        people=view.people,
        about=occurrences(sentence.text, question.subject or ""),
        times=[(m.span[0] - offset, m.span[1] - offset) for m in sentence.times],
        within=_without(passage.endings, len(sentence.text)),
        before=known,
    )
    return None if found is None or found.text.casefold() in known else found


def _outdone(found: Answer, best: Passage) -> bool:
    """Whether a sentence is stronger than what was found: later than a fact and telling, or as telling as a sentence."""
    if found.question.mode in _OF_TIMES:
        return False
    later = found.window is None or best.begins > found.window.begins
    if found.value is None:
        return True
    return later and best.score >= (TELLING if found.rests is Rests.FACTS else HINTING)


def _from(likely: Sequence[Passage], found: Answer) -> Answer:
    """The sentences as evidence, before those found otherwise."""
    own = tuple(Evidence(p.told.turn.id, p.told.sentence.text, p.when, said_at(p.told.turn)) for p in likely)
    told = {(e.source, e.text) for e in own}
    others = tuple(e for e in found.evidence if (e.source, e.text) not in told)
    return Answer(found.question, evidence=(*own, *others), rests=Rests.SENTENCES)


def _first(answers: Iterable[Answer]) -> Answer:
    """The first answer with a value, else the first with evidence, else the first."""
    tried = list(answers)
    by_value = next((a for a in tried if a.value is not None), None)
    return by_value or next((a for a in tried if a.evidence), None) or tried[0]


def _asked(question: Question, view: View) -> list[str]:
    """The attributes to look at: the best one, or, where the question names a value ("When did he sell the Golf?"), the one
    that has it."""
    names = list(question.attributes)
    by_value = question.mode in (Mode.WHEN, Mode.HOW_LONG, Mode.WHETHER, Mode.EVER)
    if by_value or question.anchor is not None:
        words = words_of(question.anchor or question.text)
        holders = {f.attribute for f in view.facts if f.value and mentioned(f.value, words)}
        strict = question.mode in (Mode.WHETHER, Mode.EVER) and names[:1] not in ([], ["possession"])
        if strict and "still" in words:  # "still the treasurer?": whatever it is an attribute of
            ended = {
                f.attribute for f in view.facts if f.kind is FactKind.END and f.value and mentioned(f.value, words)
            }
            names = [*names, *sorted(ended - set(names))]
        known = [name for name in holders if name in names or not strict]
        if known:
            return sorted(known, key=lambda name: (names.index(name) if name in names else len(names), name))
    return names[:1]
