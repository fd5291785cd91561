"""Values for an answer that so far has only sentences: chosen where they clearly give one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from genome_core.facts.candidates import entry
from genome_core.facts.choosing import choose
from genome_core.facts.likeness import Prototypes
from genome_core.facts.modes import answered
from genome_core.facts.passages import HINTING, Passage, none_later
from genome_core.facts.questions import Mode, Question, Relation
from genome_core.facts.reading import wanted_kinds
from genome_core.facts.slots import Answer, Rests, View
from genome_core.types import Fact

SURE = 0.63
"""The chance of being the right answer from which a chosen phrase is given as the value."""
_BIAS, _CHOICE, _LAST, _DATED = -0.5, 0.4, 0.9, 1.0
"""What that chance is weighed from, in log odds: the odds of the choice, the logarithm of the chance that no later sentence speaks of it
too, a time in the sentence. Near what logistic regression gave on conversations of several authors, each left out once."""
CERTAINTY = 0.5
"""The certainty of an answer with a chosen value."""


def valued(found: Answer, likely: Sequence[Passage], view: View, prototypes: Prototypes) -> Answer:
    """The answer, with values chosen in its sentences where it has none. ``likely`` are the sentences that speak of the attribute."""
    question = view.question
    if found.value is not None or not found.evidence or not question.subject or not _askable(question):
        return found
    if found.rests is Rests.FACTS:
        return found  # an end is known: there is no value
    if question.mode is Mode.HISTORY:
        return _list(found, likely, view, prototypes)
    if question.mode is not Mode.VALUE or question.anchor is not None or question.relation is not Relation.AT:
        return found
    first = found.evidence[0]
    passage = next((p for p in likely if (p.told.turn.id, p.told.sentence.text) == (first.source, first.text)), None)
    if passage is None or passage.begins > question.when.end:
        return found
    value = _value(passage, none_later(question, likely, passage), view, prototypes)
    return found if value is None else replace(found, value=value, values=(value,), certainty=CERTAINTY, unknown=False)


def _askable(question: Question) -> bool:
    """Not "Who does she live with?", which asks for no home, nor "How much is the room?"."""
    attribute = question.attribute or ""
    if re.match(r"\W*(?:and\W+|so\W+)?how\b", question.text, re.I):
        return False
    who = re.match(r"\W*(?:and\W+|so\W+)?who\b", question.text, re.I) is not None
    return bool(attribute) and (not who or "person" in wanted_kinds(attribute) or attribute == "employer")


def _value(passage: Passage, last: float, view: View, prototypes: Prototypes) -> str | None:
    """The value that a sentence clearly gives; ``last`` is the chance that it is the last to speak of the attribute."""
    question, told = view.question, passage.told
    subject, attribute = question.subject or "", question.attribute or ""
    if passage.alike or passage.ended:
        return None
    choice = choose(told, attribute, subject, view.table, prototypes, view.people, view.facts)
    if choice is None:
        return None
    odds = math.log(choice.chance + _LEAST) - math.log(1 - choice.chance + _LEAST)
    odds = _BIAS + _CHOICE * odds + _LAST * math.log(last + _LEAST) + _DATED * (passage.when is not None)
    return choice.text if round(1 / (1 + math.exp(-odds)), 3) >= SURE else None


_LEAST = 0.001


def _list(found: Answer, likely: Sequence[Passage], view: View, prototypes: Prototypes) -> Answer:
    """The list with the values of the sentences that it missed, if every one of them gives one."""
    question, attribute = view.question, view.question.attribute or ""
    read = {fact.source for fact in view.facts if fact.attribute == attribute}
    missed = [
        p
        for p in likely
        if p.score >= HINTING and not p.ended and p.told.turn.id not in read and p.begins <= question.now
    ]
    values = [_value(p, 1.0, view, prototypes) for p in missed]
    made = [_fact(p, value, view) for p, value in zip(missed, values, strict=True) if value is not None]
    if not made or len(made) < len(missed):
        return found
    whole = answered(replace(view, facts=[*view.facts, *made]).slot(attribute))
    if whole.value is None:
        return found
    kept = tuple(fact for fact in whole.facts if fact not in made)
    return replace(whole, facts=kept, certainty=CERTAINTY, rests=Rests.SENTENCES)


def _fact(passage: Passage, value: str, view: View) -> Fact:
    """The entry of the log that stands for a sentence with a chosen value."""
    question = view.question
    fact = entry(passage.told, question.subject or "", question.attribute or "", value, CERTAINTY, view.believer)
    return replace(fact, valid_from=passage.when)
