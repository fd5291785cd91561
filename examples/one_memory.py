"""Four frameworks, one database, one user. Run: python examples/one_memory.py

A LangGraph agent learns, a LangChain chain answers, a CrewAI crew uses it, a LlamaIndex query engine cites it. The model is a
function that answers from nothing but its prompt, so what it knows has come through memory.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

# CrewAI reads these when it is imported; its imports and its agents warn of CrewAI's own parts.
os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_STORAGE_DIR=tempfile.mkdtemp())
warnings.simplefilter("ignore")

from crewai import Agent, Crew, Task  # noqa: E402
from crewai.llms.base_llm import BaseLLM  # noqa: E402
from genome_crewai import GenomeMemory  # noqa: E402
from genome_langchain import GenomeRetriever  # noqa: E402
from genome_langgraph import GenomeSaver, GenomeStore  # noqa: E402
from genome_llama_index import GenomeRetriever as LlamaIndexRetriever  # noqa: E402
from langchain_core.prompts import ChatPromptTemplate  # noqa: E402
from langchain_core.runnables import RunnablePassthrough  # noqa: E402
from langgraph.graph import START, MessagesState, StateGraph  # noqa: E402
from langgraph.store.base import BaseStore  # noqa: E402
from llama_index.core.llms.mock import MockLLM  # noqa: E402
from llama_index.core.query_engine import RetrieverQueryEngine  # noqa: E402

from genome_core import Memory  # noqa: E402

TOLD = {
    "2025-01-10": "I live in Lisbon.",
    "2025-02-03": "I'm allergic to peanuts.",
    "2025-06-20": "I moved to Oslo in March.",
}
"""What Ann says when. The move is told three months late."""


class Clock:
    """Tells the day of the story."""

    now = datetime(2025, 7, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def model(prompt: str) -> str:
    """Stands for a language model."""
    return "Nothing with peanuts." if "allergic to peanuts" in prompt else "I do not know."


def langgraph_learns(memory: Memory, clock: Clock) -> None:
    """Keeps what Ann says, in her thread and in the store, and the facts in it."""

    def learn(state: MessagesState, *, store: BaseStore) -> dict[str, Any]:
        message = state["messages"][-1]
        store.put(("user:ann", "said"), message.id or "", {"said": message.text})
        return {"messages": ["Noted."]}

    store = GenomeStore(memory, index={"fields": ["said"]}, facts=["said"])
    builder = StateGraph(MessagesState).add_node(learn).add_edge(START, "learn")
    graph = builder.compile(checkpointer=GenomeSaver(memory), store=store)
    thread: Any = {"configurable": {"thread_id": "ann-1", "user_id": "ann"}}
    for day, words in TOLD.items():
        clock.now = datetime.fromisoformat(f"{day}T12:00+00:00")
        told: Any = {"messages": [words]}
        print(f"LangGraph, {day}: {words} {graph.invoke(told, thread)['messages'][-1].text}")
    clock.now = Clock.now


def langchain_answers(memory: Memory) -> None:
    """A chain with recall."""
    recall = GenomeRetriever(memory=memory, user_id="ann", k=2) | (lambda found: [one.page_content for one in found])
    prompt = ChatPromptTemplate.from_template("{memories}\n{question}") | (lambda prompt: prompt.to_string())
    chain = {"memories": recall, "question": RunnablePassthrough()} | prompt | model
    print(f"LangChain: What must I not eat? {chain.invoke('What must I not eat?')}")


class CrewModel(BaseLLM):
    """The model, as CrewAI calls it."""

    def call(self, messages: Any, *args: Any, **options: Any) -> str:
        return f"Thought: I know\nFinal Answer: {model(str(messages))}"

    def supports_function_calling(self) -> bool:
        return False


def crewai_uses(memory: Memory) -> None:
    """A cook who recalls what Ann may eat, and leaves the result for the others."""
    cook = Agent(role="Cook", goal="Cook for Ann", backstory="You cook.", llm=CrewModel(model="scripted"))
    task = Task(description="Say what Ann must not eat", expected_output="a sentence", agent=cook)
    kitchen = GenomeMemory(memory, user_id="ann", root_scope="/crew/kitchen", read_scope="/")
    print(f"CrewAI: the cook says: {Crew(agents=[cook], tasks=[task], memory=kitchen).kickoff()}")


def llama_index_cites(memory: Memory) -> None:
    """A query engine over all that is known of Ann, with its sources."""

    class ScriptedLLM(MockLLM):
        def complete(self, prompt: str, *args: Any, **options: Any) -> Any:
            return super().complete(model(prompt))

    retriever = LlamaIndexRetriever(memory, user_id="ann", similarity_top_k=3)
    response = RetrieverQueryEngine.from_args(retriever, llm=ScriptedLLM(max_tokens=None)).query(
        "What must Ann not eat?"
    )
    print(f"LlamaIndex: What must Ann not eat? {response}")
    for source in response.source_nodes:
        where = source.metadata["genome"]
        print(f"  {'/'.join(where['namespace'])}, {where['speaker']}: {source.node.get_content()}")


def main() -> None:
    """One after the other; then what was so when."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "memory.db", clock=clock) as memory:
        langgraph_learns(memory, clock)
        langchain_answers(memory)
        crewai_uses(memory)
        llama_index_cites(memory)

        april = datetime(2025, 4, 15, tzinfo=UTC)
        print(f"Where does Ann live? {memory.ask('Where do I live?', user_id='ann').value}")
        print(f"Where did she live in April? {memory.ask('Where do I live?', at=april, user_id='ann').value}")
        known = memory.ask("Where do I live?", at=april, known_at=april, user_id="ann")
        print(f"And what would one have said in April? {known.value}")
        print(f"What does Bob's memory know of it? {memory.search('peanuts', user_id='bob')}")


if __name__ == "__main__":
    main()
