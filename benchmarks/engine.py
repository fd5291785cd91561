#!/usr/bin/env python3
"""The engine end to end: writes, bulk loads, searches and growth, beside other stores and plain numpy, all in one run.

    OMP_NUM_THREADS=1 python benchmarks/engine.py write              one turn at a time, with the real models
    OMP_NUM_THREADS=1 python benchmarks/engine.py bulk --rows 10000  batches with vectors given
    OMP_NUM_THREADS=1 python benchmarks/engine.py search --rows 100000
    OMP_NUM_THREADS=1 python benchmarks/engine.py growth --rows 1000 10000 100000 1000000
    ... --postgres URL                                               the same on PostgreSQL, in a database that is emptied
    ... growth --hnsw-up-to 1000000 --postgres URL                   with pgvector's index at each size

Texts are synthetic turns, vectors random unit vectors of 384 numbers, except for ``write``. Peers that are not installed are named and
left out. Times are medians; ``cpu`` is the thread's own time, which a busy machine distorts less.
"""

# ruff: noqa: B023 -- the functions given to median_ms are called before the loop goes on
from __future__ import annotations

import argparse
import importlib.metadata
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers import Mem0
from synthetic import QUESTION, USER, GivenVectors, load, median_ms, numpy_search, rate, turns, unit
from tables import Lines
from vector_stores import PEERS, SLOW, Peer, as_turn

from genome_core import Memory
from genome_core.protocols import Vectors
from genome_core.search.rank import Mode

MODES: tuple[Mode, ...] = ("dense", "lexical", "hybrid")


line = Lines()


@contextmanager
def memory(postgres: str | None, **options: Any) -> Iterator[Memory]:
    """A fresh store: a file, or the given database, emptied first."""
    with tempfile.TemporaryDirectory() as folder, Memory(postgres or Path(folder) / "memory.db", **options) as store:
        if postgres:
            store.reset()
        yield store


# --- write -----------------------------------------------------------------------------------------------------------


def write(arguments: argparse.Namespace) -> None:
    """Each turn goes to every store before the next one does, so that all of them meet the same load of the machine."""
    from genome_core.embedders import OnnxEmbedder, SentenceTransformerEmbedder, StaticEmbedder

    embedders: dict[str, Any] = {"given vectors": GivenVectors()}
    if not arguments.postgres:  # one database holds the vectors of one embedder
        embedders |= {"torch MiniLM": SentenceTransformerEmbedder(), "ONNX MiniLM (default)": OnnxEmbedder()}
    if arguments.static and not arguments.postgres:
        embedders["static vectors"] = StaticEmbedder(arguments.static)
    with ExitStack() as stack:
        stores: dict[str, Callable[[str], Any]] = {}
        stores |= memories_with_torch(stack)
        for extractor in ("rules", None):
            for name, embedder in embedders.items():
                store = stack.enter_context(memory(arguments.postgres, embedder=embedder, extractor=extractor))
                called = f"{name}, facts {'on' if extractor else 'off'}"
                stores[called] = partial(store.add, user_id=called)
        measure_turns(stores, conversation(arguments.conversation, arguments.turns))


def conversation(path: str | None, most: int) -> list[str]:
    """The turns of a file ``{"turns": [{"speaker": ..., "text": ...}, ...]}``, or synthetic ones."""
    if path is None:
        return turns(most)
    said = json.loads(Path(path).read_text(encoding="utf-8"))["turns"]
    return [f"{turn['speaker']}: {turn['text']}" for turn in said[:most]]


def measure_turns(stores: dict[str, Callable[[str], Any]], texts: Sequence[str]) -> None:
    cpu: dict[str, list[float]] = {name: [] for name in stores}
    wall: dict[str, list[float]] = {name: [] for name in stores}
    for text in texts:
        for name, add in stores.items():
            started, used = time.perf_counter(), time.process_time()
            add(text)
            cpu[name].append(1e3 * (time.process_time() - used))
            wall[name].append(1e3 * (time.perf_counter() - started))
    first = next(iter(stores))
    for name in stores:
        mine, theirs = (statistics.median(cpu[one][3:]) for one in (name, first))  # the first ones warm up
        line(name, cpu_ms=mine, wall_ms=statistics.median(wall[name][3:]), of_the_first=mine / theirs)


