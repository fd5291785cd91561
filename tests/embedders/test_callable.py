"""Embedders of others: functions, and the objects of LangChain and LlamaIndex."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from genome_core.embedders import CallableEmbedder
from genome_core.embedders.callable import estimated_tokens
from genome_core.errors import EmbedderError, InvalidInput
from genome_core.testing.embedders import FakeEmbedder, check_embedder

TEXTS = ["one", "two words", "three words here"]


def letters(texts: list[str]) -> list[list[float]]:
    """A function as a user may write it: not normalised."""
    return [[len(text), text.count("o") + 0.5, 1.0] for text in texts]


class Recorder:
    """A function that remembers what it was asked and can be made to misbehave."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.answer: Any = None

    def __call__(self, texts: list[str]) -> Any:
        self.asked.append(texts)
        return letters(texts) if self.answer is None else self.answer


@pytest.mark.parametrize("width", [64, 384, 768])
def test_the_width_is_learnt_from_the_function(width: int) -> None:
    embedder = CallableEmbedder(FakeEmbedder(width).embed)
    assert embedder.fingerprint.dimensions == width
    check_embedder(embedder)


def test_the_width_is_asked_for_once() -> None:
    recorder = Recorder()
    embedder = CallableEmbedder(recorder)
    embedder.embed(TEXTS)
    embedder.embed(TEXTS)
    assert [len(texts) for texts in recorder.asked] == [1, 3, 3]


def test_vectors_are_scaled_so_that_their_order_is_the_order_of_cosines() -> None:
    embedder = CallableEmbedder(letters)
    raw = np.array(letters(TEXTS))
    cosines = raw @ raw[0] / np.linalg.norm(raw, axis=1) / np.linalg.norm(raw[0])
    assert np.allclose(embedder.embed(TEXTS) @ embedder.embed_query(TEXTS[0]), cosines, atol=1e-6)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (letters(TEXTS[:2]), "2 vectors for 3 texts"),
        (letters([*TEXTS, "more"]), "4 vectors for 3 texts"),
        ([[1.0, 2.0]] * 3, "width 2 instead of 3"),
        ([[1.0, 2.0, float("nan")]] * 3, "not finite"),
        ([[0.0, 0.0, 0.0]] * 3, "zero vector"),
        ([], "0 vectors for 3 texts"),
    ],
)
def test_an_unusable_answer_is_refused_as_a_whole(answer: Any, complaint: str) -> None:
    recorder = Recorder()
    embedder = CallableEmbedder(recorder)
    recorder.answer = answer
    with pytest.raises(EmbedderError, match=complaint):
        embedder.embed(TEXTS)


@pytest.mark.parametrize("answer", [[], [[1.0], [2.0]], [1.0], [[]], [["a"]], [[float("inf")]]])
def test_an_unusable_first_answer_is_refused_at_construction(answer: Any) -> None:
    recorder = Recorder()
    recorder.answer = answer
    with pytest.raises(EmbedderError):
        CallableEmbedder(recorder)


def test_what_can_not_embed_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a int is no embedder"):
        CallableEmbedder(7)


def test_an_error_of_the_function_comes_through_as_it_is() -> None:
    def broken(texts: list[str]) -> list[list[float]]:
        raise TimeoutError("service is down")

    with pytest.raises(TimeoutError, match="service is down"):
        CallableEmbedder(broken)


def test_a_function_is_known_by_its_qualified_name_or_the_name_given() -> None:
    assert CallableEmbedder(letters).fingerprint.digest == f"{__name__}.letters"
    assert CallableEmbedder(Recorder()).fingerprint.digest == f"{__name__}.Recorder"
    assert CallableEmbedder(letters, name="letters/2").fingerprint.digest == "letters/2"


def test_tokens_are_counted_by_the_function_given_or_estimated_from_above() -> None:
    counted = CallableEmbedder(letters, window=512, count_tokens=len)
    assert (counted.window, counted.count_tokens("abc")) == (512, 3)
    assert CallableEmbedder(letters).count_tokens("The quick brown fox") == estimated_tokens("The quick brown fox") >= 6
    assert estimated_tokens("雨が降る") >= 4


def test_a_langchain_object_is_wrapped_by_its_methods() -> None:
    embeddings = pytest.importorskip("langchain_core.embeddings")
    inner = embeddings.DeterministicFakeEmbedding(size=12)
    embedder = CallableEmbedder(inner)
    check_embedder(embedder)
    expected = np.array(inner.embed_documents(TEXTS))
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(embedder.embed(TEXTS), expected, atol=1e-6)
    assert embedder.fingerprint.digest.endswith("DeterministicFakeEmbedding")


def test_a_llama_index_object_is_wrapped_by_its_methods_and_named_by_its_model() -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.base.embeddings.base import BaseEmbedding

    class LengthEmbedding(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return [len(text) + 1.0, 1.0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return [1.0, len(query) + 1.0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    embedder = CallableEmbedder(LengthEmbedding(model_name="lengths-v1"))
    check_embedder(embedder)
    assert embedder.fingerprint.digest == "LengthEmbedding:lengths-v1"
    assert np.allclose(embedder.embed(["abc"]), np.array([[4, 1]]) / np.sqrt(17))
    assert np.allclose(embedder.embed_query("abc"), np.array([1, 4]) / np.sqrt(17)), "queries have a form of their own"
