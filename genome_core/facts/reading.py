"""The value that a sentence gives for an attribute, read by generic means: the noun phrase of the right kind.

No rule knows how the sentence is built. What counts is what a phrase can stand for (a place, a job, a car), whether it is a
name, and that it is neither the one spoken of nor a word for the attribute itself. Nothing fitting, no value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from genome_core.facts.attributes import AttributeTable, normalise
from genome_core.facts.nouns import FEMALE, MALE, is_kin, kinds_of, kinds_of_word
from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.values import NOT_KEPT
from genome_core.facts.words import Form, Token, singular, tokenize

_WANTED: dict[str, str] = {
    "home": "place house name",
    "hometown": "place name",
    "employer": "org name",
    "role": "role",
    "school": "school name",
    "studies": "subject course",
    "partner": "person",
    "manager": "person",
    "owner": "person",
    "doctor": "person",
    "friends": "person",
    "siblings": "person",
    "children": "person",
    "parents": "person",
    "pet": "pet name",
    "car": "car name",
    "bike": "bike name",
    "phone": "phone name",
    "computer": "computer name",
    "provider": "provider name",
    "diet": "diet",
    "allergy": "allergen food",
    "health": "health",
    "hobby": "hobby any",
    "instrument": "instrument",
    "gym": "gym name",
    "membership": "club band name",
    "language": "language",
    "nationality": "nationality",
    "favorite food": "food name any",
    "project": "name",
    "supports": "name",
}
"""The kinds of nouns (``genome_core.facts.nouns``) that can be a value; ``name`` is a capitalised name of no known kind and
``person`` the name of somebody the scope knows, or a first name; ``any`` a noun of no known kind, since there are too many to
list. A ``house`` ("a flat") is no place by itself: it only helps to tell the type of a sentence."""

STATUS = re.compile(
    r"\b(?P<plain>single|married|engaged|divorced|widowed|separated)\b"
    r"|\b(?P<dating>(?:dating|seeing|going out with) (?:someone|somebody|[A-Z]\w+))"
    r"|\b(?P<together>in a (?:serious |long-term |happy )?relationship|in an open relationship)\b"
    r"|\b(?P<wed>tied the knot|got hitched|wed|walked down the aisle|said (?:our|their) vows|eloped)\b"
    r"|\b(?P<troth>popped the question|proposed)\b",
    re.I,
)
_VERBAL = {Form.BASE, Form.PRESENT, Form.PAST, Form.PARTICIPLE}
_REPLACING = re.compile(r"\b(?:swap|trad|exchang|ditch|replac|switch|upgrad|chang|mov|left|leav|went|go)\w*\b", re.I)
_REPLACED = re.compile(
    r"\b(?:swap|trad|exchang|replac)\w*\s+(?:in\s+)?(?:an?\s+|the\s+|my\s+|her\s+|his\s+)?(?:old\s+)?$", re.I
)
_FOR = re.compile(r"\s+(?:for|with)\b", re.I)
"""What stands between them was given away: "swapped my iPhone for something else"."""
_INSTEAD = re.compile(r"\b(?:for|to|with|into)\s+(?:an?\s+|the\s+|my\s+|her\s+|his\s+)?(?:\w+\s+)?$", re.I)
_COMPANIONS = frozenset(
    "member members membership job role position team class classes office branch employee fan lover account subscription contract dealer showroom".split()
)
_OWNED = frozenset("my your his her its our their 's".split())
_COUNTS = frozenset("once twice one two three four five six seven eight nine ten".split())
_INTERJECTIONS = frozenset(
    "oh yeah yes no nope ok okay hey hi hello well wow btw fyi lol haha omg thanks congrats sorry ugh hmm guess by".split()
)
_QUALIFIERS = frozenset(
    "new old top favorite favourite go-to current latest main usual best own first last other local regular".split()
)
STATUS_VALUES = {"wed": "married", "troth": "engaged"}


@dataclass(frozen=True, slots=True)
class Value:
    """What was read, and how well it fits."""

    text: str
    fits: bool
    """Its noun is known to be of the right kind; otherwise it is a name that could be anything."""
    alone: bool
    """No other phrase of the sentence fits as well."""


def wanted_kinds(attribute: str) -> frozenset[str]:
    """The kinds of nouns that can be a value of the attribute; empty for an open one."""
    return frozenset(_WANTED.get(attribute, "").split())


def read_value(
    text: str,
    attribute: str,
    table: AttributeTable,
    *,
    people: Collection[str] = (),
    about: Iterable[tuple[int, int]] = (),
    times: Iterable[tuple[int, int]] = (),
    within: Sequence[tuple[int, int]] | None = None,
    before: Collection[str] = (),
) -> Value | None:
    """The value of ``attribute`` in the sentence ``text``, or None.

    ``before`` are values that held before: of two phrases, the one that is none of them is the new value. ``people`` are names
    of the scope; ``about`` and ``times`` are the offsets of the one spoken of and of time expressions; ``within`` those of the
    clauses to read, all by default.
    """
    inside = [(0, len(text))] if within is None else list(within)
    if attribute == "relationship_status":
        return _status(text, inside)
    wanted = wanted_kinds(attribute)
    known = {name.casefold() for name in people}
    spans = list(about)
    ranked: list[tuple[int, int, str]] = []
    for phrase in (trimmed(phrase, wanted) for phrase in noun_phrases(text, times)):
        start, end = phrase.span
        words = _of_office(phrase, text)
        if _CONTRACTED.match(text[end:]):
            words = re.sub(r"['’]s$", "", words)
        if not any(first <= start < last for first, last in inside) or any(start < b and a < end for a, b in spans):
            continue
        if not words or words.casefold().split()[0] in _INTERJECTIONS or names_attribute(words, attribute, table):
            continue
        opens = not re.search(r"\w", text[:start])
        if (
            opens
            and len(phrase.words) == 1
            and phrase.words[0].forms
            and not kinds_of_word(phrase.words[0].low) & wanted
        ):
            continue  # "Arrived on the 1st", "Cleaning out my phone": no name
        rank = _rank(phrase, wanted, words.casefold() in known)
        if rank == 1 and attribute in GOVERNED and not GOVERNED[attribute].search(text[:start]):
            continue  # "I'm with Aegon" tells no home
        if rank and not (_REPLACED.search(text[:start]) and _FOR.match(text[end:])):
            ranked.append((rank, start, words))
    held = {value.casefold() for value in before}
    new = [one for one in ranked if one[2].casefold() not in held]
    return _chosen(new or ranked, text)


_BEFORE_A_NAME = (
    r"\s+(?:(?:the|an?|my|our|her|his|their|good|old|sunny|rainy|beautiful|lovely|little|big|downtown|central)\s+)*$"
)
PLACED = re.compile(
    r"(?:^\W*(?:(?:so|and|but|now|well|ok|yes|moved again)\W+)*$|\b(?:in|to|into|at|near|for|from|of|around|outside|on|over|via|call|called|calls|left|leaving|leave|reached|is|was|it's|swapped|traded)"
    + _BEFORE_A_NAME
    + r"|[:;,.—–-]\s*$)",
    re.I,
)
GOVERNED = {
    "home": PLACED,
    "hometown": PLACED,
    "employer": re.compile(
        r"(?:^\W*(?:(?:so|and|but|now|well|ok|yes)\W+)*$|\b(?:at|for|with|by|from|to|of|join|joined|joining|joins|left|leaving|leave|quit|quitting|is|was|it's|called|into|via|over|between|and|than)"
        + _BEFORE_A_NAME
        + r"|[:;,.—–-]\s*$)",
        re.I,
    ),
}
"""The words after which, or the places in a sentence at which, a name of no known kind can be a value."""


_CONTRACTED = re.compile(r"\s+(?:been|got|had|gone|not|now|still|just|already|finally)\b", re.I)
"""What shows that an "'s" before it is "is" or "has"."""
_OFFICES = frozenset("office shop store firm company practice surgery clinic department bureau agency".split())


def _of_office(phrase: NounPhrase, text: str) -> str:
    """The words of a phrase; whose office it is belongs to its name, unless that is somebody: "the public defender's office"."""
    owner = phrase.possessor
    if phrase.head not in _OFFICES or len(phrase.words) > 1 or owner is None or owner.is_pronoun or is_kin(owner.head):
        return phrase.text(text)
    return text[owner.words[0].start : phrase.words[-1].end] if owner.words else phrase.text(text)


def _chosen(ranked: Sequence[tuple[int, int, str]], text: str) -> Value | None:
    """The best phrase. Of two as good, the one that the words put in the other's place: "swapped the Golf for a Polo"."""
    if not ranked:
        return None
    top = max(rank for rank, _, _ in ranked)
    best = {words.casefold(): (start, words) for rank, start, words in ranked if rank == top}
    placed = [(s, w) for s, w in best.values() if _REPLACING.search(text[:s]) and _INSTEAD.search(text[:s])]
    if len(best) > 1 and len(placed) == 1:
        return Value(placed[0][1], fits=top == 2, alone=True)
    return Value(min(best.values())[1], fits=top == 2, alone=len(best) == 1)


