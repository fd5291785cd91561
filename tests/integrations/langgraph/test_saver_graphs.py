"""``GenomeSaver`` under real graphs."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
import sqlalchemy as sa
from genome_langgraph import GenomeSaver
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import tool
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from tests.integrations.langgraph.saver_helpers import ANSWERED, Count, asking, at, counting, rows

ROOT = Path(__file__).parents[3]


@pytest.fixture
def saver(store_url: str) -> Iterator[GenomeSaver]:
    with GenomeSaver(store_url) as saver:
        yield saver


# Interrupts, restarts, time travel


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_graph_stops_for_an_answer_and_goes_on(saver: GenomeSaver, durability: Any) -> None:
    graph = asking(saver)
    stopped = graph.invoke({"answer": ""}, at("t"), durability=durability)
    assert stopped["__interrupt__"][0].value == "go on?"
    assert graph.get_state(at("t"), subgraphs=True).tasks[0].state.next == ("ask",)  # type: ignore[union-attr]
    assert graph.invoke(Command(resume="yes"), at("t"), durability=durability) == ANSWERED


STOP_IN_ANOTHER_PROCESS = """
import sys
from genome_langgraph import GenomeSaver
from tests.integrations.langgraph.saver_helpers import asking, at

with GenomeSaver(sys.argv[1]) as saver:
    asking(saver).invoke({"answer": ""}, at("t"))
"""


def test_a_graph_goes_on_where_another_process_stopped(durable_store_url: str) -> None:
    subprocess.run([sys.executable, "-c", STOP_IN_ANOTHER_PROCESS, durable_store_url], check=True, cwd=ROOT)
    with GenomeSaver(durable_store_url) as saver:
        assert asking(saver).invoke(Command(resume="yes"), at("t")) == ANSWERED


async def test_async_writes_are_there_after_closing(durable_store_url: str) -> None:
    async with GenomeSaver(durable_store_url) as saver:
        await asking(saver).ainvoke({"answer": ""}, at("t"))
    async with GenomeSaver(durable_store_url) as saver:
        assert await asking(saver).ainvoke(Command(resume="yes"), at("t")) == ANSWERED


def test_history_replay_and_a_changed_past(saver: GenomeSaver) -> None:
    graph = counting(saver)
    graph.invoke({"steps": [], "total": 0}, at("t"))
    history = list(graph.get_state_history(at("t")))
    assert [one.next for one in history] == [(), ("two",), ("one",), (START,)]

    before_two = history[1].config
    assert graph.invoke(None, before_two)["steps"] == ["one", "two"]

    changed = graph.update_state(before_two, {"total": 40})
    assert graph.invoke(None, changed) == {"steps": ["one", "two"], "total": 41}
    assert graph.get_state(before_two).values == {"steps": ["one"], "total": 1}
    assert graph.get_state(history[0].config).values == {"steps": ["one", "two"], "total": 2}


def test_pruned_and_copied_threads_go_on(saver: GenomeSaver) -> None:
    graph = counting(saver)
    for _ in range(3):
        graph.invoke({"steps": [], "total": 0}, at("t"))
    saver.prune(["t"])
    saver.copy_thread("t", "copy")
    for thread_id in ("t", "copy"):
        assert len(list(saver.list(at(thread_id)))) == 1
        assert graph.invoke({"steps": ["again"]}, at(thread_id))["steps"] == [
            *(["one", "two"] * 3),
            "again",
            "one",
            "two",
        ]


def test_a_waiting_subgraph_survives_a_prune(saver: GenomeSaver) -> None:
    graph = asking(saver)
    for answer in ("first", "second"):
        graph.invoke({"answer": ""}, at("t"))
        saver.prune(["t"])
        assert graph.invoke(Command(resume=answer), at("t"))["answer"] == answer
    saver.prune(["t"])
    namespaces = {
        one.config["configurable"]["checkpoint_ns"] for one in saver.list({"configurable": {"thread_id": "t"}})
    }
    assert namespaces == {""}


# DeltaChannel


def append(state: list[str], writes: Sequence[list[str]]) -> list[str]:
    return [*state, *(item for write in writes for item in write)]


class Log(TypedDict):
    log: Annotated[list[str], DeltaChannel(append, list, snapshot_frequency=5)]


def logging_graph(saver: GenomeSaver) -> CompiledStateGraph[Any, Any, Any, Any]:
    graph = StateGraph(Log)
    graph.add_node("note", lambda state: {"log": [f"note {len(state['log'])}"]})
    graph.add_edge(START, "note")
    return graph.compile(checkpointer=saver)


@pytest.mark.parametrize("turns", [1, 2, 3, 6])
def test_delta_channels_survive_pruning_and_copying(saver: GenomeSaver, turns: int) -> None:
    graph = logging_graph(saver)
    for turn in range(turns):
        graph.invoke({"log": [f"turn {turn}"]}, at("t"))
    expected = graph.get_state(at("t")).values["log"]
    assert len(expected) == 2 * turns
    saver.prune(["t"])
    assert graph.get_state(at("t")).values["log"] == expected
    saver.copy_thread("t", "copy")
    saver.delete_thread("t")
    again = graph.invoke({"log": ["again"]}, at("copy"))["log"]
    assert again == [*expected, "again", f"note {len(expected) + 1}"]


async def test_delta_channels_are_rebuilt_in_async_graphs(saver: GenomeSaver) -> None:
    graph = logging_graph(saver)
    for turn in range(4):
        found = await graph.ainvoke({"log": [f"turn {turn}"]}, at("t"))
    assert found["log"] == [line for turn in range(4) for line in (f"turn {turn}", f"note {2 * turn + 1}")]


# Many at once


async def test_fifty_threads_on_one_loop(saver: GenomeSaver) -> None:
    graph = counting(saver)

    async def converse(thread_id: str) -> Any:
        for _ in range(3):
            state = await graph.ainvoke({"steps": [thread_id], "total": 0}, at(thread_id))
        return state["steps"]

    found = await asyncio.gather(*(converse(f"t{number}") for number in range(50)))
    assert found == [[f"t{number}", "one", "two"] * 3 for number in range(50)]


async def test_a_node_may_call_the_sync_saver_on_the_loop(saver: GenomeSaver) -> None:
    async def look(state: Count) -> dict[str, Any]:
        found = saver.get_tuple(at("t"))  # not awaited: it must neither hang nor raise
        assert found is not None
        return {"steps": [found.metadata["source"]]}

    graph = StateGraph(Count)
    graph.add_node("look", look)
    graph.add_edge(START, "look")
    compiled = graph.compile(checkpointer=saver)
    assert (await compiled.ainvoke({"steps": [], "total": 0}, at("t"), durability="sync"))["steps"] == ["loop"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_process_goes_on_with_the_same_saver(durable_store_url: str) -> None:
    script = f"""
