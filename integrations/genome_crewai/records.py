"""CrewAI's scopes and memory records as the engine's namespaces and records, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from crewai.memory.types import MemoryRecord

from genome_core import Record
from genome_core.types import Filter, Namespace


def to_labels(path: str | None) -> Namespace:
    """The labels of a scope path: ``/crew/a`` is ``("crew", "a")``, ``/`` has none."""
    return tuple(label for label in (path or "").split("/") if label)


def to_path(labels: Sequence[str]) -> str:
    return "/" + "/".join(labels)


def to_record(memory: MemoryRecord, root: Namespace, **fields: Any) -> Record:
    """A memory record for the engine; ``fields`` are further ones of ``Record``, such as ``role``."""
    value = record_value(memory.categories, memory.metadata, memory.importance, memory.source, memory.private)
    return Record(
        text=memory.content,
        id=memory.id,
        namespace=(*root, *to_labels(memory.scope)),
        value=value | {"last_accessed": _aware(memory.last_accessed).isoformat()},
        metadata=memory.metadata,
        at=_aware(memory.created_at),
        **fields,
    )


def record_value(
    categories: Sequence[str] | None,
    metadata: Mapping[str, Any] | None,
    importance: float,
    source: str | None,
    private: bool,
) -> dict[str, Any]:
    """What CrewAI knows of a memory beside its text.

    The metadata stands here too, since the value decides whether two records are the same.
    """
    return {
        "categories": list(categories or ()),
        "metadata": dict(metadata or {}),
        "importance": importance,
        "source": source,
        "private": private,
    }


def to_memory_record(record: Record, root: Namespace, embedding: list[float] | None = None) -> MemoryRecord:
    """A stored record as CrewAI's; one that came in another way has CrewAI's defaults."""
    known = _known(record)
    accessed = known.get("last_accessed")
    return MemoryRecord(
        id=record.id,
        content=record.text,
        scope=to_path(record.namespace[len(root) :]),
        categories=categories_of(record),
        metadata=dict(record.metadata),
        importance=known.get("importance", 0.5),
        created_at=_naive(record.at),
        last_accessed=_naive(datetime.fromisoformat(accessed) if accessed else record.updated_at),
        embedding=embedding,
        source=known.get("source"),
        private=known.get("private", False),
    )


def categories_of(record: Record) -> list[str]:
    return list(_known(record).get("categories", ()))


def category_filter(categories: Sequence[str]) -> dict[str, Any]:
    """Records with any of these categories."""
    return {"$or": [{"$value": {"categories": {"$contains": category}}} for category in categories]}


def metadata_filter(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Records whose metadata equal all of these; a key that should be None may also be missing."""
    parts = [
        {"$or": [{key: {"$eq": None}}, {key: {"$exists": False}}]} if value is None else {key: {"$eq": value}}
        for key, value in wanted.items()
    ]
    return {"$and": parts}


SAVED: Filter = {"$value": {"importance": {"$exists": True}}}
"""Records whose value ``record_value`` made."""


def _known(record: Record) -> dict[str, Any]:
    """What ``record_value`` made; empty for a record that came in another way."""
    return record.value if isinstance(record.value, dict) and "importance" in record.value else {}


def _aware(moment: datetime) -> datetime:
    """CrewAI's times are naive and mean UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _naive(moment: datetime | None) -> datetime:
    if moment is None:
        raise ValueError("a stored record has its times")
    return moment.astimezone(UTC).replace(tzinfo=None)
