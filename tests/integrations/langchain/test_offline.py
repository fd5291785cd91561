"""Without keys and without a network everything works, and nobody tries to reach one."""

from __future__ import annotations

import os
import socket
from typing import Any, NoReturn

import pytest
from genome_langchain import (
    GenomeByteStore,
    GenomeChatMessageHistory,
    GenomeMemory,
    GenomeMiddleware,
    GenomeRecordManager,
    GenomeRetriever,
    GenomeVectorStore,
)
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.indexing import index

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.integrations.langchain.scripted import endless


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The addresses that somebody tried to reach."""
    tried: list[Any] = []

    def refuse(_socket: socket.socket, address: Any) -> NoReturn:
        tried.append(address)
        raise OSError("no network here")

    for name in os.environ:
        if name.endswith(("_API_KEY", "_TOKEN")) or name.startswith(("LANGSMITH", "LANGCHAIN")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **_: refuse(None, address))  # type: ignore[arg-type]
    return tried


async def test_every_class_works_without_keys_and_network(no_network: list[Any]) -> None:
    with Memory(":memory:", embedder=FakeEmbedder()) as memory:
        agent: Any = create_agent(endless(), middleware=[GenomeMiddleware(memory, user_id="tom")])
        agent.invoke({"messages": "I like figs."})
        await agent.ainvoke({"messages": "What do I like?"})
        assert len(GenomeRetriever(memory=memory, user_id="tom").invoke("figs")) == 4

        store = GenomeVectorStore(memory)
        manager = GenomeRecordManager("docs", memory)
        documents = [Document("figs", metadata={"source": "a"})]
        index(documents, manager, store, cleanup="full", source_id_key="source", key_encoder="sha256")
        assert len(store.similarity_search("figs")) == 1

        GenomeChatMessageHistory(memory, "s").add_user_message("hello")
        GenomeMemory(memory=memory, session_id="s").save_context({"input": "hi"}, {"output": "hello"})
        assert len(GenomeChatMessageHistory(memory, "s").messages) == 3
        GenomeByteStore(memory).mset([("k", b"v")])
        memory.reset()
        assert memory.count(namespace=()) == 0
    assert no_network == []
