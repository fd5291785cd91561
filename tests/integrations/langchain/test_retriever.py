"""``GenomeRetriever``: search arguments, as-of, reasons, chains, batches, async."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from genome_langchain import GenomeRetriever
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from genome_core import Memory, SearchWeights
from tests.integrations.langchain.scripted import scripted

THEN = datetime(2024, 6, 1, tzinfo=UTC)


@pytest.fixture
def homes(memory: Memory) -> Memory:
    memory.add("I live in Lisbon.", user_id="tom", id="1", at=datetime(2024, 3, 1, tzinfo=UTC), metadata={"n": 1})
    memory.add("I live in Oslo.", user_id="tom", run_id="r", id="2", at=datetime(2025, 3, 1, tzinfo=UTC))
    memory.add({"role": "user", "name": "Ann", "content": "I live in Rome.", "id": "3"}, user_id="ann")
    return memory


def ids(documents: list[Document]) -> set[str | None]:
    return {document.id for document in documents}


def test_a_document_tells_why_it_was_found(homes: Memory) -> None:
    [document] = GenomeRetriever(memory=homes, user_id="ann", k=1).invoke("Where does Ann live?")
    why = document.metadata["genome"]
    assert document.page_content == "I live in Rome."
    assert (why["namespace"], why["role"], why["speaker"], why["origin"]) == (["user:ann"], "user", "Ann", "user")
    assert datetime.fromisoformat(why["at"]).tzinfo is not None
    assert sum(signal["part"] for signal in why["signals"]) == pytest.approx(why["score"], abs=1e-5)
    assert {"dense", "lexical"} <= {signal["name"] for signal in why["signals"]}
    json.dumps(document.metadata)


def test_the_scope_is_that_of_the_memory(homes: Memory) -> None:
    question = "Where do I live?"
    assert ids(GenomeRetriever(memory=homes, user_id="tom").invoke(question)) == {"1", "2"}
    assert ids(GenomeRetriever(memory=homes, user_id="tom", run_id=["r", "s"]).invoke(question)) == {"2"}
    assert ids(GenomeRetriever(memory=homes, namespace=()).invoke(question)) == {"1", "2", "3"}
    with pytest.raises(ValueError, match="whose memory"):
        GenomeRetriever(memory=homes).invoke(question)


def test_as_of_a_time_nothing_said_later_is_found(homes: Memory) -> None:
    assert ids(GenomeRetriever(memory=homes, user_id="tom", at=THEN).invoke("home?")) == {"1"}
    retriever = GenomeRetriever(memory=homes, user_id="tom")
    assert ids(retriever.invoke("home?", at=THEN)) == {"1"}
    assert ids(retriever.invoke("home?", since=THEN)) == {"2"}
    assert ids(retriever.invoke("home?", until=THEN)) == {"1"}


def test_every_search_argument_may_be_given_to_one_call(homes: Memory) -> None:
    retriever = GenomeRetriever(memory=homes, user_id="tom")
    assert ids(retriever.invoke("I live", filter={"n": 1})) == {"1"}
    assert ids(retriever.invoke("I live", filter=lambda document: document.id == "2")) == {"2"}
    assert ids(retriever.invoke("Oslo", mode="lexical")) == {"2"}
    assert ids(retriever.invoke("I live in Oslo.", mode="dense", threshold=0.999)) == {"2"}
    assert ids(retriever.invoke("Oslo", weights=SearchWeights(dense=0), threshold=0.01)) == {"2"}
    assert ids(retriever.invoke("I live", user_id="ann")) == {"3"}
    assert len(retriever.invoke("I live", k=1)) == 1
    assert retriever.invoke("I live", k=0) == []


@pytest.mark.parametrize("wrong", [{"k": -1}, {"filter": {"n": {"$near": 1}}}, {"mode": "magic"}])
def test_wrong_arguments_are_refused(homes: Memory, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"limit|operator|mode"):
        GenomeRetriever(memory=homes, user_id="tom").invoke("x", **wrong)


def test_a_misspelt_argument_is_refused(homes: Memory) -> None:
    with pytest.raises(TypeError, match="treshold"):
        GenomeRetriever(memory=homes, user_id="tom").invoke("x", treshold=1)
    with pytest.raises(ValueError, match="treshold"):
        GenomeRetriever(memory=homes, user_id="tom", treshold=1)  # type: ignore[call-arg]


async def test_batches_and_async_calls_find_the_same(homes: Memory) -> None:
    retriever = GenomeRetriever(memory=homes, user_id="tom", k=1)
    questions = ["Lisbon?", "Oslo?"]
    expected = [retriever.invoke(question) for question in questions]
    assert [documents[0].id for documents in expected] == ["1", "2"]
    assert retriever.batch(questions) == expected
    assert await retriever.abatch(questions) == expected
    assert [await retriever.ainvoke(question) for question in questions] == expected
    assert ids(await retriever.ainvoke("I live", k=2, at=THEN)) == {"1"}
    assert [ids(found) for found in await retriever.abatch(questions, k=2)] == [{"1", "2"}, {"1", "2"}]


async def test_in_a_chain(homes: Memory) -> None:
    def as_text(documents: list[Document]) -> str:
        return "\n".join(document.page_content for document in documents)

    model = scripted("In Oslo.", "In Oslo.")
    prompt = ChatPromptTemplate.from_template("{context}\n{question}")
    retriever = GenomeRetriever(memory=homes, user_id="tom", k=1)
    chain = {"context": retriever | as_text, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()
    assert chain.invoke("Who lives in Oslo?") == "In Oslo."
    assert await chain.ainvoke("Who lives in Oslo?") == "In Oslo."
    assert model.asked[0][0].text == model.asked[1][0].text == "I live in Oslo.\nWho lives in Oslo?"


def test_a_retriever_does_not_show_its_memory(homes: Memory) -> None:
    assert "memory" not in repr(GenomeRetriever(memory=homes, user_id="tom"))
