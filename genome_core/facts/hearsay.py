"""Hearsay and doubt: what a verb of saying or thinking does to the clause after it."""

from __future__ import annotations

import re

from genome_core.facts.clauses import Clause
from genome_core.facts.mentions import FIRST_PERSON, Referents, person
from genome_core.facts.verbs import Tense

IMAGINED = re.compile(
    r"\b(?:in (?:my|a|his|her) dreams?|dream(?:t|ed)|imagine|hypothetically|in theory|as (?:if|though)|pretend|joking|kidding|what if|in another life|once upon a time|just kidding|jk|(?:yeah|oh) (?:sure|right),? and)\b"
)
"""A sentence that only plays with a thought; in lower case, as the sentence must be."""
DISOWNED = re.compile(
    r"\W*(?:(?:haha+|lol|nah|no|ok|okay|sorry|but|only|just|i'm|im)\W+)*(?:jk|j/k|kidding|joking|messing|i wish|if only|not really|yeah,? right|as if|april fools?)\b.{0,20}$"
)
"""A sentence that makes a joke of what was said before it: "Just kidding!"; in lower case."""
UNCERTAIN = frozenset(
    "maybe perhaps probably possibly supposedly allegedly presumably hopefully if imagine suppose pretend".split()
)
"""Words that make a clause a guess."""
_DOUBTS = frozenset(
    "think guess suppose hope wish imagine bet doubt assume suspect pretend reckon believe feel dream".split()
)
_KNOWING = frozenset(
    "doctor doctors gp consultant surgeon specialist vet dentist optician scan test tests results".split()
    + "card badge contract payslip letterhead certificate passport licence license nameplate lease".split()
)
"""Whose word on somebody's health is no hearsay, and papers that say what is so: "my badge says I'm a surveyor"."""


def governed(clause: Clause, believer: str, referents: Referents) -> tuple[str, bool]:
    """What a verb of saying or thinking does to the clause after it: whose belief it is, and whether it is doubted."""
    subject = clause.subjects[0] if clause.subjects else None
    verb = clause.verb
    doubted = verb is not None and (verb.lemma in _DOUBTS or verb.negated or verb.tense is Tense.FUTURE)
    if subject is None or subject.head in FIRST_PERSON:
        return believer if verb and verb.lemma not in ("hear", "read") else "someone", doubted
    if subject.head in ("it", "you", "this", "that") or subject.head in _KNOWING:
        return believer, doubted
    name = person(subject, referents, initial=False)
    return name or "someone", doubted
