"""What every adapter can do, whatever its framework calls it, and the words that the contract's tests say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from genome_core import Memory


@dataclass(frozen=True)
class Turn:
    """A turn of a conversation in which tools are called."""

    role: str
    text: str
    calls: tuple[tuple[str, str, dict[str, Any]], ...] = ()
    """The tools called: id of the call, name, arguments."""
    answers: str = ""
    """The id of the call that a turn of the role ``tool`` answers."""


CONVERSATION = (
    Turn("system", "You plan meals."),
    Turn("user", "What can I cook tonight?"),
    Turn("assistant", "", calls=(("call-1", "pantry", {"shelf": "top"}), ("call-2", "pantry", {"shelf": "low"}))),
    Turn("tool", "lentils", answers="call-1"),
    Turn("tool", "rice", answers="call-2"),
    Turn("assistant", "Mujaddara, with lentils and rice."),
    Turn("user", "Thanks! And again: what can I cook tonight?"),
)

PLANTED = "The spare key hangs behind the geranium."
ASKED = "Where is the spare key?"

HOME = "Where do I live?"
BEFORE, AFTER = "Lisbon", "Oslo"
TOLD = (
    (datetime(2024, 1, 10, tzinfo=UTC), "I live in Lisbon."),
    (datetime(2024, 6, 20, tzinfo=UTC), "I moved to Oslo in March 2024."),
)
"""A move in March that is told in June."""
FEBRUARY = datetime(2024, 2, 15, tzinfo=UTC)
APRIL = datetime(2024, 4, 15, tzinfo=UTC)
JULY = datetime(2024, 7, 15, tzinfo=UTC)


class Driver(ABC):
    """One adapter in the hands of one user, used as its own documentation shows."""

    framework: str

    def __init__(self, memory: Memory, user: str, session: str = "monday") -> None:
        self.memory = memory
        self.user = user
        self.session = session

    @abstractmethod
    def keep(self, conversation: Sequence[Turn]) -> None:
        """Stores a conversation where the framework keeps what it must find again exactly."""

    @abstractmethod
    def kept(self) -> list[Turn]:
        """The conversation; empty if there is none."""

    @abstractmethod
    async def akeep(self, conversation: Sequence[Turn]) -> None:
        """``keep`` on an event loop, through the framework's async interface where it has one."""

    @abstractmethod
    async def akept(self) -> list[Turn]:
        """``kept`` on an event loop, likewise."""

    @abstractmethod
    def tell(self, text: str) -> None:
        """The user says something that is to be remembered."""

    @abstractmethod
    async def atell(self, text: str) -> None:
        """``tell`` through the framework's async interface."""

    @abstractmethod
    def forget(self) -> None:
        """Deletes all that the user told in this session, in the framework's own way."""

    @abstractmethod
    def recall(self, question: str, at: datetime | None = None) -> list[str]:
        """The texts found for a question, best first; as of a time, nothing said later."""

    @abstractmethod
    async def arecall(self, question: str, at: datetime | None = None) -> list[str]:
        """``recall`` through the framework's async interface."""

    @abstractmethod
    def answer(self, question: str, at: datetime | None = None) -> str:
        """What the framework's user gets to read as the answer to a question, asked at a time."""

    @abstractmethod
    async def aanswer(self, question: str, at: datetime | None = None) -> str:
        """``answer`` through the framework's async interface."""
