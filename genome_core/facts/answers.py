"""Answering a question from facts and sentences on one time axis.

Facts are sure but few; sentences about the same thing are many and unsure. Both become entries of one log (see ``candidates``)
and are resolved together, so that a sentence which no rule understood still ends the window before it. Where the deciding
entry gives no sure value, the answer is the sentence itself and its date: evidence, never a made-up value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.likeness import Prototypes
from genome_core.facts.modes import answered, mentioned, words_of
from genome_core.facts.passages import best_passage, passages
from genome_core.facts.questions import Mode, Question
from genome_core.facts.relevance import Told, same_subject
from genome_core.facts.sentences import said_at
from genome_core.facts.slots import Answer, Evidence, Rests, View
from genome_core.types import Fact

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
) -> Answer:
    """Answer ``question`` from ``facts`` and ``sentences`` about its subject (others are passed over).

    ``prototypes`` (with an embedder behind them) find sentences in words that no cue foresees; without them cues decide alone.
    ``people`` are the names of the scope. ``known_at`` leaves out facts recorded and sentences said later.
    """
    table = table or AttributeTable()
    mine = [fact for fact in facts if same_subject(fact.subject, question.subject or "")]
    view = View(question, mine, sentences, table, prototypes, people, known_at, believer)
    found = _known(question, view)
    if found.value is None and not found.evidence and found.unknown and prototypes is not None:
        return _likely(question, view, prototypes) or found
    return found


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


def _likely(question: Question, view: View, prototypes: Prototypes) -> Answer | None:
    """The sentence that most likely holds the answer. "Whether" and "ever" want a yes or a no: a sentence that is only likely
    decides neither."""
    if question.mode in (Mode.WHETHER, Mode.EVER):
        return None
    found = passages(question, view.heard, view.table, prototypes)
    best = best_passage(question, found)
    if best is None:
        return None
    turn = best.told.turn
    evidence = Evidence(turn.id, best.told.sentence.text, best.when, said_at(turn))
    return Answer(question, evidence=(evidence,), rests=Rests.SENTENCES)


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
        known = [name for name in holders if name in names or not strict]
        if known:
            return sorted(known, key=lambda name: (names.index(name) if name in names else len(names), name))
    return names[:1]
