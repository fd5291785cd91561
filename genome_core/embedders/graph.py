"""An exported ONNX graph: what its folder holds, and running it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from genome_core.embedders.checks import unit
from genome_core.errors import MissingDependency
from genome_core.protocols import Vectors

if TYPE_CHECKING:
    import onnxruntime  # type: ignore[import-untyped]
    import tokenizers

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

    def __init__(self, folder: Path, manifest: Manifest, threads: int) -> None:
        try:
            import onnxruntime
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
        options.intra_op_num_threads = threads
        # Threads that spin while they wait take the cores from everybody else on the machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session: onnxruntime.InferenceSession = onnxruntime.InferenceSession(
            str(folder / GRAPH), options, providers=["CPUExecutionProvider"]
        )

    def count_tokens(self, text: str) -> int:
        encoding = self._tokenizer.encode(text)
        return len(encoding) + sum(len(rest) - self._specials for rest in encoding.overflowing)

    def embed(self, texts: Sequence[str]) -> Vectors:
        means = np.empty((len(texts), self._dimensions))
        for row, text in enumerate(texts):
            tokens = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
            [hidden] = self._session.run(["last_hidden_state"], {"input_ids": tokens})
            means[row] = hidden[0].mean(axis=0, dtype=np.float64)
        return unit(means)
