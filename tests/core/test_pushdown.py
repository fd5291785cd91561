"""Scopes too large for memory are searched by pgvector, with the same answers (case K10-01)."""

from __future__ import annotations

import pytest

from genome_core import Memory
from genome_core.errors import InvalidInput
from genome_core.protocols import Embedder


@pytest.mark.parametrize("with_index", [False, True])
def test_a_scope_over_the_budget_is_searched_in_the_database(
    postgres_url: str, embedder: Embedder, with_index: bool
) -> None:
    words = ["tea", "coffee", "water", "juice", "milk"]
    notes = [
        {"content": f"I drank {word} on day {n}", "id": f"{word}{n}", "metadata": {"n": n}}
        for n in range(60)
        for word in words
    ]
    with (
        Memory(postgres_url, embedder=embedder) as resident,
        Memory(postgres_url, embedder=embedder, cache_bytes=50_000) as pushed,
    ):
        resident.add(notes, user_id="large")
        resident.add("tea of another user", user_id="small")
        if with_index:
            pushed.create_vector_index()
        for question, filter in (
            ("tea", None),
            ("milk on day 7", None),
            ("coffee", {"n": {"$lt": 3}}),
            ("coffee", lambda record: record.metadata["n"] < 3),
        ):
            expected = [
                hit.record.id for hit in resident.search(question, user_id="large", mode="dense", filter=filter)
            ]
            found = [hit.record.id for hit in pushed.search(question, user_id="large", mode="dense", filter=filter)]
            assert len(found) == len(expected)
            if not with_index:
                assert found == expected
            hybrid = pushed.search(question, user_id="large", filter=filter)
            assert hybrid[0].record.id in [
                h.record.id for h in resident.search(question, user_id="large", filter=filter)
            ]
        assert pushed.search("tea", user_id="large", exclude=["tea1"], limit=1)[0].record.id != "tea1"
        assert [hit.record.text for hit in pushed.search("tea", user_id="small")] == ["tea of another user"]


def test_sqlite_has_no_vector_index(sqlite_url: str, embedder: Embedder) -> None:
    with Memory(sqlite_url, embedder=embedder) as memory, pytest.raises(InvalidInput, match="in memory"):
        memory.create_vector_index()
