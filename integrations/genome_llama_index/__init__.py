"""LlamaIndex on GENOME.

======================= =========================================================================================
``GenomeVectorStore``   nodes in a ``Memory``: every query mode, every filter operator, nesting included
``GenomeEmbedding``     the engine's embedder for LlamaIndex
======================= =========================================================================================

The names load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from genome_core.errors import MissingDependency

if TYPE_CHECKING:
    from genome_llama_index.embedding import GenomeEmbedding as GenomeEmbedding
    from genome_llama_index.vector_store import GenomeVectorStore as GenomeVectorStore

_MODULES = {
    "GenomeEmbedding": "embedding",
    "GenomeVectorStore": "vector_store",
}

__all__ = [
    "GenomeEmbedding",
    "GenomeVectorStore",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "llama_index":
            raise
        raise MissingDependency(
            f"{name} needs llama-index-core", hint="pip install 'genome-plugins[llama-index]'"
        ) from error
