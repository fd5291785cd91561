"""A no for a yes-or-no question that no fact answers: a sentence denies what is asked, or says that it is over.

"He never lived in Canada at all" answers "Has he ever lived in Canada?"; "I left the choir in June" answers "Do I still sing in the
choir?". Who asks with "still" says that it was so. A yes is never given this way: to name something is not to affirm it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from genome_core.facts.clauses import clauses
from genome_core.facts.doubts import ends_beside
from genome_core.facts.modes import FUNCTION_WORDS, words_of
from genome_core.facts.passages import UNASSERTED, singulars, speaks_of
from genome_core.facts.questions import Mode, Question
from genome_core.facts.relevance import Told
from genome_core.facts.sentences import said_at
from genome_core.facts.slots import Answer, Evidence, Rests, View
from genome_core.facts.verbs import Tense
from genome_core.facts.words import tokenize

_STILL = re.compile(r"\bstill\b", re.I)
_ENDED = re.compile(r"\b(?:any ?more|no longer|yet)\b", re.I)
_PAST = frozenset([Tense.PAST, Tense.PERFECT, Tense.PERFECT_PROGRESSIVE, Tense.PAST_PERFECT])
_EMPTY = FUNCTION_WORDS | frozenset("i me my mine we our ours you he she it they him them his hers its".split())


def denied(found: Answer, view: View) -> Answer:
    """The answer, with a no where the last sentence that names what is asked gives it. ``found`` has no value."""
    question = found.question
    named = _named(question)
    if not question.subject or not named:
        return found
    naming = [
        one
        for one, _ in view.heard
        if said_at(one.turn) <= question.when.end
        and not one.sentence.modality & UNASSERTED
        and singulars(named) <= singulars(words_of(one.sentence.text))
        and speaks_of(one, question.subject)
    ]
    if not naming:
        return found
    last = naming[-1]
    asks_still = question.mode is Mode.WHETHER and _STILL.search(question.text) is not None
    if not _denies(last, question, named) and not (asks_still and ends_beside(last.sentence.text, named)):
        return found
    own = Evidence(last.turn.id, last.sentence.text, None, said_at(last.turn))
    return replace(
        found, value="no", values=("no",), certainty=0.5, evidence=(own,), rests=Rests.SENTENCES, unknown=False
    )


def _named(question: Question) -> frozenset[str]:
    """What a question names beside its subject: names, else nouns."""
    subject = words_of(question.subject or "")
    tokens = [t for t in tokenize(question.text)[1:] if t.kind == "word" and t.low not in subject | _EMPTY]
    capitals = [t.low for t in tokens if t.capital]
    return frozenset(capitals or [t.low for t in tokens if not t.forms])


def _denies(told: Told, question: Question, named: Collection[str]) -> bool:
    """Whether the clause that names it is negated: "never" for "ever", or in the past."""
    text = told.sentence.text
    for clause in clauses(tokenize(text)):
        verb = clause.verb
        said = text[slice(*clause.span)]
        if verb is None or not singulars(named) <= singulars(words_of(said)) or _ENDED.search(said):
            continue
        if (verb.negated or verb.never) and not verb.ended:
            return question.mode is not Mode.EVER or verb.never or verb.tense in _PAST
    return False
