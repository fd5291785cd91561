"""Taking over what Mem0 2.2 and genome-memory 1.2 stored, from sources in exactly their form."""

from __future__ import annotations

import json
import sqlite3
import warnings
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from genome_core import Memory, Trust
from genome_core.errors import InvalidInput, InvalidScope, NotADatabase, NotFound
from genome_core.importing import Imported, import_genome_memory, import_mem0
from genome_core.testing.embedders import FakeEmbedder
from tests.conftest import FakeClock

MARCH_2023, JANUARY_2024 = 1677628800.0, 1704067200.0
TOLD = datetime(2024, 2, 1, 12, tzinfo=UTC)


@pytest.fixture
def memory(store_url: str, clock: FakeClock) -> Iterator[Memory]:
    with Memory(store_url, embedder=FakeEmbedder(), clock=clock) as memory:
        yield memory


# --- genome-memory ---------------------------------------------------------------------------------------------------

FACT = {"entity_id": "e1", "fact_type": "location", "confidence": 0.9, "source_memory_id": "m2"}


PARENTS = {"s1": '["m1"]', "s2": '["m2", "s1"]'}


def genome_memory_file(path: Path, *more: tuple[Any, ...]) -> Path:
    """A file as genome-memory writes it; ``more`` are further memories."""
    with sqlite3.connect(path) as source:
        source.executescript(
            "CREATE TABLE memories (id TEXT PRIMARY KEY, content TEXT NOT NULL, embedding BLOB NOT NULL,"
            " embedding_dim INTEGER NOT NULL, user_id TEXT, agent_id TEXT, created_at REAL NOT NULL,"
            " accessed_at REAL NOT NULL, access_count INTEGER NOT NULL DEFAULT 0, parents TEXT NOT NULL DEFAULT '[]',"
            " operator TEXT, metadata TEXT NOT NULL DEFAULT '{}');"
            "CREATE TABLE edges (id TEXT PRIMARY KEY, from_id TEXT, to_id TEXT, relation TEXT);"
            "INSERT INTO edges VALUES ('x', 'm1', 'm2', 'before');"
        )
        boston = FACT | {"value": "Boston", "valid_from": MARCH_2023, "valid_until": JANUARY_2024}
        seattle = FACT | {"value": "Seattle", "valid_from": JANUARY_2024, "valid_until": None, "believed_by": "helper"}
        loose = FACT | {
            "value": "tea",
            "fact_type": "favorite_drink",
            "valid_from": MARCH_2023,
            "source_memory_id": None,
        }
        for row in (
            (
                "m1",
                "I play the cello.",
                "priya",
                "helper",
                None,
                {"_provenance": {"source": "web", "trust": 0}, "n": 1},
            ),
            ("m2", "Priya is in Seattle these days.", "priya", None, None, {}),
            ("s1", "cello and Seattle", "priya", None, "uniform_crossover", {}),
            ("e1", "Priya", "priya", None, "entity", {"entity_name": "Priya"}),
            ("f1", "location: Seattle", "priya", None, "entity_fact", seattle),
            ("f2", "location: Boston", "priya", None, "entity_fact", boston),
            ("f3", "favorite_drink: tea", "priya", None, "entity_fact", loose),
            *more,
        ):
            id, content, user, agent, operator, metadata = row
            seconds = TOLD.timestamp()
            source.execute(
                "INSERT INTO memories VALUES (?, ?, x'00', 1, ?, ?, ?, ?, 0, ?, ?, ?)",
                (id, content, user, agent, seconds, seconds, PARENTS.get(id, "[]"), operator, json.dumps(metadata)),
            )
    source.close()
    return path


