"""Commands on facts in time: ask, facts, timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from genome_core.cli.common import AsJson, EmbedderSpec, Store, console, opened, parse_time, print_json, show
from genome_core.cli.scope import Whose, scoped, trusted_scope
from genome_core.cli.tables import answer_lines, windows_table
from genome_core.facts.log import Window
from genome_core.memory import Memory
from genome_core.timeline_page import timeline_page
from genome_core.timeline_svg import Words

Subject = Annotated[str | None, typer.Option("--subject", metavar="NAME", help="Only about this person or thing.")]
Attribute = Annotated[str | None, typer.Option("--attribute", metavar="NAME", help="Only this, such as home.")]
At = Annotated[str | None, typer.Option("--at", metavar="TIME", help="As of this time; now if left out.")]
KnownAt = Annotated[
    str | None, typer.Option("--known-at", metavar="TIME", help="As it was known then; by default all that is known.")
]


@scoped(trusted_scope, required=True)
def ask(
    store: Store,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="Such as: Where did Ann live in May 2024?")],
    whose: Whose,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When it is asked; now if left out.")] = None,
    known_at: KnownAt = None,
    asker: Annotated[
        str, typer.Option("--asker", metavar="NAME", help="Who I is in the question, where turns have a --name.")
    ] = "user",
    embedder: EmbedderSpec = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question about what holds or held, with what the answer rests on."""
    with opened(store, embedder=embedder) as memory:
        answer = memory.ask(question, at=parse_time(at), known_at=parse_time(known_at), asker=asker, **whose)
    if as_json:
        print_json(answer)
    else:
        console.print(*answer_lines(answer), sep="\n")


@scoped(trusted_scope, required=True)
def facts(
    store: Store,
    whose: Whose,
    subject: Subject = None,
    attribute: Attribute = None,
    at: At = None,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show what holds at a time."""
    with opened(store) as memory:
        windows = memory.facts(
            subject=subject, attribute=attribute, at=parse_time(at), known_at=parse_time(known_at), **whose
        )
    show(windows, windows_table, as_json)


@scoped(trusted_scope, required=True)
def timeline(
    store: Store,
    whose: Whose,
    subject: Subject = None,
    attribute: Attribute = None,
    known_at: KnownAt = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Draw it as a page of HTML in this new or replaced file."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what held from when until when."""
    with opened(store) as memory:
        known = parse_time(known_at)
        windows = memory.timeline(subject=subject, attribute=attribute, known_at=known, **whose)
        if html is not None:
            page = timeline_page(
                windows,
                now=known or memory.now(),
                known_at=known,
                words=_words(memory, windows, whose),
                title=subject or "What held when",
            )
            html.write_text(page, encoding="utf-8")
    if as_json:
        print_json(windows)
    elif html is not None:
        console.print(f"Drew {len(windows)} values in {html}", markup=False, highlight=False)
    else:
        console.print(windows_table(windows))


def _words(memory: Memory, windows: Sequence[Window], whose: Mapping[str, Any]) -> Words:
    """What was said by the records behind the windows."""
    sources = {fact.source for window in windows for fact in window.facts if fact.source}
    found = memory.get_many(sorted(sources), **whose)
    return {(record.namespace, record.id): record.text for record in found}
