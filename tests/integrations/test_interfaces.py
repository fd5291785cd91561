"""Each adapter has what its framework's interface has, sync and async, with the same arguments (K05-01, K07-09)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import genome_langchain
import genome_llama_index
import pytest
from genome_langgraph import GenomeSaver, GenomeStore
from langchain.agents.middleware import AgentMiddleware
from langchain_classic.base_memory import BaseMemory as ClassicMemory
from langchain_core.caches import BaseCache
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.indexing import RecordManager
from langchain_core.retrievers import BaseRetriever
from langchain_core.stores import BaseStore as ByteStore
from langchain_core.vectorstores import VectorStore
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore
from llama_index.core.base.base_retriever import BaseRetriever as NodeRetriever
from llama_index.core.memory import BaseMemory, BaseMemoryBlock
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore
from llama_index.core.storage.kvstore.types import BaseKVStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from tests.integrations.quiet_crewai import GenomeMemory as CrewMemory
from tests.integrations.quiet_crewai import GenomeStorage

from crewai.flow.persistence.base import FlowPersistence  # isort: skip  # after quiet_crewai
from crewai.knowledge.storage.base_knowledge_storage import BaseKnowledgeStorage  # isort: skip
from crewai.memory.storage.backend import StorageBackend  # isort: skip
from crewai.memory.unified_memory import Memory as UnifiedMemory  # isort: skip
from genome_crewai import GenomeFlowPersistence, GenomeKnowledgeStorage  # isort: skip

INTERFACES: list[tuple[type[Any], type[Any]]] = [
    (GenomeStore, BaseStore),
    (GenomeSaver, BaseCheckpointSaver),
    (genome_langchain.GenomeVectorStore, VectorStore),
    (genome_langchain.GenomeRetriever, BaseRetriever),
    (genome_langchain.GenomeChatMessageHistory, BaseChatMessageHistory),
    (genome_langchain.GenomeMiddleware, AgentMiddleware),
    (genome_langchain.GenomeMemory, ClassicMemory),
    (genome_langchain.GenomeByteStore, ByteStore),
    (genome_langchain.GenomeCache, BaseCache),
    (genome_langchain.GenomeRecordManager, RecordManager),
    (genome_llama_index.GenomeVectorStore, BasePydanticVectorStore),
    (genome_llama_index.GenomeRetriever, NodeRetriever),
    (genome_llama_index.GenomeMemory, BaseMemory),
    (genome_llama_index.GenomeMemoryBlock, BaseMemoryBlock),
    (genome_llama_index.GenomeChatStore, AsyncDBChatStore),
    (genome_llama_index.GenomeKVStore, BaseKVStore),
    (GenomeStorage, StorageBackend),
    (CrewMemory, UnifiedMemory),
    (GenomeFlowPersistence, FlowPersistence),
    (GenomeKnowledgeStorage, BaseKnowledgeStorage),
]
NAMES = [f"{ours.__module__.split('.')[0]}.{ours.__name__}" for ours, _ in INTERFACES]


HOSTS = ("langchain", "langchain_core", "langchain_classic", "langgraph", "llama_index", "crewai")


def verbs(interface: type[Any]) -> dict[str, Callable[..., Any]]:
    """The public methods that the framework gave the interface; not those of pydantic and the like."""
    own = set().union(*(vars(base) for base in interface.__mro__ if base.__module__.split(".")[0] in HOSTS))
    methods = inspect.getmembers(interface, inspect.isroutine)
    return {name: method for name, method in methods if name in own and not name.startswith("_")}


def named(method: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {one.name: one for one in inspect.signature(method).parameters.values() if one.kind not in variable}


def takes(method: Callable[..., Any], name: str) -> bool:
    kinds = {one.kind for one in inspect.signature(method).parameters.values()}
    return name in named(method) or inspect.Parameter.VAR_KEYWORD in kinds


@pytest.mark.parametrize(("ours", "interface"), INTERFACES, ids=NAMES)
def test_every_method_takes_what_the_interface_gives(ours: type[Any], interface: type[Any]) -> None:
    """K05-01."""
    assert not inspect.isabstract(ours)
    assert verbs(interface)
    for name, theirs in verbs(interface).items():
        method = getattr(ours, name)
        assert [one for one in named(theirs) if not takes(method, one)] == [], name
        both = named(theirs).keys() & named(method).keys()
        assert [one for one in named(method) if one in both] == [one for one in named(theirs) if one in both], name


@pytest.mark.parametrize("ours", [ours for ours, _ in INTERFACES], ids=NAMES)
def test_async_twins_take_the_same_arguments(ours: type[Any]) -> None:
    """K07-09."""
    for name, method in inspect.getmembers(ours, inspect.iscoroutinefunction):
        other = getattr(ours, name.removeprefix("async_") if name.startswith("async_") else name[1:], None)
        if name.startswith("a") and callable(other):
            assert [one for one in named(other) if not takes(method, one)] == [], name
            both = named(other).keys() & named(method).keys()
            assert all(named(other)[one].default == named(method)[one].default for one in both), name


@pytest.mark.parametrize("ours", [ours for ours, _ in INTERFACES], ids=NAMES)
def test_an_empty_adapter_is_not_taken_for_none(ours: type[Any]) -> None:
    """Hosts ask ``store or ...`` and ``if vector_store:``."""
    assert not hasattr(ours, "__len__")
    assert not hasattr(ours, "__bool__")
