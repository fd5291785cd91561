"""``GenomeStorage`` behind CrewAI's protocol: whole labels, conditions that must all hold, the vectors of CrewAI."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory as CrewMemory
from genome_crewai import GenomeStorage

from genome_core import Memory
from genome_core.errors import NotFound
from genome_core.testing.embedders import FakeEmbedder
from tests.integrations.crewai.scripted import ScriptedLLM

DAY = datetime(2024, 5, 1, 12, 30, 15, 123456)


def record(content: str, scope: str = "/", **fields: Any) -> MemoryRecord:
    embedding = FakeEmbedder().embed([content])[0].tolist()
    return MemoryRecord(**{"content": content, "scope": scope, "embedding": embedding, "created_at": DAY} | fields)


def found(storage: GenomeStorage, text: str, **options: Any) -> list[str]:
    return [one.content for one, _ in storage.search(FakeEmbedder().embed([text])[0].tolist(), **options)]


@pytest.fixture
def own_vectors(tmp_path: Path) -> Iterator[GenomeStorage]:
    """A storage that holds whatever vectors CrewAI brings."""
    storage = GenomeStorage(tmp_path / "memory.db")
    yield storage
    storage.close()


def test_it_has_every_method_of_the_protocol(storage: GenomeStorage) -> None:
    assert isinstance(storage, StorageBackend)
    for name, method in inspect.getmembers(StorageBackend, inspect.isfunction):
        if not name.startswith("_"):
            wanted = list(inspect.signature(method).parameters)
            assert list(inspect.signature(getattr(GenomeStorage, name)).parameters) == wanted, name


def test_a_record_comes_back_as_it_was(storage: GenomeStorage) -> None:
    saved = record(
        "Ann likes tea",
        "/crew/a",
        categories=["taste", "people"],
        metadata={"ticket": 7, "deep": {"list": [1, None]}},
        importance=0.9,
        source="ann",
        private=True,
        last_accessed=DAY + timedelta(days=1),
    )
    storage.save([saved])
    loaded = storage.get_record(saved.id)
    assert loaded is not None
    assert loaded.model_dump() == saved.model_dump()
    assert loaded.embedding == pytest.approx(saved.embedding)
    assert storage.get_record("nobody") is None


def test_labels_match_whole(storage: GenomeStorage) -> None:
    labels = ["user_1", "userX1", "user_10", "a%b", "axxb", "it's", "back\\slash"]
    storage.save([record("tea", f"/crew/{label}", metadata={"label": label}) for label in labels])
    for label in labels:
        [(one, _)] = storage.search(FakeEmbedder().embed(["tea"])[0].tolist(), scope_prefix=f"/crew/{label}")
        assert one.metadata["label"] == label
        assert storage.count(f"/crew/{label}") == 1
    assert storage.count("/crew/user") == 0
    assert storage.count("/crew/") == storage.count("crew") == len(labels)


def conditions(rows: list[MemoryRecord]) -> list[dict[str, Any]]:
    return [
        {"record_ids": [rows[0].id, rows[1].id, "nobody"]},
        {"scope_prefix": "/a"},
        {"categories": ["x", "unused"]},
        {"older_than": DAY + timedelta(days=3)},
        {"metadata_filter": {"even": True}},
    ]


def mixed() -> list[MemoryRecord]:
    return [
        record(
            f"row {number}",
            "/a/b" if number % 3 else "/ab",
            categories=["x"] if number != 1 else ["y"],
            metadata={"even": number % 2 == 0},
            created_at=DAY + timedelta(days=number),
        )
        for number in range(6)
    ]


def holds(row: MemoryRecord, scope_prefix: str | None = None, **wanted: Any) -> bool:
    return (
        (scope_prefix is None or f"{row.scope}/".startswith(f"{scope_prefix}/"))
        and ("record_ids" not in wanted or row.id in wanted["record_ids"])
        and ("categories" not in wanted or bool(set(row.categories) & set(wanted["categories"])))
        and ("older_than" not in wanted or row.created_at < wanted["older_than"])
        and ("metadata_filter" not in wanted or wanted["metadata_filter"].items() <= row.metadata.items())
    )


@pytest.mark.parametrize("pair", list(itertools.combinations(range(5), 2)))
def test_a_deletion_meets_both_conditions(storage: GenomeStorage, pair: tuple[int, int]) -> None:
    rows = mixed()
    storage.save(rows)
    both = conditions(rows)[pair[0]] | conditions(rows)[pair[1]]
    gone = {row.content for row in rows if holds(row, **both)}
    assert storage.delete(**both) == len(gone)
    assert {row.content for row in storage.list_records()} == {row.content for row in rows} - gone


def test_times_with_a_zone_become_crewais_utc_without_one(storage: GenomeStorage) -> None:
    """CrewAI subtracts them from ``datetime.utcnow()``, which a time with a zone would not survive."""
    noon = datetime(2024, 5, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    storage.save([record("tea", created_at=noon, last_accessed=noon)])
    [kept] = storage.list_records()
    assert kept.created_at == kept.last_accessed == datetime(2024, 5, 1, 12)
    assert storage.delete(older_than=noon) == 0
    assert storage.delete(older_than=noon + timedelta(seconds=1)) == 1


def test_an_empty_list_deletes_nothing(storage: GenomeStorage) -> None:
    storage.save(mixed())
    assert storage.delete(record_ids=[]) == storage.delete(categories=[]) == 0
    assert storage.delete() == 6


def test_search_applies_its_filters_before_the_limit(storage: GenomeStorage) -> None:
    storage.save([record("tea " * number, "/a", categories=["x"]) for number in range(1, 6)])
    storage.save([record("tea and water", "/b", categories=["y"], metadata={"city": "Rome"})])
    assert found(storage, "tea", limit=1, categories=["y", "z"]) == ["tea and water"]
    assert found(storage, "tea", limit=1, metadata_filter={"city": "Rome"}) == ["tea and water"]
    assert len(found(storage, "tea", limit=10, metadata_filter={"city": None})) == 5
    assert found(storage, "tea", limit=0) == []


def test_a_score_is_the_cosine(storage: GenomeStorage) -> None:
    storage.save([record("red green"), record("entirely different words here")])
    query = FakeEmbedder().embed(["red green"])[0].tolist()
    scores = [score for _, score in storage.search(query)]
    assert scores[0] == pytest.approx(1.0, abs=1e-5)
    assert all(0 <= score <= 1 for score in scores)
    assert [one.content for one, _ in storage.search(query, min_score=0.99)] == ["red green"]


def test_the_same_text_in_two_scopes_is_two_records(storage: GenomeStorage) -> None:
    storage.save([record("tea", "/a"), record("tea", "/b")])
    assert storage.count() == 2


def test_an_update_may_move_a_record_and_keeps_its_vector(own_vectors: GenomeStorage) -> None:
    saved = record("tea", "/a")
    own_vectors.save([saved])
    own_vectors.update(saved.model_copy(update={"scope": "/b", "importance": 1.0, "embedding": None}))
    assert own_vectors.count("/a") == 0
    loaded = own_vectors.get_record(saved.id)
    assert loaded is not None
    assert (loaded.scope, loaded.importance, loaded.created_at) == ("/b", 1.0, DAY)
    assert loaded.embedding == pytest.approx(saved.embedding)
    with pytest.raises(NotFound):
        own_vectors.update(record("unknown"))


def test_records_are_listed_newest_first_and_page_by_page(storage: GenomeStorage) -> None:
    storage.save([record(str(number), "/a", created_at=DAY + timedelta(hours=number)) for number in range(5)])
    assert [one.content for one in storage.list_records("/a", limit=2, offset=1)] == ["3", "2"]
    assert storage.list_records(limit=0) == []
    with pytest.raises(ValueError, match="0 or more"):
        storage.list_records(limit=-1)
    assert storage.list_records(offset=-1) == []


def test_scopes_and_categories_are_told(storage: GenomeStorage) -> None:
    storage.save(
        [
            record("1", "/a/b/c", categories=["x"]),
            record("2", "/a/d", categories=["x", "y"], created_at=DAY + timedelta(1)),
            record("3"),
        ]
    )
    assert storage.list_scopes() == ["/a"]
    assert storage.list_scopes("/a") == ["/a/b", "/a/d"]
    info = storage.get_scope_info("/a/")
    assert (info.path, info.record_count, info.categories) == ("/a", 2, ["x", "y"])
    assert (info.oldest_record, info.newest_record) == (DAY, DAY + timedelta(1))
    assert info.child_scopes == ["/a/b", "/a/d"]
    assert storage.list_categories("/a") == {"x": 2, "y": 1}
    assert storage.get_scope_info("/nowhere").record_count == 0


def test_a_reset_stays_in_its_scope(storage: GenomeStorage) -> None:
    other = GenomeStorage(storage.memory, user_id="somebody")
    other.save([record("theirs")])
    storage.save([record("1", "/a"), record("2", "/ab")])
    storage.reset("/a")
    assert [one.content for one in storage.list_records()] == ["2"]
    storage.reset()
    assert storage.count() == 0
    assert other.count() == 1


def test_a_reset_needs_not_the_embedder_that_wrote(tmp_path: Path) -> None:
    with (
        Memory(tmp_path / "memory.db", embedder=FakeEmbedder()) as old,
        Memory(tmp_path / "memory.db", embedder=FakeEmbedder(32, name="other")) as new,
    ):
        GenomeStorage(old).save([record("tea")])
        assert found(GenomeStorage(old), "tea") == ["tea"]
        GenomeStorage(new).reset()
        assert found(GenomeStorage(old), "tea") == []


def test_vectors_of_another_width_are_refused(own_vectors: GenomeStorage) -> None:
    assert own_vectors.search([1.0, 0.0]) == []
    own_vectors.save([MemoryRecord(content="three", embedding=[1.0, 2.0, 2.0])])
    with pytest.raises(EmbeddingDimensionMismatchError):
        own_vectors.save(
            [MemoryRecord(content="fine", embedding=[1.0, 0, 0]), MemoryRecord(content="two", embedding=[1.0, 2.0])]
        )
    with pytest.raises(EmbeddingDimensionMismatchError):
        own_vectors.search([1.0, 2.0])
    assert own_vectors.count() == 1
    own_vectors.reset()
    own_vectors.save([MemoryRecord(content="two", embedding=[1.0, 2.0])])
    assert own_vectors.count() == 1


def test_metadata_that_is_not_json_is_refused(storage: GenomeStorage) -> None:
    saved = record("tea")
    storage.save([saved])
    for write in (storage.update, lambda one: storage.save([one])):
        with pytest.raises(TypeError, match="not JSON serializable"):
            write(saved.model_copy(update={"metadata": {"when": DAY}}))
    assert [one.metadata for one in storage.list_records()] == [{}]


def test_a_store_is_opened_again_with_its_vectors(tmp_path: Path) -> None:
    first = GenomeStorage(tmp_path / "memory.db")
    first.save([MemoryRecord(content="three", embedding=[1.0, 2.0, 2.0])])
    first.close()
    again = GenomeStorage(tmp_path / "memory.db")
    [(one, score)] = again.search([1.0, 2.0, 2.0])
    assert one.content == "three"
    assert score == pytest.approx(1.0)
    again.close()


def test_many_threads_may_use_it(storage: GenomeStorage) -> None:
    def work(number: int) -> None:
        storage.save([record(f"tea {number}", f"/{number % 3}")])
        assert found(storage, "tea")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(24)))
    assert storage.count() == 24


async def test_the_async_methods_do_the_same(storage: GenomeStorage) -> None:
    await storage.asave([record("tea", categories=["x"])])
    [(one, _)] = await storage.asearch(FakeEmbedder().embed(["tea"])[0].tolist())
    assert one.content == "tea"
    assert await storage.adelete(categories=["x"]) == 1


def test_crewais_own_memory_works_on_it(own_vectors: GenomeStorage) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = FakeEmbedder().embed(texts).tolist()
        return rows

    memory = CrewMemory(storage=own_vectors, embedder=embed, llm=ScriptedLLM("unused"))
    saved = memory.remember("Ann likes tea", scope="/a", categories=["taste"], importance=0.7)
    assert saved is not None
    [match] = memory.recall("tea", depth="shallow")
    assert match.record.content == "Ann likes tea"
    assert memory.update(saved.id, content="Ann likes coffee").content == "Ann likes coffee"
    assert memory.forget(scope="/a") == 1
    memory.close()
