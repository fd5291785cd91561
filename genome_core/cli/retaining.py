"""Commands about how long things stay: erase, hold, retain, release, rules, sweep."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

import typer

from genome_core.cli.common import AsJson, KeyFile, Store, console, opened, plain, print_json
from genome_core.cli.scope import Whose, scope_or_everybody, scoped
from genome_core.cli.tables import properties_table
from genome_core.storage.rules import Rule

Reason = Annotated[str, typer.Option("--reason", help="Why: it stays in the journal, so name nobody in it.")]
RuleId = Annotated[str, typer.Argument(metavar="RULE", help="The rule's id, as `genome rules` shows it.")]


@scoped(scope_or_everybody, required=True)
def erase(
    store: Store,
    reason: Reason,
    whose: Whose,
    ids: Annotated[list[str] | None, typer.Option("--id", help="Only what has this id; repeat it for several.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """Erase a user, a scope or single ids for good, and print the receipt."""
    with opened(store, key_file=key_file) as memory:
        if not yes:
            what = f"{len(ids)} ids" if ids else f"{memory.count(**whose)} records"
            typer.confirm(f"Erase {what} of {_told(whose)} for good?", abort=True, err=True)
        receipt = memory.erase(ids or None, reason=reason, **whose)
    if as_json:
        print_json(receipt.to_json())
    else:
        console.print(properties_table(receipt.to_json()))


@scoped(scope_or_everybody, required=True)
def hold(
    store: Store,
    reason: Reason,
    whose: Whose,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """Put a scope under legal hold: nothing in it can be deleted or erased until it is released."""
    with opened(store, key_file=key_file) as memory:
        id = memory.hold(reason, **whose)
    _print_id(id, as_json)


@scoped(scope_or_everybody, required=True)
def retain(
    store: Store,
    days: Annotated[float, typer.Option("--days", min=0, help="How long a record is kept after its last change.")],
    whose: Whose,
    origin: Annotated[str | None, typer.Option("--origin", help="Only records of this origin.")] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why.")] = "",
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """Make a rule: what is older than so many days is erased by `genome sweep`."""
    with opened(store, key_file=key_file) as memory:
        id = memory.retain(timedelta(days=days), origin=origin, reason=reason, **whose)
    _print_id(id, as_json)


def release(store: Store, rule: RuleId, key_file: KeyFile = None, as_json: AsJson = False) -> None:
    """End a legal hold or a rule of retention."""
    with opened(store, key_file=key_file) as memory:
        ended = _rule_json(memory.release(rule))
    if as_json:
        print_json(ended)
    else:
        console.print(f"Released {rule}", markup=False, highlight=False)


def rules(store: Store, key_file: KeyFile = None, as_json: AsJson = False) -> None:
    """List the legal holds and the rules of retention."""
    with opened(store, key_file=key_file) as memory:
        found = [_rule_json(rule) for rule in memory.rules()]
    if as_json:
        print_json(found)
    for rule in () if as_json else found:
        console.print(properties_table(rule))


def sweep(store: Store, key_file: KeyFile = None, as_json: AsJson = False) -> None:
    """Delete what has expired, and erase what is older than a rule allows."""
    with opened(store, key_file=key_file) as memory:
        count = memory.sweep()
    if as_json:
        print_json({"records": count})
    else:
        console.print(f"Records gone: {count}", highlight=False)


def _told(whose: Whose) -> str:
    return ", ".join(f"{name} {value}" for name, value in whose.items() if value) or "everybody"


def _print_id(id: str, as_json: bool) -> None:
    if as_json:
        print_json({"id": id})
    else:
        console.print(id, markup=False, highlight=False)


def _rule_json(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "kind": "hold" if rule.is_hold else "retain",
        "scope": list(rule.scope.prefix),
        "within": [sorted(group) for group in rule.scope.having],
        "days": None if rule.keep is None else rule.keep / timedelta(days=1),
        "origin": rule.origin,
        "reason": rule.reason,
        "at": plain(rule.at),
    }
