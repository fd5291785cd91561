"""Readings, and what a later clause adds to the one just before it: a name, one more value, a date, what came instead or after.

"We got a dog" and "his name is Crumb", "works at Acme" and "a welder", "the car is gone" and "it's a Polo now": such a clause
tells nothing by itself, or tells the same again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.clauses import Clause, skip_openers
from genome_core.facts.dating import follow_up
from genome_core.facts.mentions import Referents, person
from genome_core.facts.phrases import NounPhrase, noun_phrase, skip_amount
from genome_core.facts.sentences import said_at
from genome_core.facts.statements import Statement
from genome_core.facts.time import TimeMention, TimeRole
from genome_core.facts.values import called_after, choose
from genome_core.facts.verbs import Tense
from genome_core.facts.words import singular
from genome_core.types import Fact, FactKind, Record, TimeSpan

_AND = frozenset(["and", "&", "n"])
_APPOSED = frozenset([",", "(", "-", "–", "—", ":"])
"""Openers of what says more exactly what stood before them."""
_ITS = frozenset(["his", "her", "its", "him", "it", "their", "them"])
_TRIED = frozenset(["diet", "hobby", "instrument", "gym", "membership"])
_NAMED_AFTER = frozenset(["employer", "school", "gym", "membership", "provider"])
"""Attributes whose value may be told by its kind first and by its name after a comma."""
_SUCCEEDED = frozenset(["car", "phone", "computer", "bike", "pet", "role", "instrument"])
"""Attributes whose values are known by their kind: what is named after an end takes its place."""
_CHOOSING = frozenset(["go", "be", "join", "move", "choose", "pick"])
"""Verbs with which one tells what came instead."""
_FAVOURITE = frozenset(["favourite", "favorite", "fave"])


@dataclass(frozen=True, slots=True)
class Reading:
    """A fact as read, and whether it is only planned or supposed: then it must never be stored."""

    fact: Fact
    planned: bool = False
    vague: bool = False
    """Its value names only a kind ("a car"): no fact, unless a name follows."""
    takes: str = ""
    """The kinds that its frame takes, for what is coordinated with its value."""


def note(reading: Reading, found: list[Reading]) -> None:
    """Add a reading to those of its turn; what only repeats or details an earlier one replaces it."""
    for i, earlier in enumerate(found):
        if _says_again(reading, earlier):
            # "The Yaris is gone, I sold it in May"; "moved out in May, got a flat in Nantes": one change, one date.
            begins = reading.fact.valid_from or earlier.fact.valid_from
            found[i] = replace(reading, fact=replace(reading.fact, valid_from=begins))
            return
    found.append(reading)


def _says_again(reading: Reading, earlier: Reading) -> bool:
    """Whether a reading is of the change that an earlier one told without its date or its value."""
    fact, before = reading.fact, earlier.fact
    if reading.planned or earlier.planned or (before.subject, before.attribute) != (fact.subject, fact.attribute):
        return False
    same = before.kind is fact.kind and (before.value == fact.value or before.value is None)
    left = before.kind is FactKind.END and before.value is None and fact.kind is FactKind.ASSERTION
    return (same and before.valid_from is None) or left


def named_pet(statement: Statement, last: Reading) -> Reading | None:
    """ "We got a dog, his name is Crumb", "we named him Soot": the pet just spoken of with its name; None where none is named."""
    pet, about = last.fact.value, statement.about
    if last.fact.attribute != "pet" or not statement.value or not pet:
        return None
    if about is None or about.head not in _ITS:
        return None
    return last if pet[0].isupper() else _valued(last, f"{statement.value} the {pet}")


class Continuation(NamedTuple):
    """A clause that tells no fact by itself."""

    clause: Clause
    times: Sequence[TimeMention]
    turn: Record
    referents: Referents
    table: AttributeTable

    def extend(self, found: list[Reading]) -> None:
        """Let the clause date, extend or replace the last of the readings of its turn."""
        if not found:
            return
        last = found[-1]
        if self._ended_soon(last.fact):
            found.pop()
            return
        following = self._instead(last.fact) or self._succeeded(last)
        if following is not None:
            found.append(following)
            return
        dated = follow_up(self.clause, self.times, said_at(self.turn))
        if dated and last.fact.valid_from is None and last.fact.kind is not FactKind.RETRACTION and not last.planned:
            _redate(found, dated)
        elif self.clause.verb is None:
            found[-1:] = self._detailed(last)

    def _ended_soon(self, last: Fact) -> bool:
        """ "Went vegan, lasted a week", "it didn't last"."""
        verb = self.clause.verb
        tried = last.kind is FactKind.ASSERTION and last.attribute in _TRIED
        return tried and verb is not None and verb.lemma == "last" and verb.tense is Tense.PAST

    def _instead(self, last: Fact) -> Reading | None:
        """What came instead of what was just denied: "she never joined Google. She went to Microsoft"."""
        clause, verb = self.clause, self.clause.verb
        if last.kind is not FactKind.RETRACTION or verb is None or verb.lemma not in _CHOOSING:
            return None
        phrases = (noun_phrase(clause.rest, i) for i in range(min(3, len(clause.rest))))
        name = next((phrase for phrase in phrases if phrase and phrase.is_name), None)
        subject = person(clause.subjects[0], self.referents, initial=False) if clause.subjects else None
        if name is None or subject != last.subject or verb.negated or verb.tense is Tense.FUTURE:
            return None
        return Reading(replace(last, kind=FactKind.ASSERTION, value=name.text(self.turn.text), span=clause.span))

    def _succeeded(self, last: Reading) -> Reading | None:
        """What came after what just ended: "the car is gone, it's a Polo now", "gave up being a clerk: florist since May"."""
        fact, clause = last.fact, self.clause
        if fact.kind is not FactKind.END or last.planned or fact.attribute not in _SUCCEEDED:
            return None
        if not self._tells_what_is():
            return None
        phrase = noun_phrase(clause.rest, skip_openers(clause.rest, 0))
        if phrase is None or phrase.is_pronoun or fact.attribute not in phrase.kinds:
            return None
        value = phrase.text(self.turn.text)
        if value == fact.value:
            return None
        begins = next((m.start for m in self.times if m.role is not TimeRole.DURATION), None)
        new = replace(fact, kind=FactKind.ASSERTION, value=value, valid_from=begins, span=clause.span)
        return replace(last, fact=new)

    def _tells_what_is(self) -> bool:
        """ "It's a Polo now", "I'm a florist", and without a verb "florist since May"."""
        verb, subjects = self.clause.verb, self.clause.subjects
        if verb is None:
            return any(mention.role is TimeRole.SINCE for mention in self.times)
        if verb.lemma != "be" or verb.tense is not Tense.PRESENT or verb.negated:
            return False
        return not subjects or subjects[0].head in ("it", "i", "that")

    def _detailed(self, last: Reading) -> list[Reading]:
        """The last reading with what a phrase without a verb adds to it, or as it was."""
        tokens = self.clause.tokens
        phrase = noun_phrase(tokens, skip_amount(tokens, skip_openers(tokens, 0)))
        if phrase is None or phrase.is_pronoun or not last.takes or last.fact.kind is not FactKind.ASSERTION:
            return [last]
        if phrase.words[0].low in _FAVOURITE:
            return [last]  # It names an attribute.
        takes = " ".join(entry for entry in last.takes.split() if not entry.startswith("any:"))
        many = self.table.is_many(last.fact.attribute)
        detail = _Detail(last, self.clause, phrase, self.turn.text, choose(takes, phrase), many)
        return next((found for reads in _DETAILS if (found := reads(detail))), [last])


def _redate(found: list[Reading], dated: tuple[TimeSpan | None, TimeSpan | None]) -> None:
    """Give the date to the last fact and to those read from the same words."""
    span = found[-1].fact.span
    for i, reading in enumerate(found):
        if reading.fact.span == span and reading.fact.valid_from is None:
            ends = dated[1] if reading.fact.kind is FactKind.ASSERTION else None
            found[i] = replace(reading, fact=replace(reading.fact, valid_from=dated[0], valid_to=ends))


class _Detail(NamedTuple):
    """A phrase without a verb that stands after a reading."""

    last: Reading
    clause: Clause
    phrase: NounPhrase
    source: str
    """The text of the turn."""
    attribute: str | None
    """What the phrase would be a value of, by what the frame of the reading takes."""
    many: bool
    """Whether the attribute of the reading can hold several values."""

    @property
    def text(self) -> str:
        return self.phrase.text(self.source)

    @property
    def alike(self) -> bool:
        """Whether the phrase is a value of the same attribute."""
        return self.attribute == self.last.fact.attribute

    @property
    def whole(self) -> bool:
        """Whether no word follows the phrase."""
        tokens = self.clause.tokens
        return self.phrase.end >= len(tokens) or tokens[self.phrase.end].kind != "word"

    @property
    def named(self) -> bool:
        """Whether the clause is a mere name of no known thing."""
        phrase = self.phrase
        return self.whole and phrase.is_name and phrase.kinds <= {"name", "firstname"} and not phrase.determiner


def _names_of_kin(detail: _Detail) -> list[Reading] | None:
    """ "Two brothers, Tom and Ned", "a baby girl, Rosa": each name a value, the first in place of the kind."""
    last, value = detail.last, detail.last.fact.value
    if not detail.named or last.fact.attribute not in ("children", "siblings"):
        return None
    said = _valued(last, detail.text, vague=False)
    return [last, said] if value and value[0].isupper() else [said]


def _names_of_pets(detail: _Detail) -> list[Reading] | None:
    """ "Two cats, Soot and Crumb": each name a value, the first in place of the kind."""
    last, value = detail.last, detail.last.fact.value
    if not detail.named or last.fact.attribute != "pet" or not value:
        return None
    said = _valued(last, detail.text)
    if _is_plural(value):
        return [said]
    return [last, said] if " the " not in value and detail.clause.opener in _AND else None


def _pet_called(detail: _Detail) -> list[Reading] | None:
    """ "We got a dog, a beagle called Crumb": Crumb the beagle."""
    called = called_after(detail.clause.tokens, detail.phrase.end, detail.source)
    if detail.last.fact.attribute != "pet" or not detail.alike or not called or detail.clause.opener != ",":
        return None
    return [_valued(detail.last, f"{called} the {detail.text}")]


def _one_more(detail: _Detail) -> list[Reading] | None:
    """ "I play the cello and the harp", "I speak Danish. Polish too"."""
    last, clause = detail.last, detail.clause
    added = clause.opener in _AND or clause.opener == "," or clause.tokens[-1].low in ("too", "also")
    if not detail.many or not detail.alike or not added:
        return None
    return [last, replace(last, fact=replace(last.fact, value=detail.text, span=detail.phrase.span))]


def _after_its_kind(detail: _Detail) -> list[Reading] | None:
    """ "I bought a car. A Yaris": the value in place of what only names its kind."""
    last, phrase = detail.last, detail.phrase
    kind_only = last.vague or last.fact.value == "band"
    fits = detail.alike or (phrase.is_name and phrase.determiner == "")
    return [_valued(last, detail.text, vague=False)] if detail.whole and kind_only and fits else None


def _name_after_its_kind(detail: _Detail) -> list[Reading] | None:
    """ "Signed with a start-up, Novagrid": the name in place of the kind."""
    last = detail.last
    if not detail.named or detail.phrase.kinds != {"name"} or detail.clause.opener not in _APPOSED:
        return None
    if last.fact.attribute not in _NAMED_AFTER or not (last.fact.value or "").islower():
        return None
    return [_valued(last, detail.text, vague=False)]


def _name_of_pet(detail: _Detail) -> list[Reading] | None:
    """ "We adopted a beagle, Crumb": Crumb the beagle."""
    last, phrase = detail.last, detail.phrase
    if last.fact.attribute != "pet" or not last.fact.value or detail.clause.opener != ",":
        return None
    name = detail.whole and phrase.is_name and len(phrase.words) == 1
    return [_valued(last, f"{detail.text} the {last.fact.value}")] if name else None


def _role_there(detail: _Detail) -> list[Reading] | None:
    """ "I work at Acme, a welder": the role with the employer."""
    last, phrase = detail.last, detail.phrase
    if last.fact.attribute != "employer" or "role" not in phrase.kinds or detail.clause.opener not in (",", "as"):
        return None
    if not detail.whole or phrase.is_name:
        return None
    return [last, replace(last, fact=replace(last.fact, attribute="role", value=detail.text, span=phrase.span))]


_DETAILS: Sequence[Callable[[_Detail], list[Reading] | None]] = (
    _names_of_kin,
    _names_of_pets,
    _pet_called,
    _one_more,
    _after_its_kind,
    _name_after_its_kind,
    _name_of_pet,
    _role_there,
)
"""What a phrase may add; the first that fits counts."""


def _valued(reading: Reading, value: str, *, vague: bool | None = None) -> Reading:
    """The reading with another value."""
    return replace(reading, fact=replace(reading.fact, value=value), vague=reading.vague if vague is None else vague)


def _is_plural(value: str) -> bool:
    """Whether a value names several of a kind and none of them: "two cats"."""
    return value.islower() and singular(value.split()[-1]) != value.split()[-1]
