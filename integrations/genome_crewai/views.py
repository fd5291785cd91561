"""What ``GenomeMemory`` hands out: matches that may stand in a prompt, and a view of several scopes that can save."""

from __future__ import annotations

import json
from typing import Any

from crewai.memory.memory_scope import MemorySlice
from crewai.memory.types import MemoryMatch, MemoryRecord


class GenomeMatch(MemoryMatch):
    """A match that stands in a prompt as one quoted line, so that no memory reads as an instruction of its own."""

    speaker: str

    def format(self) -> str:
        """``- [2024-03-02 09:30 UTC] Ann: "I moved to Lisbon."`` with categories and metadata behind it."""
        notes = {"categories": self.record.categories} if self.record.categories else {}
        notes |= {key: value for key, value in self.record.metadata.items() if value is not None}
        tail = f" {json.dumps(notes, ensure_ascii=False)}" if notes else ""
        said = json.dumps(self.record.content, ensure_ascii=False)
        return f"- [{self.record.created_at:%Y-%m-%d %H:%M} UTC] {' '.join(self.speaker.split())}: {said}{tail}"


class GenomeSlice(MemorySlice):
    """CrewAI's view of several scopes, with the methods that its agents call to save."""

    def remember(self, content: str, scope: str | None = None, **options: Any) -> MemoryRecord | None:  # type: ignore[override]
        """Stores a text, by default in the first scope."""
        return None if self.read_only else self._require_memory().remember(content, self._target(scope), **options)

    def remember_many(self, contents: list[str], scope: str | None = None, **options: Any) -> list[MemoryRecord]:
        """Stores several texts, by default in the first scope."""
        return [] if self.read_only else self._require_memory().remember_many(contents, self._target(scope), **options)

    def _target(self, scope: str | None) -> str | None:
        return scope if scope is not None else next(iter(self.scopes), None)
