"""Static vectors (model2vec): one vector for each token, averaged. A hundred times as fast as a transformer."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genome_core.embedders.checks import checked_texts, unit
from genome_core.embedders.models import locate, weights_digest
from genome_core.errors import InvalidInput, MissingDependency
from genome_core.protocols import Fingerprint, Vectors

_HINT = "pip install 'genome-plugins[static]'"


class StaticEmbedder:
    """A static model in the format of model2vec, such as ``distill`` writes.

    ``path`` is its folder. A text without any known token has no direction of its own; it gets the first
    axis. The same text gives the same vector bit for bit, whatever batch, thread or process it came in.

    ``window`` is the number of tokens (without special ones) after which a text is cut into passages. The
    average could take in more, but a mean over many subjects is near to none of them.
    """

    def __init__(self, path: str | Path, *, window: int = 256) -> None:
        folder = Path(path).expanduser().resolve()
        digest = weights_digest(folder)
        try:
            from model2vec import StaticModel
        except ImportError as error:
            raise MissingDependency(f"StaticEmbedder needs {error.name}", hint=_HINT) from error
        model = StaticModel.from_pretrained(folder)
        self._tokenizer = model.tokenizer
        self._tokenizer.no_truncation()
        self._unknown = model.unk_token_id
        self._vectors = _vector_of_each_token(model)
        self._window = window
        self._fingerprint = Fingerprint(
            name=folder.name, digest=digest, dimensions=self._vectors.shape[1], kind="static"
        )

    @property
    def fingerprint(self) -> Fingerprint:
        return self._fingerprint

    @property
    def window(self) -> int:
        return self._window

    def count_tokens(self, text: str) -> int:
        """The number of tokens that the model knows; at least 1."""
        return max(1, len(self._tokens(text)))

    def embed(self, texts: Sequence[str]) -> Vectors:
        means = np.empty((len(texts), self._fingerprint.dimensions))
        for row, text in enumerate(checked_texts(texts)):
            means[row] = self._vectors[self._tokens(text)].sum(axis=0, dtype=np.float64)
        means[~means.any(axis=1), 0] = 1
        return unit(means)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.embed([text])[0]
        return row

    def _tokens(self, text: str) -> list[int]:
        tokens = self._tokenizer.encode(text, add_special_tokens=False).ids
        return [token for token in tokens if token != self._unknown]


def _vector_of_each_token(model: Any) -> NDArray[np.float32]:
    """The table with model2vec's two ways of shrinking it undone: shared rows and separate weights."""
    table = model.embedding if model.token_mapping is None else model.embedding[model.token_mapping]
    if model.weights is not None:
        table = table * model.weights[:, np.newaxis]
    return np.asarray(table, dtype=np.float32)


def distill(model: str | Path | None, path: str | Path) -> StaticEmbedder:
    """Make a static model of ``model`` (as in ``locate``) in the new folder ``path``, and load it.

    Every token of the vocabulary goes through the model once: one to three minutes for all-MiniLM-L6-v2.
    Raises InvalidInput where ``path`` exists, MissingDependency where model2vec or torch is absent.
    """
    target = Path(path).expanduser().resolve()
    if target.exists():
        raise InvalidInput(f"{target} exists already", hint="name a new folder")
    found = locate(model)
    try:
        from model2vec import distill as library
    except ImportError as error:
        raise MissingDependency("distilling needs model2vec with its distillation", hint=_HINT) from error
    made = library.distill(str(found.path), device="cpu")
    draft = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    made.save_pretrained(draft, model_name=f"{found.name}-static")
    draft.rename(target)
    return StaticEmbedder(target)
