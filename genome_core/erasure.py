"""The receipt of an erasure: what went, when and why, signed where the journal has a key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Self

from genome_core.audit.erasing import ErasedChain
from genome_core.errors import InvalidInput
from genome_core.storage.json_text import canonical
from genome_core.storage.signing import JournalKey

_PURPOSE = "erasure"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReceipt:
    """What ``Memory.erase`` did. It names whose data it was: the store does not, any more."""

    id: str
    """Of the erasure; empty if there was nothing to erase, and never had been."""
    at: datetime
    reason: str
    scope: Mapping[str, Any]
    """``prefix``, ``having`` and ``exact`` of the scope that was asked for."""
    ids: tuple[str, ...] | None
    """The ids that were asked for; None for everything in the scope."""
    counts: Mapping[str, int]
    """How many ``records``, ``passages`` (texts of the search index, with their vectors), ``facts``, journal ``entries`` and
    ``namespaces``, and how many things of each adapter with tables of its own (``langgraph_saver``: threads)."""
    chains: tuple[ErasedChain, ...]
    """Where the journal tells of it."""
    remains: tuple[str, ...]
    """Where copies may remain that the database does not show any more; empty where the file was rewritten."""
    key: str | None = None
    """Which key signed: ``JournalKey.id``; None if the store has no key."""
    signature: str | None = None
    """HMAC-SHA256 over all other fields, in hexadecimal; None for an unsigned receipt."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing remains in the database's own files."""
        return not self.remains

    def signed(self, key: JournalKey | None) -> Self:
        """The same receipt with a signature; unchanged without a key."""
        if key is None:
            return self
        named = replace(self, key=key.id)
        return replace(named, signature=key.sign(_PURPOSE, named._message()).hex())

    def is_signed_by(self, key: JournalKey) -> bool:
        """Whether this key signed exactly these fields."""
        return self.signature is not None and key.signed(_PURPOSE, self._message(), bytes.fromhex(self.signature))

    def _message(self) -> bytes:
        return canonical(replace(self, signature=None).to_json()).encode()

    def to_json(self) -> dict[str, Any]:
        """The receipt as plain JSON, for ``from_json``."""
        return {**asdict(self), "at": self.at.isoformat(), "scope": dict(self.scope), "counts": dict(self.counts)}

    @classmethod
    def from_json(cls, body: str | Mapping[str, Any]) -> Self:
        """A receipt that was kept as JSON. Raises ``InvalidInput`` for something else."""
        try:
            given = dict(json.loads(body) if isinstance(body, str) else body)
            given["at"] = datetime.fromisoformat(given["at"])
            given["ids"] = None if given["ids"] is None else tuple(given["ids"])
            given["chains"] = tuple(ErasedChain(**chain) for chain in given["chains"])
            given["remains"] = tuple(given["remains"])
            return cls(**given)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"this is no receipt of an erasure: {error}") from error
