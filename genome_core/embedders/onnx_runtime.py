"""The default embedder: a sentence-transformers model on ONNX Runtime."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genome_core.embedders.checks import checked_texts
from genome_core.embedders.export import exported
from genome_core.embedders.graph import Graph
from genome_core.embedders.models import ModelFolder, locate
from genome_core.protocols import Fingerprint, Vectors

_MOST_THREADS = 4
"""More than this in one batch would take a server's cores from everybody else."""


class OnnxEmbedder:
    """A sentence-transformers model with mean pooling, in exact float32 on ONNX Runtime.

    ``model`` is a folder or a name, as in ``locate``; None is all-MiniLM-L6-v2. The graph is exported once
    into the cache folder (see ``exported`` for the errors); from then on neither torch nor
    sentence-transformers is imported. ``threads`` is the number of texts of one batch that are embedded at
    a time, by default ``OMP_NUM_THREADS`` or else the cores of this process up to four; a single text takes one core.

    The same text gives the same vector bit for bit, whatever batch, thread or process it came in: texts
    run alone or with others of the same number of tokens, never padded.
    """

    def __init__(self, model: str | Path | ModelFolder | None = None, *, threads: int | None = None) -> None:
        self._folder, self._manifest = exported(locate(model))
        self._threads = _default_threads() if threads is None else threads
        self._graph: Graph | None = None
        # A lock for each process: after a fork the parent's may be held by a thread that is not here.
        self._locks: dict[int, threading.Lock] = {}

    @property
    def fingerprint(self) -> Fingerprint:
        made = self._manifest
        return Fingerprint(name=made.name, digest=made.digest, dimensions=made.dimensions, kind="transformer")

    @property
    def window(self) -> int:
        """The number of tokens, with the special ones at both ends, that one vector can take in."""
        return self._manifest.window

    def count_tokens(self, text: str) -> int:
        """The number of tokens of ``text`` as a document, with the special ones at both ends."""
        return self._loaded().count_tokens(self._manifest.document_prompt + text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        texts = [self._manifest.document_prompt + text for text in checked_texts(texts)]
        return self._loaded().embed(texts, self._threads)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        [checked] = checked_texts([text])
        row: NDArray[np.float32] = self._loaded().embed([self._manifest.query_prompt + checked])[0]
        return row

    def _loaded(self) -> Graph:
        if self._graph is None:
            with self._locks.setdefault(os.getpid(), threading.Lock()):
                if self._graph is None:
                    self._graph = Graph(self._folder, self._manifest)
        return self._graph


def _default_threads() -> int:
    chosen = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # one number for each level of nesting
    if chosen.isdigit() and int(chosen) > 0:
        return int(chosen)
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, _MOST_THREADS)