INSTITUTIONS = frozenset("org school gym club band provider".split())
"""Each may stand for another: a dance school for a gym, a band for an employer."""
_STANDS = re.compile(r"\b(?:in|at|on|above|behind|near|over)\s+(?:an?|the|my|our)\s+(?:\w+\s+)?$", re.I)
VENUES = frozenset(["employer", "gym", "school", "provider"])
AT_A_NAME = re.compile(r"\b(?:at|for|with|to|from|joined|join|joining|quit|quitting|left|its|it's)\s+$", re.I)
_WORKPLACE = re.compile(r"\b(?:for|at|with|by)\s+(?:an?|the)\s+$", re.I)


def could_hold(
    text: str, attribute: str, subject: str, table: AttributeTable, times: Iterable[tuple[int, int]] = ()
) -> bool:
    """Whether a sentence has a phrase that a value of ``attribute`` could be, known or not: a name, a number or a noun of the right kind
    that is neither ``subject`` nor a word for the attribute, nor inside ``times``, the offsets of time expressions."""
    if attribute == "relationship_status":
        return True  # told by its verbs
    wanted = wanted_kinds(attribute)
    wanted |= INSTITUTIONS if wanted & INSTITUTIONS else frozenset()
    subject = subject.casefold()
    for phrase in noun_phrases(text, times):
        words = phrase.text(text).casefold()
        if (
            not words
            or (subject and (words in subject or subject in words))
            or names_attribute(words, attribute, table)
        ):
            continue
        if not wanted or _could_be(phrase, text, attribute, wanted):
            return True
    return False


