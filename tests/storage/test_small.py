"""A scope of few records is read in another way than a large one, and gives the same pages."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from genome_core import Memory, Record
from genome_core.errors import EmbedderMismatch, InvalidFilter, InvalidInput
from genome_core.storage import reading
from genome_core.storage.moments import to_micros
from genome_core.storage.reading import Selection
from genome_core.storage.schema import records
from genome_core.storage.small import LONGEST, MOST, MOST_WITH_VECTORS, SmallScopes
from genome_core.testing.embedders import FakeEmbedder
from genome_core.types import Origins, Scope

START = datetime(2026, 1, 1, tzinfo=UTC)

FILTERS: list[Any] = [
    None,
    {"n": {"$gte": 3}},
    {"$not": {"kind": "b"}},
    {"$value": {"color": {"$in": ["red", "blue"]}}},
    {"$value": {"color": {"$exists": False}}},
    {"kind": "nobody's"},
]
SCOPES = [
    Scope(("u",)),
    Scope(("u",), exact=True),
    Scope(("u", "one")),
    Scope(("u", "one"), exact=True),
    Scope((), exact=True),
    Scope(("nobody",)),
    Scope(("u",), origins=Origins(("web",), only=True)),
    Scope(("u",), origins=Origins(("web",))),
]


@pytest.fixture
def memory(store_url: str) -> Any:
    with Memory(store_url, embedder=FakeEmbedder(), clock=lambda: START) as memory:
        for number, namespace in enumerate([("u",), ("u", "one"), ("u", "one"), ("u", "one", "deep"), ("u2",)] * 5):
            record = Record(
                text=f"note {number}",
                id=f"r{number}",
                namespace=namespace,
                at=START + timedelta(minutes=number % 5),
                origin="web" if number % 7 == 0 else "user",
                metadata={"n": number % 6, "kind": "ab"[number % 2]},
                value={"color": ["red", "green", "blue"][number % 3]} if number % 4 else None,
                expires_at=START + timedelta(hours=1) if number == 8 else None,
            )
            memory.write([record])
        yield memory


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize("scope", SCOPES)
def test_the_pages_are_those_of_a_large_scope(memory: Memory, scope: Scope, newest_first: bool) -> None:
    minute = to_micros(START + timedelta(minutes=2))
    bounds: list[tuple[int | None, int | None]] = [(None, None), (minute, None), (None, minute)]
    for filter, (since, until), hours in itertools.product(FILTERS, bounds, (0, 2)):
        selection = Selection(scope, to_micros(START + timedelta(hours=hours)), filter, since, until)
        after: str | None = None
        for limit in (0, 2, 3, 100):
            with memory.database.read() as connection:
                expected = reading.page(connection, selection, limit, newest_first=newest_first, after=after)
            page = SmallScopes(memory.database).page(selection, limit, newest_first=newest_first, after=after)
            left = not scope.exact and (since, until) != (None, None)
            assert page == (None if left else expected)
            after = expected[1]


def test_a_scope_of_many_records_is_left_to_the_database(store_url: str) -> None:
    with Memory(store_url, embedder=FakeEmbedder(), clock=lambda: START) as memory:
        memory.write([Record(text="few", id=str(number), namespace=("u",)) for number in range(MOST)])
        selection = Selection(Scope(("u",)), to_micros(START))
        page = SmallScopes(memory.database).page(selection, MOST)
        assert page is not None
        assert (len(page[0]), page[1]) == (MOST, None)
        memory.write([Record(text="one more", id="more", namespace=("u",))])
        assert SmallScopes(memory.database).page(selection, 1) is None
        assert len(memory.get_all(namespace=("u",), limit=1000)) == MOST + 1


def test_a_scope_of_long_texts_is_left_to_the_database_from_the_second_page_on(store_url: str) -> None:
    with Memory(store_url, embedder=FakeEmbedder(), clock=lambda: START) as memory:
        long = "word " * (LONGEST // 10)
        memory.write([Record(text=f"{long}{number}", id=str(number), namespace=("u",)) for number in range(3)])
        small, selection = SmallScopes(memory.database), Selection(Scope(("u",)), to_micros(START))
        page = small.page(selection, 1)
        assert page is not None
        assert [stored.record.id for stored in page[0]] == ["0"]
        assert small.page(selection, 1, after=page[1]) is None


def test_a_damaged_text_passes_no_filter_that_asks_of_it(memory: Memory) -> None:
    damage = sa.update(records).where(records.c.id == "r1").values(metadata="{")
    memory.database.write(lambda connection: connection.execute(damage))
    scope: Any = {"namespace": ("u", "one"), "limit": 100}
    assert "r1" not in [one.id for one in memory.get_all(filter={"$not": {"kind": "x"}}, **scope)]
    with pytest.warns(RuntimeWarning, match="damaged"):
        kept = memory.get_all(filter={"$value": {"color": "green"}}, **scope)
    assert [one.id for one in kept] == ["r22", "r13"]


@pytest.mark.parametrize("scope", [one for one in SCOPES if one.origins is None and (one.prefix or one.exact)])
def test_a_search_by_a_vector_finds_in_few_records_what_the_index_finds(memory: Memory, scope: Scope) -> None:
    memory.write([Record(text="", id="parts", namespace=("u",), index=("red tea", "a note"), at=START)])
    memory.write([Record(text="unseen", id="bare", namespace=("u",), index=(), at=START)])
    vector = memory.embedder.embed_query("note 7")
    for filter, exclude, threshold, limit in itertools.product(FILTERS, ((), ("r7", "parts")), (None, 0.2), (3, 100)):
        wanted: Any = {"filter": filter, "exclude": exclude, "threshold": threshold, "limit": limit, "mode": "dense"}
        place: Any = {"namespace": scope.prefix, "exact": scope.exact, "vector": vector}
        memory._residents.clear()
        few = memory.search("", **wanted, **place)
        assert memory._residents.nbytes == 0
        memory.search("note", namespace=scope.prefix, exact=scope.exact, mode="lexical")  # makes the index
        assert memory._residents.nbytes
        assert few == memory.search("", **wanted, **place)


def test_many_passages_are_left_to_the_index(store_url: str) -> None:
    with Memory(store_url, embedder=FakeEmbedder(), clock=lambda: START) as memory:
        memory.write([Record(text=f"note {n}", id=str(n), namespace=("u",)) for n in range(MOST_WITH_VECTORS)])
        small, selection = SmallScopes(memory.database), Selection(Scope(("u",)), to_micros(START))
        digest = memory.embedder.fingerprint.digest
        found = small.with_vectors(selection, digest)
        assert found is not None
        assert len(found) == MOST_WITH_VECTORS
        memory.write([Record(text="one more", id="more", namespace=("u",))])
        assert small.with_vectors(selection, digest) is None
        assert small.page(selection, 1) is not None


def test_few_records_with_vectors_of_another_embedder_are_not_compared(durable_store_url: str) -> None:
    with Memory(durable_store_url, embedder=FakeEmbedder()) as memory:
        memory.add("I drink tea", user_id="u")
        vector = memory.embedder.embed_query("tea")
        with Memory(durable_store_url, embedder=FakeEmbedder(name="other")) as other, pytest.raises(EmbedderMismatch):
            other.search("", vector=vector, mode="dense", user_id="u")


def test_what_is_wrong_is_refused_before_anything_is_read(memory: Memory) -> None:
    with pytest.raises(InvalidFilter):
        memory.get_all(namespace=("nobody",), filter={"n": {"$near": 1}})
    with pytest.raises(InvalidInput, match="cursor"):
        memory.get_all(namespace=("nobody",), after="yesterday")
