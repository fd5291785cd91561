"""Checkpoints made by hand, for tests that need no graph, and small graphs for those that do."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

import sqlalchemy as sa
from genome_langgraph import GenomeSaver
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import interrupt

TABLES = ("langgraph_threads", "langgraph_checkpoints", "langgraph_values", "langgraph_chunks", "langgraph_writes")


def at(thread_id: Any, checkpoint_id: str | None = None, checkpoint_ns: str = "") -> RunnableConfig:
    """A config that names a thread, or one of its checkpoints."""
    configurable = {"thread_id": thread_id, "checkpoint_ns": checkpoint_ns}
    return {"configurable": configurable | ({"checkpoint_id": checkpoint_id} if checkpoint_id else {})}


def make_checkpoint(values: Mapping[str, Any], versions: Mapping[str, Any] | None = None) -> Checkpoint:
    return Checkpoint(
        v=4,
        id=str(uuid6(clock_seq=1)),
        ts="2025-01-01T00:00:00+00:00",
        channel_values=dict(values),
        channel_versions=dict(versions if versions is not None else dict.fromkeys(values, "1")),
        versions_seen={"node": dict.fromkeys(values, "1")},
        updated_channels=None,
    )


def put(
    saver: GenomeSaver,
    config: RunnableConfig,
    values: Mapping[str, Any] | None = None,
    versions: Mapping[str, Any] | None = None,
    new: Mapping[str, Any] | None = None,
    **metadata: Any,
) -> RunnableConfig:
    """Puts a checkpoint on top of the one that ``config`` names; all its versions are new unless told otherwise."""
    checkpoint = make_checkpoint(values or {}, versions)
    fresh = dict(new if new is not None else checkpoint["channel_versions"])
    about: Any = {"source": "loop", "step": 1, "parents": {}} | metadata
    return saver.put(config, checkpoint, about, fresh)


def rows(saver: GenomeSaver) -> dict[str, int]:
    """The number of rows in each table."""
    saver.setup()
    with saver.database.read() as connection:
        return {table: connection.scalar(sa.text(f"SELECT count(*) FROM {table}")) or 0 for table in TABLES}


def copies(saver: GenomeSaver, part: bytes) -> int:
    """How many times these bytes are in the tables."""
    with saver.database.read() as connection:
        stored = [row for table in TABLES for row in connection.execute(sa.text(f"SELECT * FROM {table}"))]
    return sum(bytes(cell).count(part) for row in stored for cell in row if isinstance(cell, bytes | memoryview))


class Count(TypedDict):
    steps: Annotated[list[str], operator.add]
    total: int


def counting(saver: GenomeSaver) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Two nodes in a row that note their names and count."""
    graph = StateGraph(Count)
    graph.add_node("one", lambda state: {"steps": ["one"], "total": state["total"] + 1})
    graph.add_node("two", lambda state: {"steps": ["two"], "total": state["total"] + 1})
    graph.add_edge(START, "one")
    graph.add_edge("one", "two")
    return graph.compile(checkpointer=saver)


class Question(TypedDict):
    answer: str


class Request(Question):
    prepared: bool


def asking(saver: GenomeSaver) -> CompiledStateGraph[Any, Any, Any, Any]:
    """A graph with a subgraph that asks a person before it goes on."""
    inner = StateGraph(Question)
    inner.add_node("ask", lambda state: {"answer": interrupt("go on?")})
    inner.add_edge(START, "ask")
    outer = StateGraph(Request)
    outer.add_node("prepare", lambda state: {"prepared": True})
    outer.add_node("inner", inner.compile())
    outer.add_edge(START, "prepare")
    outer.add_edge("prepare", "inner")
    return outer.compile(checkpointer=saver)


ANSWERED = {"prepared": True, "answer": "yes"}