_ELSE = frozenset("place firstname weekday kin nationality language food event diet".split())
"""Kinds that tell what a name is: a town is no employer, a first name no town."""
_NUMBERED = frozenset("car phone computer console price age version budget deadline birthday".split())


def _could_be(phrase: NounPhrase, text: str, attribute: str, wanted: frozenset[str]) -> bool:
    other = phrase.kinds - {"name"}
    if other and not other & wanted and other <= _ELSE and "person" not in wanted:
        return False
    if any(word.kind == "number" for word in phrase.words) and (attribute in _NUMBERED or "name" in phrase.kinds):
        return True
    if phrase.kinds & (wanted - {"any", "house", "name"}):
        return True
    if "name" in phrase.kinds and not _only_opens(phrase, text):
        return True
    if attribute == "home" and phrase.kinds <= {"org"}:
        return _STANDS.search(text[: phrase.span[0]]) is not None
    if phrase.kinds:
        return False
    # Jobs and places of work are too many to list: "I was made a driving examiner", "she works for the botanical garden".
    if attribute == "employer" and _WORKPLACE.search(text[: phrase.span[0]]):
        return True
    if attribute in VENUES and not phrase.determiner:  # in small letters: "works at delta", "signed up at crunch"
        return AT_A_NAME.search(text[: phrase.span[0]]) is not None
    if attribute == "employer":
        return False
    return "any" in wanted or ("role" in wanted and phrase.determiner in ("a", "an"))


def _only_opens(phrase: NounPhrase, text: str) -> bool:
    """Whether a phrase has its capital letter only because it opens the sentence: "Married life report"."""
    first, *rest = phrase.words
    if any(word.capital for word in rest) or re.search(r"\w", text[: first.start]):
        return False
    return bool(first.forms or kinds_of_word(first.low) - {"name"} or (rest and first.low not in FEMALE | MALE))


def noun_phrases(text: str, times: Iterable[tuple[int, int]] = ()) -> list[NounPhrase]:
    """All noun phrases of a sentence but pronouns, possessors apart, in order."""
    tokens = tokenize(text, times=times)
    found: list[NounPhrase] = []
    position = 0
    while position < len(tokens):
        phrase = noun_phrase(tokens, position)
        if phrase is None:
            position += 1
            continue
        position = max(phrase.end, position + 1)
        owner = phrase.possessor
        found += [p for p in (owner, phrase) if p is not None and p.words and not p.is_pronoun]
    return found


