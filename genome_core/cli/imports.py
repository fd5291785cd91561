"""``genome import``: from an export of this package, and from what other memories have stored."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from genome_core.cli.common import AsJson, EmbedderSpec, Store, console, opened, plain, print_json
from genome_core.cli.scope import User, scope
from genome_core.errors import MissingDependency

_EXPORT = "export"
"""The form that is meant where none is named: ``genome import DB FILE``."""


class _Forms(typer.core.TyperGroup):
    """A group whose first argument may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [_EXPORT, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Forms,
    no_args_is_help=True,
    help="Take over an export of this package (genome import DB FILE) or what another memory has stored.",
)

GivenFile = Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, show_default=False)]
GivenFolder = Annotated[Path, typer.Argument(metavar="FOLDER", exists=True, file_okay=False, show_default=False)]
Owner = Annotated[str | None, typer.Option("--user", metavar="ID", help="Whose memories become that name nobody.")]


@app.command(_EXPORT)
def export_file(store: Store, file: GivenFile, embedder: EmbedderSpec = None, as_json: AsJson = False) -> None:
    """Records from a file that `genome export` wrote, after checking the whole of it."""
    with opened(store, embedder=embedder, create=True) as memory:
        count = memory.import_(file)
    _report(file, {"records": count}, as_json)


@app.command("mem0")
def mem0(
    store: Store,
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A JSON file of get_all(), or the vector store's folder.")
    ],
    collection: Annotated[str, typer.Option("--collection", help="Which collection of the folder.")] = "mem0",
    user: Owner = None,
    embedder: EmbedderSpec = None,
    as_json: AsJson = False,
) -> None:
    """Memories of Mem0: the JSON of get_all(), or its folder of Qdrant, Chroma or FAISS."""
    from genome_core.importing import import_mem0

    with opened(store, embedder=embedder, create=True) as memory:
        imported = import_mem0(path, memory, collection=collection, **scope(user))
    _report(path, imported, as_json)


@app.command("genome-memory")
def genome_memory(
    store: Store, file: GivenFile, user: Owner = None, embedder: EmbedderSpec = None, as_json: AsJson = False
) -> None:
    """Memories and facts of a SQLite file of the package genome-memory."""
    from genome_core.importing import import_genome_memory

    with opened(store, embedder=embedder, create=True) as memory:
        imported = import_genome_memory(file, memory, **scope(user))
    _report(file, imported, as_json)


@app.command("langgraph")
def langgraph(store: Store, file: GivenFile, embedder: EmbedderSpec = None, as_json: AsJson = False) -> None:
    """Threads and items of LangGraph's own SqliteSaver and SqliteStore."""
    adapter = adapter_module("genome_langgraph.importer", "LangGraph", "langgraph")
    with opened(store, embedder=embedder, create=True) as memory:
        imported = adapter.import_sqlite(file, memory)
    _report(file, imported, as_json)


@app.command("crewai")
def crewai(
    store: Store, folder: GivenFolder, user: User = None, embedder: EmbedderSpec = None, as_json: AsJson = False
) -> None:
    """Memories of CrewAI's own memory: its folder of LanceDB, by default $CREWAI_STORAGE_DIR/memory."""
    os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}  # read when CrewAI is imported
    adapter = adapter_module("genome_crewai", "CrewAI", "crewai")
    with opened(store, embedder=embedder, create=True) as memory:
        count = adapter.import_lancedb(folder, adapter.GenomeMemory(memory, user_id=user))
    _report(folder, {"records": count}, as_json)


def adapter_module(name: str, framework: str, extra: str) -> Any:
    """A module of an adapter, by name: the engine knows no adapter, and only single commands need one."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingDependency(
            f"this command needs {framework}: {error}", hint=f'pip install "genome-plugins[{extra}]"'
        ) from error


def _report(source: Path, imported: Any, as_json: bool) -> None:
    values = {name: value for name, value in plain(imported).items() if value is not None}
    if as_json:
        print_json(values)
        return
    left_out = values.pop("left_out", {})
    counts = ", ".join(f"{name} {count}" for name, count in values.items())
    rest = ", ".join(f"{name} {count}" for name, count in left_out.items() if count)
    console.print(
        f"Imported {source}: {counts}" + (f"; left out: {rest}" if rest else ""),
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
