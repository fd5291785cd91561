"""An exported ONNX graph: what its folder holds, and running it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genome_core.embedders.checks import unit
from genome_core.errors import MissingDependency
from genome_core.protocols import Vectors

_RUN_TOKENS = 512
"""Enough for the matrix products to be efficient; more only takes memory."""
GRAPH, TOKENIZER, MANIFEST = "model.onnx", "tokenizer.json", "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What stands beside an exported graph."""

    name: str
    digest: str
    """sha256 of the weights that were exported."""
    dimensions: int
    window: int
    document_prompt: str
    query_prompt: str
    graph_bytes: int
    graph_sha256: str
    difference_from_torch: float
    """Largest absolute difference of a component on the sample texts."""


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest, or None where there is no complete graph: after a crash of the machine a file may be short."""
    try:
        manifest = Manifest(**json.loads((folder / MANIFEST).read_text("utf-8")))
        complete = (folder / GRAPH).stat().st_size == manifest.graph_bytes and (folder / TOKENIZER).is_file()
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return manifest if complete else None


class Graph:
    """An exported graph and its tokenizer, loaded."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        try:
            onnxruntime = import_onnxruntime()
            import tokenizers
        except ImportError as error:
            raise MissingDependency(
                f"OnnxEmbedder needs {error.name}", hint="pip install onnxruntime tokenizers"
            ) from error
        self._dimensions = manifest.dimensions
        self._tokenizer: tokenizers.Tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(manifest.window)
        self._specials = self._tokenizer.num_special_tokens_to_add(is_pair=False)
        options = onnxruntime.SessionOptions()
        # No pool of threads in the session: a process forked later would wait for them at its end, forever.
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(folder / GRAPH), options, providers=["CPUExecutionProvider"])

    def count_tokens(self, text: str) -> int:
        encoding = self._tokenizer.encode(text)
        return len(encoding) + sum(len(rest) - self._specials for rest in encoding.overflowing)

    def embed(self, texts: Sequence[str], threads: int = 1) -> Vectors:
        """One row a text; ``threads`` runs at a time."""
        if not texts:
            return np.empty((0, self._dimensions), dtype=np.float32)
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        runs = _runs_of_equal_length([len(ids) for ids in tokens])
        batches = [[tokens[place] for place in run] for run in runs]
        if min(len(batches), threads) > 1:
            with ThreadPoolExecutor(threads) as pool:
                means = list(pool.map(self._means, batches))
        else:
            means = [self._means(batch) for batch in batches]
        places = np.concatenate(runs)
        return unit(np.concatenate(means)[np.argsort(places)])

    def _means(self, batch: list[list[int]]) -> NDArray[np.float64]:
        """The mean over the tokens of each text; all of ``batch`` have the same number of them."""
        [hidden] = self._session.run(["last_hidden_state"], {"input_ids": np.array(batch, dtype=np.int64)})
        return np.stack([states.mean(axis=0, dtype=np.float64) for states in hidden])


def _runs_of_equal_length(lengths: list[int]) -> list[list[int]]:
    """The places of texts that can run together without padding, in runs of at most ``_RUN_TOKENS``."""
    same: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        same.setdefault(length, []).append(place)
    runs = []
    for length, places in same.items():
        size = max(1, _RUN_TOKENS // length)
        runs += [places[start : start + size] for start in range(0, len(places), size)]
    return runs


def import_onnxruntime() -> Any:
    """ONNX Runtime with its telemetry off.

    Since 1.32 the packages on PyPI report their use to Microsoft, from native code that no hook in Python
    sees, unless ``ORT_DISABLE_TELEMETRY`` is set before the import. Its threads also keep a forked process from
    ending. Where the host imported it before, only the reports after the first can be stopped.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # type: ignore[import-untyped]

    onnxruntime.disable_telemetry_events()
    return onnxruntime
