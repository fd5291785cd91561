"""Matching: the elements of a frame against the tokens after a verb."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.words import ADVERBS, Token

_PARTICLES = frozenset(
    "back over down up out off away in across on around through along right straight all the way home together again forward round".split()
)
_DATIVES = frozenset(["me", "us", "myself", "himself", "herself", "themselves", "ourselves"])
_OBJECTS = frozenset(["me", "him", "her", "us", "them"])


class Match(NamedTuple):
    """What the slots of a frame caught, and the index after it."""

    value: NounPhrase | None = None
    person: NounPhrase | None = None
    old: NounPhrase | None = None
    """The value that the new one takes the place of."""
    end: int = 0


def match(elements: Sequence[str], tokens: Sequence[Token]) -> Match | None:
    """The frame ``elements`` (see ``frames``) at the beginning of ``tokens``, or None."""
    return _match(elements, 0, tokens, 0, Match())


def skip_adverbs(tokens: Sequence[Token], i: int) -> int:
    """The index of the first token at or after ``i`` that is neither an adverb nor a time expression."""
    while i < len(tokens) and (tokens[i].kind == "time" or tokens[i].low in ADVERBS):
        i += 1
    return i


def _match(elements: Sequence[str], e: int, tokens: Sequence[Token], i: int, caught: Match) -> Match | None:
    if e == len(elements):
        return caught._replace(end=i)
    element, end = elements[e], len(tokens)
    words = _words(element)
    while i < end and tokens[i].low not in words:
        if tokens[i].low == "any" and i + 1 < end and tokens[i + 1].low == "more":
            i += 2  # "is not any more vegan"
        elif tokens[i].kind == "time" or tokens[i].low in ADVERBS:
            i += 1
        else:
            break
    here = i < end and tokens[i].low in words
    if element == "$":
        return caught._replace(end=i) if i >= end else None
    if element.startswith("!"):
        refused = i < end and tokens[i].low == element[1:]
        return None if refused else _match(elements, e + 1, tokens, i, caught)
    if element == "~":
        return _match_particles(elements, e, tokens, i, caught)
    if element.startswith("("):
        with_it = _match(elements, e + 1, tokens, i + 1, caught) if here else None
        return with_it or _match(elements, e + 1, tokens, i, caught)
    if here:
        return _match(elements, e + 1, tokens, i + 1, caught)
    if element in ("_", "-", "@", "&", "*") or element.isupper() or "*" in words:
        return _match_phrase(elements, e, tokens, i, caught)
    return None


@cache
def _words(element: str) -> frozenset[str]:
    """The words that an element of a frame stands for."""
    return frozenset(element.strip("()").split("|"))


def _match_particles(elements: Sequence[str], e: int, tokens: Sequence[Token], i: int, caught: Match) -> Match | None:
    """As few particles as make the rest fit."""
    while True:
        rest = _match(elements, e + 1, tokens, i, caught)
        if rest is not None or i >= len(tokens):
            return rest
        if not (tokens[i].low in _PARTICLES or tokens[i].low in ADVERBS or tokens[i].kind == "time"):
            return None
        i += 1


def _match_phrase(elements: Sequence[str], e: int, tokens: Sequence[Token], i: int, caught: Match) -> Match | None:
    element = elements[e]
    if element not in ("@", "&") and i < len(tokens) and tokens[i].low in _DATIVES and _phrase(tokens, i + 1):
        i += 1  # The dative in "got myself a Yaris", "bought us a flat" is not the value.
    phrase = _phrase(tokens, i)
    if phrase is None:
        return None
    if element == "_":
        caught = caught._replace(value=phrase)
    elif element == "-":
        caught = caught._replace(old=phrase)
    elif element == "@":
        phrase = _name_only(phrase)
        if not (phrase.is_name or phrase.head in _OBJECTS or "kin" in phrase.kinds):
            return None
        if phrase.determiner in ("the", "a", "an", "my", "our") and "kin" not in phrase.kinds:
            return None  # "let the Leaf go": a thing
        caught = caught._replace(person=phrase)
    elif element == "&":
        if phrase.head not in _OBJECTS:
            return None
        caught = caught._replace(person=phrase)
    elif element == "KEYS":
        if phrase.head not in ("keys", "key"):
            return None
    elif element.isupper() and element.lower() not in phrase.kinds:
        return None
    found = _match(elements, e + 1, tokens, phrase.end, caught)
    if found is None and element == "_" and len(phrase.words) > 1 and phrase.words[-1].forms:
        # "let my membership lapse": what looked like the head is the next element of the frame.
        phrase = phrase._replace(words=phrase.words[:-1], end=phrase.end - 1)
        found = _match(elements, e + 1, tokens, phrase.end, caught._replace(value=phrase))
    return found


def _phrase(tokens: Sequence[Token], i: int) -> NounPhrase | None:
    phrase = noun_phrase(tokens, i)
    if phrase and phrase.is_pronoun and phrase.head in ("there", "here", "what", "which", "who"):
        return None
    return phrase


def _name_only(phrase: NounPhrase) -> NounPhrase:
    """The name in "made Priya partner", where the phrase runs on into what she was made."""
    names = 0
    while names < len(phrase.words) and phrase.words[names].capital:
        names += 1
    if names in (0, len(phrase.words)):
        return phrase
    return phrase._replace(words=phrase.words[:names], end=phrase.end - (len(phrase.words) - names))
