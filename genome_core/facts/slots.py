"""One attribute of one subject with all that is known of it: facts and candidate sentences resolved to windows, and the answers
that can be built from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.candidates import THING_ATTRIBUTES, Candidate, candidates, hear
from genome_core.facts.layers import Tier, alike
from genome_core.facts.likeness import Prototypes
from genome_core.facts.log import Knowledge, Window, knowledge, timeline
from genome_core.facts.questions import Question
from genome_core.facts.relevance import Stated, Told
from genome_core.facts.sentences import said_at, was_known
from genome_core.facts.windows import same_value
from genome_core.types import Fact, FactKind, TimeSpan


class Rests(StrEnum):
    """What an answer rests on."""

    FACTS = "facts"
    SENTENCES = "sentences"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence that an answer rests on."""

    source: str
    """Id of the record that holds it."""
    text: str
    when: TimeSpan | None
    """When what it says began (or ended), as resolved; None if it does not tell."""
    said: datetime


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known about a question.

    ``unknown`` is True where the log has never heard of it; a value that is known to have ended or never to have been so gives
    ``value`` None with ``unknown`` False. ``value`` None with ``evidence`` means: these sentences speak of it, read them.
    """

    question: Question
    value: str | None = None
    """The answer in words; several values that hold together are joined."""
    values: tuple[str, ...] = ()
    """All values asked for, in order of time."""
    window: Window | None = None
    certainty: float = 0.0
    facts: tuple[Fact, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    rests: Rests = Rests.NONE
    unknown: bool = True


@dataclass(frozen=True)
class View:
    """What is given, from which the slots are made."""

    question: Question
    facts: Sequence[Fact]
    sentences: Sequence[Told]
    table: AttributeTable
    prototypes: Prototypes | None
    people: Collection[str]
    known_at: datetime | None
    believer: str
    tier: Tier = alike
    """How far each origin is trusted."""

    @cached_property
    def known(self) -> list[Told]:
        """The sentences known by ``known_at`` and said by the time of asking."""
        known_at, now = self.known_at, self.question.now
        return [one for one in self.sentences if said_at(one.turn) <= now and was_known(one.turn, known_at)]

    @cached_property
    def heard(self) -> list[tuple[Told, Stated | None]]:
        """What the known sentences state of the subject; nothing where the question names none."""
        if self.question.subject is None:
            return [(one, None) for one in self.known]
        return hear(self.question.subject or "", self.known, self.people)

    @cached_property
    def heard_of_thing(self) -> list[tuple[Told, Stated | None]]:
        """The same for a subject that is no person."""
        return hear(self.question.subject or "", self.known, self.people, thing=True)

    def slot(self, attribute: str) -> Slot:
        read = candidates(
            self.question.subject or "",
            attribute,
            self.facts,
            self.heard_of_thing if attribute in THING_ATTRIBUTES else self.heard,
            table=self.table,
            prototypes=self.prototypes,
            people=self.people,
            believer=self.believer,
        )
        own = [f for f in self.facts if f.attribute == attribute and not any(c.dates(f) for c in read)]
        read = [
            candidate for candidate in read if not _before_it_began(candidate.fact, self._no_less(candidate.fact, own))
        ]
        read = [candidate for candidate in read if not _makes_way(candidate.fact, own)]
        many = self.table.is_many(attribute)
        entries = [*own, *(candidate.fact for candidate in read)]
        windows = timeline(entries, many=many, known_at=self.known_at, believer=self.believer, tier=self.tier)
        return Slot(self, attribute, many, tuple(entries), windows, {id(c.fact): c for c in read})

    def _no_less(self, than: Fact, facts: Sequence[Fact]) -> list[Fact]:
        """The facts that are trusted no less than another one."""
        return [fact for fact in facts if self.tier(fact.origin) >= self.tier(than.origin)]


def _makes_way(end: Fact, facts: Sequence[Fact]) -> bool:
    """ "It was too hot, so I left. Back in Perth since the 2nd": what is left in a turn is not what the turn tells next."""
    if end.kind is not FactKind.END or end.value is not None or end.valid_from is not None:
        return False
    return any(
        fact.kind is FactKind.ASSERTION and fact.source == end.source and (fact.span or (0, 0)) > (end.span or (0, 0))
        for fact in facts
    )


def _before_it_began(sentence: Fact, facts: Sequence[Fact]) -> bool:
    """Whether a sentence names a value before the time from which a fact dates it: it speaks of it, it does not hold yet.

    Not so if another value held in between: then the value may have held twice.
    """
    told = [fact for fact in facts if fact.kind is FactKind.ASSERTION and fact.value is not None]
    begins = [f.valid_from.start for f in told if f.valid_from and same_value(f.value, sentence.value)]
    said = sentence.valid_from.start if sentence.valid_from else sentence.at
    if not begins or said >= min(begins):
        return False
    others = [f.valid_from.start if f.valid_from else f.at for f in told if not same_value(f.value, sentence.value)]
    return not any(said <= moment <= min(begins) for moment in others)


@dataclass(frozen=True)
class Slot:
    view: View
    attribute: str
    many: bool
    entries: tuple[Fact, ...]
    windows: list[Window]
    read: Mapping[int, Candidate]
    """The candidates by the identity of the entry that stands for each."""

    @property
    def question(self) -> Question:
        return self.view.question

    def value(self, window: Window) -> str | None:
        """The window's value where it is sure: by a fact, or by a sentence that can be read in one way only."""
        candidate = self.read.get(id(window.facts[0]))
        return window.value if candidate is None else candidate.value

    def rests(self, windows: Sequence[Window]) -> Rests:
        if not windows:
            return Rests.NONE
        by_facts = all(any(id(f) not in self.read for f in w.facts) for w in windows)
        return Rests.FACTS if by_facts else Rests.SENTENCES

    def evidence(self, windows: Sequence[Window]) -> tuple[Evidence, ...]:
        """The sentences behind the windows, those that began them first."""
        found: dict[tuple[str, str], Evidence] = {}
        for window in windows:
            for fact in window.facts:
                if fact.source is not None:
                    text = self.text_of(fact)
                    found.setdefault((fact.source, text), Evidence(fact.source, text, fact.valid_from, fact.at))
        return tuple(found.values())

    def text_of(self, fact: Fact) -> str:
        """The sentence that an entry was read from; empty if it is not at hand."""
        candidate = self.read.get(id(fact))
        if candidate is not None:
            return candidate.told.sentence.text
        place = fact.span or (0, 0)
        mine = [t.sentence for t in self.view.sentences if t.turn.id == fact.source]
        return next((s.text for s in mine if s.span[0] <= place[0] < s.span[1]), mine[0].text if mine else "")

    def knowledge(self, at: datetime) -> Knowledge:
        view = self.view
        return knowledge(
            self.entries, at, many=self.many, known_at=view.known_at, believer=view.believer, tier=view.tier
        )

    def build(self, value: str | None, windows: Sequence[Window], values: Sequence[str] = ()) -> Answer:
        facts = tuple(f for w in windows for f in w.facts if id(f) not in self.read)
        return Answer(
            self.question,
            value=value,
            values=tuple(values) or ((value,) if value is not None else ()),
            window=windows[0] if windows else None,
            certainty=min((w.certainty for w in windows), default=0.0),
            facts=facts,
            evidence=self.evidence(windows),
            rests=self.rests(windows),
            unknown=not windows,
        )
