"""What a found value has to stand against: how surely it was read, and later sentences that say that it is over.

A value that does not stand makes room for the sentence it was read in: evidence costs the reader a glance, a wrong value a wrong act.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from genome_core.facts.likeness import Prototypes
from genome_core.facts.modes import FUNCTION_WORDS, listed, words_of
from genome_core.facts.nouns import kinds_of_word
from genome_core.facts.passages import UNASSERTED, Passage, passage_of, speaks_of, telling_words
from genome_core.facts.questions import Mode, Question
from genome_core.facts.relevance import Stated, Told, occurrences
from genome_core.facts.sentences import said_at
from genome_core.facts.slots import Answer, Evidence, Rests, View
from genome_core.facts.time import TimeRole
from genome_core.facts.words import tokenize

_OF_TIMES = frozenset([Mode.WHEN, Mode.HOW_LONG, Mode.HOW_MANY])
_INSTITUTIONS = frozenset(["org", "school", "gym", "club", "house", "settlement"])
_ENDINGS = (
    r"left|leaving|quit\w*|stopped|finished|done (?:with|at)|through with",
    r"resigned|sacked|fired|made redundant|laid off|let (?:\w+ )?go|expelled|kicked out",
    r"sold|scrapped|got rid|gave (?:\w+ )?(?:up|away)|given up|ditched|dropped|dumped|binned|cancel\w*",
    r"no longer|any ?more|former|ex|retired|died|passed away",
    r"broke(?:n)? up|split|goodbye|farewell|last (?:day|shift)",
    r"out of|packed (?:\w+ )?in|chucked|jacked|moved (?:out|away)|closed|shut",
)
ENDING = re.compile(rf"\b(?:{'|'.join(_ENDINGS)})\b", re.I)
"""Words of which one stands beside what is over, more often than beside what goes on."""


def backed(found: Answer, likely: Sequence[Passage]) -> Answer:
    """A value read in a sentence stands only where that sentence likely speaks of the attribute; else the sentence is the answer."""
    if found.value is None or found.rests is not Rests.SENTENCES or found.question.mode in _OF_TIMES:
        return found
    sure = {p.told.turn.id for p in likely} | {fact.source for fact in found.facts}
    return found if all(e.source in sure for e in found.evidence) else _bare(found)


def sure(found: Answer, view: View) -> Answer:
    """A value read in a sentence stands only where its turn tells a time: what people say without one is as often of a trip, a wish
    or a joke. A list of one value is none: who asks for a list expects more."""
    if found.question.mode is Mode.HISTORY and len(found.values) == 1:
        return _bare(found)
    if found.value is None or found.rests is not Rests.SENTENCES or found.question.mode in _OF_TIMES:
        return found
    timed = {one.turn.id for one in view.known if any(m.role is not TimeRole.DURATION for m in one.sentence.times)}
    timed |= {fact.source or "" for fact in found.facts}
    return found if all(e.source in timed for e in found.evidence) else _bare(found)


def _bare(found: Answer) -> Answer:
    """The sentences without the value."""
    return Answer(found.question, evidence=found.evidence, rests=found.rests)


def over(found: Answer, view: View, prototypes: Prototypes) -> Passage | None:
    """A later sentence by which the value is over at the time asked about."""
    question, window = found.question, found.window
    asked = question.mode is Mode.VALUE and question.anchor is None
    if not asked or found.value is None or window is None or len(found.values) > 1:
        return None
    floor = max(view.tier(fact.origin) for fact in window.facts)
    trusted = [(one, part) for one, part in view.heard if view.tier(one.turn.origin) >= floor]
    since = max((fact.at for fact in found.facts), default=window.facts[0].at)
    gone = _parted(question, found.value, since, trusted, prototypes, view.people, by_words=True)
    return gone if gone is not None and gone.begins <= question.when.end else None


def remaining(found: Answer, view: View, prototypes: Prototypes) -> Answer:
    """Several values without those of which a later sentence says that they are over: of two cats one died."""
    question, window = found.question, found.window
    if question.mode is not Mode.VALUE or question.anchor is not None or window is None or len(found.values) < 2:
        return found
    since = max(fact.at for fact in window.facts)
    partings = [_parted(question, value, since, view.heard, prototypes, view.people) for value in found.values]
    kept = [
        v for v, gone in zip(found.values, partings, strict=True) if gone is None or gone.begins > question.when.end
    ]
    return replace(found, value=listed(kept), values=tuple(kept)) if kept and len(kept) < len(found.values) else found


def still(found: Answer, view: View, prototypes: Prototypes) -> Answer:
    """A yes, unless a later sentence says that what the question names is over: then a no where its grammar says so."""
    question, window = found.question, found.window
    if found.value != "yes" or window is None:
        return found
    said = max((e.said for e in found.evidence), default=window.facts[-1].at)
    gone = _parted(question, _named_in(question), said - timedelta(microseconds=1), view.heard, prototypes, view.people)
    if gone is None or gone.begins > question.when.end:
        return found
    if not gone.ended:
        return Answer(question)
    own = (Evidence(gone.told.turn.id, gone.told.sentence.text, gone.when, said_at(gone.told.turn)),)
    return replace(
        found, value="no", values=("no",), certainty=0.5, evidence=(*own, *found.evidence), rests=Rests.SENTENCES
    )


def _named_in(question: Question) -> str:
    """The names of a yes-or-no question besides its subject, else its telling words."""
    subject = words_of(question.subject or "")
    names = [t.text for t in tokenize(question.text)[1:] if t.capital and t.low not in subject | {"i"}]
    return " ".join(names) or " ".join(sorted(telling_words(question) - subject))


def _parted(
    question: Question,
    value: str,
    since: datetime,
    heard: Sequence[tuple[Told, Stated | None]],
    prototypes: Prototypes,
    people: Collection[str],
    *,
    by_words: bool = False,
) -> Passage | None:
    """The last sentence, said after ``since``, that names a value and says that it is over, in any words ("We had to say goodbye
    to Rex"), or, ``by_words``, with a word of ending beside a name. It speaks of the subject, or of nobody else of ``people``."""
    capitals = frozenset(token.low for token in tokenize(value) if token.capital)
    by_words = by_words and bool(capitals)
    names = capitals or words_of(value) - FUNCTION_WORDS
    # "Clinic" alone does not mean the Harrow Road Clinic.
    names = frozenset(name for name in names if not kinds_of_word(name) & _INSTITUTIONS) or names
    told = [
        one
        for one, _ in heard
        if said_at(one.turn) > since
        and names & words_of(one.sentence.text)
        and not one.sentence.modality & UNASSERTED
        and (speaks_of(one, question.subject) or not any(occurrences(one.sentence.text, name) for name in people))
    ]
    masks = [re.sub(rf"\b(?:{'|'.join(sorted(names))})\b", "it", one.sentence.text, flags=re.I) for one in told]
    gone = [
        one
        for one, parting in zip(told, prototypes.partings(masks), strict=True)
        if parting or (by_words and ends_beside(one.sentence.text, names))
    ]
    if not gone:
        return None
    last = gone[-1]
    return passage_of(last, Stated(((0, len(last.sentence.text)),), last.sentence.times, ()), 1.0, timed=True)


def ends_beside(text: str, names: Collection[str]) -> bool:
    """Whether a word of ending stands in the same piece of a sentence as one of ``names``."""
    pieces = re.split(r"[,;:—–]", text)
    return any(ENDING.search(piece) and words_of(piece).intersection(names) for piece in pieces)
