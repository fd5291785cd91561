"""``GenomeEmbedding``: an embedder of the engine as LlamaIndex's ``BaseEmbedding``, and the other way round."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr

from genome_core.embedders import CallableEmbedder
from genome_core.protocols import Embedder


class GenomeEmbedding(BaseEmbedding):
    """Gives LlamaIndex the vectors of an engine's embedder; by default the local all-MiniLM-L6-v2.

    With ``Settings.embed_model = GenomeEmbedding(memory.embedder)`` nodes, turns and whatever other frameworks write share
    one store: a store has one embedder. Vectors have norm 1. Nothing leaves the machine.
    """

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: Embedder | None = None, **kwargs: Any) -> None:
        if embedder is None:
            from genome_core.embedders import default_embedder

            embedder = default_embedder()
        kwargs.setdefault("model_name", embedder.fingerprint.name)
        super().__init__(**kwargs)
        self._embedder = embedder

    @classmethod
    def class_name(cls) -> str:
        return "GenomeEmbedding"

    @property
    def embedder(self) -> Embedder:
        """The engine's embedder."""
        return self._embedder

    def _get_query_embedding(self, query: str) -> list[float]:
        vector: list[float] = self._embedder.embed_query(query).tolist()
        return vector

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._embedder.embed(texts).tolist()
        return vectors

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)


def embedder_of(embed_model: BaseEmbedding) -> Embedder:
    """A LlamaIndex embed model as an embedder of the engine."""
    return embed_model.embedder if isinstance(embed_model, GenomeEmbedding) else CallableEmbedder(embed_model)
