#!/usr/bin/env python3
"""How loads and searches of one user grow with the user's rows, beside other stores: files, vectors given, all in one run.

OMP_NUM_THREADS=1 python benchmarks/growth_peers.py --rows 1000 10000 100000
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from synthetic import QUESTION, USER, GivenVectors, load, median_ms, numpy_search, turns, unit
from tables import Table
from vector_stores import PEERS, SLOW, Find, Peer

from genome_core import Memory
from genome_core.protocols import Vectors

SLOW_UP_TO = 1_000
"""Rows beyond which a load would take minutes; ``engine.py search`` has the slow ones at 10,000."""


def genome(folder: Path, texts: Sequence[str], vectors: Vectors) -> tuple[float, Find]:
    memory = Memory(folder / "memory.db", embedder=GivenVectors(), extractor=None)
    seconds = load(memory, texts, vectors, batch=1000)
    return seconds, lambda query: memory.search(QUESTION, user_id=USER, vector=query, mode="dense")


def measured(store: Peer, texts: Sequence[str], vectors: Vectors) -> tuple[float | None, float | None]:
    """Microseconds of loading a row, milliseconds of a search; None for a store that is not installed or too slow."""
    if store in SLOW and len(texts) > SLOW_UP_TO:
        return None, None
    query = unit(np.random.default_rng(2), 1)[0]
    with tempfile.TemporaryDirectory() as folder:
        try:
            seconds, find = store(Path(folder), texts, vectors)
        except (ImportError, AttributeError):
            return None, None
        find(query)
        return 1e6 * seconds / len(texts), median_ms(lambda: find(query), 10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", type=int, default=[1000, 10_000, 100_000])
    stores = [genome, *PEERS]
    names = ["GENOME", *(peer.__name__.replace("_", " ") for peer in PEERS)]
    figures, floors = {}, {}
    for rows in parser.parse_args().rows:
        texts, vectors = turns(rows), unit(np.random.default_rng(1), rows)
        figures[rows] = [measured(store, texts, vectors) for store in stores]
        floors[rows] = median_ms(lambda given=vectors: numpy_search(given, given[0]), 10)
    for title, unit_name, column in (("loading a row", "us", 0), ("a search, dense", "ms", 1)):
        table = Table(f"Growth beside others: {title}", names, unit=unit_name, better="less")
        for rows, cells in figures.items():
            table.row(f"{rows:,} rows", *(cell[column] for cell in cells))
    floor = Table("Growth beside others: numpy's product and argpartition", ["ms"])
    for rows, milliseconds in floors.items():
        floor.row(f"{rows:,} rows", milliseconds)


if __name__ == "__main__":
    main()
