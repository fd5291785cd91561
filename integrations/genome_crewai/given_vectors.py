"""The embedder of a store whose vectors come from CrewAI."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genome_core.embedders.callable import estimated_tokens
from genome_core.errors import EmbedderError
from genome_core.protocols import Fingerprint, Vectors

_UNBOUNDED = 10**9


class GivenVectors:
    """Stands for an embedder that lives in CrewAI. ``dimensions`` is None until the first vector has come."""

    def __init__(self, dimensions: int | None = None) -> None:
        self.dimensions = dimensions

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint(name="crewai", digest="crewai", dimensions=self.dimensions or 0, kind="given")

    @property
    def window(self) -> int:
        """CrewAI gives one vector for the whole of a text."""
        return _UNBOUNDED

    def count_tokens(self, text: str) -> int:
        return estimated_tokens(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderError(
            "this store holds vectors that CrewAI made", hint="call Memory.reindex(embedder) to search it by words"
        )

    def embed_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.embed([text])[0]
        return row
