"""Which rules can match in a text at all: of most texts none, of most others few.

Whatever a rule matches holds one word of each of some sets. Points are made by rules only, so a text in which no rule finds
all it needs has none, and never gets one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

Letters = frozenset[str]


class Needs:
    """What each of some templates needs, asked of a text by the rarest."""

    def __init__(self, needs: Sequence[Collection[Letters]], common: str) -> None:
        self.count = len(needs)
        self._by_rarest: dict[str, list[tuple[int, list[Letters]]]] = {}
        for place, sets in enumerate(needs):
            rarest, *others = sorted(sets, key=lambda letters: (len(letters.intersection(common)), len(letters)))
            for letter in rarest:
                self._by_rarest.setdefault(letter, []).append((place, others))

    def met(self, text: str) -> Sequence[int]:
        """The places of the templates that have all they need in a text, written in letters of its alphabet; in order."""
        there = frozenset(text)
        asked = self._by_rarest
        found = {n for letter in there for n, others in asked.get(letter, ()) if all(map(there.intersection, others))}
        return sorted(found)
