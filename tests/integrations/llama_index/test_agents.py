"""Agents of LlamaIndex with scripted models: they remember across sessions and restarts, and users never meet."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from genome_llama_index import GenomeChatStore, GenomeMemory, GenomeMemoryBlock
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole, ToolCallBlock
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory as LlamaMemory
from llama_index.core.tools import FunctionTool

from genome_core import Memory
from genome_core.search.context import OPEN
from genome_core.testing.embedders import FakeEmbedder

# LlamaIndex's workflows look at every attribute of an agent, deprecated ones of pydantic included.
pytestmark = pytest.mark.filterwarnings(
    "ignore:The `__fields.*` attribute is deprecated",
    "ignore:.*model_.*instance is deprecated",
    "ignore:is_running called from within a step",
)


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


class Model:
    """Answers with a number, after a call of the tool; keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[list[ChatMessage]] = []

    def __call__(self, messages: Sequence[ChatMessage], **_kwargs: Any) -> ChatMessage:
        self.given.append([message.model_copy(deep=True) for message in messages])
        if messages[-1].role is MessageRole.TOOL or "weather" not in str(messages[-1].content):
            return ChatMessage(f"answer {len(self.given)}", role=MessageRole.ASSISTANT)
        called = ToolCallBlock(tool_call_id=f"c{len(self.given)}", tool_name="weather", tool_kwargs={"city": "Rome"})
        return ChatMessage(role=MessageRole.ASSISTANT, blocks=[called])

    @property
    def last(self) -> str:
        return str(self.given[-1])


def function_agent(model: Model) -> FunctionAgent:
    return FunctionAgent(
        tools=[FunctionTool.from_defaults(weather)],
        llm=MockFunctionCallingLLM(response_generator=model, is_chat_model=True),
        system_prompt="You are brief.",
        streaming=False,
    )


async def test_a_function_agent_remembers_across_sessions_and_restarts(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    model = Model()
    with Memory(path, embedder=FakeEmbedder()) as memory:
        one = GenomeMemory(memory, session_id="one", user_id="ann")
        await function_agent(model).run("moss grows on stones", memory=one)
        await function_agent(model).run("how is the weather there", memory=one)
        roles = [message.role.value for message in one.get_all()]
        assert roles == ["user", "assistant", "user", "assistant", "tool", "assistant"]
    with Memory(path, embedder=FakeEmbedder()) as memory:
        again = GenomeMemory(memory, session_id="one", user_id="ann")
        await function_agent(model).run("and now", memory=again)
        assert [message.content for message in model.given[-1] if message.role is MessageRole.USER] == [
            "moss grows on stones",
            "how is the weather there",
            "and now",
        ]
        other = GenomeMemory(memory, session_id="two", user_id="ann")
        await function_agent(model).run("where does moss grow", memory=other)
        assert "moss grows on stones" in model.last
        assert model.given[-1][0].content == "You are brief."
        assert not any(OPEN in record.text + str(record.value) for record in memory.get_all(user_id="ann"))


class Reasoner(MockLLM):
    """A model of the ReAct kind: uses the tool once, then answers."""

    _given: list[str] = PrivateAttr(default_factory=list)

    async def achat(self, messages: Sequence[ChatMessage], **_kwargs: Any) -> ChatResponse:
        self._given.append(str(messages))
        if "Observation: sunny" in str(messages[-1].content):
            text = "Thought: I know enough.\nAnswer: It is sunny."
        elif "weather" in str(messages[-1].content):
            text = 'Thought: I need a tool.\nAction: weather\nAction Input: {"city": "Rome"}'
        else:
            text = "Thought: I can answer.\nAnswer: I see."
        return ChatResponse(message=ChatMessage(text, role=MessageRole.ASSISTANT))


async def test_a_react_agent_remembers_across_sessions(memory: Memory) -> None:
    model = Reasoner(max_tokens=None)
    agent = ReActAgent(tools=[FunctionTool.from_defaults(weather)], llm=model, streaming=False)
    await agent.run("moss grows on stones", memory=GenomeMemory(memory, session_id="one", user_id="ann"))
    answer = await agent.run("the weather please", memory=GenomeMemory(memory, session_id="one", user_id="ann"))
    assert str(answer) == "It is sunny."
    await agent.run("where does moss grow", memory=GenomeMemory(memory, session_id="two", user_id="ann"))
    assert "moss grows on stones" in model._given[-1]
    asked = [record.text for record in memory.get_all(user_id="ann") if record.role == "user"]
    assert asked == ["moss grows on stones", "the weather please", "where does moss grow"]


async def test_a_workflow_of_agents_shares_one_memory(memory: Memory) -> None:
    model = Model()
    one = GenomeMemory(memory, session_id="one", user_id="ann")
    await AgentWorkflow(agents=[function_agent(model)]).run("moss grows on stones", memory=one)
    assert [message.content for message in one.get_all()] == ["moss grows on stones", "answer 1"]


async def test_a_history_that_the_host_sends_each_time_is_stored_once(memory: Memory) -> None:
    model = Model()
    history: list[ChatMessage] = []
    for number in range(4):
        question = f"question {number}"
        answer = await function_agent(model).run(
            question, chat_history=history, memory=GenomeMemory(memory, session_id="one", user_id="ann")
        )
        history += [ChatMessage(question, role=MessageRole.USER), ChatMessage(str(answer), role=MessageRole.ASSISTANT)]
    assert memory.count(user_id="ann") == 8


async def test_two_users_in_parallel_never_meet(memory: Memory) -> None:
    models = {name: Model() for name in ("ann", "bob", "cleo")}

    async def converse(name: str) -> None:
        for number in range(3):
            session = GenomeMemory(memory, session_id=f"session {number}", user_id=name)
            await function_agent(models[name]).run(f"the code of {name} is {name}-{number}", memory=session)

    await asyncio.gather(*map(converse, models))
    for name, model in models.items():
        assert f"{name}-0" in model.last
        for other in models.keys() - {name}:
            assert other not in str(model.given)


async def test_llamaindexs_memory_with_chat_store_and_block_serves_an_agent(memory: Memory) -> None:
    model = Model()
    for session in ("one", "two"):
        llama = LlamaMemory.from_defaults(
            session_id=session,
            chat_store=GenomeChatStore(memory, user_id="ann"),
            memory_blocks=[GenomeMemoryBlock(memory, user_id="ann")],
        )
        await function_agent(model).run(f"moss grows on stones in {session}", memory=llama)
    assert "moss grows on stones in one" in model.last
    assert memory.count(user_id="ann") == 4
