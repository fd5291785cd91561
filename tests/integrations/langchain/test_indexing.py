"""LangChain's Indexing API over ``GenomeVectorStore`` with ``GenomeRecordManager`` on the same database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any, Literal

import pytest
from genome_langchain import GenomeDocumentIndex, GenomeRecordManager, GenomeVectorStore
from langchain_core.documents import Document
from langchain_core.indexing import IndexingResult, aindex, index

from genome_core import Memory
from genome_core.errors import StorageError

Cleanup = Literal["full", "incremental", "scoped_full"] | None


@pytest.fixture
def store(memory: Memory) -> GenomeVectorStore:
    return GenomeVectorStore(memory)


@pytest.fixture
def manager(memory: Memory) -> GenomeRecordManager:
    return GenomeRecordManager("docs", memory)


def documents(*pairs: tuple[str, str]) -> list[Document]:
    return [Document(text, metadata={"source": source}) for text, source in pairs]


def run(
    docs: Sequence[Document], manager: GenomeRecordManager, store: GenomeVectorStore, cleanup: Cleanup, **more: Any
) -> IndexingResult:
    return index(docs, manager, store, cleanup=cleanup, source_id_key="source", key_encoder="sha256", **more)


async def arun(
    docs: Sequence[Document], manager: GenomeRecordManager, store: GenomeVectorStore, cleanup: Cleanup, **more: Any
) -> IndexingResult:
    return await aindex(docs, manager, store, cleanup=cleanup, source_id_key="source", key_encoder="sha256", **more)


def texts(store: GenomeVectorStore) -> set[str]:
    return {document.page_content for document in store.similarity_search("text", 100)}


OLD = documents(("one", "a"), ("two", "a"), ("three", "b"))
NEW = documents(("one", "a"), ("four", "a"))
LEFT: dict[Cleanup, set[str]] = {
    None: {"one", "two", "three", "four"},
    "incremental": {"one", "four", "three"},
    "scoped_full": {"one", "four", "three"},
    "full": {"one", "four"},
}


@pytest.mark.parametrize("cleanup", LEFT)
def test_each_cleanup_leaves_what_it_should(
    store: GenomeVectorStore, manager: GenomeRecordManager, cleanup: Cleanup
) -> None:
    assert run(OLD, manager, store, cleanup)["num_added"] == 3
    assert run(OLD, manager, store, cleanup) == {"num_added": 0, "num_updated": 0, "num_skipped": 3, "num_deleted": 0}
    changed = run(NEW, manager, store, cleanup)
    assert (changed["num_added"], changed["num_skipped"]) == (1, 1)
    assert changed["num_deleted"] == 4 - len(LEFT[cleanup])
    assert texts(store) == LEFT[cleanup]


@pytest.mark.parametrize("cleanup", LEFT)
async def test_each_cleanup_leaves_the_same_in_async_code(
    store: GenomeVectorStore, manager: GenomeRecordManager, cleanup: Cleanup
) -> None:
    await arun(OLD, manager, store, cleanup)
    assert (await arun(OLD, manager, store, cleanup))["num_skipped"] == 3
    changed = await arun(NEW, manager, store, cleanup)
    assert changed["num_deleted"] == 4 - len(LEFT[cleanup])
    assert texts(store) == LEFT[cleanup]


def test_small_batches_and_forced_updates(store: GenomeVectorStore, manager: GenomeRecordManager) -> None:
    many = documents(*((f"text {number}", f"source {number % 7}") for number in range(50)))
    assert run(many, manager, store, "full", batch_size=7)["num_added"] == 50
    assert run(many, manager, store, "full", batch_size=7, force_update=True)["num_updated"] == 50
    assert run(many[:5], manager, store, "full", cleanup_batch_size=10)["num_deleted"] == 45
    assert len(texts(store)) == 5


def test_a_document_index_may_stand_for_the_store(memory: Memory, manager: GenomeRecordManager) -> None:
    document_index = GenomeDocumentIndex(vector_store=GenomeVectorStore(memory))
    for docs in (OLD, NEW):
        index(docs, manager, document_index, cleanup="full", source_id_key="source", key_encoder="sha256")
    assert texts(document_index.vector_store) == {"one", "four"}
    assert len(document_index.invoke("one", k=1)) == 1
    assert len(asyncio.run(document_index.ainvoke("one", k=1, filter={"source": "a"}))) == 1


def test_managers_of_other_namespaces_are_apart(memory: Memory) -> None:
    one, other = GenomeRecordManager("one", memory), GenomeRecordManager("other", memory)
    one.update(["a", "b"])
    other.update(["b"])
    other.delete_keys(["a", "b", "c"])
    assert one.exists(["a", "b", "c"]) == [True, True, False]
    assert other.list_keys() == []


def test_keys_are_listed_by_time_and_group(manager: GenomeRecordManager) -> None:
    manager.update(["a", "b"], group_ids=["g", None])
    between = manager.get_time()
    manager.update(["c", "d"], group_ids=["g", "h"])
    manager.update(["a"], group_ids=["g"])
    assert manager.list_keys(before=between) == ["b"]
    assert manager.list_keys(after=between) == ["c", "d", "a"]
    assert manager.list_keys(group_ids=["g"]) == ["c", "a"]
    assert manager.list_keys(group_ids=[]) == []
    assert manager.list_keys(limit=2) == ["b", "c"]


def test_each_reading_of_the_time_is_later_than_what_was_written(manager: GenomeRecordManager) -> None:
    for number in range(50):
        start = manager.get_time()
        assert number == 0 or manager.list_keys(before=start) == ["key"]
        manager.update(["key"], time_at_least=start)
        assert manager.list_keys(before=start) == []


def test_a_clock_that_was_set_back_does_not_turn_time_back(
    manager: GenomeRecordManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = manager.get_time() + 3600
    with monkeypatch.context() as patch:
        patch.setattr(manager, "get_time", lambda: later)
        manager.update(["written in the future"])
    assert manager.get_time() > later


def test_a_time_in_the_future_is_refused_and_nothing_written(manager: GenomeRecordManager) -> None:
    with pytest.raises(StorageError, match="set back"):
        manager.update(["a"], time_at_least=manager.get_time() + 3600)
    assert manager.exists(["a"]) == [False]


def test_groups_must_be_as_many_as_keys(manager: GenomeRecordManager) -> None:
    with pytest.raises(ValueError, match="2 keys but 1 group_ids"):
        manager.update(["a", "b"], group_ids=["g"])
    assert manager.list_keys() == []


def test_many_keys_at_once(manager: GenomeRecordManager) -> None:
    keys = [f"key {number}" for number in range(2500)]
    manager.update(keys)
    manager.update([])
    assert all(manager.exists(keys))
    manager.delete_keys(keys[:2000])
    assert sum(manager.exists(keys)) == 500


def test_many_writers_at_once(memory: Memory) -> None:
    keys = [f"key {number}" for number in range(40)]

    def write(order: int) -> None:
        GenomeRecordManager("docs", memory).update(keys[::order])

    threads = [threading.Thread(target=write, args=(order,)) for order in (1, -1) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(GenomeRecordManager("docs", memory).list_keys()) == sorted(keys)


async def test_the_async_twins_of_the_manager(manager: GenomeRecordManager) -> None:
    await manager.acreate_schema()
    start = await manager.aget_time()
    await asyncio.gather(*(manager.aupdate([key], group_ids=["g"], time_at_least=start) for key in "ab"))
    assert await manager.aexists(["a", "c"]) == [True, False]
    assert sorted(await manager.alist_keys(after=start - 1, group_ids=["g"])) == ["a", "b"]
    await manager.adelete_keys(["a"])
    assert await manager.alist_keys() == ["b"]


def test_more_groups_than_a_statement_takes_parameters(manager: GenomeRecordManager) -> None:
    manager.create_schema()
    manager.update(["a", "b"], group_ids=["0", "other"])
    assert manager.list_keys(group_ids=[str(number) for number in range(70_000)]) == ["a"]
