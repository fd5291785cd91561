"""Export and import: one JSON object a line, with ids, times, scopes and facts, for any other store to take in.

The first line names the format. A ``record`` line holds a record and the facts that it said, a ``fact`` line a fact that was
asserted directly. Vectors are left out: the importing store embeds with its own embedder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from genome_core import drafting
from genome_core.errors import GenomeError, InvalidInput
from genome_core.facts import log
from genome_core.protocols import Embedder
from genome_core.scopes import checked_id, checked_namespace
from genome_core.storage import facts as fact_log
from genome_core.storage import reading
from genome_core.storage.database import Database
from genome_core.storage.drafts import Draft
from genome_core.storage.moments import to_micros
from genome_core.storage.reading import ExportedRecord
from genome_core.storage.writing import RecordWriter
from genome_core.types import Fact, Record, Scope

FORMAT = {"format": "genome", "version": 1}
_BATCH = 256
_FIELDS = ("text", "id", "role", "name", "value", "metadata", "origin", "believer", "version")
_TIMES = ("at", "created_at", "updated_at", "expires_at")


def export(database: Database, scope: Scope, path: str | os.PathLike[str], now: int) -> int:
    """Writes a scope's records and facts to a new or replaced file; returns how many records it holds."""
    with database.read() as connection:
        records = reading.exported(connection, scope, now)
        return write_file(path, records, fact_log.select(connection, scope, asserted_only=True))


def write_file(
    path: str | os.PathLike[str],
    records: Iterable[ExportedRecord],
    facts: Iterable[Fact] = (),
    *,
    read_facts: bool = False,
) -> int:
    """Writes records and facts that no record said to a file, which appears only when it is whole; returns how many records.

    ``read_facts`` tells ``import_`` to read facts in the texts, beside those that are given.
    """
    target = Path(path)
    partial = target.with_name(target.name + ".part")
    count = 0
    try:
        with partial.open("w", encoding="utf-8") as file:
            _write_line(file, FORMAT | ({"read_facts": True} if read_facts else {}))
            for exported in records:
                _write_line(file, _record_line(exported))
                count += 1
            for fact in facts:
                _write_line(file, {"fact": fact_log.to_journal(fact), "namespace": list(fact.namespace)})
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return count


def import_(
    database: Database,
    path: str | os.PathLike[str],
    embedder: Embedder,
    writer: RecordWriter,
    now: datetime,
    with_facts: Callable[[Sequence[Draft]], Sequence[Draft]],
) -> int:
    """Stores what a file holds; returns how many records it names. Importing it twice changes nothing.

    ``with_facts`` reads the facts in drafts, for a file that asks for it.

    The whole file is checked before anything is written; each batch is one transaction. Raises ``InvalidInput`` with the
    number of the first bad line.
    """
    if sum(1 for _ in _drafts(path, now)) == 0 and Path(path).stat().st_size == 0:
        raise InvalidInput(f"{path} is empty", hint="it is no export of this package")
    recorded_at, count, read_facts = to_micros(now), 0, _reads_facts(path)
    for batch in _batches(_drafts(path, now)):
        drafts = [item for item in batch if isinstance(item, Draft)]
        settled = writer.existing(drafts).settled(drafts, recorded_at)
        new = [draft for draft, id in zip(drafts, settled, strict=True) if id is None]
        if new:
            new = _with_facts_read(new, with_facts) if read_facts else new
            _add_passages(new, embedder)
            writer.put(new, recorded_at, embedder.fingerprint)
        for fact in batch:
            if isinstance(fact, Fact) and not _is_known(database, fact):
                writer.assert_facts(fact.namespace, [fact], recorded_at)
        count += len(drafts)
    return count


def _is_known(database: Database, fact: Fact) -> bool:
    with database.read() as connection:
        known = fact_log.select(
            connection,
            Scope(fact.namespace, exact=True),
            subject=fact.subject,
            attribute=fact.attribute,
            asserted_only=True,
        )
    return fact in [replace(one, id=fact.id) for one in known]