def test_memories_of_genome_memory_keep_ids_scopes_times_and_origin(memory: Memory, tmp_path: Path) -> None:
    file = genome_memory_file(tmp_path / "old.db")
    done = import_genome_memory(file, memory)
    assert done == Imported(3, 3, {"edges": 1, "entities": 1})
    assert memory.get("m1", user_id="priya") is None, "what the web said stays in quarantine"
    kept = memory.get("m1", user_id="priya", min_trust=Trust.UNTRUSTED)
    assert kept is not None
    assert (kept.text, kept.namespace, kept.origin) == ("I play the cello.", ("user:priya", "agent:helper"), "web")
    assert (kept.at, kept.created_at, kept.metadata) == (TOLD, TOLD, {"n": 1})
    assert memory.get("s1", user_id="priya") is None, "and so does what was made of it"
    synthesised = memory.get("s1", user_id="priya", min_trust=Trust.UNTRUSTED)
    assert synthesised is not None
    assert (synthesised.role, synthesised.origin) == ("document", "web")
    assert synthesised.metadata == {"operator": "uniform_crossover", "parents": ["m1"]}


def test_facts_of_genome_memory_keep_their_windows_believers_and_sources(memory: Memory, tmp_path: Path) -> None:
    import_genome_memory(genome_memory_file(tmp_path / "old.db"), memory)
    windows = {
        window.value: window
        for believer in ("", "helper")
        for window in memory.timeline(subject="Priya", user_id="priya", believer=believer)
    }
    boston, seattle = windows["Boston"], windows["Seattle"]
    assert boston.facts[0].attribute == "home"
    assert boston.begins.timestamp() == MARCH_2023
    assert boston.end is not None
    assert boston.end.start.timestamp() == JANUARY_2024
    assert (boston.facts[0].recorded_at, boston.facts[0].certainty, boston.facts[0].source) == (TOLD, 0.9, "m2")
    assert seattle.begins.timestamp() == JANUARY_2024
    assert windows["tea"].facts[0].source is None
    assert memory.ask("Where did Priya live in June 2023?", user_id="priya").value == "Boston"
    assert memory.delete("m2", user_id="priya")
    assert "Boston" not in [window.value for window in memory.timeline(user_id="priya")]


def test_facts_of_genome_memory_are_trusted_as_their_sources_are(memory: Memory, tmp_path: Path) -> None:
    employer = FACT | {"fact_type": "employer", "value": "Evil Corp", "valid_from": MARCH_2023}
    file = genome_memory_file(
        tmp_path / "old.db",
        ("s2", "made of s1", "priya", None, "uniform_crossover", {}),
        ("f4", "employer", "priya", None, "entity_fact", employer | {"source_memory_id": "m1"}),
        ("f5", "employer", "priya", None, "entity_fact", employer | {"source_memory_id": "s2"}),
    )
    import_genome_memory(file, memory)
    assert memory.facts(attribute="employer", user_id="priya") == []
    assert memory.ask("Where does Priya work?", user_id="priya").value is None
    [window] = memory.facts(attribute="employer", user_id="priya", min_trust=Trust.UNTRUSTED)
    assert [(fact.origin, fact.source) for fact in window.facts] == [("web", "m1"), ("web", "s2")]


def test_facts_are_read_in_imported_texts_as_known_when_they_were_stored(memory: Memory, tmp_path: Path) -> None:
    file = genome_memory_file(tmp_path / "old.db", ("m3", "I live in Leeds.", "bob", None, None, {}))
    import_genome_memory(file, memory)
    [window] = memory.facts(user_id="bob")
    assert (window.value, window.facts[0].recorded_at) == ("Leeds", TOLD)
    assert memory.ask("Where do I live?", user_id="bob", known_at=TOLD).value == "Leeds"


def test_importing_again_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    file = genome_memory_file(tmp_path / "old.db")
    import_genome_memory(file, memory)
    before = memory.stats()
    assert import_genome_memory(file, memory).records == 3
    assert memory.stats() == before
    memory.verify()


