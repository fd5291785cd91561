"""``GenomeVectorStore``: nodes, query modes, restrictions, deletion, async, and the objects of LlamaIndex that use it."""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from genome_llama_index import GenomeEmbedding, GenomeVectorStore
from llama_index.core import Document, MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import (
    BaseNode,
    ImageNode,
    IndexNode,
    MediaResource,
    Node,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.simple import SimpleVectorStore
from llama_index.core.vector_stores.types import (
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)

from genome_core import Memory
from genome_core.embedders import CallableEmbedder
from genome_core.testing.embedders import FakeEmbedder
from tests.conftest import FakeClock

TEXTS = {
    "rome": "Rome is an old city on the Tiber",
    "oslo": "Oslo is a cold city on a fjord",
    "lima": "Lima lies far away on the coast",
    "moss": "moss grows on stones",
}


def node(
    id: str, text: str = "text", *, doc: str | None = None, vector: Sequence[float] = (1.0,), **metadata: Any
) -> TextNode:
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=doc)} if doc else {}
    embedding = [*vector, *[0.0] * (64 - len(vector))]
    return TextNode(id_=id, text=text, metadata=metadata, relationships=source, embedding=embedding)


def asking(*vector: float, similarity_top_k: int = 10, **more: Any) -> VectorStoreQuery:
    embedding = [*vector, *[0.0] * (64 - len(vector))]
    return VectorStoreQuery(query_embedding=embedding, similarity_top_k=similarity_top_k, **more)


def where(key: str, value: Any, operator: str = "==") -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=FilterOperator(operator))])


@pytest.fixture
def store(memory: Memory) -> GenomeVectorStore:
    return GenomeVectorStore(memory)


@pytest.fixture
def cities(store: GenomeVectorStore, embed_model: GenomeEmbedding) -> GenomeVectorStore:
    vectors = embed_model.get_text_embedding_batch(list(TEXTS.values()))
    store.add(
        [
            TextNode(id_=id, text=text, embedding=vector)
            for (id, text), vector in zip(TEXTS.items(), vectors, strict=True)
        ]
    )
    return store


# --- nodes -----------------------------------------------------------------------------------------------------------


def every_kind_of_node() -> list[BaseNode]:
    relationships = {
        NodeRelationship.SOURCE: RelatedNodeInfo(node_id="d1", hash="h", metadata={"page": 1}),
        NodeRelationship.PREVIOUS: RelatedNodeInfo(node_id="n0"),
        NodeRelationship.CHILD: [RelatedNodeInfo(node_id="c1"), RelatedNodeInfo(node_id="c2")],
    }
    picture = base64.b64encode(b"\x89PNG not really").decode()
    return [
        TextNode(
            id_="text",
            text="two  spaces\n\tand a tab 🐈",
            metadata={"it's": 1, "a.b": [1, None, {"deep": True}], "städte": "Rom"},
            relationships=relationships,
            start_char_idx=3,
            end_char_idx=9,
            excluded_llm_metadata_keys=["it's"],
            metadata_template="{key}={value}",
        ),
        IndexNode(id_="index", text="points on", index_id="other"),
        ImageNode(id_="image", text="", image=picture, image_mimetype="image/png"),
        Node(
            id_="multi", text_resource=MediaResource(text="words"), image_resource=MediaResource(path=Path("cat.png"))
        ),
        Node(id_="bare", extra_info={"a": 1}),
        Document(id_="document", text="a whole document"),
    ]


def test_every_kind_of_node_comes_back_as_it_was(store: GenomeVectorStore) -> None:
    nodes = every_kind_of_node()
    for number, one in enumerate(nodes):
        one.embedding = [1.0, number, *[0.0] * 62]
    assert store.add(nodes) == [one.node_id for one in nodes]
    for one in nodes:
        one.embedding = None
        [found] = store.get_nodes([one.node_id])
        assert type(found) is type(one)
        assert found.model_dump() == one.model_dump()
        assert found.hash == one.hash
        assert found.ref_doc_id == one.ref_doc_id
    result = store.query(asking(1.0))
    assert {type(found) for found in result.nodes or []} == {type(one) for one in nodes}


def test_a_node_with_a_known_id_takes_its_place(store: GenomeVectorStore) -> None:
    store.add([node("n", "old", n=1)])
    store.add([node("n", "new", n=2, vector=(0.0, 1.0))])
    [found] = store.get_nodes()
    assert (found.get_content(), found.metadata) == ("new", {"n": 2})
    assert store.get("n")[:2] == [0.0, 1.0]


