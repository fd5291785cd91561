"""The tools that ``GenomeMiddleware`` gives to an agent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

from langchain.tools import BaseTool, ToolException, ToolRuntime, tool

from genome_core import Memory
from genome_core.errors import InvalidInput, NotTrusted
from genome_core.inputs import normalised
from genome_core.prompting import answer_text, facts_text, recall_text
from genome_langchain.whose import Whose

ToolName: TypeAlias = Literal["recall", "ask", "facts_at", "forget"]

_LEAST_WORDS = 3
"""Fewer words than that would forget more than was meant."""


def memory_tools(memory: Memory, fixed: Whose, names: Collection[ToolName]) -> list[BaseTool]:
    """The tools of these names, each bound to the user of the run that calls it."""
    makers: dict[str, Callable[[Memory, Whose], BaseTool]] = {
        "recall": _recall_tool,
        "ask": _ask_tool,
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
        with _errors_for_the_model():
            return recall_text(memory, query, as_of=as_of, **fixed.filled_in(runtime.context).read_scope())

    return recall


def _ask_tool(memory: Memory, fixed: Whose) -> BaseTool:
    @tool
    def ask(question: str, runtime: ToolRuntime[Any, Any], as_of: str | None = None) -> str:
        """Ask what is known about this user or the people they know, now or at a time. Answers with dates, or not at all.

        Args:
            question: A question about what holds, held, or changed when.
            as_of: An ISO 8601 time to ask at; leave it out for now.
        """
        with _errors_for_the_model():
            return answer_text(memory, question, as_of, **fixed.filled_in(runtime.context).read_scope())

    return ask


def _facts_tool(memory: Memory, fixed: Whose) -> BaseTool:
    @tool
    def facts_at(runtime: ToolRuntime[Any, Any], time: str | None = None) -> str:
        """List the facts about this user and the people they know that held at a time.

        Args:
            time: An ISO 8601 time; leave it out for now.
        """
        with _errors_for_the_model():
            return facts_text(memory, as_of=time, **fixed.filled_in(runtime.context).read_scope())

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
        # The agent acts, not the application: where a policy trusts it less, it can not make the user's words go.
        try:
            count = memory.delete_all(filter=lambda record: wanted in normalised(record.text), origin="agent", **scope)
        except NotTrusted as error:
            raise ToolException(str(error)) from error
        return f"Deleted {count} records."

    return forget


@contextmanager
def _errors_for_the_model() -> Iterator[None]:
    """What was wrong with the arguments is told to the model."""
    try:
        yield
    except InvalidInput as error:
        raise ToolException(str(error)) from error
