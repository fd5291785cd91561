"""Disagreements settled: a *resolution* is a correction that names the entries between which it decides.

It is an entry of the log like any other, with its reason and who decided, in the view of one believer; the views of the others stay as
they are. A later retraction that names the resolution reopens the matter. Entries are named by their *mark*, a digest of what they say,
so that a resolution holds in an export, in a replay and after its sources were read again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence

from genome_core.facts.layers import Tier
from genome_core.facts.windows import Entry, same_value
from genome_core.types import Fact, FactKind, TimeSpan


def mark(fact: Fact) -> str:
    """What names an entry in every store that holds it."""
    spans = [_span(span) for span in (fact.valid_from, fact.valid_to)]
    said = [fact.namespace, fact.subject, fact.attribute, fact.value, fact.kind.value, *spans, fact.at.timestamp()]
    parts = [*said, fact.believer, fact.source, fact.span, fact.origin, fact.settles]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def _span(span: TimeSpan | None) -> list[float | str] | None:
    return None if span is None else [span.start.timestamp(), span.end.timestamp(), span.precision.value]


def standing(facts: Sequence[Fact], tier: Tier) -> list[Fact]:
    """The facts without the resolutions that were reopened, and without what reopened them."""
    reopened: dict[str, int] = {}
    for fact in facts:
        if fact.kind is FactKind.RETRACTION:
            for name in fact.settles:
                reopened[name] = max(tier(fact.origin), reopened.get(name, 0))
    if not reopened:
        return list(facts)
    return [
        fact
        for fact in facts
        if not fact.settles
        or (fact.kind is FactKind.CORRECTION and tier(fact.origin) > reopened.get(mark(fact), tier(fact.origin) - 1))
    ]


def settled(live: Iterable[Entry], resolution: Fact, tier: Tier) -> list[Entry]:
    """The entries of a view after a resolution: without those that it decided against, unless they are trusted more."""
    mine = tier(resolution.origin)
    kept = [
        entry
        for entry in live
        if same_value(entry.fact.value, resolution.value)
        or tier(entry.fact.origin) > mine
        or mark(entry.fact) not in resolution.settles
    ]
    return [*kept, Entry(resolution, resolution.valid_from)]


def is_settled(one: Fact, other: Fact, resolutions: Collection[Fact], tier: Tier) -> bool:
    """Whether a resolution, trusted no less than either, has decided between two facts, or about the one where the other is a resolution
    for the same value."""
    if not resolutions:
        return False
    names, least = {mark(one), mark(other)}, max(tier(one.origin), tier(other.origin))

    def named(fact: Fact) -> set[str]:
        same = [r for r in resolutions if r.believer == fact.believer and same_value(r.value, fact.value)]
        return {*fact.settles, *map(mark, same)}

    return any(tier(fact.origin) >= least and names <= named(fact) for fact in resolutions)
