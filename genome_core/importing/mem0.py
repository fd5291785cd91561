"""Takes over what Mem0 (1 and 2) has stored: the JSON of ``get_all()``, or its local folder of Qdrant, Chroma or FAISS."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from genome_core.errors import InvalidInput, MissingDependency, NotFound
from genome_core.importing.moving import Imported, Item, sqlite_file, store, utc, whose
from genome_core.scopes import WriteScope
from genome_core.types import Record

if TYPE_CHECKING:
    from genome_core.memory import Memory

_IDS = ("user_id", "agent_id", "run_id")
_OWN = {*_IDS, "data", "hash", "created_at", "updated_at", "text_lemmatized", "role", "actor_id", "expiration_date"}
"""What Mem0 keeps in a memory's payload beside the caller's metadata."""


def import_mem0(
    path: str | os.PathLike[str], memory: Memory, *, collection: str = "mem0", **otherwise: Unpack[WriteScope]
) -> Imported:
    """Copies memories with their ids, users, agents, runs, times, roles and metadata; leaves out what has expired.

    ``path`` is a JSON file that holds what ``get_all()`` of Mem0 or its platform returned, or the folder ``path`` of its
    vector store's configuration. Of a folder, ``collection`` is read; it must not be open elsewhere. Reading Qdrant's folder
    needs ``qdrant-client``, which unpickles: open only a folder of your own. ``history.db`` does not say whose its memories
    are and is not read.

    The scope says whose those memories become that name nobody. Raises ``NotFound``, ``InvalidScope``, ``InvalidInput`` or
    ``MissingDependency``, before anything is written.
    """
    now = memory.now()
    found = list(_found(Path(path), collection))
    items = [Item(_record(one, otherwise)) for one in found]
    kept = [item for item in items if item.record.expires_at is None or item.record.expires_at > now]
    store(memory, kept)
    return Imported(len(kept), left_out={"expired": len(items) - len(kept)})


@dataclass(frozen=True, slots=True)
class _Found:
    """A memory as Mem0 keeps it."""

    id: str
    text: str
    payload: Mapping[str, Any]
    metadata: Mapping[str, Any]


def _found(path: Path, collection: str) -> Iterator[_Found]:
    if path.is_file():
        yield from _of_json(path)
    elif (path / "chroma.sqlite3").exists():
        yield from _stored(_chroma(path / "chroma.sqlite3", collection))
    elif (path / f"{collection}.json").exists():
        yield from _stored(_faiss(path / f"{collection}.json"))
    elif (path / "collection" / collection).exists():
        yield from _stored(_qdrant(path, collection))
    elif not path.exists():
        raise NotFound(f"there is nothing at {path}", hint="name a folder of Mem0, or a file of its get_all()")
    else:
        raise InvalidInput(
            f"{path} holds no collection {collection!r} of Qdrant, Chroma or FAISS",
            hint="name the collection, or save what Mem0's get_all() returns as JSON and name that file",
        )


def _record(found: _Found, otherwise: WriteScope) -> Record:
    payload, role = found.payload, found.payload.get("role") or "user"
    try:
        created_at = utc(payload["created_at"])
        expires_on = payload.get("expiration_date")
        return Record(
            text=found.text,
            id=found.id,
            namespace=whose(payload, otherwise, f"memory {found.id!r}"),
            role=role,
            name=payload.get("actor_id"),
            metadata=dict(found.metadata),
            origin="user" if role == "user" else "agent",
            at=created_at,
            created_at=created_at,
            updated_at=utc(payload.get("updated_at") or payload["created_at"]),
            expires_at=utc(expires_on) + timedelta(days=1) if expires_on else None,  # Mem0 counts the day itself in
            version=1,
        )
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"memory {found.id!r} can not be read: {error!r}", hint="nothing was written") from error


# --- where Mem0 keeps its memories -----------------------------------------------------------------------------------


def _of_json(path: Path) -> Iterator[_Found]:
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        for one in body["results"] if isinstance(body, dict) else body:
            yield _Found(one["id"], one["memory"], one, one.get("metadata") or {})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"{path} is not what get_all() returns: {error!r}",
            hint="write json.dump(memory.get_all(filters={'user_id': ...}, top_k=100_000), file)",
        ) from error


def _stored(points: Iterator[tuple[str, Mapping[str, Any]]]) -> Iterator[_Found]:
    for id, payload in points:
        metadata = {name: value for name, value in payload.items() if name not in _OWN}
        if "data" not in payload:
            raise InvalidInput(f"memory {id!r} has no text", hint="nothing was written")
        yield _Found(id, payload["data"], payload, metadata)


def _faiss(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        yield from json.loads(path.read_text(encoding="utf-8"))["docstore"].items()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{path} is no docstore of Mem0: {error!r}", hint="nothing was written") from error


def _chroma(path: Path, collection: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with sqlite_file(path, ["embedding_metadata"], "a folder of Mem0 with Chroma") as source:
        if not source.execute("SELECT 1 FROM collections WHERE name = ?", (collection,)).fetchone():
            raise InvalidInput(f"{path} has no collection {collection!r}", hint="name the one that Mem0 was given")
        rows = source.execute(
            "SELECT e.embedding_id, m.key, m.string_value, m.int_value, m.float_value, m.bool_value FROM embeddings e"
            " JOIN segments s ON s.id = e.segment_id JOIN collections c ON c.id = s.collection"
            " JOIN embedding_metadata m ON m.id = e.id WHERE c.name = ? ORDER BY e.id",
            (collection,),
        ).fetchall()
    payloads: dict[str, dict[str, Any]] = {}
    for id, key, text, whole, real, truth in rows:
        if not key.startswith("chroma:"):
            known = [value for value in (text, whole, real) if value is not None]
            payloads.setdefault(id, {})[key] = known[0] if known else bool(truth)
    yield from payloads.items()


def _qdrant(path: Path, collection: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        from qdrant_client import QdrantClient
    except ImportError as error:
        raise MissingDependency(
            "reading Qdrant's folder needs qdrant-client",
            hint="pip install qdrant-client, or save what Mem0's get_all() returns as JSON and import that",
        ) from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the size of a local collection
        client = QdrantClient(path=str(path))
    try:
        following: Any = None
        while True:
            points, following = client.scroll(collection, limit=1000, offset=following)
            for point in points:
                yield str(point.id), point.payload or {}
            if following is None:
                return
    finally:
        client.close()
