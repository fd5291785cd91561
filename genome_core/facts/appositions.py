"""Appositions: what a person is, said between commas: "my nephew Dean, a plumber, ..."."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from genome_core.facts.clauses import Clause, last_phrase
from genome_core.facts.nouns import is_kin
from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.statements import Statement
from genome_core.facts.status import Status

_FORMER = frozenset("former ex retired late old future aspiring wannabe".split())


def apposed_roles(clauses: Sequence[Clause], text: str) -> Iterator[tuple[int, Statement]]:
    """The roles in apposition to a person, each with the index of its clause."""
    for at in range(1, len(clauses)):
        clause = clauses[at]
        if clause.verb is not None or clause.opener not in (",", "(", "-", "–", "—"):
            continue
        start = 1 if clause.tokens[0].low == "now" else 0
        role = noun_phrase(clause.tokens, start)
        if role is None or role.end != len(clause.tokens) or "role" not in role.kinds or role.is_name:
            continue
        person = last_phrase(clauses[at - 1])
        if role.determiner not in ("a", "an", "the") or role.words[0].low in _FORMER or not _is_someone(person, role):
            continue
        said = Statement("role", role.text(text), Status.HOLDS, clause, False, about=person, phrase=role)
        yield at, said


def _is_someone(person: NounPhrase | None, role: NounPhrase) -> bool:
    """Whether a phrase names one of the family; a bare name only tells with "a" ("Tom, the plumber" may be addressed)."""
    if person is None or person.is_pronoun:
        return False
    kin = any(is_kin(word.low) for word in person.words) or person.determiner in ("our", "their")
    return kin or (person.is_name and role.determiner != "the" and "firstname" in person.kinds)
