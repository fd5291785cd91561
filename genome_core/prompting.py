"""What the prompt of an agent gets to know: the facts that hold, then the records that a question is about; and what its tools say.

A question with half a surrogate pair or NUL, which no database takes, is asked with U+FFFD in their place: it ends no run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Unpack

from genome_core.errors import InvalidInput
from genome_core.inputs import clean_text
from genome_core.knowledge import fact_lines, told_line
from genome_core.scopes import ReadScope
from genome_core.search.context import estimate_tokens, render_context
from genome_core.types import Hit

if TYPE_CHECKING:
    from genome_core.memory import Memory

_FACTS = 30
"""How many facts a prompt gets at most: those that began last."""
_ANSWER_TOKENS = 1500
"""What one answer of a tool takes in the prompt."""


def recalled_context(
    memory: Memory,
    query: str,
    *,
    limit: int,
    budget_tokens: int,
    count_tokens: Callable[[str], int] = estimate_tokens,
    exclude: Collection[str] = (),
    exclude_texts: Collection[str] = (),
    **scope: Unpack[ReadScope],
) -> str:
    """A block of data of at most ``budget_tokens``, or an empty string if there is no question or nothing to say.

    ``exclude`` and ``exclude_texts`` are the ids and the words of turns that the prompt holds anyway. Unlike
    ``Memory.context``, which answers a question, it shows all that holds now: an agent may need it for what comes next.
    Raises ``InvalidInput`` for a budget below 1.
    """
    if not query.strip():
        return ""
    hits = memory.search(clean_text(query), limit=limit + len(exclude_texts), exclude=exclude, **scope)
    fresh = [hit for hit in hits if hit.record.text not in exclude_texts][:limit]
    windows = sorted(memory.facts(**scope), key=lambda window: window.begins)[-_FACTS:]
    facts = [told_line(window, memory.trust) for window in windows]
    return render_context(fresh, facts, budget_tokens, count_tokens, memory.trust.label)


def answer_text(memory: Memory, question: str, as_of: str | None = None, **scope: Unpack[ReadScope]) -> str:
    """What a tool says to a question about what holds, held or changed when: the fact and the words behind it, as data.

    ``as_of`` is a time as a model writes it; see ``told_time``.
    """
    answer = memory.ask(clean_text(question), at=told_time(as_of), **scope)
    said = memory.get_many([one.source for one in answer.evidence], **scope)
    hits = [Hit(record, 1.0) for record in said]
    return (
        render_context(hits, fact_lines(answer, memory.trust), _ANSWER_TOKENS, label=memory.trust.label)
        or "Nothing is known about that."
    )


def facts_text(
    memory: Memory, *, subject: str | None = None, as_of: str | None = None, **scope: Unpack[ReadScope]
) -> str:
    """What a tool says of the facts that hold at a time, by default now, about one or all; as data."""
    windows = memory.facts(subject=subject, at=told_time(as_of), **scope)
    lines = [told_line(window, memory.trust) for window in windows]
    return render_context([], lines, _ANSWER_TOKENS) or "No facts are known."


def recall_text(
    memory: Memory, query: str, *, limit: int = 10, as_of: str | None = None, **scope: Unpack[ReadScope]
) -> str:
    """What a tool says of the records that a query is about; as data."""
    hits = memory.search(clean_text(query), limit=limit, at=told_time(as_of), **scope)
    return render_context(hits, (), _ANSWER_TOKENS, label=memory.trust.label) or "Nothing is remembered about that."


def told_time(text: str | None) -> datetime | None:
    """A time that a model gave to a tool: ISO 8601, in UTC where it names no zone; blank is None. Raises ``InvalidInput``."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"{text!r} is no ISO 8601 time", hint="such as 2024-03-01T12:00:00+00:00") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
