#!/usr/bin/env python3
"""Does recall return the turns that hold the answer? Evidence retrieval on conversations and notes, beside plain baselines.

    python benchmarks/retrieval.py                                  the notes that come with the project
    python benchmarks/retrieval.py --data DIR [DIR ...]             any folder of conversations in the same form
    python benchmarks/retrieval.py --system hybrid dense lexical plain-dense plain-bm25

A conversation is a JSON file with ``turns`` (id, session, at, speaker, text) and ``questions`` (question, category, evidence: ids of turns).
``hit@k``: share of questions with an evidence turn among the first k; ``recall@k``: mean share of a question's evidence turns among them.
``System`` at the end is what another harness may import: ``ingest(turns)``, ``recall(question, k) -> ids``, ``close()``.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from genome_core import Memory
from genome_core.embedders import default_embedder
from genome_core.protocols import Embedder, Vectors
from genome_core.search.rank import Mode
from genome_core.types import Record

Turn = Mapping[str, Any]
ROLES = ("user", "assistant")
NO_EVIDENCE = {"adversarial", "abstention", "instruction_following", "preference_following", "summarization"}
"""Categories of the public sets whose questions have no turn as their answer."""


class Recaller(Protocol):
    def ingest(self, turns: Sequence[Turn]) -> None: ...

    def recall(self, question: str, k: int) -> list[str]: ...

    def close(self) -> None: ...


class Cached:
    """The default embedder, each text embedded once in a run, so that several systems can be compared in it."""

    def __init__(self) -> None:
        self._embedder = default_embedder()
        self._known: dict[str, NDArray[np.float32]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= dict(zip(new, self._embedder.embed(new), strict=True))
        return np.array([self._known[text] for text in texts], np.float32).reshape(len(texts), -1)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector


@cache
def shared_embedder() -> Embedder:
    return Cached()


class Genome:
    """``genome_core.Memory`` with its defaults; a session of the conversation is a run."""

    def __init__(self, mode: Mode = "hybrid", embedder: Embedder | None = None) -> None:
        self._mode: Mode = mode
        self._memory = Memory(":memory:", embedder=embedder, extractor=None)
        self._end = datetime.min.replace(tzinfo=UTC)

    def ingest(self, turns: Sequence[Turn]) -> None:
        self._memory.add([self._record(turn) for turn in turns])

    def _record(self, turn: Turn) -> Record:
        at = datetime.fromisoformat(turn["at"]).replace(tzinfo=UTC)
        self._end = max(self._end, at)
        role, name = (turn["speaker"], None) if turn["speaker"] in ROLES else ("user", turn["speaker"])
        namespace = ("user:u", f"run:{turn['session']}")
        return Record(id=turn["id"], namespace=namespace, text=turn["text"], role=role, name=name, at=at)

    def recall(self, question: str, k: int) -> list[str]:
        asked = self._end + timedelta(days=1)
        return [hit.record.id for hit in self._memory.search(question, user_id="u", limit=k, mode=self._mode, at=asked)]

    def close(self) -> None:
        self._memory.close()


class PlainDense:
    """Cosine of whole turns written as "speaker: text", cut off at the encoder's window: what most memories do."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._ids: list[str] = []

    def ingest(self, turns: Sequence[Turn]) -> None:
        self._ids = [turn["id"] for turn in turns]
        self._vectors = self._embedder.embed([self.cut(f"{turn['speaker']}: {turn['text']}") for turn in turns])

    def cut(self, text: str) -> str:
        """The longest beginning that fits the window."""
        low, high = 0, len(text)
        while low < high and self._embedder.count_tokens(text[:high]) > self._embedder.window:
            middle = (low + high + 1) // 2
            fits = self._embedder.count_tokens(text[:middle]) <= self._embedder.window
            low, high = (middle, high) if fits else (low, middle - 1)
        return text[:high]

    def recall(self, question: str, k: int) -> list[str]:
        scores = self._vectors @ self._embedder.embed_query(question)
        return [self._ids[i] for i in np.argsort(-scores, kind="stable")[:k]]

    def close(self) -> None: ...


