"""Whether a text can hold a time at all. Most sentences can not, and running all layers over them would take longest.

Whatever a rule matches holds one word of each of some sets. Points are made by rules only, so a text in which no rule finds
all it needs has none, and never gets one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

Letters = frozenset[str]


class Needs:
    """What each of some templates needs, asked of a text by the rarest."""

    def __init__(self, needs: Iterable[Collection[Letters]], common: str) -> None:
        self._others: dict[str, list[list[Letters]]] = {}
        for sets in needs:
            rarest, *others = sorted(sets, key=lambda letters: (len(letters.intersection(common)), len(letters)))
            for letter in rarest:
                self._others.setdefault(letter, []).append(others)

    def met(self, text: str) -> bool:
        """Whether some template has all it needs in a text, written in letters of its alphabet."""
        there = frozenset(text)
        return any(all(map(there.intersection, others)) for letter in there for others in self._others.get(letter, ()))
