"""The central value types: frozen, without I/O, importable by everyone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

JSON: TypeAlias = bool | int | float | str | Sequence[Any] | Mapping[str, Any] | None
Namespace: TypeAlias = tuple[str, ...]
Filter: TypeAlias = Mapping[str, Any]

_ORIGINS: Mapping[str, str] = {
    "user": "user",
    "human": "user",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
    "document": "document",
}
"""Where the words of a role come from, unless the caller says; those of any other role come from an agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One stored item: a turn of a conversation, a document, a structured value.

    The identity of a record is ``(namespace, id)``. A ``Record`` handed to ``Memory.add`` may leave
    ``id`` empty (one is generated) and the times ``None`` (the clock is asked); a record that comes
    out of a store has them all. All times are aware and in UTC, exact to the microsecond.
    """

    text: str
    id: str = ""
    namespace: Namespace = ()
    role: str = "user"
    name: str | None = None
    """Who speaks, where the role alone does not tell ("Ann"); the speaker cue and the facts use it."""
    value: JSON = None
    """A structured item (a LangGraph value, a serialised message or node); ``text`` is its wording."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    index: tuple[str, ...] | None = None
    """The texts that search finds it by, where that is not ``text``; empty for a record that search must not find."""
    at: datetime | None = None
    """When it was said or happened (event time)."""
    created_at: datetime | None = None
    """When this store first learned of it (recorded time); kept by updates."""
    updated_at: datetime | None = None
    origin: str = ""
    """Where it comes from: ``user``, ``agent``, ``tool``, ``document``, ``web``, ``system`` or the caller's own. The caller says it,
    never the metadata; left empty, it follows from the role. How far it is trusted: ``genome_core.trust``."""
    expires_at: datetime | None = None
    version: int = 0
    """1 when first stored, more with each change; 0 before. Never the same again for another content, as long as the record lives."""
    believer: str = ""
    """In whose view the facts that it says hold; empty for the common view."""

    def __post_init__(self) -> None:
        if self.origin == "":
            object.__setattr__(self, "origin", origin_of(self.role))

    @property
    def speaker(self) -> str:
        """The name if there is one, else the role."""
        return self.name or self.role


def origin_of(role: str) -> str:
    """Where the words of a role come from, as long as nobody says otherwise."""
    return _ORIGINS.get(role, "agent") if isinstance(role, str) else "agent"


@dataclass(frozen=True, slots=True)
class Origins:
    """Whose words a call reads: those of the origins named or, without ``only``, of all but them."""

    names: tuple[str, ...]
    only: bool = False

    def admit(self, origin: str) -> bool:
        """Whether words of this origin are read; origins are compared whole and exactly."""
        return (origin in self.names) is self.only

    @property
    def rest(self) -> Origins:
        """All others."""
        return Origins(self.names, not self.only)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which namespaces a call reads or changes, and whose words in them.

    A namespace matches if it starts with ``prefix``, label by label, and holds at least one label of
    each group in ``having``, anywhere. ``Scope()`` matches every namespace. With ``exact``, only ``prefix`` itself does.
    """

    prefix: Namespace = ()
    having: tuple[frozenset[str], ...] = ()
    exact: bool = False
    origins: Origins | None = None
    """Records and facts of other origins are not there for the call; None for all."""

    def matches(self, namespace: Namespace) -> bool:
        """Whether ``namespace`` lies in this scope; labels are compared whole and exactly."""
        begins = namespace if self.exact else namespace[: len(self.prefix)]
        return begins == self.prefix and all(not group.isdisjoint(namespace) for group in self.having)


class Precision(StrEnum):
    """How finely a time is known."""

    INSTANT = "instant"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    DECADE = "decade"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A half-open stretch ``[start, end)`` of aware UTC time, as wide as the words leave it.

    "March 2024" is the month, not its first instant. An instant has ``start == end``.
    """

    start: datetime
    end: datetime
    precision: Precision


class FactKind(StrEnum):
    """What an entry of the fact log does."""

    ASSERTION = "assertion"
    """The value holds from ``valid_from`` (to ``valid_to`` where given)."""
    END = "end"
    """The value (or any value, where ``value`` is None) stops holding at ``valid_from``."""
    RETRACTION = "retraction"
    """The value was never so: its assertions recorded before are void."""
    CORRECTION = "correction"
    """The value replaces what was said before about the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One entry of the append-only fact log. Facts are never edited."""

    subject: str
    attribute: str
    """Canonical attribute name, such as ``home`` or ``employer``."""
    value: str | None
    kind: FactKind = FactKind.ASSERTION
    valid_from: TimeSpan | None = None
    """When it began to hold; None where the words do not tell (it holds at ``at``, start unknown)."""
    valid_to: TimeSpan | None = None
    at: datetime
    """When it was said (event time of the source)."""
    recorded_at: datetime | None = None
    certainty: float = 1.0
    believer: str = ""
    """Whose belief it is; empty for the store's common view."""
    source: str | None = None
    """Id of the record that said it; None for a fact asserted directly."""
    span: tuple[int, int] | None = None
    """Start and end offsets of the words in the source's text."""
    extractor: str = ""
    """Name and version of what read it, such as ``rules/1``; empty for a direct assertion."""
    origin: str = "user"
    """Where it comes from; of a fact that was read in a record, that record's."""
    namespace: Namespace = ()
    id: str = ""
    settles: tuple[str, ...] = ()
    """The marks (``genome_core.facts.minds.mark``) of the entries between which a correction decides, or which a retraction takes back."""
    reason: str = ""
    """Why it was so decided."""
    by: str = ""
    """Who decided."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal's part in a hit's score."""

    name: str
    """``dense``, ``lexical``, ``speaker`` or ``time``."""
    value: float
    """The raw signal: cosine in [-1, 1] for dense, BM25 for lexical, 0..1 for the cues."""
    part: float
    """What it added to the fused score."""
    detail: str = ""
    """For a reader: the matched terms, the name, the resolved time."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A record found, its score and why."""

    record: Record
    score: float
    signals: tuple[Signal, ...] = ()
    before: tuple[Record, ...] = ()
    """What was said just before it in its session, if asked for, oldest first."""
    after: tuple[Record, ...] = ()
    """What was said just after it in its session, if asked for, oldest first."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of one record when a question was asked."""

    record: Record
    score: float
    signals: tuple[Signal, ...]
    rank: int | None
    """Its place among the hits, from 1; None if it is none."""
    left_out: str
    """Why it is no hit: ``filter``, ``expired``, ``no match``, ``threshold``, ``limit`` or ``trust`` (of such a record neither words
    nor metadata are told); empty for a hit."""
