"""Models that answer from a script and keep what they were asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field


class ScriptedModel(BaseChatModel):
    """Gives the answers in turn; ``asked`` holds the messages of each call."""

    answers: Iterator[AIMessage | str]
    asked: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.asked.append(list(messages))
        answer = next(self.answers)
        message = AIMessage(answer) if isinstance(answer, str) else answer
        return ChatResult(generations=[ChatGeneration(message=message)])

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self

    def system_text(self, call: int = -1) -> str:
        """What the system messages of a call said."""
        return "\n".join(str(message.text) for message in self.asked[call] if message.type == "system")


def scripted(*answers: AIMessage | str) -> ScriptedModel:
    return ScriptedModel(answers=iter(answers))


def endless(answer: Callable[[int], str] = lambda number: f"answer {number}") -> ScriptedModel:
    def answers() -> Iterator[str]:
        number = 0
        while True:
            yield answer(number)
            number += 1

    return ScriptedModel(answers=answers())


def tool_call(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}", "type": "tool_call"}])
