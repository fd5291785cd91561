"""The command ``genome demo``: a real conversation goes in, and answers come out."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track
from rich.text import Text

from genome_core.cli.common import AsJson, console, print_json
from genome_core.cli.tables import answer_lines, found_lines
from genome_core.demo import ASKED_AT, conversation, fact_questions, questions
from genome_core.errors import Conflict
from genome_core.facts.answers import Answer
from genome_core.facts.wording import say_day
from genome_core.memory import Memory
from genome_core.types import Hit

USER = "nadia-and-tom"


def demo(
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DB", help="Keep the store in this new file; else it is deleted.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Store a conversation over two years, then ask what was said."""
    if keep is not None and keep.exists():
        raise Conflict(f"{keep} exists", hint="name a new file: the demo does not write into a store of yours")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="genome-demo-"))
        clock = _Clock()
        memory = stack.enter_context(Memory(keep or Path(folder) / "demo.db", clock=clock))
        seconds = _store(memory, clock, quiet=as_json)
        clock.now = ASKED_AT
        hits = [memory.search(question.text, user_id=USER, limit=3) for question in questions()]
        answers = [memory.ask(fact.text, known_at=fact.known_at, user_id=USER) for fact in fact_questions()]
    if as_json:
        recalled = [{"question": one.text, "hits": found} for one, found in zip(questions(), hits, strict=True)]
        known = [{"question": one, "answer": answer} for one, answer in zip(fact_questions(), answers, strict=True)]
        print_json({"stored": len(conversation()), "seconds": seconds, "recalled": recalled, "known": known})
        return
    _print(hits, answers)
    if keep is not None:
        console.print(f"The store is kept: genome search {keep} 'your question' --user {USER}", markup=False)


class _Clock:
    """Tells the time of the turn that is being stored, as if the store had been there."""

    now = datetime.min.replace(tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def _store(memory: Memory, clock: _Clock, *, quiet: bool) -> float:
    """Write the conversation as an agent would, one turn at a time; returns the seconds that it took."""
    turns = conversation()
    with console.status("Loading the model; the first time, it is prepared for this machine"):
        memory.embedder.embed_query("This is not part of a write.")
    started = time.perf_counter()
    for turn in track(turns, description="Storing", console=console, transient=True, disable=quiet):
        clock.now = turn.at or clock.now
        memory.add(turn, user_id=USER)
    seconds = time.perf_counter() - started
    if not quiet:
        first, last = turns[0].at, turns[-1].at
        console.print(
            f"Stored {len(turns)} turns, said between {first:%B %Y} and {last:%B %Y}, in {seconds:.2f} s "
            f"({1000 * seconds / len(turns):.1f} ms a turn).\n",
            highlight=False,
        )
    return seconds


def _print(hits: Sequence[Sequence[Hit]], answers: Sequence[Answer]) -> None:
    console.rule("What was said", align="left")
    for question, found in zip(questions(), hits, strict=True):
        console.print(Text(question.text, style="bold"), found_lines(found), "")
    console.rule("What was so, and when", align="left")
    for fact, answer in zip(fact_questions(), answers, strict=True):
        asked = f"{fact.text} (as known on {say_day(fact.known_at)})" if fact.known_at else fact.text
        console.print(Text(asked, style="bold"), *answer_lines(answer), "", sep="\n")
    console.print("`genome verify-install` proves that none of this needs the network or a language model.")
