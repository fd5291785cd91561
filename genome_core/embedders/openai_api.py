"""Embeddings from OpenAI, or from any service that speaks its protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genome_core.embedders.callable import estimated_tokens
from genome_core.embedders.checks import checked, checked_texts
from genome_core.errors import EmbedderError, InvalidInput, MissingDependency
from genome_core.protocols import Fingerprint, Vectors

_TEXT_TOKENS = 8191
"""OpenAI's limit for one text of its embedding models."""
_REQUEST_TOKENS = 250_000
"""OpenAI's limit for one request is 300,000; tokens are only estimated here."""
_REQUEST_TEXTS = 256


class OpenAIEmbedder:
    """Vectors from an embedding service. Every text leaves the machine.

    ``dimensions`` shortens the vectors where the model can do that. ``window`` is the number of tokens (as
    ``estimated_tokens`` counts them) that a text may have. ``options`` go to ``openai.OpenAI`` as they are
    (``api_key``, ``base_url``, ``timeout``, ``max_retries``, ...). One text is embedded at once to learn the width.
    Raises InvalidInput without a key, EmbedderError when the service fails or its answer is unusable.
    A service does not promise the same bits for the same text, so neither does this class.
    """

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        *,
        dimensions: int | None = None,
        window: int = _TEXT_TOKENS,
        **options: Any,
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingDependency(
                "OpenAIEmbedder needs openai", hint="pip install 'genome-plugins[openai]'"
            ) from error
        self._errors = openai.OpenAIError
        try:
            self._client = openai.OpenAI(**options)
        except openai.OpenAIError as error:
            raise InvalidInput(str(error), hint="set OPENAI_API_KEY, or pass api_key=") from error
        self._model = model
        self._asked: dict[str, Any] = {} if dimensions is None else {"dimensions": dimensions}
        self._window = window
        self._dimensions = len(self._request(["How wide is a vector?"])[0])

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint(name=self._model, digest=self._model, dimensions=self._dimensions, kind="service")

    @property
    def window(self) -> int:
        return self._window

    def count_tokens(self, text: str) -> int:
        """An estimate; see ``estimated_tokens``."""
        return estimated_tokens(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        texts = checked_texts(texts)
        vectors: list[list[float]] = []
        for batch in _batches(texts):
            vectors += self._request(batch)
        return checked(vectors, len(texts), self._dimensions)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.embed([text])[0]
        return row

    def _request(self, texts: list[str]) -> list[list[float]]:
        """The vectors in the order of the texts, which the answer's ``index`` gives."""
        # The service refuses an empty text; a space says as little.
        try:
            answer = self._client.embeddings.create(
                model=self._model, input=[text or " " for text in texts], encoding_format="float", **self._asked
            )
        except self._errors as error:
            raise EmbedderError(f"the embedding service failed: {error}") from error
        rows = sorted(answer.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(len(texts))):
            raise EmbedderError(f"the embedding service returned {len(rows)} vectors for {len(texts)} texts")
        return [row.embedding for row in rows]


def _batches(texts: list[str]) -> Iterator[list[str]]:
    """``texts`` in order, cut so that each request stays within the service's limits."""
    batch: list[str] = []
    room = _REQUEST_TOKENS
    for text in texts:
        tokens = estimated_tokens(text)
        if batch and (tokens > room or len(batch) == _REQUEST_TEXTS):
            yield batch
            batch, room = [], _REQUEST_TOKENS
        batch.append(text)
        room -= tokens
    if batch:
        yield batch
