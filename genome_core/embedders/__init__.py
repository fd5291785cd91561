"""Embedders: what turns text into vectors. See ``docs/embedders.md``.

Names are imported when first used, so that ``import genome_core.embedders`` loads no model library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genome_core.embedders.callable import CallableEmbedder
    from genome_core.embedders.checks import checked
    from genome_core.embedders.default import default_embedder, load_embedder
    from genome_core.embedders.onnx_runtime import OnnxEmbedder
    from genome_core.embedders.openai_api import OpenAIEmbedder
    from genome_core.embedders.sentence_transformer import SentenceTransformerEmbedder
    from genome_core.embedders.static import StaticEmbedder, distill

__all__ = [
    "CallableEmbedder",
    "OnnxEmbedder",
    "OpenAIEmbedder",
    "SentenceTransformerEmbedder",
    "StaticEmbedder",
    "checked",
    "default_embedder",
    "distill",
    "load_embedder",
]

_MODULES = {
    "CallableEmbedder": "callable",
    "OnnxEmbedder": "onnx_runtime",
    "OpenAIEmbedder": "openai_api",
    "SentenceTransformerEmbedder": "sentence_transformer",
    "StaticEmbedder": "static",
    "checked": "checks",
    "default_embedder": "default",
    "distill": "static",
    "load_embedder": "default",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
