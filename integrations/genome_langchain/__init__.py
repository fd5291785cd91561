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

from importlib import import_module
from typing import TYPE_CHECKING, Any

from genome_core.errors import MissingDependency

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


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        if missing not in ("langchain", "langchain_core", "langchain_classic", "langgraph"):
            raise
        package = "langchain-classic" if missing == "langchain_classic" else "'genome-plugins[langchain]'"
        raise MissingDependency(f"{name} needs {missing}", hint=f"pip install {package}") from error
