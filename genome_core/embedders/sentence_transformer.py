"""Any sentence-transformers model, on torch or another of its backends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genome_core.embedders.checks import checked, checked_texts
from genome_core.embedders.models import ModelFolder, locate
from genome_core.errors import MissingDependency
from genome_core.protocols import Fingerprint, Vectors

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class SentenceTransformerEmbedder:
    """A model of the library sentence-transformers.

    ``model`` is a folder or a name, as in ``locate``; None is all-MiniLM-L6-v2. ``options`` go to
    ``sentence_transformers.SentenceTransformer`` as they are (``device``, ``backend``, ``truncate_dim``,
    ``prompts``, ``model_kwargs`` and the rest).

    The same text gives the same vector bit for bit in any batch of this process: each text runs alone, because
    torch gives a padded text another vector. That costs time; for bulk on a GPU, wrap
    ``SentenceTransformer.encode`` in a ``CallableEmbedder``.
    """

    def __init__(self, model: str | Path | ModelFolder | None = None, **options: Any) -> None:
        self._found = locate(model)
        self._model = load_transformer(self._found, **options)
        self._dimensions = int(self._encode([""]).shape[1])

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint(
            name=self._found.name, digest=self._found.digest, dimensions=self._dimensions, kind="transformer"
        )

    @property
    def window(self) -> int:
        """The number of tokens, with the special ones at both ends, that one vector can take in."""
        return window_of(self._model)

    def count_tokens(self, text: str) -> int:
        """The number of tokens of ``text`` as a document, with the special ones at both ends."""
        prompt = self._model.prompts.get("document") or ""
        return len(self._model.tokenizer(prompt + text, truncation=False, verbose=False)["input_ids"])

    def embed(self, texts: Sequence[str]) -> Vectors:
        texts = checked_texts(texts)
        return checked(self._encode(texts), len(texts), self._dimensions)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vectors = self._model.encode_query(checked_texts([text]), normalize_embeddings=True, show_progress_bar=False)
        row: NDArray[np.float32] = checked(vectors, 1, self._dimensions)[0]
        return row

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._model.encode_document(
            texts, batch_size=1, normalize_embeddings=True, show_progress_bar=False
        )
        return vectors


def window_of(transformer: SentenceTransformer) -> int:
    """The number of tokens that one vector can take in; the tokenizer's limit where the model names none."""
    return int(transformer.max_seq_length or transformer.tokenizer.model_max_length)


def load_transformer(found: ModelFolder, **options: Any) -> SentenceTransformer:
    """The model in the folder, without progress bars; MissingDependency where the library is absent."""
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as notices
    except ImportError as error:
        raise MissingDependency(
            f"running {found.name} needs {error.name}", hint="pip install sentence-transformers"
        ) from error
    bars = notices.is_progress_bar_enabled()
    notices.disable_progress_bar()
    try:
        return SentenceTransformer(str(found.path), **{"local_files_only": True, **options})
    finally:
        if bars:
            notices.enable_progress_bar()
