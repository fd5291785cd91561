"""Key-value, document and index stores: the contract of LlamaIndex's own, kept on the database."""

from __future__ import annotations

import pytest
from genome_llama_index import (
    GenomeDocumentStore,
    GenomeEmbedding,
    GenomeIndexStore,
    GenomeKVStore,
    GenomeVectorStore,
)
from llama_index.core import Document, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import TextNode

from genome_core import Memory


@pytest.fixture
def values(memory: Memory) -> GenomeKVStore:
    store = GenomeKVStore(memory, "test")
    for collection in ("data", "other"):
        for key in store.get_all(collection):
            store.delete(key, collection)
    return store


def test_values_are_kept_by_collection_and_key(values: GenomeKVStore, memory: Memory) -> None:
    values.put("b", {"n": 1})
    values.put("a", {"deep": [1, None, {"ü": "🐈"}]})
    values.put("b", {"n": 2})
    values.put("b", {"n": 3}, collection="other")
    assert values.get("b") == {"n": 2}
    assert values.get("b", "other") == {"n": 3}
    assert values.get("unknown") is None
    assert values.get_all() == {"a": {"deep": [1, None, {"ü": "🐈"}]}, "b": {"n": 2}}
    assert GenomeKVStore(memory, "elsewhere").get_all() == {}
    assert values.delete("b") is True
    assert values.delete("b") is False
    assert values.get_all("other") == {"b": {"n": 3}}


def test_many_values_are_stored_at_once_or_not_at_all(values: GenomeKVStore) -> None:
    values.put_all([(str(number), {"n": number}) for number in range(1200)], batch_size=100)
    assert len(values.get_all()) == 1200
    with pytest.raises(ValueError, match="NUL"):
        values.put_all([("good", {}), ("bad\x00", {})])
    assert values.get("good") is None


async def test_the_async_methods_do_what_their_sync_twins_do(values: GenomeKVStore) -> None:
    await values.aput("a", {"n": 1})
    await values.aput_all([("b", {"n": 2}), ("c", {"n": 3})], batch_size=10)
    assert await values.aget("b") == {"n": 2}
    assert await values.adelete("b") is True
    assert await values.aget_all() == {"a": {"n": 1}, "c": {"n": 3}}


def test_a_whole_storage_context_comes_back_from_the_database(memory: Memory, embed_model: GenomeEmbedding) -> None:
    def context() -> StorageContext:
        return StorageContext.from_defaults(
            docstore=GenomeDocumentStore(memory, "context"),
            index_store=GenomeIndexStore(memory, "context"),
            vector_store=GenomeVectorStore(memory),
        )

    nodes = [TextNode(id_="a", text="moss grows on stones"), TextNode(id_="b", text="ships at sea")]
    first = VectorStoreIndex(nodes, storage_context=context(), embed_model=embed_model, store_nodes_override=True)
    again = load_index_from_storage(context(), index_id=first.index_id, embed_model=embed_model)
    assert again.docstore.docs.keys() == {"a", "b"}
    [found] = again.as_retriever(similarity_top_k=1).retrieve("moss")
    assert found.node.node_id == "a"
    first.delete_nodes(["a"], delete_from_docstore=True)
    assert context().docstore.docs.keys() == {"b"}


def test_an_ingestion_pipeline_knows_after_a_restart_what_it_has_read(
    memory: Memory, embed_model: GenomeEmbedding
) -> None:
    def run(*texts: str) -> int:
        pipeline = IngestionPipeline(
            transformations=[SentenceSplitter(), embed_model],
            docstore=GenomeDocumentStore(memory, "pipeline"),
            vector_store=GenomeVectorStore(memory),
        )
        documents = [Document(id_=str(number), text=text) for number, text in enumerate(texts)]
        return len(pipeline.run(documents=documents))

    run("moss", "ships")
    assert run("moss", "ships") == 0
    assert run("moss", "ships in port") == 1
    assert {node.get_content() for node in GenomeVectorStore(memory).get_nodes()} == {"moss", "ships in port"}
