"""Which phrase of a sentence is the value, where it is known that the sentence speaks of the attribute.

Reading a value takes a noun of the right kind and no other. Where the sentence is sure, less will do: the phrases compete, each by
weak signs (its kind, how alike it is to values of the attribute, the words before it, whether it is news), and so does the
possibility that none of them is the value. Only a clear winner is given.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.doubts import ENDING
from genome_core.facts.likeness import Prototypes
from genome_core.facts.mentions import SOMEONE
from genome_core.facts.nouns import FEMALE, MALE
from genome_core.facts.phrases import NounPhrase
from genome_core.facts.reading import (
    AT_A_NAME,
    GOVERNED,
    INSTITUTIONS,
    STATUS,
    STATUS_VALUES,
    VENUES,
    names_attribute,
    noun_phrases,
    trimmed,
    wanted_kinds,
)
from genome_core.facts.relevance import Told, occurrences
from genome_core.facts.sentences import said_at
from genome_core.facts.value_examples import VALUE_EXAMPLES
from genome_core.facts.words import ADVERBS, Form
from genome_core.types import Fact

BIAS = -0.25
WEIGHTS: Mapping[str, float] = {
    "kind": 1.75,
    "near kind": 0.75,
    "name": 1.0,
    "small name": 1.5,
    "no kind": -2.0,
    "any kind": -0.75,
    "other kind": -1.5,
    "person": -0.75,
    "lead": 1.25,
    "none": -2.0,
    "held": -1.75,
    "indefinite": 1.0,
    "bare": 0.5,
    "owned": -1.0,
    "opens": -0.75,
    "cue": 0.5,
    "source": -1.0,
    "given away": -1.0,
    "over": -2.5,
    "aside": -1.25,
    "place": 1.0,
    "goal": 1.0,
    "is": 1.0,
    "mark": 0.5,
}
"""What speaks for a phrase, in log odds against none of them: a noun of the right kind, of another institution, a name of no known kind, a
name in small letters, a noun of no known kind or of another one, somebody else; its lead in likeness to values of the attribute over other
values, its likeness to what is no value; that it was the value before; its determiner; that it opens the sentence; a cue word in its part of
the sentence; the words before and after it. Set by hand near what a conditional logit gave on conversations of several authors, each left out once."""
_ARTICLE = r"\s*(?:(?:an?|the|my|our|her|his|their|its|some|this|new|old|little|local|good)\s+)*$"


def _just_before(*words: str) -> re.Pattern[str]:
    """Finds what precedes a phrase, by alternatives of words, with an article or the like between."""
    return re.compile(rf"\b(?:{'|'.join(words)}){_ARTICLE}", re.I)


_BEFORE: Mapping[str, re.Pattern[str]] = {
    "source": _just_before(
        r"left|leav\w+|quit\w*|sold|ditch\w*|dropp\w+",
        r"from|without|instead of|in place of|rather than|no longer(?: at| in| with)?",
        r"(?:swapp?|trad|exchang)\w+(?: in)?|replac\w+",
        r"gave up|given up|giv\w+ away|packed in|let|goodbye to|bye to",
        r"not|no more|lost|out of|off|used to be|enough of|tired of|done with",
        r"(?:my|his|her|our|their|the) (?:old|former|previous|last|ex)",
    ),
    "place": _just_before("at|in|near|inside|on"),
    "goal": _just_before("to|into|onto|for|with|by|as"),
    "aside": _just_before(
        "before|after|since|until|till|during",
        "because of|without|despite|like|about",
        "above|behind|per|next to|outside",
    ),
    "is": _just_before(
        "is|was|it's|its|are|been|became|become",
        "made(?: (?:me|him|her|them|us))?|called|being|nothing but|be",
    ),
    "mark": re.compile(r"(?:^|[,:;–—-])" + _ARTICLE, re.I),
}
"""What a phrase is by the words before it."""
_GONE = (
    "go|down|behind|to (?:scrap|the scrap)|for good|is gone",
    "died|packed up|coughed|went|let (?:him|her|me|them) go|closed|shut",
)
_GIVEN_AWAY = re.compile(rf"^\s+(?:{'|'.join(_GONE)})\b", re.I)
_PEOPLE = (
    "neighbour|neighbor|friend|mate|colleague|cousin",
    "man|woman|guy|girl|boy|lad|bloke|boss",
)
_SOMEBODY = re.compile(rf"\b(?:{'|'.join(_PEOPLE)})s?,?\s+(?:called\s+|named\s+)?$", re.I)
"""Words after which a name is somebody's."""
_CUT = re.compile(r"[,;:—–]|\b(?:and|so|but|because)\b")
_EDGES = ADVERBS | frozenset("anywhere everywhere please somewhere cc downtown nearby".split())
_OWNED = frozenset("my your her his its our their 's".split())
_PLACES = ("home", "hometown")
_VERBAL = (Form.PAST, Form.PARTICIPLE, Form.PRESENT)


