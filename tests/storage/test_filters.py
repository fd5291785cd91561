"""The filter language: SQLite, PostgreSQL and plain Python give the same answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genome_core.errors import InvalidFilter
from genome_core.storage.database import Database
from genome_core.storage.filters import matches, parse, to_sql
from genome_core.storage.json_text import json_text


def mappings(
    keys: list[str], values: st.SearchStrategy[Any], most: int, least: int = 0
) -> st.SearchStrategy[dict[str, Any]]:
    return st.lists(st.tuples(st.sampled_from(keys), values), min_size=least, max_size=most).map(dict)


KEYS = ["n", "s", "a b", "it's", "x-y", "städte", "a.b", "$x", "') OR 1=1 --", '"']
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=4)
NUMBERS = st.one_of(
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False, width=64).map(lambda x: x + 0.0),
    st.sampled_from([0, 1, -1, 2, 9, 10, 100, 10.5, 1e300, -1e-9]),
    st.sampled_from(
        [
            sign * number
            for sign in (1, -1)
            for power in (53, 60, 63, 64, 100)
            for number in (2**power - 1, 2**power, 2**power + 1, 2.0**power, 10**23, 1e23)
        ]
    ),
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS, st.sampled_from(["", "a", "ab", "1", "true"]))
PLAIN = st.one_of(SCALARS, st.lists(SCALARS, max_size=3), mappings(KEYS, SCALARS, 2))
VALUES = st.one_of(PLAIN, st.lists(PLAIN, max_size=2), mappings(KEYS, PLAIN, 2))
DOCUMENTS = st.fixed_dictionaries({"metadata": mappings(KEYS, VALUES, 4), "value": VALUES})
ORDERED = st.one_of(NUMBERS, TEXTS)
CONDITIONS = st.one_of(
    SCALARS,
    st.builds(lambda value: {"$eq": value}, VALUES),
    st.builds(lambda value: {"$ne": value}, VALUES),
    st.builds(lambda op, value: {op: value}, st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), ORDERED),
    st.builds(lambda op, values: {op: values}, st.sampled_from(["$in", "$nin"]), st.lists(VALUES, max_size=3)),
    st.builds(lambda value: {"$contains": value}, SCALARS),
    st.builds(lambda value: {"$includes": value}, TEXTS),
    st.builds(lambda value: {"$exists": value}, st.booleans()),
    st.builds(lambda value: {"$not": {"$eq": value}}, VALUES),
    st.builds(lambda low, high: {"$gte": low, "$lt": high}, NUMBERS, NUMBERS),
)
ENTRIES = mappings(KEYS[:7], CONDITIONS, 2)


def combined(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        inner,
        st.lists(inner, max_size=2).map(lambda parts: {"$and": parts}),
        st.lists(inner, max_size=2).map(lambda parts: {"$or": parts}),
        inner.map(lambda part: {"$not": part}),
        mappings(KEYS[:7], CONDITIONS, 2, least=1).map(lambda part: {"n": part}),
        ENTRIES.map(lambda part: {"$value": part}),
    )


FILTERS = combined(combined(ENTRIES))


class Documents:
    """A table of documents that a filter is run over."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.table = sa.Table(
            "documents",
            sa.MetaData(),
            sa.Column("id", sa.Integer, primary_key=True),
            sa.Column("metadata", sa.Text),
            sa.Column("value", sa.Text),
        )
        database.write(self.table.create)

    def passing(
        self, documents: list[dict[str, Any]], filter: dict[str, Any], damaged: dict[int, str] | None = None
    ) -> list[int]:
        rows = [
            {
                "id": i,
                "metadata": json_text(d["metadata"]),
                "value": None if d["value"] is None else json_text(d["value"]),
            }
            for i, d in enumerate(documents)
        ]
        for number, column in (damaged or {}).items():
            rows[number][column] = '{"a": 1'
        columns = {"metadata": self.table.c.metadata, "value": self.table.c.value}

        def run(connection: sa.Connection) -> list[int]:
            connection.execute(sa.delete(self.table))
            connection.execute(sa.insert(self.table), rows)
            where = to_sql(parse(filter), columns, self.database.dialect)
            return sorted(connection.scalars(sa.select(self.table.c.id).where(where)))

        return self.database.write(run)


@pytest.fixture
def documents(store_url: str) -> Iterator[Documents]:
    database = Database(store_url)
    yield Documents(database)
    database.close()


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(DOCUMENTS, min_size=1, max_size=5), FILTERS)
def test_databases_agree_with_the_reference(
    documents: Documents, given_documents: list[dict[str, Any]], filter: dict[str, Any]
) -> None:
    expected = [i for i, document in enumerate(given_documents) if matches(parse(filter), document)]
    assert documents.passing(given_documents, filter) == expected