def test_the_embedding_is_kept_by_direction_and_an_unknown_id_has_none(store: GenomeVectorStore) -> None:
    store.add([node("n", vector=(3.0, 4.0))])
    assert store.get("n")[:2] == pytest.approx([0.6, 0.8])
    store.add([node("n", vector=(0.0, 1.0))])
    assert store.get("n")[:2] == [0.0, 1.0]
    with pytest.raises(KeyError):
        store.get("unknown")


def test_a_batch_with_a_bad_node_writes_nothing(store: GenomeVectorStore) -> None:
    for bad in (TextNode(id_="b", text="no embedding"), TextNode(id_="b", text="narrow", embedding=[1.0])):
        with pytest.raises((ValueError, RuntimeError)):
            store.add([node("a"), bad])
    assert store.get_nodes() == []
    assert store.add([]) == []


@pytest.mark.parametrize("text", ["half an emoji \ud83d", "from a PDF\x00"])
def test_text_that_no_database_keeps_is_stored_with_a_replacement_and_a_warning(
    store: GenomeVectorStore, text: str
) -> None:
    with pytest.warns(UserWarning, match="stored with a replacement"):
        store.add([node("n", text)])
    assert store.get_nodes()[0].get_content() == text[:-1] + "\ufffd"


def test_metadata_that_is_not_json_is_what_llamaindex_makes_of_it(store: GenomeVectorStore) -> None:
    day = datetime(2025, 5, 1, tzinfo=UTC)
    store.add([node("n", day=day, nothing=float("nan"))])
    assert store.get_nodes()[0].metadata == {"day": "2025-05-01T00:00:00Z", "nothing": None}


def test_what_another_adapter_wrote_is_a_text_node(store: GenomeVectorStore, memory: Memory) -> None:
    [id] = memory.add("Rome is old", metadata={"page": 3}, namespace=store.namespace)
    result = store.query(VectorStoreQuery(query_str="old Rome", similarity_top_k=1))
    assert result.ids == [id]
    assert (result.nodes or [])[0].metadata == {"page": 3}
    assert [found.get_content() for found in store.get_nodes(filters=where("page", 3))] == ["Rome is old"]


# --- queries ---------------------------------------------------------------------------------------------------------


def checked(result: VectorStoreQueryResult) -> list[str]:
    """The ids of a result, after checking what every result must be."""
    nodes, similarities, ids = result.nodes, result.similarities, result.ids
    assert nodes is not None
    assert similarities is not None
    assert ids is not None
    assert [found.node_id for found in nodes] == ids
    assert len(similarities) == len(ids)
    assert all(type(similarity) is float for similarity in similarities)
    assert similarities == sorted(similarities, reverse=True)
    return ids


def test_default_gives_the_cosines_of_simple_vector_store(store: GenomeVectorStore) -> None:
    rng = np.random.default_rng(7)
    nodes = [node(str(number), vector=rng.normal(size=64).tolist()) for number in range(50)]
    simple = SimpleVectorStore()
    simple.add(nodes)
    store.add(nodes)
    query = asking(*rng.normal(size=64).tolist())
    result, expected = store.query(query), simple.query(query)
    assert checked(result) == expected.ids
    assert result.similarities == pytest.approx(expected.similarities, abs=1e-5)


@pytest.mark.parametrize("threshold", [None, 0.1, 0.5, 1.0])
def test_mmr_chooses_as_simple_vector_store_does(store: GenomeVectorStore, threshold: float | None) -> None:
    rng = np.random.default_rng(11)
    nodes = [node(str(number), vector=rng.normal(size=64).tolist()) for number in range(20)]
    simple = SimpleVectorStore()
    simple.add(nodes)
    store.add(nodes)
    query = asking(*rng.normal(size=64).tolist(), mode=VectorStoreQueryMode.MMR, similarity_top_k=6)
    expected = simple.query(query, mmr_threshold=threshold)
    result = store.query(query, mmr_threshold=threshold)
    assert result.ids == expected.ids
    assert result.similarities == pytest.approx(expected.similarities, abs=1e-5)
    assert all(type(score) is float for score in result.similarities or [])
    query.mmr_threshold = threshold
    assert store.query(query).ids == expected.ids


