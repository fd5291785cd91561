"""Metadata filters against a reference: SimpleVectorStore's own function, one filter at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from genome_llama_index import GenomeVectorStore
from genome_llama_index.filters import NodeFilter, node_filter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.simple import SimpleVectorStore
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from genome_core import Memory, Record
from genome_core.storage.database import Database
from genome_core.storage.filters import matches as passes
from genome_core.storage.filters import parse
from genome_core.testing.embedders import FakeEmbedder

Filter = MetadataFilter | MetadataFilters
VECTOR = [1.0, *[0.0] * 63]


def leaf(key: str, name: str, value: Any = None) -> MetadataFilter:
    return MetadataFilter(key=key, operator=FilterOperator(name), value=value)


def group(condition: str, *parts: Filter) -> MetadataFilters:
    return MetadataFilters(filters=list(parts), condition=FilterCondition(condition))


# --- the reference ---------------------------------------------------------------------------------------------------


def matches(part: Filter, metadata: dict[str, Any]) -> bool:
    """What a filter means: SimpleVectorStore decides about each single one; where it raises, the documented answer."""
    if isinstance(part, MetadataFilter):
        alone = build_metadata_filter_fn(lambda _: metadata, MetadataFilters(filters=[part]))
        try:
            return bool(alone(""))
        except TypeError:
            return part.operator is FilterOperator.NIN
    results = [matches(one, metadata) for one in part.filters]
    if not results or part.condition in (FilterCondition.AND, None):
        return all(results)
    return any(results) if part.condition is FilterCondition.OR else not any(results)


# --- properties ------------------------------------------------------------------------------------------------------

KEYS = ["a", "b c", "it's", "städte", "a.b", "$x", "$value", "a') OR 1=1 --"]
WORDS = ["", "x", "xy", "Rome", "rome", "2024-05-01", "1", "é"]
NUMBERS: list[int | float] = [-1, 0, 1, 1.0, 2, 2.5, 9, 10, 1e3, 2**53 + 1, 2**70]
scalars = st.sampled_from([None, True, False, *NUMBERS, *WORDS])
stored = st.one_of(
    scalars, st.lists(scalars, max_size=3), st.dictionaries(st.sampled_from(["x", "xy", "1"]), scalars, max_size=2)
)
metadatas = st.dictionaries(st.sampled_from(KEYS), stored, max_size=4)
integers = st.sampled_from([one for one in NUMBERS if isinstance(one, int)])
floats = st.sampled_from([one for one in NUMBERS if isinstance(one, float)] + [float("nan"), float("inf")])
words = st.sampled_from([*WORDS, "\ud83d", "nul\x00"])
lists = st.one_of(st.lists(integers, max_size=3), st.lists(floats, max_size=3), st.lists(words, max_size=3))
operands = st.one_of(st.none(), integers, floats, words, lists)


def usable(part: MetadataFilter) -> bool:
    if part.operator in (FilterOperator.TEXT_MATCH, FilterOperator.TEXT_MATCH_INSENSITIVE):
        return isinstance(part.value, str)
    if part.operator in (FilterOperator.IN, FilterOperator.NIN, FilterOperator.ANY, FilterOperator.ALL):
        return isinstance(part.value, str | list)
    ordered = part.operator.value in ("<", "<=", ">", ">=")
    return not ordered or part.value is not None


leaves = st.builds(leaf, st.sampled_from(KEYS), st.sampled_from([one.value for one in FilterOperator]), operands)
trees: st.SearchStrategy[Filter] = st.recursive(
    leaves.filter(usable),
    lambda parts: st.builds(
        lambda condition, found: MetadataFilters(filters=found, condition=condition),
        st.sampled_from([*FilterCondition, None]),
        st.lists(parts, max_size=3),
    ),
    max_leaves=6,
)


@pytest.fixture
def nodes_store(database: Database) -> Iterator[GenomeVectorStore]:
    with Memory(database, embedder=FakeEmbedder(8)) as memory:
        yield GenomeVectorStore(memory)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(found=st.lists(metadatas, min_size=1, max_size=6), filters=st.lists(trees, min_size=1, max_size=8))
def test_a_filter_means_the_same_as_in_the_reference(
    nodes_store: GenomeVectorStore, found: list[dict[str, Any]], filters: list[Filter]
) -> None:
    nodes_store.clear()
    nodes_store.add(
        [
            TextNode(id_=str(number), text="t", metadata=metadata, embedding=[1.0] * 8)
            for number, metadata in enumerate(found)
        ]
    )
    for filter in filters:
        wrapped = filter if isinstance(filter, MetadataFilters) else MetadataFilters(filters=[filter])
        expected = {str(number) for number, metadata in enumerate(found) if matches(wrapped, metadata)}
        assert {node.node_id for node in nodes_store.get_nodes(filters=wrapped)} == expected, wrapped


@settings(max_examples=300)
@given(metadata=metadatas, filter=trees)
def test_both_parts_of_a_filter_together_mean_the_same_as_the_reference(
    metadata: dict[str, Any], filter: Filter
) -> None:
    wrapped = filter if isinstance(filter, MetadataFilters) else MetadataFilters(filters=[filter])
    record = Record(text="", metadata=metadata)
    split = node_filter(wrapped)
    by_database = split.database is None or passes(parse(split.database), {"metadata": metadata, "value": None})
    assert (by_database and split.passing([record]) == [record]) == matches(wrapped, metadata)
    if split.whole is not None:
        assert split.whole(record) == matches(wrapped, metadata)


# --- examples --------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(memory: Memory) -> GenomeVectorStore:
    return GenomeVectorStore(memory)


ROWS: dict[str, dict[str, Any]] = {
    "a": {"r": 1, "s": "Abc", "tags": ["x", "y"], "e": None, "day": "2024-05-01"},
    "b": {"r": 2, "s": "abd", "tags": [], "day": "2024-06-01"},
    "c": {"r": 3, "s": "", "e": "full"},
}


@pytest.fixture
def rows(store: GenomeVectorStore) -> GenomeVectorStore:
    store.add([TextNode(id_=id, text=id, metadata=metadata, embedding=VECTOR) for id, metadata in ROWS.items()])
    return store


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (group("or", leaf("r", "==", 1), group("and", leaf("r", "==", 3), leaf("s", "==", ""))), "ac"),
        (group("and", leaf("r", ">", 1), group("or", leaf("s", "==", "abd"), leaf("r", "==", 1))), "b"),
        (group("not", leaf("r", "==", 1), leaf("r", "==", 2)), "c"),
        (group("not", group("or", leaf("r", "==", 1), group("not", leaf("r", "==", 2)))), "b"),
        (group("and", group("or", group("and", leaf("r", ">=", 2), leaf("r", "<=", 2)))), "b"),
        (group("and", leaf("e", "is_empty")), "ab"),
        (group("and", leaf("tags", "is_empty")), "bc"),
        (group("and", leaf("s", "is_empty")), "c"),
        (group("and", leaf("s", "text_match", "ab")), "b"),
        (group("and", leaf("s", "text_match_insensitive", "aB")), "ab"),
        (group("and", leaf("tags", "contains", "x")), "a"),
        (group("and", leaf("tags", "any", ["x", "q"])), "a"),
        (group("and", leaf("tags", "all", ["x", "y"])), "a"),
        (group("and", leaf("s", "contains", "b")), "ab"),
        (group("and", leaf("s", "any", ["A", "d"])), "ab"),
        (group("and", leaf("day", "<", "2024-05-15")), "a"),
        (group("and", leaf("r", "in", [1, 3])), "ac"),
        (group("and", leaf("r", "nin", [1, 3])), "b"),
        (group("and", leaf("e", "!=", "full")), "ab"),
        (group("and", leaf("e", "nin", ["full"])), "ab"),
        (group("and", leaf("nowhere", "nin", ["full"])), "abc"),
        (group("and", leaf("s", "in", "Abc and abd")), "abc"),
        (group("and", leaf("s", ">", 3)), ""),
        (group("and", leaf("r", ">=", 2), leaf("r", "<", 3)), "b"),
        (group("and", leaf("r", "in", list(range(2, 2000)))), "bc"),
        (group("or", *(leaf("r", "==", number) for number in range(3, 1200))), "c"),
        (group("or"), "abc"),
        (group("not"), "abc"),
    ],
)
def test_operators_and_nesting(rows: GenomeVectorStore, filters: MetadataFilters, expected: str) -> None:
    query = VectorStoreQuery(query_embedding=VECTOR, similarity_top_k=10, filters=filters)
    assert "".join(sorted(rows.query(query).ids or [])) == expected
    assert "".join(sorted(node.node_id for node in rows.get_nodes(filters=filters))) == expected


def test_filters_may_ask_for_the_document_of_a_node_as_in_simple_vector_store(rows: GenomeVectorStore) -> None:
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="d1")}
    nodes = [TextNode(id_="n", text="t", embedding=VECTOR, relationships=source)]
    simple = SimpleVectorStore()
    simple.add([*nodes, *(TextNode(id_=id, text=id, metadata=data, embedding=VECTOR) for id, data in ROWS.items())])
    rows.add(nodes)
    for key in ("document_id", "doc_id", "ref_doc_id"):
        for name, value in (("==", "d1"), ("!=", "d1"), ("==", "None"), ("in", ["d1", "d2"]), ("text_match", "d")):
            query = VectorStoreQuery(
                query_embedding=VECTOR, similarity_top_k=10, filters=group("and", leaf(key, name, value))
            )
            assert sorted(rows.query(query).ids or []) == sorted(simple.query(query).ids or []), (key, name, value)


@pytest.mark.parametrize(
    "filter",
    [
        leaf("r", "in", 5),
        leaf("r", "nin"),
        leaf("tags", "any", 5),
        leaf("tags", "all"),
        leaf("s", "text_match", 5),
        leaf("s", "text_match_insensitive", ["a"]),
        leaf("r", ">"),
    ],
)
def test_a_filter_that_nothing_could_pass_is_refused(rows: GenomeVectorStore, filter: MetadataFilter) -> None:
    with pytest.raises(ValueError, match="matches nothing"):
        rows.get_nodes(filters=group("or", leaf("r", "==", 1), filter))


def test_no_filter_and_empty_groups_are_no_restriction() -> None:
    assert node_filter(None) == NodeFilter()
    assert node_filter(group("and")) == NodeFilter()


def test_top_k_counts_what_passed_the_filter(store: GenomeVectorStore) -> None:
    rng = np.random.default_rng(0)
    store.add(
        [
            TextNode(id_=str(number), text="t", metadata={"n": number}, embedding=rng.normal(size=64).tolist())
            for number in range(60)
        ]
    )
    filters = group("and", leaf("n", ">=", 50))
    query = VectorStoreQuery(query_embedding=VECTOR, similarity_top_k=5, filters=filters)
    assert len(store.query(query).ids or []) == 5


@pytest.mark.parametrize("text", ["a", "1", "9", "nowhere"])
def test_the_best_that_pass_a_test_in_python_are_found_however_few_they_are(
    store: GenomeVectorStore, text: str
) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(300, 64))
    kinds = ["1" if number == 250 else "9" if number % 6 == 0 else "a" for number in range(300)]
    store.add(
        [
            TextNode(id_=str(number), text="t", metadata={"kind": f"kind {kind}"}, embedding=vector)
            for number, (kind, vector) in enumerate(zip(kinds, vectors.tolist(), strict=True))
        ]
    )
    nearest = np.argsort(-vectors[:, 0] / np.linalg.norm(vectors, axis=1))
    wanted = [str(number) for number in nearest if text in f"kind {kinds[number]}".split()]
    filters = group("and", leaf("kind", "text_match", f" {text}"))
    query = VectorStoreQuery(query_embedding=VECTOR, similarity_top_k=2, filters=filters)
    assert store.query(query).ids == wanted[:2]
    assert len(store.get_nodes(filters=filters)) == len(wanted)
    store.delete_nodes(filters=filters)
    assert len(store.get_nodes()) == 300 - len(wanted)