def test_memories_of_nobody_need_an_owner(memory: Memory, tmp_path: Path) -> None:
    file = genome_memory_file(tmp_path / "old.db", ("m4", "It rains.", None, None, None, {}))
    with pytest.raises(InvalidScope, match="m4"):
        import_genome_memory(file, memory)
    assert memory.count(namespace=()) == 0
    import_genome_memory(file, memory, user_id="stray")
    assert [record.id for record in memory.get_all(user_id="stray")] == ["m4"]


@pytest.mark.parametrize(
    "broken",
    [
        ("b", "x", "priya", None, "entity_fact", FACT | {"value": "x", "valid_from": 1.0, "entity_id": "gone"}),
        ("b", "x", "priya", None, "entity_fact", FACT | {"value": "x", "valid_from": 1e40}),
        ("b", "x", "priya", None, "entity_fact", FACT | {"value": None, "valid_from": 1.0}),
        ("b", "x\x00", "priya", None, None, {}),
    ],
    ids=["no entity", "no time", "no value", "NUL"],
)
def test_what_can_not_be_read_stops_the_import_before_anything_is_written(
    memory: Memory, tmp_path: Path, broken: tuple[Any, ...]
) -> None:
    with pytest.raises(InvalidInput):
        import_genome_memory(genome_memory_file(tmp_path / "old.db", broken), memory)
    assert memory.count(namespace=()) == 0


