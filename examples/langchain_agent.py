"""An agent that remembers from one thread to the next. Run: python examples/langchain_agent.py"""

from __future__ import annotations

from dataclasses import dataclass

from genome_langchain import GenomeMiddleware
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver

from genome_core import Memory


@dataclass
class Context:
    """Who is talking."""

    user_id: str


def main() -> None:
    """Two threads of one user; put a real model in the place of the scripted one."""
    model = GenericFakeChatModel(messages=iter([AIMessage("Noted."), AIMessage("No peanuts for you.")]))
    with Memory(":memory:") as memory:
        agent = create_agent(
            model,
            middleware=[GenomeMiddleware(memory)],
            context_schema=Context,
            checkpointer=InMemorySaver(),
            system_prompt="You plan meals.",
        )
        tom = Context(user_id="tom")
        agent.invoke(
            {"messages": [{"role": "user", "content": "I'm allergic to peanuts."}]},
            {"configurable": {"thread_id": "monday"}},
            context=tom,
        )
        answer = agent.invoke(
            {"messages": [{"role": "user", "content": "What must I not eat?"}]},
            {"configurable": {"thread_id": "friday"}},
            context=tom,
        )
        print(answer["messages"][-1].text)
        for record in memory.get_all(user_id="tom"):
            print(f"{'/'.join(record.namespace)}  {record.speaker}: {record.text}")


if __name__ == "__main__":
    main()
