"""The reading of one turn: its statements with their subjects, times and beliefs, one sentence after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from genome_core.facts.antecedents import is_thing, last_thing, named_before
from genome_core.facts.appositions import apposed_roles
from genome_core.facts.attributes import AttributeTable
from genome_core.facts.clauses import REPORTS, Clause
from genome_core.facts.continuing import Continuation, Reading, named_pet, note
from genome_core.facts.dating import begins_later, only_signed, passes, takes_effect, times_of, window
from genome_core.facts.hearsay import DISOWNED, IMAGINED, UNCERTAIN, governed
from genome_core.facts.idioms import idiomatic, lasted
from genome_core.facts.mentions import Referents, opens_sentence, person, position, thing
from genome_core.facts.nouns import gender
from genome_core.facts.phrases import NounPhrase
from genome_core.facts.possessed import OF_PRODUCTS, PERSONS, possessed
from genome_core.facts.sentences import Parsed, asked_from, said_at
from genome_core.facts.statements import SPEAKER, Statement, statements
from genome_core.facts.status import Status
from genome_core.facts.things import measured
from genome_core.facts.time import TimeMention
from genome_core.types import Fact, FactKind, Record

VERSION = "rules/1"
HEARSAY_CERTAINTY = 0.4
"""Below the log's threshold: kept, never an answer."""
_NOW = re.compile(r"\b(?:now|nowadays|these days|currently|already)\b")
_SUBORDINATE = frozenset(["since", "until", "till", "before", "while", "whenever", "when", "after"])
"""Openers of clauses that remind of what is known: they give a fact only with a date of their own."""
_NOT_SAID = frozenset(["if", "unless", "whether", "whereas", "why", "how", "where", "what"])
_OF_THINGS = frozenset("owner status version price deadline budget manager headquarters project home".split())
_KEPT = frozenset(["car", "phone", "pet", "computer", "bike", "boat", "instrument", "house"])
"""Kinds of things: a clause that takes one over as its subject means its owner ("The Yaris is gone, I sold it in May")."""
_MINE = frozenset(["i", "we", "my", "our"])
_NAMES = ("name", "nickname")


def _is_dated(clause: Clause, times: Sequence[TimeMention]) -> bool:
    """Whether the times of a clause date it: "Since 2015, when I began at Acme", but not "from 2015 till I got the Acme job"."""
    if clause.opener not in ("until", "till", "before"):
        return bool(times)
    lead = {(token.start, token.end) for token in clause.lead}
    return any(mention.span not in lead for mention in times)


def _leaves_out_whom(statement: Statement) -> bool:
    """Whether no word of the clause says whom the statement is about: then the speaker is meant, mostly."""
    return statement.about is SPEAKER or (statement.about is None and statement.clause.elliptic)


