"""Cuts a text into words and numbers and gives each the classes that the rules speak of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from genome_core.facts.time import lexicon
from genome_core.facts.time.lexicon import DOTTED

Classes = frozenset[str]


class Token(NamedTuple):
    """A word or a number of the text; ``word`` is in lower case with straight quotes."""

    start: int
    end: int
    word: str
    classes: Classes
    capital: bool = False


_TOKEN = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:?\d\d)?(?![\w-])"  # ISO 8601 with a time
    # A number with all that hangs on it, so that 3.1.2, $2000, 24/7 and 555-2019 stay whole and are no dates.
    r"|[$€£#@+]?[0-9]\w*(?:[./:,'’–—-]\w+)*%?"
    r"|['’][0-9]{2}s?(?!\w)"
    r"|[^\W\d]\w*(?:['’][^\W\d]+)*"
    r"|\S|\n"
)
_DIGIT = re.compile(r"\d")
_PLAIN_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
"""As the lexicon's words are that hold no digit."""
_GOES_ON = re.compile(r"\.\s?[a-z0-9,]")
"""The full stop of a short form: the sentence goes on after it."""
_AMOUNT = re.compile(r"([0-9]{1,3})(wks?|yrs?|mos?|mths?|hrs?|mins?|days?|weeks?|months?|years?)")

_NUMERIC: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("iso", re.compile(r"\d{4}-\d\d-\d\d([Tt ].*)?|\d{4}/\d\d/\d\d")),
    ("isomonth", re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")),
    ("yearrange", re.compile(r"[12]\d{3}[-–—][12]\d{3}")),
    ("numericdate", re.compile(r"\d{1,2}/\d{1,2}/(\d{4}|\d\d)|\d{1,2}-\d{1,2}-\d{4}|\d{1,2}\.\d{1,2}\.\d{4}")),
    ("numericmonth", re.compile(r"(0?[1-9]|1[0-2])/(19|20)\d\d")),
    ("numericday", re.compile(r"\d{1,2}/\d{1,2}")),
    ("daycommayear", re.compile(r"\d{1,2}(st|nd|rd|th)?,[12]\d{3}")),
    ("range", re.compile(r"\d{1,2}[-–—]\d{1,2}")),
    ("dayrange", re.compile(r"\d{1,2}(st|nd|rd|th)[-–—]\d{1,2}(st|nd|rd|th)")),
    ("clock", re.compile(r"\d{1,2}:\d\d(:\d\d)?([ap]\.?m)?|\d{1,2}[ap]m")),
    ("decimal", re.compile(r"\d{1,3}\.\d")),
    ("decadenumber", re.compile(r"(?:(?:1[5-9]|20)?\d0|['’]\d0)s")),
    ("shortyear", re.compile(r"['’]\d\d")),
)
_INTEGER = re.compile(r"(\d{1,4})(st|nd|rd|th)?")
_HYPHENED = re.compile(r"(\d{1,2})-([a-z]{3,9})-(\d{4})")

PUNCTUATION = {
    ",": frozenset({"comma"}),
    "'": frozenset({"apostrophe"}),
    "’": frozenset({"apostrophe"}),
    **dict.fromkeys("-–—", frozenset({"dash"})),
    **dict.fromkeys(".!?;\n", frozenset({"stop"})),
}
_NONE: frozenset[str] = frozenset()
NUMERIC_CLASSES = [
    _NONE,
    *(frozenset({name}) for name, _ in _NUMERIC),
    frozenset({"hyphendate"}),
    frozenset({"number", "dayno"}),
    frozenset({"number"}),
    frozenset({"number", "year"}),
    frozenset({"ordinal", "ordinalday", "dayno"}),
    frozenset({"ordinal"}),
]
"""All that ``_number_classes`` can return."""


def _number_classes(word: str) -> frozenset[str]:
    if found := _INTEGER.fullmatch(word):
        value = int(found[1])
        if found[2]:
            return frozenset({"ordinal", "ordinalday", "dayno"}) if 1 <= value <= 31 else frozenset({"ordinal"})
        if len(found[1]) == 4:
            return frozenset({"number", "year"}) if 1500 <= value < 2200 else frozenset({"number"})
        return frozenset({"number", "dayno"}) if 1 <= value <= 31 else frozenset({"number"})
    for name, pattern in _NUMERIC:
        if pattern.fullmatch(word):
            return frozenset({name})
    if (found := _HYPHENED.fullmatch(word)) and found[2] in lexicon.MONTHS:
        return frozenset({"hyphendate"})
    return _NONE


def plain_words(text: str) -> list[str] | None:
    """The words of a text that can be in the lexicon, in a quarter of the time of its tokens; None of a text with digits."""
    return None if _DIGIT.search(text) else _PLAIN_WORD.findall(text.lower().replace("’", "'"))


class Lexer:
    """Knows the words of the lexicon, and the ``literals`` that the rules name, each as a class ``=word``."""

    def __init__(self, literals: Iterable[str]) -> None:
        words = {word: frozenset({f"={word}"}) for word in literals}
        for name, members in lexicon.CLASSES.items():
            words |= {word: words.get(word, _NONE) | {name} for word in members}
        self.words = words

    @property
    def classes(self) -> Iterator[Classes]:
        """Every set of classes that a token can have."""
        yield from NUMERIC_CLASSES
        yield from PUNCTUATION.values()
        yield from self.words.values()

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text in order; white space is left out, line ends are not."""
        out: list[Token] = []
        skip = -1
        for found in _TOKEN.finditer(text):
            start, end = found.span()
            if start == skip:
                continue
            raw = found[0]
            if raw[0].isalpha() or raw[0] == "_":
                word = raw.lower().replace("’", "'")
                classes = self.words.get(word, _NONE)
                if classes and word in DOTTED and _GOES_ON.match(text, end):
                    skip, end = end, end + 1
                out.append(Token(start, end, word, classes, raw[0].isupper()))
            elif len(raw) == 1 and not raw.isdecimal():
                out.append(Token(start, end, raw, PUNCTUATION.get(raw, _NONE)))
            elif amount := _AMOUNT.fullmatch(raw):
                cut = start + amount.end(1)
                out.append(Token(start, cut, amount[1], _number_classes(amount[1])))
                out.append(Token(cut, end, amount[2], self.words[amount[2]]))
            else:
                word = raw.lower().replace("’", "'")
                out.append(Token(start, end, word, _number_classes(word)))
        return out
