"""GenomeStore: LangGraph's ``BaseStore`` by its documented meaning (cases K01, K02, K08, K12, K13, K14, K15)."""

from __future__ import annotations

import asyncio
import gc
import math
import threading
import weakref
from collections.abc import Iterator, Sequence
from datetime import UTC, timedelta
from typing import Any

import pytest
from genome_langgraph import GenomeStore
from genome_langgraph.store_sweeper import Sweeper
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from genome_core import Memory
from genome_core.errors import EmbedderMismatch, InvalidInput, InvalidScope, StorageError
from genome_core.protocols import Embedder
from genome_core.testing.embedders import FakeEmbedder
from tests.conftest import FakeClock


@pytest.fixture
def memory(store_url: str, embedder: Embedder, clock: FakeClock) -> Iterator[Memory]:
    with Memory(store_url, embedder=embedder, clock=clock) as memory:
        yield memory


@pytest.fixture
def store(memory: Memory) -> Iterator[GenomeStore]:
    with GenomeStore(memory) as store:
        yield store


def keys(items: Any) -> list[str]:
    return [item.key for item in items]


# --- items -----------------------------------------------------------------------------------------------------------


def test_an_item_comes_back_as_it_was_put(store: GenomeStore) -> None:
    value = {
        "text": "这是中文",
        "n": 1,
        "f": 1.0,
        "big": 2**70,
        "nested": {"list": [1, None, True, {"a": "it's"}]},
        "": "blank",
    }
    store.put(("u", "ünï"), "k/1", value)
    item = store.get(("u", "ünï"), "k/1")
    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, "k/1", ("u", "ünï"))
    assert type(item.value["f"]) is float
    assert item.created_at.tzinfo is UTC
    assert store.get(("u",), "k/1") is None
    assert store.get(("u", "ünï", "x"), "k/1") is None


def test_items_are_copies(store: GenomeStore) -> None:
    value: dict[str, Any] = {"a": [1]}
    store.put(("u",), "k", value)
    value["a"].append(2)
    item = store.get(("u",), "k")
    assert item is not None
    item.value["a"].append(3)
    again = store.get(("u",), "k")
    assert again is not None
    assert again.value == {"a": [1]}


def test_created_at_stays_and_updated_at_moves(store: GenomeStore, clock: FakeClock) -> None:
    store.put(("u",), "k", {"a": 1})
    first = store.get(("u",), "k")
    clock.advance(timedelta(milliseconds=10))
    store.put(("u",), "k", {"a": 1})
    second = store.get(("u",), "k")
    assert first is not None
    assert second is not None
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    store.delete(("u",), "k")
    store.put(("u",), "k", {"a": 1})
    third = store.get(("u",), "k")
    assert third is not None
    assert third.created_at > first.created_at


@pytest.mark.parametrize("value", [{"a": {1}}, {"a": math.nan}, {1: "a"}, {"a": object()}, {"a": b"x"}])
def test_one_value_that_is_not_json_and_nothing_of_the_batch_is_done(store: GenomeStore, value: Any) -> None:
    store.put(("u",), "old", {"a": 1})
    with pytest.raises(TypeError):
        store.batch([PutOp(("u",), "good", {"a": 1}), PutOp(("u",), "old", None), PutOp(("u",), "bad", value)])
    assert keys(store.search(("u",))) == ["old"]


def test_a_batch_reads_before_it_writes_and_the_last_put_counts(store: GenomeStore) -> None:
    store.put(("u",), "k", {"n": 0})
    results = store.batch(
        [
            PutOp(("u",), "k", {"n": 1}),
            GetOp(("u",), "k"),
            PutOp(("u",), "k", {"n": 2}),
            SearchOp(("u",)),
            PutOp(("u",), "gone", {"n": 3}),
            PutOp(("u",), "gone", None),
            ListNamespacesOp(),
        ]
    )
    assert results[0] is results[2] is results[4] is None
    assert results[1].value == {"n": 0}  # type: ignore[union-attr]
    assert keys(results[3]) == ["k"]
    assert results[6] == [("u",)]
    item = store.get(("u",), "k")
    assert item is not None
    assert item.value == {"n": 2}
    assert store.get(("u",), "gone") is None


