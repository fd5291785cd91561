"""LlamaIndex on GENOME.

======================= =========================================================================================
``GenomeVectorStore``   nodes in a ``Memory``: every query mode, every filter operator, nesting included
``GenomeMemory``        memory for agents and chat engines: each turn is stored at once, the right ones come back
``GenomeMemoryBlock``   the same recall as a block of LlamaIndex's own ``Memory``
``GenomeChatStore``     the messages of sessions, as the store of LlamaIndex's own ``Memory``
``GenomeRetriever``     recall as a retriever, also as of an earlier time
``memory_tools``        search, questions and facts as tools of an agent
``GenomeEmbedding``     the engine's embedder for LlamaIndex
``GenomeDocumentStore`` documents and their hashes, for ``IngestionPipeline`` and ``StorageContext``
``GenomeIndexStore``    the structures of indexes
``GenomeKVStore``       what the last two are made of
======================= =========================================================================================

The names load when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from genome_core.lazy import lazy_names

if TYPE_CHECKING:
    from genome_llama_index.chat_store import GenomeChatStore as GenomeChatStore
    from genome_llama_index.embedding import GenomeEmbedding as GenomeEmbedding
    from genome_llama_index.key_value import GenomeDocumentStore as GenomeDocumentStore
    from genome_llama_index.key_value import GenomeIndexStore as GenomeIndexStore
    from genome_llama_index.key_value import GenomeKVStore as GenomeKVStore
    from genome_llama_index.memory import GenomeMemory as GenomeMemory
    from genome_llama_index.memory_block import GenomeMemoryBlock as GenomeMemoryBlock
    from genome_llama_index.retriever import GenomeRetriever as GenomeRetriever
    from genome_llama_index.tools import memory_tools as memory_tools
    from genome_llama_index.vector_store import GenomeVectorStore as GenomeVectorStore

_MODULES = {
    "GenomeChatStore": "chat_store",
    "GenomeDocumentStore": "key_value",
    "GenomeEmbedding": "embedding",
    "GenomeIndexStore": "key_value",
    "GenomeKVStore": "key_value",
    "GenomeMemory": "memory",
    "GenomeMemoryBlock": "memory_block",
    "GenomeRetriever": "retriever",
    "GenomeVectorStore": "vector_store",
    "memory_tools": "tools",
}

_NEEDS = {"llama_index": ("llama-index-core", "'genome-plugins[llama-index]'")}

__all__ = [
    "GenomeChatStore",
    "GenomeDocumentStore",
    "GenomeEmbedding",
    "GenomeIndexStore",
    "GenomeKVStore",
    "GenomeMemory",
    "GenomeMemoryBlock",
    "GenomeRetriever",
    "GenomeVectorStore",
    "memory_tools",
]

__getattr__ = lazy_names(__name__, _MODULES, _NEEDS)
