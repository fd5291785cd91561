"""Embedders that somebody else wrote: a function, a LangChain ``Embeddings``, a LlamaIndex ``BaseEmbedding``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genome_core.embedders.checks import checked, checked_texts
from genome_core.errors import EmbedderError, InvalidInput
from genome_core.protocols import Fingerprint, Vectors

_MODEL_ATTRIBUTES = ("model_name", "model", "model_id", "deployment_name")
_PROBE = "How wide is a vector?"


class CallableEmbedder:
    """Wraps a function from a list of texts to a list of vectors, or an embedding object of LangChain or LlamaIndex.

    The object is known by its methods, so neither framework is imported: ``embed_documents`` and
    ``embed_query`` (LangChain), ``get_text_embedding_batch`` and ``get_query_embedding`` (LlamaIndex). One text is
    embedded at once to learn the width. Every answer is checked and scaled to norm 1: a wrong count or
    width, a value that is not finite or a zero vector is an EmbedderError.

    The fingerprint's digest is ``name``; by default the model name that the object tells (``model_name``,
    ``model``, ...) after its class, else the function's qualified name. It can not see weights: give another
    ``name`` when the model behind the same function changes.

    ``window`` is the number of tokens that one vector can take in, counted by ``count_tokens``, by default
    ``estimated_tokens``. Whether vectors are deterministic is up to the callable.
    """

    def __init__(
        self,
        wrapped: Callable[[list[str]], Any] | Any,
        *,
        name: str | None = None,
        window: int = 256,
        count_tokens: Callable[[str], int] | None = None,
    ) -> None:
        self._embed, self._embed_query = _methods(wrapped)
        self._name = name or _name_of(wrapped)
        self._window = window
        self._count_tokens = count_tokens or estimated_tokens
        self._dimensions = _width([*self._embed([_PROBE])], self._name)

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint(name=self._name, digest=self._name, dimensions=self._dimensions, kind="callable")

    @property
    def window(self) -> int:
        return self._window

    def count_tokens(self, text: str) -> int:
        return self._count_tokens(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        texts = checked_texts(texts)
        if not texts:
            return np.empty((0, self._dimensions), dtype=np.float32)
        return checked(self._embed(texts), len(texts), self._dimensions)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        [text] = checked_texts([text])
        row: NDArray[np.float32] = checked([self._embed_query(text)], 1, self._dimensions)[0]
        return row


def estimated_tokens(text: str) -> int:
    """An estimate without a tokenizer: a token for every three bytes of UTF-8, and two for the ends.

    On the high side for prose: English has four to five bytes a token and Chinese about three in the usual vocabularies.
    """
    return -(-len(text.encode()) // 3) + 2


def _methods(wrapped: Any) -> tuple[Callable[[list[str]], Any], Callable[[str], Any]]:
    if hasattr(wrapped, "embed_documents") and hasattr(wrapped, "embed_query"):
        return wrapped.embed_documents, wrapped.embed_query
    if hasattr(wrapped, "get_text_embedding_batch") and hasattr(wrapped, "get_query_embedding"):
        return wrapped.get_text_embedding_batch, wrapped.get_query_embedding
    if callable(wrapped):
        return wrapped, lambda text: _first(wrapped([text]))
    raise InvalidInput(
        f"a {type(wrapped).__name__} is no embedder",
        hint="pass a function from a list of texts to a list of vectors, or an embedding object of LangChain or LlamaIndex",
    )


def _first(vectors: Sequence[Any]) -> Any:
    if len(vectors) != 1:
        raise EmbedderError(f"the embedder returned {len(vectors)} vectors for one query")
    return vectors[0]


def _name_of(wrapped: Any) -> str:
    """``OpenAIEmbeddings:text-embedding-3-small``, or ``my_package.my_function``."""
    for attribute in _MODEL_ATTRIBUTES:
        told = getattr(wrapped, attribute, None)
        if isinstance(told, str) and told and told != "unknown":
            return f"{type(wrapped).__name__}:{told}"
    named = wrapped if hasattr(wrapped, "__qualname__") else type(wrapped)
    return f"{named.__module__}.{named.__qualname__}"


def _width(vectors: list[Any], name: str) -> int:
    if len(vectors) != 1 or not np.ndim(vectors[0]):
        raise EmbedderError(f"{name} returned no vector for one text", hint="it must return a list of vectors")
    width = len(vectors[0])
    checked(vectors, 1, width)
    return width
