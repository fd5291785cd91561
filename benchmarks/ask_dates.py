#!/usr/bin/env python3
"""When did it happen? Asked of whole conversations, end to end: ``Memory.ask``, beside reading the dates of the best hit of a search.

    python benchmarks/ask_dates.py DIR/26.json DIR/30.json ... [--show]

Each file is a LoCoMo conversation, as ``time_libraries.py`` takes it, with the same gold and the same rule of what is right. There each reader
is given the turns that hold the answer; here every turn is stored, and the turn has to be found. An answer's date is the one it resolved
for its first sentence, or the day of the telling where that names none; "none" is the share of questions without an answer.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tables import Table
from time_libraries import DAY, Span, agrees, genome, questions

from genome_core import Memory
from genome_core.types import Record


def stored(path: Path) -> tuple[Memory, datetime]:
    """The conversation in a memory of its own, and the day after its end."""
    turns = json.loads(path.read_text())["turns"]
    records = [
        Record(
            id=turn["id"],
            text=turn["text"],
            name=turn["speaker"],
            at=datetime.fromisoformat(turn["at"]).replace(tzinfo=UTC),
        )
        for turn in turns
    ]
    memory = Memory(":memory:")
    memory.add(records, run_id="one")
    return memory, max(record.at for record in records if record.at) + DAY


def asked(memory: Memory, end: datetime, question: str) -> list[Span]:
    """The date that ``Memory.ask`` gives."""
    answer = memory.ask(question, at=end, run_id="one")
    return [(one.when.start, one.when.end) if one.when else day(one.said) for one in answer.evidence[:1]]


def searched(memory: Memory, end: datetime, question: str) -> list[Span]:
    """The dates read in the best hit of a search."""
    [hit] = memory.search(question, run_id="one", limit=1, at=end)
    assert hit.record.at is not None
    return genome(hit.record.text, hit.record.at) or [day(hit.record.at)]


def day(moment: datetime) -> Span:
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return start, start + timedelta(days=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    arguments = parser.parse_args()
    readers: dict[str, Callable[[Memory, datetime, str], list[Span]]] = {
        "Memory.ask": asked,
        "search, then the grammar of time": searched,
    }
    counts = {name: [0, 0] for name in readers}
    total = 0
    for path in arguments.files:
        memory, end = stored(path)
        with memory:
            for question, gold_answer, gold, _ in questions(path):
                total += 1
                for name, read in readers.items():
                    found = read(memory, end, question)
                    right = any(agrees(span, gold) for span in found)
                    counts[name][0] += right
                    counts[name][1] += 0 if found else 1
                    if arguments.show and not right:
                        print(
                            f"  {name} | {path.stem} | {question} | {gold_answer} | {[f'{a:%F}..{b:%F}' for a, b in found]}"
                        )
    table = Table(
        f"When? asked of {len(arguments.files)} whole conversations, {total} questions", ["right", "none", "wrong"]
    )
    for name, (right, none) in counts.items():
        table.row(name, *(f"{count / total:.3f}" for count in (right, none, total - right - none)))


if __name__ == "__main__":
    main()