SCORES = [{"metadata": {"n": n}, "value": None} for n in (2, 9, 10, 100, 10.5, -3, 1e3)]


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ({"n": {"$gte": 10}}, [2, 3, 4, 6]),
        ({"n": {"$lt": 0}}, [5]),
        ({"n": {"$gte": 2, "$lt": 10}}, [0, 1]),
        ({"$and": [{"n": {"$gte": 2}}, {"n": {"$lt": 10}}]}, [0, 1]),
        ({"n": {"$in": [9, 10.5]}}, [1, 4]),
        ({"n": {"$in": [*map(str, range(5000)), *range(9, 5000)]}}, [1, 2, 3, 6]),
        ({"n": {"$nin": list(range(9, 5000))}}, [0, 4, 5]),
        ({"n": {"$in": []}}, []),
        ({"n": {"$nin": []}}, [0, 1, 2, 3, 4, 5, 6]),
        ({"n": "9"}, []),
        ({"missing": {"$ne": 1}}, []),
        ({"missing": {"$exists": False}}, [0, 1, 2, 3, 4, 5, 6]),
        ({"$not": {"missing": 1}}, [0, 1, 2, 3, 4, 5, 6]),
        ({}, [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_numbers_compare_as_numbers(documents: Documents, filter: dict[str, Any], expected: list[int]) -> None:
    assert documents.passing(SCORES, filter) == expected


LARGE: list[float] = [sign * n for n in (2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 10**23) for sign in (1, -1)]
LARGE += [float(number) for number in LARGE]


@pytest.mark.parametrize("operator", ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"])
def test_large_numbers_compare_exactly(documents: Documents, operator: str) -> None:
    stored = [{"metadata": {"n": number, "l": [number], "a b": {"n": number}}, "value": None} for number in LARGE]
    for operand in LARGE:
        filters: list[dict[str, Any]] = [{"n": {operator: operand}}, {"a b": {"n": {operator: operand}}}]
        filters += [{"l": {"$contains": operand}}, {"n": {"$in": [operand, "x"]}}, {"l": [operand]}]
        for filter in filters:
            expected = [i for i, document in enumerate(stored) if matches(parse(filter), document)]
            assert documents.passing(stored, filter) == expected, filter


def test_the_exact_text_of_a_number_gives_it_back() -> None:
    value = {"a": [1e16, -1e300, 2.0**60, 0.1, 1e-7, 10**30], 'e+ "1e+20"': "1e+20\\"}
    assert json.loads(json_text(value)) == value
    assert "e+" not in json_text([1e16, -1e300])


@pytest.mark.parametrize("filter", [{"a": 1}, {"$not": {"a": 1}}, {"b": {"$exists": False}}, {"$value": {"a": 1}}])
def test_a_row_passes_no_filter_that_asks_of_what_is_damaged(documents: Documents, filter: dict[str, Any]) -> None:
    whole: list[dict[str, Any]] = [{"metadata": {"a": 1}, "value": {"a": 1}}, {"metadata": {"a": 2}, "value": None}]
    expected = documents.passing(whole, filter)
    column = "value" if "$value" in filter else "metadata"
    assert documents.passing([*whole, *whole], filter, damaged={2: column, 3: column}) == expected


def test_what_a_filter_does_not_ask_of_may_be_damaged(documents: Documents) -> None:
    given_documents: list[dict[str, Any]] = [{"metadata": {"a": 1}, "value": {"b": 1}}]
    for filter, damaged in (({"a": 1}, "value"), ({"$value": {"b": 1}}, "metadata")):
        assert documents.passing(given_documents, filter, damaged={0: damaged}) == [0]
        assert documents.passing(given_documents, {"$and": [{"a": 1}, filter]}, damaged={0: "metadata"}) == []


def test_lists_and_mappings_are_equal_as_a_whole(documents: Documents) -> None:
    given_documents = [{"metadata": {"t": ["x", "y"], "m": {"a": 1, "b": 2}}, "value": {"c": "red"}}]
    found: list[dict[str, Any]] = [
        {"t": ["x", "y"]},
        {"t": {"$eq": ["x", "y"]}},
        {"m": {"$eq": {"b": 2, "a": 1.0}}},
        {"m": {"a": 1}},
        {"t": {"$contains": "x"}},
        {"$value": {"c": "red"}},
    ]
    for filter in found:
        assert documents.passing(given_documents, filter) == [0], filter
    missed: list[dict[str, Any]] = [
        {"t": {"$ne": ["x", "y"]}},
        {"t": ["y", "x"]},
        {"m": {"$eq": {"a": 1}}},
        {"$value": {"c": "x"}},
    ]
    for filter in missed:
        assert documents.passing(given_documents, filter) == [], filter


@pytest.mark.parametrize(
    "filter",
    [
        {"city": {"$in": "rome"}},
        {"n": {"$gt": None}},
        {"n": {"$gt": [1]}},
        {"n": {"$near": 1}},
        {"$gt": 1},
        {"$and": {"n": 1}},
        {"n": {"$exists": 1}},
        {"n": {"$contains": [1]}},
        {"n": {"$includes": 1}},
        {"$or": [{"n": n} for n in range(1000)]},
        {"n": float("nan")},
        {"n": object()},
        {"n": "a\x00b"},
        {"n": "\ud83d"},
        {1: 2},
        "n = 1",
    ],
)
def test_what_the_language_does_not_have_is_refused(filter: Any) -> None:
    with pytest.raises(InvalidFilter):
        parse(filter)
