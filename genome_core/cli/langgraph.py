"""Commands for LangGraph's data: prune, import-langgraph. They need the extra ``langgraph``."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from genome_core.cli.common import AsJson, EmbedderSpec, Store, console, opened, plain, print_json
from genome_core.errors import InvalidInput, MissingDependency


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
    adapter = _adapter("genome_langgraph")
    with opened(store) as memory:
        saver = adapter.GenomeSaver(memory)
        strategy = "keep_latest" if keep_latest else "delete"
        count = saver.prune_idle(timedelta(days=older_than or 0), strategy=strategy)
    if as_json:
        print_json({"threads": count, "strategy": strategy})
    else:
        console.print(f"Threads {'pruned' if keep_latest else 'deleted'}: {count}", highlight=False)


def import_langgraph(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file of LangGraph's SqliteSaver or SqliteStore.", dir_okay=False)
    ],
    store: Store,
    embedder: EmbedderSpec = None,
    as_json: AsJson = False,
) -> None:
    """Take over threads and items from LangGraph's own SQLite saver and store, after checking all of them."""
    adapter = _adapter("genome_langgraph.importer")
    with opened(store, embedder=embedder, create=True) as memory:
        imported = adapter.import_sqlite(file, memory)
    if as_json:
        print_json(imported)
    else:
        counts = ", ".join(f"{name} {count}" for name, count in plain(imported).items())
        console.print(f"Imported {file}: {counts}", markup=False, highlight=False)


def _adapter(name: str) -> Any:
    """A module of the adapter, by name: the engine knows no adapter, and only these commands need this one."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingDependency(
            f"this command needs LangGraph: {error}", hint='pip install "genome-plugins[langgraph]"'
        ) from error
