"""What the commands share: their options, opening a store, output as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console, RenderableType

from genome_core.embedders import load_embedder
from genome_core.errors import InvalidInput, NotFound
from genome_core.memory import Memory

KEY_FILE = "GENOME_KEY_FILE"
"""The environment variable that names the file of the journal key, for every command."""

T = TypeVar("T")

console = Console()
"""Tables and sentences for people. JSON goes to standard output as it is."""

Store = Annotated[str, typer.Argument(metavar="DB", help="A SQLite file or a database URL.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of tables for people.")]
EmbedderSpec = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        envvar="GENOME_EMBEDDER",
        help="default, onnx[:MODEL], torch[:MODEL], static:FOLDER or openai[:MODEL].",
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key-file", metavar="FILE", envvar=KEY_FILE, help="The file of the store's journal key."),
]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many at most.")]


@contextmanager
def opened(
    store: str, *, embedder: str | None = None, create: bool = False, key_file: Path | None = None
) -> Iterator[Memory]:
    """The store, closed at the end; ``embedder`` is a name as ``load_embedder`` takes it.

    The journal key comes from ``key_file`` or else from the file that the environment names.

    Raises ``NotFound`` where ``store`` names a file that does not exist, unless ``create``. A typing error must not leave
    an empty store behind: a new file goes again if the command fails before anything was written.
    """
    new = "://" not in store and not Path(store).exists()
    if new and not create:
        raise NotFound(
            f"there is no store at {store}", hint="check the path; `genome add` and `genome import` create one"
        )
    key = key_file or os.environ.get(KEY_FILE) or None
    with Memory(store, embedder=load_embedder(embedder) if embedder else None, journal_key=key) as memory:
        try:
            yield memory
        except BaseException:
            if new and memory.stats().journal_entries == 0:
                memory.close()
                for suffix in ("", "-wal", "-shm"):
                    Path(store + suffix).unlink(missing_ok=True)
            raise


def parse_time(text: str | None) -> datetime | None:
    """An ISO 8601 date or time with a zone; a date alone is its first instant in UTC."""
    if text is None:
        return None
    hint = "write it as 2025-03-01 or 2025-03-01T12:00:00+00:00"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"{text!r} is not a time", hint=hint) from error
    if len(text) == len("2025-03-01"):
        return datetime.fromisoformat(f"{text}T00:00:00+00:00")
    if moment.tzinfo is None:
        raise InvalidInput(f"{text!r} has no time zone", hint=hint)
    return moment


def parse_object(text: str | None, option: str) -> dict[str, Any] | None:
    """A JSON object given to ``option``."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{option} is not JSON: {error}", hint="""quote it for the shell: '{"key": 1}'""") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"{option} must be a JSON object", hint="""for example '{"key": 1}'""")
    return value


def print_json(value: object) -> None:
    """One JSON document on standard output; value types become objects, times ISO 8601 strings."""
    typer.echo(json.dumps(plain(value), ensure_ascii=False, indent=2))


def show(found: T, table: Callable[[T], RenderableType], as_json: bool) -> None:
    """What a command found, as a table for people or as JSON for programs."""
    if as_json:
        print_json(found)
    elif found == []:
        console.print("Nothing found.")
    else:
        console.print(table(found))


def report(sentence: str, values: object, as_json: bool) -> None:
    """What a command did, for people or for programs."""
    if as_json:
        print_json(values)
    else:
        console.print(sentence, markup=False, highlight=False, soft_wrap=True)


def plain(value: Any) -> Any:
    """``value`` as what JSON knows."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    return value
