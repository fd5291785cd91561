"""The rule extractor: facts from a turn, written only where the words are clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.clauses import REPORTS, Clause, Tense
from genome_core.facts.corrections import corrections
from genome_core.facts.mentions import FIRST_PERSON, Referents, person, thing
from genome_core.facts.phrases import NounPhrase
from genome_core.facts.possessed import possessed
from genome_core.facts.sentences import Modality, Parsed, parse, said_at
from genome_core.facts.statements import Statement, Status, statements
from genome_core.facts.time import TimeMention, TimeRole
from genome_core.facts.words import VERB_FORMS
from genome_core.types import Fact, FactKind, Precision, Record, TimeSpan

VERSION = "rules/1"
HEARSAY_CERTAINTY = 0.4
"""Below the log's threshold: kept, never an answer."""


@dataclass(frozen=True)
class RuleExtractor:
    """Reads facts by rules: deterministic, no model, about a millisecond a turn.

    It writes a fact only where it is sure of subject, attribute, value and tense: plans, questions, conditions, rumours and
    trips give none. ``table`` says which names an attribute has and whether it can hold several values.
    """

    table: AttributeTable = field(default_factory=AttributeTable)

    @property
    def version(self) -> str:
        return VERSION

    def extract(self, turn: Record, context: Callable[[], Sequence[Record]]) -> list[Fact]:
        """The facts of ``turn``, in the order of its words. ``turn.at`` must be set."""
        found = [fact for fact, planned in self.read(turn, context) if not planned]
        return found + corrections(self, turn, context, found)

    def read(self, turn: Record, context: Callable[[], Sequence[Record]]) -> list[tuple[Fact, bool]]:
        """The facts of ``turn`` and what it only plans, each with whether it is a plan."""
        reader = _Reader(turn, Referents(turn.speaker, context), self.table)
        for parsed in parse(turn, reader.referents):
            reader.sentence(parsed)
        return reader.facts


@dataclass
class _Reader:
    """The reading of one turn: what was said so far in it, for "it", "there" and dates that follow."""

    turn: Record
    referents: Referents
    table: AttributeTable
    facts: list[tuple[Fact, bool]] = field(default_factory=list)

    def sentence(self, parsed: Parsed) -> None:
        modality = parsed.sentence.modality
        if Modality.QUESTION in modality and not parsed.sentence.text.rstrip().endswith("!"):
            return
        words = frozenset(token.low for token in parsed.tokens) | frozenset(
            lemma for token in parsed.tokens for lemma, _ in VERB_FORMS.get(token.low, ())
        )
        doubt = bool(modality & {Modality.HEARSAY})
        believer = parsed.sentence.believer
        governed = ""
        for clause in parsed.clauses:
            if clause.verb is None:
                continue
            if clause.opener != "that":
                governed = ""
            if governed == "skip" or clause.opener in ("if", "unless", "whether", "whereas", "why", "how"):
                continue
            times = _times_of(clause, parsed)
            if self._clause(
                clause,
                words,
                times,
                believer if doubt else "",
                uncertain=Modality.HYPOTHETICAL in modality,
                trip=Modality.EVENT in modality,
            ):
                pass
            if clause.verb.lemma in REPORTS:
                governed = self._governs(clause)

    def _governs(self, clause: Clause) -> str:
        return ""

    def _clause(
        self,
        clause: Clause,
        words: frozenset[str],
        times: Sequence[TimeMention],
        believer: str,
        *,
        uncertain: bool,
        trip: bool,
    ) -> bool:
        said = possessed(clause, self.turn.text, self.table, times) or statements(clause, self.turn.text, words, times)
        done = False
        for statement in said:
            for fact, planned in self._facts(statement, times, trip=trip):
                planned = planned or uncertain
                if believer:
                    fact = replace(fact, believer=believer, certainty=HEARSAY_CERTAINTY)
                self.facts.append((fact, planned))
                done = True
        return done

    def _facts(self, statement: Statement, times: Sequence[TimeMention], *, trip: bool) -> list[tuple[Fact, bool]]:
        found = []
        for subject in self._subjects(statement):
            fact = self._fact(subject, statement, times)
            if fact and not (trip and fact.attribute == "home"):
                found.append((fact, statement.status is Status.PLANNED))
        return found

    def _subjects(self, statement: Statement) -> list[str]:
        clause = statement.clause
        if statement.about is not None:
            phrases: Sequence[NounPhrase] = (statement.about,)
        elif clause.subjects:
            phrases = clause.subjects
        else:
            return [self.referents.speaker]
        names: list[str] = []
        for phrase in phrases:
            if phrase.head in ("they", "both", "them") and phrase.is_pronoun | (phrase.head == "both"):
                names += self.referents.several()
                continue
            initial = not clause.lead and phrase.start == 0
            name = person(phrase, self.referents, initial=initial, text=self.turn.text)
            if name is None and statement.attribute in _OF_THINGS:
                name = thing(phrase, self.turn.text)
            if name:
                names.append(name)
        if statement.status is Status.ENDED and statement.attribute in ("relationship_status", "partner"):
            names = [n for n in names if n == self.referents.speaker][:1] or names[:1]
        return list(dict.fromkeys(names))

    def _fact(self, subject: str, statement: Statement, times: Sequence[TimeMention]) -> Fact | None:
        attribute, value = statement.attribute, statement.value
        if attribute == "":
            earlier = self._antecedent(subject, statement)
            if earlier is None:
                return None
            attribute, value = earlier.attribute, earlier.value
        if value == "" and statement.clause.subjects:
            value = person(statement.clause.subjects[0], self.referents, initial=False, text=self.turn.text) or ""
        if value == "" and not statement.clause.subjects:
            value = self.referents.speaker
        if value == "":
            return None
        begins, ends = window(statement, times, said_at(self.turn))
        kind = {Status.ENDED: FactKind.END, Status.DENIED: FactKind.RETRACTION}.get(
            statement.status, FactKind.ASSERTION
        )
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

    def _antecedent(self, subject: str, statement: Statement) -> Fact | None:
        """What "it" means in "sold it": the last thing of this person named in the turn."""
        things = ("car", "phone", "pet", "computer", "bike", "possession", "instrument")
        mine = [fact for fact, _ in self.facts if fact.subject == subject and fact.attribute in things]
        return mine[-1] if mine else None


