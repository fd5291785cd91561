"""Compares ``GenomeVectorStore`` with LangChain's own ``InMemoryVectorStore``: adding, searching, filtering, diversity.

    python benchmarks/langchain_vector_store.py [--documents 1000 10000] [--postgres URL]

Both get the same texts and the same random vectors of 384 numbers, so that only the stores are measured. Ours runs in RAM, in a
file, and on PostgreSQL if a URL is given. Prints medians of a call in milliseconds, and as ratio LangChain's divided by ours (above 1:
ours is faster).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from genome_langchain import GenomeVectorStore
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from tables import Table

from genome_core import Memory
from genome_core.embedders import CallableEmbedder

WIDTH = 384
CALLS = 15

Calls = dict[str, Callable[[], Any]]


class Prepared(DeterministicFakeEmbedding):
    """Vectors that were computed before, by text."""

    known: dict[str, list[float]] = {}  # noqa: RUF012 -- a field of a pydantic model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.known.get(text) or super(Prepared, self).embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def prepared(count: int) -> tuple[list[str], list[dict[str, int]], Prepared]:
    texts = [f"document {number}" for number in range(count)]
    vectors = np.random.default_rng(1).normal(size=(count + 1, WIDTH))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    known = dict(zip([*texts, "question"], vectors.tolist(), strict=True))
    return texts, [{"n": number % 10} for number in range(count)], Prepared(size=WIDTH, known=known)


def calls(store: Any, filter: Any) -> Calls:
    return {
        "search, k=4": lambda: store.similarity_search("question", 4),
        "search, k=4, filter": lambda: store.similarity_search("question", 4, filter=filter),
        "diverse, k=4 of 20": lambda: store.max_marginal_relevance_search("question", 4, 20),
        "by 10 ids": lambda: store.get_by_ids([f"id {number}" for number in range(10)]),
    }


def median(call: Callable[[], Any]) -> float:
    call()
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def once(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def compare(count: int, place: str) -> None:
    texts, metadatas, embedding = prepared(count)
    ids = [f"id {number}" for number in range(count)]
    theirs = InMemoryVectorStore(embedding)
    with Memory(place, embedder=CallableEmbedder(embedding, name="prepared")) as memory:
        ours = GenomeVectorStore(memory, namespace=(f"benchmark {time.time_ns()}",))
        rows = {"add all": (once(lambda: ours.add_texts(texts, metadatas, ids=ids)),
                            once(lambda: theirs.add_texts(texts, metadatas, ids=ids)))}  # fmt: skip
        own = calls(theirs, lambda document: document.metadata["n"] == 3)
        for name, call in calls(ours, {"n": 3}).items():
            rows[name] = (median(call), median(own[name]))
        memory.delete_all(namespace=ours.namespace)
    kind = "in RAM" if place == ":memory:" else "on PostgreSQL" if "://" in place else "in a file"
    title = f"LangChain: {count:,} documents, ours {kind}"
    table = Table(title, ["GenomeVectorStore", "InMemoryVectorStore"], unit="ms", better="less")
    for name, (mine, other) in rows.items():
        table.row(name, mine, other)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--postgres", metavar="URL")
    given = parser.parse_args()
    for count in given.documents:
        compare(count, ":memory:")
        with tempfile.TemporaryDirectory() as folder:
            compare(count, str(Path(folder) / "memory.db"))
        if given.postgres:
            compare(count, given.postgres)


if __name__ == "__main__":
    main()
