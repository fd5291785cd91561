"""LangChain on GENOME: a vector store; more to come."""

from genome_langchain.embeddings import GenomeEmbeddings
from genome_langchain.vector_store import GenomeVectorStore

__all__ = ["GenomeEmbeddings", "GenomeVectorStore"]
