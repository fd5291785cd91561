"""Commands on whole stores: export, reindex, stats, distill."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from genome_core.cli.common import AsJson, EmbedderSpec, Store, opened, plain, report, show
from genome_core.cli.tables import properties_table

NewFile = Annotated[Path, typer.Argument(metavar="FILE", help="A file to write, of JSON lines.", dir_okay=False)]


def export(store: Store, file: NewFile, as_json: AsJson = False) -> None:
    """Write every record to a file of JSON lines, with ids, times and namespaces."""
    with opened(store) as memory:
        count = memory.export(file)
    report(f"Exported {count} records to {file}", {"records": count, "file": str(file)}, as_json)


def reindex(store: Store, embedder: EmbedderSpec = None, as_json: AsJson = False) -> None:
    """Embed every record again, with the same embedder or another one."""
    with opened(store, embedder=embedder) as memory, _progress_bar(quiet=as_json) as progress:
        count = memory.reindex(progress=progress)
        name = memory.embedder.fingerprint.name
    report(f"Embedded {count} records again with {name}", {"records": count, "embedder": name}, as_json)


def stats(store: Store, as_json: AsJson = False) -> None:
    """Show how much a store holds."""
    with opened(store) as memory:
        values = plain(memory.stats())
    show(values, properties_table, as_json)


def distill(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A sentence-transformers model: its name or folder.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder for the static model.")],
    as_json: AsJson = False,
) -> None:
    """Make a static model, for thousands of writes a second; use it as --embedder static:FOLDER."""
    from genome_core.embedders import distill as make

    fingerprint = make(model, folder).fingerprint
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    sentence = f"Wrote {folder}: {fingerprint.dimensions} dimensions, {size / 1e6:.0f} MB"
    report(sentence, {"folder": str(folder), "bytes": size, "fingerprint": fingerprint}, as_json)


@contextmanager
def _progress_bar(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, and the function that moves it."""
    with Progress(console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task("Embedding", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
