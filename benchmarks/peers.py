"""Other memories, as a conversation meets them: each stores turns and finds them again, with the same vectors as GENOME.

They are installed by hand, where one wants to compare with them: ``pip install mem0ai lancedb taosmd genome-memory==1.2.1``.
None of them calls a language model here. What an encoder can not read of a long turn is cut off for all of them alike.
"""

from __future__ import annotations

import asyncio
import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from genome_core.protocols import Embedder

Turn = Mapping[str, Any]


class Recaller(Protocol):
    """What a benchmark of recall asks of a memory: one conversation in, the ids of its turns out."""

    def ingest(self, turns: Sequence[Turn]) -> None: ...

    def recall(self, question: str, k: int) -> list[str]: ...

    def close(self) -> None: ...


def written(turn: Turn) -> str:
    """A turn as one text."""
    return f"{turn['speaker']}: {turn['text']}"


class Encoder:
    """The shared embedder, for whole texts cut off at its window."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.dimensions = embedder.fingerprint.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (texts, dimensions), rows of norm 1."""
        return self._embedder.embed([self._cut(text) for text in texts])

    def embed_one(self, text: str) -> list[float]:
        return list(map(float, self.embed([text])[0]))

    def _cut(self, text: str) -> str:
        """The longest beginning that fits the window."""
        low, high = 0, len(text)
        while low < high and self._embedder.count_tokens(text[:high]) > self._embedder.window:
            middle = (low + high + 1) // 2
            fits = self._embedder.count_tokens(text[:middle]) <= self._embedder.window
            low, high = (middle, high) if fits else (low, middle - 1)
        return text[:high]


class PlainDense:
    """Cosine of whole turns written as "speaker: text": what most memories do."""

    def __init__(self, embedder: Embedder) -> None:
        self._encoder = Encoder(embedder)
        self._ids: list[str] = []

    def ingest(self, turns: Sequence[Turn]) -> None:
        self._ids = [turn["id"] for turn in turns]
        self._vectors = self._encoder.embed([written(turn) for turn in turns])

    def recall(self, question: str, k: int) -> list[str]:
        scores = self._vectors @ self._encoder.embed([question])[0]
        return [self._ids[i] for i in np.argsort(-scores, kind="stable")[:k]]

    def close(self) -> None: ...


class PlainBM25:
    """BM25 (k1 1.5, b 0.75) over ``lower().split()``: the usual keyword half of a hybrid."""

    def ingest(self, turns: Sequence[Turn]) -> None:
        self._ids = [turn["id"] for turn in turns]
        self._counts = [Counter(written(turn).lower().split()) for turn in turns]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._documents = Counter(word for counts in self._counts for word in counts)

    def recall(self, question: str, k: int) -> list[str]:
        average = sum(self._lengths) / len(self._lengths)
        scores = np.zeros(len(self._ids))
        for word in question.lower().split():
            holding = self._documents[word]
            idf = math.log1p((len(self._ids) - holding + 0.5) / (holding + 0.5))
            for i, (counts, length) in enumerate(zip(self._counts, self._lengths, strict=True)):
                if counts[word]:
                    scores[i] += idf * 2.5 * counts[word] / (counts[word] + 1.5 * (0.25 + 0.75 * length / average))
        return [self._ids[i] for i in np.argsort(-scores, kind="stable")[:k]]

    def close(self) -> None: ...


