"""What a store knows: the fact log and the questions put to it, behind the fact verbs of ``Memory``."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from genome_core.audit import past
from genome_core.caching import LeastRecentlyUsed
from genome_core.errors import InvalidInput
from genome_core.facts import log
from genome_core.facts.answers import Answer, Evidence, Rests, answer
from genome_core.facts.attributes import AttributeTable
from genome_core.facts.candidates import Told
from genome_core.facts.events import BEST_TURNS, asks_for_event, dated_event
from genome_core.facts.likeness import Embed, Prototypes
from genome_core.facts.log import Conflict, Window
from genome_core.facts.questions import Question, read_question
from genome_core.facts.sentences import Sentence, read_sentences, was_known
from genome_core.facts.wording import say_day, say_span
from genome_core.protocols import Clock, Vectors
from genome_core.storage import facts as fact_log
from genome_core.storage import reading
from genome_core.storage.database import Database
from genome_core.storage.moments import to_micros
from genome_core.storage.writing import RecordWriter
from genome_core.trust import TrustPolicy
from genome_core.types import Fact, FactKind, Namespace, Precision, Record, Scope, TimeSpan

_REMEMBERED = 20_000
"""How many sentences keep their reading and their vector in memory."""

Moment = datetime | TimeSpan | None
"""An instant, a stretch in which it lies, or None where it is not known."""


class Turns(Protocol):
    """Where the sentences come from."""

    def speakers(self, scope: Scope) -> list[str]:
        """Who speaks in a scope."""

    def about(self, scope: Scope, texts: Sequence[str], at: datetime) -> list[tuple[Record, Sequence[Record]]]:
        """The turns said by ``at`` that the texts are about, each with the turns just before it, oldest first."""

    def best(self, scope: Scope, text: str, at: datetime, limit: int) -> list[tuple[Record, Sequence[Record]]]:
        """The best turns of a search among those said by ``at``, each with the turns just before it, best first."""


class Knowledge:
    """The fact verbs over one store. ``turns`` finds what a question is about; ``embed`` gives vectors for sentences,
    ``embed_examples`` for those that are the same in every process."""

    def __init__(
        self,
        database: Database,
        writer: RecordWriter,
        table: AttributeTable,
        turns: Turns,
        embed: Embed,
        embed_examples: Embed,
        clock: Clock,
        trust: TrustPolicy,
    ) -> None:
        self._database = database
        self._writer = writer
        self._table = table
        self._turns = turns
        self._embed = embed
        self._clock = clock
        self._trust = trust
        self._vectors: LeastRecentlyUsed[str, NDArray[np.float32]] = LeastRecentlyUsed(_REMEMBERED)
        self._sentences: LeastRecentlyUsed[Hashable, list[Sentence]] = LeastRecentlyUsed(_REMEMBERED)
        self._prototypes = Prototypes(table, self._embedded, embed_examples)

    def forget(self) -> None:
        """Drops what is remembered of sentences: call when something was erased."""
        self._vectors = LeastRecentlyUsed(_REMEMBERED)
        self._sentences = LeastRecentlyUsed(_REMEMBERED)

    # --- the log -----------------------------------------------------------------------------------------------------

    def state(self, namespace: Namespace, fact: Fact, now: datetime) -> str:
        """Adds one entry to the log, after checking it against what the scope knows; returns its id."""
        log.check(fact)
        if fact.kind is FactKind.END:
            scope = Scope(namespace, origins=self._trust.origins(self._trust.tier(fact.origin)))
            known = self._entries(scope, fact.subject, fact.attribute, None)
            log.check_end(known, fact, many=self._table.is_many(fact.attribute), tier=self._trust.tier)
        [id] = self._writer.assert_facts(namespace, [fact], to_micros(now))
        return id

    def entries(
        self, scope: Scope, subject: str | None, attribute: str | None, known_at: datetime | None
    ) -> list[Fact]:
        return self._entries(scope, subject, attribute and self._table.canonical(attribute), known_at)

    def windows(
        self, scope: Scope, subject: str | None, attribute: str | None, known_at: datetime | None, believer: str
    ) -> list[Window]:
        """What held when, slot by slot: sorted by subject and attribute, then by time."""
        found: list[Window] = []
        for (_, name), facts in self._slots(scope, subject, attribute, known_at):
            many = self._table.is_many(name)
            found += log.timeline(facts, many=many, known_at=known_at, believer=believer, tier=self._trust.tier)
        return found

    def conflicts(
        self, scope: Scope, subject: str | None, attribute: str | None, known_at: datetime | None
    ) -> list[Conflict]:
        found: list[Conflict] = []
        for (_, name), facts in self._slots(scope, subject, attribute, known_at):
            found += log.conflicts(facts, many=self._table.is_many(name), known_at=known_at, tier=self._trust.tier)
        return found

    def _slots(
        self, scope: Scope, subject: str | None, attribute: str | None, known_at: datetime | None
    ) -> list[tuple[tuple[str, str], list[Fact]]]:
        slots: dict[tuple[str, str], list[Fact]] = {}
        for fact in self.entries(scope, subject, attribute, known_at):
            slots.setdefault((fact_log.subject_key(fact.subject), fact.attribute), []).append(fact)
        return sorted(slots.items())

    def _entries(
        self, scope: Scope, subject: str | None, attribute: str | None, known_at: datetime | None
    ) -> list[Fact]:
        with self._database.read() as connection:
            if known_at is not None:
                past.refuse_erased(connection, scope, known_at, self._writer.key)
            return fact_log.select(
                connection,
                scope,
                subject=subject,
                attribute=attribute,
                known_at=None if known_at is None else to_micros(known_at, "known_at"),
                now=to_micros(self._clock()),
            )

    # --- questions ---------------------------------------------------------------------------------------------------

    def ask(
        self, question: str, scope: Scope, at: datetime, known_at: datetime | None, believer: str, asker: str
    ) -> Answer:
        """Answers from the facts and from the sentences of the turns that the question is about."""
        with self._database.read() as connection:
            if known_at is not None:
                past.refuse_erased(connection, scope, known_at, self._writer.key)
            subjects = fact_log.subjects(connection, scope)
        names = sorted({*subjects, *self._turns.speakers(scope)})
        read = read_question(question, at, names, self._table, asker=asker, likeness=self._prototypes.likeness)
        turns = self._turns.about(scope, [question, *self._probes(read)], at)
        entries = self._entries(scope, read.subject, None, known_at) if read.subject else []
        found = answer(
            read,
            entries,
            [one for sentences in self._told(turns, scope, believer, known_at) for one in sentences],
            table=self._table,
            prototypes=self._prototypes,
            people=names,
            known_at=known_at,
            believer=believer,
            tier=self._trust.tier,
        )
        if asks_for_event(found):
            best = self._told(self._turns.best(scope, question, at, BEST_TURNS), scope, believer, known_at)
            found = dated_event(found, best, self._prototypes, self._trust.tier)
        return self._quoted(found, entries, scope)

    def _told(
        self,
        turns: Sequence[tuple[Record, Sequence[Record]]],
        scope: Scope,
        believer: str,
        known_at: datetime | None,
    ) -> list[list[Told]]:
        """The sentences of each turn that was known and is not what somebody else believes."""
        return [
            [Told(sentence, turn) for sentence in self._read(turn, before, scope)]
            for turn, before in turns
            if turn.believer in ("", believer) and was_known(turn, known_at)
        ]

    def _quoted(self, found: Answer, entries: Sequence[Fact], scope: Scope) -> Answer:
        """The answer with the words of facts whose turns were not looked at: said after the time of asking, or one of very many."""
        bare = sorted({one.source for one in found.evidence if not one.text})
        if not bare:
            return found
        with self._database.read() as connection:
            stored = reading.by_ids(connection, scope, bare, to_micros(self._clock()))
        turns = {(one.record.namespace, one.record.id): one.record for one in stored}
        said = {(f.source, f.at): (turns.get((f.namespace, f.source or "")), f.span or (0, 0)) for f in entries}

        def quoted(one: Evidence) -> Evidence:
            turn, (start, _) = said.get((one.source, one.said), (None, (0, 0)))
            if one.text or turn is None:
                return one
            sentences = self._read(turn, (), scope)
            return replace(one, text=next((s.text for s in sentences if s.span[0] <= start < s.span[1]), turn.text))

        return replace(found, evidence=tuple(quoted(one) for one in found.evidence))

    def _probes(self, question: Question) -> list[str]:
        """Plain sentences about the subject, to find the turns that state its attribute in any words."""
        if not question.attributes or question.subject is None:
            return []
        known = self._table.get(question.attributes[0])
        examples = known.prototypes if known else ()
        return [f"{question.subject}: {example}" for example in examples[:2]] or [
            f"{question.subject}'s {question.attributes[0]}"
        ]

    def _read(self, turn: Record, before: Sequence[Record], scope: Scope) -> list[Sentence]:
        """The sentences of a turn; none before it that is trusted less tells who "she" is."""
        tier = self._trust.tier
        trusted = [one for one in before if tier(one.origin) >= tier(turn.origin)]
        # A version number may come again after a deletion.
        key = (turn.namespace, turn.id, turn.version, turn.updated_at, scope.origins)
        return self._sentences.get(key) or self._sentences.put(key, read_sentences(turn, lambda: trusted))

    def _embedded(self, texts: Sequence[str]) -> Vectors:
        """The vectors of sentences, embedded once while they are remembered."""
        known = {text: self._vectors.get(text) for text in texts}
        new = [text for text, vector in known.items() if vector is None]
        fresh = {text: self._vectors.put(text, row) for text, row in zip(new, self._embed(new), strict=True)}
        return np.stack([vector for text in texts if (vector := fresh.get(text, known[text])) is not None])


def fact_lines(found: Answer, trust: TrustPolicy) -> list[str]:
    """What a prompt should know of an answer: its window in a line, nothing where it does not rest on facts."""
    sure = found.value is not None and found.rests is Rests.FACTS and found.window is not None
    return [told_line(found.window, trust)] if sure and found.window else []


def told_line(window: Window, trust: TrustPolicy) -> str:
    """A window in words and, where no person said it, its origin and trust: that of the least trusted fact behind it."""
    origin = trust.lowest(fact.origin for fact in window.facts)
    return window_line(window) if origin == "user" else f"{window_line(window)} (origin {trust.label(origin)})"


def window_line(window: Window) -> str:
    """A window in words: ``Ann: home = Oslo (since March 2024)``."""
    fact = window.facts[0]
    since = f"since {say_span(window.start)}" if window.start else f"seen {say_day(window.begins)}"
    until = f" until {say_span(window.end)}" if window.end else ""
    return f"{fact.subject}: {fact.attribute} = {window.value} ({since}{until})"


def as_span(moment: Moment, what: str) -> TimeSpan | None:
    """An instant as a span; checks that there is a time zone."""
    if moment is None or isinstance(moment, TimeSpan):
        return moment
    if not isinstance(moment, datetime):
        raise InvalidInput(f"{what} is {moment!r}", hint="give an aware datetime or a TimeSpan")
    to_micros(moment, what)
    return TimeSpan(moment, moment, Precision.INSTANT)
