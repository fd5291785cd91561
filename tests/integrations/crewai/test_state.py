"""The state of flows, knowledge, and what is taken over from LanceDB."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from crewai.flow.async_feedback.types import PendingFeedbackContext
from crewai.flow.flow import Flow, FlowState, listen, start
from crewai.flow.persistence import persist
from crewai.knowledge.knowledge import Knowledge
from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource
from crewai.memory.types import MemoryRecord
from genome_crewai import GenomeFlowPersistence, GenomeKnowledgeStorage, GenomeMemory, GenomeStorage, import_lancedb
from pydantic import BaseModel

from genome_core import Memory
from genome_core.errors import InvalidInput
from genome_core.testing.embedders import FakeEmbedder

# --- flows -----------------------------------------------------------------------------------------------------------


class Address(BaseModel):
    city: str
    since: datetime


def test_the_newest_state_is_loaded_and_the_older_ones_stay_in_history(engine: Memory) -> None:
    flows = GenomeFlowPersistence(engine)
    assert flows.load_state("one") is None
    flows.save_state("one", "learn", {"step": 1})
    flows.save_state("one", "tell", {"step": 2, "home": Address(city="Oslo", since=datetime(2024, 3, 1))})
    flows.save_state("two", "learn", Address(city="Rome", since=datetime(2024, 3, 1)))
    assert flows.load_state("one") == {"step": 2, "home": {"city": "Oslo", "since": "2024-03-01T00:00:00"}}
    assert flows.load_state("two") == {"city": "Rome", "since": "2024-03-01T00:00:00"}
    assert len(engine.history("state", namespace=("crewai-flows", "one"))) == 2
    assert engine.search("Oslo", namespace=("crewai-flows",)) == []


def test_a_paused_flow_is_found_until_it_goes_on(engine: Memory) -> None:
    flows = GenomeFlowPersistence(engine)
    context = PendingFeedbackContext(
        flow_id="one", flow_class="Tea", method_name="ask", method_output="tea?", message="Which tea?"
    )
    flows.save_pending_feedback("one", context, {"step": 1})
    assert flows.load_state("one") == {"step": 1}
    loaded = flows.load_pending_feedback("one")
    assert loaded is not None
    assert loaded[0] == {"step": 1}
    assert loaded[1].to_dict() == context.to_dict()
    flows.clear_pending_feedback("one")
    assert flows.load_pending_feedback("one") is None


def test_a_state_that_json_can_not_express_is_refused(engine: Memory) -> None:
    flows = GenomeFlowPersistence(engine)
    for state in ({"lock": object()}, {"number": float("nan")}):
        with pytest.raises(InvalidInput):
            flows.save_state("one", "learn", state)
    assert flows.load_state("one") is None


def test_a_flow_goes_on_from_its_state(engine: Memory) -> None:
    class Counting(FlowState):
        count: int = 0

    @persist(GenomeFlowPersistence(engine))
    class Counter(Flow[Counting]):
        @start()
        def one(self) -> None:
            self.state.count += 1

        @listen(one)
        def two(self) -> None:
            self.state.count += 1

    first = Counter()
    first.kickoff()
    again = Counter()
    again.kickoff(inputs={"id": first.state.id})
    assert again.state.count == 4


# --- knowledge -------------------------------------------------------------------------------------------------------


def test_knowledge_is_found_by_meaning(engine: Memory) -> None:
    storage = GenomeKnowledgeStorage(engine)
    sources: list[Any] = [StringKnowledgeSource(content="Ann drinks green tea"), StringKnowledgeSource(content="x y z")]
    knowledge = Knowledge(collection_name="tea", sources=sources, storage=storage)
    knowledge.add_sources()
    [found] = knowledge.query(["Ann drinks", "green tea"], score_threshold=0.9)
    assert found["content"] == "Ann drinks green tea"
    assert found["score"] == pytest.approx(1.0, abs=1e-5)
    assert len(knowledge.query(["tea"], score_threshold=0.0)) == 2
    assert knowledge.query(["tea"], score_threshold=0.0, results_limit=1)
    storage.reset()
    assert knowledge.query(["tea"], score_threshold=0.0) == []


@pytest.mark.parametrize("query", [[], [""], ["  "]])
def test_a_blank_query_finds_no_knowledge_above_a_threshold(engine: Memory, query: list[str]) -> None:
    """K10-10."""
    knowledge = GenomeKnowledgeStorage(engine)
    knowledge.save(["tea", "coffee"])
    assert knowledge.search(query) == []


def test_a_users_knowledge_is_the_documents_alone(engine: Memory) -> None:
    knowledge = GenomeKnowledgeStorage(engine, user_id="ann")
    knowledge.save(["Green tea is not fermented."])
    engine.add("I drink green tea.", user_id="ann")
    GenomeMemory(engine, user_id="ann", root_scope="/crew").remember("Ann drinks green tea.")
    found = knowledge.search(["green tea"], score_threshold=0.0)
    assert [one["content"] for one in found] == ["Green tea is not fermented."]
    assert knowledge.search(["green tea"], metadata_filter={"page": 1}, score_threshold=0.0) == []
    knowledge.reset()
    assert {record.text for record in engine.get_all(user_id="ann")} == {"I drink green tea.", "Ann drinks green tea."}


async def test_knowledge_may_be_used_from_a_loop(engine: Memory) -> None:
    storage = GenomeKnowledgeStorage(engine)
    await storage.asave(["Ann drinks green tea", "Ann drinks green tea"])
    assert len(await storage.asearch(["tea"], score_threshold=0.0)) == 1
    await storage.areset()
    assert await storage.asearch(["tea"], score_threshold=0.0) == []


# --- LanceDB ---------------------------------------------------------------------------------------------------------


SAVED_AT = datetime(2024, 4, 1, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.fixture
def lancedb_folder(tmp_path: Path) -> Path:
    """What CrewAI's own storage left behind: three records in two scopes."""
    from crewai.memory.storage.lancedb_storage import LanceDBStorage

    rows = [
        MemoryRecord(
            content=text,
            scope=scope,
            categories=["taste"],
            metadata={"ticket": 7},
            importance=0.25,
            created_at=SAVED_AT.replace(tzinfo=None),
            source="ann",
            embedding=FakeEmbedder().embed([text])[0].tolist(),
        )
        for text, scope in [("Ann lives in Oslo", "/crew/a"), ("Ann likes tea", "/crew/a"), ("Bob likes coffee", "/")]
    ]
    LanceDBStorage(path=tmp_path / "memory", compact_every=0).save(rows)
    return tmp_path / "memory"


