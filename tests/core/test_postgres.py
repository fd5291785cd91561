"""What only PostgreSQL has: search pushed down into pgvector (case K10-01), writers that race, engines with settings of their own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core import Memory, pushdown
from genome_core.errors import EmbedderMismatch, InvalidInput
from genome_core.protocols import Embedder, Vectors
from genome_core.storage.database import Database
from genome_core.storage.reading import Selection
from genome_core.storage.schema import PARTITIONS, tenant_of
from genome_core.testing.embedders import FakeEmbedder
from genome_core.types import Scope
from tests.postgres import PostgresServer


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


def test_a_small_tenant_and_a_rare_filter_get_all_they_ask_for_beside_fifty_thousand_nearer_rows(
    postgres_url: str,
) -> None:
    """K10-01: pgvector's index gives up after 20,000 rows that do not pass."""
    generator = np.random.default_rng(0)
    question = np.eye(8, dtype=np.float32)[0]

    def vectors(count: int, towards: float) -> Vectors:
        drawn = 0.5 * generator.standard_normal((count, 8)) + towards * question
        unit: Vectors = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def far(name: str, metadata: dict[str, bool]) -> tuple[list[dict[str, Any]], Vectors, list[str]]:
        turns = [{"content": f"{name} {n}", "id": f"{name}{n}", "metadata": metadata} for n in range(30)]
        given = vectors(30, -1.0)
        return turns, given, [turns[place]["id"] for place in np.argsort(-(given @ question))[:10]]

    with Memory(postgres_url, embedder=FakeEmbedder(8), extractor=None, cache_bytes=10_000) as memory:
        with memory.database.read() as connection:
            beside = next(f"b{n}" for n in range(1000) if partition(connection, f"b{n}") == partition(connection, "a"))
        for start in range(0, 50_000, 5_000):
            memory.add([f"note {start + n}" for n in range(5_000)], user_id="a", vectors=list(vectors(5_000, 1.0)))
        small, small_vectors, nearest_of_small = far("small", {})
        rare, rare_vectors, nearest_of_rare = far("rare", {"rare": True})
        memory.add(small, user_id=beside, vectors=list(small_vectors))
        memory.add(rare, user_id="a", vectors=list(rare_vectors))
        memory.create_vector_index()
        ask = partial(memory.search, "anything", vector=question, mode="dense", limit=10)
        assert [hit.record.id for hit in ask(user_id=beside)] == nearest_of_small
        assert [hit.record.id for hit in ask(user_id="a", filter={"rare": True})] == nearest_of_rare
        scope = Selection(Scope((f"user:{beside}",)), 0)
        with memory.database.read() as connection:
            connection.exec_driver_sql(
                "SET LOCAL enable_sort = off"
            )  # which leaves the planner no choice but the index
            assert len(pushdown.nearest(connection, scope, question)) == 30


def partition(connection: Connection, user: str) -> int:
    """The partition that holds a user's rows."""
    holds = sa.text(
        "SELECT satisfies_hash_partition('genome_records'::regclass, :of, :number, CAST(:tenant AS bigint))"
    )
    tenant = tenant_of((f"user:{user}",), "postgresql")
    of = {"of": PARTITIONS, "tenant": tenant}
    return next(number for number in range(PARTITIONS) if connection.scalar(holds, of | {"number": number}))


def test_sqlite_has_no_vector_index(sqlite_url: str, embedder: Embedder) -> None:
    with Memory(sqlite_url, embedder=embedder) as memory, pytest.raises(InvalidInput, match="in memory"):
        memory.create_vector_index()


def test_a_pushed_down_search_compares_the_embedder(postgres_url: str) -> None:
    with Memory(postgres_url, embedder=FakeEmbedder(64)) as memory:
        memory.add([f"note {n}" for n in range(300)], user_id="u")
        memory.create_vector_index()
    with Memory(postgres_url, embedder=FakeEmbedder(32), cache_bytes=10_000) as other:
        with pytest.raises(EmbedderMismatch):
            other.search("note", user_id="u")
        other.reindex()
        other.create_vector_index()
        assert len(other.search("note", user_id="u")) == 10


def test_a_reset_keeps_racing_writers_out(postgres_url: str) -> None:
    with Memory(postgres_url, embedder=FakeEmbedder()) as memory, ThreadPoolExecutor(4) as pool:

        def write(user: str) -> None:
            for n in range(30):
                memory.add(f"note {n}", user_id=user)

        writers = [pool.submit(write, f"u{n}") for n in range(3)]
        for _ in range(5):
            memory.reset()
        for writer in writers:
            writer.result()
        memory.add("after", user_id="u0")
        assert memory.verify().entries == memory.count(namespace=())


def test_connections_older_than_the_extension_learn_its_type(postgres: PostgresServer) -> None:
    with postgres.database(blank=True) as url:
        engine = sa.create_engine(url)
        early = [engine.connect() for _ in range(3)]
        for connection in early:
            connection.execute(sa.text("SELECT 1"))
        database = Database(engine)
        with database.read() as first, database.read() as second:
            first.execute(sa.text("SELECT 1"))
            second.execute(sa.text("SELECT 1"))
        for connection in early:
            connection.close()
        with Memory(engine, embedder=FakeEmbedder()) as memory, ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: memory.add(f"note {n}", user_id=f"u{n}"), range(12)))
            assert memory.count(namespace=()) == 12
        engine.dispose()


@pytest.mark.parametrize("level", ["AUTOCOMMIT", "SERIALIZABLE"])
def test_the_isolation_of_an_engine_handed_in_does_not_matter(postgres_url: str, level: str) -> None:
    engine = sa.create_engine(postgres_url, isolation_level=level)
    with Memory(engine, embedder=FakeEmbedder()) as memory, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: memory.add(f"note {n}", user_id="u"), range(40)))
        assert memory.count(user_id="u") == 40
        assert memory.verify().entries == 40
    engine.dispose()
