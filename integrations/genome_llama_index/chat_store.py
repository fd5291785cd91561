"""``GenomeChatStore``: the store of LlamaIndex's own ``Memory`` on GENOME."""

from __future__ import annotations

import asyncio
from itertools import islice

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus

from genome_core import Memory, Record
from genome_core.inputs import check_whole
from genome_core.scopes import write_namespace
from genome_core.types import Filter
from genome_llama_index.messages import to_message
from genome_llama_index.transcript import ACTIVE, ARCHIVED, Transcript

_RUN = "run:"


class GenomeChatStore(AsyncDBChatStore):
    """Messages by session, each stored at once and restored exactly: ``Memory.from_defaults(chat_store=GenomeChatStore(memory))``.

    The key of a session is the ``run_id`` of the memory's scope, under ``user_id`` and ``agent_id`` if given: stores of two
    users do not meet, even with the same keys. ``Memory.search`` and the other adapters find the turns. What LlamaIndex archives
    stays in the memory. A message that holds nothing but recalled context is not stored. The memory stays open.
    """

    _memory: Memory = PrivateAttr()
    _user_id: str | None = PrivateAttr()
    _agent_id: str | None = PrivateAttr()

    def __init__(self, memory: Memory, *, user_id: str | None = None, agent_id: str | None = None) -> None:
        super().__init__()
        self._memory = memory
        self._user_id = user_id
        self._agent_id = agent_id

    @classmethod
    def class_name(cls) -> str:
        return "GenomeChatStore"

    def _session(self, key: str) -> Transcript:
        scope = write_namespace({"user_id": self._user_id, "agent_id": self._agent_id, "run_id": key})
        return Transcript(self._memory, scope)

    async def get_messages(
        self,
        key: str,
        status: MessageStatus | None = MessageStatus.ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[ChatMessage]:
        """The messages with a status (None: any), oldest first; after ``offset`` of them, at most ``limit``."""

        def read() -> list[ChatMessage]:
            start = offset or 0
            for what, number in (("limit", limit or 0), ("offset", start)):
                check_whole(number, what)
            stop = None if limit is None else start + limit
            return [to_message(record) for record in islice(self._session(key).records(_filter(status)), start, stop)]

        return await asyncio.to_thread(read)

    async def count_messages(self, key: str, status: MessageStatus | None = MessageStatus.ACTIVE) -> int:
        """How many messages have a status (None: any)."""
        return await asyncio.to_thread(self._session(key).count, _filter(status))

    async def add_message(self, key: str, message: ChatMessage, status: MessageStatus = MessageStatus.ACTIVE) -> None:
        """Appends a message."""
        await self.add_messages(key, [message], status)

    async def add_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        """Appends messages in one transaction."""
        archived = status is MessageStatus.ARCHIVED
        await asyncio.to_thread(self._session(key).add, messages, archived=archived)

    async def set_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        """Makes these all messages of the session; those that stand there already are not written again."""
        archived = status is MessageStatus.ARCHIVED
        await asyncio.to_thread(self._session(key).replace, messages, archived=archived)

    async def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Deletes the message at a place, counted from 0 over all messages of the session, and returns it; None if none is there."""

        def delete() -> ChatMessage | None:
            session = self._session(key)
            found = list(islice(session.records(), idx, idx + 1)) if idx >= 0 else []
            session.delete(found)
            return to_message(found[0]) if found else None

        return await asyncio.to_thread(delete)

    async def delete_messages(self, key: str, status: MessageStatus | None = None) -> None:
        """Deletes the messages with a status (None: any), with the facts that they said."""
        await asyncio.to_thread(self._session(key).clear, _filter(status))

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Deletes the ``n`` oldest active messages and returns them."""

        def delete() -> list[ChatMessage]:
            session = self._session(key)
            oldest = _oldest(session, n)
            session.delete(oldest)
            return [to_message(record) for record in oldest]

        return await asyncio.to_thread(delete)

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Archives the ``n`` oldest active messages and returns them."""

        def archive() -> list[ChatMessage]:
            session = self._session(key)
            oldest = _oldest(session, n)
            session.archive(oldest)
            return [to_message(record) for record in oldest]

        return await asyncio.to_thread(archive)

    async def get_keys(self) -> list[str]:
        """The sessions of this user and agent, sorted."""

        def keys() -> list[str]:
            above = write_namespace({"user_id": self._user_id, "agent_id": self._agent_id}, required=False) or ()
            found = self._memory.namespaces(namespace=above)
            below = [namespace[-1] for namespace in found if len(namespace) == len(above) + 1]
            return [label.removeprefix(_RUN) for label in below if label.startswith(_RUN)]

        return await asyncio.to_thread(keys)


def _filter(status: MessageStatus | None) -> Filter | None:
    return {None: None, MessageStatus.ACTIVE: ACTIVE, MessageStatus.ARCHIVED: ARCHIVED}[status]


def _oldest(session: Transcript, count: int) -> list[Record]:
    check_whole(count, "n")
    return list(islice(session.records(ACTIVE), count))
