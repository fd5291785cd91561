"""A reranker on a sentence-transformers cross-encoder: slower than everything else here, and only as good as its model."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from genome_core.errors import MissingDependency
from genome_core.types import Hit


class CrossEncoderReranker:
    """Scores each (question, record) pair by a cross-encoder; satisfies ``genome_core.protocols.Reranker``.

    ``model`` is a name on the Hugging Face hub or a local folder; further arguments go to ``sentence_transformers.CrossEncoder``
    (``device``, ``max_length``, ``local_files_only`` ...). The model is loaded at the first use. It reads the start of a record up to its own
    window and ignores the rest.
    """

    def __init__(self, model: str | Path = "cross-encoder/ms-marco-MiniLM-L6-v2", **arguments: Any) -> None:
        self._model_name = str(model)
        self._arguments = arguments
        self._model: Any = None
        self._lock = threading.Lock()

    def score(self, query: str, hits: Sequence[Hit]) -> list[float]:
        """One score per hit, in the order of ``hits``, higher is better. Scores of one model are comparable with each other only."""
        if not hits:
            return []
        pairs = [(query, f"{hit.record.speaker}: {hit.record.text}") for hit in hits]
        with self._lock:  # tokenizers may not be used by two threads at once
            scores = self._load().predict(pairs, show_progress_bar=False)
        return [float(score) for score in scores]

    def _load(self) -> Any:
        if self._model is None:
            try:
                from sentence_transformers import CrossEncoder
            except ImportError as error:
                raise MissingDependency(
                    "the cross-encoder needs sentence-transformers", hint="pip install sentence-transformers"
                ) from error
            self._model = CrossEncoder(self._model_name, **self._arguments)
        return self._model
