"""Compares ``GenomeStorage`` with CrewAI's ``LanceDBStorage``: saving, searching, scopes.

    python benchmarks/crewai_storage.py [--records 1000 10000]

Both get the same records with the same random vectors of 384 numbers in a file of their own. Prints medians of a call in
milliseconds, and as ratio LanceDB's divided by ours (above 1: ours is faster). "save 1" and "save 10" are one call each, as a
task of a crew makes; "fill" is the whole load in batches of 500.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_STORAGE_DIR=tempfile.mkdtemp())
warnings.simplefilter("ignore")

import numpy as np  # noqa: E402
from crewai.memory.storage.lancedb_storage import LanceDBStorage  # noqa: E402
from crewai.memory.types import MemoryRecord  # noqa: E402
from genome_crewai import GenomeStorage  # noqa: E402
from tables import Table  # noqa: E402

WIDTH, BATCH, CALLS = 384, 500, 15


def records(count: int, seed: int) -> list[MemoryRecord]:
    vectors = np.random.default_rng(seed).normal(size=(count, WIDTH)).tolist()
    return [
        MemoryRecord(
            content=f"memory {number}",
            scope=f"/crew/{number % 10}",
            categories=["even" if number % 2 else "odd"],
            embedding=vector,
        )
        for number, vector in enumerate(vectors)
    ]


def calls(storage: Any) -> dict[str, Callable[[], Any]]:
    query = records(1, 2)[0].embedding
    fresh: Iterator[MemoryRecord] = iter(records(CALLS * 11, 3))
    return {
        "save 1": lambda: storage.save([next(fresh)]),
        "save 10": lambda: storage.save([next(fresh) for _ in range(10)]),
        "search, limit 10": lambda: storage.search(query),
        "search, one scope": lambda: storage.search(query, scope_prefix="/crew/3"),
        "search, category": lambda: storage.search(query, categories=["even"]),
        "list_records": lambda: storage.list_records(limit=20),
        "list_scopes": lambda: storage.list_scopes("/crew"),
        "get_scope_info": lambda: storage.get_scope_info("/crew"),
    }


def median(call: Callable[[], Any]) -> float:
    """Milliseconds. Sixteen calls would use up the fresh records, so the first counts too."""
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def measured(storage: Any, load: list[MemoryRecord]) -> dict[str, float]:
    start = time.perf_counter()
    for place in range(0, len(load), BATCH):
        storage.save(load[place : place + BATCH])
    fill = (time.perf_counter() - start) * 1000
    return {"fill": fill} | {name: median(call) for name, call in calls(storage).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[1000, 10_000])
    for count in parser.parse_args().records:
        load = records(count, 1)
        with tempfile.TemporaryDirectory() as folder:
            ours_storage = GenomeStorage(Path(folder) / "memory.db")
            ours = measured(ours_storage, load)
            ours_storage.close()
            theirs = measured(LanceDBStorage(path=Path(folder) / "lancedb"), load)
        table = Table(
            f"CrewAI: {count:,} records in a file", ["GenomeStorage", "LanceDBStorage"], unit="ms", better="less"
        )
        for name, time_taken in ours.items():
            table.row(name, time_taken, theirs[name])


if __name__ == "__main__":
    main()
