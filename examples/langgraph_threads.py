"""Stopping for a human, going on later, and going back in time. Run: python examples/langgraph_threads.py"""

from __future__ import annotations

import operator
from datetime import datetime
from typing import Annotated, Any, TypedDict

from genome_langgraph import GenomeSaver, GenomeStore
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from genome_core import Memory


class State(TypedDict):
    """The notes of one thread."""

    notes: Annotated[list[str], operator.add]


def keep(state: State, runtime: Runtime[None]) -> dict[str, Any]:
    """Asks before it keeps the latest note."""
    note = state["notes"][-1]
    if interrupt(f"Keep {note!r}?") != "yes":
        return {"notes": ["(not kept)"]}
    store: Any = runtime.store
    store.put(("user:ann",), note, {"note": note})
    return {"notes": ["(kept)"]}


def main() -> None:
    """One thread: two notes are kept, then the first state is gone on from."""
    with Memory(":memory:") as memory:
        store = GenomeStore(memory, facts=["note"])
        builder = StateGraph(State).add_node(keep).add_edge(START, "keep")
        graph = builder.compile(checkpointer=GenomeSaver(memory), store=store)
        thread: Any = {"configurable": {"thread_id": "ann's"}}

        for note in ("Maya lives in Leeds.", "Maya lives in York now."):
            stopped = graph.invoke({"notes": [note]}, thread)
            print(stopped["__interrupt__"][0].value)
            print(graph.invoke(Command(resume="yes"), thread)["notes"])

        earlier = next(state for state in graph.get_state_history(thread) if len(state.values["notes"]) == 2)
        then = datetime.fromisoformat(earlier.created_at or "")
        for at in (None, then):
            print("now: " if at is None else "then:", store.ask("Where does Maya live?", ("user:ann",), at=at).value)

        fork = graph.invoke({"notes": ["Maya moved to Bath."]}, earlier.config)
        print(fork["notes"])


if __name__ == "__main__":
    main()
