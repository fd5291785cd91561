"""Values: which attribute a noun phrase is the value of, by its kind, and how it is written."""

from __future__ import annotations

from collections.abc import Sequence

from genome_core.facts.mentions import SOMEONE
from genome_core.facts.nouns import KIN_ATTRIBUTES, kinds_of_word
from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.words import ADVERBS, DETERMINERS, Token, singular

GENERIC = {
    "job": "employer", "employer": "employer", "company": "employer", "gym": "gym", "phone": "phone", "car": "car", "school": "school", "university": "school", "uni": "school", "bank": "provider", "provider": "provider",
    "career": "role", "city": "home", "town": "home", "flat": "home", "house": "home", "apartment": "home", "home": "home", "laptop": "computer", "club": "membership", "team": "membership", "role": "role", "network": "provider",
    "carrier": "provider", "doctor": "doctor", "dentist": "doctor", "gp": "doctor", "membership": "membership", "subscription": "provider", "dog": "pet", "cat": "pet", "bike": "bike", "diet": "diet",
}  # fmt: skip
"""Nouns that name an attribute rather than a value of it: "switched gyms to Ironworks", "sold the car"."""

EMPTY = frozenset(
    "car phone laptop computer job bike thing stuff bit lot place house flat home work role position company school gym club team member part way time people group membership subscription baby".split()
)
"""Values that say nothing by themselves."""

VAGUE_SCHOOLS = frozenset("uni university college school".split())

_NOT_PERSON = frozenset("place org school car phone food nationality language house company role event hobby".split())
_NO_HOME = frozenset("car phone computer console bike pet instrument provider language diet health food".split())
_NOT_REAL = frozenset("stuffed toy plush hot virtual plushie photo picture".split())
NOT_KEPT = frozenset("hired hire rented rental borrowed loan loaned loaner courtesy demo".split())
"""What makes a thing somebody else's: "a hired Fiat", "the courtesy car"."""
_TAILS = {
    "diet": (" diet", " thing", " food", " lifestyle"),
    "gym": (" membership",),
    "membership": (" membership",),
    "provider": (" subscription", " account", " contract", " plan"),
    "allergy": (" allergy", " intolerance", " intolerant", " allergic"),
    "health": (" diagnosis", " disease"),
    "hobby": (" classes", " class", " lessons", " lesson"),
    "instrument": (" lessons",),
}


def choose(takes: str, phrase: NounPhrase) -> str | None:
    """The attribute for a value of these kinds, or None."""
    kinds = phrase.kinds
    for entry in takes.split():
        kind, _, attribute = entry.partition(":")
        if kind == "person":
            fits = _is_person(phrase)
        elif kind == "someone":
            fits = phrase.head in SOMEONE
        elif kind == "bare":
            fits = (
                phrase.is_name and len(phrase.words) == 1 and not phrase.determiner and kinds <= {"name", "firstname"}
            )
        elif kind == "some":
            fits = phrase.determiner in ("a", "an", "the", "our", "my")
        elif kind == "definite":
            fits = phrase.determiner in ("the", "my", "our")
        elif kind == "name":
            fits = phrase.ends_in_name and not phrase.words[0].low.endswith("ing")
            fits = fits and not (attribute == "home" and kinds & _NO_HOME)
        else:
            fits = kind in kinds or kind == "any"
        if fits:
            return None if attribute == "-" else attribute
    return None


def _is_person(phrase: NounPhrase) -> bool:
    """Whether a phrase looks like a person's name: "Pavel", "this guy Pavel"."""
    return (
        phrase.words[-1].capital
        and phrase.determiner in ("", "this", "that", "a", "my")
        and phrase.possessor is None
        and not phrase.kinds & _NOT_PERSON
    )


def value_of(attribute: str, phrase: NounPhrase, tokens: Sequence[Token], text: str) -> tuple[str, str, NounPhrase]:
    """Attribute, value as text, and the phrase it stands in. An empty value: nothing was said.

    A house is where it stands, a pet its name and its kind, a relative the attribute that the relation has.
    """
    called = called_after(tokens, phrase.end, text)
    value = called or phrase.text(text)
    if attribute in ("home", "hometown") and _needs_place(phrase):
        place = place_after(tokens, phrase.end)
        if place is None and _may_be_place(phrase):
            place = phrase
        return (attribute, place.text(text), place) if place else (attribute, "", phrase)
    if any(word.low in NOT_KEPT for word in phrase.words[:-1]):
        return attribute, "", phrase
    if attribute == "allergy" and phrase.head in ("allergic", "intolerant") and len(phrase.words) == 1:
        return attribute, "", phrase
    if attribute == "kin":
        known = next((KIN_ATTRIBUTES[w] for t in phrase.words if (w := singular(t.low)) in KIN_ATTRIBUTES), "")
        name = "" if called else _capital_part(phrase.words, text)
        return known, name or value if called or known in ("siblings", "children") else "", phrase
    if attribute == "pet":
        if any(word.low in _NOT_REAL for word in phrase.words):
            return attribute, "", phrase
        return attribute, f"{called} the {phrase.text(text)}" if called else value, phrase
    if attribute == "employer" and "job" in phrase.kinds:
        if len(phrase.words) > 1 and "role" in kinds_of_word(phrase.words[-2].low):
            return "role", text[phrase.words[0].start : phrase.words[-2].end], phrase
        return attribute, _capital_part(phrase.words[:-1], text), phrase
    if attribute in ("partner", "relationship_status"):
        if "kin" in phrase.kinds and not phrase.is_name:
            value = phrase.head
        elif phrase.is_name and not called:
            value = _capital_part(phrase.words, text)
        elif phrase.head in SOMEONE and not called:
            value = "someone"
    if (
        attribute == "relationship_status"
        and phrase.head in ("married", "engaged")
        and _to_no_person(tokens, phrase.end)
    ):
        return attribute, "", phrase
    if {"hobby", "substance"} & phrase.kinds and not ends_as_noun(tokens, phrase.end):
        return attribute, "", phrase
    return attribute, without_tail(attribute, value), phrase