@dataclass
class Reader:
    """The reading of one turn: what was said so far in it, for "it", "there" and dates that follow."""

    turn: Record
    referents: Referents
    table: AttributeTable
    read_alone: Callable[[Record], Sequence[Fact]]
    """Reads an earlier turn, for a name that only it explains."""
    found: list[Reading] = field(default_factory=list)
    previous: Parsed | None = None
    """The sentence before."""

    def read(self, parsed: Parsed) -> None:
        if DISOWNED.match(parsed.low):
            self.found.clear()
        self.sentence(parsed)
        self.previous = parsed

    def sentence(self, parsed: Parsed) -> None:
        clauses = parsed.clauses
        if IMAGINED.search(parsed.low):
            return
        if parsed.is_question:
            clauses = clauses[: asked_from(parsed)]
        rumour = parsed.is_rumour
        believer, doubted = ("someone" if rumour else ""), False
        apposed = dict(apposed_roles(clauses, self.turn.text))
        for i, clause in enumerate(clauses):
            if clause.opener != "that":
                believer, doubted = ("someone" if rumour else ""), False
            if clause.opener in _NOT_SAID:
                continue
            if i in apposed:
                self._add([apposed[i]], (), parsed, believer=believer, planned=doubted)
                continue
            times = times_of(clause, parsed)
            said = self._said(clause, parsed, times) or self._by_idiom(clause, parsed)
            if said and not times:
                times = lasted(clause, self.turn.text, said_at(self.turn))
            reminds = clause.opener in _SUBORDINATE and not _is_dated(clause, times)
            if said and not reminds:
                lows = {token.low for token in clause.tokens}
                self._add(said, times, parsed, believer=believer, planned=doubted or bool(lows & UNCERTAIN))
            elif not said:
                Continuation(clause, times, self.turn, self.referents, self.table).extend(self.found)
            if clause.verb is not None and clause.verb.lemma in REPORTS:
                believer, doubted = governed(clause, believer, self.referents)

    def _said(self, clause: Clause, parsed: Parsed, times: Sequence[TimeMention]) -> list[Statement]:
        if clause.verb is None:
            return []
        text = self.turn.text
        return (
            possessed(clause, text, self.table, times)
            or measured(clause, text)
            or statements(clause, text, parsed.words, times)
        )

    def _by_idiom(self, clause: Clause, parsed: Parsed) -> list[Statement]:
        said = idiomatic(clause, self.turn.text)
        return [] if said and (parsed.is_question or parsed.is_supposed) else said

    def _add(
        self, said: Sequence[Statement], times: Sequence[TimeMention], parsed: Parsed, *, believer: str, planned: bool
    ) -> None:
        trip = parsed.is_trip
        now = bool(_NOW.search(parsed.low))
        for statement in said:
            pet = named_pet(statement, self.found[-1]) if self.found and statement.attribute in _NAMES else None
            if pet is not None:
                self.found[-1] = pet
                continue
            if _leaves_out_whom(statement) and self._is_of_another(statement, parsed):
                continue
            for subject in self._subjects(statement):
                fact = self._fact(subject, statement, times)
                if fact is None or (trip and fact.attribute == "home"):
                    continue
                if believer:
                    fact = replace(fact, believer=believer, certainty=HEARSAY_CERTAINTY)
                later = not now and begins_later(statement, times, fact.at, self.turn.text)
                unsure = (
                    planned
                    or later
                    or passes(statement, times, self.turn.text)
                    or only_signed(statement, parsed, fact.at)
                    or (
                        statement.status is Status.PLANNED
                        and not takes_effect(statement, times, fact.at, self.turn.text)
                    )
                )
                note(Reading(fact, unsure, statement.vague, statement.takes), self.found)

    def _is_of_another(self, statement: Statement, parsed: Parsed) -> bool:
        """Whether a sentence without "I" tells of somebody else, or led up to it: who is left out need not be the speaker then.

        What follows counts only where a thing's owner is guessed ("The Golf gave up in May, so Jonah has a Kia now").
        """
        if not _MINE.isdisjoint(parsed.words):
            return False
        if statement.about is SPEAKER and any(m.name and m.name != statement.value for m in parsed.mentioned):
            return True
        led = [] if self.previous is None or not _MINE.isdisjoint(self.previous.words) else [self.previous]
        if statement.about is SPEAKER and any(m.name for sentence in led for m in sentence.mentioned):
            return True  # "Had lunch with Tom. Three weeks into Acme and already bored."
        for clause in (clause for sentence in (parsed, *led) for clause in sentence.clauses):
            before = clause.span <= statement.clause.span
            owners = [phrase.possessor or phrase for phrase in clause.subjects] if before else []
            if any(phrase.head in ("he", "she") or self._is_named(phrase) for phrase in owners):
                return True
        return False

    def _is_named(self, phrase: NounPhrase) -> bool:
        if phrase.is_pronoun:
            return False
        return person(phrase, self.referents, initial=opens_sentence(self.turn.text, phrase)) is not None

    def _subjects(self, statement: Statement) -> list[str]:
        """Whom the statement is about, by name; none where that is not clear."""
        clause = statement.clause
        if statement.about is not None:
            phrases: Sequence[NounPhrase] = (statement.about,)
        elif clause.subjects:
            phrases = clause.subjects
        else:
            return [self.referents.speaker] if clause.elliptic else []
        names: list[str] = []
        for phrase in phrases:
            if phrase.head in ("they", "them", "both", "their"):
                names += self.referents.several(position(phrase))
                continue
            name = self._named(phrase, statement)
            if name is None and clause.inherited and statement.about is None and phrase.kinds & _KEPT:
                name = self.referents.speaker
            if name:
                names.append(name)
        if statement.attribute in ("relationship_status", "partner") and self.referents.speaker in names:
            names = [self.referents.speaker]
        return list(dict.fromkeys(names))

    def _named(self, phrase: NounPhrase, statement: Statement) -> str | None:
        if phrase.words[0].low in ("his", "her", "their") and len(phrase.words) == 1:
            return self.referents.one(phrase.head, position(phrase))
        if len(phrase.words) == 1 and phrase.head in OF_PRODUCTS:
            return last_thing(self._facts_before(self.referents.context()))
        name = (
            thing(phrase, self.turn.text)
            if statement.attribute in _OF_THINGS and phrase.words[0].low == "project"
            else None
        )
        name = name or person(phrase, self.referents, initial=opens_sentence(self.turn.text, phrase))
        if name is None and statement.attribute in _OF_THINGS:
            name = thing(phrase, self.turn.text)
            if (name is not None and name[0].isdigit()) or phrase.words[0].low == statement.value:
                return last_thing(self._facts_before(self.referents.context()))
            if phrase.head == "it" and statement.attribute in ("status", "version", "price"):
                return last_thing(self._facts_before(()))
            if name is None and statement.attribute == "owner" and not (phrase.determiner or phrase.is_pronoun):
                name = phrase.text(self.turn.text)  # "took over billing"
        return name

    def _facts_before(self, turns: Sequence[Record]) -> Iterator[Fact]:
        """The facts read so far, latest first: those of this turn, then of ``turns``."""
        yield from (reading.fact for reading in reversed(self.found))
        for turn in reversed(turns):
            yield from self.read_alone(turn)

    def _antecedent(self, subject: str) -> Fact | None:
        """What "it" means in "sold it": the last thing of this person named in the turn."""
        return next((fact for fact in self._facts_before(()) if fact.subject == subject and is_thing(fact)), None)

    def _fact(self, subject: str, statement: Statement, times: Sequence[TimeMention]) -> Fact | None:
        attribute, value = statement.attribute, statement.value
        if attribute == "":
            earlier = (
                named_before(value, self._facts_before(self.referents.context()))
                if value
                else self._antecedent(subject)
            )
            if earlier is None:
                return None
            if not value and f":{earlier.attribute}" not in f"{statement.takes} ":
                return None  # "got an iPhone and dropped it": that ends no phone
            subject, attribute, value = earlier.subject, earlier.attribute, value or earlier.value
        elif value == "":
            value = self._person_value(statement)
            if not value or value == subject:
                return None
            value = f"{statement.prefix} {value}".strip()
        elif value == subject:
            return None
        begins, ends = window(statement, times, said_at(self.turn), self.turn.text)
        kind = {Status.ENDED: FactKind.END, Status.DENIED: FactKind.RETRACTION}.get(
            statement.status, FactKind.ASSERTION
        )
        if statement.status is Status.HELD and begins is None and ends is not None:
            kind, begins = FactKind.END, ends  # "I was a clerk until 2014" is "I used to be"
        return Fact(
            subject=subject,
            attribute=self.table.canonical(attribute),
            value=value,
            kind=kind,
            valid_from=None if kind is FactKind.RETRACTION else begins,
            valid_to=None if kind is not FactKind.ASSERTION else ends,
            at=said_at(self.turn),
            source=self.turn.id or None,
            span=statement.clause.span,
            extractor=VERSION,
            origin=self.turn.origin,
            namespace=self.turn.namespace,
        )

    def _person_value(self, statement: Statement) -> str | None:
        """The value where it is a person: the other of two, or the clause's subject."""
        subjects = statement.clause.subjects
        phrase = statement.phrase or (subjects[0] if subjects else None)
        if phrase is None:
            return self.referents.speaker
        name = person(phrase, self.referents, initial=opens_sentence(self.turn.text, phrase))
        if phrase.is_pronoun and statement.attribute in PERSONS and name and gender(name) == "n":
            return None  # who "she" is may be a firm
        return None if name and name.startswith(f"{self.referents.speaker}'s ") else name
