"""Compares ``GenomeVectorStore`` with LlamaIndex's ``SimpleVectorStore`` and, where they are installed, its stores on Chroma and LanceDB.

    python benchmarks/llama_index_vector_store.py [--nodes 1000 10000] [--calls 15] [--postgres URL] [--without Chroma]

All get the same nodes with the same random vectors of 384 numbers, so that only the stores are measured: adding in batches of
1000, then queries for the best 10. Prints medians of a call in milliseconds; the ratio is the best peer's figure divided by ours (above 1:
ours is faster). A dash: the store does not have it.

A peer may answer a mode that it does not have with a plain search. Chroma and LanceDB: ``pip install
llama-index-vector-stores-chroma llama-index-vector-stores-lancedb``.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from genome_llama_index import GenomeVectorStore
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.simple import SimpleVectorStore
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from tables import Table

from genome_core import Memory
from genome_core.embedders import CallableEmbedder

WIDTH = 384
BATCH = 1000
_SLOW = 3000.0
WORDS = ("moss", "stone", "river", "ship", "bird", "cloud", "bread", "wheel", "lamp", "rope")


def embedder() -> CallableEmbedder:
    """Never asked for a text: the vectors are given."""
    return CallableEmbedder(lambda texts: [[1.0] * WIDTH for _ in texts], name="given")


def nodes(count: int) -> Iterator[list[TextNode]]:
    rng = np.random.default_rng(1)
    for start in range(0, count, BATCH):
        vectors = rng.normal(size=(min(BATCH, count - start), WIDTH)).tolist()
        yield [
            TextNode(
                id_=str(start + place),
                text=f"node {start + place} is about {WORDS[(start + place) % 10]} and {WORDS[(start + place) // 10 % 10]}",
                metadata={"n": start + place, "kind": WORDS[(start + place) % 10], "group": (start + place) % 100},
                embedding=vector,
                relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"d{(start + place) // 10}")},
            )
            for place, vector in enumerate(vectors)
        ]


def where(*filters: tuple[str, FilterOperator, str | int]) -> MetadataFilters:
    return MetadataFilters(
        filters=[MetadataFilter(key=key, operator=name, value=value) for key, name, value in filters]
    )


def queries(count: int) -> dict[str, VectorStoreQuery]:
    vector = np.random.default_rng(2).normal(size=WIDTH).tolist()

    def query(
        filters: MetadataFilters | None = None, mode: VectorStoreQueryMode = VectorStoreQueryMode.DEFAULT
    ) -> VectorStoreQuery:
        return VectorStoreQuery(
            query_embedding=vector, query_str="moss and ship", similarity_top_k=10, filters=filters, mode=mode
        )

    return {
        "no filter": query(),
        "== (1 of 100 passes)": query(where(("group", FilterOperator.EQ, 7))),
        ">= and == (1 of 20)": query(where(("n", FilterOperator.GTE, count // 2), ("kind", FilterOperator.EQ, "moss"))),
        "!= (9 of 10)": query(where(("kind", FilterOperator.NE, "moss"))),
        "text_match (1 of 10)": query(where(("kind", FilterOperator.TEXT_MATCH, "mos"))),
        "mmr": query(mode=VectorStoreQueryMode.MMR),
        "hybrid": query(mode=VectorStoreQueryMode.HYBRID),
    }


def chroma(folder: Path) -> BasePydanticVectorStore:
    import chromadb
    from llama_index.vector_stores.chroma import ChromaVectorStore  # type: ignore[import-untyped, unused-ignore]

    client = chromadb.PersistentClient(str(folder / "chroma"))
    collection = client.create_collection("nodes", metadata={"hnsw:space": "cosine"})
    store: BasePydanticVectorStore = ChromaVectorStore(chroma_collection=collection)
    return store


def lance(folder: Path) -> BasePydanticVectorStore:
    from llama_index.vector_stores.lancedb import LanceDBVectorStore  # type: ignore[import-untyped, unused-ignore]

    store: BasePydanticVectorStore = LanceDBVectorStore(uri=str(folder / "lance"), overfetch_factor=1)
    return store


def stores(
    folder: Path, postgres: str | None, left_out: Sequence[str]
) -> Iterator[tuple[str, BasePydanticVectorStore]]:
    """Each store by name, ours in RAM first; those that are not installed are left out."""
    urls = {"GENOME, RAM": ":memory:", "GENOME, file": str(folder / "memory.db")}
    urls |= {"GENOME, PostgreSQL": postgres} if postgres else {}
    for name, url in urls.items():
        if name in left_out:
            continue
        with Memory(url, embedder=embedder(), extractor=None) as memory:
            memory.reset()
            yield name, GenomeVectorStore(memory)
    peers = {"SimpleVectorStore": lambda _: SimpleVectorStore(), "Chroma": chroma, "LanceDB": lance}
    for name, make in peers.items():
        if name in left_out:
            continue
        try:
            made = make(folder)
        except ImportError as error:
            print(f"({name} is left out: {error})")
        else:
            yield name, made


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def measured(store: BasePydanticVectorStore, count: int, calls: int) -> dict[str, float | None]:
    adding = [milliseconds(lambda batch=batch: store.add(batch)) for batch in nodes(count)]  # type: ignore[misc]
    found: dict[str, float | None] = {"add 1000": statistics.median(adding) * BATCH / min(BATCH, count)}
    asked = queries(count)
    found["first query"] = milliseconds(lambda: store.query(asked["no filter"]))
    for name, query in asked.items():
        found[name] = median(lambda query=query: store.query(query), calls)  # type: ignore[misc]
    found["delete a document"] = median(lambda: store.delete("d3"), 1)
    return found


def median(work: Callable[[], object], calls: int) -> float | None:
    """Of so many calls, after one for what is loaded once, or of that one if it is very slow; None if the store refuses."""
    try:
        first = milliseconds(work)
        return first if first > _SLOW else statistics.median(milliseconds(work) for _ in range(calls))
    except (ValueError, NotImplementedError, TypeError, KeyError):
        return None


def compare(count: int, calls: int, postgres: str | None, left_out: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        results = {name: measured(store, count, calls) for name, store in stores(Path(folder), postgres, left_out)}
    peers = [name for name in results if not name.startswith("GENOME")]
    for ours in results.keys() - set(peers):
        place = ours.removeprefix("GENOME, ")
        table = Table(
            f"LlamaIndex: {count:,} nodes, ours in {place}", ["GenomeVectorStore", *peers], unit="ms", better="less"
        )
        for what, value in results[ours].items():
            table.row(what, value, *(results[peer][what] for peer in peers))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--calls", type=int, default=15)
    parser.add_argument("--postgres", help="URL of a database that may be emptied")
    parser.add_argument("--without", nargs="+", default=[], help='such as "GENOME, file" Chroma')
    given = parser.parse_args(arguments)
    for count in given.nodes:
        compare(count, given.calls, given.postgres, given.without)


if __name__ == "__main__":
    main()
