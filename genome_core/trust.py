"""How far each origin is trusted: what reads show unasked, and who may change what somebody else said.

An origin says where words come from; the caller names it, or it follows from the role, never from metadata or text. A ``TrustPolicy`` puts
origins into tiers:

========== ========================= ===========================================================================
tier       origins by default        what it means
========== ========================= ===========================================================================
trusted    user, agent, system       read; changes what anybody said
limited    tool, document, any other read; fills gaps, but never changes, ends or corrects what the trusted said
untrusted  web                       quarantined: stored and verified, but no read shows it unless asked to
========== ========================= ===========================================================================

A policy belongs to a ``Memory``, not to the store: another policy sees the same records differently, and nothing is rewritten.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType

from genome_core.errors import InvalidInput, NotTrusted
from genome_core.types import Origins


class Trust(IntEnum):
    """A tier; higher ones are trusted more."""

    UNTRUSTED = 0
    LIMITED = 1
    TRUSTED = 2


_USUAL: Mapping[str, Trust] = MappingProxyType(
    {
        "user": Trust.TRUSTED,
        "agent": Trust.TRUSTED,
        "system": Trust.TRUSTED,
        "tool": Trust.LIMITED,
        "document": Trust.LIMITED,
        "web": Trust.UNTRUSTED,
    }
)


@dataclass(frozen=True, slots=True)
class TrustPolicy:
    """Which tier each origin has. ``TrustPolicy(tiers={"agent": Trust.LIMITED})`` changes one and keeps the others.

    Raises ``InvalidInput`` for what is no tier.
    """

    tiers: Mapping[str, Trust] = field(default_factory=dict)
    others: Trust = Trust.LIMITED
    """The tier of origins that are named nowhere."""
    shown: Trust = Trust.LIMITED
    """The least tier that reads show when they are not told ``min_trust``."""

    def __post_init__(self) -> None:
        for tier in (*self.tiers.values(), self.others, self.shown):
            as_trust(tier)
        object.__setattr__(self, "tiers", MappingProxyType({**_USUAL, **self.tiers}))

    def tier(self, origin: str) -> Trust:
        """How far words of an origin are trusted."""
        return self.tiers.get(origin, self.others)

    def origins(self, least: Trust) -> Origins | None:
        """Those of at least a tier; None for all."""
        if self.others >= least:
            below = tuple(sorted(name for name, tier in self.tiers.items() if tier < least))
            return Origins(below) if below else None
        return Origins(tuple(sorted(name for name, tier in self.tiers.items() if tier >= least)), only=True)

    def lowest(self, origins: Iterable[str]) -> str:
        """The least trusted of some origins; of equal ones the first."""
        return min(origins, key=self.tier)

    def label(self, origin: str) -> str:
        """An origin for a reader, with its trust where that is not full: ``tool, limited trust``."""
        tier = self.tier(origin)
        words = {Trust.LIMITED: ", limited trust", Trust.UNTRUSTED: ", not trusted"}
        return origin + words.get(tier, "")

    def check_name(self, origin: str) -> None:
        """Refuse what only looks like an origin that the policy names ("Web"): it would be trusted as if it were another."""
        if origin in self.tiers:
            return
        plain = unicodedata.normalize("NFKC", origin).casefold().strip()
        plain = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")
        if plain in self.tiers:
            raise InvalidInput(f"origin {origin!r} is not {plain!r}", hint=f"write {plain!r}")

    def check_change(self, actor: str, origin: str, id: str, act: str) -> None:
        """Refuse that an actor changes a record of higher trust."""
        mine, theirs = self.tier(actor), self.tier(origin)
        if mine < theirs:
            raise NotTrusted(
                f"{actor!r} ({mine.name.lower()}) may not {act} record {id!r}, which {origin!r} ({theirs.name.lower()}) said",
                hint="give it an id of its own, or give the origin a higher tier in the TrustPolicy",
            )


def as_trust(tier: object) -> Trust:
    """The tier; raises ``InvalidInput`` for anything else."""
    if not isinstance(tier, Trust):
        raise InvalidInput(f"{tier!r} is no tier of trust", hint="give a genome_core.Trust, such as Trust.LIMITED")
    return tier
