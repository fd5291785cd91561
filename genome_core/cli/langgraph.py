"""The command for LangGraph's threads: prune. It needs the extra ``langgraph``."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from genome_core.cli.common import AsJson, Store, console, opened, print_json
from genome_core.cli.imports import adapter_module
from genome_core.errors import InvalidInput


def prune(
    store: Store,
    keep_latest: Annotated[
        bool, typer.Option("--keep-latest", help="Keep of each thread what it needs to go on, without its past.")
    ] = False,
    older_than: Annotated[
        int | None,
        typer.Option(
            "--older-than", metavar="DAYS", min=0, help="Delete threads without a checkpoint for so many days."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Drop old checkpoints of LangGraph threads; with both options, only of threads that have been idle."""
    if not keep_latest and older_than is None:
        raise InvalidInput("what may go?", hint="give --keep-latest, --older-than DAYS, or both")
    adapter = adapter_module("genome_langgraph", "LangGraph", "langgraph")
    with opened(store) as memory:
        saver = adapter.GenomeSaver(memory)
        strategy = "keep_latest" if keep_latest else "delete"
        count = saver.prune_idle(timedelta(days=older_than or 0), strategy=strategy)
    if as_json:
        print_json({"threads": count, "strategy": strategy})
    else:
        console.print(f"Threads {'pruned' if keep_latest else 'deleted'}: {count}", highlight=False)
