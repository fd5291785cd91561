"""A graph whose threads and notes outlive the process. Run: python examples/langgraph_agent.py"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from genome_langgraph import GenomeSaver, GenomeStore
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from genome_core import Memory


def reply(state: MessagesState, config: RunnableConfig, *, store: BaseStore) -> dict[str, Any]:
    """Answers from what the user said before, in any thread, and keeps what was said; put your model here."""
    message, mine = state["messages"][-1], (f"user:{config['configurable']['user_id']}", "said")
    known = store.search(mine, query=message.text, limit=1)
    store.put(mine, message.id or "", {"said": message.text})
    return {"messages": [f"You said: {known[0].value['said']}" if known else "Noted."]}


def say(path: Path, words: str, thread: str) -> list[Any]:
    """One process: it opens the database, runs the graph and closes it; returns the thread's messages."""
    with Memory(path) as memory:
        builder = StateGraph(MessagesState).add_node(reply).add_edge(START, "reply")
        graph = builder.compile(checkpointer=GenomeSaver(memory), store=GenomeStore(memory, index={"fields": ["said"]}))
        told: Any = {"messages": [words]}
        messages: list[Any] = graph.invoke(told, {"configurable": {"thread_id": thread, "user_id": "tom"}})["messages"]
        return messages


def main() -> None:
    """Three processes, two threads, one user."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.db"
        say(path, "I'm allergic to peanuts.", "monday")
        print(say(path, "Which allergies do I have?", "friday")[-1].text)
        print(len(say(path, "And what else did I say?", "monday")), "messages in Monday's thread")


if __name__ == "__main__":
    main()