class PlainBM25:
    """BM25 (k1 1.5, b 0.75) over ``lower().split()``: the usual keyword half of a hybrid."""

    def ingest(self, turns: Sequence[Turn]) -> None:
        self._ids = [turn["id"] for turn in turns]
        self._counts = [Counter(f"{turn['speaker']}: {turn['text']}".lower().split()) for turn in turns]
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
    """The PyPI package genome-memory (another project), with the same vectors, if it is installed."""

    def __init__(self, mode: str, embedder: Embedder) -> None:
        from genome import Memory as PeerMemory  # type: ignore[import-not-found]
        from genome.embeddings import EmbeddingProvider  # type: ignore[import-not-found]

        provider = EmbeddingProvider.__new__(EmbeddingProvider)  # its own would load the model a second time
        provider.model_name, provider.dim = "shared", embedder.fingerprint.dimensions
        cut = PlainDense(embedder).cut
        provider.encode = lambda text: embedder.embed([cut(text)])[0]
        provider.encode_batch = lambda texts: embedder.embed([cut(text) for text in texts])
        self._mode, self._memory = mode, PeerMemory(embedding_provider=provider)
        self._ids: dict[str, str] = {}

    def ingest(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            for record in self._memory.add(f"{turn['speaker']}: {turn['text']}", user_id="u"):
                self._ids[record.id] = turn["id"]

    def recall(self, question: str, k: int) -> list[str]:
        found = self._memory.search(question, user_id="u", limit=k, mode=self._mode)
        return [self._ids[result.id] for result in found]

    def close(self) -> None:
        self._memory.close()


SYSTEMS: dict[str, Callable[[], Recaller]] = {
    "hybrid": lambda: Genome("hybrid", shared_embedder()),
    "dense": lambda: Genome("dense", shared_embedder()),
    "lexical": lambda: Genome("lexical", shared_embedder()),
    "plain-dense": lambda: PlainDense(shared_embedder()),
    "plain-bm25": PlainBM25,
    "genome-memory-dense": lambda: GenomeMemory("dense", shared_embedder()),
    "genome-memory-hybrid": lambda: GenomeMemory("hybrid", shared_embedder()),
}
DEFAULT = [name for name in SYSTEMS if not name.startswith("genome-memory")]
System = Genome


def evaluate(
    make: Callable[[], Recaller], conversations: Sequence[Mapping[str, Any]], ks: Sequence[int]
) -> dict[str, NDArray[np.float64]]:
    """By category the mean hit@k and recall@k of each k, then the number of questions and the seconds spent."""
    rows = defaultdict(list)
    for conversation in conversations:
        known = {turn["id"] for turn in conversation["turns"]}
        system = make()
        system.ingest(conversation["turns"])
        for question in conversation["questions"]:
            gold = known.intersection(question["evidence"])
            if not gold or question["category"] in NO_EVIDENCE:
                continue
            start = time.perf_counter()
            found = system.recall(question["question"], max(ks))
            seconds = time.perf_counter() - start
            shares = [len(gold.intersection(found[:k])) / len(gold) for k in ks]
            row = [*(float(share > 0) for share in shares), *shares, seconds]
            for category in (question["category"], "ALL"):
                rows[category].append(row)
        system.close()
    return {category: np.append(np.mean(found, axis=0), len(found)) for category, found in rows.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=Path, default=[Path(__file__).parent / "notes"])
    parser.add_argument("--system", nargs="+", choices=SYSTEMS, default=DEFAULT)
    parser.add_argument("--k", nargs="+", type=int, default=[5, 10, 20])
    arguments = parser.parse_args()
    names = [f"{measure}@{k}" for measure in ("hit", "recall") for k in arguments.k]
    for folder in arguments.data:
        conversations = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
        print(f"\n{folder.name}: {len(conversations)} conversations")
        print(f"{'':46s}{'n':>5s} " + " ".join(f"{name:>9s}" for name in [*names, "ms"]))
        for system in arguments.system:
            results = evaluate(SYSTEMS[system], conversations, arguments.k)
            for category, (*values, seconds, count) in sorted(results.items()):
                if category == "ALL" or system == "hybrid":
                    label = f"{system:20s} {category}"
                    print(
                        f"{label:46s}{count:5.0f} " + " ".join(f"{v:9.3f}" for v in [*values, 1e3 * seconds]),
                        flush=True,
                    )


if __name__ == "__main__":
    main()
