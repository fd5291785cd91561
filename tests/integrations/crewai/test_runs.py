"""Whole runs of crews, agents and flows: memory works, asks no model, and opens no socket."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from crewai import Agent, Crew, Process, Task
from crewai.flow.flow import Flow, listen, start
from crewai.llms.base_llm import BaseLLM
from genome_crewai import GenomeMemory, fact_tools

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.integrations.crewai.scripted import ScriptedLLM, action, block_network, final

# CrewAI warns of fields of its own that only it reads.
pytestmark = [
    pytest.mark.filterwarnings("ignore:function_calling_llm is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:deprecated$:DeprecationWarning"),
]


@pytest.fixture
def engine() -> Iterator[Memory]:
    """One backend is enough for what CrewAI itself does."""
    with Memory(":memory:", embedder=FakeEmbedder()) as engine:
        yield engine


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sequence[str]]:
    """No test here may try to reach the network."""
    tried = block_network(monkeypatch)
    yield tried
    assert list(tried) == []


def cook(llm: BaseLLM, **fields: Any) -> Agent:
    return Agent(role="Cook", goal="Cook well", backstory="You cook.", llm=llm, **fields)


def crew_of(llm: BaseLLM, memory: Any, description: str = "Which tea does Ann drink?", **fields: Any) -> Crew:
    agent = cook(llm)
    task = Task(description=description, expected_output="a kind of tea", agent=agent)
    return Crew(agents=[agent], tasks=[task], memory=memory, **fields)


def contents(memory: GenomeMemory) -> list[str]:
    return sorted(record.content for record in memory.list_records())


def test_a_kickoff_recalls_and_saves_with_one_call_of_the_model(engine: Memory) -> None:
    memory = GenomeMemory(engine, root_scope="/crew/kitchen")
    memory.remember("Ann drinks green tea every morning.")
    llm = ScriptedLLM(final("It is green tea"))
    assert str(crew_of(llm, memory).kickoff()) == "It is green tea"
    assert len(llm.prompts) == 1
    assert '"Ann drinks green tea every morning."' in llm.prompts[0]
    saved = memory.list_records("/agent/cook")
    assert [(one.content, one.metadata) for one in saved] == [
        ("It is green tea", {"task": "Which tea does Ann drink?"})
    ]


def test_the_same_run_again_stores_nothing_twice(engine: Memory) -> None:
    memory = GenomeMemory(engine)
    llm = ScriptedLLM(final("It is green tea"))
    for _ in range(3):
        crew_of(llm, memory).kickoff()
    assert len(llm.prompts) == 3
    assert contents(memory) == ["It is green tea"]


def test_a_long_task_asks_no_model_either(engine: Memory) -> None:
    memory = GenomeMemory(engine)
    llm = ScriptedLLM(final("done"))
    crew_of(llm, memory, "Describe the tea of Ann in great detail. " * 20).kickoff()
    assert len(llm.prompts) == 1


async def test_the_async_kickoffs_do_the_same(engine: Memory) -> None:
    memory = GenomeMemory(engine)
    first, second = ScriptedLLM(final("first")), ScriptedLLM(final("second"))
    await crew_of(first, memory).kickoff_async()
    await crew_of(second, memory).akickoff()
    assert (len(first.prompts), len(second.prompts)) == (1, 1)
    assert contents(memory) == ["first", "second"]


def test_a_kickoff_for_each_shares_the_memory(engine: Memory) -> None:
    memory = GenomeMemory(engine)
    llm = ScriptedLLM(final("about tea"), final("about coffee"))
    crew = crew_of(llm, memory, "Tell me about {drink}")
    crew.kickoff_for_each([{"drink": "tea"}, {"drink": "coffee"}])
    assert len(llm.prompts) == 2
    assert contents(memory) == ["about coffee", "about tea"]


def test_an_agent_alone_remembers_both_sides(engine: Memory) -> None:
    memory = GenomeMemory(engine)
    llm = ScriptedLLM(final("Noted."), final("Oslo."))
    agent = cook(llm, memory=memory)
    agent.kickoff("I live in Oslo.")
    agent.kickoff("Where do I live?")
    assert len(llm.prompts) == 2
    assert '"I live in Oslo."' in llm.prompts[1]
    assert contents(memory) == ["I live in Oslo.", "Noted.", "Oslo.", "Where do I live?"]
    assert memory.ask("Where do I live?").value == "Oslo"


def test_an_agent_uses_the_memory_tools_and_the_fact_tools(engine: Memory) -> None:
    memory = GenomeMemory(engine)
    memory.remember("Ann lives in Oslo")
    llm = ScriptedLLM(
        action("search_memory", '{"queries": ["Ann"]}'),
        action("save_to_memory", '{"contents": ["Ann likes tea"]}'),
        action("ask_memory", '{"question": "Where does Ann live?"}'),
        final("done"),
    )
    agent = cook(llm, tools=fact_tools(memory))
    task = Task(description="Learn about Bob", expected_output="text", agent=agent)
    Crew(agents=[agent], tasks=[task], memory=memory).kickoff()
    assert len(llm.prompts) == 4
    assert '"Ann lives in Oslo"' in llm.prompts[1]
    assert "Saved to memory" in llm.prompts[2]
    assert "home = Oslo" in llm.prompts[3]
    assert "Ann likes tea" in contents(memory)


def test_a_hierarchical_crew_asks_its_manager_and_no_memory_model(engine: Memory) -> None:
    memory = GenomeMemory(engine, root_scope="/crew/h")
    manager, worker = ScriptedLLM(final("managed")), ScriptedLLM(final("worked"))
    crew = crew_of(worker, memory, process=Process.hierarchical, manager_llm=manager)
    crew.kickoff()
    assert (len(manager.prompts), len(worker.prompts)) == (1, 0)
    assert contents(memory) == ["managed"]


def test_a_flow_remembers_and_recalls(engine: Memory) -> None:
    class Tea(Flow[dict[str, Any]]):
        @start()
        def learn(self) -> str:
            self.remember("Ann drinks green tea")
            return "Ann"

        @listen(learn)
        def tell(self, who: str) -> str:
            return "; ".join(match.record.content for match in self.recall(f"What does {who} drink?"))

    flow = Tea(memory=GenomeMemory(engine, root_scope="/flow/tea"))
    assert flow.kickoff() == "Ann drinks green tea"


@pytest.mark.parametrize("view", ["scope", "slice"])
def test_a_view_of_the_memory_serves_a_crew(engine: Memory, view: str) -> None:
    memory = GenomeMemory(engine)
    part = memory.scope("/team") if view == "scope" else memory.slice(["/team"], read_only=False)
    llm = ScriptedLLM(final("It is green tea"))
    crew_of(llm, part).kickoff()
    assert len(llm.prompts) == 1
    assert [record.content for record in memory.list_records("/team")] == ["It is green tea"]


def test_a_copied_crew_has_the_same_memory(engine: Memory) -> None:
    memory = GenomeMemory(engine)
    crew = crew_of(ScriptedLLM(final("from the copy")), memory)
    crew.copy().kickoff()
    assert contents(memory) == ["from the copy"]


def test_resetting_a_crew_empties_its_memory(engine: Memory) -> None:
    memory = GenomeMemory(engine)
    crew = crew_of(ScriptedLLM(final("It is green tea")), memory)
    crew.kickoff()
    crew.reset_memories("memory")
    assert contents(memory) == []


def test_a_crew_whose_memory_fails_says_so_in_the_log(engine: Memory, caplog: pytest.LogCaptureFixture) -> None:
    memory = GenomeMemory(engine)
    engine.database.close()
    engine.close()
    memory.engine._recall = memory.engine._writer = None  # type: ignore[assignment]
    with caplog.at_level(logging.ERROR, "genome_crewai"):
        assert str(crew_of(ScriptedLLM(final("done")), memory).kickoff()) == "done"
    assert "memory was not recalled" in caplog.text
    assert "memory was not saved" in caplog.text
