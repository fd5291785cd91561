"""The command line application: its commands and how an error looks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from genome_core._version import __version__
from genome_core.cli import audit, demo, facts, imports, langgraph, minds, records, retaining, stores
from genome_core.cli.receipt import verify_install
from genome_core.errors import GenomeError

app = typer.Typer(
    name="genome",
    help="Memory for AI agents that needs no LLM: look into a store, move it, check it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Memory for AI agents that needs no LLM: look into a store, move it, check it."""


for command in (
    demo.demo,
    verify_install,
    records.add,
    records.search,
    records.explain,
    records.get,
    records.history,
    facts.ask,
    facts.facts,
    facts.timeline,
    minds.conflicts,
    minds.resolve,
    minds.reopen,
    stores.export,
    stores.reindex,
    stores.stats,
    audit.verify,
    audit.log,
    audit.replay,
    audit.branch,
    audit.rollback,
    stores.distill,
    retaining.erase,
    retaining.hold,
    retaining.retain,
    retaining.release,
    retaining.rules,
    retaining.sweep,
    langgraph.prune,
):
    app.command(command.__name__.rstrip("_").replace("_", "-"))(command)
app.add_typer(imports.app, name="import")


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the installed command; leaves by ``SystemExit``, with 2 after an error of ours."""
    try:
        app(arguments)
    except (GenomeError, OSError) as error:
        Console(stderr=True).print(f"genome: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