def test_a_file_of_another_kind_is_refused(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database at all, whatever its name says" * 30)
    sqlite3.connect(tmp_path / "empty.db").close()
    with pytest.raises(NotFound):
        import_genome_memory(tmp_path / "missing.db", memory)
    with pytest.raises(NotADatabase):
        import_genome_memory(tmp_path / "text.db", memory)
    with pytest.raises(InvalidInput):
        import_genome_memory(tmp_path / "empty.db", memory)


# --- Mem0 ------------------------------------------------------------------------------------------------------------

CREATED, UPDATED = "2024-02-01T12:00:00+00:00", "2024-03-01T12:00:00+00:00"
PAYLOADS: Mapping[str, dict[str, Any]] = {
    "0b050894-261f-456d-b97b-7bb69f3eef74": {
        "data": "I live in Boston.",
        "user_id": "ann",
        "role": "user",
        "topic": "home",
        "stars": 3,
    },
    "2fe40db1-af8f-4e8c-bfb5-d8fd965578ec": {
        "data": "Nice city.",
        "user_id": "ann",
        "agent_id": "helper",
        "run_id": "r1",
        "role": "assistant",
        "actor_id": "Max",
    },
    "8d6d7ff5-ae11-48bc-9db2-a37c902a6245": {
        "data": "The code is 7.",
        "user_id": "bob",
        "expiration_date": "2024-06-01",
    },
    "bd7ad66d-6dce-463e-a7ef-a212f9305f61": {
        "data": "The code is 8.",
        "user_id": "bob",
        "expiration_date": "2025-01-01",
    },
}
for _payload in PAYLOADS.values():
    _payload |= {"hash": "0", "created_at": CREATED, "updated_at": UPDATED, "text_lemmatized": "x"}


def as_json(folder: Path) -> Path:
    promoted = ("user_id", "agent_id", "run_id", "actor_id", "role", "expiration_date", "created_at", "updated_at")
    results = [
        {
            "id": id,
            "memory": payload["data"],
            **{name: payload[name] for name in promoted if name in payload},
            "metadata": {name: payload[name] for name in ("topic", "stars") if name in payload} or None,
        }
        for id, payload in PAYLOADS.items()
    ]
    (folder / "all.json").write_text(json.dumps({"results": results}))
    return folder / "all.json"


def as_faiss(folder: Path) -> Path:
    docstore = {"docstore": PAYLOADS, "index_to_id": {str(place): id for place, id in enumerate(PAYLOADS)}}
    (folder / "mem0.json").write_text(json.dumps(docstore))
    return folder


def as_chroma(folder: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import chromadb
        from chromadb.config import Settings

        client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        for name in ("mem0", "other"):
            payloads: Mapping[str, Any] = PAYLOADS if name == "mem0" else {"elsewhere": {"data": "x"}}
            vectors: Any = [[1.0, 0.0]] * len(payloads)
            client.create_collection(name).add(list(payloads), embeddings=vectors, metadatas=list(payloads.values()))
    return folder


def as_qdrant(folder: Path) -> Path:
    from qdrant_client import QdrantClient
    from qdrant_client.models import Distance, PointStruct, VectorParams

    client = QdrantClient(path=str(folder))
    client.create_collection("mem0", vectors_config=VectorParams(size=2, distance=Distance.COSINE))
    client.upsert("mem0", [PointStruct(id=id, vector=[1.0, 0.0], payload=payload) for id, payload in PAYLOADS.items()])
    client.close()
    return folder


FORMS = {"json": as_json, "faiss": as_faiss, "chroma": as_chroma, "qdrant": as_qdrant}


@pytest.mark.parametrize("form", FORMS)
def test_memories_of_mem0_keep_ids_scopes_times_roles_and_metadata(form: str, tmp_path: Path, clock: FakeClock) -> None:
    with Memory(":memory:", embedder=FakeEmbedder(), clock=clock) as memory:
        assert import_mem0(FORMS[form](tmp_path), memory) == Imported(3, left_out={"expired": 1})
        said, answered = memory.get_all(user_id="ann")
        assert (said.text, said.namespace, said.metadata) == (
            "I live in Boston.",
            ("user:ann",),
            {"topic": "home", "stars": 3},
        )
        assert (said.at, said.created_at, said.updated_at) == (TOLD, TOLD, datetime(2024, 3, 1, 12, tzinfo=UTC))
        assert answered.namespace == ("user:ann", "agent:helper", "run:r1")
        assert (answered.role, answered.name, answered.origin) == ("assistant", "Max", "agent")
        assert {said.id, answered.id} < PAYLOADS.keys()
        [code] = memory.get_all(user_id="bob")
        assert (code.text, code.expires_at) == ("The code is 8.", datetime(2025, 1, 2, tzinfo=UTC))
        assert memory.ask("Where do I live?", user_id="ann").value == "Boston"
        before = memory.stats()
        import_mem0(tmp_path / "all.json" if form == "json" else tmp_path, memory)
        assert memory.stats() == before


def test_a_list_of_memories_of_mem0s_platform_is_taken_too(memory: Memory, tmp_path: Path) -> None:
    one = {"id": "p1", "memory": "Likes figs.", "created_at": "2024-02-01T04:00:00-08:00", "updated_at": None}
    (tmp_path / "all.json").write_text(json.dumps([one]))
    with pytest.raises(InvalidScope, match="p1"):
        import_mem0(tmp_path / "all.json", memory)
    assert import_mem0(tmp_path / "all.json", memory, user_id="ann").records == 1
    assert [record.at for record in memory.get_all(user_id="ann")] == [TOLD]


@pytest.mark.parametrize(
    "body",
    ["{", "7", '{"results": [{"id": "x"}]}', '[{"id": "x", "memory": "x", "user_id": "a", "created_at": "May"}]'],
)
def test_json_that_is_no_answer_of_mem0_is_refused(memory: Memory, tmp_path: Path, body: str) -> None:
    (tmp_path / "all.json").write_text(body)
    with pytest.raises(InvalidInput):
        import_mem0(tmp_path / "all.json", memory)
    assert memory.count(namespace=()) == 0


def test_a_folder_without_the_collection_is_refused(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="mem0"):
        import_mem0(tmp_path, memory)
    with pytest.raises(InvalidInput, match="mine"):
        import_mem0(as_faiss(tmp_path), memory, collection="mine")
    with pytest.raises(NotFound):
        import_mem0(tmp_path / "missing", memory)
