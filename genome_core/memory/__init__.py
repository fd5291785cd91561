"""``Memory``: the one door to the engine. Its verbs stand in the modules beside this one, by what they do."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Unpack

from genome_core.knowledge import fact_lines
from genome_core.memory.deciding import Deciding
from genome_core.memory.knowing import Knowing
from genome_core.memory.reading import Page, Reading
from genome_core.memory.retaining import Retaining
from genome_core.memory.upkeep import Upkeep
from genome_core.memory.writing import UNSET, Writing
from genome_core.scopes import ReadScope
from genome_core.search.context import render_context
from genome_core.storage.reading import RecordFilter

__all__ = ["UNSET", "Memory", "Page"]


class Memory(Writing, Reading, Knowing, Deciding, Retaining, Upkeep):
    """Memory for agents, in a SQLite file, in RAM (``":memory:"``) or on PostgreSQL.

    * ``store``: a path, a database URL, a SQLAlchemy ``Engine`` or a ``Database``; what was handed in open stays open.
    * ``embedder``: by default the local all-MiniLM-L6-v2, loaded when it is first needed.
    * ``extractor``: what reads facts out of turns; by default rules, None for no facts.
    * ``attributes``: the table of attributes that facts can be about, to declare more than the usual ones.
    * ``reranker``: gives the best hits a better order.
    * ``clock``: tells the recorded time, as an aware datetime.
    * ``timeout``: how many seconds a write waits for another one before it raises ``StorageError``.
    * ``cache_bytes``: what all resident search indexes may hold together.
    * ``journal_key``: a secret, or the path of its file, that signs the journal; a store that was given one opens only with
      it (``JournalKeyError``). See ``docs/audit.md``.
    * ``trust``: how far each origin is trusted, and what reads show unasked; by default all but ``web``.
    * ``tenant``: on PostgreSQL with row-level security, the first label of the only namespaces that are there for this
      ``Memory``; see ``genome_core.storage.row_security``.

    Whose memory a call means is its scope: ``user_id``, ``agent_id`` and ``run_id``, or a ``namespace`` of labels.
    Writes go to the namespace made of all ids given. Reads cover everything below: a user with all their agents and
    runs; an agent or a run under every user, lists meaning any of them; ``namespace=()`` is everybody's.

    Safe to use from many threads and, on files and PostgreSQL, from many processes. Every time is an aware datetime.
    """

    def context(
        self,
        query: str,
        *,
        budget_tokens: int = 1000,
        limit: int = 20,
        at: datetime | None = None,
        filter: RecordFilter | None = None,
        threshold: float | None = None,
        exclude: Collection[str] = (),
        **scope: Unpack[ReadScope],
    ) -> str:
        """What a prompt should know about a query: a block of dated, quoted records within a budget of tokens.

        Where the query is a question about a fact, what the log knows stands on top. The block is data: nothing inside a
        memory can close it. It carries a marker, so that ``genome_core.search.context.strip_context`` takes it out of
        text that is to be stored. Each line tells the origin, and the trust where it is not full. ``exclude`` names records that the prompt
        holds already. Empty if nothing is found.
        """
        hits = self.search(query, limit=limit, at=at, filter=filter, threshold=threshold, exclude=exclude, **scope)
        known = fact_lines(self.ask(query, at=at, **scope), self.trust) if query.strip() else []
        return render_context(hits, known, budget_tokens, label=self.trust.label)
