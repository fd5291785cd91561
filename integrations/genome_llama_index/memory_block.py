"""``GenomeMemoryBlock``: recall as a block of LlamaIndex's own ``Memory``."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory.memory import BaseMemoryBlock
from llama_index.core.utils import get_tokenizer

from genome_core import Memory, Record
from genome_core.inputs import clean_text
from genome_core.prompting import recalled_context
from genome_core.scopes import write_namespace
from genome_core.search.context import CLOSE, strip_context
from genome_llama_index.messages import last_question, to_record
from genome_llama_index.recall import recall_scope
from genome_llama_index.transcript import Transcript

_SESSION = "session_id"
"""Where LlamaIndex tells a block in a message whose it is."""


class GenomeMemoryBlock(BaseMemoryBlock[str]):
    """Recalls for what the user said last: ``Memory.from_defaults(memory_blocks=[GenomeMemoryBlock(memory, user_id="ann")])``.

    Recall covers everything of ``user_id``, or without a user the session that asks, each time anew: a block may serve several
    ``Memory`` objects. What the prompt holds anyway is left out.

    LlamaIndex hands a block only the turns that overflow its window. To have every turn stored at once, use ``GenomeMemory``,
    or ``GenomeChatStore`` beside the block: turns that the session has already are not stored twice. The memory stays open.
    """

    name: str = "recalled"
    description: str | None = "What is remembered from earlier conversations, and the facts that hold."
    user_id: str | None = None
    agent_id: str | None = None
    recall_limit: int = Field(default=10, ge=0)
    recall_tokens: int = Field(default=1000, ge=1)

    _memory: Memory = PrivateAttr()

    def __init__(self, memory: Memory, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._memory = memory

    async def _aget(
        self, messages: list[ChatMessage] | None = None, session_id: str | None = None, **_kwargs: Any
    ) -> str:
        """A block of what is known for the last question; empty if nothing is."""
        return await asyncio.to_thread(self._recalled, list(messages or ()), session_id)

    def _recalled(self, messages: list[ChatMessage], session_id: str | None) -> str:
        seen = {strip_context(clean_text(message.content or "")) for message in messages}
        return recalled_context(
            self._memory,
            last_question(messages),
            exclude_texts=seen,
            limit=self.recall_limit,
            budget_tokens=self.recall_tokens,
            count_tokens=_count_tokens,
            **recall_scope(session_id, self.user_id, self.agent_id),
        )

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Stores the turns that the session does not hold yet."""
        await asyncio.to_thread(self._store, messages)

    def _store(self, messages: list[ChatMessage]) -> None:
        sessions: dict[str | None, list[ChatMessage]] = {}
        for message in messages:
            sessions.setdefault(message.additional_kwargs.get(_SESSION), []).append(message)
        for session, said in sessions.items():
            scope = write_namespace({"user_id": self.user_id, "agent_id": self.agent_id, "run_id": session})
            known = {(record.role, record.text) for record in Transcript(self._memory, scope).records()}
            records = [record for message in said if (record := to_record(message, "")) and _is_turn(record)]
            new = [record for record in records if (record.role, record.text) not in known]
            if new:
                self._memory.add(new, namespace=scope)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The block without as many of its last lines as must go; None if nothing would be left."""
        lines = content.removesuffix(CLOSE).splitlines()
        gone = 0
        while gone < tokens_to_truncate and len(lines) > 1:
            gone += _count_tokens(lines.pop() + "\n")
        return "\n".join([*lines, CLOSE]) if any(line.startswith("- ") for line in lines) else None


def _is_turn(record: Record) -> bool:
    return bool(record.text.strip()) and record.role != "system"


def _count_tokens(text: str) -> int:
    return len(get_tokenizer()(text))
