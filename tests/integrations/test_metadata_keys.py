"""Keys of metadata are data in every adapter (K02-07), move nothing (K01-06), and absent ones follow the host's rule (K02-18)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import genome_langchain
import genome_llama_index
import pytest
from genome_langgraph import GenomeSaver, GenomeStore
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.integrations.langgraph.saver_helpers import at, put
from tests.integrations.quiet_crewai import GenomeStorage

from crewai.memory.types import MemoryRecord  # isort: skip  # after quiet_crewai

VECTOR = FakeEmbedder().embed(["tea"])[0].tolist()
ODD = ["it's", "a b", "x-y", "städte", "a.b", "$x", "a') OR 1=1 --", '"']
OURS = [
    "user_id",
    "namespace",
    "run_id",
    "id",
    "text",
    "value",
    "role",
    "origin",
    "at",
    "categories",
    "importance",
    "private",
]


class LangGraph:
    def __init__(self, memory: Memory, user: str) -> None:
        self.store, self.place = GenomeStore(memory), (f"user:{user}",)

    def write(self, key: str, metadata: dict[str, Any]) -> None:
        self.store.put(self.place, key, metadata)

    def having(self, key: str, value: Any) -> list[str]:
        return sorted(item.key for item in self.store.search(self.place, filter={key: value}))

    def read(self, key: str) -> Any:
        item = self.store.get(self.place, key)
        return None if item is None else item.value


class LangChain:
    def __init__(self, memory: Memory, user: str) -> None:
        self.store = genome_langchain.GenomeVectorStore(memory, user_id=user)

    def write(self, key: str, metadata: dict[str, Any]) -> None:
        self.store.add_texts([key], [metadata], ids=[key])

    def having(self, key: str, value: Any) -> list[str]:
        return sorted(str(one.id) for one in self.store.similarity_search("tea", 9, filter={key: value}))

    def read(self, key: str) -> Any:
        return next((one.metadata for one in self.store.get_by_ids([key])), None)


class LlamaIndex:
    def __init__(self, memory: Memory, user: str) -> None:
        self.store = genome_llama_index.GenomeVectorStore(memory, user_id=user)

    def write(self, key: str, metadata: dict[str, Any]) -> None:
        self.store.add([TextNode(id_=key, text=key, metadata=metadata, embedding=VECTOR)])

    def having(self, key: str, value: Any) -> list[str]:
        filters = MetadataFilters(filters=[MetadataFilter(key=key, value=value)])
        return sorted(node.node_id for node in self.store.get_nodes(filters=filters))

    def read(self, key: str) -> Any:
        return next((node.metadata for node in self.store.get_nodes([key])), None)


class CrewAI:
    def __init__(self, memory: Memory, user: str) -> None:
        self.storage = GenomeStorage(memory, user_id=user)

    def write(self, key: str, metadata: dict[str, Any]) -> None:
        self.storage.save([MemoryRecord(id=key, content=key, metadata=metadata, embedding=VECTOR, importance=0.25)])

    def having(self, key: str, value: Any) -> list[str]:
        return sorted(one.id for one, _ in self.storage.search(VECTOR, metadata_filter={key: value}))

    def read(self, key: str) -> Any:
        record = self.storage.get_record(key)
        assert record is None or (record.importance, record.categories, record.private) == (0.25, [], False)
        return None if record is None else record.metadata


ADAPTERS: list[Callable[[Memory, str], Any]] = [LangGraph, LangChain, LlamaIndex, CrewAI]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_any_key_is_kept_found_and_moves_nothing(memory: Memory, adapter: Callable[[Memory, str], Any]) -> None:
    one, other = adapter(memory, "ann"), adapter(memory, "bob")
    metadata = {key: f"value of {key}" for key in ODD} | dict.fromkeys(OURS, "bob")
    one.write("tea", metadata)
    one.write("plain", {})
    other.write("theirs", metadata)
    for key, value in metadata.items():
        assert one.having(key, value) == ["tea"], key
        assert one.having(key, "something else") == [], key
    assert one.read("tea") == metadata
    assert other.read("tea") is None


@pytest.mark.parametrize("key", ODD)
def test_checkpoints_are_found_by_metadata_of_any_key(memory: Memory, key: str) -> None:
    saver = GenomeSaver(memory)
    for thread in ("with", "without"):
        saver.delete_thread(thread)
    entry: dict[str, Any] = {key: "x"}
    put(saver, at("with"), {"a": 1}, **entry)
    put(saver, at("without"), {"a": 1})
    assert [one.config["configurable"]["thread_id"] for one in saver.list(None, filter={key: "x"})] == ["with"]


def test_rows_that_lack_a_key_are_treated_as_the_host_does(memory: Memory) -> None:
    """K02-18: SimpleVectorStore lets them pass != and nin; LangGraph's SQL stores, and so ours and LangChain's, do not."""
    rows: dict[str, dict[str, Any]] = {"a": {"n": 1}, "b": {"n": 2}, "c": {}}
    graph, chain, index = LangGraph(memory, "ann"), LangChain(memory, "bob"), LlamaIndex(memory, "cleo")
    for adapter in (graph, chain, index):
        for key, metadata in rows.items():
            adapter.write(key, metadata)

    def nodes(operator: FilterOperator, value: Any) -> list[str]:
        filters = MetadataFilters(filters=[MetadataFilter(key="n", value=value, operator=operator)])
        return sorted(node.node_id for node in index.store.get_nodes(filters=filters))

    for adapter in (graph, chain):
        assert adapter.having("n", {"$ne": 1}) == ["b"]
        assert adapter.having("n", {"$nin": [1]}) == ["b"]
        assert adapter.having("n", {"$exists": False}) == ["c"]
    assert nodes(FilterOperator.NE, 1) == ["b", "c"]
    assert nodes(FilterOperator.NIN, [1]) == ["b", "c"]
    assert nodes(FilterOperator.IS_EMPTY, None) == ["c"]