@dataclass(frozen=True, slots=True)
class Choice:
    """A phrase and the chance (0..1) that it is the value."""

    text: str
    chance: float


@dataclass(frozen=True, slots=True)
class _Phrase:
    words: str
    start: int
    end: int
    kinds: frozenset[str]
    determiner: str
    person: bool


def _phrases(told: Told, attribute: str, subject: str, table: AttributeTable, people: Collection[str]) -> list[_Phrase]:
    """The phrases that could be the value: not the subject, not a time, not a word for the attribute."""
    text = told.sentence.text
    if attribute == "relationship_status":
        return _statuses(text)
    known = {name.casefold() for name in people}
    found: dict[str, _Phrase] = {}
    for phrase in _said_of(told, subject):
        one = trimmed(phrase, wanted_kinds(attribute))
        said = one.text(text)
        if _is_deed(one, text) or not said or names_attribute(said, attribute, table):
            continue
        if _is_other_name(one, attribute, text):
            continue
        start = max(text.rfind(said, 0, one.span[1]), 0)
        person = said.casefold() in known or _is_person(one, text[:start])
        found.setdefault(said.casefold(), _Phrase(said, start, one.span[1], one.kinds, one.determiner, person))
    return list(found.values())


def _said_of(told: Told, subject: str) -> Iterator[NounPhrase]:
    """The noun phrases of a sentence without its times, the name of its subject and adverbs at their edges."""
    sentence, offset = told.sentence, told.sentence.span[0]
    times = [(m.span[0] - offset, m.span[1] - offset) for m in sentence.times]
    about = occurrences(sentence.text, subject)
    for phrase in noun_phrases(sentence.text, times):
        words = [word for word in phrase.words if not any(start <= word.start < end for start, end in about)]
        while words and words[0].low in _EDGES:
            words.pop(0)
        while words and words[-1].low in _EDGES:
            words.pop()
        if words:
            yield phrase._replace(words=tuple(words))


def _is_deed(phrase: NounPhrase, text: str) -> bool:
    """Whether a phrase without a determiner is rather a verb: "went", or "Moved" that opens its sentence."""
    words = phrase.words
    if phrase.determiner:
        return False
    if all(not word.capital and any(form in _VERBAL for _, form in word.forms) for word in words):
        return True
    opens = not re.search(r"\w", text[: words[0].start])
    return opens and len(words) == 1 and bool(words[0].forms)


def _is_other_name(phrase: NounPhrase, attribute: str, text: str) -> bool:
    """Whether a name of no known kind is none of the attribute's: "Harrow Lane" is no job, "I'm with Aegon" tells no home."""
    if phrase.kinds != {"name"}:
        return False
    if not wanted_kinds(attribute) & {"name", "person"}:
        return True
    return attribute in _PLACES and not GOVERNED[attribute].search(text[: phrase.span[0]])


def _is_person(phrase: NounPhrase, before: str) -> bool:
    """Whether a phrase is somebody's name, by itself or by the words ``before`` it."""
    first = phrase.words[0]
    return (first.low in FEMALE | MALE and first.capital) or _SOMEBODY.search(before) is not None


def _statuses(text: str) -> list[_Phrase]:
    found: dict[str, _Phrase] = {}
    for match in STATUS.finditer(text):
        kind = match.lastgroup or ""
        said = STATUS_VALUES.get(kind, match[0].lower() if kind == "plain" else match[0])
        *before, last = said.split()
        if kind == "dating" and last[0].islower() and last not in SOMEONE:
            said = " ".join(before)
        found.setdefault(said, _Phrase(said, *match.span(), frozenset(["relationship_status"]), "", False))
    return list(found.values())