def trimmed(phrase: NounPhrase, wanted: frozenset[str]) -> NounPhrase:
    """Without a verb that was taken for a modifier ("called Oslo", "craving curry"), and without what a name modifies or what
    only counts ("Acme job", "a yoga studio member", "Oslo three times")."""
    words = list(phrase.words)
    while not phrase.determiner and len(words) > 1 and _is_verb(words, wanted):
        words.pop(0)
    while (
        len(words) > 1
        and words[-2].low != "post"
        and (words[-1].low in _COMPANIONS or (words[-1].low == "home" and words[-2].capital))
    ):
        words.pop()
    words = _named_part(words, wanted)
    if len(words) > 2 and words[-1].low == "times":
        words = words[:-2]  # "three times"
    elif len(words) > 1 and words[-1].low in _COUNTS:
        words.pop()
    return phrase._replace(words=tuple(words))


def _named_part(words: list[Token], wanted: frozenset[str]) -> list[Token]:
    """The name without a common noun beside it that is of no wanted kind: "a Plymouth resident", "this girl Suki"."""
    opens = words[0].start == 0 and not any(word.capital for word in words[1:])  # "Custard tarts are ..."
    if not wanted & {"name", "person"} or opens or not any(word.capital for word in words):
        return words
    kept = list(words)
    while len(kept) > 1 and not kept[-1].capital and kept[-2].capital and _is_plain_noun(kept[-1], wanted):
        kept.pop()
    while len(kept) > 1 and "person" in wanted and not kept[0].capital and kept[1].capital:
        kept.pop(0)
    return kept


def _is_plain_noun(word: Token, wanted: frozenset[str]) -> bool:
    return word.kind == "word" and word.low.isalpha() and not kinds_of([word.low], [False]) & wanted


def _is_verb(words: Sequence[Token], wanted: frozenset[str]) -> bool:
    forms = {form for _, form in words[0].forms}
    if _VERBAL & forms:
        return True
    rest = words[1:]
    of_rest = kinds_of([w.low for w in rest], [w.capital for w in rest])
    return Form.GERUND in forms and "role" not in of_rest and bool(of_rest & (wanted - {"name", "any"}))


def _rank(phrase: NounPhrase, wanted: frozenset[str], is_person: bool) -> int:
    """2 for a phrase of a wanted kind, 1 for a bare name where a name can be it, 0 for all else."""
    kinds = phrase.kinds
    if phrase.possessor is not None and is_kin(phrase.possessor.head):
        return 0  # "her dad's truck"
    if any(word.low in NOT_KEPT for word in phrase.words[:-1]):
        return 0  # "a hired Fiat"
    if "person" in wanted:
        if any(word.kind == "number" or word.text[:1].isdigit() for word in phrase.words):
            return 0  # "1st June"
        return 2 if is_person else int("name" in kinds and len(kinds) == 1)
    if is_person or (is_kin(phrase.head) and "role" not in wanted):
        return 0
    if kinds & (wanted - {"name", "any", "house"}):
        return 2
    if "any" in wanted and not kinds and phrase.determiner not in _OWNED and not phrase.possessor:
        return 1
    return int("name" in wanted and kinds == {"name"})


def names_attribute(words: str, attribute: str, table: AttributeTable) -> bool:
    """Whether the phrase only says which attribute it is ("her new address", "the gym")."""
    known = table.get(attribute)
    if known is None:
        return normalise(words) == normalise(attribute)
    *before, head = words.casefold().split()
    head = singular(head)
    heads = {normalise(name).split()[-1] for name in (known.name, *known.aliases)}
    heads |= {singular(noun) for noun in heads}
    return head in heads and _QUALIFIERS.issuperset(before)


def _status(text: str, inside: Sequence[tuple[int, int]]) -> Value | None:
    found = [m for m in STATUS.finditer(text) if any(first <= m.start() < last for first, last in inside)]
    if not found:
        return None
    last = found[-1]
    kind = last.lastgroup or ""
    return Value(STATUS_VALUES.get(kind, last[0].lower() if kind == "plain" else last[0]), True, len(found) == 1)
