"""The options that say whose memory a command is about: written once, taken by many commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any

import typer

from genome_core.errors import InvalidInput, InvalidScope
from genome_core.trust import Trust

Whose = dict[str, Any]
"""The scope as keyword arguments of ``Memory``; what was not given is left out."""

User = Annotated[str | None, typer.Option("--user", metavar="ID", help="Whose memory.")]
Agent = Annotated[str | None, typer.Option("--agent", metavar="ID", help="Which agent's memory.")]
Run = Annotated[str | None, typer.Option("--run", metavar="ID", help="Which run's memory.")]
Labels = Annotated[
    list[str] | None,
    typer.Option("--namespace", metavar="LABEL", help="A namespace in place of the ids; repeat it for each label."),
]
Tier = StrEnum("Tier", [tier.name for tier in Trust])  # type: ignore[misc]
"""The tiers of trust by their names in lower case."""
MinTrust = Annotated[
    Tier | None,
    typer.Option("--min-trust", help="The least trust of what is shown; untrusted shows what is in quarantine too."),
]
Everybody = Annotated[bool, typer.Option("--everybody", help="Of everybody.")]


def scope(user: User = None, agent: Agent = None, run: Run = None, namespace: Labels = None) -> Whose:
    """Whose memory is changed."""
    given = {"user_id": user, "agent_id": agent, "run_id": run, "namespace": tuple(namespace or ()) or None}
    return {name: value for name, value in given.items() if value is not None}


def trusted_scope(
    user: User = None, agent: Agent = None, run: Run = None, namespace: Labels = None, min_trust: MinTrust = None
) -> Whose:
    """Whose memory is read, and how far it must be trusted."""
    least = {} if min_trust is None else {"min_trust": Trust[min_trust.name]}
    return scope(user, agent, run, namespace) | least


def scope_or_everybody(
    user: User = None,
    agent: Agent = None,
    run: Run = None,
    namespace: Labels = None,
    everybody: Everybody = False,
) -> Whose:
    """Whose memory is changed, where everybody's can be meant. Raises ``InvalidInput`` where both are said."""
    given = scope(user, agent, run, namespace)
    if everybody and given:
        raise InvalidInput("--everybody and somebody", hint="give one of them")
    return {"namespace": ()} if everybody else given


def scoped(
    options: Callable[..., Whose], *, required: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """For a command with a parameter ``whose``: typer sees the parameters of ``options`` in its place.

    A command whose scope is ``required`` raises ``InvalidScope``, with the options that name one, where none is given.
    """
    asked = inspect.signature(options, eval_str=True).parameters
    hint = "give " + ", ".join(f"--{name}" for name in asked if name != "min_trust")

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            whose = options(**{name: given.pop(name) for name in asked})
            if required and not whose.keys() - {"min_trust"}:
                raise InvalidScope("whose memory is it?", hint=hint)
            command(whose=whose, **given)

        declared = inspect.signature(command, eval_str=True)
        seen = [
            parameter
            for name, own in declared.parameters.items()
            for parameter in (asked.values() if name == "whose" else [own])
        ]
        run.__signature__ = declared.replace(parameters=seen)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in seen}
        return run

    return decorate
