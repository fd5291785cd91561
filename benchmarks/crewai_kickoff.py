"""What memory adds to a task of a crew: calls of the model and milliseconds, CrewAI's own memory against ``GenomeMemory``.

    python benchmarks/crewai_kickoff.py [--latency 0.0] [--tasks 5]

A scripted model answers at once, or after ``--latency`` seconds; both memories get the engine's embedder. "without" is the same
crew with no memory. Prints the calls of the model for each task and the median of the time a kickoff takes beyond "without".
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_STORAGE_DIR=tempfile.mkdtemp())
warnings.simplefilter("ignore")

from crewai import Agent, Crew, Task  # noqa: E402
from crewai.llms.base_llm import BaseLLM  # noqa: E402
from crewai.memory.unified_memory import Memory as CrewMemory  # noqa: E402
from crewai.utilities.i18n import I18N_DEFAULT  # noqa: E402
from genome_crewai import GenomeMemory  # noqa: E402
from tables import Table  # noqa: E402

from genome_core import Memory  # noqa: E402

ANSWERS = {
    "extract_memories_system": {"memories": ["Ann drinks green tea.", "Ann was asked about tea."]},
    "save_system": {"suggested_scope": "/tea", "categories": ["drinks"], "importance": 0.5},
    "consolidation_system": {"actions": [], "insert_new": True},
    "query_system": {"recall_queries": ["Ann's tea"]},
}
"""What the model answers to each prompt of CrewAI's memory."""


class ScriptedLLM(BaseLLM):
    """Answers tasks with text, and what CrewAI's memory asks with plausible JSON. CrewAI works on shallow copies of it."""

    asked: list[str] = []  # noqa: RUF012 -- a field of a pydantic model
    latency: float = 0.0

    def call(self, messages: Any, *args: Any, **options: Any) -> Any:
        time.sleep(self.latency)
        for key, answer in ANSWERS.items():
            if messages[0]["content"] == I18N_DEFAULT.memory(key):
                self.asked.append(key)
                return json.dumps(answer)
        self.asked.append("task")
        return f"Thought: I know\nFinal Answer: Ann drinks green tea, says note {len(self.asked)}."

    def supports_function_calling(self) -> bool:
        return False


def run(memory: Any, llm: ScriptedLLM, tasks: int) -> tuple[float, float]:
    """Calls of the model for each task, and the median of a kickoff in milliseconds; a first kickoff does not count."""
    times = []
    for number in range(tasks + 1):
        if number == 1:
            llm.asked.clear()
        agent = Agent(role="Cook", goal="Cook well", backstory="You cook.", llm=llm)
        task = Task(description=f"Which tea does Ann drink, try {number}?", expected_output="a tea", agent=agent)
        start = time.perf_counter()
        Crew(agents=[agent], tasks=[task], memory=memory).kickoff()
        times.append((time.perf_counter() - start) * 1000)
    return len(llm.asked) / tasks, statistics.median(times[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--tasks", type=int, default=5)
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "memory.db") as engine:
        for name in ("without", "CrewAI", "GENOME"):
            llm = ScriptedLLM(model="scripted", latency=given.latency)
            memory: Any = False
            if name == "GENOME":
                memory = GenomeMemory(engine)
            elif name == "CrewAI":
                memory = CrewMemory(llm=llm, storage=f"{folder}/lancedb", embedder=GenomeMemory(engine).embedder)
            rows.append((name, *run(memory, llm, given.tasks)))
    table = Table("CrewAI: a crew's task", ["calls of the LLM", "kickoff, ms", "beyond no memory, ms"])
    for name, calls, median in rows:
        table.row(f"memory: {name}", calls, median, median - rows[0][2])


if __name__ == "__main__":
    main()
