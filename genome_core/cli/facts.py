"""Commands on facts in time: ask, facts, timeline."""

from __future__ import annotations

from typing import Annotated

import typer

from genome_core.cli.common import (
    Agent,
    AsJson,
    EmbedderSpec,
    Labels,
    Run,
    Store,
    User,
    console,
    opened,
    parse_time,
    print_json,
    scope,
)
from genome_core.cli.tables import answer_lines, windows_table

Subject = Annotated[str | None, typer.Option("--subject", metavar="NAME", help="Only about this person or thing.")]
Attribute = Annotated[str | None, typer.Option("--attribute", metavar="NAME", help="Only this, such as home.")]
At = Annotated[str | None, typer.Option("--at", metavar="TIME", help="As of this time; now if left out.")]
KnownAt = Annotated[
    str | None, typer.Option("--known-at", metavar="TIME", help="As it was known then; by default all that is known.")
]


def ask(
    store: Store,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="Such as: Where did Ann live in May 2024?")],
    user: User = None,
    agent: Agent = None,
    run: Run = None,
    namespace: Labels = None,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When it is asked; now if left out.")] = None,
    known_at: KnownAt = None,
    embedder: EmbedderSpec = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question about what holds or held, with what the answer rests on."""
    with opened(store, embedder=embedder) as memory:
        whose = scope(user, agent, run, namespace)
        answer = memory.ask(question, at=parse_time(at), known_at=parse_time(known_at), **whose)
    if as_json:
        print_json(answer)
    else:
        console.print(*answer_lines(answer), sep="\n")


def facts(
    store: Store,
    user: User = None,
    agent: Agent = None,
    run: Run = None,
    namespace: Labels = None,
    subject: Subject = None,
    attribute: Attribute = None,
    at: At = None,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show what holds at a time."""
    with opened(store) as memory:
        whose = scope(user, agent, run, namespace)
        windows = memory.facts(
            subject=subject, attribute=attribute, at=parse_time(at), known_at=parse_time(known_at), **whose
        )
    if as_json:
        print_json(windows)
    else:
        console.print(windows_table(windows))


def timeline(
    store: Store,
    user: User = None,
    agent: Agent = None,
    run: Run = None,
    namespace: Labels = None,
    subject: Subject = None,
    attribute: Attribute = None,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show what held from when until when."""
    with opened(store) as memory:
        whose = scope(user, agent, run, namespace)
        windows = memory.timeline(subject=subject, attribute=attribute, known_at=parse_time(known_at), **whose)
    if as_json:
        print_json(windows)
    else:
        console.print(windows_table(windows))