@pytest.mark.parametrize("mode", ["default", "sparse", "text_search", "hybrid", "semantic_hybrid"])
def test_each_mode_finds_the_best_node_first(
    cities: GenomeVectorStore, embed_model: GenomeEmbedding, mode: str
) -> None:
    question = "old city on the Tiber"
    query = VectorStoreQuery(
        query_str=question,
        query_embedding=None if mode in ("sparse", "text_search") else embed_model.get_query_embedding(question),
        similarity_top_k=2,
        mode=VectorStoreQueryMode(mode),
    )
    found = checked(cities.query(query))
    assert (found[0], len(found)) == ("rome", 2)
    query.query_embedding = None
    assert checked(cities.query(query)) == found


def test_words_that_no_node_has_find_nothing_by_words(cities: GenomeVectorStore) -> None:
    query = VectorStoreQuery(query_str="xylophone", similarity_top_k=5, mode=VectorStoreQueryMode.TEXT_SEARCH)
    assert checked(cities.query(query)) == []


def test_alpha_goes_from_words_alone_to_meaning_alone(store: GenomeVectorStore) -> None:
    store.add([node("words", "green apples", vector=(0.0, 1.0)), node("meaning", "something", vector=(1.0,))])
    query = asking(1.0, query_str="green apples", mode=VectorStoreQueryMode.HYBRID)
    for alpha, best in ((0.0, "words"), (1.0, "meaning")):
        query.alpha = alpha
        assert checked(store.query(query))[0] == best
    query.alpha = 1.5
    with pytest.raises(ValueError, match=r"alpha is 1\.5"):
        store.query(query)


@pytest.mark.parametrize(
    ("mode", "field"), [("sparse", "sparse_top_k"), ("hybrid", "hybrid_top_k"), ("semantic_hybrid", "hybrid_top_k")]
)
def test_a_top_k_of_the_modes_own_comes_before_the_general_one(
    cities: GenomeVectorStore, mode: str, field: str
) -> None:
    query = VectorStoreQuery(query_str="a city on the coast", similarity_top_k=1, mode=VectorStoreQueryMode(mode))
    setattr(query, field, 3)
    assert len(checked(cities.query(query))) == 3


def test_unusable_queries_are_refused(cities: GenomeVectorStore) -> None:
    with pytest.raises(ValueError, match="'svm' is not supported"):
        cities.query(asking(1.0, mode=VectorStoreQueryMode.SVM))
    with pytest.raises(ValueError, match="without text and embedding"):
        cities.query(VectorStoreQuery())
    with pytest.raises(ValueError, match="limit is -1"):
        cities.query(asking(1.0, similarity_top_k=-1))
    assert checked(cities.query(asking(1.0, similarity_top_k=0))) == []
    assert checked(cities.query(asking(1.0, similarity_top_k=0, mode=VectorStoreQueryMode.MMR))) == []


@pytest.mark.parametrize("mode", [*list(VectorStoreQueryMode)[:5], VectorStoreQueryMode.MMR])
def test_an_empty_store_answers_every_mode(store: GenomeVectorStore, mode: VectorStoreQueryMode) -> None:
    assert checked(store.query(asking(1.0, query_str="anything", mode=mode))) == []


def test_node_ids_and_doc_ids_restrict_together_with_filters_and_empty_lists_do_not(store: GenomeVectorStore) -> None:
    store.add([node("a", doc="d1", n=1), node("b", doc="d1", n=2), node("c", doc="d2", n=1), node("e", n=1)])

    def found(**more: Any) -> str:
        return "".join(sorted(checked(store.query(asking(1.0, **more)))))

    assert found(doc_ids=["d2"]) == "c"
    assert found(node_ids=["a", "c", "unknown"]) == "ac"
    assert found(node_ids=["a", "c"], doc_ids=["d1"]) == "a"
    assert found(doc_ids=["d1", "d2"], filters=where("n", 1)) == "ac"
    assert found(node_ids=["b"], filters=where("n", 1)) == ""
    assert found(node_ids=[], doc_ids=[]) == "abce"
    assert found(node_ids=[str(number) for number in range(1200)] + ["a"]) == "a"
    assert found(node_ids=["a", "b"], filters=where("n", "2", "text_match")) == ""


def test_a_query_may_ask_as_of_an_earlier_time(store: GenomeVectorStore, clock: FakeClock) -> None:
    store.add([node("first")])
    between = clock.now + timedelta(hours=1)
    clock.advance(timedelta(hours=2))
    store.add([node("second")])
    assert checked(store.query(asking(1.0), at=between)) == ["first"]
    assert checked(store.query(asking(1.0), since=between)) == ["second"]