def _to_no_person(tokens: Sequence[Token], i: int) -> bool:
    """ "Married to my job", "engaged in talks"."""
    if i >= len(tokens) or tokens[i].low not in ("to", "with", "in"):
        return False
    phrase = noun_phrase(tokens, i + 1)
    return phrase is None or not (
        _is_person(phrase) or "kin" in phrase.kinds or phrase.head in SOMEONE or phrase.is_pronoun
    )


def without_tail(attribute: str, value: str) -> str:
    """ "Ironworks membership" is "Ironworks", "vegan diet" is "vegan"."""
    for suffix in _TAILS.get(attribute, ()):
        if value.lower().endswith(suffix) and len(value) > len(suffix):
            return value[: -len(suffix)].rstrip(" -'’")
    return value


def _capital_part(words: Sequence[Token], text: str) -> str:
    names = [word for word in words if word.capital and "weekday" not in kinds_of_word(word.low)]
    return text[names[0].start : names[-1].end] if names else ""


def _needs_place(phrase: NounPhrase) -> bool:
    """Whether a phrase is a house, a nameless village or another common noun, whose place stands after it."""
    kinds = phrase.kinds
    if phrase.is_name:
        return "house" in kinds and "place" not in kinds and not phrase.words[-1].capital
    return bool(kinds & {"house", "settlement"}) or "place" not in kinds


def _may_be_place(phrase: NounPhrase) -> bool:
    """Whether a lower-case word can be a place that the lists do not know ("living in ulverston")."""
    word = phrase.words[0]
    return (
        len(phrase.words) == 1
        and phrase.determiner == ""
        and not phrase.kinds
        and word.low not in _NO_PLACES
        and not word.forms
        and not word.low.endswith(_ABSTRACT)
    )


_ABSTRACT = ("s", "ment", "tion", "sion", "ness", "ity", "ance", "ence", "ship", "ism", "ing")
_NO_PLACES = frozenset(
    "hope fear style peace sin poverty luxury comfort harmony squalor chaos hell heaven denial exile hiding seclusion isolation silence tandem town uni college halls there here person total love bed limbo private public together mine time".split()
)


def ends_as_noun(tokens: Sequence[Token], i: int) -> bool:
    """Whether nothing after a gerund makes it a verb: "writing", but not "writing some notes down" or "curling up"."""
    if i >= len(tokens) or tokens[i].kind != "word":
        return True
    low = tokens[i].low
    return low in _AFTER_PASTIME or low in ADVERBS or low in ("these", "this", "every", "most")


_AFTER_PASTIME = frozenset(
    "in at with for on from since too and because after before every during through as when club class classes lessons".split()
)


def place_after(tokens: Sequence[Token], i: int) -> NounPhrase | None:
    """ "in Leeds" after "a flat": the place, by name, else a single word after "in"."""
    while i < len(tokens):
        if tokens[i].low in ("in", "at", "near", "by", "outside", "on", "off", "around", "of"):
            phrase = noun_phrase(tokens, i + 1)
            if phrase is None or phrase.is_pronoun:
                return None
            if "place" in phrase.kinds or phrase.is_name:
                return phrase
            bare = len(phrase.words) == 1 and phrase.determiner == "" and tokens[i].low in ("in", "near")
            if bare and not kinds_of_word(phrase.head):
                return phrase
            i = phrase.end
        elif tokens[i].kind == "word" and tokens[i].low not in ADVERBS:
            return None
        else:
            i += 1
    return None


def called_after(tokens: Sequence[Token], i: int, text: str) -> str:
    """ "Crumb" for "called Crumb" after "a beagle"."""
    if i < len(tokens) and tokens[i].low in ("called", "named"):
        phrase = noun_phrase(tokens, i + 1)
        return phrase.text(text) if phrase and not phrase.is_pronoun else ""
    return ""


__all__ = [
    "DETERMINERS",
    "EMPTY",
    "GENERIC",
    "called_after",
    "choose",
    "ends_as_noun",
    "place_after",
    "value_of",
    "without_tail",
]
