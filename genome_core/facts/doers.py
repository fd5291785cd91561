"""Who does it: the answer to a question whose "who" is the subject of a sentence.

"Who leads the team?" asks for no attribute of anybody. The sentence that names the same doing or the same office has the answer for
its grammatical subject: "Rosa leads the team now", "I'm the new treasurer".
"""

from __future__ import annotations

import re
from dataclasses import replace

from genome_core.facts.clauses import Clause, clauses
from genome_core.facts.modes import FUNCTION_WORDS, words_of
from genome_core.facts.passages import telling_words
from genome_core.facts.questions import Mode, Question, Relation
from genome_core.facts.relevance import same_subject
from genome_core.facts.sentences import said_at
from genome_core.facts.slots import Answer, View
from genome_core.facts.verbs import Phase
from genome_core.facts.words import singular, tokenize

_WHO = re.compile(r"\W*(?:(?:and|so)\W+)?who(?:['’]s|\s+(?P<word>[\w'’]+))\s+(?P<next>[\w'’]+)", re.I)
_OFFICE = re.compile(
    r"\bwho(?:['’]s|\s+(?:is|was|are|were))\s+(?:the|our|my)\s+(?:[\w-]+\s+)*?([\w-]+)\s+(?:of|at|for|on|in)\b", re.I
)
_IS = re.compile(r"\W*(?:(?:and|so)\W+)?who(?:['’]s|\s+(?:is|was|are|were))\s+(?!\w+ing\b)", re.I)
_HOLDING = frozenset(
    "be become elect vote appoint make name choose pick take replace succeed serve remain stay start act run lead".split()
)
"""Verbs by which somebody is what is asked for, or becomes it."""
_AUXILIARY = frozenset("is are was were does do did has have had".split())
_PRONOUNS = frozenset("i he she they we you it my his her their our your".split())


def doer(found: Answer, view: View) -> Answer:
    """The answer, with the one who does what is asked for as its value where only a sentence was found."""
    question = found.question
    if found.value is not None or not found.evidence or question.mode is not Mode.VALUE:
        return found
    if question.anchor is not None or question.relation is not Relation.AT or not _asks_for_subject(question, view):
        return found
    first = found.evidence[0]
    if (first.when.start if first.when else first.said) > question.when.end:
        return found
    told = next((one for one in view.known if (one.turn.id, one.sentence.text) == (first.source, first.text)), None)
    if told is None or said_at(told.turn) > question.now:
        return found
    who = _subject_of(told.sentence.text, question, told.turn.speaker)
    return found if who is None else replace(found, value=who, values=(who,), certainty=0.5, unknown=False)


def _asks_for_subject(question: Question, view: View) -> bool:
    """Not "Who is Ann engaged to?", nor "Who did she marry?"."""
    match = _WHO.match(question.text)
    if match is None:
        return False
    after = re.sub(r"['’]s?$", "", match["next"]).casefold()
    auxiliary = match["word"] is None or match["word"].lower() in _AUXILIARY
    person = after in _PRONOUNS or any(after == name.casefold().split()[0] for name in view.people if name)
    owned = re.search(r"['’]s?$", match["next"]) is not None
    return not (auxiliary and (person or owned))


def _subject_of(text: str, question: Question, speaker: str) -> str | None:
    """The subject of the one clause that says most of what is asked; None where it is a pronoun or no name."""
    asked = telling_words(question) - {singular(w) for w in words_of(question.subject or "")} or telling_words(question)
    office = _OFFICE.search(question.text)
    if office and singular(office[1].lower()) not in {singular(word) for word in words_of(text)}:
        return None  # a member of the club need not be its chair
    verbal = [clause for clause in clauses(tokenize(text)) if clause.verb is not None]
    if len(verbal) == 1:  # pieces without a verb belong to it: "Ann looks after the boat"
        shared = [(len(asked & {singular(word) for word in words_of(text)}), verbal[0])]
    else:
        shared = [(len(asked & _said(clause)), clause) for clause in verbal]
    most = max((count for count, _ in shared), default=0)
    best = [clause for count, clause in shared if count == most]
    if not most or 2 * most < len(asked) or len(best) != 1 or not best[0].subjects:
        return None
    verb, subject = best[0].verb, best[0].subjects[0]
    if verb is None or verb.negated or verb.ended or verb.phase in (Phase.STOP, Phase.USED):
        return None
    if _IS.match(question.text) and verb.lemma not in _HOLDING:
        return None  # who hands over the books, or steps down as chair, is not the one who is
    named = subject.is_name and all(word.text.isalpha() for word in subject.words)
    name = speaker if subject.head == "i" else subject.text(text) if named else ""
    return name if name and not same_subject(name, question.subject or "") else None


def _said(clause: Clause) -> frozenset[str]:
    """What a clause says of its subject."""
    words = frozenset(token.low for token in clause.rest) | ({clause.verb.lemma} if clause.verb else frozenset())
    return frozenset(singular(word) for word in words) - FUNCTION_WORDS
