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
from genome_core.protocols import Vectors

Embed = Callable[[Sequence[str]], Vectors]
"""``Embedder.embed``, or the same behind a cache. Rows of norm 1."""

OTHER = ""
"""The name under which ``Prototypes`` scores what is about no lasting attribute: small talk, trips, visits."""

_SHARPNESS = 0.05
"""The cosine by which one attribute must lead another to be e times as likely."""


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

    @cached_property
    def _courses(self) -> Vectors:
        return self._embed_examples([*PARTINGS, *STAYINGS])

    def likeness(self, text: str) -> dict[str, float]:
        """The same for one text, without ``OTHER``."""
        (scores,) = self.scores([text])
        return {name: score for name, score in scores.items() if name != OTHER}
