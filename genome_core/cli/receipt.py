"""The command ``genome verify-install``: a receipt that memory works here, offline and without a language model."""

from __future__ import annotations

import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import typer

from genome_core._version import __version__
from genome_core.cli.common import AsJson, console, print_json
from genome_core.demo import conversation, questions
from genome_core.errors import GenomeError
from genome_core.memory import Memory
from genome_core.types import Record

WRITES = 200
LLM_CLIENTS = ("anthropic", "cohere", "google.genai", "groq", "litellm", "mistralai", "ollama", "openai")
"""Import names of the client libraries through which a program would ask a language model."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the receipt."""

    name: str
    passed: bool
    finding: str


class OutboundBlocked(OSError):
    """Raised in place of a connection while the network is blocked."""


class Network:
    """Counts and refuses every attempt to reach another host, by name or by address, in the whole process.

    It listens to Python's audit events, which every socket of the interpreter raises. An audit hook can not be
    removed again, so it is switched off instead.
    """

    EVENTS = frozenset(
        {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname"}
    )

    def __init__(self) -> None:
        self.attempts: list[str] = []
        self._blocked = False
        sys.addaudithook(self._on_event)

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._blocked and event in self.EVENTS:
            target = next((str(item) for item in arguments if isinstance(item, str | tuple)), "?")
            self.attempts.append(f"{event} {target}")
            raise OutboundBlocked(f"the network is blocked: {event} {target}")

    @contextmanager
    def blocked(self) -> Iterator[None]:
        """Refuse every attempt within the block."""
        self._blocked = True
        try:
            yield
        finally:
            self._blocked = False


def verify_install(as_json: AsJson = False) -> None:
    """Prove that memory works on this machine: offline, without an LLM, and with a journal that verifies."""
    checks: list[Check] = []
    network = Network()
    with tempfile.TemporaryDirectory(prefix="genome-receipt-") as folder, network.blocked():
        for check in _checks(Path(folder) / "receipt.db", network):
            checks.append(check)
            if not as_json:
                mark = "[green]pass[/]" if check.passed else "[red]FAIL[/]"
                console.print(f"{mark}  {check.name:<12}", end="")
                console.print(check.finding, markup=False, highlight=False)
    passed = all(check.passed for check in checks)
    if as_json:
        print_json({"passed": passed, "checks": checks})
    else:
        console.print("\nMemory works here." if passed else "\nMemory does not work here: see FAIL above.")
    if not passed:
        raise typer.Exit(1)


def _checks(path: Path, network: Network) -> Iterator[Check]:
    yield Check("versions", True, f"genome {__version__}, Python {platform.python_version()}, {platform.system()}")
    already_loaded = set(sys.modules)
    try:
        with Memory(path) as memory:
            yield _model(memory)
            yield _writes(memory)
            yield _retrieval(memory)
            yield _journal(memory)
    except GenomeError as error:
        yield Check("memory", False, str(error))
    attempts = network.attempts
    yield Check(
        "network", not attempts, f"{len(attempts)} attempts to reach another host" + "".join(f"; {a}" for a in attempts)
    )
    clients = sorted(set(LLM_CLIENTS) & (set(sys.modules) - already_loaded))
    yield Check(
        "LLM calls", not clients, "0: no client library was loaded" if not clients else f"loaded: {', '.join(clients)}"
    )


def _model(memory: Memory) -> Check:
    started = time.perf_counter()
    memory.embedder.embed_query("This is not part of a write.")
    seconds = time.perf_counter() - started
    fingerprint = memory.embedder.fingerprint
    return Check("model", True, f"{fingerprint.name}, {fingerprint.dimensions} dimensions, ready in {seconds:.1f} s")


def _writes(memory: Memory) -> Check:
    milliseconds = []
    for user, turn in _turns():
        started = time.perf_counter()
        memory.add(turn, user_id=user)
        milliseconds.append(1000 * (time.perf_counter() - started))
    stored = sum(memory.count(user_id=user) for user in {user for user, _ in _turns()})
    finding = f"{stored} of {WRITES} stored, {median(milliseconds):.1f} ms each at the median, {max(milliseconds):.1f} at most"
    return Check("writes", stored == WRITES, finding)


def _turns() -> list[tuple[str, Record]]:
    """The conversation again and again, each time for another user and in words that differ, so that nothing repeats."""
    turns = conversation()
    return [
        (str(number // len(turns) + 1), replace(turn, text=f"{turn.text} ({number})"))
        for number in range(WRITES)
        for turn in [turns[number % len(turns)]]
    ]


def _retrieval(memory: Memory) -> Check:
    asked = questions()
    answers = [memory.search(question.text, user_id="1", limit=3) for question in asked]
    found = sum(
        any(hit.record.id == question.answer for hit in hits) for question, hits in zip(asked, answers, strict=True)
    )
    strangers = sum("user:1" not in hit.record.namespace for hits in answers for hit in hits)
    finding = f"{found} of {len(asked)} answers among the first three, {strangers} of another user"
    return Check("retrieval", found == len(asked) and strangers == 0, finding)


def _journal(memory: Memory) -> Check:
    memory.verify()
    return Check("journal", True, "every entry verifies")
