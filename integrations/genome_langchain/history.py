"""``GenomeChatMessageHistory``: LangChain's chat history on GENOME."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage

from genome_core import Memory, Record
from genome_core.scopes import write_namespace
from genome_langchain.messages import to_message, to_record
from genome_langchain.transcript import last_records

_PAGE = 1000


class GenomeChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session: complete, in order, appended to and never cut, each restored exactly.

    The session is the ``run_id`` of the memory's scope, under ``user_id`` and ``agent_id`` if given, so that ``Memory.search``
    and the other adapters find its turns. The memory stays open: whoever made it closes it.

    A transcript may be sent again: a message whose id is stored is not stored twice (if it changed, it is replaced in its
    place), nor is a message without an id that stands before such a message, nor a list of two or more messages that begins
    with everything stored so far. Any other message is new, also one with the same words as an earlier one.
    """

    def __init__(
        self, memory: Memory, session_id: str, *, user_id: str | None = None, agent_id: str | None = None
    ) -> None:
        super().__init__()
        self.memory = memory
        self.session_id = session_id
        self.namespace = write_namespace({"user_id": user_id, "agent_id": agent_id, "run_id": session_id})

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """All messages of the session, oldest first."""
        return [to_message(record) for record in self._records()]

    def _records(self) -> Iterator[Record]:
        after: str | None = None
        while True:
            page = self.memory.get_all(limit=_PAGE, after=after, namespace=self.namespace, exact=True)
            yield from page
            after = page.next
            if after is None:
                return

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Appends the messages that are new, in one transaction.

        Raises ``InvalidInput`` for a type of message that could not be read back; what JSON can not hold is replaced with a
        ``UserWarning``.
        """
        sent = [to_record(message, message.id or uuid.uuid4().hex) for message in messages]
        new = self._new(messages, sent)
        if new:
            self.memory.add(new, namespace=self.namespace)

    def _new(self, messages: Sequence[BaseMessage], sent: Sequence[Record]) -> list[Record]:
        """What must be written: new turns, and stored ones that changed."""
        given = [message.id for message in messages if message.id]
        found = self.memory.get_many(given, namespace=self.namespace, exact=True)
        stored = {record.id: record for record in found}
        last_known = max((place for place, record in enumerate(sent) if record.id in stored), default=-1)
        start = 0 if stored else self._sent_again(sent)
        return [
            replace(record, at=stored[record.id].at) if record.id in stored else record
            for place, (message, record) in enumerate(zip(messages, sent, strict=True))
            if place >= start and (message.id or place > last_known)
        ]

    def _sent_again(self, sent: Sequence[Record]) -> int:
        """How many turns to skip of a transcript without known ids that repeats the whole session so far."""
        if len(sent) < 2:
            return 0
        before = last_records(self.memory, self.namespace, len(sent) + 1)
        repeated = [record.value for record in before] == [record.value for record in sent[: len(before)]]
        return len(before) if repeated else 0

    def clear(self) -> None:
        """Deletes the messages of the session, with the facts that they said."""
        self.memory.delete_all(namespace=self.namespace, exact=True)
