"""What the importers share: reading a source, and handing what was read to a memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from genome_core.errors import InvalidInput, InvalidScope, NotADatabase, NotFound
from genome_core.scopes import WriteScope, write_namespace
from genome_core.storage.reading import ExportedRecord
from genome_core.transfer import write_file
from genome_core.types import Fact, Namespace, Record

if TYPE_CHECKING:
    from genome_core.memory import Memory


@dataclass(frozen=True, slots=True)
class Imported:
    """What was taken over, and what had no place here."""

    records: int
    facts: int | None = None
    """Facts that the other memory knew itself, None where it knows none; those that are read in the texts are not counted."""
    left_out: Mapping[str, int] | None = None
    """How much was left out, by why."""


@dataclass(frozen=True, slots=True)
class Item:
    """A record to take over, with the facts that the other memory took from it."""

    record: Record
    facts: tuple[Fact, ...] = ()


def store(memory: Memory, items: Sequence[Item], facts: Sequence[Fact] = ()) -> None:
    """Stores items, in the order in which they were said, and facts that no record said; all is checked first."""
    ordered = sorted(items, key=lambda item: (item.record.at is not None and item.record.at.timestamp()) or 0.0)
    exported = [
        ExportedRecord(item.record, duplicate=None, embedded=item.record.index != (), facts=item.facts)
        for item in ordered
    ]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "import.jsonl"
        write_file(file, exported, facts, read_facts=True)
        memory.import_(file)


def whose(given: Mapping[str, Any], otherwise: WriteScope, what: str) -> Namespace:
    """The namespace made of the ids that an item has, else the one given for items without any."""
    named = {name: str(given[name]) for name in ("user_id", "agent_id", "run_id") if given.get(name)}
    try:
        return write_namespace(WriteScope(**named) if named else otherwise)  # type: ignore[typeddict-item]
    except InvalidScope as error:
        if named:
            raise
        raise InvalidScope(f"{what} belongs to nobody", hint="say whose such items become: user_id, --user") from error


@contextmanager
def sqlite_file(path: Path, tables: Sequence[str], what: str) -> Iterator[sqlite3.Connection]:
    """A SQLite file that has one of the tables, open for reading as it is now, whoever writes meanwhile.

    Raises ``NotFound``, ``NotADatabase`` or ``InvalidInput``; ``what`` tells the caller what to name instead.
    """
    if not path.is_file():
        raise NotFound(f"there is no file {path}", hint=f"name {what}")
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as source:
        source.row_factory = sqlite3.Row
        try:
            source.execute("BEGIN")
            known = {row["name"] for row in source.execute("SELECT name FROM sqlite_master")}
        except sqlite3.DatabaseError as error:
            raise NotADatabase(f"{path} can not be read: {error}", hint=f"name {what}") from error
        if known.isdisjoint(tables):
            raise InvalidInput(f"{path} has no table {' or '.join(tables)}", hint=f"name {what}")
        yield source


def utc(text: str) -> datetime:
    """A time in ISO 8601; without a zone it is in UTC."""
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