# --- reading and deleting --------------------------------------------------------------------------------------------


def test_get_nodes_takes_ids_and_filters_together(store: GenomeVectorStore) -> None:
    store.add([node("a", n=1), node("b", n=2), node("c", n=1)])
    assert [found.node_id for found in store.get_nodes()] == ["a", "b", "c"]
    assert [found.node_id for found in store.get_nodes(["c", "a", "unknown"])] == ["c", "a"]
    assert [found.node_id for found in store.get_nodes(["a", "b"], where("n", 1))] == ["a"]
    assert store.get_nodes([]) == []


def test_delete_takes_all_nodes_of_a_document(store: GenomeVectorStore) -> None:
    store.add([node("a", doc="d1"), node("b", doc="d1"), node("c", doc="d2"), node("e")])
    store.delete("d1")
    store.delete("unknown")
    assert [found.node_id for found in store.get_nodes()] == ["c", "e"]


def test_delete_nodes_takes_what_has_an_id_and_passes_the_filters(store: GenomeVectorStore) -> None:
    store.add([node(id, n=number % 2) for number, id in enumerate("abcdef")])

    def left() -> str:
        return "".join(found.node_id for found in store.get_nodes())

    store.delete_nodes([])
    assert left() == "abcdef"
    store.delete_nodes(["a", "b"], where("n", 1))
    assert left() == "acdef"
    store.delete_nodes(["c", "unknown"])
    assert left() == "adef"
    store.delete_nodes(filters=where("n", 0))
    assert left() == "df"
    store.delete_nodes()
    assert left() == ""


def test_stores_of_different_scopes_do_not_meet(memory: Memory) -> None:
    stores = [GenomeVectorStore(memory, user_id=user) for user in ("ann", "bob")]
    below = GenomeVectorStore(memory, namespace=("user:ann", "below"))
    for one in (*stores, below):
        one.add([node("same", one.namespace[0] + one.namespace[-1])])
    assert [found.get_content() for found in stores[0].get_nodes()] == ["user:annuser:ann"]
    assert checked(stores[0].query(asking(1.0))) == ["same"]
    stores[0].clear()
    assert stores[0].get_nodes() == []
    assert len(stores[1].get_nodes()) == len(below.get_nodes()) == 1


# --- async -----------------------------------------------------------------------------------------------------------


async def test_every_async_method_does_what_its_sync_twin_does(store: GenomeVectorStore) -> None:
    assert await store.async_add([node("a", n=1, doc="d1"), node("b", n=2), node("c", n=3)]) == ["a", "b", "c"]
    assert checked(await store.aquery(asking(1.0, filters=where("n", 2)))) == ["b"]
    assert [found.node_id for found in await store.aget_nodes(["c"])] == ["c"]
    await store.adelete("d1")
    await store.adelete_nodes(filters=where("n", 2))
    assert [found.node_id for found in await store.aget_nodes()] == ["c"]
    await store.aclear()
    assert await store.aget_nodes() == []


async def test_the_event_loop_goes_on_while_the_store_works(store: GenomeVectorStore) -> None:
    ran_in: set[int] = set()
    add = store.client.add

    def watched(*args: Any, **kwargs: Any) -> list[str]:
        ran_in.add(threading.get_ident())
        return add(*args, **kwargs)

    store.client.add = watched  # type: ignore[method-assign]
    await asyncio.gather(*(store.async_add([node(str(number), f"text {number}")]) for number in range(20)))
    assert threading.get_ident() not in ran_in
    assert len(await store.aget_nodes()) == 20


# --- LlamaIndex's own objects ----------------------------------------------------------------------------------------

DOCUMENTS = [Document(id_=id, text=text, metadata={"id": id}) for id, text in TEXTS.items()]


@pytest.fixture
def index(store: GenomeVectorStore, embed_model: GenomeEmbedding) -> VectorStoreIndex:
    context = StorageContext.from_defaults(vector_store=store)
    return VectorStoreIndex.from_documents(DOCUMENTS, storage_context=context, embed_model=embed_model)