import os
from genome_langgraph import GenomeSaver
from tests.integrations.langgraph.saver_helpers import at, counting

saver = GenomeSaver({durable_store_url!r})
graph = counting(saver)
graph.invoke({{"steps": [], "total": 0}}, at("t"))
child = os.fork()
if child == 0:
    graph.invoke({{"steps": ["child"], "total": 0}}, at("child"))
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert graph.get_state(at("child")).values["steps"] == ["child", "one", "two"]
assert graph.invoke({{"steps": [], "total": 0}}, at("t"))["steps"] == ["one", "two"] * 2
saver.close()
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)


# An agent


class Scripted(GenericFakeChatModel):
    """A chat model that says what it is told to; it takes tools without looking at them."""

    def bind_tools(self, tools: Any, **options: Any) -> Runnable[Any, AIMessage]:
        return self


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"It rains in {city}."


def test_an_agent_remembers_the_conversation_after_a_restart(durable_store_url: str) -> None:
    call = AIMessage("", tool_calls=[{"name": "weather", "args": {"city": "Bergen"}, "id": "c1"}])
    with GenomeSaver(durable_store_url) as saver:
        model = Scripted(messages=iter([call, AIMessage("Take an umbrella.")]))
        agent: Any = create_agent(model, [weather], checkpointer=saver)
        agent.invoke({"messages": [HumanMessage("Weather in Bergen?")]}, at("t"))
    with GenomeSaver(durable_store_url) as saver:
        agent = create_agent(Scripted(messages=iter([AIMessage("Bergen.")])), [weather], checkpointer=saver)
        found = agent.invoke({"messages": [HumanMessage("Which city was it?")]}, at("t"))["messages"]
    assert [type(message) for message in found] == [
        HumanMessage, AIMessage, ToolMessage, AIMessage, HumanMessage, AIMessage
    ]  # fmt: skip
    assert found[2].content == "It rains in Bergen."


# Growth


class Talk(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    profile: str


def talk(saver: GenomeSaver, turns: int) -> None:
    def answer(state: Talk) -> dict[str, Any]:
        number = len(state["messages"])
        return {"messages": [AIMessage(f"Answer {number}: " + "so it goes, " * 20, id=f"m{number}")]}

    graph = StateGraph(Talk)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    compiled: Any = graph.compile(checkpointer=saver)
    compiled.update_state(at("t"), {"profile": "p" * 20_000})
    for turn in range(turns):
        question = HumanMessage(f"Question {turn}: " + "why is that? " * 20)
        compiled.invoke({"messages": [question]}, at("t"))


def stored_bytes(saver: GenomeSaver) -> int:
    """The bytes of all values and writes, without the database's own overhead."""
    tables = ("langgraph_checkpoints", "langgraph_values", "langgraph_chunks", "langgraph_writes")
    with saver.database.read() as connection:
        return sum(connection.scalar(sa.text(f"SELECT sum(length(data)) FROM {table}")) or 0 for table in tables)


def test_a_conversation_grows_by_what_is_said_and_pruning_frees_the_rest(saver: GenomeSaver) -> None:
    talk(saver, 30)
    half = stored_bytes(saver)
    talk(saver, 30)
    whole = stored_bytes(saver)
    # Copying all messages at each step would make it four times as large.
    assert whole < 2.5 * half
    expected = saver.get_tuple(at("t"))
    saver.prune(["t"])
    found = saver.get_tuple(at("t"))
    assert expected is not None
    assert found is not None
    assert found.checkpoint == expected.checkpoint
    assert len(found.checkpoint["channel_values"]["messages"]) == 120
    messages = len(saver.serde.dumps_typed(found.checkpoint["channel_values"]["messages"])[1])
    assert stored_bytes(saver) < messages + 20_000 + 5_000 < whole / 2
    assert rows(saver)["langgraph_checkpoints"] == 1