def test_a_lancedb_folder_is_taken_over_whole(lancedb_folder: Path) -> None:
    with Memory(":memory:", embedder=FakeEmbedder()) as engine:
        memory = GenomeMemory(engine)
        assert import_lancedb(lancedb_folder, memory) == 3
        assert import_lancedb(lancedb_folder, memory) == 3
        assert memory.info("/").record_count == 3
        [match] = memory.recall("tea", limit=1)
        record = match.record
        assert (record.content, record.scope, record.categories) == ("Ann likes tea", "/crew/a", ["taste"])
        assert (record.metadata, record.importance, record.source) == ({"ticket": 7}, 0.25, "ann")
        assert record.created_at == SAVED_AT.replace(tzinfo=None)
        stored = engine.get(record.id, namespace=memory.namespace)
        assert stored is not None
        assert stored.created_at == stored.at == SAVED_AT
        assert stored.origin == "agent", "as of all that CrewAI saves"
        assert memory.ask("Where does Ann live?").value == "Oslo"
        assert memory.ask("Where does Ann live?", known_at=SAVED_AT).value == "Oslo", "CrewAI knew it then"


@pytest.mark.parametrize("make", [GenomeMemory, GenomeStorage])
def test_a_record_that_can_not_be_read_stops_the_import_before_anything_is_written(
    lancedb_folder: Path, make: type[GenomeMemory | GenomeStorage]
) -> None:
    import lancedb

    rows = lancedb.connect(str(lancedb_folder)).open_table("memories")
    [bad] = rows.search().where("content = 'Bob likes coffee'").to_list()
    rows.update(where=f"id = '{bad['id']}'", values={"created_at": "last spring"})
    with Memory(":memory:", embedder=FakeEmbedder()) as engine:
        with pytest.raises(InvalidInput, match=bad["id"]):
            import_lancedb(lancedb_folder, make(engine))
        assert engine.count(namespace=()) == 0


@pytest.fixture
def own_vectors(tmp_path: Path) -> Iterator[GenomeStorage]:
    storage = GenomeStorage(tmp_path / "memory.db")
    yield storage
    storage.close()


def test_a_storage_keeps_the_vectors(lancedb_folder: Path, own_vectors: GenomeStorage) -> None:
    assert import_lancedb(lancedb_folder, own_vectors) == 3
    [(one, score), *_] = own_vectors.search(FakeEmbedder().embed(["Bob likes coffee"])[0].tolist())
    assert one.content == "Bob likes coffee"
    assert score == pytest.approx(1.0, abs=1e-5)


def test_a_folder_without_memories_is_refused(tmp_path: Path, own_vectors: GenomeStorage) -> None:
    with pytest.raises(InvalidInput, match="LanceDB"):
        import_lancedb(tmp_path, own_vectors)
