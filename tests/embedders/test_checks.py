"""What comes back from an embedder is checked before anything is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from genome_core.embedders.checks import checked, checked_texts, unit
from genome_core.errors import EmbedderError, InvalidInput


@given(arrays(np.float32, (4, 3), elements=st.floats(0.125, 1e6, width=32)))
def test_rows_are_scaled_to_length_one_and_keep_their_direction(vectors: Any) -> None:
    result = checked(vectors, 4, 3)
    assert result.dtype == np.float32
    assert np.allclose(np.linalg.norm(result, axis=1), 1, atol=1e-6)
    assert np.allclose(result * np.linalg.norm(vectors.astype(np.float64), axis=1)[:, None], vectors, rtol=1e-5)


def test_rows_of_length_one_keep_their_bits() -> None:
    vectors = unit(np.random.default_rng(1).standard_normal((50, 384)))
    assert np.array_equal(checked(vectors, 50, 384), vectors)


def test_a_row_of_another_length_does_not_touch_its_neighbours() -> None:
    vectors = unit(np.random.default_rng(1).standard_normal((3, 8)))
    mixed = vectors * np.array([[1], [7], [1]], dtype=np.float32)
    assert np.array_equal(checked(mixed, 3, 8)[[0, 2]], vectors[[0, 2]])


def test_the_input_is_not_changed() -> None:
    vectors = np.full((2, 2), 5, dtype=np.float32)
    checked(vectors, 2, 2)
    assert (vectors == 5).all()


def test_plain_lists_are_taken() -> None:
    assert np.allclose(checked([[3, 4]], 1, 2), [[0.6, 0.8]])


def test_no_texts_give_an_empty_array_of_the_right_width() -> None:
    assert checked([], 0, 5).shape == (0, 5)


@pytest.mark.parametrize(
    ("vectors", "complaint"),
    [
        ([[1.0, 0.0]], "1 vectors for 2 texts"),
        ([[1.0, 0.0]] * 3, "3 vectors for 2 texts"),
        ([[1.0, 0.0, 0.0]] * 2, "width 3 instead of 2"),
        ([[1.0, 0.0], [1.0]], "not an array of numbers"),
        ([1.0, 0.0], "array of 1 dimensions"),
        (None, "array of 0 dimensions"),
        (["one", "two"], "not an array of numbers"),
        ([[1.0, 0.0], [float("nan"), 0.0]], "not finite in vector 1"),
        ([[float("inf"), 0.0], [1.0, 0.0]], "not finite in vector 0"),
        ([[1.0, 0.0], [1e300, 0.0]], "not finite in vector 1"),
        ([[1.0, 0.0], [None, 0.0]], "not finite in vector 1"),
        ([[1.0, 0.0], [0.0, 0.0]], "zero vector for text 1"),
    ],
)
def test_unusable_vectors_are_refused(vectors: Any, complaint: str) -> None:
    with pytest.raises(EmbedderError, match=complaint):
        checked(vectors, 2, 2)


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        ("one string", "list of texts"),
        (["fine", 7], "text 1 is a int"),
        (["fine", None], "text 1 is a NoneType"),
        (["fine", "half \ud83d of an emoji"], "text 1 holds a lone surrogate"),
    ],
)
def test_texts_that_no_tokenizer_can_encode_are_refused(texts: Any, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        checked_texts(texts)
