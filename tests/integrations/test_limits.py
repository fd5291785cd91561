"""Limits below zero and blank ids are refused by every adapter, whatever it calls them (K14-01, K01-07)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import genome_langchain
import genome_llama_index
import pytest
from genome_langgraph import GenomeSaver, GenomeStore
from langchain_core.messages import HumanMessage
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.vector_stores.types import VectorStoreQuery

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.integrations.quiet_crewai import GenomeMemory as CrewMemory
from tests.integrations.quiet_crewai import GenomeStorage

from genome_crewai import GenomeFlowPersistence, GenomeKnowledgeStorage  # isort: skip  # after quiet_crewai

VECTOR = FakeEmbedder().embed(["tea"])[0].tolist()

LIMITED: dict[str, Callable[[Memory, int], Any]] = {
    "langgraph search": lambda memory, limit: GenomeStore(memory).search(("user:u",), limit=limit),
    "langgraph ranked search": lambda memory, limit: GenomeStore(memory).search(("user:u",), query="tea", limit=limit),
    "langgraph namespaces": lambda memory, limit: GenomeStore(memory).list_namespaces(limit=limit),
    "langgraph recall": lambda memory, limit: GenomeStore(memory).recall("tea", ("user:u",), limit=limit),
    "langgraph checkpoints": lambda memory, limit: list(GenomeSaver(memory).list(None, limit=limit)),
    "langchain retriever": lambda memory, k: genome_langchain.GenomeRetriever(memory=memory, user_id="u", k=k).invoke(
        "tea"
    ),
    "langchain search": lambda memory, k: genome_langchain.GenomeVectorStore(memory, user_id="u").similarity_search(
        "tea", k
    ),
    "llama_index retriever": lambda memory, k: genome_llama_index.GenomeRetriever(
        memory, user_id="u", similarity_top_k=k
    ).retrieve("tea"),
    "llama_index query": lambda memory, k: (
        genome_llama_index.GenomeVectorStore(memory, user_id="u")
        .query(VectorStoreQuery(query_str="tea", similarity_top_k=k))
        .ids
    ),
    "llama_index chat": lambda memory, limit: asyncio.run(
        genome_llama_index.GenomeChatStore(memory, user_id="u").get_messages("r", limit=limit)
    ),
    "llama_index oldest": lambda memory, n: asyncio.run(
        genome_llama_index.GenomeChatStore(memory, user_id="u").delete_oldest_messages("r", n)
    ),
    "crewai recall": lambda memory, limit: CrewMemory(memory, user_id="u").recall("tea", limit=limit),
    "crewai records": lambda memory, limit: CrewMemory(memory, user_id="u").list_records(limit=limit),
    "crewai search": lambda memory, limit: GenomeStorage(memory, user_id="u").search(VECTOR, limit=limit),
    "crewai knowledge": lambda memory, limit: GenomeKnowledgeStorage(memory, user_id="u").search(["tea"], limit=limit),
}


@pytest.mark.parametrize("call", LIMITED)
def test_a_limit_of_zero_finds_nothing_and_less_is_refused(memory: Memory, call: str) -> None:
    memory.add(["tea", "coffee"], user_id="u")
    memory.add("tea", user_id="u", run_id="r")
    assert LIMITED[call](memory, 0) == []
    for limit in (-1, -100):
        with pytest.raises(ValueError, match=r"0 or more|number from 0"):
            LIMITED[call](memory, limit)
    assert memory.count(user_id="u") == 3


OWNED: dict[str, Callable[[Memory, str], Any]] = {
    "langchain vector store": lambda memory, user: genome_langchain.GenomeVectorStore(memory, user_id=user),
    "langchain retriever": lambda memory, user: genome_langchain.GenomeRetriever(memory=memory, user_id=user).invoke(
        "tea"
    ),
    "langchain history": lambda memory, user: genome_langchain.GenomeChatMessageHistory(memory, "s", user_id=user),
    "langchain classic memory": lambda memory, user: genome_langchain.GenomeMemory(
        memory=memory, session_id="s", user_id=user
    ).load_memory_variables({"input": "tea"}),
    "langchain middleware": lambda memory, user: genome_langchain.GenomeMiddleware(memory, user_id=user)._recall(
        [HumanMessage("tea")],
        _Runtime(),  # type: ignore[arg-type]
    ),
    "llama_index vector store": lambda memory, user: genome_llama_index.GenomeVectorStore(memory, user_id=user),
    "llama_index retriever": lambda memory, user: genome_llama_index.GenomeRetriever(memory, user_id=user),
    "llama_index memory": lambda memory, user: genome_llama_index.GenomeMemory(memory, session_id="s", user_id=user),
    "llama_index block": lambda memory, user: asyncio.run(
        genome_llama_index.GenomeMemoryBlock(memory, user_id=user).aget([ChatMessage("tea")], session_id="s")
    ),
    "llama_index chat store": lambda memory, user: asyncio.run(
        genome_llama_index.GenomeChatStore(memory, user_id=user).delete_messages("s")
    ),
    "llama_index sessions": lambda memory, user: asyncio.run(
        genome_llama_index.GenomeChatStore(memory, user_id=user).get_keys()
    ),
    "crewai memory": lambda memory, user: CrewMemory(memory, user_id=user),
    "crewai storage": lambda memory, user: GenomeStorage(memory, user_id=user),
    "crewai flows": lambda memory, user: GenomeFlowPersistence(memory, user_id=user),
    "crewai knowledge": lambda memory, user: GenomeKnowledgeStorage(memory, user_id=user),
}


class _Runtime:
    context = None


@pytest.mark.parametrize("blank", ["", "  "])
@pytest.mark.parametrize("owner", OWNED)
def test_a_blank_user_is_an_error_and_never_everybody(memory: Memory, owner: str, blank: str) -> None:
    memory.add("tea", user_id="u")
    memory.add("tea", user_id="u", run_id="s")
    memory.add("tea", run_id="s")
    with pytest.raises(ValueError, match="user_id"):
        OWNED[owner](memory, blank)
    assert memory.count(namespace=()) == 3