@pytest.mark.parametrize("key", ["", " ", "nul\x00", "k" * 3000])
def test_keys_that_no_database_keeps_are_refused_before_anything_is_done(store: GenomeStore, key: str) -> None:
    with pytest.raises(InvalidScope):
        store.batch([PutOp(("u",), "good", {"a": 1}), PutOp(("u",), key, {"a": 1})])
    assert store.search(("u",)) == []


@pytest.mark.parametrize(
    "op",
    [
        PutOp("uv", "k", {"a": 1}),  # type: ignore[arg-type]
        PutOp("uv", "k", None),  # type: ignore[arg-type]
        GetOp("uv", "k"),  # type: ignore[arg-type]
        SearchOp("uv"),  # type: ignore[arg-type]
        ListNamespacesOp((MatchCondition("prefix", "uv"),)),  # type: ignore[arg-type]
    ],
)
def test_a_text_is_no_namespace_and_not_the_labels_of_its_letters(store: GenomeStore, op: Op) -> None:
    with pytest.raises(ValueError, match="such as"):
        store.batch([PutOp(("u", "v"), "good", {"a": 1}), op])
    assert store.search(()) == []


@pytest.mark.parametrize("paths", ["note", [5], True])
def test_paths_are_a_list_of_texts(store: GenomeStore, memory: Memory, paths: Any) -> None:
    with pytest.raises(InvalidInput, match="such as"):
        store.put(("u",), "k", {"note": "tea"}, index=paths)
    with pytest.raises(InvalidInput, match="such as"):
        GenomeStore(memory, facts=paths)
    assert store.search(()) == []


def test_a_namespace_may_be_a_list(store: GenomeStore) -> None:
    store.put(["u", "x"], "k", {"a": 1})  # type: ignore[arg-type]
    item = store.get(["u", "x"], "k")  # type: ignore[arg-type]
    assert item is not None
    assert item.namespace == ("u", "x")
    assert keys(store.search(["u"])) == ["k"]  # type: ignore[arg-type]


def test_metadata_of_turns_may_be_named_like_anything(store: GenomeStore) -> None:
    store.memory.add({"role": "user", "content": "tea", "metadata": {"ttl_minutes": "soon"}}, namespace=("u",))
    assert len(store.search(("u",))) == 1


def test_a_key_may_be_a_number(store: GenomeStore) -> None:
    store.put(("u",), 5, {"a": 1})  # type: ignore[arg-type]
    assert store.get(("u",), 5) == store.get(("u",), "5")  # type: ignore[arg-type]
    assert asyncio.run(store.aget(("u",), 5)) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph", "x"), ("a", "nul\x00")])
def test_namespaces_that_langgraph_refuses_are_refused(store: GenomeStore, namespace: tuple[str, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"a": 1})
    if namespace[:1] != ("langgraph",):
        with pytest.raises(InvalidNamespaceError):
            store.batch([PutOp(("u",), "k", {"a": 1}), PutOp(namespace, "k", {"a": 1})])
    assert store.list_namespaces() == []


LABELS = st.sampled_from(["a", "b", "a b", "A", "*x"])
PLACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
VALUES = st.none() | st.fixed_dictionaries({"n": st.integers(0, 3)})
PUTS = st.tuples(PLACES, st.sampled_from(["k", "l"]), VALUES).map(lambda parts: PutOp(*parts))


