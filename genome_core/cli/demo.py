"""The command ``genome demo``: a real conversation goes in, and answers come out."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track
from rich.text import Text

from genome_core.cli.common import AsJson, console, print_json
from genome_core.cli.tables import found_lines
from genome_core.demo import conversation, questions
from genome_core.errors import Conflict
from genome_core.memory import Memory

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
        memory = stack.enter_context(Memory(keep or Path(folder) / "demo.db"))
        seconds = _store(memory, quiet=as_json)
        answers = {question.text: memory.search(question.text, user_id=USER, limit=3) for question in questions()}
    if as_json:
        print_json({"stored": len(conversation()), "seconds": seconds, "answers": answers})
        return
    for question, hits in answers.items():
        console.print(Text(question, style="bold"), found_lines(hits), "")
    console.print("`genome verify-install` proves that none of this needs the network or a language model.")
    if keep is not None:
        console.print(f"The store is kept: genome search {keep} 'your question' --user {USER}", markup=False)


def _store(memory: Memory, *, quiet: bool) -> float:
    """Write the conversation as an agent would, one turn at a time; returns the seconds that it took."""
    turns = conversation()
    with console.status("Loading the model; the first time, it is prepared for this machine"):
        memory.embedder.embed_query("This is not part of a write.")
    started = time.perf_counter()
    for turn in track(turns, description="Storing", console=console, transient=True, disable=quiet):
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
