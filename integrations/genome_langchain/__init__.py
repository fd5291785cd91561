"""LangChain on GENOME.

=========================== =====================================================================================
``GenomeMiddleware``         memory for ``create_agent``: recalls before a run, stores after it
``GenomeRetriever``          recall as a retriever, for chains
``GenomeVectorStore``        documents, with ``GenomeRecordManager`` for the Indexing API
``GenomeDocumentIndex``      the same behind LangChain's beta ``DocumentIndex``
``GenomeChatMessageHistory`` the messages of a session, each exactly restored
``GenomeMemory``             memory for the chains of langchain-classic
``GenomeByteStore``          bytes by key
``GenomeCache``              answers of a model by prompt
``GenomeEmbeddings``         the engine's embedder for LangChain
=========================== =====================================================================================

The names load when they are first used: each needs only its own part of LangChain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from genome_core.lazy import lazy_names

if TYPE_CHECKING:
    from genome_langchain.byte_store import GenomeByteStore as GenomeByteStore
    from genome_langchain.cache import GenomeCache as GenomeCache
    from genome_langchain.classic_memory import GenomeMemory as GenomeMemory
    from genome_langchain.document_index import GenomeDocumentIndex as GenomeDocumentIndex
    from genome_langchain.embeddings import GenomeEmbeddings as GenomeEmbeddings
    from genome_langchain.history import GenomeChatMessageHistory as GenomeChatMessageHistory
    from genome_langchain.middleware import GenomeMiddleware as GenomeMiddleware
    from genome_langchain.record_manager import GenomeRecordManager as GenomeRecordManager
    from genome_langchain.retriever import GenomeRetriever as GenomeRetriever
    from genome_langchain.vector_store import GenomeVectorStore as GenomeVectorStore

_MODULES = {
    "GenomeByteStore": "byte_store",
    "GenomeCache": "cache",
    "GenomeChatMessageHistory": "history",
    "GenomeDocumentIndex": "document_index",
    "GenomeEmbeddings": "embeddings",
    "GenomeMemory": "classic_memory",
    "GenomeMiddleware": "middleware",
    "GenomeRecordManager": "record_manager",
    "GenomeRetriever": "retriever",
    "GenomeVectorStore": "vector_store",
}

_NEEDS = {name: (name, "'genome-plugins[langchain]'") for name in ("langchain", "langchain_core", "langgraph")} | {
    "langchain_classic": ("langchain_classic", "langchain-classic")
}

__all__ = [
    "GenomeByteStore",
    "GenomeCache",
    "GenomeChatMessageHistory",
    "GenomeDocumentIndex",
    "GenomeEmbeddings",
    "GenomeMemory",
    "GenomeMiddleware",
    "GenomeRecordManager",
    "GenomeRetriever",
    "GenomeVectorStore",
]

__getattr__ = lazy_names(__name__, _MODULES, _NEEDS)
