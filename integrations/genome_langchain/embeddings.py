"""``GenomeEmbeddings``: an embedder of the engine as LangChain's ``Embeddings``."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings

from genome_core.protocols import Embedder


class GenomeEmbeddings(Embeddings):
    """Gives LangChain the vectors of an engine's embedder; by default the local all-MiniLM-L6-v2.

    Vectors have norm 1. Nothing leaves the machine.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        if embedder is None:
            from genome_core.embedders import default_embedder

            embedder = default_embedder()
        self.embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self.embedder.embed(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = self.embedder.embed_query(text).tolist()
        return vector