_OF_THINGS = frozenset("owner status version price deadline budget manager headquarters project home".split())


def _times_of(clause: Clause, parsed: Parsed) -> tuple[TimeMention, ...]:
    """The time expressions of a clause: its own, else those before the first clause of its sentence."""
    start, end = clause.span
    clauses = parsed.clauses
    at = next((i for i, other in enumerate(clauses) if other is clause), 0)
    for other in clauses[at + 1 :]:
        if other.verb is not None:
            break
        end = max(end, other.span[1])
    own = tuple(t for t in parsed.sentence.times if start <= t.span[0] < end)
    if own:
        return own
    lead = {(token.start, token.end) for token in clause.lead}
    return tuple(t for t in parsed.sentence.times if t.span in lead)


def window(
    statement: Statement, times: Sequence[TimeMention], said: datetime
) -> tuple[TimeSpan | None, TimeSpan | None]:
    """When the value began to hold (or, for an end, ended) and when it stopped, as far as the words tell."""
    tense = statement.clause.verb.tense if statement.clause.verb else Tense.PRESENT
    mention = _best(times, statement.event)
    if mention is None:
        return None, None
    past = statement.status is Status.HELD
    if mention.role is TimeRole.UNTIL:
        return (mention.end, None) if statement.status is Status.ENDED else (None, mention.end)
    if mention.role is TimeRole.AT:
        if statement.event:
            return mention.start, None
        if past:
            return mention.start, mention.start
        covers_now = mention.start is not None and mention.start.start <= said < mention.start.end
        return (None if covers_now and tense is not Tense.PERFECT else mention.start), None
    if mention.role is TimeRole.DURATION and (statement.event or past) and tense is Tense.PAST:
        return None, None
    ends = mention.end if mention.role is TimeRole.RANGE else None
    if past and ends is None:
        ends = TimeSpan(said, said, Precision.UNKNOWN)
    return mention.start, ends


def _best(times: Sequence[TimeMention], event: bool) -> TimeMention | None:
    order = [TimeRole.RANGE, TimeRole.SINCE, TimeRole.DURATION, TimeRole.AT, TimeRole.UNTIL]
    if event:
        order = [TimeRole.AT, TimeRole.SINCE, TimeRole.RANGE, TimeRole.UNTIL, TimeRole.DURATION]
    for role in order:
        for mention in times:
            if mention.role is role:
                return mention
    return None


__all__ = ["FIRST_PERSON", "RuleExtractor"]
