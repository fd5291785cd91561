"""``GenomeVectorStore`` beyond the standard suite: filters, scores, diversity, ids, scopes, deletion."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from genome_langchain import GenomeEmbeddings, GenomeVectorStore
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

from genome_core import Memory
from genome_core.embedders import CallableEmbedder
from genome_core.storage.database import Database
from genome_core.testing.embedders import FakeEmbedder

CITIES = {
    "1": ("Rome is old", {"city": "Rome", "n": 1, "tags": ["old"]}),
    "2": ("Oslo is cold", {"city": "Oslo", "n": 2, "note": None}),
    "3": ("Lima is far", {"city": "Lima", "n": 3.0}),
    "4": ("nowhere", {}),
}


@pytest.fixture
def store(memory: Memory) -> GenomeVectorStore:
    return GenomeVectorStore(memory)


@pytest.fixture
def cities(store: GenomeVectorStore) -> GenomeVectorStore:
    texts, metadatas = zip(*CITIES.values(), strict=True)
    store.add_texts(texts, list(metadatas), ids=list(CITIES))
    return store


def ids(documents: list[Document]) -> set[str | None]:
    return {document.id for document in documents}


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ({"city": "Rome"}, {"1"}),
        ({"$or": [{"city": "Rome"}, {"n": 2}]}, {"1", "2"}),
        ({"n": {"$gte": 2, "$lt": 3.5}}, {"2", "3"}),
        ({"city": {"$in": ["Rome", "Lima"]}}, {"1", "3"}),
        ({"city": {"$nin": ["Rome"]}}, {"2", "3"}),
        ({"city": {"$ne": "Rome"}}, {"2", "3"}),
        ({"city": {"$exists": False}}, {"4"}),
        ({"note": None}, {"2"}),
        ({"tags": {"$contains": "old"}}, {"1"}),
        ({"$not": {"city": "Rome"}}, {"2", "3", "4"}),
        (lambda document: document.metadata.get("n", 0) > 1, {"2", "3"}),
        (lambda document: "is" in document.page_content.split() and document.id != "1", {"2", "3"}),
        (None, {"1", "2", "3", "4"}),
    ],
)
def test_a_filter_is_a_mapping_or_a_function_of_a_document(
    cities: GenomeVectorStore, filter: dict[str, Any] | Callable[[Document], bool] | None, expected: set[str]
) -> None:
    assert ids(cities.similarity_search("is", 10, filter=filter)) == expected
    assert ids(cities.max_marginal_relevance_search("is", 10, filter=filter)) == expected
    assert ids(cities.as_retriever(search_kwargs={"k": 10, "filter": filter}).invoke("is")) == expected


def test_a_function_filters_as_in_langchains_own_store(cities: GenomeVectorStore) -> None:
    own = InMemoryVectorStore(cities.embeddings)
    own.add_texts(*map(list, zip(*CITIES.values(), strict=True)), ids=list(CITIES))

    def without_city(document: Document) -> bool:
        return document.metadata.get("city") != "Rome"

    assert ids(cities.similarity_search("is", 10, filter=without_city)) == ids(
        own.similarity_search("is", 10, filter=without_city)
    )


def test_a_filter_applies_before_the_best_are_chosen(cities: GenomeVectorStore) -> None:
    assert ids(cities.similarity_search("Oslo is cold", 1, filter={"city": "Lima"})) == {"3"}


@pytest.mark.parametrize("filter", [{"n": {"$near": 1}}, {"$or": {"n": 1}}, [("n", 1)]])
def test_an_unknown_filter_is_refused(cities: GenomeVectorStore, filter: Any) -> None:
    with pytest.raises(ValueError, match=r"filter|operator|\$or"):
        cities.similarity_search("is", filter=filter)


def test_a_misspelt_search_argument_is_refused(cities: GenomeVectorStore) -> None:
    with pytest.raises(TypeError, match="filters"):
        cities.similarity_search("is", filters={"city": "Rome"})


def test_scores_are_cosines_the_best_first_and_relevance_follows_them(cities: GenomeVectorStore) -> None:
    scored = cities.similarity_search_with_score("Rome is old", 4)
    relevant = cities.similarity_search_with_relevance_scores("Rome is old", 4)
    cosines = [score for _, score in scored]
    query = cities.embeddings.embed_query("Rome is old")
    assert scored[0][0].id == "1"
    assert cosines[0] == 1.0
    assert cosines == sorted(cosines, reverse=True)
    for document, score in scored:
        expected = np.dot(query, cities.embeddings.embed_query(document.page_content))
        assert score == pytest.approx(expected, abs=1e-6)
    assert [document for document, _ in relevant] == [document for document, _ in scored]
    assert [score for _, score in relevant] == pytest.approx([(1 + cosine) / 2 for cosine in cosines])


@given(cosine=st.floats(-1 - 1e-6, 1 + 1e-6), other=st.floats(-1, 1))
def test_relevance_lies_in_0_to_1_and_is_monotone(cosine: float, other: float) -> None:
    relevance = GenomeVectorStore(Memory(":memory:", embedder=FakeEmbedder()))._select_relevance_score_fn()
    assert 0 <= relevance(cosine) <= 1
    assert relevance(1.0) == 1
    if cosine < other:
        assert relevance(cosine) <= relevance(other)


def test_a_retriever_with_a_threshold_returns_what_is_relevant_enough(
    cities: GenomeVectorStore, caplog: pytest.LogCaptureFixture
) -> None:
    relevance = {document.id: score for document, score in cities.similarity_search_with_relevance_scores("is old", 4)}
    threshold = sorted(relevance.values())[1]
    retriever = cities.as_retriever(
        search_type="similarity_score_threshold", search_kwargs={"score_threshold": threshold, "k": 4}
    )
    assert ids(retriever.invoke("is old")) == {id for id, score in relevance.items() if score >= threshold}
    with caplog.at_level(logging.ERROR):
        nothing = cities.as_retriever(search_type="similarity_score_threshold", search_kwargs={"score_threshold": 1.0})
        assert nothing.invoke("something else") == []


def test_a_vector_finds_what_its_text_finds(cities: GenomeVectorStore) -> None:
    vector = cities.embeddings.embed_query("Lima is far")
    assert cities.similarity_search_by_vector(vector, 2) == cities.similarity_search("Lima is far", 2)
    assert cities.similarity_search_with_score_by_vector(vector, 1)[0][1] == 1.0
    assert cities.max_marginal_relevance_search_by_vector(vector, 2) == cities.max_marginal_relevance_search(
        "Lima is far", 2
    )


def test_marginal_relevance_prefers_the_different(store: GenomeVectorStore) -> None:
    store.add_texts(["red apple pie", "red apple tart", "red apple cake", "green bicycle"], ids=["1", "2", "3", "4"])
    assert [d.id for d in store.max_marginal_relevance_search("red apple pie", 2, lambda_mult=1.0)] == ["1", "2"]
    assert [d.id for d in store.max_marginal_relevance_search("red apple pie", 2, lambda_mult=0.0)] == ["1", "4"]
    assert len(store.max_marginal_relevance_search("red apple pie", 3, fetch_k=1)) == 3
    retriever = store.as_retriever(search_type="mmr", search_kwargs={"k": 2, "lambda_mult": 0.0})
    assert [d.id for d in retriever.invoke("red apple pie")] == ["1", "4"]


def test_marginal_relevance_is_that_of_langchains_own_store(database: Database) -> None:
    embedding = DeterministicFakeEmbedding(size=12)
    texts = [f"text {number}" for number in range(60)]
    theirs = InMemoryVectorStore.from_texts(texts, embedding, ids=texts)
    with Memory(database, embedder=CallableEmbedder(embedding)) as memory:
        ours = GenomeVectorStore(memory)
        ours.add_texts(texts, ids=texts)
        for weight in (0.0, 0.3, 0.5, 1.0):
            expected = theirs.max_marginal_relevance_search("question", k=5, fetch_k=20, lambda_mult=weight)
            found = ours.max_marginal_relevance_search("question", k=5, fetch_k=20, lambda_mult=weight)
            assert [d.page_content for d in found] == [d.page_content for d in expected]


@pytest.mark.parametrize("search", ["similarity_search", "max_marginal_relevance_search"])
def test_k_of_zero_finds_nothing_and_less_is_refused(cities: GenomeVectorStore, search: str) -> None:
    assert getattr(cities, search)("is", 0) == []
    with pytest.raises(ValueError, match="-1"):
        getattr(cities, search)("is", -1)


def test_an_empty_query_is_searched_like_any_other(cities: GenomeVectorStore) -> None:
    assert len(cities.similarity_search("", 2)) == 2


def test_a_query_longer_than_the_window_is_searched_whole(store: GenomeVectorStore) -> None:
    store.add_texts(["a talk about figs", "a talk about pears"], ids=["figs", "pears"])
    long = "so " * 300 + "pears pears pears pears " * 60
    assert [document.id for document in store.similarity_search(long, 1)] == ["pears"]


def test_a_long_document_counts_by_its_best_part(store: GenomeVectorStore) -> None:
    part = "The ferry to the island leaves at nine."
    store.add_texts([f"{'Much is said of other things. ' * 80}\n\n{part}"], ids=["long"])
    [(_, score)] = store.similarity_search_with_score(part, 1)
    passages = store.memory.vectors(["long"], namespace=store.namespace)["long"]
    cosines = passages @ np.array(store.embeddings.embed_query(part), np.float32)
    assert len(passages) > 1
    assert score == pytest.approx(cosines.max(), abs=1e-5)


def test_texts_and_documents_may_come_from_generators(store: GenomeVectorStore) -> None:
    assert store.add_texts((text for text in ["a", "b"]), ids=["1", "2"]) == ["1", "2"]
    assert store.add_documents(Document(text, id=text) for text in ["c", "d"]) == ["c", "d"]
    assert len(store.similarity_search("a", 10)) == 4


async def test_async_generators_of_documents_are_not_lost(store: GenomeVectorStore) -> None:
    assert await store.aadd_texts((text for text in ["a", "b"]), ids=["1", "2"]) == ["1", "2"]
    assert len(await store.asimilarity_search("a", 10)) == 2


def test_documents_with_and_without_ids_keep_their_order(store: GenomeVectorStore) -> None:
    given = store.add_documents([Document("a", id="1"), Document("b"), Document("c", id="3")])
    assert (given[0], given[2]) == ("1", "3")
    assert ids(store.similarity_search("b", 3)) == set(given)
    assert store.get_by_ids([given[1]])[0].page_content == "b"


def test_ids_given_apart_come_before_those_of_the_documents(store: GenomeVectorStore) -> None:
    assert store.add_documents([Document("a", id="own")], ids=["given"]) == ["given"]
    assert store.get_by_ids(["own"]) == []


def test_a_document_without_an_id_is_stored_once_but_not_merged_with_other_metadata(store: GenomeVectorStore) -> None:
    first = store.add_texts(["same", "same"], [{"page": 1}, {"page": 2}])
    assert store.add_texts(["same", "same"], [{"page": 1}, {"page": 2}]) == first
    assert len(set(first)) == 2
    assert len(store.similarity_search("same", 10)) == 2


@pytest.mark.parametrize(
    "lists",
    [{"ids": ["1"]}, {"metadatas": [{}]}, {"ids": []}, {"ids": ["1", "2", "3"]}, {"metadatas": [{}, {}, {}]}],
)
def test_lists_of_other_lengths_are_refused_and_nothing_is_written(
    store: GenomeVectorStore, lists: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="2 texts but"):
        store.add_texts(["x", "y"], **lists)
    with pytest.raises(ValueError, match="2 texts but 1 embeddings"):
        store.add_embeddings(["x", "y"], [[1.0] * 64])
    assert store.similarity_search("x", 10) == []


def test_metadata_that_is_not_json_is_refused_and_nothing_is_written(store: GenomeVectorStore) -> None:
    with pytest.raises(ValueError, match=r"metadata\['when'\]"):
        store.add_texts(["good", "bad"], [{}, {"when": datetime(2024, 1, 1, tzinfo=UTC)}])
    assert store.similarity_search("good", 10) == []


def test_given_vectors_are_used_as_they_are(store: GenomeVectorStore) -> None:
    vectors = store.embeddings.embed_documents(["apple", "pear"])
    store.add_embeddings(["not an apple", "not a pear"], vectors, [{"n": 1}, {"n": 2}], ids=["a", "p"])
    assert store.similarity_search_with_score("pear", 1)[0] == (Document("not a pear", id="p", metadata={"n": 2}), 1.0)


def test_what_goes_in_and_comes_out_is_nobody_elses(store: GenomeVectorStore) -> None:
    document = Document("text", id="1", metadata={"list": [1], "deep": {"a": 1}})
    before = copy.deepcopy(document)
    store.add_documents([document])
    found = store.similarity_search("text")[0]
    found.metadata["list"].append(2)
    found.metadata["deep"]["a"] = 2
    assert document == before
    assert store.similarity_search("text")[0] == before


def test_deleting_needs_ids_and_forgives_unknown_ones(cities: GenomeVectorStore) -> None:
    assert cities.delete(["nope", "1"]) is True
    assert cities.delete([]) is True
    assert cities.delete() is None
    assert ids(cities.similarity_search("is", 10)) == {"2", "3", "4"}


def test_by_ids_gives_each_document_once_in_the_order_asked_for(cities: GenomeVectorStore) -> None:
    assert [document.id for document in cities.get_by_ids(["3", "nope", "1", "3"])] == ["3", "1"]
    assert cities.get_by_ids([]) == []


def test_stores_of_other_scopes_see_and_delete_nothing_of_each_other(memory: Memory) -> None:
    one, other = GenomeVectorStore(memory, user_id="1"), GenomeVectorStore(memory, user_id="11")
    one.add_texts(["mine"], ids=["x"])
    other.add_texts(["theirs"], ids=["x"])
    one.delete(["x"])
    assert one.similarity_search("theirs", 10) == []
    assert [document.page_content for document in other.similarity_search("mine", 10)] == ["theirs"]


def test_a_store_finds_what_lies_below_it_but_deletes_and_gets_only_its_own(memory: Memory) -> None:
    parent, child = GenomeVectorStore(memory, namespace=("a",)), GenomeVectorStore(memory, namespace=("a", "b"))
    parent.add_texts(["parent"], ids=["x"])
    child.add_texts(["child"], ids=["x"])
    child.add_texts(["other child"], ids=["y"])
    assert len(parent.similarity_search("child", 10)) == 3
    assert len(parent.max_marginal_relevance_search("child", 10)) == 3
    assert [document.page_content for document in parent.get_by_ids(["x", "y"])] == ["parent"]
    parent.delete(["x", "y"])
    assert len(child.similarity_search("child", 10)) == 2


def test_as_of_a_time_nothing_later_is_found(memory: Memory, cities: GenomeVectorStore) -> None:
    then = memory.get("1", namespace=cities.namespace)
    assert then is not None
    cities.add_texts(["later"], ids=["5"])
    assert "5" not in ids(cities.similarity_search("later", 10, at=then.at))
    assert ids(cities.similarity_search("later", 10, since=then.created_at, until=then.created_at)) == set()


def test_documents_are_no_turns_and_leave_no_facts(embedder: FakeEmbedder) -> None:
    with Memory(":memory:", embedder=embedder) as memory:
        GenomeVectorStore(memory, user_id="tom").add_texts(["I live in Lisbon.", "My dog is called Rex."])
        assert memory.facts(user_id="tom") == []


def test_a_store_made_of_texts_uses_langchains_embeddings(tmp_path: Any) -> None:
    embedding = DeterministicFakeEmbedding(size=8)
    made = GenomeVectorStore.from_texts(["a", "b"], embedding, [{"n": 1}, {"n": 2}], store=tmp_path / "memory.db")
    assert made.similarity_search("b", 1)[0].metadata == {"n": 2}
    assert made.similarity_search_with_score_by_vector(embedding.embed_query("a"), 1)[0][1] == 1.0
    made.memory.close()
    with pytest.raises(ValueError, match="2 texts but 1 ids"):
        GenomeVectorStore.from_texts(["a", "b"], embedding, ids=["1"])


async def test_a_store_is_made_of_documents_in_async_code(embedder: FakeEmbedder) -> None:
    made = await GenomeVectorStore.afrom_documents([Document("a", id="1")], GenomeEmbeddings(embedder), user_id="tom")
    assert [document.id for document in await made.amax_marginal_relevance_search("a")] == ["1"]
    assert made.memory.count(user_id="tom") == 1
    made.memory.close()


texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40)
metadata = st.dictionaries(texts, st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts, max_size=3)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=st.lists(st.tuples(texts, metadata), max_size=6))
def test_any_text_and_metadata_come_back_exactly(
    store: GenomeVectorStore, documents: list[tuple[str, dict[str, Any]]]
) -> None:
    given = store.add_texts([text for text, _ in documents], [metadata for _, metadata in documents])
    found = {document.id: document for document in store.get_by_ids(given)}
    assert [(found[id].page_content, found[id].metadata) for id in given] == documents