def _reads_facts(path: str | os.PathLike[str]) -> bool:
    with Path(path).open(encoding="utf-8") as file:
        return bool(json.loads(next(file, "{}")).get("read_facts"))


def _with_facts_read(drafts: list[Draft], with_facts: Callable[[Sequence[Draft]], Sequence[Draft]]) -> list[Draft]:
    """The drafts with the facts read in them, after those they have; recorded when the records were."""
    read = with_facts([replace(draft, facts=None) for draft in drafts])
    return [
        replace(draft, facts=(*(draft.facts or ()), *_recorded(fresh.facts or (), draft.record.created_at)))
        for draft, fresh in zip(drafts, read, strict=True)
    ]


def _recorded(facts: Iterable[Fact], at: datetime | None) -> list[Fact]:
    return [replace(fact, recorded_at=at) for fact in facts]


def _add_passages(drafts: Sequence[Draft], embedder: Embedder) -> None:
    """Embeds all but those that had no vector on purpose."""
    bare = [draft for draft in drafts if draft.vectors_given]
    drafting.add_passages(bare, None, [None] * len(bare))
    drafting.add_passages([draft for draft in drafts if not draft.vectors_given], embedder)


def _record_line(exported: ExportedRecord) -> dict[str, Any]:
    record = exported.record
    line = {name: getattr(record, name) for name in _FIELDS}
    line |= {name: moment.isoformat() for name in _TIMES if (moment := getattr(record, name))}
    if record.index is not None:
        line["index"] = list(record.index)
    return {
        "record": line,
        "namespace": list(record.namespace),
        "duplicate": exported.duplicate.hex() if exported.duplicate else None,
        "embedded": exported.embedded,
        "facts": [fact_log.to_journal(fact) for fact in exported.facts],
    }


def _fact(body: dict[str, Any], **columns: Any) -> Fact:
    fact = fact_log.from_journal(body, **columns)
    log.check(fact)
    return fact


def _drafts(path: str | os.PathLike[str], now: datetime) -> Iterator[Draft | Fact]:
    with Path(path).open("rb") as file:  # a line that is no UTF-8 is a bad line as any other
        for number, line in enumerate(file, 1):
            try:
                body = json.loads(line)
                if number == 1:
                    _check_format(body)
                else:
                    yield _parsed(body, now)
            except (GenomeError, ValueError, KeyError, TypeError, AttributeError) as error:
                raise InvalidInput(f"{path}, line {number}: {error}", hint="nothing was written") from error


def _check_format(body: Any) -> None:
    if not isinstance(body, dict) or body.get("format") != FORMAT["format"]:
        raise InvalidInput("not an export of this package")
    if body["version"] > FORMAT["version"]:
        raise InvalidInput("written by a newer release")


def _parsed(body: dict[str, Any], now: datetime) -> Draft | Fact:
    namespace = checked_namespace(body["namespace"])
    if "fact" in body:
        return _fact(body["fact"], namespace=namespace)
    given = dict(body["record"])
    given |= {name: datetime.fromisoformat(given[name]) for name in _TIMES if name in given}
    if "index" in given:
        given["index"] = tuple(given["index"])
    record = Record(**given, namespace=namespace)
    checked_id(record.id)
    for name in _TIMES:
        if getattr(record, name) is not None:
            to_micros(getattr(record, name), name)
    if not isinstance(record.version, int) or record.version < 1:
        raise InvalidInput(f"version is {record.version!r}", hint="it counts from 1")
    draft = drafting.draft(record, drafting.Defaults(now=now))
    return replace(
        draft,
        duplicate=bytes.fromhex(body["duplicate"]) if body["duplicate"] else None,
        facts=tuple(_fact(fact) for fact in body["facts"]),
        vectors_given=not body["embedded"],
        imported=True,
    )


def _batches(items: Iterator[Draft | Fact]) -> Iterator[Sequence[Draft | Fact]]:
    batch: list[Draft | Fact] = []
    for item in items:
        batch.append(item)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _write_line(file: IO[str], body: dict[str, Any]) -> None:
    file.write(json.dumps(body, ensure_ascii=False) + "\n")
