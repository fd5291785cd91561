"""Noun phrases: finding them in tokens, and what they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from genome_core.facts.nouns import FEMALE, MALE, is_kin, is_role, kinds_of, kinds_of_word
from genome_core.facts.words import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    INFLECTIONS,
    NUMBER_WORDS,
    PARTICLES,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    Form,
    Token,
)

_LINKS = frozenset("of de du del da van von der la le el al & the".split())
# Adjectives that say nothing lasting about the thing; dropped from the front of a value.
_VAGUE = frozenset(
    "new old brand-new brand shiny lovely nice great good big huge tiny little small second-hand secondhand used preowned pre-owned beautiful gorgeous amazing awesome own current former first second next same different local cool cute "
    "sweet adorable proper real actual fancy cheap decent whole crappy trusty beloved dear poor wonderful fantastic exciting other last latest previous young elderly ancient bloody damn freaking fucking gorgeous dream perfect busy".split()
)
# A verb form after "'s" that makes it "has" or "is", with words that can not follow a possessor.
_AFTER_IS = frozenset(
    "a an the at in on from with been not now gone never just finally also still back n't always already actually really so too my his her their our it out off up away home together".split()
)
_STATES = frozenset(
    "single married engaged divorced pregnant vegan vegetarian vegetarian allergic based fluent retired unemployed called named dating seeing due live paused cancelled".split()
)
_ATTRIBUTES = frozenset(
    "name surname nickname email deadline budget birthday status version commute diet address go-live eta launch rent salary job role title hobby allergy number price".split()
)
"""Nouns that own nothing, so that "'s" after them is "is" or "has": "my surname's Holt now"."""


class NounPhrase(NamedTuple):
    """A noun phrase in a token list: ``tokens[start:end]``, its content words without determiner and possessor."""

    words: tuple[Token, ...]
    start: int
    end: int
    determiner: str = ""
    possessor: NounPhrase | None = None

    @property
    def kinds(self) -> frozenset[str]:
        return _kinds(tuple(t.low for t in self.words), tuple(t.capital for t in self.words))

    @property
    def head(self) -> str:
        return self.words[-1].low if self.words else self.determiner

    @property
    def is_pronoun(self) -> bool:
        return len(self.words) == 1 and self.words[0].low in PRONOUNS

    @property
    def ends_in_name(self) -> bool:
        """Whether the head is a name: "Acme", "the new Acme", "St Mary's", but not "Acme job"."""
        words = [word for word in self.words if word.low != "'s" and word.kind == "word"]
        return bool(words) and words[-1].capital and not self.is_pronoun

    @property
    def is_name(self) -> bool:
        return any(word.capital for word in self.words) and not self.is_pronoun

    @property
    def span(self) -> tuple[int, int]:
        """Offsets in the text."""
        return self.words[0].start, self.words[-1].end

    def text(self, source: str) -> str:
        """The phrase as written, without determiner and without vague adjectives in front."""
        words = list(self.words)
        if self.possessor and self.is_name and self.possessor.is_name and words[0].capital:
            return source[self.possessor.words[0].start : words[-1].end]
        if self.possessor and self.possessor.determiner in ("a", "an") and "role" in self.kinds and not self.is_name:
            return source[self.possessor.words[0].start : words[-1].end]  # "a ship's cook"
        while len(words) > 1 and words[0].low in _VAGUE and not (words[0].capital and words[1].capital):
            words.pop(0)
        return source[words[0].start : words[-1].end].strip(" '’\"") if words else ""


@lru_cache(maxsize=8192)
def _kinds(words: tuple[str, ...], capital: tuple[bool, ...]) -> frozenset[str]:
    return kinds_of(words, capital)


def is_possessive(tokens: Sequence[Token], i: int) -> bool:
    """Whether the "'s" at ``i`` marks a possessor rather than "is" or "has"."""
    if i == 0 or tokens[i - 1].low in PRONOUNS or tokens[i - 1].kind != "word":
        return False
    if i + 1 >= len(tokens) or tokens[i + 1].kind == "mark":
        return True
    following = tokens[i + 1]
    if following.low == "no" and i + 2 < len(tokens) and tokens[i + 2].low == "longer":
        return False  # "Rory's no longer in Derry"
    if following.kind == "time" or following.low in _AFTER_IS or following.low in _STATES:
        return False
    if tokens[i - 1].low in _ATTRIBUTES and not tokens[i - 1].capital:
        return False
    after = tokens[i + 2] if i + 2 < len(tokens) else None
    if INFLECTIONS.get(following.low, frozenset()) & {Form.GERUND, Form.PARTICIPLE}:
        # "Ann's moving to", "Ann's bought a", but "Ann's sleeping bag"; a form alone at the end is a verb.
        return (
            after is not None
            and after.kind == "word"
            and not is_closed(after.low)
            and not after.capital
            and not after.forms
        )
    return following.low not in PREPOSITIONS


def is_closed(word: str) -> bool:
    """Whether a lower-case word belongs to a closed class, so that it is never part of a name or value."""
    return word in _CLOSED


_CLOSED = PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | DETERMINERS | PRONOUNS | ADVERBS | PARTICLES


def noun_phrase(tokens: Sequence[Token], i: int, *, subject: bool = False) -> NounPhrase | None:
    """The noun phrase that starts at token ``i``, or None. Pronouns count as phrases of one word.

    In a ``subject`` an "'s" before a preposition is "is" ("Ann's at home"); elsewhere it ends a name ("at St Mary's in May").
    """
    if i >= len(tokens):
        return None
    if tokens[i].low in ("both", "all", "each"):
        following = [token.low for token in tokens[i + 1 : i + 3]]
        if following in (["of", "them"], ["of", "us"]):
            return NounPhrase((tokens[i + 2],), i, i + 3)
    start, determiner = i, ""
    while i < len(tokens) and _is_determiner(tokens, i):
        determiner = tokens[i].low
        i += 1
    if i < len(tokens) and not determiner and tokens[i].low in PRONOUNS:
        return NounPhrase((tokens[i],), start, i + 1)
    if subject and not determiner and i < len(tokens) and _is_past(tokens[i]):
        return None
    if not _is_content(tokens, i, (), bool(determiner)):
        return None
    return _Phrase(tokens, start, i + 1, determiner, subject, [tokens[i]]).read()


@dataclass(slots=True)
class _Phrase:
    """A noun phrase being read, of which the first word after the determiner is known."""

    tokens: Sequence[Token]
    start: int
    i: int
    determiner: str
    subject: bool
    content: list[Token]
    possessor: NounPhrase | None = None

    def read(self) -> NounPhrase | None:
        while self.i < len(self.tokens) and self._step():
            pass
        while self.content and self.content[-1].low in _LINKS and self.content[-1].low != "van":
            self.content.pop()
            self.i -= 1
        if not self.content:
            return None
        return NounPhrase(tuple(self.content), self.start, self.i, self.determiner, self.possessor)

    def _step(self) -> bool:
        """Take in one token; False where the phrase ends."""
        tokens, i, content = self.tokens, self.i, self.content
        if content and tokens[i].low == "'s":
            return self._apostrophe()
        if tokens[i].low in ("'", "’") and content and content[-1].low.endswith("s"):
            return _is_content(tokens, i + 1, [], True) and self._owner()
        if not (content and _links(tokens, i, content)) and not _is_content(tokens, i, content, bool(self.determiner)):
            return False
        content.append(tokens[i])
        self.i += 1
        return True

    def _apostrophe(self) -> bool:
        ends = _ends_name(self.tokens, self.i, self.content)
        if ends and (is_possessive(self.tokens, self.i) or not self.subject):
            self.content.append(self.tokens[self.i])
            self.i += 1
            return False
        return is_possessive(self.tokens, self.i) and self._owner()

    def _owner(self) -> bool:
        """What was read so far owns what follows."""
        self.possessor = NounPhrase(tuple(self.content), self.start, self.i, self.determiner, self.possessor)
        self.content, self.determiner = [], "'s"
        self.i += 1
        return True


def _is_determiner(tokens: Sequence[Token], i: int) -> bool:
    return tokens[i].kind == "word" and tokens[i].low in DETERMINERS and not _is_pronoun_here(tokens, i)


def _is_past(token: Token) -> bool:
    """Whether a word at the beginning is a verb without its subject: "Started at Acme"."""
    return any(form is Form.PAST for _, form in token.forms)


def _is_pronoun_here(tokens: Sequence[Token], i: int) -> bool:
    """ "her", "that", "both", "one" and the like standing alone."""
    low = tokens[i].low
    if low not in PRONOUNS and low not in ("both", "all", "each", "another", "her", "his"):
        return False
    if i + 1 >= len(tokens) or tokens[i + 1].kind in ("mark", "time"):
        return True
    following = tokens[i + 1].low
    if low == "her" and following in ("a", "an", "the", "some", "another") and not tokens[i + 1].capital:
        return True  # "got her a Yaris"
    return following in AUXILIARIES or following in PREPOSITIONS or following in CONJUNCTIONS or following in ADVERBS


def _ends_name(tokens: Sequence[Token], i: int, content: Sequence[Token]) -> bool:
    """ "St Mary's", "McDonald's": a capitalised name whose "'s" nothing follows that could be owned."""
    return content[-1].capital and not _is_content(tokens, i + 1, [], True)


def _links(tokens: Sequence[Token], i: int, content: Sequence[Token]) -> bool:
    """Whether token ``i`` joins two parts of one name ("Bank of America") or a role to its field ("head of sales")."""
    low = tokens[i].low
    if low not in _LINKS or i + 1 >= len(tokens):
        return False
    following = tokens[i + 1]
    if low == "the":
        return content[-1].low in _LINKS and following.kind == "word"
    if (
        low == "of"
        and (is_role(content[-1].low) or content[-1].low in ("vice", "director"))
        and following.kind == "word"
    ):
        return not is_closed(following.low) or following.low == "the"
    return content[-1].capital and (
        following.capital or (following.low == "the" and i + 2 < len(tokens) and tokens[i + 2].capital)
    )


def _is_content(tokens: Sequence[Token], i: int, content: Sequence[Token], determined: bool) -> bool:
    """Whether token ``i`` can be part of a noun phrase that so far has ``content``."""
    if i >= len(tokens):
        return False
    token = tokens[i]
    if token.kind == "number":
        return True
    if token.kind != "word" or token.low.startswith("'"):
        return False
    if content and token.capital and content[-1].capital and token.low not in AUXILIARIES and token.low != "i":
        return True
    if token.low == "home" and not content and i + 1 < len(tokens) and tokens[i + 1].low in ("is", "'s"):
        return True
    if token.low == "home" and (determined or (content and not content[-1].capital)):
        return True
    if content and (token.low in NUMBER_WORDS or "weekday" in kinds_of_word(token.low)):
        return False  # "at the library Tuesdays"
    if is_closed(token.low):
        return bool(token.capital and content and content[-1].capital and token.low not in PRONOUNS) or (
            token.low in ("no", "full-time", "part-time") and determined
        )
    forms = INFLECTIONS.get(token.low)
    return forms is None or _noun_like(tokens, i, content, determined, forms)


def _noun_like(
    tokens: Sequence[Token], i: int, content: Sequence[Token], determined: bool, forms: frozenset[Form]
) -> bool:
    """Whether a word that can be a verb is a noun or an adjective here."""
    token = tokens[i]
    if token.capital and (token.low in FEMALE or token.low in MALE) and _names_here(tokens, i, content):
        return True
    if (
        content
        and content[-1].capital
        and (
            (token.low == "plan" and determined)
            or (token.low in ("launch", "release") and _verb_follows(tokens, i + 1))
        )
    ):
        return True  # "the Family plan", "the Apollo launch moved"
    if not content:
        return (
            determined
            or (token.capital and i > 0)
            or Form.GERUND in forms
            or bool(kinds_of_word(token.low))
            or Form.PARTICIPLE in forms
        )
    following = tokens[i + 1] if i + 1 < len(tokens) else None
    if forms <= {Form.PAST, Form.PARTICIPLE} or (forms & {Form.PRESENT} and not kinds_of_word(token.low)):
        return False
    if is_kin(content[-1].low) or content[-1].capital:
        return (
            Form.PRESENT not in forms
            and bool(kinds_of_word(token.low))
            and following is not None
            and not is_closed(following.low)
            and following.kind == "word"
        )
    if kinds_of_word(token.low):
        return True
    if following is None or following.kind != "word" or is_closed(following.low):
        return determined and Form.GERUND not in forms and Form.PAST not in forms
    return True


def _names_here(tokens: Sequence[Token], i: int, content: Sequence[Token]) -> bool:
    """Whether a first name that is a verb too ("Jack", "Grant") stands where only a name can."""
    if content:
        return is_kin(content[-1].low)
    following = tokens[i + 1] if i + 1 < len(tokens) else None
    return i > 0 or (
        following is not None
        and (following.low in AUXILIARIES or any(form in (Form.PAST, Form.PRESENT) for _, form in following.forms))
    )


def values_of(tokens: Sequence[Token], first: NounPhrase) -> list[NounPhrase]:
    """``first`` and the phrases coordinated with it: "French, German and Dutch"."""
    found, i = [first], first.end
    while i < len(tokens) and tokens[i].low in (",", "and", "&", "n", "or"):
        j = i + 1
        while j < len(tokens) and tokens[j].low in ("and", "bit", "also", "some", "little"):
            j += 1
        other = noun_phrase(tokens, j)
        if other is None or other.is_pronoun or _verb_follows(tokens, other.end):
            break
        found.append(other)
        i = other.end
    return found


def _verb_follows(tokens: Sequence[Token], i: int) -> bool:
    while i < len(tokens) and tokens[i].low in ADVERBS:
        i += 1
    if i >= len(tokens):
        return False
    return tokens[i].low in AUXILIARIES or any(
        form in (Form.PAST, Form.PRESENT, Form.BASE) for _, form in tokens[i].forms
    )


def skip_amount(tokens: Sequence[Token], i: int) -> int:
    """The index after "a bit of", "some" and the like in front of one more value."""
    for amount in (["a", "bit", "of"], ["a", "little"], ["a", "little", "bit", "of"], ["some"], ["also"]):
        if [token.low for token in tokens[i : i + len(amount)]] == amount:
            return i + len(amount)
    return i


def is_owned_by_speaker(phrase: NounPhrase) -> bool:
    return phrase.determiner in ("my", "our")


__all__ = ["POSSESSIVES", "NounPhrase", "is_closed", "is_owned_by_speaker", "is_possessive", "noun_phrase", "values_of"]