@given(batches=st.lists(st.lists(PUTS, max_size=4), max_size=5), prefix=PLACES, number=st.integers(0, 3))
@settings(max_examples=25)
def test_it_holds_what_the_in_memory_store_holds(
    batches: list[list[PutOp]], prefix: tuple[str, ...], number: int
) -> None:
    reference = InMemoryStore()
    with Memory(":memory:", embedder=FakeEmbedder()) as memory:
        store = GenomeStore(memory, index=False)
        for batch in batches:
            store.batch(batch)
            reference.batch(batch)
        for filter in (None, {"n": number}, {"n": {"$gte": number}}, {"n": {"$ne": number}}):
            for place in ((), prefix):
                ours, theirs = (one.search(place, filter=filter, limit=100) for one in (store, reference))
                assert {(item.namespace, item.key, item.value["n"]) for item in ours} == {
                    (item.namespace, item.key, item.value["n"]) for item in theirs
                }
        held = {item.namespace for item in reference.search((), limit=100)}
        for match in ({}, {"prefix": prefix}, {"suffix": prefix}, {"prefix": ("*", *prefix[:1])}):
            listed = [place for place in reference.list_namespaces(**match, limit=100) if place in held]  # type: ignore[arg-type]
            assert store.list_namespaces(**match, limit=100) == listed  # type: ignore[arg-type]


# --- search ----------------------------------------------------------------------------------------------------------


def test_the_border_of_a_label_holds(store: GenomeStore) -> None:
    for namespace in (
        ("t", "acme"),
        ("t", "acme", "x"),
        ("t", "acme-corp"),
        ("t", "acme2"),
        ("t", "a%"),
        ("t", "a_me"),
        ("t", "user_1"),
        ("t", "userX1"),
        ("t", "it's"),
        ("t", "back\\slash"),
    ):
        store.put(namespace, "k", {"secret": namespace[-1]})
    assert {item.namespace for item in store.search(("t", "acme"))} == {("t", "acme"), ("t", "acme", "x")}
    assert store.search(("t", "ac")) == []
    assert {item.namespace for item in store.search(("t", "a%"))} == {("t", "a%")}
    assert {item.namespace for item in store.search(("t", "a_me"))} == {("t", "a_me")}
    assert {item.namespace for item in store.search(("t", "user_1"))} == {("t", "user_1")}
    assert {item.namespace for item in store.search(("t", "it's"))} == {("t", "it's")}
    assert {item.namespace for item in store.search(("t", "back\\slash"))} == {("t", "back\\slash")}
    assert len(store.search((), limit=100)) == 10


FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({"score": {"$gte": 10}}, ["b", "c", "d"]),
    ({"score": {"$gt": 2, "$lt": 100}}, ["b", "d", "e"]),
    ({"score": {"$ne": 2}}, ["b", "c", "d", "e"]),
    ({"score": 10}, ["b"]),
    ({"score": 10.0}, ["b"]),
    ({"tags": ["x", "y"]}, ["a"]),
    ({"tags": {"$eq": ["x", "y"]}}, ["a"]),
    ({"tags": {"$ne": ["x", "y"]}}, ["b"]),
    ({"missing": None}, ["a", "b", "c", "d", "e", "f"]),
    ({"deep": {"x": 1}}, ["f"]),
    ({"deep": {"$eq": {"x": 1, "y": 2}}}, ["f"]),
    ({"it's": 1}, ["f"]),
    ({"a b": {"$gt": 0}}, ["f"]),
    ({"a') OR 1=1 --": 1}, []),
    ({"$or": [{"score": 2}, {"it's": 1}]}, ["a", "f"]),
    ({"$and": [{"score": {"$gt": 2}}, {"score": {"$lt": 10}}]}, ["e"]),
    ({"score": {"$in": [2, 9]}}, ["a", "e"]),
    ({"score": {"$nin": [2, 9]}}, ["b", "c", "d"]),
    ({"score": 2, "tags": ["x", "y"]}, ["a"]),
    ({"deep": {"x": {"$gt": 0}, "z": None}}, ["f"]),
    ({"deep.x": 1}, ["f"]),
    ({"deep.x": {"$gte": 1, "$ne": 2}}, ["f"]),
    ({"dot.key": 1}, ["d"]),
    ({"deep.x": None, "it's": 1}, []),
    ({"score": {"$eq": None}}, ["f"]),
    ({"score": {"$ne": None}}, ["a", "b", "c", "d", "e"]),
    ({"score": {"$exists": False}}, ["f"]),
    ({"$not": {"score": {"$lt": 100}}}, ["c", "f"]),
    ({"score": {"$lt": math.inf}}, ["a", "b", "c", "d", "e"]),
    ({"score": {"$gte": -math.inf, "$lte": 9}}, ["a", "e"]),
    ({"score": {"$gt": math.inf}}, []),
    ({"score": math.nan}, []),
    ({"score": {"$ne": math.nan}}, ["a", "b", "c", "d", "e"]),
    ({"score": {"$lt": 10**100}}, ["a", "b", "c", "d", "e"]),
    ({"score": "nul\x00"}, []),
    ({"score": {"$gt": "1"}}, []),
    ({"flag": True}, ["e"]),
    ({"flag": 1}, []),
]