def memories_with_torch(stack: ExitStack) -> dict[str, Callable[[str], Any]]:
    """Other memories for agents, without their language models, each with the same weights in its own torch."""
    from genome_core.embedders import SentenceTransformerEmbedder
    from genome_core.embedders.models import locate

    stores: dict[str, Callable[[str], Any]] = {}
    try:
        from genome import Memory as Peer  # type: ignore[import-not-found]
        from genome.embeddings import EmbeddingProvider  # type: ignore[import-not-found]

        folder = stack.enter_context(tempfile.TemporaryDirectory())
        provider = EmbeddingProvider(str(locate(None).path))
        peer = Peer(storage=str(Path(folder) / "memory.db"), embedding_provider=provider)
        stack.callback(peer.close)
        stores["genome-memory (its torch)"] = partial(peer.add, user_id=USER)
    except ImportError as error:
        line("genome-memory", left_out=f"({error})")
    try:
        mem0 = Mem0(SentenceTransformerEmbedder())
        stack.callback(mem0.close)
        stores["Mem0, infer=False (torch)"] = lambda text: mem0.ingest([as_turn(text)])
    except ImportError as error:
        line("mem0", left_out=f"({error})")
    return stores


# --- bulk ------------------------------------------------------------------------------------------------------------


def bulk(arguments: argparse.Namespace) -> None:
    [rows] = arguments.rows
    texts, vectors = turns(rows), unit(np.random.default_rng(1), rows)
    with memory(arguments.postgres, embedder=GivenVectors(), extractor=None) as store:
        seconds = load(store, texts, vectors, batch=64)
        size = store.stats().bytes
        line("genome, vectors given, batches of 64", **rate(rows, seconds), bytes_a_row=size / rows)
        if not arguments.postgres:
            line("plain sqlite3, the same rows and batches", **rate(rows, sqlite_floor(store, batch=64)))
    with memory(arguments.postgres, embedder=GivenVectors(), extractor=None) as store:
        seconds = load(store, texts, vectors, batch=1000)
    line("genome, vectors given, batches of 1000", **rate(rows, seconds))
    for peer in PEERS:
        run_peer(peer, texts, vectors, [])


def sqlite_floor(store: Memory, batch: int) -> float:
    """Seconds that SQLite alone takes to put the same rows into the same tables, each turn being one row of each."""
    with store.database.driver() as source:
        tables = {
            name: source.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall()
            for name in ("genome_records", "genome_passages", "genome_journal")
        }
    with (
        tempfile.TemporaryDirectory() as folder,
        given(str(Path(folder) / "floor.db")) as plain,
        plain.database.driver() as connection,
    ):
        started = time.perf_counter()
        for start in range(0, len(tables["genome_records"]), batch):
            connection.execute("BEGIN IMMEDIATE")
            for name, rows in tables.items():
                marks = ", ".join("?" * len(rows[0]))
                insert = f"INSERT INTO {name} VALUES ({marks})"
                connection.executemany(insert, rows[start : start + batch])
            connection.execute("COMMIT")
        return time.perf_counter() - started


# --- search ----------------------------------------------------------------------------------------------------------


