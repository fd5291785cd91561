"""When something happened that is nobody's attribute ("When did she run the race?"): evidence from the turns that a search finds best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from genome_core.facts.candidates import when
from genome_core.facts.layers import Tier
from genome_core.facts.likeness import Prototypes
from genome_core.facts.passages import SHARED, by_question, shared_words, telling_words
from genome_core.facts.questions import Mode
from genome_core.facts.relevance import Told
from genome_core.facts.sentences import Modality, said_at
from genome_core.facts.slots import Answer, Evidence, Rests
from genome_core.facts.wording import say_span
from genome_core.types import TimeSpan

BEST_TURNS = 3
"""How many of the best turns are read."""
PLACE = 0.1
"""What each place in the order of the search costs, as cosine ..."""
DATED = 0.2
"""... and what a time in the sentence is worth."""
_LASTING = re.compile(r"\W*(?:and |so )?(?:since|until) when\b", re.I)


@dataclass(frozen=True, slots=True)
class _Mention:
    told: Told
    score: float
    when: TimeSpan | None


def asks_for_event(found: Answer) -> bool:
    """Whether the question is when something happened, and no fact has told it. Since when something holds, and when it ended, are
    no such questions: the sentence that speaks of it most likely tells something else of it."""
    question = found.question
    lasting = question.ended or _LASTING.match(question.text)
    return question.mode is Mode.WHEN and not lasting and found.rests is not Rests.FACTS


def dated_event(found: Answer, turns: Sequence[Sequence[Told]], prototypes: Prototypes, tier: Tier) -> Answer:
    """The answer with the sentence first that likely tells what the question names, and its time as the value if it tells one.

    ``turns`` are the sentences of the best turns of a search for the question, best first. A turn that holds less than half of
    the question's telling words tells something else. Of turns that are trusted unequally only the most trusted count.
    """
    asked = telling_words(found.question)
    near = [(place, turn) for place, turn in enumerate(turns) if turn and _tells(turn, asked)]
    trusted = max((tier(turn[0].turn.origin) for _, turn in near), default=0)
    mentions = [
        mention
        for place, turn in near
        if tier(turn[0].turn.origin) == trusted
        for mention in _mentions(found, turn, place, prototypes)
    ]
    best = max(mentions, key=lambda one: one.score, default=None)
    if best is None:
        return found
    sentence = best.told.sentence
    own = Evidence(best.told.turn.id, sentence.text, best.when, said_at(best.told.turn))
    others = tuple(one for one in found.evidence if (one.source, one.text) != (own.source, own.text))
    evidence = (own, *others)
    told = Answer(found.question, evidence=evidence, rests=Rests.SENTENCES)
    named = shared_words(asked, sentence.text)
    if best.when is None:
        return told if named == 1.0 else found  # it tells no time: it has to be about nothing else
    if named < SHARED:
        return told
    value = say_span(best.when)
    return replace(told, value=value, values=(value,), certainty=0.5, unknown=False)


def _tells(turn: Sequence[Told], asked: frozenset[str]) -> bool:
    return shared_words(asked, turn[0].turn.text) >= SHARED


def _mentions(found: Answer, turn: Sequence[Told], place: int, prototypes: Prototypes) -> list[_Mention]:
    told = [one for one in turn if Modality.QUESTION not in one.sentence.modality]
    if not told:
        return []
    scores = by_question(found.question, [one.sentence.text for one in told], told, prototypes)
    mentions = []
    for one, score in zip(told, scores, strict=True):
        start, end = when(one.sentence.times)
        time = start or end
        mentions.append(_Mention(one, score + DATED * (time is not None) - PLACE * place, time))
    return mentions
