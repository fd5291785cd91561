"""What every embedder's input and output must satisfy, checked in one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from genome_core.errors import EmbedderError, InvalidInput
from genome_core.protocols import Vectors

NORM_TOLERANCE = 1e-5
"""Rows this close to length 1 are left as they are, bit for bit."""


def checked_texts(texts: Sequence[str]) -> list[str]:
    """``texts`` as a list of strings that every tokenizer can encode.

    Raises InvalidInput for a single string (it would be read letter by letter), for anything that is
    not a string, and for lone surrogates, which have no UTF-8 form.
    """
    if isinstance(texts, str):
        raise InvalidInput("expected a list of texts, got one string", hint="pass [text]")
    result = list(texts)
    for position, text in enumerate(result):
        if not isinstance(text, str):
            raise InvalidInput(f"text {position} is a {type(text).__name__}, not a string")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidInput(
                f"text {position} holds a lone surrogate, which has no UTF-8 form",
                hint="clean it with text.encode('utf-8', 'replace').decode()",
            ) from None
    return result


def checked(vectors: Any, count: int, dimensions: int) -> Vectors:
    """``vectors`` as float32 of shape ``(count, dimensions)``, each row of L2 norm 1.

    Rows of another length are scaled; rows that have length 1 already keep their bits. Raises
    EmbedderError for a wrong count or width, for a value that is not finite and for a zero vector.
    """
    array = _as_float32(vectors)
    if array.shape == (0,):
        array = array.reshape(0, dimensions)
    if array.ndim != 2:
        raise EmbedderError(f"the embedder returned an array of {array.ndim} dimensions instead of one row per text")
    if len(array) != count:
        raise EmbedderError(
            f"the embedder returned {len(array)} vectors for {count} texts",
            hint="nothing was written; mend the embedder",
        )
    if array.shape[1] != dimensions:
        raise EmbedderError(
            f"the embedder returned vectors of width {array.shape[1]} instead of {dimensions}",
            hint="use the embedder that the store was written with, or reindex",
        )
    return _unit_rows(array)


def unit(vectors: ArrayLike) -> Vectors:
    """The rows of ``vectors`` scaled to L2 norm 1, computed in float64, as float32. Zero rows stay zero."""
    wide = np.asarray(vectors, dtype=np.float64)
    norms = np.sqrt(np.square(wide).sum(axis=-1, keepdims=True))
    return (wide / np.where(norms == 0, 1, norms)).astype(np.float32)


def _as_float32(vectors: Any) -> Vectors:
    if isinstance(vectors, np.ndarray) and vectors.dtype == np.float32:
        return vectors
    try:
        with np.errstate(over="ignore"):
            return np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EmbedderError(f"the embedder returned something that is not an array of numbers: {error}") from error


def _unit_rows(array: Vectors) -> Vectors:
    norms = np.sqrt(
        np.einsum("ij,ij->i", array, array, dtype=np.float64)
    )  # squares of float32 can not overflow in float64
    good = np.abs(norms - 1) <= NORM_TOLERANCE
    if good.all():
        return array
    if not np.isfinite(norms).all():
        row = int(np.flatnonzero(~np.isfinite(norms))[0])
        raise EmbedderError(f"the embedder returned a value that is not finite in vector {row}")
    if not norms.all():
        row = int(np.flatnonzero(norms == 0)[0])
        raise EmbedderError(
            f"the embedder returned a zero vector for text {row}", hint="a zero vector has no direction"
        )
    scaled = array.copy()
    scaled[~good] = unit(array[~good])
    return scaled
