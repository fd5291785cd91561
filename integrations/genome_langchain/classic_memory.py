"""``GenomeMemory``: memory for the chains of langchain-classic, such as ``ConversationChain``."""

from __future__ import annotations

import uuid
from typing import Any

from langchain_classic.base_memory import BaseMemory
from langchain_classic.memory.utils import get_prompt_input_key
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, get_buffer_string

from genome_core import Memory
from genome_core.errors import InvalidInput
from genome_core.prompting import recalled_context
from genome_core.scopes import ReadScope
from genome_langchain.history import GenomeChatMessageHistory
from genome_langchain.messages import to_message
from genome_langchain.transcript import last_records


class GenomeMemory(BaseMemory):
    """The last turns of a session word for word, and before them what is recalled for the question from all the others.

    Takes the place of ``ConversationBufferMemory`` (``window`` turns) and ``VectorStoreRetrieverMemory`` (``k`` records)
    at once. It recalls from everything of ``user_id``, or from the session alone if there is no user. With ``return_messages``
    the recalled block is a ``SystemMessage``, otherwise text in front of the turns.
    """

    memory: Memory
    session_id: str
    user_id: str | None = None
    agent_id: str | None = None
    memory_key: str = "history"
    input_key: str | None = None
    """Which input is the question; needed only where there are several."""
    output_key: str | None = None
    return_messages: bool = False
    human_prefix: str = "Human"
    ai_prefix: str = "AI"
    window: int = 10
    """How many of the last messages are given as they are."""
    k: int = 5
    """How many records are recalled at most."""
    budget_tokens: int = 1000
    """The most that the recalled block takes, in tokens."""

    @property
    def chat_memory(self) -> GenomeChatMessageHistory:
        """All messages of the session."""
        return GenomeChatMessageHistory(self.memory, self.session_id, user_id=self.user_id, agent_id=self.agent_id)

    @property
    def memory_variables(self) -> list[str]:
        """The one variable that the prompt gets."""
        return [self.memory_key]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The recalled block and the last turns, as text or as messages."""
        recent = last_records(self.memory, self.chat_memory.namespace, self.window)
        messages = [to_message(record) for record in recent]
        block = self._recalled(self._question(inputs), {record.id for record in recent})
        if self.return_messages:
            head: list[BaseMessage] = [SystemMessage(block)] if block else []
            return {self.memory_key: head + messages}
        turns = get_buffer_string(messages, human_prefix=self.human_prefix, ai_prefix=self.ai_prefix)
        return {self.memory_key: "\n".join(part for part in (block, turns) if part)}

    def _recalled(self, question: str, seen: set[str]) -> str:
        scope: ReadScope = (
            {"run_id": self.session_id, "agent_id": self.agent_id}
            if self.user_id is None
            else {"user_id": self.user_id, "agent_id": self.agent_id}
        )
        return recalled_context(
            self.memory, question, limit=self.k, budget_tokens=self.budget_tokens, exclude=seen, **scope
        )

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        """Appends the question and the answer."""
        question, answer = self._question(inputs), self._answer(outputs)
        # With ids, an exchange in the words of an earlier one is not taken for a transcript that is sent again.
        self.chat_memory.add_messages(
            [HumanMessage(question, id=uuid.uuid4().hex), AIMessage(answer, id=uuid.uuid4().hex)]
        )

    def clear(self) -> None:
        """Deletes the session's messages."""
        self.chat_memory.clear()

    def _question(self, inputs: dict[str, Any]) -> str:
        return str(inputs[self.input_key or get_prompt_input_key(inputs, self.memory_variables)])

    def _answer(self, outputs: dict[str, str]) -> str:
        if self.output_key is None and len(outputs) != 1:
            raise InvalidInput(f"which of {sorted(outputs)} is the answer?", hint="set output_key")
        return outputs[self.output_key or next(iter(outputs))]
