"""The messages of one session: appended to, read from either end, replaced, archived."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from llama_index.core.base.llms.types import ChatMessage

from genome_core import Memory, Record
from genome_core.types import Filter, Namespace
from genome_llama_index.messages import to_record

_PAGE = 200
_ARCHIVED = "llama_index_archived"
"""The metadata of turns that are no longer part of the running conversation, but still remembered."""
ARCHIVED: Filter = {_ARCHIVED: True}
ACTIVE: Filter = {"$not": ARCHIVED}
INSTRUCTIONS: Filter = {"$and": [ACTIVE, {"$value": {"role": {"$in": ["system", "developer"]}}}]}


class Transcript:
    """The turns of exactly one namespace of a ``Memory``."""

    def __init__(self, memory: Memory, namespace: Namespace) -> None:
        self._memory = memory
        self._namespace = namespace

    def records(self, filter: Filter | None = None, *, newest_first: bool = False) -> Iterator[Record]:
        """The turns in order of time, read page by page."""
        after: str | None = None
        while True:
            page = self._memory.get_all(
                filter=filter,
                limit=_PAGE,
                after=after,
                newest_first=newest_first,
                namespace=self._namespace,
                exact=True,
            )
            yield from page
            after = page.next
            if after is None:
                return

    def count(self, filter: Filter | None = None) -> int:
        return self._memory.count(filter=filter, namespace=self._namespace, exact=True)

    def add(self, messages: Sequence[ChatMessage], *, archived: bool = False) -> None:
        """Appends messages in one transaction."""
        self._add(_new_records(messages, archived))

    def replace(self, messages: Sequence[ChatMessage], *, archived: bool = False) -> None:
        """Makes these the messages of the session. Those that stand there already stay as they are; all others are deleted."""
        stored, sent = list(self.records()), _new_records(messages, archived)
        start, count = _common(stored, sent)
        self._add(sent[count:])
        self.delete([*stored[:start], *stored[start + count :]])

    def continue_with(self, messages: Sequence[ChatMessage]) -> None:
        """Makes these the running conversation.

        Hosts send what a window holds, or a summary and what came after: turns before the first one sent are archived, not
        deleted. Turns after the last one sent, which the user took back, are deleted.
        """
        stored, sent = list(self.records(ACTIVE)), _new_records(messages, archived=False)
        start, count = _common(stored, sent)
        self._add(sent[count:])
        self.archive(stored[:start] if count else stored)
        self.delete(stored[start + count :] if count else [])

    def archive(self, records: Sequence[Record]) -> None:
        """Takes turns out of the running conversation."""
        for record in records:
            metadata = {**record.metadata, _ARCHIVED: True}
            self._memory.update(record.id, metadata=metadata, namespace=self._namespace, exact=True)

    def delete(self, records: Sequence[Record]) -> None:
        """Deletes turns, with the facts that they said."""
        if records:
            self._memory.delete_many([record.id for record in records], namespace=self._namespace, exact=True)

    def clear(self, filter: Filter | None = None) -> None:
        """Deletes all turns (that pass the filter), with the facts that they said."""
        self._memory.delete_all(filter=filter, namespace=self._namespace, exact=True)

    def _add(self, records: Sequence[Record]) -> None:
        if records:
            self._memory.add(records, namespace=self._namespace)


def _new_records(messages: Sequence[ChatMessage], archived: bool) -> list[Record]:
    # Ids of their own: the same words said twice are two turns.
    records = [record for message in messages if (record := to_record(message, uuid.uuid4().hex))]
    return [replace(record, metadata={_ARCHIVED: True}) for record in records] if archived else records


def _common(stored: Sequence[Record], sent: Sequence[Record]) -> tuple[int, int]:
    """Where in what is stored the longest beginning of what was sent stands, and how long it is."""
    old, new = [_content(record) for record in stored], [_content(record) for record in sent]
    best = (0, 0)
    for start in range(len(old)):
        count = 0
        while count < len(new) and start + count < len(old) and old[start + count] == new[count]:
            count += 1
        if count > best[1]:
            best = (start, count)
    return best


def _content(record: Record) -> tuple[Any, ...]:
    return record.role, record.text, record.value, record.metadata.get(_ARCHIVED, False)