def search(arguments: argparse.Namespace) -> None:
    [rows] = arguments.rows
    texts, vectors = turns(rows), unit(np.random.default_rng(1), rows)
    query = unit(np.random.default_rng(2), 1)[0]
    floor = median_ms(lambda: numpy_search(vectors, query), 30)
    line("numpy: product and argpartition", ms=floor)
    with memory(arguments.postgres, embedder=GivenVectors(), extractor=None) as store:
        load(store, texts, vectors, batch=1000)
        started = time.perf_counter()
        store.search(QUESTION, user_id=USER, vector=query)
        line("genome, first search of the scope", ms=1e3 * (time.perf_counter() - started))
        for mode in MODES:
            taken = median_ms(lambda: store.search(QUESTION, user_id=USER, vector=query, mode=mode), 30)
            line(f"genome, {mode}, one scope of {rows:,}", ms=taken, times_numpy=taken / floor)
        for tenant in range(arguments.tenants):
            load(store, turns(100, seed=tenant + 1), vectors[:100], batch=100, user=f"tenant {tenant}")
        small = [f"tenant {tenant}" for tenant in range(arguments.tenants)]
        firsts = iter(small)
        line(
            "genome, first search of a tenant of 100",
            ms=median_ms(lambda: store.search(QUESTION, user_id=next(firsts), vector=query), len(small)),
        )
        for mode in MODES:
            again = iter(small * 10)
            taken = median_ms(
                lambda: store.search(QUESTION, user_id=next(again), vector=query, mode=mode), len(small) * 2
            )
            line(f"genome, {mode}, a tenant of 100 beside {rows:,} rows", ms=taken)
        line("genome, memory of the process", MiB=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    if arguments.postgres:  # the peers have files of their own
        return
    for peer in PEERS:
        if peer in SLOW and rows > 10_000:
            line(peer.__name__, left_out="(its load takes many minutes)")
        else:
            run_peer(peer, texts, vectors, [query])


# --- growth ----------------------------------------------------------------------------------------------------------


def growth(arguments: argparse.Namespace) -> None:
    """The same store at each size: one user has nearly all rows, another one a hundred."""
    line("import genome_core", cpu_ms=import_ms())
    with tempfile.TemporaryDirectory() as folder:
        growth_of(arguments.postgres or str(Path(folder) / "memory.db"), arguments)


def growth_of(store: str, arguments: argparse.Namespace) -> None:
    with given(store) as memory:
        memory.reset()
        add_all(memory, 100, user="small", seed=1)
        postgres = memory.database.is_postgres
        if postgres:
            allow_memory_for_indexes(memory)
    done = 0
    for rows in sorted(arguments.rows):
        line.begin(f"{'PostgreSQL' if postgres else 'SQLite'}, {rows:,} rows")
        grow(store, rows - done, seed=rows)
        done = rows
        reads(store)
        if postgres:
            pushed_down(store, with_index=rows <= arguments.hnsw_up_to)


def allow_memory_for_indexes(memory: Memory) -> None:
    """Lets connections from now on build HNSW in memory; with PostgreSQL's own 64 MB, 100,000 vectors take many times as long."""
    with memory.database.engine.connect() as connection:
        name = connection.dialect.identifier_preparer.quote(str(memory.database.engine.url.database))
        connection.exec_driver_sql(f"ALTER DATABASE {name} SET maintenance_work_mem = '3GB'")
        connection.commit()


def given(store: str, **options: Any) -> Memory:
    return Memory(store, embedder=GivenVectors(), extractor=None, **options)


def grow(store: str, rows: int, seed: int) -> None:
    with given(store) as memory:
        seconds = add_all(memory, rows, user=USER, seed=seed)
        line("bulk, in batches of 1,000", **rate(rows, seconds))
        small = iter(turns(3_000, seed=-seed))
        vectors = list(unit(np.random.default_rng(seed), 64))

        def batch() -> None:
            memory.add([next(small) for _ in vectors], user_id="another", vectors=vectors)

        def single() -> None:
            memory.add(next(small), user_id="another", vectors=vectors[:1])

        single()
        for name, call, each in (("single add", single, 1), ("a batch of 64", batch, 64)):
            cpu = median_ms(call, 15, time.thread_time) * 1e3 / each
            line(name, cpu_us_a_row=cpu, wall_us_a_row=median_ms(call, 15) * 1e3 / each)
        held = memory.stats()
        line("on disk", MiB=held.bytes / 2**20, bytes_a_row=held.bytes / held.records)


def add_all(memory: Memory, rows: int, user: str, seed: int) -> float:
    generator, seconds = np.random.default_rng(seed), 0.0
    for start in range(0, rows, 10_000):
        count = min(10_000, rows - start)
        texts, vectors = turns(count, seed=seed + start), unit(generator, count)
        seconds += load(memory, texts, vectors, batch=1000, user=user)
    return seconds


def reads(store: str) -> None:
    """The small user's first and every later search, then the large one's."""
    query = unit(np.random.default_rng(2), 1)[0]
    parse_once(query)
    for user in ("small", USER):
        before = resident_mib()
        started, cpu = time.perf_counter(), time.thread_time()
        with given(store, cache_bytes=8 * 2**30) as memory:
            memory.search(QUESTION, user_id=user, vector=query)
            line(
                f"open, first search: {user}",
                cpu_ms=1e3 * (time.thread_time() - cpu),
                wall_ms=1e3 * (time.perf_counter() - started),
                MiB_of_index=memory._residents.nbytes / 2**20,
                MiB_more=resident_mib() - before,
            )
            for mode in MODES:

                def again(mode: Mode = mode, user: str = user) -> None:
                    memory.search(QUESTION, user_id=user, vector=query, mode=mode)

                cpu_ms = median_ms(again, 9, time.thread_time)
                line(f"search, {mode}: {user}", cpu_ms=cpu_ms, wall_ms=median_ms(again, 9))


def pushed_down(store: str, *, with_index: bool) -> None:
    query = unit(np.random.default_rng(2), 1)[0]
    with given(store, cache_bytes=1) as memory:

        def find() -> None:
            memory.search(QUESTION, user_id=USER, vector=query)

        find()
        line("search in pgvector, exact", wall_ms=median_ms(find, 5))
        if with_index:
            started = time.perf_counter()
            memory.create_vector_index()
            line("building the HNSW index", seconds=time.perf_counter() - started)
            find()
            line("search in pgvector, HNSW", wall_ms=median_ms(find, 5))
            memory.database.write(lambda c: c.exec_driver_sql("DROP INDEX genome_passages_hnsw"))


def parse_once(query: NDArray[np.float32]) -> None:
    """What a process does at its first search of all, so that no store pays for it."""
    with given(":memory:") as memory:
        memory.add("x", user_id=USER)
        memory.search(QUESTION, user_id=USER, vector=query)


def resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def import_ms() -> float:
    command = [
        sys.executable,
        "-c",
        "import time; t = time.process_time(); import genome_core; print(time.process_time() - t)",
    ]
    return 1e3 * statistics.median(float(subprocess.check_output(command)) for _ in range(5))


# --- peers -----------------------------------------------------------------------------------------------------------


def run_peer(peer: Peer, texts: Sequence[str], vectors: Vectors, queries: Sequence[NDArray[np.float32]]) -> None:
    name = peer.__name__
    with tempfile.TemporaryDirectory() as folder:
        try:
            seconds, find = peer(Path(folder), texts, vectors)
        except (ImportError, AttributeError) as error:
            line(name, left_out=f"({type(error).__name__}: {error})")
            return
        line(f"{name}, load", **rate(len(texts), seconds))
        for query in queries:
            line(f"{name}, search", ms=median_ms(lambda: find(query), 10))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "bulk", "search", "growth"])
    parser.add_argument("--rows", nargs="+", type=int, default=[10_000])
    parser.add_argument("--conversation", help="write: a JSON file with turns, in place of synthetic ones")
    parser.add_argument("--static", help="write: a folder made by ``genome distill``")
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--tenants", type=int, default=200)
    parser.add_argument("--hnsw-up-to", type=int, default=100_000, help="growth: no HNSW index beyond so many rows")
    parser.add_argument("--postgres", help="URL of a database that may be emptied")
    arguments = parser.parse_args()
    versions = {
        name: _version(name)
        for name in (
            "numpy",
            "sqlalchemy",
            "onnxruntime",
            "torch",
            "chromadb",
            "lancedb",
            "langgraph-checkpoint-sqlite",
            "genome-memory",
            "mem0ai",
        )
    }
    print(f"{datetime.now(UTC):%Y-%m-%d}", *(f"{name} {version}" for name, version in versions.items()), sep=", ")
    where = "PostgreSQL" if arguments.postgres else "a SQLite file"
    rows = f", {arguments.rows[0]:,} rows" if arguments.what in ("bulk", "search") else ""
    line.begin(f"The engine on {where}: {arguments.what}{rows}")
    {"write": write, "bulk": bulk, "search": search, "growth": growth}[arguments.what](arguments)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    main()
