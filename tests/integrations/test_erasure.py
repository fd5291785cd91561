"""What every adapter keeps of a user goes with the user, from the tables and from the file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from genome_langchain import GenomeByteStore, GenomeRecordManager, GenomeVectorStore
from genome_langgraph import GenomeSaver, GenomeStore
from genome_llama_index import GenomeDocumentStore, GenomeKVStore
from genome_llama_index import GenomeVectorStore as LlamaIndexVectorStore
from langchain_core.documents import Document
from langgraph.checkpoint.base import empty_checkpoint
from llama_index.core.schema import TextNode

from genome_core import Memory
from genome_core.errors import Held
from genome_core.testing.embedders import FakeEmbedder
from tests.audit.traces import traces
from tests.conftest import FakeClock
from tests.integrations.adapter_contract import CONVERSATION, Turn
from tests.integrations.drivers import DRIVERS

SECRET = "Xyzzyplugh"


@pytest.fixture
def memory(store_url: str, embedder: FakeEmbedder, clock: FakeClock) -> Iterator[Memory]:
    """On a database of its own: the tables of all adapters are made as they are used."""
    with Memory(store_url, embedder=embedder, clock=clock) as memory:
        yield memory


@pytest.mark.parametrize("framework", sorted(DRIVERS))
def test_what_an_adapter_keeps_of_a_user_goes_with_the_user(framework: str, memory: Memory) -> None:
    gone, stays = (DRIVERS[framework](memory, user) for user in (SECRET, "bob"))
    for driver, word in ((gone, SECRET), (stays, "Rosalind")):
        driver.keep([*CONVERSATION, Turn("user", f"Call me {word}.")])
        driver.tell(f"My name is {word} and the key is under the mat.")
    assert traces(memory, SECRET)
    memory.erase(reason="asked", user_id=SECRET)
    assert traces(memory, SECRET) == []
    assert memory.verify()
    assert "Call me Rosalind." in [turn.text for turn in stays.kept()]
    assert any("Rosalind" in text for text in stays.recall("Where is the key?"))


def test_reset_empties_the_tables_of_every_adapter(memory: Memory) -> None:
    """K03-07"""
    for make in DRIVERS.values():
        make(memory, "ann").keep(CONVERSATION)
    manager = GenomeRecordManager("documents", memory)
    manager.create_schema()
    manager.update(["a"])
    memory.reset()
    assert manager.exists(["a"]) == [False]
    with memory.database.read() as connection:
        rows = {
            table: connection.scalar(sa.text(f'SELECT count(*) FROM "{table}"'))
            for table in sa.inspect(connection).get_table_names()
        }
    assert {table for table, count in rows.items() if count} == {"genome_schema"}
    assert all(make(memory, "ann").kept() == [] for make in DRIVERS.values())


def _save(saver: GenomeSaver, thread: str, words: str, **configurable: Any) -> None:
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"words": words}
    checkpoint["channel_versions"] = {"words": "1"}
    config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": "", **configurable}}
    saver.put(config, checkpoint, {"source": "loop", "step": 0, "parents": {}}, {"words": "1"})


def _threads(saver: GenomeSaver) -> set[str]:
    return {found.config["configurable"]["thread_id"] for found in saver.list(None)}


def test_a_thread_belongs_to_the_users_whose_runs_saved_into_it(memory: Memory) -> None:
    saver = GenomeSaver(memory)
    _save(saver, "of ann", SECRET, user_id="ann")
    _save(saver, "of both", "hello", user_id="bob")
    _save(saver, "of both", SECRET, user_id="ann")
    _save(saver, "of both", "and again", user_id="bob")
    _save(saver, "of bob", "hello", user_id="bob")
    _save(saver, "of nobody", "hello")
    _save(saver, "ann", "hello", user_id="an")
    receipt = memory.erase(reason="asked", user_id="ann")
    assert receipt.counts["langgraph_saver"] == 2
    assert _threads(saver) == {"of bob", "of nobody", "ann"}
    assert traces(memory, SECRET) == []
    assert memory.erase(reason="asked", run_id="of nobody").counts["langgraph_saver"] == 1
    assert memory.erase(reason="asked", user_id="bob", run_id="of bob").counts["langgraph_saver"] == 1
    assert _threads(saver) == {"ann"}
    assert memory.erase(reason="asked", user_id="ann").id == receipt.id


def test_metadata_does_not_make_a_thread_somebodys(memory: Memory) -> None:
    saver = GenomeSaver(memory)
    checkpoint = empty_checkpoint()
    config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}, "metadata": {"user_id": "ann"}}
    saver.put(config, checkpoint, {"source": "loop", "step": 0, "parents": {}}, {})
    memory.erase(reason="asked", user_id="ann")
    assert _threads(saver) == {"t"}


def test_a_copied_thread_belongs_to_the_same_user(memory: Memory) -> None:
    saver = GenomeSaver(memory)
    _save(saver, "t1", SECRET, user_id="ann")
    saver.copy_thread("t1", "t2")
    assert memory.erase(reason="asked", user_id="ann", run_id="t2").counts["langgraph_saver"] == 1
    assert memory.erase(reason="asked", user_id="ann").counts["langgraph_saver"] == 1
    assert traces(memory, SECRET) == []


def test_a_hold_keeps_threads_too(memory: Memory) -> None:
    saver = GenomeSaver(memory, ttl=timedelta(seconds=0))
    _save(saver, "t", SECRET, user_id="ann")
    hold = memory.hold("case 7", user_id="ann")
    for attempt in (
        lambda: memory.erase(reason="asked", user_id="ann"),
        lambda: memory.erase(reason="asked", run_id="t"),
        lambda: saver.delete_thread("t"),
        lambda: saver.prune(["t"], strategy="delete"),
        lambda: saver.prune(["t"]),
    ):
        with pytest.raises(Held, match="case 7"):
            attempt()
    assert saver.sweep_ttl() == 0
    assert _threads(saver) == {"t"}
    memory.release(hold)
    assert saver.sweep_ttl() == 1


def test_threads_of_the_first_schema_get_their_owners_from_their_metadata(memory: Memory) -> None:
    saver = GenomeSaver(memory)
    _save(saver, "t", SECRET, user_id="ann")
    _save(saver, "other", "hello", user_id="bob")

    def downgrade(connection: sa.Connection) -> None:
        for table, column in (
            ("threads", "owners"),
            ("checkpoints", "places"),
            ("checkpoints", "held"),
            ("checkpoints", "saved_at"),
        ):
            connection.exec_driver_sql(f"ALTER TABLE langgraph_{table} DROP COLUMN {column}")
        connection.exec_driver_sql("UPDATE genome_schema SET version = 1 WHERE component = 'langgraph_saver'")

    memory.database.write(downgrade)
    assert memory.erase(reason="asked", user_id="ann").counts["langgraph_saver"] == 1
    assert _threads(GenomeSaver(memory)) == {"other"}


def test_a_store_of_langgraph_goes_by_its_namespace(memory: Memory) -> None:
    store = GenomeStore(memory, index={"fields": ["note"]}, facts=["note"])
    store.put(("memories", SECRET), SECRET, {"note": f"I am {SECRET}, I live in Leeds."})
    store.put(("memories", "bob"), "k", {"note": "I live in Rome."})
    memory.erase(reason="asked", namespace=("memories", SECRET))
    assert traces(memory, SECRET) == []
    assert store.get(("memories", "bob"), "k")


def test_documents_go_by_their_ids(memory: Memory) -> None:
    documents = GenomeVectorStore(memory, namespace=("documents",))
    documents.add_documents([Document(f"About {SECRET}", id=SECRET), Document("About Bob", id="b")])
    nodes = LlamaIndexVectorStore(memory, namespace=("nodes",))
    embedding = memory.embedder.embed([SECRET])[0].tolist()
    nodes.add([TextNode(text=f"About {SECRET}", id_=SECRET, embedding=embedding)])
    memory.erase([SECRET], reason="asked", namespace=("documents",))
    memory.erase([SECRET], reason="asked", namespace=("nodes",))
    assert traces(memory, SECRET) == []
    assert [found.id for found in documents.similarity_search("About", k=5)] == ["b"]


def test_stores_of_values_go_by_their_name(memory: Memory) -> None:
    for name in (f"user:{SECRET}", "user:bob"):
        GenomeByteStore(memory, name).mset([("k", SECRET.encode())])
        GenomeRecordManager(name, memory).update([SECRET])
        GenomeKVStore(memory, name).put("k", {"who": SECRET})
        GenomeDocumentStore(memory, name).add_documents([TextNode(text=SECRET, id_="d")])
    receipt = memory.erase(reason="asked", user_id=SECRET)
    assert receipt.counts["langchain"] == 2
    assert receipt.counts["llama_index"] >= 2
    assert GenomeByteStore(memory, f"user:{SECRET}").mget(["k"]) == [None]
    assert GenomeByteStore(memory, "user:bob").mget(["k"]) == [SECRET.encode()]
    assert GenomeKVStore(memory, "user:bob").get("k")
    memory.erase(["k"], reason="asked", user_id="bob")
    assert GenomeByteStore(memory, "user:bob").mget(["k"]) == [None]
    assert GenomeKVStore(memory, "user:bob").get("k") is None
    assert GenomeRecordManager("user:bob", memory).exists([SECRET]) == [True]
    memory.erase(reason="asked", user_id="bob")
    assert traces(memory, SECRET) == []
