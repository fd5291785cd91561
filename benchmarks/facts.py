"""Facts in time, scored without a judge: the adapter between this package and the two scoring scripts.

    python benchmarks/facts.py --eval FOLDER tempbelief FILE...
    python benchmarks/facts.py --eval FOLDER chat FILE...

FOLDER holds ``tempbelief.py`` and ``chatfacts.py``, the scoring scripts; each FILE is a data set in the format that they describe.
``--half even`` or ``--half odd`` takes every second conversation: one half to build with, the other to check on.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from genome_core.facts.answers import Answer, answer
from genome_core.facts.attributes import AttributeTable
from genome_core.facts.candidates import Told
from genome_core.facts.extractor import RuleExtractor
from genome_core.facts.likeness import Prototypes
from genome_core.facts.questions import Mode, read_question
from genome_core.facts.sentences import read_sentences
from genome_core.protocols import Embedder, Vectors
from genome_core.types import Fact, FactKind, Record

TABLE = AttributeTable()
_vectors: dict[str, Any] = {}
_embedder: list[Embedder] = []


def embed(texts: Sequence[str]) -> Vectors:
    """The default embedder behind a cache for the run."""
    new = [text for text in dict.fromkeys(texts) if text not in _vectors]
    if new:
        if not _embedder:
            from genome_core.embedders import default_embedder

            _embedder.append(default_embedder())
        _vectors.update(zip(new, _embedder[0].embed(new), strict=True))
    return np.stack([_vectors[text] for text in texts])


PROTOTYPES = Prototypes(TABLE, embed)


class Conversation:
    """One conversation in memory: its turns, typed sentences and facts."""

    def __init__(self) -> None:
        self.extractor = RuleExtractor(TABLE)
        self.turns: dict[str, Record] = {}
        self.told: list[Told] = []
        self.found: list[Fact] = []

    def add(self, turn: Record) -> None:
        recent = list(self.turns.values())[-4:]
        self.turns[turn.id] = turn
        self.told += [Told(sentence, turn) for sentence in read_sentences(turn, lambda: recent)]
        self.found += self.extractor.extract(turn, lambda: recent)

    def answer(self, question: str, at: str) -> Answer:
        speakers = {turn.speaker for turn in self.turns.values()}
        names = speakers | {fact.subject for fact in self.found} | {e for t in self.told for e in t.sentence.entities}
        now = datetime.fromisoformat(at).replace(tzinfo=UTC)
        read = read_question(
            question, now, names, TABLE, asker="user" if "user" in speakers else "", likeness=PROTOTYPES.likeness
        )
        people = speakers | {fact.subject for fact in self.found}
        return answer(read, self.found, self.told, table=TABLE, prototypes=PROTOTYPES, people=people)

    def ask(self, question: str, at: str) -> Any:
        """In the form the scoring scripts want."""
        found = self.answer(question, at)
        if found.question.mode is Mode.HISTORY:
            return list(found.values) if found.value is not None else None
        evidence = self.turns[found.evidence[0].source].text if found.evidence else None
        return {"value": found.value, "evidence": evidence}


class TempBelief(Conversation):
    """``System`` of tempbelief.py: sessions are dated by month."""

    def ingest(self, turns: Sequence[dict[str, Any]]) -> None:
        for turn in turns:
            at = datetime.strptime(turn["session_datetime"], "%B %Y").replace(tzinfo=UTC)
            self.add(Record(id=turn["turn_id"], text=turn["text"], name=turn["speaker"], at=at))

    def facts(self) -> list[tuple[str, str, str, Any]]:
        starts = [f for f in self.found if f.kind is FactKind.ASSERTION and f.value and f.certainty >= 0.5]
        return [
            (f.subject, f.attribute, f.value or "", (f.valid_from.start if f.valid_from else f.at).date())
            for f in starts
        ]


class Chat(Conversation):
    """``System`` of chatfacts.py."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[tuple[Fact, bool]] = []

    def ingest(self, turns: Sequence[dict[str, Any]]) -> None:
        for turn in turns:
            at = datetime.fromisoformat(turn["at"]).replace(tzinfo=UTC)
            self.add(Record(id=turn["id"], text=turn["text"], name=turn["speaker"], at=at))

    def facts(self) -> list[dict[str, Any]]:
        status = {
            FactKind.ASSERTION: "asserted",
            FactKind.CORRECTION: "asserted",
            FactKind.END: "ended",
            FactKind.RETRACTION: "negated",
        }
        return [
            {
                "turn": f.source,
                "subject": f.subject,
                "attribute": f.attribute,
                "value": f.value,
                "from": f.valid_from.start.date() if f.valid_from else None,
                "status": status[f.kind],
            }
            for f in self.found
            if f.certainty >= 0.5
        ]


SYSTEMS = {"tempbelief": TempBelief, "chat": Chat}


def scoring(folder: Path, name: str) -> ModuleType:
    """The scoring script as a module."""
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"no {name}.py in {folder}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(SYSTEMS))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--eval", type=Path, default=Path(os.environ.get("GENOME_EVAL", ".")), help="folder of the scoring scripts"
    )
    parser.add_argument("--half", choices=["even", "odd"])
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    module = scoring(args.eval, "tempbelief" if args.kind == "tempbelief" else "chatfacts")
    for file in args.files:
        conversations = json.loads(file.read_text())
        if args.half:
            conversations = conversations[args.half == "odd" :: 2]
        print(f"== {file}{f' ({args.half} conversations)' if args.half else ''}")
        module.evaluate(SYSTEMS[args.kind], conversations, args.show)


if __name__ == "__main__":
    main()