@pytest.mark.parametrize(("filter", "expected"), FILTERS)
def test_filters(store: GenomeStore, filter: dict[str, Any], expected: list[str]) -> None:
    values: dict[str, dict[str, Any]] = {
        "a": {"score": 2, "tags": ["x", "y"]},
        "b": {"score": 10, "tags": ["y"]},
        "c": {"score": 100},
        "d": {"score": 10.5, "dot.key": 1},
        "e": {"score": 9, "flag": True},
        "f": {"it's": 1, "a b": 1, "deep": {"x": 1, "y": 2}},
    }
    store.batch([PutOp(("u",), key, value) for key, value in values.items()])
    assert sorted(keys(store.search(("u",), filter=filter))) == expected


def test_numbers_compare_as_numbers_whatever_their_form(store: GenomeStore) -> None:
    """K02-01."""
    scores = {"low": -1e3, "minus": -2, "tiny": 1e-9, "two": 2, "ten": 10, "big": 1.5e300}
    store.batch([PutOp(("u",), key, {"score": score}) for key, score in scores.items()])
    for bound in (-1e3, -2, 0, 1e-10, 9, 9.5, 1e2, 1e301):
        found = set(keys(store.search(("u",), filter={"score": {"$gte": bound}})))
        assert found == {key for key, score in scores.items() if score >= bound}


def test_an_unknown_operator_is_an_error(store: GenomeStore) -> None:
    with pytest.raises(ValueError, match=r"\$near"):
        store.search(("u",), filter={"a": {"$near": 1}})
    for bad in ({"$or": {"a": 1}}, {"$and": [1]}, {"a": {"$gt": 1, "b": 2}}, {"$not": 1}):
        with pytest.raises(ValueError, match=r"\$"):
            store.search(("u",), filter=bad)


def test_without_a_query_the_newest_come_first_in_stable_pages(store: GenomeStore) -> None:
    store.batch([PutOp(("u",), f"{n:02}", {"n": n}) for n in range(25)])
    store.put(("u",), "00", {"n": 100})
    expected = ["00", *(f"{n:02}" for n in range(24, 0, -1))]
    pages = [keys(store.search(("u",), limit=10, offset=offset)) for offset in (0, 10, 20, 30)]
    assert [key for page in pages for key in page] == expected
    assert store.search(("u",), limit=0) == []
    for bad in ({"limit": -1}, {"offset": -1}):
        with pytest.raises(ValueError, match="0 or more"):
            store.search(("u",), **bad)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="0 or more"):
            store.list_namespaces(**bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="1 or more"):
        store.list_namespaces(max_depth=0)


def test_a_query_scores_by_cosine_and_pages(store: GenomeStore) -> None:
    store.batch([PutOp(("u",), f"{n}", {"text": f"note about topic {n}"}) for n in range(30)])
    store.put(("u",), "tea", {"text": "green tea"})
    everything = store.search(("u",), query="note about topic", limit=100)
    scores = [item.score for item in everything]
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    assert all(score is not None and -1 <= score <= 1 for score in scores)
    assert keys(store.search(("u",), query="note about topic", limit=5, offset=10)) == keys(everything)[10:15]
    assert all(item.score is None for item in store.search(("u",)))


