"""Half an emoji and NUL in what a host hands over: no run ends by it and nothing is half-written (K12-04)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import genome_langchain
import genome_llama_index
import pytest
from genome_langgraph import GenomeStore
from llama_index.core.vector_stores.types import VectorStoreQuery

from genome_core import Memory, Record
from genome_core.storage.database import Database
from genome_core.testing.embedders import FakeEmbedder
from tests.conftest import FakeClock
from tests.integrations.drivers import DRIVERS
from tests.integrations.quiet_crewai import GenomeMemory as CrewMemory

from genome_crewai import GenomeKnowledgeStorage, fact_tools  # isort: skip  # after quiet_crewai

BROKEN = ["half \ud83d", "nul \x00"]

QUESTIONS: dict[str, Callable[[Memory, str], Any]] = {
    "langgraph search": lambda memory, text: GenomeStore(memory).search(("user:u",), query=text),
    "langgraph recall": lambda memory, text: GenomeStore(memory).recall(text, ("user:u",)),
    "langgraph ask": lambda memory, text: GenomeStore(memory).ask(text, ("user:u",)),
    "langchain retriever": lambda memory, text: genome_langchain.GenomeRetriever(memory=memory, user_id="u").invoke(
        text
    ),
    "langchain vector store": lambda memory, text: genome_langchain.GenomeVectorStore(
        memory, user_id="u"
    ).max_marginal_relevance_search(text),
    "langchain classic memory": lambda memory, text: genome_langchain.GenomeMemory(
        memory=memory, session_id="s", user_id="u"
    ).load_memory_variables({"input": text}),
    "llama_index retriever": lambda memory, text: genome_llama_index.GenomeRetriever(memory, user_id="u").retrieve(
        text
    ),
    "llama_index query": lambda memory, text: (
        genome_llama_index.GenomeVectorStore(memory, user_id="u")
        .query(VectorStoreQuery(query_str=text, similarity_top_k=1))
        .ids
    ),
    "llama_index memory": lambda memory, text: genome_llama_index.GenomeMemory(memory, session_id="s", user_id="u").get(
        text
    ),
    "llama_index tool": lambda memory, text: genome_llama_index.memory_tools(memory, user_id="u")[0].call(text),
    "crewai recall": lambda memory, text: CrewMemory(memory, user_id="u").recall(text),
    "crewai ask": lambda memory, text: CrewMemory(memory, user_id="u").ask(text),
    "crewai tool": lambda memory, text: fact_tools(CrewMemory(memory, user_id="u"))[0].run(question=text),
    "crewai knowledge": lambda memory, text: GenomeKnowledgeStorage(memory, user_id="u").search(
        [text], score_threshold=0.0
    ),
}


@pytest.mark.parametrize("text", BROKEN)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_of_broken_text_is_asked(memory: Memory, question: str, text: str) -> None:
    memory.add(["half of the nuts are for Ann", Record(text="nuts and halves", role="document")], user_id="u")
    assert QUESTIONS[question](memory, text)


@pytest.mark.parametrize("text", BROKEN)
@pytest.mark.parametrize("framework", sorted(DRIVERS))
def test_a_turn_of_broken_text_is_kept_or_refused_whole(
    database: Database, clock: FakeClock, framework: str, text: str
) -> None:
    with Memory(database, embedder=FakeEmbedder(), clock=clock) as memory:
        driver = DRIVERS[framework](memory, "ann")
        driver.tell("I like tea.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            if framework == "langgraph":  # the store keeps what it is given exactly, or not at all
                with pytest.raises(TypeError, match="clean_text"):
                    driver.tell(text)
            else:
                driver.tell(text)
        kept = sorted(
            record.text for record in memory.get_all(user_id="ann", filter=lambda record: record.role == "user")
        )
        refused = framework == "langgraph"
        assert [one for one in kept if one != "I like tea."] == ([] if refused else [f"{text[:-1]}\ufffd"])


@pytest.mark.parametrize("text", BROKEN)
def test_keys_that_no_database_keeps_are_refused(memory: Memory, text: str) -> None:
    manager = genome_langchain.GenomeRecordManager("bad text", memory)
    calls: list[Callable[[], Any]] = [
        lambda: genome_langchain.GenomeByteStore(memory).mset([("good", b"1"), (text, b"2")]),
        lambda: manager.update(["good", text]),
        lambda: genome_llama_index.GenomeKVStore(memory).put_all([("good", {}), (text, {})]),
        lambda: genome_llama_index.GenomeKVStore(memory).put("good", {}, collection=text),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="clean_text"):
            call()
    assert genome_langchain.GenomeByteStore(memory).mget(["good"]) == [None]
    assert manager.list_keys() == []
    assert genome_llama_index.GenomeKVStore(memory).get("good") is None
