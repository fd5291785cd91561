"""Forgetting one user everywhere: items, turns, facts and threads. Run: python examples/langgraph_forget.py"""

from __future__ import annotations

from typing import Any, TypedDict

from genome_langgraph import GenomeSaver, GenomeStore
from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore

from genome_core import Memory


class State(TypedDict):
    """Who says what."""

    user: str
    words: str


def learn(state: State, *, store: BaseStore) -> State:
    """Keeps what was said, below the user's own label."""
    store.put((f"user:{state['user']}", "notes"), state["words"], {"note": state["words"]})
    return state


def main() -> None:
    """Two users speak, one is forgotten."""
    with Memory(":memory:") as memory:
        store, saver = GenomeStore(memory, facts=["note"]), GenomeSaver(memory)
        graph = StateGraph(State).add_node(learn).add_edge(START, "learn").compile(checkpointer=saver, store=store)
        for user, words in (("ann", "I live in Leeds."), ("bob", "I live in Rome.")):
            config: Any = {"configurable": {"thread_id": f"{user}'s", "user_id": user}}
            graph.invoke({"user": user, "words": words}, config)
            memory.add({"role": "user", "content": words}, user_id=user)

        receipt = memory.erase(reason="asked by mail", user_id="ann")
        print("gone:", ", ".join(f"{count} {what}" for what, count in receipt.counts.items()))

        for user in ("ann", "bob"):
            namespace = (f"user:{user}",)
            threads = list(saver.list(None, filter={"user_id": user}))
            print(
                f"{user}: {len(store.search(namespace))} records, {len(store.facts(namespace))} facts, {len(threads)} states"
            )


if __name__ == "__main__":
    main()
