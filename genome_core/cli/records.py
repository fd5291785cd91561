"""Commands on records: add, search, explain, get, history."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from genome_core.cli.common import (
    AsJson,
    EmbedderSpec,
    Limit,
    Store,
    console,
    opened,
    parse_object,
    parse_time,
    print_json,
    show,
)
from genome_core.cli.scope import Whose, scope, scoped, trusted_scope
from genome_core.cli.tables import explanations_table, history_table, hits_table, record_table
from genome_core.errors import InvalidInput, NotFound
from genome_core.types import Record

Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="Only what was said at or after TIME.")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Only what was said before TIME.")]
Where = Annotated[str | None, typer.Option("--filter", metavar="JSON", help="A filter on metadata, as in the docs.")]
Query = Annotated[str, typer.Argument(metavar="QUERY", help="What to look for, in plain words.")]
RecordId = Annotated[str, typer.Argument(metavar="ID", help="The record's id.")]


@scoped(scope)
def add(
    store: Store,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; - reads standard input.")],
    whose: Whose,
    role: Annotated[str, typer.Option("--role", help="Who speaks: user, assistant, ...")] = "user",
    name: Annotated[str | None, typer.Option("--name", help="The speaker's name.")] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When it was said; now if left out.")] = None,
    origin: Annotated[
        str | None,
        typer.Option("--origin", help="Where it comes from, such as web; by default it follows from the role."),
    ] = None,
    believer: Annotated[
        str, typer.Option("--believer", help="In whose view its facts hold; the common one if left out.")
    ] = "",
    record_id: Annotated[str, typer.Option("--id", help="An id of your own.")] = "",
    metadata: Annotated[str | None, typer.Option("--metadata", metavar="JSON", help="A JSON object.")] = None,
    embedder: EmbedderSpec = None,
    as_json: AsJson = False,
) -> None:
    """Store one text."""
    said = sys.stdin.read().removesuffix("\n") if text == "-" else text
    if not said.strip():
        raise InvalidInput("the text is blank", hint="say what to remember")
    record = Record(
        text=said,
        id=record_id,
        role=role,
        name=name,
        at=parse_time(at),
        believer=believer,
        metadata=parse_object(metadata, "--metadata") or {},
    )
    with opened(store, embedder=embedder, create=True) as memory:
        ids = memory.add(record, origin=origin, **whose)
    if as_json:
        print_json({"ids": ids})
    else:
        console.print(f"Stored {ids[0]}", markup=False)


@scoped(trusted_scope, required=True)
def search(
    store: Store,
    query: Query,
    whose: Whose,
    limit: Limit = 5,
    since: Since = None,
    until: Until = None,
    where: Where = None,
    embedder: EmbedderSpec = None,
    as_json: AsJson = False,
) -> None:
    """Find the records that fit a query best."""
    with opened(store, embedder=embedder) as memory:
        hits = memory.search(query, limit=limit, **_narrowing(since, until, where), **whose)
    show(hits, hits_table, as_json)


@scoped(trusted_scope, required=True)
def explain(
    store: Store,
    query: Query,
    whose: Whose,
    limit: Limit = 5,
    candidates: Annotated[int, typer.Option("--candidates", min=1, help="How many records to tell about.")] = 10,
    since: Since = None,
    until: Until = None,
    where: Where = None,
    embedder: EmbedderSpec = None,
    as_json: AsJson = False,
) -> None:
    """Search, and show what each signal added to each score, and why other records were left out."""
    with opened(store, embedder=embedder) as memory:
        narrowing = _narrowing(since, until, where)
        explanations = memory.explain(query, limit=limit, candidates=candidates, **narrowing, **whose)
    show(explanations, explanations_table, as_json)


@scoped(trusted_scope)
def get(
    store: Store,
    record_id: RecordId,
    whose: Whose,
    as_json: AsJson = False,
) -> None:
    """Show one record."""
    with opened(store) as memory:
        record = memory.get(record_id, **whose)
    if record is None:
        raise _not_found(record_id)
    show(record, record_table, as_json)


@scoped(trusted_scope)
def history(
    store: Store,
    record_id: RecordId,
    whose: Whose,
    as_json: AsJson = False,
) -> None:
    """Show how a record came to be what it is."""
    with opened(store) as memory:
        versions = memory.history(record_id, **whose)
    if not versions:
        raise _not_found(record_id)
    show(versions, history_table, as_json)


def _not_found(record_id: str) -> NotFound:
    return NotFound(f"no record {record_id!r}", hint="it was deleted, has expired, or belongs to somebody else")


def _narrowing(since: str | None, until: str | None, where: str | None) -> dict[str, Any]:
    """The options that narrow a search, as keyword arguments of ``Memory.search``."""
    return {"since": parse_time(since), "until": parse_time(until), "filter": parse_object(where, "--filter")}
