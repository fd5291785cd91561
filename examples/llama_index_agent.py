"""An agent that remembers from one session to the next. Run: python examples/llama_index_agent.py"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Sequence
from typing import Any

from genome_llama_index import GenomeMemory
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM

from genome_core import Memory

# LlamaIndex's agents look at attributes of pydantic that are deprecated.
warnings.filterwarnings("ignore", message=".*is deprecated", category=DeprecationWarning)


def scripted(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
    """Takes the place of a real model: answers from what it was given."""
    given = "\n".join(message.content or "" for message in messages)
    knows = "allergic to peanuts" in given and "eat" in (messages[-1].content or "")
    return ChatMessage("No peanuts for you." if knows else "Noted.", role="assistant")


async def main() -> None:
    """Two sessions of one user."""
    agent = FunctionAgent(llm=MockFunctionCallingLLM(response_generator=scripted), system_prompt="You plan meals.")
    with Memory(":memory:") as memory:
        for session, text in (("monday", "I'm allergic to peanuts."), ("friday", "What must I not eat?")):
            answer = await agent.run(text, memory=GenomeMemory(memory, session_id=session, user_id="tom"))
            print(f"{session}: {text} -> {answer}")
        for record in memory.get_all(user_id="tom"):
            print(f"{'/'.join(record.namespace)}  {record.speaker}: {record.text}")


if __name__ == "__main__":
    asyncio.run(main())
