"""Times the embedders beside plain torch, in one run, and checks what is promised of their vectors.

    OMP_NUM_THREADS=1 python benchmarks/embedders.py [--static FOLDER] [--rounds N]

FOLDER is a model made by ``genome distill``. Every text is an ordinary turn of 20 to 30 words. Rounds alternate between the
embedders, so that a busy machine is busy for all of them; the table gives medians, of the wall clock and of the time that the
process spent on its cores (which a busy machine changes less). ``start`` is a fresh process up to its first vector, interpreter
and imports included.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tables import Table

from genome_core.embedders import OnnxEmbedder, SentenceTransformerEmbedder, StaticEmbedder
from genome_core.protocols import Embedder

WORDS = (
    "we took the early bus to market because rain was coming and my sister wanted fresh bread before her friends arrived "
    "for lunch but nobody had told us that shops close on Monday so instead they walked along old harbour looking at boats"
).split()
BATCH = 64
START = """
from genome_core.embedders import {name}
{name}({arguments}).embed(["We took the early bus to the market because rain was coming."])
"""
PLAIN_START = """
from sentence_transformers import SentenceTransformer
SentenceTransformer({path!r}, device="cpu").encode(["We took the early bus to the market because rain was coming."])
"""


@dataclass
class Contender:
    """Something that embeds, and what was measured of it: lists of (wall, processor) milliseconds a text."""

    name: str
    embed: Callable[[list[str]], Any]
    start: str
    single: list[tuple[float, float]] = field(default_factory=list)
    batch: list[tuple[float, float]] = field(default_factory=list)


def turns(count: int, seed: int) -> list[str]:
    """Texts of 20 to 30 words, the same in every run."""
    choice = random.Random(seed)
    return [" ".join(choice.choices(WORDS, k=choice.randint(20, 30))).capitalize() + "." for _ in range(count)]


def timed(embed: Callable[[list[str]], Any], calls: list[list[str]]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    for texts in calls:
        embed(texts)
    count = sum(map(len, calls))
    return (time.perf_counter() - wall) / count * 1e3, (time.process_time() - processor) / count * 1e3


def measure(contenders: list[Contender], rounds: int) -> None:
    for contender in contenders:
        contender.embed(turns(2, seed=0))
    for number in range(rounds):
        texts = turns(BATCH, seed=number + 1)
        for contender in contenders:
            contender.single.append(timed(contender.embed, [[text] for text in texts[:8]]))
            contender.batch.append(timed(contender.embed, [texts]))


def start_seconds(code: str) -> float:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def report(contenders: list[Contender]) -> None:
    columns = [f"{what}, {figure}" for what in ("alone", "in 64") for figure in ("ms", "ms of core", "of torch's")]
    table = Table("Embedding a turn", [*columns, "start, s"])
    base = [statistics.median(core for _, core in times) for times in (contenders[0].single, contenders[0].batch)]
    for contender in contenders:
        cells: list[float] = []
        for times, of_base in zip((contender.single, contender.batch), base, strict=True):
            wall, core = (statistics.median(column) for column in zip(*times, strict=True))
            cells += [wall, core, core / of_base]
        table.row(contender.name, *cells, start_seconds(contender.start))


def same_bits(embedder: Embedder) -> str:
    """Whether each text has one vector: alone, in batches of any make-up, and from eight threads at once."""
    choice = random.Random(5)
    texts = turns(24, seed=5) + ["", "Yes.", " ".join(WORDS * 9)] + [" ".join(WORDS[:size]) for size in range(1, 20, 3)]
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    different = 0
    for _ in range(3):
        order = choice.sample(range(len(texts)), len(texts))
        different += int((embedder.embed([texts[place] for place in order]) != alone[order]).any(axis=1).sum())
    with ThreadPoolExecutor(8) as pool:
        for vectors in pool.map(lambda _: embedder.embed(texts), range(8)):
            different += int((vectors != alone).any(axis=1).sum())
    return f"{different} of {11 * len(texts)} differ"


def padded_torch(transformer: Any) -> str:
    """The same question for sentence-transformers as it comes, which pads a batch to its longest text."""
    texts = [*turns(24, seed=5), "Yes.", " ".join(WORDS * 9)]
    alone = np.concatenate([transformer.encode([text]) for text in texts])
    together = transformer.encode(texts)
    return f"{int((together != alone).any(axis=1).sum())} of {len(texts)} differ, by up to {abs(together - alone).max():.0e}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--static", metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()

    torch_embedder, onnx = SentenceTransformerEmbedder(device="cpu"), OnnxEmbedder()
    plain = torch_embedder._model
    plain_start = PLAIN_START.format(path=str(torch_embedder._found.path))
    contenders = [
        Contender("sentence-transformers", lambda texts: plain.encode(texts, show_progress_bar=False), plain_start),
        Contender(
            "SentenceTransformerEmbedder",
            torch_embedder.embed,
            START.format(name="SentenceTransformerEmbedder", arguments="device='cpu'"),
        ),
        Contender("OnnxEmbedder", onnx.embed, START.format(name="OnnxEmbedder", arguments="")),
    ]
    embedders: list[Embedder] = [torch_embedder, onnx]
    if options.static:
        static = StaticEmbedder(options.static)
        embedders.append(static)
        start = START.format(name="StaticEmbedder", arguments=repr(options.static))
        contenders.append(Contender("StaticEmbedder", static.embed, start))

    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, OMP_NUM_THREADS={os.environ.get('OMP_NUM_THREADS', '')}"
    )
    measure(contenders, options.rounds)
    report(contenders)
    texts = turns(100, seed=99)
    difference = abs(onnx.embed(texts) - torch_embedder.embed(texts)).max()
    print(f"\nlargest difference of a component, ONNX Runtime to torch: {difference:.1e}")
    print("vectors of the same text in other company:")
    print(f"  sentence-transformers: {padded_torch(plain)}")
    for embedder in embedders:
        print(f"  {type(embedder).__name__}: {same_bits(embedder)}")


if __name__ == "__main__":
    main()