class GenomeMemory:
    """The PyPI package genome-memory (another project). What is longer than it accepts is left out: it can not be found."""

    LONGEST = 100_000  # characters, its own limit

    def __init__(self, mode: str, embedder: Embedder) -> None:
        from genome import Memory as PeerMemory  # type: ignore[import-not-found]
        from genome.embeddings import EmbeddingProvider  # type: ignore[import-not-found]

        encoder = Encoder(embedder)
        provider = EmbeddingProvider.__new__(EmbeddingProvider)  # its own would load the model a second time
        provider.model_name, provider.dim = "shared", encoder.dimensions
        provider.encode = lambda text: encoder.embed([text])[0]
        provider.encode_batch = encoder.embed
        self._folder = tempfile.TemporaryDirectory()
        place = str(Path(self._folder.name) / "memory.db")
        self._mode, self._memory = mode, PeerMemory(storage=place, embedding_provider=provider)
        self._ids: dict[str, str] = {}

    def ingest(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            if len(text := written(turn)) <= self.LONGEST:
                self._ids |= {record.id: turn["id"] for record in self._memory.add(text, user_id="u")}

    def recall(self, question: str, k: int) -> list[str]:
        found = self._memory.search(question, user_id="u", limit=k, mode=self._mode, use_cache=False)
        return [self._ids[result.id] for result in found]

    def close(self) -> None:
        self._memory.close()
        self._folder.cleanup()


class Mem0:
    """mem0ai without its language model (``infer=False``) over its default vector store, Qdrant in a local folder."""

    def __init__(self, embedder: Embedder) -> None:
        self._folder = tempfile.TemporaryDirectory()
        os.environ |= {"MEM0_DIR": self._folder.name, "MEM0_TELEMETRY": "False"}
        from mem0 import Memory as PeerMemory  # type: ignore[import-not-found]

        encoder = Encoder(embedder)
        place = {"path": f"{self._folder.name}/qdrant", "embedding_model_dims": encoder.dimensions}
        self._memory = PeerMemory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": place},
                "llm": {"provider": "openai", "config": {"api_key": "never used"}},
                "embedder": {"provider": "openai", "config": {"api_key": "never used"}},
                "history_db_path": f"{self._folder.name}/history.db",
            }
        )
        self._memory.embedding_model = SimpleNamespace(
            embed=lambda text, _action=None: encoder.embed_one(text),
            embed_batch=lambda texts, _action=None: [encoder.embed_one(text) for text in texts],
        )

    def ingest(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            message = {"role": "user", "content": written(turn)}
            self._memory.add([message], user_id="u", infer=False, metadata={"turn": turn["id"]})

    def recall(self, question: str, k: int) -> list[str]:
        found = self._memory.search(question, top_k=k, filters={"user_id": "u"}, threshold=0.0)
        return [result["metadata"]["turn"] for result in found["results"]]

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._folder.cleanup()


class LanceDBHybrid:
    """A LanceDB table with vectors and a full-text index, searched by its own hybrid query and its default reranker."""

    def __init__(self, embedder: Embedder) -> None:
        self._encoder = Encoder(embedder)
        self._folder = tempfile.TemporaryDirectory()

    def ingest(self, turns: Sequence[Turn]) -> None:
        import lancedb  # type: ignore[import-not-found]
        from lancedb.index import FTS  # type: ignore[import-not-found]

        texts = [written(turn) for turn in turns]
        rows = [
            {"turn": turn["id"], "text": text, "vector": vector}
            for turn, text, vector in zip(turns, texts, self._encoder.embed(texts), strict=True)
        ]
        self._table = lancedb.connect(self._folder.name).create_table("turns", rows)
        self._table.create_index("text", config=FTS())
        self._table.wait_for_index(["text_idx"], timedelta(minutes=5))

    def recall(self, question: str, k: int) -> list[str]:
        query = self._table.search(query_type="hybrid").vector(self._encoder.embed([question])[0]).text(question)
        return [row["turn"] for row in query.limit(k).to_list()]

    def close(self) -> None:
        self._folder.cleanup()


class Taosmd:
    """The vector memory of taosmd, with the fusion that its search uses by default."""

    def __init__(self, embedder: Embedder) -> None:
        from taosmd.vector_memory import VectorMemory  # type: ignore[import-not-found]

        encoder = Encoder(embedder)
        self._folder = tempfile.TemporaryDirectory()
        self._loop = asyncio.new_event_loop()
        self._memory = VectorMemory(Path(self._folder.name) / "vectors.db", embed_mode="given")

        async def embed(text: str, task: str = "") -> list[float]:
            return encoder.embed_one(text)

        self._memory.embed = embed
        self._loop.run_until_complete(self._memory.init())

    def ingest(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            self._loop.run_until_complete(self._memory.add(written(turn), {"turn": turn["id"]}))

    def recall(self, question: str, k: int) -> list[str]:
        found = self._loop.run_until_complete(self._memory.search(question, limit=k, fusion="boost"))
        return [result["metadata"]["turn"] for result in found]

    def close(self) -> None:
        self._loop.run_until_complete(self._memory.close())
        self._loop.close()
        self._folder.cleanup()


PEERS: dict[str, Callable[[Embedder], Recaller]] = {
    "plain-dense": PlainDense,
    "plain-bm25": lambda _embedder: PlainBM25(),
    "genome-memory-dense": lambda embedder: GenomeMemory("dense", embedder),
    "genome-memory-hybrid": lambda embedder: GenomeMemory("hybrid", embedder),
    "mem0": Mem0,
    "lancedb-hybrid": LanceDBHybrid,
    "taosmd": Taosmd,
}
