"""A conversation over two years, written for this project, with questions that it answers.

``genome demo``, ``genome verify-install``, the examples and some tests use it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

from genome_core.types import Record

ASKED_AT = datetime(2025, 3, 1, tzinfo=UTC)
"""When the questions are asked: a week after the last turn."""
PAUSE = timedelta(seconds=45)
"""The time between two turns of a session."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the id of the turn that answers it."""

    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """A question about what held when, and its answer: as all is known, or as it was known at ``known_at``."""

    text: str
    value: str
    known_at: datetime | None = None


def conversation() -> list[Record]:
    """The turns in the order in which they were said, with ids such as ``s03-05``; the namespace is left empty."""
    return [
        Record(
            id=f"s{number:02}-{position + 1:02}",
            text=text,
            role="assistant" if speaker == "assistant" else "user",
            name=None if speaker == "assistant" else speaker,
            at=datetime.fromisoformat(session["at"]) + position * PAUSE,
            origin="agent" if speaker == "assistant" else "user",
        )
        for number, session in enumerate(_document()["sessions"], start=1)
        for position, (speaker, text) in enumerate(session["turns"])
    ]


def questions() -> list[Question]:
    """Questions about the conversation that a memory should find the answers to."""
    return [Question(text=item["ask"], answer=item["answer"]) for item in _document()["questions"]]


def fact_questions() -> list[FactQuestion]:
    """Questions whose answers changed, were told late, or were only ever planned."""
    return [
        FactQuestion(
            text=item["ask"],
            value=item["value"],
            known_at=datetime.fromisoformat(item["known_at"]) if "known_at" in item else None,
        )
        for item in _document()["facts"]
    ]


def _document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(files(__name__).joinpath("conversation.json").read_text(encoding="utf-8"))
    return document
