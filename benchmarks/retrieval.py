#!/usr/bin/env python3
"""Does recall return the turns that hold the answer? Evidence retrieval on conversations and notes, beside plain baselines.

    python benchmarks/retrieval.py                                  the notes that come with the project
    python benchmarks/retrieval.py --data DIR [DIR ...]             any folder of conversations in the same form
    python benchmarks/retrieval.py --system hybrid mem0 lancedb-hybrid taosmd genome-memory-hybrid    (see peers.py)

A conversation is a JSON file with ``turns`` (id, session, at, speaker, text) and ``questions`` (question, category, evidence: ids of turns).
``hit@k``: share of questions with an evidence turn among the first k; ``recall@k``: mean share of a question's evidence turns among them.
``System`` at the end is what another harness may import: ``ingest(turns)``, ``recall(question, k) -> ids``, ``close()``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genome_core import Memory
from genome_core.embedders import default_embedder
from genome_core.protocols import Embedder, Vectors
from genome_core.search.rank import Mode
from genome_core.types import Record

if TYPE_CHECKING:
    from peers import Recaller, Turn

ROLES = ("user", "assistant")
NO_EVIDENCE = {"adversarial", "abstention", "instruction_following", "preference_following", "summarization"}
"""Categories of the public sets whose questions have no turn as their answer."""


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


def systems() -> dict[str, Callable[[], Recaller]]:
    """What can be compared, by name; a peer has to be installed."""
    from peers import PEERS

    modes: tuple[Mode, ...] = ("hybrid", "dense", "lexical")
    ours: dict[str, Callable[[], Recaller]] = {mode: partial(Genome, mode, shared_embedder()) for mode in modes}
    return ours | {name: partial(make, shared_embedder()) for name, make in PEERS.items()}


DEFAULT = ["hybrid", "dense", "lexical", "plain-dense", "plain-bm25"]
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
    from tables import Table

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=Path, default=[Path(__file__).parent / "notes"])
    known = systems()
    parser.add_argument("--system", nargs="+", choices=known, default=DEFAULT)
    parser.add_argument("--k", nargs="+", type=int, default=[5, 10, 20])
    arguments = parser.parse_args()
    names = [f"{measure}@{k}" for measure in ("hit", "recall") for k in arguments.k]
    for folder in arguments.data:
        conversations = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
        table = Table(
            f"Recall: {folder.name}, {len(conversations)} conversations", ["questions", *names, "ms a question"]
        )
        for system in arguments.system:
            results = evaluate(known[system], conversations, arguments.k)
            for category, (*values, seconds, count) in sorted(results.items()):
                if category == "ALL" or system == "hybrid":
                    name = system if category == "ALL" else f"{system}: {category}"
                    table.row(name, int(count), *(f"{value:.3f}" for value in values), 1e3 * seconds)


if __name__ == "__main__":
    main()