def test_index_says_what_is_found_by_meaning(store: GenomeStore) -> None:
    value = {"title": "bicycle", "body": {"parts": [{"name": "saddle"}, {"name": "chain"}]}, "other": "zebra"}
    store.put(("u",), "paths", value, index=["title", "body.parts[*].name"])
    store.put(("u",), "none", value, index=False)
    assert keys(store.search(("u",), query="saddle")) == ["paths"]
    best = store.search(("u",), query="saddle")[0].score
    assert best == pytest.approx(1.0, abs=1e-5)
    store.put(("u",), "paths", value, index=False)
    assert store.search(("u",), query="saddle") == []
    store.delete(("u",), "paths")
    store.put(("u",), "paths", {"title": "kettle"}, index=["title"])
    assert keys(store.search(("u",), query="kettle")) == ["paths"]


@pytest.mark.parametrize("name", ["fields", "text_fields"])
def test_the_fields_of_the_index_may_have_either_name(memory: Memory, name: str) -> None:
    """LangGraph documents the one, its SQLite store reads the other."""
    store = GenomeStore(memory, index={name: ["title", "parts[*]"]})  # type: ignore[arg-type]
    store.put(("u",), "k", {"title": "bicycle", "parts": ["saddle"], "other": "zebra"})
    for word, score in (("bicycle", 1.0), ("saddle", 1.0), ("zebra", 0.0)):
        assert store.search(("u",), query=word)[0].score == pytest.approx(score, abs=0.35)


def test_the_same_text_twice_in_one_batch(store: GenomeStore) -> None:
    store.batch([PutOp(("u",), "a", {"t": "same"}), PutOp(("u",), "b", {"t": "same"})])
    assert sorted(keys(store.search(("u",), query="same"))) == ["a", "b"]


def test_the_embedder_gets_real_characters(store_url: str) -> None:
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> list[list[float]]:
        seen.extend(texts)
        return [[1.0, float(len(text))] for text in texts]

    with GenomeStore(store_url, index={"dims": 2, "embed": embed, "fields": ["text", "list", "dict"]}) as store:
        store.put(("u",), "k", {"text": "这是中文", "list": ["日本語"], "dict": {"k": "한국어"}})
    assert any("这是中文" in text for text in seen)
    assert any("日本語" in text for text in seen)
    assert any("한국어" in text for text in seen)


def test_a_query_is_taken_by_its_words(store: GenomeStore) -> None:
    store.memory.add({"role": "user", "name": "Ann", "content": "hello", "id": "turn"}, namespace=("u",))
    store.put(("u",), "k", {"note": "what Ann said last week"}, index=["note"])
    best = store.search(("u",), query="what Ann said last week")[0]
    assert best.key == "k"
    assert best.score == pytest.approx(1.0, abs=1e-5)
    assert store.search(("u",), query="broken \ud83d emoji", limit=1)[0].score is not None
    assert [item.score for item in store.search(("u",), query=" ")] == [None, None]


def test_blank_texts_are_not_indexed(store: GenomeStore) -> None:
    store.put(("u",), "k", {"title": "", "body": " "}, index=["title", "body"])
    assert store.get(("u",), "k") is not None
    assert store.search(("u",), query="anything") == []


def test_without_an_index_queries_do_not_rank(memory: Memory) -> None:
    store = GenomeStore(memory, index=False)
    store.put(("u",), "a", {"text": "tea"}, index=["text"])
    store.put(("u",), "b", {"text": "coffee"})
    assert [(item.key, item.score) for item in store.search(("u",), query="tea")] == [("b", None), ("a", None)]


def test_an_embedder_may_be_async_and_keeps_its_loop() -> None:
    loops: set[int] = set()

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        loops.add(id(asyncio.get_running_loop()))
        return [[1.0, float("tea" in text)] for text in texts]

    async def use(store: GenomeStore) -> list[str]:
        await store.aput(("u",), "a", {"text": "tea"})
        store.put(("u",), "b", {"text": "coffee"})  # inside a running loop
        return keys(await store.asearch(("u",), query="tea"))

    with GenomeStore(":memory:", index={"dims": 2, "embed": embed}) as store:
        assert asyncio.run(use(store)) == ["a", "b"]
        assert keys(store.search(("u",), query="tea", limit=1)) == ["a"]
        assert "embed" in store.memory.embedder.fingerprint.name
    assert len(loops) == 1


