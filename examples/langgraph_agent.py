"""An agent whose threads and notes outlive the process. Run: python examples/langgraph_agent.py"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genome_langgraph import GenomeSaver, GenomeStore
from langchain.agents import create_agent
from langchain.tools import ToolRuntime, tool
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from genome_core import Memory


@dataclass
class Context:
    """Who is talking."""

    user_id: str


@tool
def remember(note: str, runtime: ToolRuntime[Context]) -> str:
    """Keeps a note about the user."""
    store: Any = runtime.store
    store.put((f"user:{runtime.context.user_id}", "notes"), runtime.tool_call_id, {"note": note})
    return "Kept."


@tool
def recall(query: str, runtime: ToolRuntime[Context]) -> str:
    """Finds what is known about the user."""
    store: Any = runtime.store
    found = store.search((f"user:{runtime.context.user_id}",), query=query, limit=3)
    return "\n".join(item.value["note"] for item in found) or "Nothing."


class Scripted(GenericFakeChatModel):
    """Stands for a real model: says what the script says."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """The script knows the tools already."""
        return self


def calls(name: str, **arguments: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call {name}"}])


@contextmanager
def agent(path: Path, *script: AIMessage) -> Iterator[Any]:
    """What a process builds when it starts."""
    with Memory(path) as memory:
        yield create_agent(
            Scripted(messages=iter(script)),
            [remember, recall],
            store=GenomeStore(memory, index={"fields": ["note"]}),
            checkpointer=GenomeSaver(memory),
            context_schema=Context,
        )


def say(running: Any, words: str, thread: str) -> list[Any]:
    config = {"configurable": {"thread_id": thread}}
    done = running.invoke({"messages": [("user", words)]}, config, context=Context("tom"))
    messages: list[Any] = done["messages"]
    return messages


def main() -> None:
    """Two processes, two threads, one user."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.db"
        with agent(path, calls("remember", note="Tom is allergic to peanuts."), AIMessage("Noted.")) as running:
            say(running, "I'm allergic to peanuts.", "monday")
        with agent(path, calls("recall", query="allergies"), AIMessage("No peanuts."), AIMessage("Yes!")) as running:
            for message in say(running, "What must I not eat?", "friday"):
                print(f"{message.type:>5}: {message.text or message.tool_calls[0]['name']}")
            print(len(say(running, "Do you remember Monday?", "monday")), "messages in Monday's thread")


if __name__ == "__main__":
    main()
