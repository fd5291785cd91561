"""Facts in time, scored without a judge: the adapter between this package and the two scoring scripts.

    python benchmarks/facts.py --eval FOLDER tempbelief FILE...
    python benchmarks/facts.py --eval FOLDER chat FILE...
    python benchmarks/facts.py cost FILE...

``cost`` measures the CPU time that the rules take for each turn of chat files, with no embedding. FOLDER holds ``tempbelief.py`` and ``chatfacts.py``, the scoring scripts; each FILE is a data set in the format that they describe.
``--half even`` or ``--half odd`` takes every second conversation: one half to build with, the other to check on.
``--words FILE`` tells some turns in other words: a JSON object of texts by ``turn_id``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from genome_core import Memory
from genome_core.embedders import default_embedder
from genome_core.facts.answers import Answer, answer
from genome_core.facts.attributes import AttributeTable
from genome_core.facts.candidates import Told
from genome_core.facts.extractor import RuleExtractor
from genome_core.facts.likeness import Prototypes
from genome_core.facts.questions import Mode, read_question
from genome_core.facts.sentences import read_sentences
from genome_core.protocols import Embedder
from genome_core.types import Fact, FactKind, Record

TABLE = AttributeTable()


@cache
def embedder() -> Embedder:
    """One for the whole run."""
    return default_embedder()


@cache
def prototypes() -> Prototypes:
    return Prototypes(TABLE, embedder().embed)


class Functions:
    """The pure functions over lists, without a store: what the facts and the questions do by themselves."""

    def __init__(self) -> None:
        self._extractor = RuleExtractor(TABLE)
        self._turns: list[Record] = []
        self._told: list[Told] = []
        self.facts: list[Fact] = []

    def add(self, turn: Record) -> None:
        recent = self._turns[-4:]
        self._turns.append(turn)
        self._told += [Told(sentence, turn) for sentence in read_sentences(turn, lambda: recent)]
        self.facts += self._extractor.extract(turn, lambda: recent)

    def ask(self, question: str, at: datetime) -> Answer:
        names = sorted({turn.speaker for turn in self._turns} | {fact.subject for fact in self.facts})
        read = read_question(question, at, names, TABLE, asker="user", likeness=prototypes().likeness)
        return answer(read, self.facts, self._told, table=TABLE, prototypes=prototypes(), people=names)

    def close(self) -> None:
        pass


class Store:
    """``Memory`` on a store in main memory: what a user gets."""

    def __init__(self) -> None:
        self._memory = Memory(":memory:", embedder=embedder(), attributes=TABLE)

    @property
    def facts(self) -> list[Fact]:
        return self._memory.fact_log(run_id="one")

    def add(self, turn: Record) -> None:
        self._memory.add(turn, run_id="one")

    def ask(self, question: str, at: datetime) -> Answer:
        return self._memory.ask(question, at=at, run_id="one")

    def close(self) -> None:
        self._memory.close()


SYSTEMS: dict[str, type[Functions] | type[Store]] = {"memory": Store, "functions": Functions}


class Conversation:
    """One conversation, in the form that the scoring scripts want."""

    def __init__(self, system: type[Functions] | type[Store]) -> None:
        self.system = system()
        self.turns: dict[str, Record] = {}

    def add(self, turn: Record) -> None:
        self.turns[turn.id] = turn
        self.system.add(turn)

    def answer(self, question: str, at: str) -> Answer:
        return self.system.ask(question, datetime.fromisoformat(at).replace(tzinfo=UTC))

    def ask(self, question: str, at: str) -> Any:
        found = self.answer(question, at)
        if found.question.mode is Mode.HISTORY:
            return list(found.values) if found.value is not None else None
        evidence = self.turns[found.evidence[0].source].text if found.evidence else None
        return {"value": found.value, "evidence": evidence}

    def close(self) -> None:
        self.system.close()


class TempBelief(Conversation):
    """``System`` of tempbelief.py. Sessions are dated by month; what they tell is over by its last day."""

    def ingest(self, turns: Sequence[dict[str, Any]]) -> None:
        for turn in turns:
            month = datetime.strptime(turn["session_datetime"], "%B %Y").replace(tzinfo=UTC)
            at = (month + timedelta(days=31)).replace(day=1) - timedelta(days=1)
            self.add(Record(id=turn["turn_id"], text=turn["text"], name=turn["speaker"], at=at))

    def facts(self) -> list[tuple[str, str, str, Any]]:
        starts = [f for f in self.system.facts if f.kind is FactKind.ASSERTION and f.value and f.certainty >= 0.5]
        return [
            (f.subject, f.attribute, f.value or "", (f.valid_from.start if f.valid_from else f.at).date())
            for f in starts
        ]


class Chat(Conversation):
    """``System`` of chatfacts.py."""

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
            for f in self.system.facts
            if f.certainty >= 0.5
        ]


KINDS = {"tempbelief": TempBelief, "chat": Chat}


def cost(conversations: Sequence[dict[str, Any]]) -> None:
    """Prints the CPU time of reading the facts of one turn."""
    extractor = RuleExtractor(TABLE)
    times = []
    for conversation in conversations:
        before: list[Record] = []
        for turn in conversation["turns"]:
            at = datetime.fromisoformat(turn["at"]).replace(tzinfo=UTC)
            record = Record(id=turn["id"], text=turn["text"], name=turn["speaker"], at=at)
            start = time.thread_time()
            extractor.extract(record, partial(list, before[-4:]))
            times.append(1e3 * (time.thread_time() - start))
            before.append(record)
    middle, rare = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    print(f"   {len(times)} turns: {middle:.2f} ms of CPU at the median, {rare:.2f} at the 95th percentile")


def reword(conversations: Sequence[dict[str, Any]], words: dict[str, str]) -> None:
    """Puts other words into the turns named; raises ``SystemExit`` if one is not there."""
    turns = {turn["turn_id"]: turn for conversation in conversations for turn in conversation["turns"]}
    if missing := words.keys() - turns.keys():
        raise SystemExit(f"no turn {min(missing)} in this file")
    for turn_id, text in words.items():
        turns[turn_id]["text"] = text


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
    parser.add_argument("kind", choices=[*sorted(KINDS), "cost"])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--eval", type=Path, default=Path(os.environ.get("GENOME_EVAL", ".")), help="folder of the scoring scripts"
    )
    parser.add_argument("--system", choices=sorted(SYSTEMS), default="memory")
    parser.add_argument("--half", choices=["even", "odd"])
    parser.add_argument("--words", type=Path, help="other words for turns, as JSON")
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    if args.kind == "cost":
        for file in args.files:
            print(f"== {file.name}")
            cost(json.loads(file.read_text()))
        return
    module = scoring(args.eval, "tempbelief" if args.kind == "tempbelief" else "chatfacts")
    for file in args.files:
        conversations = json.loads(file.read_text())
        if args.words:
            reword(conversations, json.loads(args.words.read_text()))
        if args.half:
            conversations = conversations[args.half == "odd" :: 2]
        print(f"== {file.name}{f' ({args.half} conversations)' if args.half else ''}")
        module.evaluate(partial(KINDS[args.kind], SYSTEMS[args.system]), conversations, args.show)


if __name__ == "__main__":
    main()
