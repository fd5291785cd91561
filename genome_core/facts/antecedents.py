"""Antecedents: the thing that "it", a bare name or a bare version number means, among the facts read before."""

from __future__ import annotations

from collections.abc import Iterable

from genome_core.types import Fact

_KEEPABLE = (
    "car",
    "phone",
    "pet",
    "computer",
    "bike",
    "possession",
    "instrument",
    "hobby",
    "membership",
    "gym",
    "school",
    "role",
    "employer",
)
_OF_PRODUCTS = frozenset("status version price deadline owner".split())


def is_thing(fact: Fact) -> bool:
    """Whether a fact names something that one can have and give up."""
    return fact.attribute in _KEEPABLE and bool(fact.value)


def named_before(name: str, facts: Iterable[Fact]) -> Fact | None:
    """The pet, car or other thing of that name; ``facts`` come latest first."""
    wanted = name.casefold()
    return next((f for f in facts if is_thing(f) and f.value and wanted in f.value.casefold().split()), None)


def last_thing(facts: Iterable[Fact]) -> str | None:
    """The project or product that was spoken of last: whose version "3.0 shipped" means. ``facts`` come latest first."""
    return next((fact.subject for fact in facts if fact.attribute in _OF_PRODUCTS), None)
