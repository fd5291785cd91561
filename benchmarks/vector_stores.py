"""Other stores, given the same texts and vectors: each a function that loads them and returns the seconds and a search.

What is not installed raises ``ImportError`` or, in a version that is not known, ``AttributeError``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers import GenomeMemory, Mem0, Recaller
from synthetic import QUESTION, USER, WIDTH, GivenVectors

from genome_core.protocols import Embedder, Vectors

Find = Callable[[NDArray[np.float32]], Any]
Peer = Callable[[Path, Sequence[str], Vectors], tuple[float, Find]]


def chroma(folder: Path, texts: Sequence[str], vectors: Vectors) -> tuple[float, Find]:
    import chromadb
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    collection = chromadb.PersistentClient(str(folder), settings).create_collection(
        "turns", embedding_function=None, metadata={"hnsw:space": "cosine"}
    )
    started = time.perf_counter()
    for start in range(0, len(texts), 1000):
        part = slice(start, start + 1000)
        ids = [str(number) for number in range(start, min(start + 1000, len(texts)))]
        collection.add(
            ids, embeddings=vectors[part], documents=list(texts[part]), metadatas=[{"user": USER} for _ in ids]
        )
    seconds = time.perf_counter() - started
    return seconds, lambda query: collection.query(query_embeddings=[query], n_results=10, where={"user": USER})


def lancedb(folder: Path, texts: Sequence[str], vectors: Vectors) -> tuple[float, Find]:
    import lancedb as lance

    started = time.perf_counter()
    rows = [{"text": text, "user": USER, "vector": vector} for text, vector in zip(texts, vectors, strict=True)]
    table = lance.connect(folder).create_table("turns", rows)
    seconds = time.perf_counter() - started
    return seconds, lambda query: table.search(query).where(f"user = '{USER}'", prefilter=True).limit(10).to_list()


def langgraph_sqlite(folder: Path, texts: Sequence[str], vectors: Vectors) -> tuple[float, Find]:
    from langgraph.store.base import PutOp
    from langgraph.store.sqlite import SqliteStore

    given = dict(zip(texts, vectors.tolist(), strict=True))
    query_vector: list[float] = []
    index: Any = {
        "dims": WIDTH,
        "embed": lambda wanted: [given.get(text, query_vector) for text in wanted],
        "text_fields": ["text"],
    }
    manager = SqliteStore.from_conn_string(
        str(folder / "store.db"),
        index=index,
    )
    store = manager.__enter__()
    store.setup()
    started = time.perf_counter()
    for start in range(0, len(texts), 64):
        store.batch([PutOp((USER,), text, {"text": text}) for text in texts[start : start + 64]])
    seconds = time.perf_counter() - started

    def find(query: NDArray[np.float32]) -> Any:
        query_vector[:] = query.tolist()
        return store.search((USER,), query=QUESTION, limit=10)

    return seconds, find


def memory_for_agents(make: Callable[[Embedder], Recaller], texts: Sequence[str]) -> tuple[float, Find]:
    peer = make(GivenVectors())
    started = time.perf_counter()
    peer.ingest([as_turn(text) for text in texts])
    return time.perf_counter() - started, lambda query: peer.recall(QUESTION, 10)


def genome_memory(folder: Path, texts: Sequence[str], vectors: Vectors) -> tuple[float, Find]:
    return memory_for_agents(partial(GenomeMemory, "dense"), texts)


def mem0(folder: Path, texts: Sequence[str], vectors: Vectors) -> tuple[float, Find]:
    return memory_for_agents(Mem0, texts)


SLOW: tuple[Peer, ...] = (genome_memory, mem0)
PEERS: tuple[Peer, ...] = (chroma, lancedb, langgraph_sqlite, *SLOW)


def as_turn(text: str) -> dict[str, str]:
    return {"id": text, "speaker": USER, "text": text}
