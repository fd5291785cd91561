"""The seams: what a user can plug in. Each contract stands in its docstring and in a suite of ``genome_core.testing``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from genome_core.types import Fact, Hit, Record

Clock: TypeAlias = Callable[[], datetime]
"""Tells the time as an aware datetime. Injected, so that a replay is exact."""

Vectors: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What decides whether two embedders give comparable vectors."""

    name: str
    """For people: ``all-MiniLM-L6-v2``."""
    digest: str
    """sha256 of the weights, or whatever else identifies the model."""
    dimensions: int
    kind: str
    """The family of the computation (``transformer``, ``static``, ``callable``): never the backend."""


@runtime_checkable
class Embedder(Protocol):
    """Turns text into vectors.

    * ``embed(texts)`` returns a float32 array of shape ``(len(texts), fingerprint.dimensions)``, each row of L2 norm 1.
    * ``embed_query(text)`` returns shape ``(dimensions,)``, norm 1; the same as ``embed([text])[0]`` unless the model
      asks for another form of queries.
    * Both may be called from any thread at once.
    * A text longer than ``window`` tokens is the caller's fault: the core cuts long texts into passages first.
    """

    @property
    def fingerprint(self) -> Fingerprint: ...

    @property
    def window(self) -> int:
        """The number of tokens that one vector can take in."""

    def count_tokens(self, text: str) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors: ...

    def embed_query(self, text: str) -> NDArray[np.float32]: ...


@runtime_checkable
class Reranker(Protocol):
    """Gives the best hits a better order: returns one score per hit, higher is better, in the order of ``hits``."""

    def score(self, query: str, hits: Sequence[Hit]) -> Sequence[float]: ...


@runtime_checkable
class FactExtractor(Protocol):
    """Reads facts out of one turn, deterministically if the store is to be replayed.

    ``context()`` returns up to a handful of turns said just before in the same namespace, oldest first. It costs a
    query: call it only where the words need it ("she", "it").
    Every fact returned has ``source``, ``span``, ``at`` and ``extractor`` set; the store fills in the rest.
    """

    @property
    def version(self) -> str:
        """Name and version, such as ``rules/1``."""

    def extract(self, turn: Record, context: Callable[[], Sequence[Record]]) -> Sequence[Fact]: ...
