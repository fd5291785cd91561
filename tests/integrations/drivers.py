"""The four adapters as drivers of the contract."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from genome_langchain import GenomeChatMessageHistory, GenomeMiddleware, GenomeRetriever
from genome_langgraph import GenomeSaver, GenomeStore
from genome_llama_index import GenomeMemory as LlamaIndexMemory
from genome_llama_index import GenomeRetriever as LlamaIndexRetriever
from genome_llama_index import memory_tools
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import StateSnapshot
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.tools import FunctionTool

from genome_core import Memory
from tests.integrations.adapter_contract import Driver, Turn
from tests.integrations.quiet_crewai import GenomeMemory as CrewMemory

from genome_crewai import GenomeFlowPersistence, fact_tools  # isort: skip  # after quiet_crewai


class LangGraphDriver(Driver):
    """Threads in the checkpointer; what is to be remembered in the store."""

    framework = "langgraph"

    def __init__(self, memory: Memory, user: str, session: str = "monday") -> None:
        super().__init__(memory, user, session)
        self.namespace = (f"user:{user}",)
        self.store = GenomeStore(memory, index={"fields": ["said"]}, facts=["said"])
        builder = StateGraph(MessagesState).add_node("chat", lambda state: {}).add_edge(START, "chat")
        self.graph = builder.compile(checkpointer=GenomeSaver(memory), store=self.store)
        self.config: Any = {"configurable": {"thread_id": f"{user}/{session}", "user_id": user}}

    def keep(self, conversation: Sequence[Turn]) -> None:
        messages: Any = {"messages": [_to_langchain(turn) for turn in conversation]}
        self.graph.invoke(messages, self.config)

    def kept(self) -> list[Turn]:
        return self._turns(self.graph.get_state(self.config))

    async def akeep(self, conversation: Sequence[Turn]) -> None:
        messages: Any = {"messages": [_to_langchain(turn) for turn in conversation]}
        await self.graph.ainvoke(messages, self.config)

    async def akept(self) -> list[Turn]:
        return self._turns(await self.graph.aget_state(self.config))

    def _turns(self, state: StateSnapshot) -> list[Turn]:
        return [_from_langchain(message) for message in state.values.get("messages", [])]

    def tell(self, text: str) -> None:
        self.store.put((*self.namespace, "notes"), uuid.uuid4().hex, {"said": text})

    async def atell(self, text: str) -> None:
        await self.store.aput((*self.namespace, "notes"), uuid.uuid4().hex, {"said": text})

    def forget(self) -> None:
        for item in self.store.search(self.namespace, limit=100):
            self.store.delete(item.namespace, item.key)

    def recall(self, question: str, at: datetime | None = None) -> list[str]:
        return [hit.record.text for hit in self.store.recall(question, self.namespace, at=at)]

    async def arecall(self, question: str, at: datetime | None = None) -> list[str]:
        return [hit.record.text for hit in await self.store.arecall(question, self.namespace, at=at)]

    def answer(self, question: str, at: datetime | None = None) -> str:
        return str(self.store.ask(question, self.namespace, at=at).value)

    async def aanswer(self, question: str, at: datetime | None = None) -> str:
        return str((await self.store.aask(question, self.namespace, at=at)).value)


class LangChainDriver(Driver):
    """A chat history, a retriever, and the tools that the middleware gives to an agent."""

    framework = "langchain"

    def __init__(self, memory: Memory, user: str, session: str = "monday") -> None:
        super().__init__(memory, user, session)
        self.history = GenomeChatMessageHistory(memory, session, user_id=user)
        self.retriever = GenomeRetriever(memory=memory, user_id=user, k=10)
        self.ask: BaseTool = GenomeMiddleware(memory, user_id=user, tools=["ask"]).tools[0]

    def keep(self, conversation: Sequence[Turn]) -> None:
        self.history.add_messages([_to_langchain(turn) for turn in conversation])

    def kept(self) -> list[Turn]:
        return [_from_langchain(message) for message in self.history.messages]

    async def akeep(self, conversation: Sequence[Turn]) -> None:
        await self.history.aadd_messages([_to_langchain(turn) for turn in conversation])

    async def akept(self) -> list[Turn]:
        return [_from_langchain(message) for message in await self.history.aget_messages()]

    def tell(self, text: str) -> None:
        self.history.add_messages([HumanMessage(text)])

    async def atell(self, text: str) -> None:
        await self.history.aadd_messages([HumanMessage(text)])

    def forget(self) -> None:
        self.history.clear()

    def recall(self, question: str, at: datetime | None = None) -> list[str]:
        return [document.page_content for document in self.retriever.invoke(question, at=at)]

    async def arecall(self, question: str, at: datetime | None = None) -> list[str]:
        return [document.page_content for document in await self.retriever.ainvoke(question, at=at)]

    def answer(self, question: str, at: datetime | None = None) -> str:
        return str(self.ask.invoke(self._question(question, at)))

    async def aanswer(self, question: str, at: datetime | None = None) -> str:
        return str(await self.ask.ainvoke(self._question(question, at)))

    def _question(self, question: str, at: datetime | None) -> dict[str, Any]:
        runtime: Any = ToolRuntime(
            state={}, context=None, config={}, stream_writer=lambda _: None, tool_call_id=None, store=None
        )
        return {"question": question, "as_of": at.isoformat() if at else None, "runtime": runtime}


class CrewAIDriver(Driver):
    """Memory for what crews remember; the state of a flow for the conversation itself."""

    framework = "crewai"

    def __init__(self, memory: Memory, user: str, session: str = "monday") -> None:
        super().__init__(memory, user, session)
        self.crew = CrewMemory(memory, user_id=user, root_scope="/crew/kitchen", read_scope="/")
        self.flows = GenomeFlowPersistence(memory, user_id=user)
        self.ask = fact_tools(self.crew)[0]

    def keep(self, conversation: Sequence[Turn]) -> None:
        messages = [
            {
                "role": turn.role,
                "content": turn.text,
                "tool_calls": [{"id": id, "name": name, "arguments": given} for id, name, given in turn.calls],
                "tool_call_id": turn.answers,
            }
            for turn in conversation
        ]
        self.flows.save_state(self.session, "chat", {"messages": messages})

    def kept(self) -> list[Turn]:
        state = self.flows.load_state(self.session) or {"messages": []}
        return [
            Turn(
                message["role"],
                message["content"],
                tuple((call["id"], call["name"], call["arguments"]) for call in message["tool_calls"]),
                message["tool_call_id"],
            )
            for message in state["messages"]
        ]

    async def akeep(self, conversation: Sequence[Turn]) -> None:
        self.keep(conversation)  # CrewAI knows no async persistence: its flows call this one on their loop

    async def akept(self) -> list[Turn]:
        return self.kept()

    def tell(self, text: str) -> None:
        self.crew.remember(text)

    async def atell(self, text: str) -> None:
        await self.crew.aremember(text)

    def forget(self) -> None:
        self.crew.forget()

    def recall(self, question: str, at: datetime | None = None) -> list[str]:
        return [match.record.content for match in self.crew.recall(question, at=at)]

    async def arecall(self, question: str, at: datetime | None = None) -> list[str]:
        return [match.record.content for match in await self.crew.arecall(question, at=at)]

    def answer(self, question: str, at: datetime | None = None) -> str:
        return str(self.ask.run(question=question, as_of=at.isoformat() if at else None))

    async def aanswer(self, question: str, at: datetime | None = None) -> str:
        return str(await self.ask.arun(question=question, as_of=at.isoformat() if at else None))


class LlamaIndexDriver(Driver):
    """Memory of a chat session, a retriever, and tools."""

    framework = "llama_index"

    def __init__(self, memory: Memory, user: str, session: str = "monday") -> None:
        super().__init__(memory, user, session)
        self.chat = LlamaIndexMemory(memory, session_id=session, user_id=user)
        tools = {tool.metadata.name: tool for tool in memory_tools(memory, user_id=user)}
        self.ask: FunctionTool = tools["ask"]

    def keep(self, conversation: Sequence[Turn]) -> None:
        self.chat.put_messages([_to_llama_index(turn) for turn in conversation])

    def kept(self) -> list[Turn]:
        return [_from_llama_index(message) for message in self.chat.get_all()]

    async def akeep(self, conversation: Sequence[Turn]) -> None:
        await self.chat.aput_messages([_to_llama_index(turn) for turn in conversation])

    async def akept(self) -> list[Turn]:
        return [_from_llama_index(message) for message in await self.chat.aget_all()]

    def tell(self, text: str) -> None:
        self.chat.put(ChatMessage(text))

    async def atell(self, text: str) -> None:
        await self.chat.aput(ChatMessage(text))

    def forget(self) -> None:
        self.chat.reset()

    def recall(self, question: str, at: datetime | None = None) -> list[str]:
        return [found.node.get_content() for found in self._retriever(at).retrieve(question)]

    async def arecall(self, question: str, at: datetime | None = None) -> list[str]:
        return [found.node.get_content() for found in await self._retriever(at).aretrieve(question)]

    def _retriever(self, at: datetime | None) -> LlamaIndexRetriever:
        return LlamaIndexRetriever(self.memory, user_id=self.user, similarity_top_k=10, at=at)

    def answer(self, question: str, at: datetime | None = None) -> str:
        return str(self.ask.call(question, as_of=at.isoformat() if at else None))

    async def aanswer(self, question: str, at: datetime | None = None) -> str:
        return str(await self.ask.acall(question, as_of=at.isoformat() if at else None))


DRIVERS: dict[str, type[Driver]] = {
    driver.framework: driver for driver in (LangGraphDriver, LangChainDriver, CrewAIDriver, LlamaIndexDriver)
}


def _to_langchain(turn: Turn) -> BaseMessage:
    if turn.role == "system":
        return SystemMessage(turn.text)
    if turn.role == "user":
        return HumanMessage(turn.text)
    if turn.role == "tool":
        return ToolMessage(turn.text, tool_call_id=turn.answers)
    calls: Any = [{"id": id, "name": name, "args": given, "type": "tool_call"} for id, name, given in turn.calls]
    return AIMessage(turn.text, tool_calls=calls)


def _from_langchain(message: BaseMessage) -> Turn:
    role = {"human": "user", "ai": "assistant"}.get(message.type, message.type)
    made = message.tool_calls if isinstance(message, AIMessage) else []
    answers = message.tool_call_id if isinstance(message, ToolMessage) else ""
    return Turn(role, message.text, tuple((str(call["id"]), call["name"], call["args"]) for call in made), answers)


def _to_llama_index(turn: Turn) -> ChatMessage:
    calls = [ToolCallBlock(tool_call_id=id, tool_name=name, tool_kwargs=given) for id, name, given in turn.calls]
    more = {"tool_call_id": turn.answers} if turn.answers else {}
    words = [TextBlock(text=turn.text)] if turn.text else []
    return ChatMessage(role=MessageRole(turn.role), blocks=[*words, *calls], additional_kwargs=more)


def _from_llama_index(message: ChatMessage) -> Turn:
    calls = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
    return Turn(
        message.role.value,
        message.content or "",
        tuple((str(call.tool_call_id), call.tool_name, dict(call.tool_kwargs)) for call in calls),  # type: ignore[arg-type]
        message.additional_kwargs.get("tool_call_id", ""),
    )
