"""Agents and graphs that use ``GenomeStore`` and ``GenomeSaver`` together, over one database."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypedDict

import pytest
from genome_langgraph import GenomeSaver, GenomeStore
from langchain.agents import create_agent
from langchain.tools import InjectedStore, ToolRuntime
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.config import get_store
from langgraph.func import entrypoint
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.types import Command, interrupt

from genome_core import Memory
from genome_core.protocols import Embedder


class Obedient(BaseChatModel):
    """Calls the tool that the user names (``"remember: I like tea"``), then repeats what the tool answered."""

    @property
    def _llm_type(self) -> str:
        return "obedient"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        last = messages[-1]
        name, colon, text = str(last.text).partition(": ")
        if isinstance(last, HumanMessage) and colon:
            call = {"name": name, "args": {"text": text}, "id": uuid.uuid4().hex, "type": "tool_call"}
            answer = AIMessage("", tool_calls=[call])
        else:
            answer = AIMessage(f"{last.text} ({len(messages)} messages)")
        return ChatResult(generations=[ChatGeneration(message=answer)])

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


@dataclass
class Context:
    user_id: str

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"user:{self.user_id}", "notes")


@tool
def remember(text: str, runtime: ToolRuntime[Context]) -> str:
    """Keeps a note."""
    assert runtime.store is not None
    runtime.store.put(runtime.context.notes, uuid.uuid4().hex, {"note": text})
    return "kept"


@tool
async def recall(text: str, runtime: ToolRuntime[Context]) -> str:
    """Finds the best note."""
    assert runtime.store is not None
    found = await runtime.store.asearch(runtime.context.notes, query=text, limit=1)
    return "; ".join(item.value["note"] for item in found) or "nothing"


@tool
def recall_now(text: str, runtime: ToolRuntime[Context]) -> str:
    """Finds the best note without async."""
    assert runtime.store is not None
    found = runtime.store.search(runtime.context.notes, query=text, limit=1)
    return "; ".join(item.value["note"] for item in found) or "nothing"


@tool
def remember_if_allowed(text: str, runtime: ToolRuntime[Context]) -> str:
    """Asks a human before it keeps a note."""
    if interrupt(f"keep {text!r}?") != "yes":
        return "not kept"
    assert runtime.store is not None
    runtime.store.put(runtime.context.notes, "asked", {"note": text})
    return "kept"


@dataclass
class Service:
    """An agent with its memory, as one process of a server has it."""

    memory: Memory
    store: GenomeStore
    saver: GenomeSaver
    agent: Any

    def say(self, words: Any, user: str, thread: str) -> Any:
        return self.agent.invoke(asked(words), about(user, thread), context=Context(user))

    async def asay(self, words: Any, user: str, thread: str) -> str:
        done = await self.agent.ainvoke(asked(words), about(user, thread), context=Context(user))
        return str(done["messages"][-1].text)


def asked(words: Any) -> Any:
    return words if isinstance(words, Command) else {"messages": [HumanMessage(words)]}


def about(user: str, thread: str) -> Any:
    return {"configurable": {"thread_id": thread, "user_id": user}}


@contextmanager
def opened(url: str, embedder: Embedder) -> Iterator[Service]:
    with Memory(url, embedder=embedder) as memory:
        store = GenomeStore(memory, index={"fields": ["note"]}, facts=["note"])
        saver = GenomeSaver(memory)
        tools = [remember, recall, recall_now, remember_if_allowed]
        agent = create_agent(Obedient(), tools, store=store, checkpointer=saver, context_schema=Context)
        yield Service(memory, store, saver, agent)


def test_an_agent_remembers_a_user_across_threads_and_restarts(durable_store_url: str, embedder: Embedder) -> None:
    with opened(durable_store_url, embedder) as service:
        service.say("remember: I like green tea", "ann", "monday")
        service.say("remember: I like black coffee", "bob", "bob's")
    with opened(durable_store_url, embedder) as service:
        assert service.say("recall_now: tea", "ann", "tuesday")["messages"][-1].text.startswith("I like green tea")
        assert service.say("recall_now: tea", "bob", "bob's")["messages"][-1].text.startswith("I like black coffee")
        assert service.say("recall_now: tea", "eve", "new")["messages"][-1].text.startswith("nothing")
        assert len(service.say("hello", "ann", "monday")["messages"]) == 6  # the first thread goes on, too


def test_an_agent_waits_for_a_human_across_a_restart(durable_store_url: str, embedder: Embedder) -> None:
    with opened(durable_store_url, embedder) as service:
        stopped = service.say("remember_if_allowed: I like tea", "ann", "t")
        assert stopped["__interrupt__"][0].value == "keep 'I like tea'?"
        assert service.store.search(()) == []
    with opened(durable_store_url, embedder) as service:
        done = service.say(Command(resume="yes"), "ann", "t")
        assert isinstance(done["messages"][-2], ToolMessage)
        assert done["messages"][-2].content == "kept"
        assert [item.value["note"] for item in service.store.search(("user:ann",))] == ["I like tea"]


def test_time_travel_and_what_was_known_then(durable_store_url: str, embedder: Embedder) -> None:
    with opened(durable_store_url, embedder) as service:
        service.say("remember: Maya lives in Leeds.", "ann", "t")
        service.say("remember: Maya lives in York now.", "ann", "t")
        states = list(service.agent.get_state_history(about("ann", "t")))
        first_turn = next(state for state in states if not state.next and len(state.values["messages"]) == 4)
        then = datetime.fromisoformat(first_turn.created_at)
        assert service.store.ask("Where does Maya live?", ("user:ann",)).value == "York"
        assert service.store.ask("Where does Maya live?", ("user:ann",), at=then).value == "Leeds"
        fork = service.agent.invoke({"messages": [HumanMessage("hello")]}, first_turn.config, context=Context("ann"))
        assert [message.text for message in fork["messages"]][-2:] == ["hello", "hello (5 messages)"]
        # A fork is another course of the conversation, not of what the store was told.
        assert len(service.store.search(("user:ann",))) == 2


def test_one_user_is_forgotten_everywhere(durable_store_url: str, embedder: Embedder) -> None:
    with opened(durable_store_url, embedder) as service:
        for user in ("ann", "ann2"):
            for thread in ("monday", "friday"):
                service.say(f"remember: Maya lives in {thread.title()}ville.", user, f"{user} {thread}")
            service.memory.add({"role": "user", "content": "My name is Maya."}, user_id=user)
        threads = {
            found.config["configurable"]["thread_id"] for found in service.saver.list(None, filter={"user_id": "ann"})
        }
        assert threads == {"ann monday", "ann friday"}

        assert service.memory.delete_all(user_id="ann") == 3
        for thread in threads:
            service.saver.delete_thread(thread)

        assert service.store.search((), filter=None, limit=100, query="Maya lives in") != []
        assert {item.namespace[0] for item in service.store.search((), limit=100)} == {"user:ann2"}
        assert service.store.list_namespaces(prefix=("user:ann",)) == []
        assert service.memory.get_all(user_id="ann").records == ()
        assert service.memory.timeline(user_id="ann") == []
        assert service.memory.timeline(user_id="ann2") != []
        assert list(service.saver.list(None, filter={"user_id": "ann"})) == []
        assert len(list(service.saver.list(None, filter={"user_id": "ann2"}))) > 0
        assert service.store.recall("Where does Maya live?", ("user:ann",)) == []


def test_fifty_threads_at_once_on_one_loop(durable_store_url: str, embedder: Embedder) -> None:
    with opened(durable_store_url, embedder) as service:

        async def talk(number: int) -> list[str]:
            user, thread = f"u{number}", f"t{number}"
            await service.asay(f"remember: my number is {number}", user, thread)
            now = await service.asay("recall_now: number", user, thread)  # a sync tool in an async graph
            later = await service.asay("recall: number", user, thread)
            return [now, later]

        async def everybody() -> list[list[str]]:
            return await asyncio.gather(*(talk(number) for number in range(50)))

        answers = asyncio.run(everybody())
        assert answers == [[f"my number is {n} (7 messages)", f"my number is {n} (11 messages)"] for n in range(50)]
        # Another loop goes on where the first one stopped.
        assert asyncio.run(service.asay("recall: number", "u7", "t7")) == "my number is 7 (15 messages)"
        assert len(service.store.list_namespaces()) == 50


class Words(TypedDict):
    words: str


def test_every_way_to_the_store_leads_to_it(durable_store_url: str, embedder: Embedder) -> None:
    @tool
    def injected(text: str, store: Annotated[Any, InjectedStore()]) -> str:
        """Counts."""
        return str(len(store.search(())))

    @tool
    async def by_context(text: str) -> str:
        """Counts."""
        return str(len(await get_store().asearch(())))

    def by_argument(state: Words, *, store: BaseStore) -> Words:
        store.put(("n",), "argument", {"words": state["words"]})
        return state

    async def by_runtime(state: Words, runtime: Runtime[None]) -> Words:
        assert runtime.store is not None
        await runtime.store.aput(("n",), "runtime", {"words": state["words"]})
        runtime.store.put(("n",), "sync in async", {"words": state["words"]})
        return state

    with opened(durable_store_url, embedder) as service:
        inner = StateGraph(Words).add_node(by_runtime).add_edge(START, "by_runtime").compile()
        outer: Any = StateGraph(Words)
        outer.add_node(by_argument).add_node("inner", inner).add_edge(START, "by_argument").add_edge(
            "by_argument", "inner"
        )
        graph = outer.compile(store=service.store, checkpointer=service.saver)

        @entrypoint(store=service.store, checkpointer=service.saver)
        async def workflow(words: str, *, store: BaseStore) -> int:
            await store.aput(("n",), "workflow", {"words": words})
            return len(await store.asearch(("n",)))

        agent: Any = create_agent(Obedient(), [injected, by_context], store=service.store)

        async def run() -> tuple[int, list[str]]:
            await graph.ainvoke({"words": "hello"}, about("ann", "t"))
            count: Any = await workflow.ainvoke("hello", about("ann", "w"))
            texts = []
            for name in ("injected", "by_context"):
                done = await agent.ainvoke({"messages": [HumanMessage(f"{name}: items")]})
                texts.append(done["messages"][-2].content)
            return count, texts

        assert asyncio.run(run()) == (4, ["4", "4"])
        assert {item.key for item in service.store.search(("n",))} == {
            "argument",
            "runtime",
            "sync in async",
            "workflow",
        }


def test_subgraphs_that_remember_share_the_store(durable_store_url: str, embedder: Embedder) -> None:
    def learn(state: Words, runtime: Runtime[None]) -> Words:
        assert runtime.store is not None
        seen = len(runtime.store.search(("lessons",)))
        runtime.store.put(("lessons",), str(seen), {"words": state["words"]})
        return {"words": f"{state['words']}, after {seen}"}

    with opened(durable_store_url, embedder) as service:
        child = StateGraph(Words).add_node(learn).add_edge(START, "learn").compile(checkpointer=True)
        parent: Any = StateGraph(Words).add_node("child", child).add_edge(START, "child")
        graph = parent.compile(store=service.store, checkpointer=service.saver)
        assert graph.invoke({"words": "one"}, about("ann", "a"))["words"] == "one, after 0"
        assert graph.invoke({"words": "two"}, about("ann", "b"))["words"] == "two, after 1"
        namespaces = {found.config["configurable"]["checkpoint_ns"] for found in service.saver.list(about("ann", "a"))}
        assert namespaces == {"", "child"}


@pytest.mark.parametrize("value", ["x\ud83d", "nul\x00"])
def test_a_broken_character_is_an_error_of_the_tool_and_not_of_the_thread(
    sqlite_url: str, embedder: Embedder, value: str
) -> None:
    with opened(sqlite_url, embedder) as service:
        with pytest.raises(TypeError, match="clean_text"):
            service.say(f"remember: {value}", "ann", "t")
        assert service.store.search(()) == []