def test_an_index_inserts_refreshes_and_deletes_documents(index: VectorStoreIndex, store: GenomeVectorStore) -> None:
    assert {found.ref_doc_id for found in store.get_nodes()} == set(TEXTS)
    index.insert(Document(id_="kyiv", text="Kyiv lies on the Dnipro"))
    index.delete_ref_doc("moss", delete_from_docstore=True)
    changed = [Document(id_="oslo", text="Oslo is cold"), DOCUMENTS[0]]
    index.refresh_ref_docs(changed)
    texts = {found.ref_doc_id: found.get_content() for found in store.get_nodes()}
    assert texts == {
        "rome": TEXTS["rome"],
        "oslo": "Oslo is cold",
        "lima": TEXTS["lima"],
        "kyiv": "Kyiv lies on the Dnipro",
    }
    index.delete_nodes([found.node_id for found in store.get_nodes() if found.ref_doc_id == "kyiv"])
    assert len(store.get_nodes()) == 3


def test_an_index_over_the_same_store_retrieves_and_answers(
    index: VectorStoreIndex, store: GenomeVectorStore, embed_model: GenomeEmbedding
) -> None:
    again = VectorStoreIndex.from_vector_store(store, embed_model=embed_model)
    [found] = again.as_retriever(similarity_top_k=1).retrieve("Where is the Tiber?")
    assert (found.node.ref_doc_id, found.node.metadata) == ("rome", {"id": "rome"})
    filtered = again.as_retriever(similarity_top_k=5, filters=where("id", ["oslo", "lima"], "in"))
    assert {one.node.ref_doc_id for one in filtered.retrieve("Tiber")} == {"oslo", "lima"}
    only = again.as_retriever(similarity_top_k=5, doc_ids=["moss"], vector_store_query_mode="hybrid")
    assert {one.node.ref_doc_id for one in only.retrieve("Tiber")} == {"moss"}
    answer = again.as_query_engine(llm=MockLLM(), similarity_top_k=1).query("Where is the Tiber?")
    assert TEXTS["rome"] in str(answer)


async def test_an_index_works_asynchronously(index: VectorStoreIndex, store: GenomeVectorStore) -> None:
    await index.ainsert(Document(id_="kyiv", text="Kyiv lies on the Dnipro"))
    [found] = await index.as_retriever(similarity_top_k=1).aretrieve("Dnipro")
    assert found.node.ref_doc_id == "kyiv"
    await index.adelete_ref_doc("kyiv")
    assert len(await store.aget_nodes()) == len(TEXTS)


def test_an_ingestion_pipeline_writes_only_what_changed(store: GenomeVectorStore, embed_model: GenomeEmbedding) -> None:
    pipeline = IngestionPipeline(
        transformations=[SentenceSplitter(), embed_model],
        docstore=SimpleDocumentStore(),
        vector_store=store,
        docstore_strategy=DocstoreStrategy.UPSERTS_AND_DELETE,
    )
    assert len(pipeline.run(documents=DOCUMENTS)) == 4
    assert pipeline.run(documents=DOCUMENTS) == []
    changed = [Document(id_="rome", text="Rome is new"), DOCUMENTS[1]]
    assert len(pipeline.run(documents=changed)) == 1
    assert {found.ref_doc_id: found.get_content() for found in store.get_nodes()} == {
        "rome": "Rome is new",
        "oslo": TEXTS["oslo"],
    }


# --- embedders -------------------------------------------------------------------------------------------------------


def test_from_store_embeds_with_llamaindexs_model() -> None:
    store = GenomeVectorStore.from_store(":memory:", MockEmbedding(embed_dim=8), user_id="ann")
    try:
        assert isinstance(store.client.embedder, CallableEmbedder)
        index = VectorStoreIndex.from_vector_store(store, embed_model=MockEmbedding(embed_dim=8))
        index.insert(Document(text="Rome is old"))
        [found] = index.as_retriever().retrieve("anything")
        assert found.score == pytest.approx(1.0)
    finally:
        store.client.close()


def test_a_genome_embedding_gives_its_embedder_to_the_store() -> None:
    embedder = FakeEmbedder()
    store = GenomeVectorStore.from_store(":memory:", GenomeEmbedding(embedder))
    assert store.client.embedder is embedder
    store.client.close()


async def test_genome_embedding_gives_the_vectors_of_the_embedder(embedder: FakeEmbedder) -> None:
    model = GenomeEmbedding(embedder)
    expected = embedder.embed(["Rome", "Oslo"]).tolist()
    assert model.model_name == "fake"
    assert model.get_text_embedding_batch(["Rome", "Oslo"]) == expected
    assert await model.aget_text_embedding_batch(["Rome", "Oslo"]) == expected
    assert model.get_text_embedding("Rome") == await model.aget_text_embedding("Rome") == expected[0]
    assert model.get_query_embedding("Rome") == await model.aget_query_embedding("Rome") == expected[0]
