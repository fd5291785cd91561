"""Which checkpoints ``GenomeSaver.list`` finds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import sqlalchemy as sa
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import get_checkpoint_id
from langgraph.checkpoint.serde.base import SerializerProtocol
from sqlalchemy.engine import Connection

from genome_core.inputs import check_text
from genome_langgraph.checkpoint_codec import Key, required
from genome_langgraph.checkpoint_tables import checkpoints

_BATCH = 1_000


def matching_keys(
    connection: Connection,
    serde: SerializerProtocol,
    config: RunnableConfig | None,
    filter: dict[str, Any] | None,
    before: RunnableConfig | None,
    limit: int | None,
) -> Sequence[Key]:
    """The keys of at most ``limit`` checkpoints, newest id first.

    The filter is applied here and not in SQL: metadata may be encrypted, and Python's equality is what LangGraph's
    reference saver compares with, on every database.
    """
    c = checkpoints.c
    found: sa.Select[Any] = sa.select(c.thread_id, c.checkpoint_ns, c.checkpoint_id).where(*_conditions(config, before))
    found = found.order_by(c.checkpoint_id.desc(), c.thread_id, c.checkpoint_ns)
    if not filter:
        return [tuple(row) for row in connection.execute(found.limit(limit))]
    found = found.add_columns(c.metadata_type, c.metadata)
    with connection.execute(found, execution_options={"yield_per": _BATCH}) as rows:
        matching = (
            (thread_id, checkpoint_ns, checkpoint_id)
            for thread_id, checkpoint_ns, checkpoint_id, type_, data in rows
            if _matches(serde.loads_typed((type_, data)), filter)
        )
        return list(islice(matching, limit))


def _conditions(config: RunnableConfig | None, before: RunnableConfig | None) -> list[sa.ColumnElement[bool]]:
    c = checkpoints.c
    place: dict[str, str] = {}
    if config:
        place["thread_id"] = str(required(config, "thread_id"))
        if (checkpoint_ns := config["configurable"].get("checkpoint_ns")) is not None:
            place["checkpoint_ns"] = checkpoint_ns
        if checkpoint_id := get_checkpoint_id(config):
            place["checkpoint_id"] = checkpoint_id
    for name, text in place.items():
        check_text(text, name)
    conditions = [c[name] == text for name, text in place.items()]
    if before and (last := get_checkpoint_id(before)):
        check_text(last, "checkpoint_id")
        conditions.append(c.checkpoint_id < last)
    return conditions


def _matches(metadata: dict[str, Any], filter: dict[str, Any]) -> bool:
    return all(metadata.get(name) == value for name, value in filter.items())
