"""``GenomeMemory``: memory for LlamaIndex's agents and chat engines."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.llms.llm import LLM
from llama_index.core.memory.memory import InsertMethod
from llama_index.core.memory.types import BaseMemory
from llama_index.core.utils import get_tokenizer

from genome_core import Memory, Record
from genome_core.errors import InvalidInput
from genome_core.inputs import clean_text
from genome_core.prompting import recalled_context
from genome_core.scopes import write_namespace
from genome_core.search.context import strip_context
from genome_llama_index.messages import to_message
from genome_llama_index.recall import recall_scope
from genome_llama_index.tokens import message_tokens
from genome_llama_index.transcript import ACTIVE, INSTRUCTIONS, Transcript
from genome_llama_index.window import last_question, last_turns

DEFAULT_TOKEN_LIMIT = 30_000
_SHARE_OF_WINDOW = 0.75
"""How much of a model's window the memory may fill, as in LlamaIndex's own buffer."""


class GenomeMemory(BaseMemory):
    """The last turns of a session word for word, and before them what is recalled for the question from all sessions of the user.

    ::

        memory = GenomeMemory(Memory("memory.db"), session_id="chat-1", user_id="ann")
        await agent.run("Where do I live?", memory=memory)

    **Storing**: each message is in the database when ``put`` returns, restored exactly by ``get_all``. Turns go to the memory's
    scope of user, agent and session (its ``run_id``); other adapters read them.

    **Recall**: ``get`` gives system messages, the last turns and a block of what was recalled, together at most ``token_limit``
    tokens. The block stands in the last user message, before its words: there it has no more authority than the user, and no
    agent drops it (``ReActAgent`` drops a system message that comes from the memory); ``insert_method=InsertMethod.SYSTEM`` puts
    it at the end of the system message. The question is ``input``, else what the user said last. Recall covers everything of
    ``user_id``, or the session alone if there is no user, and leaves out the turns that are given anyway; up to ``recall_limit``
    records and the facts that hold, in at most ``recall_tokens``. The block is quoted data, and is cut out of what is stored.

    System messages, and a message that calls tools with the tools' answers, are never torn apart. The turns begin with a
    user's; the newest are given even if they alone exceed the limit.

    ``set`` archives the turns before those given, so that a host that sends a window of the conversation loses nothing; ``reset``
    deletes all of the session. The memory stays open: whoever made it closes it.
    """

    session_id: str
    user_id: str | None = None
    agent_id: str | None = None
    token_limit: int = Field(default=DEFAULT_TOKEN_LIMIT, gt=0)
    recall_limit: int = Field(default=10, ge=0)
    recall_tokens: int = Field(default=1000, ge=0)
    insert_method: InsertMethod = InsertMethod.USER
    tokenizer_fn: Callable[[str], Sequence[Any]] = Field(default_factory=get_tokenizer, exclude=True)

    _memory: Memory = PrivateAttr()

    def __init__(self, memory: Memory, *, session_id: str, **kwargs: Any) -> None:
        super().__init__(**{"session_id": session_id, **kwargs})
        self._memory = memory
        write_namespace({"user_id": self.user_id, "agent_id": self.agent_id, "run_id": session_id})

    @classmethod
    def from_defaults(  # type: ignore[override]
        cls,
        memory: Memory,
        session_id: str | None = None,
        chat_history: list[ChatMessage] | None = None,
        llm: LLM | None = None,
        **kwargs: Any,
    ) -> GenomeMemory:
        """A memory for a session, by default a new one. ``llm`` tells the token limit; ``chat_history`` is set, if given."""
        if llm is not None:
            kwargs.setdefault("token_limit", int(llm.metadata.context_window * _SHARE_OF_WINDOW))
        made = cls(memory, session_id=session_id or uuid.uuid4().hex, **kwargs)
        if chat_history is not None:
            made.set(chat_history)
        return made

    @classmethod
    def class_name(cls) -> str:
        return "GenomeMemory"

    @property
    def memory(self) -> Memory:
        """The engine's memory."""
        return self._memory

    @property
    def _turns(self) -> Transcript:
        scope = write_namespace({"user_id": self.user_id, "agent_id": self.agent_id, "run_id": self.session_id})
        return Transcript(self._memory, scope)

    # --- writing -----------------------------------------------------------------------------------------------------

    def put(self, message: ChatMessage) -> None:
        """Appends a message."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Appends messages in one transaction."""
        self._turns.add(messages)

    def set(self, messages: list[ChatMessage]) -> None:
        """Makes these the running conversation; those that are stored already are not stored again."""
        self._turns.continue_with(messages)

    def reset(self) -> None:
        """Deletes the session's messages with the facts that they said; other sessions stay."""
        self._turns.clear()

    # --- reading -----------------------------------------------------------------------------------------------------

    def get_all(self) -> list[ChatMessage]:
        """The running conversation, complete and without anything recalled."""
        return [to_message(record) for record in self._turns.records(ACTIVE)]

    def get(self, input: str | None = None, initial_token_count: int = 0, **_kwargs: Any) -> list[ChatMessage]:
        """What a model gets: system messages, what was recalled, the last turns. ``initial_token_count`` tokens are taken."""
        room = self.token_limit - initial_token_count
        if room < 0:
            raise InvalidInput(f"{initial_token_count} tokens are taken", hint=f"token_limit is {self.token_limit}")
        system = list(self._turns.records(INSTRUCTIONS))
        room -= sum(map(self._cost, system))
        recall_room = min(self.recall_tokens, max(room, 0) // 2)
        seen = {record.id for record in system}
        newest_first = self._turns.records(ACTIVE, newest_first=True)
        recent = last_turns(
            (record for record in newest_first if record.id not in seen), room - recall_room, self._cost
        )
        seen.update(record.id for record in recent)
        if not recall_room:
            return [to_message(record) for record in (*system, *recent)]
        block = recalled_context(
            self._memory,
            strip_context(clean_text(input)) if input else last_question(recent),
            exclude=seen,
            limit=self.recall_limit,
            budget_tokens=recall_room,
            count_tokens=self._count,
            **recall_scope(self.session_id, self.user_id, self.agent_id),
        )
        return self._with_block([to_message(record) for record in (*system, *recent)], block)

    def _with_block(self, messages: list[ChatMessage], block: str) -> list[ChatMessage]:
        """The recalled block before the words of the last user message, or after those of the last system message."""
        if not block:
            return messages
        by_user = self.insert_method is InsertMethod.USER
        role = MessageRole.USER if by_user else MessageRole.SYSTEM
        places = [place for place, message in enumerate(messages) if message.role is role]
        if places:
            blocks = messages[places[-1]].blocks
            blocks.insert(0 if by_user else len(blocks), TextBlock(text=block))
            return messages
        alone = ChatMessage(block, role=role)
        return [*messages, alone] if by_user else [alone, *messages]

    def _count(self, text: str) -> int:
        return len(self.tokenizer_fn(text))

    def _cost(self, record: Record) -> int:
        return message_tokens(to_message(record), self._count)
