"""The statements of ``GenomeSaver``'s frequent calls, built once: SQLAlchemy then compiles each a single time."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from genome_langgraph.checkpoint_tables import checkpoints, threads, values, writes

CHECKPOINT, VALUE, WRITE = 0, 1, 2
"""What a row of ``TUPLES`` is a part of."""


class _JsonPairs(FunctionElement[Any]):
    """The members of a JSON object as rows ``(key, value)``, both text."""

    name = "json_pairs"
    inherit_cache = True


@compiles(_JsonPairs, "sqlite")
def _json_pairs_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **options)})"


@compiles(_JsonPairs, "postgresql")
def _json_pairs_postgres(element: Any, compiler: Any, **options: Any) -> str:
    return f"json_each_text(CAST({compiler.process(element.clauses, **options)} AS JSON))"


def pairs(versions: sa.ColumnElement[str]) -> Any:
    """The channels and versions that a checkpoint names, as a FROM element with the columns ``key`` and ``value``."""
    return _JsonPairs(versions).table_valued(sa.column("key", sa.Text), sa.column("value", sa.Text))


def same_checkpoint(a: Any, b: Any) -> sa.ColumnElement[bool]:
    """Whether two rows of any of the tables belong to one checkpoint."""
    return sa.and_(a.thread_id == b.thread_id, a.checkpoint_ns == b.checkpoint_ns, a.checkpoint_id == b.checkpoint_id)


_NO_TEXT = sa.cast(sa.null(), sa.Text)
_NO_BYTES = sa.cast(sa.null(), sa.LargeBinary)
_NO_NUMBER = sa.cast(sa.null(), sa.Integer)


def _parts(chosen: sa.CTE) -> sa.CompoundSelect[Any]:
    """Everything that belongs to the chosen checkpoints, in one round trip and so from one snapshot.

    Rows: part, thread_id, checkpoint_ns, checkpoint_id, then per part

    * CHECKPOINT: parent_id, versions, type, data, metadata_type, metadata, NULL
    * VALUE: channel, NULL, type, data, NULL, NULL, NULL
    * WRITE: channel, task_id, type, data, task_path, NULL, idx
    """
    c, v, w = chosen.c, values.c, writes.c
    named = pairs(c.versions)
    key = (c.thread_id, c.checkpoint_ns, c.checkpoint_id)
    heads = sa.select(
        sa.literal_column("0").label("part"),
        *key,
        c.parent_id.label("name"),
        c.versions.label("text"),
        c.type.label("type"),
        c.data.label("data"),
        c.metadata_type.label("more"),
        c.metadata.label("metadata"),
        _NO_NUMBER.label("number"),
    )
    stored = (
        sa.select(sa.literal_column("1"), *key, v.channel, _NO_TEXT, v.type, v.data, _NO_TEXT, _NO_BYTES, _NO_NUMBER)
        .select_from(chosen)
        .join(named, sa.true())
        .join(
            values,
            sa.and_(
                v.thread_id == c.thread_id,
                v.checkpoint_ns == c.checkpoint_ns,
                v.channel == named.c.key,
                v.version == named.c.value,
            ),
        )
    )
    pending = (
        sa.select(sa.literal_column("2"), *key, w.channel, w.task_id, w.type, w.data, w.task_path, _NO_BYTES, w.idx)
        .select_from(chosen)
        .join(writes, same_checkpoint(w, c))
    )
    return heads.union_all(stored, pending)


_in_namespace = sa.select(checkpoints).where(
    checkpoints.c.thread_id == sa.bindparam("thread_id"),
    checkpoints.c.checkpoint_ns == sa.bindparam("checkpoint_ns"),
)
_key = sa.tuple_(checkpoints.c.thread_id, checkpoints.c.checkpoint_ns, checkpoints.c.checkpoint_id)

TUPLE_BY_ID = _parts(_in_namespace.where(checkpoints.c.checkpoint_id == sa.bindparam("checkpoint_id")).cte("chosen"))
LATEST_TUPLE = _parts(_in_namespace.order_by(checkpoints.c.checkpoint_id.desc()).limit(1).cte("chosen"))
TUPLES_BY_KEY = _parts(sa.select(checkpoints).where(_key.in_(sa.bindparam("keys", expanding=True))).cte("chosen"))


class Upserts:
    """INSERT ... ON CONFLICT, which SQLAlchemy has once per dialect."""

    def __init__(self, insert: Any) -> None:
        self.thread = self._replacing(insert(threads), "saved_at")
        self.checkpoint = self._replacing(
            insert(checkpoints), "parent_id", "run_id", "versions", "type", "data", "metadata_type", "metadata"
        )
        self.value = self._replacing(insert(values), "snapshot", "type", "data")
        self.write = self._first_wins_unless_special(insert(writes))
        self.ttl = self._replacing(insert(threads), "ttl")

    @staticmethod
    def _replacing(insert: Any, *columns: str) -> Any:
        return insert.on_conflict_do_update(
            index_elements=list(insert.table.primary_key.columns),
            set_={column: insert.excluded[column] for column in columns},
        )

    @staticmethod
    def _first_wins_unless_special(insert: Any) -> Any:
        """A repeated write of a task is ignored; a special one (error, interrupt, resume: idx < 0) replaces."""
        return insert.on_conflict_do_update(
            index_elements=list(writes.primary_key.columns),
            set_={column: insert.excluded[column] for column in ("task_path", "channel", "type", "data")},
            where=insert.excluded.idx < 0,
        )


UPSERTS = {"sqlite": Upserts(sqlite.insert), "postgresql": Upserts(postgresql.insert)}
