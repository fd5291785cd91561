"""Commands on disagreements: conflicts, resolve, reopen."""

from __future__ import annotations

from typing import Annotated

import typer

from genome_core.cli.common import AsJson, Store, console, opened, print_json, show
from genome_core.cli.facts import Attribute, Subject
from genome_core.cli.scope import Whose, scope, scoped, trusted_scope
from genome_core.cli.tables import conflicts_table
from genome_core.errors import NotFound

Reason = Annotated[str, typer.Option("--reason", help="Why; it is written down.")]
By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides; it is written down.")]


@scoped(trusted_scope, required=True)
def conflicts(
    store: Store,
    whose: Whose,
    subject: Subject = None,
    attribute: Attribute = None,
    as_json: AsJson = False,
) -> None:
    """Show where believers or sources disagree."""
    with opened(store) as memory:
        found = memory.conflicts(subject=subject, attribute=attribute, **whose)
    show(found, conflicts_table, as_json)


@scoped(trusted_scope, required=True)
def resolve(
    store: Store,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="About whom or what they disagree.")],
    attribute: Annotated[str, typer.Argument(metavar="ATTRIBUTE", help="In what, such as home.")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What holds.")],
    reason: Reason,
    by: By,
    whose: Whose,
    believer: Annotated[str, typer.Option("--believer", help="In whose view; the common one if left out.")] = "",
    as_json: AsJson = False,
) -> None:
    """Decide every conflict about one thing for a value."""
    with opened(store) as memory:
        found = memory.conflicts(subject=subject, attribute=attribute, **whose)
        if not found:
            raise NotFound(
                f"nobody disagrees about {attribute} of {subject}", hint="genome conflicts lists what there is"
            )
        ids = [memory.resolve(one, value=value, reason=reason, by=by, believer=believer) for one in found]
    if as_json:
        print_json({"ids": ids})
    else:
        console.print("Resolved by", *ids, markup=False)


@scoped(scope)
def reopen(
    store: Store,
    resolution: Annotated[str, typer.Argument(metavar="ID", help="What resolve printed.")],
    reason: Reason,
    by: By,
    whose: Whose,
) -> None:
    """Take a resolution back."""
    with opened(store) as memory:
        memory.reopen(resolution, reason=reason, by=by, **whose)
    console.print(f"Reopened {resolution}", markup=False)
