"""What the engine knows, as tools of an agent: ``FunctionAgent(tools=memory_tools(memory, user_id="ann"))``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Unpack

from llama_index.core.tools import FunctionTool

from genome_core import Memory
from genome_core.prompting import answer_text, facts_text, recall_text
from genome_core.scopes import ReadScope, read_scope


def memory_tools(memory: Memory, **scope: Unpack[ReadScope]) -> list[FunctionTool]:
    """The tools ``recall``, ``ask`` and ``facts_at`` over a scope; what they say is quoted, dated data.

    Raises ``InvalidScope`` without a scope.
    """
    read_scope(scope)

    def recall(query: str, as_of: str | None = None) -> str:
        """Search the long-term memory. as_of: an ISO 8601 time; nothing said later is found."""
        return recall_text(memory, query, as_of=as_of, **scope)

    def ask(question: str, as_of: str | None = None) -> str:
        """Ask what holds, held or changed when. as_of: an ISO 8601 time to ask at; leave it out for now."""
        return answer_text(memory, question, as_of, **scope)

    def facts_at(subject: str | None = None, time: str | None = None) -> str:
        """List the facts that held at a time. subject: a name, or all. time: ISO 8601; leave it out for now."""
        return facts_text(memory, subject=subject, as_of=time, **scope)

    return [_tool(function) for function in (recall, ask, facts_at)]


def _tool(function: Callable[..., str]) -> FunctionTool:
    """Sync, and async in a worker thread."""
    return FunctionTool.from_defaults(function, async_fn=partial(_in_thread, function), name=function.__name__)


async def _in_thread(function: Callable[..., str], *args: Any, **options: Any) -> str:
    return await asyncio.to_thread(function, *args, **options)
