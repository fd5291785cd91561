"""Commands on the journal: verify, log, replay, branch, rollback."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from genome_core.audit.chain import Until
from genome_core.cli.common import AsJson, KeyFile, Limit, Store, opened, parse_time, report, show
from genome_core.cli.scope import Whose, scope, scoped
from genome_core.cli.tables import log_table
from genome_core.errors import InvalidInput

Into = Annotated[str, typer.Argument(metavar="INTO", help="A new SQLite file, or the URL of an empty database.")]
Moment = Annotated[
    str | None, typer.Option("--until", metavar="TIME|SEQ", help="The last moment, or journal entry, that counts.")
]


def verify(
    store: Store,
    deep: Annotated[
        bool, typer.Option("--deep", help="Compare every record, vector and fact with the journal.")
    ] = False,
    head: Annotated[
        str | None, typer.Option("--head", metavar="TEXT|FILE", help="A head that `verify` told before, or its file.")
    ] = None,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """Walk the journal's chain of hashes; exit with 2 where it does not hold."""
    if head is not None and not head.startswith("genome-head"):
        head = _read(head)
    with opened(store, key_file=key_file) as memory:
        found = memory.verify(deep=deep, expected_head=head)
    depth = f"; {found.records} records are as it says" if deep else ""
    signed = "with its key" if found.signed else "without a key"
    report(f"The journal verifies, {signed}: {found.entries} entries{depth}\n{found.head}", found, as_json)


@scoped(scope)
def log(
    store: Store,
    whose: Whose,
    limit: Limit = 50,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """Show the newest entries of the journal, newest first."""
    with opened(store, key_file=key_file) as memory:
        entries = memory.log(limit=limit, **whose)
    show(entries, log_table, as_json)


def replay(store: Store, into: Into, key_file: KeyFile = None, as_json: AsJson = False) -> None:
    """Make the store again, from its journal, in an empty one."""
    with opened(store, key_file=key_file) as memory:
        done = memory.replay(into)
    report(f"Replayed {done.entries} entries into {into}: {done.records} records, digest {done.digest}", done, as_json)


def branch(store: Store, into: Into, until: Moment = None, key_file: KeyFile = None, as_json: AsJson = False) -> None:
    """Make the store as it was at a time in an empty one, which goes its own way from there."""
    with opened(store, key_file=key_file) as memory:
        done = memory.branch(into, until=_until(until))
    report(f"Branched into {into}: {done.records} records, from {done.head}", done, as_json)


@scoped(scope)
def rollback(
    store: Store,
    until: Annotated[str, typer.Option("--until", metavar="TIME|SEQ", help="The last moment, or entry, that counts.")],
    whose: Whose,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """Bring a store, or somebody's memory in it, back to its state at a time. The journal keeps what came after."""
    with opened(store, key_file=key_file) as memory:
        done = memory.rollback(_until(until), **whose)
    report(f"Rolled back: {done.restored} records restored, {done.removed} removed", done, as_json)


def _until(text: str | None) -> Until:
    return int(text) if text is not None and text.isdecimal() else parse_time(text)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise InvalidInput(f"--head {path} is neither a head nor a file", hint="give what `verify` printed") from error
