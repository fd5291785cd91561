"""What a memory of CrewAI knows, now and then: facts and questions as tools. Run: python examples/crewai_facts.py"""

from __future__ import annotations

import os
import tempfile
import warnings
from datetime import UTC, datetime

# CrewAI reads these when it is imported; its imports warn of CrewAI's own parts.
os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_STORAGE_DIR=tempfile.mkdtemp())
warnings.simplefilter("ignore")

from genome_crewai import GenomeMemory, fact_tools  # noqa: E402

from genome_core import Memory  # noqa: E402


def main() -> None:
    """Two remarks a year apart, and the question of where somebody lives at two times."""
    with Memory(":memory:") as engine:
        memory = GenomeMemory(engine, user_id="ann")
        memory.remember("Ben lives in Rome.", at=datetime(2023, 1, 10, tzinfo=UTC))
        memory.remember("Ben moved to Oslo in March 2024.", at=datetime(2024, 4, 2, tzinfo=UTC))
        ask, facts = fact_tools(memory)  # for Agent(tools=fact_tools(memory))
        print(ask.run(question="Where does Ben live?"))
        print(facts.run(subject="Ben", as_of="2023-06-01"))


if __name__ == "__main__":
    main()
