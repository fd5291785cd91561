"""Copies of what holds a memory share it (K15-09); what goes in and comes out is nobody else's (K08-09)."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from typing import Any

import genome_langchain
import genome_llama_index
import pytest
from genome_langgraph import GenomeSaver, GenomeStore
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import (
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.integrations.langgraph.saver_helpers import at, make_checkpoint, put
from tests.integrations.quiet_crewai import GenomeMemory as CrewMemory
from tests.integrations.quiet_crewai import GenomeStorage

from crewai.memory.types import MemoryRecord  # isort: skip  # after quiet_crewai
from genome_crewai import GenomeFlowPersistence, GenomeKnowledgeStorage  # isort: skip

VECTOR = FakeEmbedder().embed(["tea"])[0].tolist()


# Each makes a holder of a memory, writes "tea" through one, and reads it through another.
HOLDERS: dict[str, tuple[Callable[[Memory], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "memory": (
        lambda memory: memory,
        lambda memory: memory.add("tea", user_id="u"),
        lambda memory: [record.text for record in memory.get_all(user_id="u")],
    ),
    "langgraph store": (
        GenomeStore,
        lambda store: store.put(("n",), "k", {"text": "tea"}),
        lambda store: [item.value["text"] for item in store.search(("n",))],
    ),
    "langgraph saver": (
        GenomeSaver,
        lambda saver: put(saver, at("t"), {"a": "tea"}),
        lambda saver: [found.checkpoint["channel_values"]["a"] for found in saver.list(at("t"))],
    ),
    "langchain vector store": (
        genome_langchain.GenomeVectorStore,
        lambda store: store.add_texts(["tea"]),
        lambda store: [document.page_content for document in store.similarity_search("tea")],
    ),
    "langchain history": (
        lambda memory: genome_langchain.GenomeChatMessageHistory(memory, "s"),
        lambda history: history.add_user_message("tea"),
        lambda history: [message.text for message in history.messages],
    ),
    "langchain classic memory": (
        lambda memory: genome_langchain.GenomeMemory(memory=memory, session_id="s"),
        lambda memory: memory.chat_memory.add_user_message("tea"),
        lambda memory: [message.text for message in memory.chat_memory.messages],
    ),
    "langchain byte store": (
        genome_langchain.GenomeByteStore,
        lambda store: store.mset([("k", b"tea")]),
        lambda store: [value.decode() for value in store.mget(["k"])],
    ),
    "llama_index vector store": (
        genome_llama_index.GenomeVectorStore,
        lambda store: store.add([TextNode(text="tea", embedding=VECTOR)]),
        lambda store: [node.get_content() for node in store.get_nodes()],
    ),
    "llama_index memory": (
        lambda memory: genome_llama_index.GenomeMemory(memory, session_id="s"),
        lambda memory: memory.put(ChatMessage("tea")),
        lambda memory: [message.content for message in memory.get_all()],
    ),
    "llama_index chat store": (
        genome_llama_index.GenomeChatStore,
        lambda store: asyncio.run(store.add_message("s", ChatMessage("tea"))),
        lambda store: [message.content for message in asyncio.run(store.get_messages("s"))],
    ),
    "llama_index key value": (
        genome_llama_index.GenomeKVStore,
        lambda store: store.put("k", {"text": "tea"}),
        lambda store: [store.get("k")["text"]],
    ),
    "crewai memory": (
        CrewMemory,
        lambda memory: memory.remember("tea"),
        lambda memory: [record.content for record in memory.list_records()],
    ),
    "crewai storage": (
        GenomeStorage,
        lambda storage: storage.save([MemoryRecord(content="tea", embedding=VECTOR)]),
        lambda storage: [record.content for record in storage.list_records()],
    ),
    "crewai flows": (
        GenomeFlowPersistence,
        lambda flows: flows.save_state("f", "m", {"text": "tea"}),
        lambda flows: [flows.load_state("f")["text"]],
    ),
    "crewai knowledge": (
        GenomeKnowledgeStorage,
        lambda knowledge: knowledge.save(["tea"]),
        lambda knowledge: [found["content"] for found in knowledge.search(["tea"])],
    ),
}


@pytest.fixture
def memory(memory: Memory) -> Memory:
    saver = GenomeSaver(memory)  # its tables are not the engine's: what another test left there goes
    saver.delete_thread("t")
    return memory


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_deep_copy_is_on_the_same_database(memory: Memory, holder: str) -> None:
    """K15-09."""
    make, write, read = HOLDERS[holder]
    original = make(memory)
    write(copy.deepcopy(original))
    assert read(original) == read(copy.deepcopy(original)) == ["tea"]


# --- arguments and answers -------------------------------------------------------------------------------------------

NODE = {"text": "tea", "metadata": {"list": [1]}, "embedding": VECTOR}
CALL = {"name": "f", "args": {"list": [1]}, "id": "1", "type": "tool_call"}
WRITES: dict[str, tuple[Callable[[], Any], Callable[[Memory, Any], Any]]] = {
    "langgraph put": (lambda: {"list": [1]}, lambda memory, value: GenomeStore(memory).put(("n",), "k", value)),
    "langgraph filter": (
        lambda: {"$or": [{"list": [1]}, {"a": {"$gt": 1}}]},
        lambda memory, filter: GenomeStore(memory).search(("n",), filter=filter),
    ),
    "langgraph checkpoint": (
        lambda: make_checkpoint({"list": [1]}),
        lambda memory, checkpoint: GenomeSaver(memory).put(at("t"), checkpoint, {}, {"list": "1"}),
    ),
    "langchain documents": (
        lambda: [Document("tea", metadata={"list": [1]})],
        lambda memory, documents: genome_langchain.GenomeVectorStore(memory).add_documents(documents),
    ),
    "langchain messages": (
        lambda: [HumanMessage("tea", additional_kwargs={"list": [1]}), AIMessage("", tool_calls=[CALL])],
        lambda memory, messages: genome_langchain.GenomeChatMessageHistory(memory, "s").add_messages(messages),
    ),
    "llama_index nodes": (
        lambda: [TextNode(id_="1", **NODE)],
        lambda memory, nodes: genome_llama_index.GenomeVectorStore(memory).add(nodes),
    ),
    "llama_index query": (
        lambda: VectorStoreQuery(
            query_embedding=list(VECTOR),
            node_ids=[],
            filters=MetadataFilters(filters=[MetadataFilter(key="list", value=[1], operator=FilterOperator.ANY)]),
        ),
        lambda memory, query: genome_llama_index.GenomeVectorStore(memory).query(query),
    ),
    "llama_index messages": (
        lambda: [ChatMessage("tea", additional_kwargs={"list": [1]})],
        lambda memory, messages: genome_llama_index.GenomeMemory(memory, session_id="s").set(messages),
    ),
    "llama_index chat": (
        lambda: [ChatMessage("tea", additional_kwargs={"list": [1]})],
        lambda memory, messages: asyncio.run(genome_llama_index.GenomeChatStore(memory).add_messages("s", messages)),
    ),
    "llama_index values": (
        lambda: {"list": [1]},
        lambda memory, value: genome_llama_index.GenomeKVStore(memory).put("k", value),
    ),
    "crewai records": (
        lambda: [MemoryRecord(content="tea", metadata={"list": [1]}, categories=["c"], embedding=list(VECTOR))],
        lambda memory, records: GenomeStorage(memory).save(records),
    ),
    "crewai metadata": (
        lambda: {"list": [1]},
        lambda memory, given: CrewMemory(memory).remember("tea", metadata=given),
    ),
    "crewai state": (
        lambda: {"list": [1]},
        lambda memory, state: GenomeFlowPersistence(memory).save_state("f", "m", state),
    ),
}


@pytest.mark.parametrize("write", WRITES)
def test_no_call_changes_its_arguments(memory: Memory, write: str) -> None:
    """K08-09."""
    make, call = WRITES[write]
    argument = make()
    before = copy.deepcopy(argument)
    call(memory, argument)
    assert argument == before


ANSWERS: dict[str, tuple[Callable[[Memory], Any], Callable[[Memory], Any]]] = {
    "langgraph item": (
        lambda memory: GenomeStore(memory).put(("n",), "k", {"list": [1]}),
        lambda memory: GenomeStore(memory).search(("n",))[0].value,
    ),
    "langchain document": (
        lambda memory: genome_langchain.GenomeVectorStore(memory).add_texts(["tea"], [{"list": [1]}]),
        lambda memory: genome_langchain.GenomeVectorStore(memory).similarity_search("tea")[0].metadata,
    ),
    "langchain message": (
        lambda memory: genome_langchain.GenomeChatMessageHistory(memory, "s").add_message(
            HumanMessage("tea", additional_kwargs={"list": [1]})
        ),
        lambda memory: genome_langchain.GenomeChatMessageHistory(memory, "s").messages[0].additional_kwargs,
    ),
    "llama_index node": (
        lambda memory: genome_llama_index.GenomeVectorStore(memory).add([TextNode(**NODE)]),
        lambda memory: genome_llama_index.GenomeVectorStore(memory).get_nodes()[0].metadata,
    ),
    "llama_index message": (
        lambda memory: genome_llama_index.GenomeMemory(memory, session_id="s").put(
            ChatMessage("tea", additional_kwargs={"list": [1]})
        ),
        lambda memory: genome_llama_index.GenomeMemory(memory, session_id="s").get_all()[0].additional_kwargs,
    ),
    "crewai record": (
        lambda memory: CrewMemory(memory).remember("tea", metadata={"list": [1]}),
        lambda memory: CrewMemory(memory).recall("tea")[0].record.metadata,
    ),
    "crewai state": (
        lambda memory: GenomeFlowPersistence(memory).save_state("f", "m", {"list": [1]}),
        lambda memory: GenomeFlowPersistence(memory).load_state("f"),
    ),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_changed_answer_changes_nothing_that_is_stored(memory: Memory, answer: str) -> None:
    """K08-09."""
    write, read = ANSWERS[answer]
    write(memory)
    found = read(memory)
    found["list"].append(2)
    found["more"] = True
    again = read(memory)
    assert again["list"] == [1]
    assert "more" not in again
