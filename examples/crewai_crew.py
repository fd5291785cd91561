"""Two crews share one memory; each user's is apart. No model is asked for it. Run: python examples/crewai_crew.py"""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any

# CrewAI reads these when it is imported; its imports and its agents warn of CrewAI's own parts.
os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_STORAGE_DIR=tempfile.mkdtemp())
warnings.simplefilter("ignore")

from crewai import Agent, Crew, Task  # noqa: E402
from crewai.llms.base_llm import BaseLLM  # noqa: E402
from genome_crewai import GenomeMemory  # noqa: E402

from genome_core import Memory  # noqa: E402


class ScriptedLLM(BaseLLM):
    """Stands for a model: always answers the same, and counts its calls."""

    answer: str
    calls: int = 0

    def call(self, messages: Any, *args: Any, **options: Any) -> str:
        self.calls += 1
        return f"Thought: I know\nFinal Answer: {self.answer}"

    def supports_function_calling(self) -> bool:
        return False


def run(role: str, task: str, answer: str, memory: GenomeMemory) -> int:
    """Runs a crew of one agent; returns how often the model was called."""
    llm = ScriptedLLM(model="scripted", answer=answer)
    agent = Agent(role=role, goal="Help", backstory="You help.", llm=llm)
    Crew(agents=[agent], tasks=[Task(description=task, expected_output="text", agent=agent)], memory=memory).kickoff()
    return llm.calls


def main() -> None:
    """A research crew finds something out, a writing crew recalls it, another user's crew does not."""
    with Memory(":memory:") as engine:
        research = GenomeMemory(engine, user_id="ann", root_scope="/crew/research")
        writing = GenomeMemory(engine, user_id="ann", root_scope="/crew/writing", read_scope="/")
        calls = run("Researcher", "Find Ann's favourite tea", "Ann's favourite tea is sencha.", research)
        calls += run("Writer", "Write about Ann's tea", "A poem about sencha.", writing)
        print(f"calls of the model for two tasks: {calls}")
        for match in writing.recall("Which tea does Ann like?"):
            print(f"ann, {match.record.scope}: {match.record.content}")
        print(f"bob: {GenomeMemory(engine, user_id='bob').recall('Which tea does Ann like?')}")


if __name__ == "__main__":
    main()
