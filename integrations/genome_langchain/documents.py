"""LangChain's ``Document`` and the engine's ``Record``, each made from the other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from langchain_core.documents import Document

from genome_core import Record
from genome_core.inputs import plain_json
from genome_core.storage.reading import RecordFilter

DocumentFilter: TypeAlias = Mapping[str, Any] | Callable[[Document], bool]
"""The engine's filter language over the metadata, or any test of a document (slower: what it is asked of must be read)."""

ROLE = "document"
"""The role and origin of records that hold a document, so that nobody takes them for something a person said."""


def to_record(text: str, metadata: Mapping[str, Any] | None, id: str | None) -> Record:
    """A document's text and metadata as a record. Without an id, it gets one made from both: the same document, the same id.

    Raises ``InvalidInput`` for metadata that is not JSON.
    """
    plain: dict[str, Any] = plain_json(dict(metadata or {}), "metadata")
    return Record(text=text, id=id or content_id(text, plain), role=ROLE, origin=ROLE, metadata=plain)


def content_id(text: str, metadata: Mapping[str, Any]) -> str:
    content = json.dumps([text, metadata], sort_keys=True).encode()
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def to_document(record: Record, **more: Any) -> Document:
    """The record as a document of its own; ``more`` is added to the metadata."""
    return Document(id=record.id, page_content=record.text, metadata={**record.metadata, **more})


def record_filter(filter: DocumentFilter | None) -> RecordFilter | None:
    """The filter of a host in the engine's terms."""
    if callable(filter):
        test = filter
        return lambda record: bool(test(to_document(record)))
    return filter
