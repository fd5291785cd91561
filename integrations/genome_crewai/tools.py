"""What the engine knows, as tools of an agent: ``Agent(tools=fact_tools(memory))``."""

from __future__ import annotations

import asyncio

from crewai.tools import BaseTool
from pydantic import BaseModel, Field, PrivateAttr

from genome_core.prompting import answer_text, facts_text
from genome_crewai.memory import GenomeMemory


def fact_tools(memory: GenomeMemory) -> list[BaseTool]:
    """The tools ``Ask memory`` and ``List facts`` over what a memory may read."""
    ask = AskTool(
        name="Ask memory",
        description="Ask what is known about a person or thing, now or at a time. Answers with dates, or not at all.",
    )
    facts = FactsTool(
        name="List facts", description="List the facts known about a person or thing that held at a time."
    )
    ask._memory = facts._memory = memory
    return [ask, facts]


class Question(BaseModel):
    question: str = Field(description="A question about what holds, held, or changed when.")
    as_of: str | None = Field(default=None, description="An ISO 8601 time to ask at; leave it out for now.")


class AskTool(BaseTool):
    """Answers a question from the fact log."""

    args_schema: type[BaseModel] = Question
    _memory: GenomeMemory = PrivateAttr()

    def _run(self, question: str, as_of: str | None = None) -> str:
        memory = self._memory
        return answer_text(memory.engine, question, as_of, namespace=memory.read_namespace())

    async def _arun(self, question: str, as_of: str | None = None) -> str:
        return await asyncio.to_thread(self._run, question, as_of)


class Subject(BaseModel):
    subject: str | None = Field(default=None, description="A name; leave it out for everybody.")
    as_of: str | None = Field(default=None, description="An ISO 8601 time; leave it out for now.")


class FactsTool(BaseTool):
    """Lists the facts that hold at a time."""

    args_schema: type[BaseModel] = Subject
    _memory: GenomeMemory = PrivateAttr()

    def _run(self, subject: str | None = None, as_of: str | None = None) -> str:
        memory = self._memory
        return facts_text(memory.engine, subject=subject, as_of=as_of, namespace=memory.read_namespace())

    async def _arun(self, subject: str | None = None, as_of: str | None = None) -> str:
        return await asyncio.to_thread(self._run, subject, as_of)
