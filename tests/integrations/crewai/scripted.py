"""A model that answers from a script, and a network that is not there."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from crewai.llms.base_llm import BaseLLM
from pydantic import PrivateAttr


class ScriptedLLM(BaseLLM):
    """Gives the answers of a script in turn, the last one for ever; keeps the prompts it was given."""

    _answers: list[str] = PrivateAttr()
    _prompts: list[str] = PrivateAttr(default_factory=list)

    def __init__(self, *answers: str) -> None:
        super().__init__(model="scripted")
        self._answers = list(answers)

    @property
    def prompts(self) -> list[str]:
        return self._prompts

    def call(self, messages: Any, *args: Any, **options: Any) -> str:
        texts = [messages] if isinstance(messages, str) else [str(message["content"]) for message in messages]
        self._prompts.append("\n".join(texts))
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    async def acall(self, messages: Any, *args: Any, **options: Any) -> str:
        return self.call(messages, *args, **options)

    def supports_function_calling(self) -> bool:
        return False


def final(text: str) -> str:
    """The answer that ends a run of an agent."""
    return f"Thought: I now can give a great answer\nFinal Answer: {text}"


def action(tool: str, arguments: str) -> str:
    """The answer that calls a tool."""
    return f"Thought: I need a tool\nAction: {tool}\nAction Input: {arguments}"


def block_network(monkeypatch: pytest.MonkeyPatch) -> Sequence[str]:
    """Refuses every connection and look-up of names; returns the list of what was tried."""
    tried: list[str] = []

    def refuse(what: str) -> Callable[..., Any]:
        def refused(*args: Any, **options: Any) -> Any:
            tried.append(f"{what}{args[1:] if what == 'connect' else args}")
            raise OSError(f"the network is blocked: {tried[-1]}")

        return refused

    monkeypatch.setattr(socket.socket, "connect", refuse("connect"))
    monkeypatch.setattr(socket.socket, "connect_ex", refuse("connect"))
    monkeypatch.setattr(socket, "getaddrinfo", refuse("getaddrinfo"))
    return tried
