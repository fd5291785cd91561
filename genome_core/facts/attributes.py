"""Attributes: the canonical names of what can be known about somebody or something, and the words that speak of each.

An attribute holds one value at a time (a home, an employer) or many (languages, pets). Names that nobody declared are
*open* attributes ("X's wifi password is Z"): they keep their own normalised noun and hold one value at a time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from genome_core.errors import InvalidInput
from genome_core.facts.attribute_rows import ROWS
from genome_core.facts.words import VERB_FORMS, tokenize


@dataclass(frozen=True, slots=True)
class Attribute:
    """One canonical attribute.

    ``aliases`` are other names for it ("city" for ``home``). ``cues`` are words and phrases of sentences that state it and
    ``questions`` those of questions that ask for it, in base form: "live in" also finds "lived in" and "living in".
    ``prototypes`` are short example sentences for likeness by an embedder.
    """

    name: str
    many: bool = False
    aliases: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    prototypes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not normalise(self.name):
            raise InvalidInput("an attribute needs a name", hint="give it as text, for example 'home'")


@lru_cache(maxsize=16_384)
def normalise(name: str) -> str:
    """Lower case, words joined by single spaces: "Favourite_Food " is "favorite food"."""
    words = re.sub(r"[\W_]+", " ", name.casefold()).split()
    return " ".join(_SPELLINGS.get(word, word) for word in words)


_SPELLINGS = {
    "favourite": "favorite",
    "fave": "favorite",
    "fav": "favorite",
    "colour": "color",
    "organisation": "organization",
}


@dataclass(frozen=True)
class AttributeTable:
    """A set of attributes with their names and cues: a value that is handed to the extractor and to ``Memory``.

    >>> table = AttributeTable().declare(Attribute("desk", aliases=("seat",)), Attribute("badge", many=True))
    >>> table.canonical("Seat"), table.is_many("badge"), table.is_many("wifi password")
    ('desk', True, False)
    """

    attributes: tuple[Attribute, ...] = ()
    _by_name: Mapping[str, Attribute] = field(init=False, repr=False, compare=False)
    _cues: tuple[tuple[str, str, bool], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.attributes:
            object.__setattr__(self, "attributes", DEFAULT_ATTRIBUTES)
        names: dict[str, Attribute] = {}
        for attribute in self.attributes:
            for alias in attribute.aliases:
                names[normalise(alias)] = attribute
        names.update({normalise(attribute.name): attribute for attribute in self.attributes})
        object.__setattr__(self, "_by_name", names)
        cues = [
            (f" {cue} ", a.name, asked)
            for a in self.attributes
            for asked, group in ((False, a.cues), (True, a.questions))
            for cue in group
        ]
        object.__setattr__(self, "_cues", tuple(cues))

    def declare(self, *attributes: Attribute) -> AttributeTable:
        """A table with these attributes added; one of the same name replaces the old one."""
        new = {normalise(a.name) for a in attributes}
        return AttributeTable((*(a for a in self.attributes if normalise(a.name) not in new), *attributes))

    def get(self, name: str) -> Attribute | None:
        """The attribute of that name or alias, or None for an open one."""
        return self._by_name.get(normalise(name))

    def canonical(self, name: str) -> str:
        """The canonical name: of a known attribute its own, of an open one the normalised noun."""
        found = self.get(name)
        return found.name if found else normalise(name)

    def is_many(self, name: str) -> bool:
        """Whether several values hold at a time. Open attributes: no."""
        found = self.get(name)
        return found.many if found else normalise(name).startswith(("like", "dislike"))

    def cued(self, text: str, *, question: bool = False) -> dict[str, float]:
        """The attributes whose cues stand in ``text``, with a score in 0..1: the more of the text's words a cue takes, the more.

        Statement cues count in questions too, at half weight.
        """
        words = base_words(text)
        found: dict[str, float] = {}
        for cue, name, asked in self._cues:
            if asked and not question:
                continue
            if cue in words:
                weight = 1.0 if asked == question else 0.5
                found[name] = max(found.get(name, 0.0), weight * min(1.0, 0.7 + 0.15 * (cue.count(" ") - 2)))
        return found


@lru_cache(maxsize=1024)
def base_words(text: str) -> str:
    """The words of ``text`` in base form, each with a blank on both sides: " she live in oslo "."""
    words = (_base(token.low) for token in tokenize(text) if token.kind in ("word", "number"))
    return f" {' '.join(words)} "


def _base(word: str) -> str:
    readings = VERB_FORMS.get(word)
    return readings[0][0] if readings and word != "left" else _SPELLINGS.get(word, word)


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|") if part.strip())


DEFAULT_ATTRIBUTES: tuple[Attribute, ...] = tuple(
    Attribute(row.name, row.many, _split(row.aliases), _split(row.cues), _split(row.questions), row.prototypes)
    for row in ROWS
)
