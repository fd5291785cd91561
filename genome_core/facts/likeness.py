"""Likeness of sentences to attributes: by an embedder and short example sentences ("prototypes").

It finds what no list of words foresees ("she put down roots in Oslo" is about a home). A sentence is compared with names and
times masked, so that what it says decides and not of whom.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.examples import EXAMPLES, PARTINGS, SMALL_TALK, STAYINGS
from genome_core.facts.value_examples import VALUE_EXAMPLES
from genome_core.protocols import Vectors

Embed = Callable[[Sequence[str]], Vectors]
"""``Embedder.embed``, or the same behind a cache. Rows of norm 1."""

OTHER = ""
"""The name under which ``Prototypes`` scores what is about no lasting attribute: small talk, trips, visits."""

_SHARPNESS = 0.05
"""The cosine by which one attribute must lead another to be e times as likely."""


_PERSONS = frozenset(["partner", "manager", "owner", "doctor"])
_OF_ONE_KIND = {
    "home": {"hometown"},
    "hometown": {"home"},
    "hobby": {"instrument", "gym"},
    "instrument": {"hobby"},
    "gym": {"hobby"},
    "language": {"nationality"},
    "nationality": {"language"},
    **dict.fromkeys(_PERSONS, _PERSONS),
}
"""Attributes whose values are alike, so that likeness does not tell them apart."""


class Prototypes:
    """The example sentences of a table of attributes as vectors, embedded once when first needed.

    ``embed_examples`` gives the vectors of the examples, which are the same in every process; by default it is ``embed``.
    """

    def __init__(self, table: AttributeTable, embed: Embed, embed_examples: Embed | None = None) -> None:
        self.embed = embed
        self._embed_examples = embed_examples or embed
        examples: dict[str, dict[str, None]] = {OTHER: dict.fromkeys(SMALL_TALK)}
        for attribute in table.attributes:
            own = dict.fromkeys((*EXAMPLES.get(attribute.name, ()), *attribute.prototypes))
            if own:
                examples[attribute.name] = own
        self.names = tuple(examples)
        """The attributes that have examples, and ``OTHER``."""
        self._examples = [sentence for own in examples.values() for sentence in own]
        self._starts = np.cumsum([0, *(len(own) for own in examples.values())])[:-1]

    @cached_property
    def _vectors(self) -> Vectors:
        return self._embed_examples(self._examples)

    def _nearest(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """For each text and each of ``names`` the cosine to the nearest example; rounded, so that results are the same on
        every machine."""
        cosines = np.round(self.embed(texts) @ self._vectors.T, 3)
        nearest: NDArray[np.float32] = np.maximum.reduceat(cosines, self._starts, axis=1)
        return nearest

    def scores(self, texts: Sequence[str]) -> list[dict[str, float]]:
        """For each text the cosine to the nearest example of every attribute, and of ``OTHER``."""
        if not texts:
            return []
        return [dict(zip(self.names, row, strict=True)) for row in self._nearest(texts).tolist()]

    def likelihoods(self, texts: Sequence[str], attribute: str) -> list[float]:
        """For each text how likely it is about ``attribute`` and not about another one or none (0..1)."""
        if not texts:
            return []
        leads = (self._nearest(texts) - 1.0).astype(np.float64) / _SHARPNESS
        weights = np.exp(leads)
        share = weights[:, self.names.index(attribute)] / weights.sum(axis=1)
        return [round(value, 3) for value in share.tolist()]

    def idle(self, texts: Sequence[str]) -> list[float]:
        """For each text the cosine to the nearest example of ``OTHER``."""
        return self._nearest(texts)[:, self.names.index(OTHER)].tolist() if texts else []

    def partings(self, texts: Sequence[str]) -> list[bool]:
        """For each text whether it says that something is over, and not that it goes on."""
        if not texts:
            return []
        cosines = np.round(self.embed(texts) @ self._courses.T, 3)
        over, goes_on = cosines[:, : len(PARTINGS)].max(axis=1), cosines[:, len(PARTINGS) :].max(axis=1)
        return [bool(clear) for clear in over - goes_on >= _SHARPNESS]

    def value_likeness(self, phrases: Sequence[str], attribute: str) -> tuple[list[float], list[float]]:
        """For each phrase its lead in likeness to values of the attribute over all else, and its likeness to what is no value."""
        cosines = np.round(self.embed(phrases) @ self._values.T, 3)
        starts = np.cumsum([0, *(len(own) for own in VALUE_EXAMPLES.values())])[:-1]
        nearest = np.maximum.reduceat(cosines, starts, axis=1)
        names = list(VALUE_EXAMPLES)
        own = names.index(attribute)
        others = [i for i, name in enumerate(names) if i != own and name not in _OF_ONE_KIND.get(attribute, ())]
        leads = np.round(nearest[:, own] - nearest[:, others].max(axis=1), 3)
        return leads.tolist(), nearest[:, names.index(OTHER)].tolist()

    @cached_property
    def _values(self) -> Vectors:
        return self._embed_examples([value for own in VALUE_EXAMPLES.values() for value in own])

    @cached_property
    def _courses(self) -> Vectors:
        return self._embed_examples([*PARTINGS, *STAYINGS])

    def likeness(self, text: str) -> dict[str, float]:
        """The same for one text, without ``OTHER``."""
        (scores,) = self.scores([text])
        return {name: score for name, score in scores.items() if name != OTHER}
