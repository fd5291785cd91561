"""``GenomeRetriever``: turns and nodes of a scope, as of a time, and what other adapters wrote."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from genome_llama_index import GenomeChatStore, GenomeEmbedding, GenomeRetriever, GenomeVectorStore
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeRelationship, QueryBundle, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from genome_core import Memory

MARCH, JUNE = datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.add("I live in Lisbon", at=MARCH, user_id="ann", run_id="one", metadata={"n": 1})
    memory.add("I live in Oslo now", at=JUNE, user_id="ann", run_id="two", metadata={"n": 2})
    memory.add("I live in secret", at=MARCH, user_id="bob")
    return memory


def texts(retriever: GenomeRetriever, query: str = "where do I live") -> set[str]:
    return {found.node.get_content() for found in retriever.retrieve(query)}


async def test_it_finds_what_was_said_in_a_scope_and_nothing_of_others(told: Memory) -> None:
    assert texts(GenomeRetriever(told, user_id="ann")) == {"I live in Lisbon", "I live in Oslo now"}
    assert texts(GenomeRetriever(told, user_id="ann", run_id="two")) == {"I live in Oslo now"}
    [best] = await GenomeRetriever(told, user_id="ann", similarity_top_k=1).aretrieve("Lisbon")
    assert best.node.get_content() == "I live in Lisbon"
    assert type(best.score) is float


def test_as_of_a_time_nothing_said_later_is_found(told: Memory) -> None:
    assert texts(GenomeRetriever(told, user_id="ann", at=datetime(2024, 4, 1, tzinfo=UTC))) == {"I live in Lisbon"}
    assert texts(GenomeRetriever(told, user_id="ann", since=JUNE)) == {"I live in Oslo now"}
    assert texts(GenomeRetriever(told, user_id="ann", until=JUNE)) == {"I live in Lisbon"}


def test_filters_are_llamaindexs(told: Memory) -> None:
    filters = MetadataFilters(filters=[MetadataFilter(key="n", value=2)])
    assert texts(GenomeRetriever(told, user_id="ann", filters=filters)) == {"I live in Oslo now"}


def test_each_node_tells_why_and_models_do_not_see_it(told: Memory) -> None:
    [best] = GenomeRetriever(told, user_id="ann", similarity_top_k=1).retrieve("Lisbon")
    why = best.node.metadata["genome"]
    assert why["namespace"] == ["user:ann", "run:one"]
    assert (why["role"], why["speaker"], why["origin"], why["at"]) == ("user", "user", "user", MARCH.isoformat())
    assert {signal["name"] for signal in why["signals"]} >= {"dense", "lexical"}
    assert "genome" not in best.node.get_content(MetadataMode.LLM)
    assert "genome" not in best.node.get_content(MetadataMode.EMBED)


async def test_nodes_and_turns_stand_side_by_side(memory: Memory, embed_model: GenomeEmbedding) -> None:
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="d1")}
    vector = embed_model.get_text_embedding("moss grows on stones")
    node = TextNode(id_="n", text="moss grows on stones", relationships=source, embedding=vector)
    GenomeVectorStore(memory, namespace=("user:ann", "documents")).add([node])
    await GenomeChatStore(memory, user_id="ann").add_message("s", ChatMessage("I like moss"))
    found = GenomeRetriever(memory, user_id="ann").retrieve("moss")
    assert {one.node.get_content(): one.node.ref_doc_id for one in found} == {
        "moss grows on stones": "d1",
        "I like moss": None,
    }
    by_vector = GenomeRetriever(memory, user_id="ann", mode="dense", similarity_top_k=1)
    [best] = by_vector.retrieve(QueryBundle("", embedding=vector))
    assert best.node.node_id == "n"
    assert best.score == pytest.approx(1.0)


def test_it_serves_a_query_engine(told: Memory) -> None:
    engine = RetrieverQueryEngine.from_args(GenomeRetriever(told, user_id="ann"), llm=MockLLM())
    assert "I live in Lisbon" in str(engine.query("Lisbon"))


def test_bad_arguments_are_refused(told: Memory) -> None:
    with pytest.raises(ValueError, match="whose memory"):
        GenomeRetriever(told)
    with pytest.raises(ValueError, match="limit is -1"):
        GenomeRetriever(told, user_id="ann", similarity_top_k=-1).retrieve("x")
