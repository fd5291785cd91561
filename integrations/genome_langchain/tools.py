"""The tools that ``GenomeMiddleware`` gives to an agent."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from langchain.tools import BaseTool, ToolException, ToolRuntime, tool

from genome_core import Memory
from genome_core.errors import InvalidInput
from genome_core.inputs import normalised
from genome_core.knowledge import window_line
from genome_core.search.context import render_context
from genome_langchain.whose import Whose

ToolName: TypeAlias = Literal["recall", "facts_at", "forget"]

_RECALLED = 10
_BUDGET = 1500
_LEAST_WORDS = 3
"""Fewer words than that would forget more than was meant."""


def memory_tools(memory: Memory, fixed: Whose, names: Collection[ToolName]) -> list[BaseTool]:
    """The tools of these names, each bound to the user of the run that calls it."""
    makers: dict[str, Callable[[Memory, Whose], BaseTool]] = {
        "recall": _recall_tool,
        "facts_at": _facts_tool,
        "forget": _forget_tool,
    }
    unknown = set(names) - makers.keys()
    if unknown:
        raise InvalidInput(f"no tools {sorted(unknown)}", hint=f"choose from {sorted(makers)}")
    tools = [makers[name](memory, fixed) for name in makers if name in names]
    for one in tools:
        one.handle_tool_error = True  # the model is told what was wrong, and may try again
    return tools


def _recall_tool(memory: Memory, fixed: Whose) -> BaseTool:
    @tool
    def recall(query: str, runtime: ToolRuntime[Any, Any], as_of: str | None = None) -> str:
        """Search the long-term memory of this user.

        Args:
            query: What to look for, in words.
            as_of: An ISO 8601 time; nothing said later is found.
        """
        scope = fixed.filled_in(runtime.context).read_scope()
        hits = memory.search(query, limit=_RECALLED, at=_time(as_of), **scope)
        return render_context(hits, (), _BUDGET) or "Nothing is remembered about that."

    return recall


def _facts_tool(memory: Memory, fixed: Whose) -> BaseTool:
    @tool
    def facts_at(runtime: ToolRuntime[Any, Any], time: str | None = None) -> str:
        """List the facts about this user and the people they know that held at a time.

        Args:
            time: An ISO 8601 time; leave it out for now.
        """
        windows = memory.facts(at=_time(time), **fixed.filled_in(runtime.context).read_scope())
        return render_context([], list(map(window_line, windows)), _BUDGET) or "No facts are known."

    return facts_at


def _forget_tool(memory: Memory, fixed: Whose) -> BaseTool:
    @tool
    def forget(words: str, runtime: ToolRuntime[Any, Any]) -> str:
        """Delete from this user's long-term memory every record that contains exactly these words.

        Args:
            words: The words as they were recalled, at least three, so that nothing else is deleted.
        """
        wanted = normalised(words)
        if len(wanted.split()) < _LEAST_WORDS:
            raise ToolException(f"Give at least {_LEAST_WORDS} words of the record, as they were recalled.")
        scope = fixed.filled_in(runtime.context).read_scope()
        count = memory.delete_all(filter=lambda record: wanted in normalised(record.text), **scope)
        return f"Deleted {count} records."

    return forget


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ToolException(f"{text!r} is no ISO 8601 time, such as 2024-03-01T12:00:00+00:00") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
