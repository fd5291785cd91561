"""What the engine knows, as tools of an agent: ``Agent(tools=fact_tools(memory))``."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from crewai.tools import BaseTool
from pydantic import BaseModel, Field, PrivateAttr

from genome_core.knowledge import fact_lines, window_line
from genome_core.search.context import render_context
from genome_core.types import Hit
from genome_crewai.memory import GenomeMemory

_BUDGET = 1500
"""Tokens that one answer may take in the prompt."""


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
        answer = self._memory.ask(question, at=_time(as_of))
        sources = [one.source for one in answer.evidence]
        said = self._memory.engine.get_many(sources, namespace=self._memory.read_namespace())
        hits = [Hit(record, 1.0) for record in said]
        return render_context(hits, fact_lines(answer), _BUDGET) or "Nothing is known about that."

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
        windows = self._memory.facts(subject=subject, at=_time(as_of))
        return render_context([], list(map(window_line, windows)), _BUDGET) or "No facts are known."

    async def _arun(self, subject: str | None = None, as_of: str | None = None) -> str:
        return await asyncio.to_thread(self._run, subject, as_of)


def _time(text: str | None) -> datetime | None:
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