def test_two_embedding_functions_are_told_apart(sqlite_url: str) -> None:
    def first(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    def second(texts: Sequence[str]) -> list[list[float]]:
        return [[0.0, 1.0] for _ in texts]

    with GenomeStore(sqlite_url, index={"dims": 2, "embed": first}) as store:
        store.put(("u",), "k", {"a": 1})
    with GenomeStore(sqlite_url, index={"dims": 2, "embed": second}) as store, pytest.raises(EmbedderMismatch):
        store.search(("u",), query="a")


def test_announced_dimensions_must_be_true() -> None:
    def two_wide(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    with pytest.raises(ValueError, match=r"1536.*2"):
        GenomeStore(":memory:", index={"dims": 1536, "embed": two_wide})


# --- namespaces ------------------------------------------------------------------------------------------------------


def test_namespaces_are_listed_by_whole_labels(store: GenomeStore) -> None:
    for namespace in [
        ("u", "alice"),
        ("u", "malice"),
        ("u", "alice\n"),
        ("u", "bob", "alice"),
        ("foo",),
        ("foobar", "x"),
    ]:
        store.put(namespace, "k", {"a": 1})
    assert store.list_namespaces(suffix=("alice",)) == [("u", "alice"), ("u", "bob", "alice")]
    assert store.list_namespaces(prefix=("foo",)) == [("foo",)]
    assert store.list_namespaces(prefix=("u", "*", "alice")) == [("u", "bob", "alice")]
    assert store.list_namespaces(prefix=("*", "x")) == [("foobar", "x")]
    assert store.list_namespaces(prefix=("u",), suffix=("alice",)) == [("u", "alice"), ("u", "bob", "alice")]
    assert store.list_namespaces(max_depth=1) == [("foo",), ("foobar",), ("u",)]
    assert store.list_namespaces(limit=2, offset=1) == [("foobar", "x"), ("u", "alice")]


def test_reads_make_no_namespace_and_the_last_delete_removes_it(store: GenomeStore) -> None:
    store.get(("x",), "k")
    store.search(("x",))
    store.delete(("x",), "k")
    assert store.list_namespaces() == []
    store.put(("x",), "k", {"a": 1})
    assert store.list_namespaces() == [("x",)]
    store.delete(("x",), "k")
    assert store.list_namespaces() == []


# --- time to live ----------------------------------------------------------------------------------------------------


def test_the_expired_is_gone_before_any_sweep(store: GenomeStore, clock: FakeClock) -> None:
    store.put(("u",), "k", {"a": "tea"}, ttl=1)
    clock.advance(timedelta(minutes=2))
    assert store.get(("u",), "k") is None
    assert store.search(("u",)) == []
    assert store.search(("u",), query="tea") == []
    assert store.list_namespaces() == []
    assert store.sweep_ttl() == 1


def test_a_read_renews_unless_told_otherwise(store: GenomeStore, clock: FakeClock) -> None:
    for key in ("kept", "left"):
        store.put(("u",), key, {"a": 1}, ttl=10)
    updated = store.get(("u",), "kept", refresh_ttl=False)
    for _ in range(3):
        clock.advance(timedelta(minutes=6))
        store.get(("u",), "left", refresh_ttl=False)
        item = store.get(("u",), "kept")
        assert item is not None
        assert updated is not None
        assert item.updated_at == updated.updated_at
    assert store.get(("u",), "left") is None
    clock.advance(timedelta(minutes=6))
    assert keys(asyncio.run(store.asearch(("u",), refresh_ttl=True))) == ["kept"]
    clock.advance(timedelta(minutes=9))
    assert keys(asyncio.run(store.asearch(("u",), refresh_ttl=False))) == ["kept"]
    clock.advance(timedelta(minutes=2))
    assert store.search(("u",)) == []


def test_a_put_over_an_expired_item_is_a_new_item(store: GenomeStore, clock: FakeClock) -> None:
    store.put(("u",), "k", {"a": 1}, ttl=1)
    clock.advance(timedelta(minutes=2))
    reborn = clock.now
    store.put(("u",), "k", {"a": 2})
    item = store.get(("u",), "k")
    assert item is not None
    assert item.created_at >= reborn
    clock.advance(timedelta(days=365))
    assert store.get(("u",), "k") == item  # this put had no time to live


@pytest.mark.parametrize("ttl", [0, -1, math.nan, math.inf])
def test_a_time_to_live_is_positive(store: GenomeStore, ttl: float) -> None:
    with pytest.raises(ValueError, match="ttl"):
        store.put(("u",), "k", {"a": 1}, ttl=ttl)
    assert store.search(("u",)) == []


def test_a_search_renews_what_it_shows_and_nothing_else(store: GenomeStore, clock: FakeClock) -> None:
    for key in ("1", "2", "3"):
        store.put(("u", key), key, {"n": int(key)}, ttl=10)
    clock.advance(timedelta(minutes=6))
    assert keys(store.search(("u",), filter={"n": {"$gt": 1}})) == ["3", "2"]
    clock.advance(timedelta(minutes=6))
    assert sorted(keys(store.search(("u",), refresh_ttl=False))) == ["2", "3"]


def test_configured_ttl(memory: Memory, clock: FakeClock) -> None:
    store = GenomeStore(memory, ttl={"default_ttl": 10, "refresh_on_read": False})
    store.put(("u",), "default", {"a": 1})
    store.put(("u",), "for ever", {"a": 1}, ttl=None)
    clock.advance(timedelta(minutes=6))
    assert store.get(("u",), "default") is not None
    clock.advance(timedelta(minutes=6))
    assert keys(store.search(("u",))) == ["for ever"]


def test_the_sweeper_sweeps_and_stops(store: GenomeStore, clock: FakeClock) -> None:
    store.put(("u",), "k", {"a": 1}, ttl=1)
    clock.advance(timedelta(minutes=2))
    future = store.start_ttl_sweeper(sweep_interval_minutes=0.0005)
    assert store.start_ttl_sweeper() is future
    while store.memory.stats().records:
        pass
    assert store.stop_ttl_sweeper(timeout=30) is True
    assert future.result(timeout=30) is None
    assert store.stop_ttl_sweeper() is True


@pytest.mark.parametrize("minutes", [-1, math.nan, math.inf])
def test_a_sweeper_needs_an_interval(store: GenomeStore, minutes: float) -> None:
    with pytest.raises(InvalidInput, match="positive"):
        store.start_ttl_sweeper(minutes)
    assert store.stop_ttl_sweeper()


def test_the_sweeper_outlives_a_busy_database(caplog: pytest.LogCaptureFixture) -> None:
    calls: list[int] = []
    again = threading.Event()

    def sweep() -> int:
        calls.append(1)
        if len(calls) == 1:
            raise StorageError("database is locked")
        again.set()
        return 0

    sweeper = Sweeper(sweep, 0.001)
    assert again.wait(timeout=30)
    assert sweeper.stop(timeout=30)
    assert sweeper.future.result() is None
    assert "database is locked" in caplog.text


def test_another_error_ends_the_sweeper_and_is_told() -> None:
    def sweep() -> int:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        Sweeper(sweep, 0.001).future.result(timeout=30)


# --- async, facts ----------------------------------------------------------------------------------------------------


def test_one_store_serves_several_loops_and_calls_inside_a_loop(store: GenomeStore) -> None:
    async def work(n: int) -> int:
        await store.aput(("u",), f"async{n}", {"n": n})
        store.put(("u",), f"sync{n}", {"n": n})  # a sync call inside the running loop
        found = await store.asearch(("u",), limit=100)
        assert await store.aget(("u",), f"sync{n}") is not None
        assert ("u",) in await store.alist_namespaces()
        return len(found)

    assert [asyncio.run(work(n)) for n in range(3)] == [2, 4, 6]

    async def many() -> None:
        await asyncio.gather(*(store.aput(("many", str(n % 5)), f"{n}", {"n": n}) for n in range(50)))

    asyncio.run(many())
    assert len(store.search(("many",), limit=100)) == 50


def test_puts_that_wait_at_the_same_time_are_one_transaction(store_url: str, embedder: Embedder) -> None:
    with Memory(store_url, embedder=embedder) as memory:
        store = GenomeStore(memory)

        async def many() -> None:
            await asyncio.gather(*(store.aput(("u",), str(n), {"n": n}) for n in range(20)))

        asyncio.run(many())
        found = store.search(("u",), limit=100)
        assert len(found) == 20
        assert len({item.created_at for item in found}) == 1  # a transaction has one time


def test_a_put_that_can_not_be_spoils_no_other_that_waits(store: GenomeStore) -> None:
    values: dict[str, Any] = {"good": 1, "bad": {1, 2}, " ": 3, "too": 4}

    async def some() -> list[BaseException | None]:
        puts = [store.aput(("u",), key, {"n": value}) for key, value in values.items()]
        return await asyncio.gather(*puts, return_exceptions=True)

    first, second, third, fourth = asyncio.run(some())
    assert (first, fourth) == (None, None)
    assert isinstance(second, TypeError)
    assert isinstance(third, InvalidScope)
    assert keys(store.search(("u",))) == ["too", "good"]


def test_a_put_cancelled_before_its_turn_is_not_made(store: GenomeStore) -> None:
    async def some() -> None:
        kept, dropped = (asyncio.create_task(store.aput(("u",), key, {"n": 1})) for key in ("kept", "dropped"))
        await asyncio.sleep(0)
        dropped.cancel()
        await kept

    asyncio.run(some())
    assert keys(store.search(("u",))) == ["kept"]


def test_no_loop_is_kept_that_is_over(store: GenomeStore) -> None:
    async def loop_of_a_put() -> weakref.ref[asyncio.AbstractEventLoop]:
        await store.aput(("u",), "a", {"n": 1})
        assert await store.aget(("u",), "a") is not None
        return weakref.ref(asyncio.get_running_loop())

    loop = asyncio.run(loop_of_a_put())
    gc.collect()
    assert loop() is None


def test_facts_are_read_from_the_named_fields_only(memory: Memory) -> None:
    store = GenomeStore(memory, facts=["note"])
    store.put(("user:ann",), "1", {"note": "Maya lives in Leeds.", "other": "Maya lives in York."})
    assert [window.value for window in store.facts(("user:ann",), subject="Maya")] == ["Leeds"]
    assert store.ask("Where does Maya live?", ("user:ann",)).value == "Leeds"
    assert store.recall("Leeds", ("user:ann",))[0].record.id == "1"


def test_facts_are_asked_as_of_a_time_from_async_code(memory: Memory, clock: FakeClock) -> None:
    store = GenomeStore(memory, facts=["note"])
    here = ("user:ann",)

    async def use() -> tuple[str | None, str | None, list[str], int]:
        await store.aput(here, "1", {"note": "Maya lives in Leeds."})
        before = clock.now
        clock.advance(timedelta(days=400))
        await store.aput(here, "2", {"note": "Maya lives in York now."})
        now, then = (
            await store.aask("Where does Maya live?", here),
            await store.aask("Where does Maya live?", here, at=before),
        )
        values = [window.value for window in await store.afacts(here, subject="Maya")]
        return now.value, then.value, values, len(await store.arecall("Leeds", here, at=before))

    assert asyncio.run(use()) == ("York", "Leeds", ["York"], 1)


def test_turns_of_other_frameworks_show_as_items(store: GenomeStore) -> None:
    store.memory.add({"role": "user", "content": "I like tea", "id": "turn"}, user_id="ann")
    item = store.get(("user:ann",), "turn")
    assert item is not None
    assert item.value == {"text": "I like tea", "role": "user"}
    assert keys(store.search(("user:ann",), query="tea")) == ["turn"]