def _around(text: str, phrase: _Phrase) -> str:
    """The clause-like piece around a phrase, by marks and conjunctions."""
    left = max((m.end() for m in _CUT.finditer(text[: phrase.start])), default=0)
    right = _CUT.search(text, phrase.end)
    return text[left : right.start() if right else len(text)]


def signs(
    told: Told,
    attribute: str,
    subject: str,
    table: AttributeTable,
    prototypes: Prototypes,
    people: Collection[str],
    before: Collection[str],
) -> list[tuple[_Phrase, dict[str, float]]]:
    """The phrases of a sentence with what speaks for each; ``before`` are values that held before."""
    phrases = _phrases(told, attribute, subject, table, people)
    if not phrases:
        return []
    leads, nones = prototypes.value_likeness([phrase.words for phrase in phrases], attribute)
    held = {value.casefold() for value in before}
    kinds = [_kinds(phrase, attribute) for phrase in phrases]
    news = any(
        phrase.words.casefold() not in held and (own["kind"] or own["near kind"] or own["name"])
        for phrase, own in zip(phrases, kinds, strict=True)
    )
    rows = []
    for phrase, own, lead, none in zip(phrases, kinds, leads, nones, strict=True):
        row = {"lead": lead, "none": none, "held": float(news and phrase.words.casefold() in held)}
        rows.append((phrase, row | own | _place(phrase, attribute, told.sentence.text, table)))
    return rows


def _kinds(phrase: _Phrase, attribute: str) -> dict[str, float]:
    """What the words of a phrase can stand for."""
    wanted = wanted_kinds(attribute)
    kinds = phrase.kinds - {"name", "firstname"}
    right = (wanted | {attribute}) - {"name", "any", "house", "person"}
    near = INSTITUTIONS if wanted & INSTITUTIONS else frozenset()
    of_kind = bool(kinds & right) or ("person" in wanted and phrase.person)
    found = {
        "kind": of_kind,
        "near kind": bool(kinds & near) and not of_kind,
        "other kind": bool(kinds) and not kinds & (right | near),
        "name": "name" in phrase.kinds and phrase.kinds <= {"name"} and not phrase.person,
        "no kind": not phrase.kinds and "any" not in wanted,
        "any kind": not phrase.kinds and "any" in wanted,
        "person": phrase.person and "person" not in wanted,
    }
    return {name: float(holds) for name, holds in found.items()}


def _place(phrase: _Phrase, attribute: str, text: str, table: AttributeTable) -> dict[str, float]:
    """Where in the sentence a phrase stands."""
    left, right = text[: phrase.start], text[phrase.end :]
    found = {name: bool(pattern.search(left)) for name, pattern in _BEFORE.items()}
    found |= {
        "given away": bool(_GIVEN_AWAY.match(right)),
        "over": not found["goal"] and ENDING.search(_around(text, phrase)) is not None,
        "indefinite": phrase.determiner in ("a", "an"),
        "bare": not phrase.determiner,
        "owned": phrase.determiner in _OWNED,
        "opens": not re.search(r"\w", left),
        "cue": attribute in table.cued(_around(text, phrase)),
        "small name": not phrase.kinds
        and not phrase.determiner
        and attribute in VENUES
        and bool(AT_A_NAME.search(left)),
    }
    return {name: float(holds) for name, holds in found.items()}


def choose(
    told: Told,
    attribute: str,
    subject: str,
    table: AttributeTable,
    prototypes: Prototypes,
    people: Collection[str],
    facts: Sequence[Fact],
) -> Choice | None:
    """The phrase that is most likely the value of ``attribute`` in a sentence that speaks of it; None where it has no phrase.

    ``facts`` are those of the subject, ``people`` the names of the scope.
    """
    if attribute not in VALUE_EXAMPLES:
        return None
    said = said_at(told.turn)
    before = [fact.value for fact in facts if fact.attribute == attribute and fact.value and fact.at < said]
    found = signs(told, attribute, subject, table, prototypes, people, before)
    if not found:
        return None
    odds = [math.exp(BIAS + sum(weight * row[name] for name, weight in WEIGHTS.items())) for _, row in found]
    best = max(range(len(odds)), key=lambda i: (round(odds[i], 3), -i))
    return Choice(found[best][0].words, round(odds[best] / (1 + sum(odds)), 3))
