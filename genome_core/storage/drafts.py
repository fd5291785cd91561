"""Drafts: records ready to be written, and what the tables and the journal keep of them."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from genome_core.storage import facts as fact_log
from genome_core.storage.json_text import json_text
from genome_core.storage.moments import to_micros
from genome_core.storage.schema import records
from genome_core.types import Fact, Namespace, Record

COMPARED = ("text", "role", "name", "value", "metadata", "index_texts", "origin", "believer")
_COMPARED = itemgetter(*COMPARED)

_NOT_TOLD = ("tenant", "key", "namespace_id", "id", "last_version", "loose_duplicate")
RECORD_COLUMNS = tuple(str(name) for name in records.c.keys() if name not in _NOT_TOLD)  # noqa: SIM118
"""What a record's row holds beside its place, and beside what follows from the rest or only the next version needs."""
values_told = itemgetter(*RECORD_COLUMNS)
"""The values of these columns in a row, in their order."""


class StoredPassage(NamedTuple):
    """What the index needs of a passage: its lexical terms joined by spaces, and its vector if it has one, as ``vector_bytes``."""

    terms: str
    vector: bytes | None


@dataclass(slots=True, kw_only=True)
class Draft:
    """A record ready to be written: checked, embedded, read for facts."""

    record: Record
    """With its id, namespace and ``at``."""
    passages: tuple[StoredPassage, ...] | None = None
    """None in a next version: those of the last one still stand."""
    facts: tuple[Fact, ...] | None = None
    """None in a next version: those of the last one still stand."""
    duplicate: bytes | None = None
    """What equal records share, for a record whose id the caller did not choose."""
    imported: bool = False
    """The record comes from another store and keeps its version and recorded times."""
    at_given: bool = True
    vectors_given: bool = False
    """The caller brought the vectors: the journal keeps them, for nothing else could make them again."""


def generated_id(namespace: Namespace, duplicate: bytes, attempt: int = 0) -> str:
    """The id of a record whose caller chose none: the same record gets the same id in every store."""
    seed = f'[{_labels(namespace)}, "{duplicate.hex()}", {attempt}]'
    return hashlib.blake2b(seed.encode(), digest_size=16).hexdigest()


def loose_duplicate(namespace: Namespace, id: str, duplicate: bytes | None) -> str | None:
    """The duplicate key, if the id is not the one that is made of it: a changed record still has that, or this one comes from elsewhere."""
    return None if duplicate is None or id == generated_id(namespace, duplicate) else duplicate.hex()


@lru_cache(maxsize=1000)
def _labels(namespace: Namespace) -> str:
    return json.dumps(list(namespace))


def content(record: Record) -> dict[str, Any]:
    """The columns that a caller decides."""
    return {
        "text": record.text,
        "role": record.role,
        "name": record.name,
        "value": None if record.value is None else json_text(record.value),
        "metadata": json_text(record.metadata) if record.metadata else "{}",
        "index_texts": None if record.index is None else json_text(record.index),
        "origin": record.origin,
        "believer": record.believer,
        "at": to_micros(record.at) if record.at else 0,
        "expires_at": to_micros(record.expires_at) if record.expires_at else None,
    }


def imported(record: Record) -> dict[str, Any]:
    times = {"created_at": record.created_at, "updated_at": record.updated_at}
    return {"version": record.version} | {name: to_micros(moment) for name, moment in times.items() if moment}


def comparable(row: Mapping[str, Any]) -> tuple[Any, ...]:
    compared: tuple[Any, ...] = _COMPARED(row)
    return compared


def payload(draft: Draft, told: Mapping[str, Any]) -> dict[str, Any]:
    """What the journal keeps of a record with these columns: enough to make it again, vectors only where nothing else could."""
    body = _as_json({**told})
    if draft.facts is not None:
        body["facts"] = [fact_log.to_journal(fact) for fact in draft.facts]
    if draft.passages is not None:
        body["passages"] = [digest_of(passage) for passage in draft.passages]
        if draft.vectors_given:
            vectors = [one.vector for one in draft.passages]
            body["given"] = [None if data is None else base64.b64encode(data).decode() for data in vectors]
    return body


def digest_of(passage: StoredPassage) -> str:
    """By what the journal knows a passage again, its terms and its vector: sha256 in hexadecimal."""
    data = passage.terms.encode()
    return hashlib.sha256(data if passage.vector is None else data + b"\0" + passage.vector).hexdigest()


def columns_to_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a record that do not say where it is kept, as JSON."""
    return _as_json(dict(zip(RECORD_COLUMNS, values_told(row), strict=True)))


def _as_json(told: dict[str, Any]) -> dict[str, Any]:
    if told["duplicate"]:
        told["duplicate"] = told["duplicate"].hex()
    if not told["believer"]:
        del told["believer"]
    return told


def columns_from_json(body: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of ``columns_to_json``; what else the payload of an entry holds is left out."""
    row = {name: body[name] for name in RECORD_COLUMNS if name != "believer"}
    row["believer"] = body.get("believer", "")
    row["last_version"] = body.get("last_version")
    row["duplicate"] = bytes.fromhex(body["duplicate"]) if body["duplicate"] else None
    return row
