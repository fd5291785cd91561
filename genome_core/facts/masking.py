"""Sentences worded for comparison: what is said stays; of whom, of which place or firm, and when is taken out.

An embedder knows neither "Ann" nor "Grimsby Widgets", and a name that it does know pulls a sentence to its own subject. So the
one spoken of becomes "she" (a thing "it"), a name of a known kind the kind ("the city"), a time nothing, and what is typed in
a hurry ("im", "dont") is spelt out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from genome_core.facts.nouns import gender
from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.relevance import Span, Told, occurrences, same_subject
from genome_core.facts.words import Token, tokenize

_GENERIC = {
    "gym": "the gym",
    "school": "the school",
    "car": "the car",
    "phone": "the phone",
    "computer": "the laptop",
    "provider": "the provider",
    "org": "the company",
    "place": "the city",
    "food": "the dish",
}
"""What a name of each kind is compared as."""
_THIRD_PERSON = {"i": "she", "me": "her", "my": "her", "mine": "hers", "myself": "herself"}
_CLITICS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "n't": "not"}
_AGREEING = {"'m": "is", "am": "is", "'ve": "has", "have": "has"}
"""What follows "I" where "she" stands for it."""


def masked(told: Told, spans: Sequence[Span], subject: str, *, thing: bool = False) -> str:
    """The part of a sentence within ``spans`` (offsets into its text), as example sentences are worded. ``thing`` says that the
    subject is no person."""
    sentence, offset = told.sentence, told.sentence.span[0]
    text = sentence.text
    tokens = tokenize(text, times=[(m.span[0] - offset, m.span[1] - offset) for m in sentence.times])
    spoken = same_subject(told.turn.speaker, subject)
    words = _Wording(tokens, occurrences(text, subject), "it" if thing else "she", spoken).words()
    kept = [word for at, word in words if any(start <= at < end for start, end in spans)]
    joined = re.sub(r"\s+(?=[,.!?;:)]|['’](?:s|d)?\b)", "", " ".join(kept)).strip(" ,;:-")
    return joined[:1].upper() + joined[1:]


class _Wording:
    """The words of one sentence as they are compared."""

    def __init__(self, tokens: Sequence[Token], named: Sequence[Span], subject: str, spoken: bool) -> None:
        self._tokens = tokens
        self._named = named
        self._subject = subject
        self._spoken = spoken

    def words(self) -> Iterator[tuple[int, str]]:
        """Each word with its offset in the sentence."""
        i = 0
        while i < len(self._tokens):
            token = self._tokens[i]
            place = next((span for span in self._named if span[0] <= token.start < span[1]), None)
            phrase = None if place or _opens_with_verb(self._tokens, i) else noun_phrase(self._tokens, i)
            generic = _generic(phrase) if phrase else ""
            if place:
                while i < len(self._tokens) and self._tokens[i].start < place[1]:
                    i += 1
                owns = i < len(self._tokens) and self._tokens[i].low in ("'s", "'") and self._owns(i)
                i += owns
                yield place[0], self._owner if owns else self._subject
            elif phrase and generic:
                yield token.start, generic
                i = phrase.end
            else:
                if token.kind != "time":
                    yield token.start, self._word(i)
                i += 1

    @property
    def _owner(self) -> str:
        return "her" if self._subject == "she" else "its"

    def _owns(self, i: int) -> bool:
        """Whether "'s" is the possessive: a noun follows."""
        after = noun_phrase(self._tokens, i + 1)
        return after is not None and not after.determiner and not after.is_pronoun

    def _word(self, i: int) -> str:
        token = self._tokens[i]
        low = token.low
        if self._spoken and low in _THIRD_PERSON:
            return _THIRD_PERSON[low]
        if self._spoken and low in _AGREEING and i > 0 and self._tokens[i - 1].low == "i":
            return _AGREEING[low]
        if low in _CLITICS:
            return _CLITICS[low]
        spelt = low != token.text.lower().replace("’", "'")
        return "I" if low == "i" else low if spelt else token.text


def _opens_with_verb(tokens: Sequence[Token], i: int) -> bool:
    """Whether a verb stands at ``i`` that the name after it would take in: "joined Anytime Fitness", "bought Oskar's Golf"."""
    token = tokens[i]
    return bool(token.forms) and not token.capital and i + 1 < len(tokens) and tokens[i + 1].capital


def _generic(phrase: NounPhrase) -> str:
    """The word for the kind of a name; empty where the phrase is no name, can be of several kinds, or has an owner."""
    owner = phrase.possessor
    if owner is not None and not (owner.is_name and phrase.words[0].capital and gender(owner.head) == "n"):
        return ""  # "Ann's Golf", but "Gold's Gym"
    if "name" not in phrase.kinds or phrase.determiner not in ("", "a", "an", "the", "'s"):
        return ""
    fitting = [word for kind, word in _GENERIC.items() if kind in phrase.kinds]
    return fitting[0] if len(fitting) == 1 else ""
