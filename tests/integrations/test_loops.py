"""Adapters and event loops: nothing is done on a loop that could be done beside it, and no adapter belongs to one (K07)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import Any

import genome_langchain
import genome_llama_index
import pytest
from genome_langgraph import GenomeSaver, GenomeStore
from langchain_core.messages import HumanMessage
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery

from genome_core import Memory
from genome_core.protocols import Vectors
from genome_core.storage.database import Database
from genome_core.testing.embedders import FakeEmbedder
from tests.integrations.langgraph.saver_helpers import at, make_checkpoint
from tests.integrations.quiet_crewai import GenomeMemory as CrewMemory
from tests.integrations.quiet_crewai import GenomeStorage
from tests.integrations.test_copies import HOLDERS

from crewai.memory.types import MemoryRecord  # isort: skip  # after quiet_crewai
from genome_crewai import GenomeKnowledgeStorage  # isort: skip

VECTOR = FakeEmbedder().embed(["tea"])[0].tolist()


class Watched(FakeEmbedder):
    """Knows which threads it worked in."""

    def __init__(self, threads: set[threading.Thread]) -> None:
        super().__init__()
        self._threads = threads

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._threads.add(threading.current_thread())
        return super().embed(texts)


def watched(verb: Callable[..., Any], threads: set[threading.Thread]) -> Callable[..., Any]:
    """A way into the database that tells in which threads it was gone."""

    @wraps(verb)
    def entered(*given: Any, **named: Any) -> Any:
        threads.add(threading.current_thread())
        return verb(*given, **named)

    return entered


async def langgraph_store(store: GenomeStore, n: int) -> int:
    await store.aput(("n",), str(n), {"text": "tea"})
    assert await store.aget(("n",), str(n)) is not None
    assert await store.alist_namespaces() == [("n",)]
    return len(await store.asearch(("n",), query="tea"))


async def langgraph_saver(saver: GenomeSaver, n: int) -> int:
    stored = await saver.aput(at("loops"), make_checkpoint({"a": n}), {}, {"a": "1"})
    await saver.aput_writes(stored, [("a", n)], "task")
    assert await saver.aget_tuple(stored) is not None
    return len([found async for found in saver.alist(at("loops"))])


async def langchain_vector_store(store: genome_langchain.GenomeVectorStore, n: int) -> int:
    [id] = await store.aadd_texts(["tea"], [{"n": n}])
    assert await store.aget_by_ids([id])
    assert await store.amax_marginal_relevance_search("tea")
    return len(await store.asimilarity_search("tea"))


async def langchain_history(history: genome_langchain.GenomeChatMessageHistory, n: int) -> int:
    await history.aadd_messages([HumanMessage(f"tea {n}")])
    return len(await history.aget_messages())


async def langchain_classic_memory(memory: genome_langchain.GenomeMemory, n: int) -> int:
    await memory.asave_context({"input": f"tea {n}"}, {"output": "yes"})
    return str((await memory.aload_memory_variables({"input": "?"}))["history"]).count("Human: tea")


async def langchain_byte_store(store: genome_langchain.GenomeByteStore, n: int) -> int:
    await store.amset([(f"k{n}", b"tea")])
    return len([key async for key in store.ayield_keys()])


async def langchain_record_manager(manager: genome_langchain.GenomeRecordManager, n: int) -> int:
    await manager.aupdate([f"k{n}"])
    assert await manager.aexists([f"k{n}"]) == [True]
    return len(await manager.alist_keys())


async def llama_index_vector_store(store: genome_llama_index.GenomeVectorStore, n: int) -> int:
    await store.async_add([TextNode(id_=str(n), text="tea", embedding=VECTOR)])
    found = await store.aquery(VectorStoreQuery(query_embedding=VECTOR, similarity_top_k=9))
    assert len(await store.aget_nodes()) == len(found.ids or [])
    return len(found.ids or [])


async def llama_index_memory(memory: genome_llama_index.GenomeMemory, n: int) -> int:
    await memory.aput(ChatMessage(f"tea {n}"))
    assert await memory.aget("tea")
    return len(await memory.aget_all())


async def llama_index_block(block: genome_llama_index.GenomeMemoryBlock, n: int) -> int:
    await block.aput([ChatMessage(f"tea {n}")], session_id="s")
    return str(await block.aget([ChatMessage("tea")], session_id="s")).count('"tea')


async def llama_index_chat_store(store: genome_llama_index.GenomeChatStore, n: int) -> int:
    await store.add_message("s", ChatMessage(f"tea {n}"))
    return len(await store.get_messages("s"))


async def llama_index_key_value(store: genome_llama_index.GenomeKVStore, n: int) -> int:
    await store.aput(str(n), {"text": "tea"})
    return len(await store.aget_all())


async def crewai_memory(memory: CrewMemory, n: int) -> int:
    await memory.aremember(f"tea {n}")
    return len(await memory.arecall("tea"))


async def crewai_storage(storage: GenomeStorage, n: int) -> int:
    await storage.asave([MemoryRecord(content=f"tea {n}", embedding=VECTOR)])
    return len(await storage.asearch(VECTOR))


async def crewai_knowledge(knowledge: GenomeKnowledgeStorage, n: int) -> int:
    await knowledge.asave([f"tea {n}"])
    return len(await knowledge.asearch(["tea"], score_threshold=0.0))


USES: list[tuple[Callable[[Memory], Any], Callable[[Any, int], Awaitable[int]]]] = [
    (GenomeStore, langgraph_store),
    (GenomeSaver, langgraph_saver),
    (genome_langchain.GenomeVectorStore, langchain_vector_store),
    (lambda memory: genome_langchain.GenomeChatMessageHistory(memory, "s"), langchain_history),
    (lambda memory: genome_langchain.GenomeMemory(memory=memory, session_id="s"), langchain_classic_memory),
    (genome_langchain.GenomeByteStore, langchain_byte_store),
    (lambda memory: genome_langchain.GenomeRecordManager("n", memory), langchain_record_manager),
    (genome_llama_index.GenomeVectorStore, llama_index_vector_store),
    (lambda memory: genome_llama_index.GenomeMemory(memory, session_id="s"), llama_index_memory),
    (genome_llama_index.GenomeMemoryBlock, llama_index_block),
    (genome_llama_index.GenomeChatStore, llama_index_chat_store),
    (genome_llama_index.GenomeKVStore, llama_index_key_value),
    (CrewMemory, crewai_memory),
    (GenomeStorage, crewai_storage),
    (GenomeKnowledgeStorage, crewai_knowledge),
]


@pytest.mark.parametrize(("make", "use"), USES, ids=[use.__name__ for _, use in USES])
def test_one_object_serves_several_loops_and_works_beside_them(
    database: Database,
    make: Callable[[Memory], Any],
    use: Callable[[Any, int], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """K07-03, K07-06, K07-07: made outside any loop; no statement and no embedding runs in a thread of a loop."""
    busy: set[threading.Thread] = set()
    loops: set[threading.Thread] = set()
    counts: list[int] = []
    with Memory(database, embedder=Watched(busy), extractor=None) as memory:
        holder = make(memory)

        async def run(n: int) -> None:
            loops.add(threading.current_thread())
            counts.append(await use(holder, n))

        asyncio.run(run(0))  # makes the tables, if any are missing
        busy.clear()

        for verb in (Database.read, Database.write, Database.driver):
            monkeypatch.setattr(Database, verb.__name__, watched(verb, busy))
        for n in (1, 2):
            asyncio.run(run(n))
        other = threading.Thread(target=lambda: asyncio.run(run(3)))
        other.start()
        other.join()
        assert [count - counts[0] for count in counts] == [0, 1, 2, 3]
        assert busy
        assert busy & loops == set()


@pytest.mark.parametrize("holder", [name for name in HOLDERS if name != "llama_index chat store"])
async def test_sync_calls_work_inside_a_running_loop(memory: Memory, holder: str) -> None:
    """K07-01; LlamaIndex's chat store has no sync calls."""
    make, write, read = HOLDERS[holder]
    GenomeSaver(memory).delete_thread("t")
    one = make(memory)
    write(one)
    assert read(one) == ["tea"]
