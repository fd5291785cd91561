"""Entries without a payload: which of them a later entry says were emptied, and what must not have changed of them since."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from genome_core.audit.chain import Entry
from genome_core.errors import IntegrityError
from genome_core.storage.journal import digest_of_erased, seqs_in, what_stays
from genome_core.storage.namespaces import Place


class Emptied:
    """Follows one chain, entry by entry; what is not told at its end was emptied by something else."""

    def __init__(self, tenant: int, places: Mapping[int, Place]) -> None:
        self._tenant, self._places = tenant, places
        self.erased: dict[int, bytes] = {}
        """By ``seq``: the digest of what stays of entries without a salt, of whose erasing nothing was told yet."""
        self.forgotten: set[int] = set()
        """Entries without a payload of which nothing was told yet."""
        self.marks: set[str] = set()
        """Of the random values under whose pseudonyms something was erased."""

    def apply(self, entry: Entry) -> None:
        """Raises ``IntegrityError`` for an entry that says otherwise than what is there."""
        if entry.salt is None:
            place = self._places.get(entry.namespace_id)
            if place is None:
                raise self._fault(f"the namespace of entry {entry.seq}", "was edited")
            self.erased[entry.seq] = what_stays(entry.hash, place.labels, entry.id, entry.key)
        elif entry.payload is None:
            self.forgotten.add(entry.seq)
        elif entry.op == "erase":
            self._tell_erased(json.loads(entry.payload))
        elif entry.op == "forget":
            self._tell_forgotten(seqs_in(json.loads(entry.payload)["ranges"]))

    def _tell_erased(self, body: Mapping[str, Any]) -> None:
        stays = [self.erased.pop(seq, None) for seq in seqs_in(body["ranges"])]
        known = [one for one in stays if one is not None]
        if len(known) < len(stays):
            filled = next(seq for seq, one in zip(seqs_in(body["ranges"]), stays, strict=True) if one is None)
            raise self._fault(f"entry {filled}", "was erased, and filled again")
        if digest_of_erased(known) != body["digest"]:
            raise self._fault(
                f"the id, the namespace or the key of an erased entry among {body['ranges']}", "was edited"
            )
        self.marks.add(body["mark"])

    def _tell_forgotten(self, seqs: Iterable[int]) -> None:
        for seq in seqs:
            if seq not in self.erased and seq not in self.forgotten:
                raise self._fault(f"entry {seq}", "was emptied, and filled again")
            self.forgotten.discard(seq)

    def check(self) -> None:
        """Raises ``IntegrityError`` for the first entry that nothing in the chain says was emptied."""
        if self.erased:
            raise self._fault(f"entry {min(self.erased)}", "was emptied by something else than erase")
        if self.forgotten:
            raise self._fault(f"entry {min(self.forgotten)}", "was emptied by something else than compact")

    def _fault(self, what: str, how: str) -> IntegrityError:
        return IntegrityError(f"{what} of chain {self._tenant} {how}")
