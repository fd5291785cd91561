"""How long a memory keeps the event loop of LlamaIndex's agents waiting.

    python benchmarks/llama_index_loop_lag.py [--runs 40] [--at-once 8] [--turns 1000] [--fake]

Conversations run at once, each turn as an agent does it: ``aput`` of the question, ``aget``, ``aput`` of the answer, while a
heartbeat on the same loop is due every 2 ms. Side by side: no memory, ``GenomeMemory``, LlamaIndex's ``Memory`` with its own
store (in RAM) and with ``GenomeChatStore`` and ``GenomeMemoryBlock``, and ``GenomeMemory`` called on the loop itself. Prints for
each the time of a turn, and by how much heartbeats came late: median, 99th percentile and the longest. ``--fake`` embeds with
words' hashes in place of the default model.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable

from genome_llama_index import GenomeChatStore, GenomeMemory, GenomeMemoryBlock
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemory
from llama_index.core.memory import Memory as LlamaIndexMemory
from tables import Table

from genome_core import Memory
from genome_core.protocols import Embedder

BEAT = 0.002


class OnTheLoop(GenomeMemory):
    """As if its async methods were not there."""

    def __init__(self, memory: Memory, session_id: str, user_id: str) -> None:
        super().__init__(memory, session_id=session_id, user_id=user_id)

    async def aput(self, message: ChatMessage) -> None:
        self.put(message)

    async def aget(self, input: str | None = None, **kwargs: object) -> list[ChatMessage]:
        return self.get(input)


async def heartbeat(late: list[float]) -> None:
    while True:
        due = time.perf_counter() + BEAT
        await asyncio.sleep(BEAT)
        late.append(time.perf_counter() - due)


async def measure(table: Table, name: str, make: Callable[[str], BaseMemory | None], runs: int, at_once: int) -> None:
    slots = asyncio.Semaphore(at_once)

    async def turn(number: int) -> float:
        async with slots:
            start = time.perf_counter()
            memory = make(f"user {number % at_once}")
            if memory is not None:
                await memory.aput(ChatMessage(f"Shall I visit town number {number} with my sister next week?"))
                given = await memory.aget()
                await memory.aput(ChatMessage(f"I was given {len(given)} messages.", role=MessageRole.ASSISTANT))
            return time.perf_counter() - start

    await turn(0)  # what is loaded once
    late: list[float] = []
    pulse = asyncio.create_task(heartbeat(late))
    times = await asyncio.gather(*(turn(number) for number in range(1, runs + 1)))
    await asyncio.sleep(BEAT)
    pulse.cancel()
    late.sort()
    figures = statistics.median(times), late[len(late) // 2], late[int(len(late) * 0.99)], late[-1]
    table.row(name, *(1000 * seconds for seconds in figures))


def filled(embedder: Embedder, turns: int, users: int) -> Memory:
    memory = Memory(":memory:", embedder=embedder)
    for user in range(users):
        said = [f"On day {day} I met friend {day * 7 % 40} in town {day % 60} and we ate figs." for day in range(turns)]
        memory.add(said, user_id=f"user {user}", run_id="before")
        memory.search("friend", user_id=f"user {user}")
    return memory


def embedder(fake: bool) -> Embedder:
    if fake:
        from genome_core.testing.embedders import FakeEmbedder

        return FakeEmbedder()
    from genome_core.embedders import default_embedder

    return default_embedder()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--fake", action="store_true")
    given = parser.parse_args()
    memory = filled(embedder(given.fake), given.turns, given.at_once)
    own = {f"user {user}": LlamaIndexMemory.from_defaults(session_id=f"user {user}") for user in range(given.at_once)}

    def on_genome(user: str) -> LlamaIndexMemory:
        return LlamaIndexMemory.from_defaults(
            session_id="own",
            chat_store=GenomeChatStore(memory, user_id=user),
            memory_blocks=[GenomeMemoryBlock(memory, user_id=user)],
        )

    cases: dict[str, Callable[[str], BaseMemory | None]] = {
        "no memory": lambda _: None,
        "GenomeMemory": lambda user: GenomeMemory(memory, session_id="now", user_id=user),
        "LlamaIndex's Memory": own.__getitem__,
        "LlamaIndex's Memory on GENOME": on_genome,
        "GenomeMemory, called on the loop": lambda user: OnTheLoop(memory, "loop", user),
    }
    columns = ["turn", "loop late: median", "99 of 100", "longest"]
    table = Table(f"LlamaIndex: a chat turn, {given.at_once} at once", columns, unit="ms")
    for name, make in cases.items():
        await measure(table, name, make, given.runs, given.at_once)
    memory.close()


if __name__ == "__main__":
    asyncio.run(main())
