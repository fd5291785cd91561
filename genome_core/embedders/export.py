"""Exporting a sentence-transformers model to an ONNX graph: once, into the cache, checked against torch.

The graph takes ``input_ids`` alone and ends at ``last_hidden_state``. It has no attention mask, because texts run only
with others of the same number of tokens, without padding: so a vector does not depend on the company that the text came in. The
mean over the tokens and the scaling to norm 1 are done outside.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import shutil
import uuid
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from genome_core.embedders.graph import GRAPH, MANIFEST, TOKENIZER, Graph, Manifest, read_manifest
from genome_core.embedders.models import ModelFolder, cache_folder
from genome_core.embedders.sentence_transformer import load_transformer, window_of
from genome_core.errors import EmbedderError, MissingDependency

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

    from genome_core.protocols import Vectors

logger = logging.getLogger("genome_core.embedders")

_FORMAT = 1
"""Raised whenever a graph exported before must not be used any more."""
_OPSET = 17
TOLERANCE = 1e-5
"""How far a component of an exported vector may lie from torch's; MiniLM stays below 1e-6."""

_SAMPLES = (
    "",
    "Yes.",
    "We met at the station, took the last train north and talked until the lights went out.",
    "Ünïcödé, 中文, العربية and an emoji 🙂 in one line",
    "a text far longer than any window " * 120,
)


def exported(model: ModelFolder) -> tuple[Path, Manifest]:
    """The folder and manifest of ``model``'s graph in the cache, exported first where it is not there yet.

    Raises MissingDependency where an export is needed and sentence-transformers, torch or onnx is absent;
    EmbedderError where the model is of a kind that can not be exported; OSError where the cache can not be
    written.
    """
    folder = cache_folder() / "onnx" / f"{model.name}-{_key(model)}"
    manifest = read_manifest(folder)
    if manifest is None:
        logger.info("exporting %s to ONNX into %s; this is done once", model.name, folder)
        _export(model, folder)
        manifest = read_manifest(folder)
    if manifest is None:
        raise EmbedderError(f"the graph in {folder} is incomplete", hint="delete the folder; it is exported again")
    return folder, manifest


def _key(model: ModelFolder) -> str:
    """Identifies weights and settings, so that an edited window or tokenizer is exported anew."""
    digest = hashlib.sha256(f"{_FORMAT} {model.digest}".encode())
    for file in sorted([*model.path.rglob("*.json"), *model.path.rglob("*.txt")]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _export(model: ModelFolder, folder: Path) -> None:
    """Build everything in a folder beside ``folder`` and rename it: others see all of it or nothing."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.with_name(f".{folder.name}-{uuid.uuid4().hex}")
    draft.mkdir()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the exporter's notices to its own developers
            _write(model, draft)
        if folder.exists() and read_manifest(folder) is None:
            shutil.rmtree(folder)
        try:
            draft.rename(folder)
        except OSError:
            if read_manifest(folder) is None:
                raise
            # Another process exported the same model meanwhile; its graph is as good.
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write(model: ModelFolder, draft: Path) -> None:
    transformer = _load(model)
    try:
        _trace(transformer, draft / GRAPH)
    except Exception as error:
        raise EmbedderError(f"torch can not export {model.name}: {error}") from error
    transformer.tokenizer.backend_tokenizer.save(str(draft / TOKENIZER))
    prompts = transformer.prompts
    exact: dict[str, Any] = {"batch_size": 1, "normalize_embeddings": True, "show_progress_bar": False}
    documents: Vectors = transformer.encode_document(list(_SAMPLES), **exact)
    queries: Vectors = transformer.encode_query(list(_SAMPLES), **exact)
    with (draft / GRAPH).open("rb") as stream:
        graph_sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    manifest = Manifest(
        name=model.name,
        digest=model.digest,
        dimensions=documents.shape[1],
        window=window_of(transformer),
        document_prompt=prompts.get("document") or "",
        query_prompt=prompts.get("query") or "",
        graph_bytes=(draft / GRAPH).stat().st_size,
        graph_sha256=graph_sha256,
        difference_from_torch=0.0,
    )
    graph = Graph(draft, manifest)
    difference = max(
        _difference(graph, manifest.document_prompt, documents), _difference(graph, manifest.query_prompt, queries)
    )
    if not difference <= TOLERANCE:
        raise EmbedderError(
            f"the exported graph of {model.name} differs from torch by {difference:.1e}",
            hint="it may not end with the mean over tokens; use SentenceTransformerEmbedder",
        )
    text = json.dumps({**asdict(manifest), "difference_from_torch": difference}, indent=2)
    (draft / MANIFEST).write_text(text + "\n", "utf-8")


def _load(model: ModelFolder) -> SentenceTransformer:
    try:
        import onnx  # noqa: F401 - torch's exporter needs it and says so only at the end
    except ImportError as error:
        raise MissingDependency(f"exporting {model.name} to ONNX needs onnx", hint="pip install onnx") from error
    return load_transformer(model, device="cpu", model_kwargs={"attn_implementation": "eager"})


def _trace(transformer: SentenceTransformer, target: Path) -> None:
    import torch

    class HiddenState(torch.nn.Module):
        def __init__(self, encoder: Any) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, input_ids: torch.Tensor) -> Any:
            return self.encoder(input_ids=input_ids).last_hidden_state

    example = torch.tensor([transformer.tokenizer("an example to trace")["input_ids"]])
    # The exporter that traces needs no package but onnx, and its graph runs faster in ONNX Runtime than
    # the other's: ONNX Runtime fuses the latter's layer norms into a slower kernel.
    torch.onnx.export(
        HiddenState(transformer[0].auto_model).eval(),
        (example,),
        str(target),
        input_names=["input_ids"],
        output_names=["last_hidden_state"],
        dynamic_axes={"input_ids": {0: "batch", 1: "tokens"}, "last_hidden_state": {0: "batch", 1: "tokens"}},
        opset_version=_OPSET,
        dynamo=False,
    )


def _difference(graph: Graph, prompt: str, reference: Vectors) -> float:
    """The largest difference of a component from torch's; infinite where the vectors are not comparable at all."""
    texts = [prompt + text for text in _SAMPLES]
    alone = np.concatenate([graph.embed([text]) for text in texts])
    if not np.array_equal(graph.embed(texts * 3), np.tile(alone, (3, 1))):
        raise EmbedderError("the exported graph gives a text another vector in a batch on this processor")
    # Another width comes of a layer after the pooling, which the graph does not have.
    return float(abs(alone - reference).max()) if alone.shape == reference.shape else math.inf
