"""How long an agent's memory keeps the event loop waiting.

    python benchmarks/langchain_loop_lag.py [--runs 40] [--at-once 8] [--turns 1000] [--fake]

Async agents of ``create_agent`` with a scripted model run at once while a heartbeat on the same loop is due every 2 ms. Side
by side: no memory at all, ``GenomeMiddleware``, and the same work in hooks without async twins, which LangGraph calls on the
loop itself. Prints for each the time of a run, and by how much heartbeats came late: median, 99th percentile and the longest.
``--fake`` embeds with words' hashes in place of the default model.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from genome_langchain import GenomeMiddleware
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, AgentState, Runtime
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from tables import Table

from genome_core import Memory
from genome_core.protocols import Embedder

BEAT = 0.002


@dataclass
class Context:
    user_id: str
    thread_id: str


class Echo(BaseChatModel):
    """Answers at once."""

    @property
    def _llm_type(self) -> str:
        return "echo"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"You said: {messages[-1].text}"))])

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return self._generate(messages)


class OnTheLoop(AgentMiddleware[AgentState[Any], Any, Any]):
    """The recall and the storing of ``GenomeMiddleware`` without async twins."""

    def __init__(self, inner: GenomeMiddleware) -> None:
        super().__init__()
        self.inner = inner

    def before_agent(self, state: Any, runtime: Runtime[Any]) -> None:
        self.inner.before_agent(state, runtime)

    def after_agent(self, state: Any, runtime: Runtime[Any]) -> None:
        self.inner.after_agent(state, runtime)


async def heartbeat(late: list[float]) -> None:
    while True:
        due = time.perf_counter() + BEAT
        await asyncio.sleep(BEAT)
        late.append(time.perf_counter() - due)


async def measure(
    table: Table, name: str, middleware: Sequence[AgentMiddleware[Any, Any, Any]], runs: int, at_once: int
) -> None:
    agent: Any = create_agent(Echo(), middleware=middleware, context_schema=Context)
    turns = asyncio.Semaphore(at_once)

    async def run(number: int) -> float:
        async with turns:
            start = time.perf_counter()
            message = f"I am going to visit town number {number} with my sister next week."
            await agent.ainvoke({"messages": message}, context=Context(f"user {number % at_once}", f"thread {number}"))
            return time.perf_counter() - start

    await run(0)  # what is loaded once
    late: list[float] = []
    pulse = asyncio.create_task(heartbeat(late))
    times = await asyncio.gather(*(run(number) for number in range(1, runs + 1)))
    pulse.cancel()
    late.sort()
    figures = statistics.median(times), late[len(late) // 2], late[int(len(late) * 0.99)], late[-1]
    table.row(name, *(1000 * seconds for seconds in figures))


def filled(embedder: Embedder, turns: int, users: int) -> Memory:
    memory = Memory(":memory:", embedder=embedder)
    for user in range(users):
        said = [f"On day {day} I met friend {day * 7 % 40} in town {day % 60} and we ate figs." for day in range(turns)]
        memory.add(said, user_id=f"user {user}")
        memory.search("friend", user_id=f"user {user}")
    return memory


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--fake", action="store_true")
    given = parser.parse_args()
    embedder = _embedder(given.fake)
    columns = ["run", "loop late: median", "99 of 100", "longest"]
    table = Table(f"LangChain: an agent run, {given.at_once} at once", columns, unit="ms")
    await measure(table, "no memory", [], given.runs, given.at_once)
    memory = filled(embedder, given.turns, given.at_once)
    await measure(table, "GenomeMiddleware", [GenomeMiddleware(memory)], given.runs, given.at_once)
    sync_hooks = OnTheLoop(GenomeMiddleware(memory))
    await measure(table, "the same in hooks without twins", [sync_hooks], given.runs, given.at_once)
    memory.close()


def _embedder(fake: bool) -> Embedder:
    if fake:
        from genome_core.testing.embedders import FakeEmbedder

        return FakeEmbedder()
    from genome_core.embedders import default_embedder

    return default_embedder()


if __name__ == "__main__":
    asyncio.run(main())
