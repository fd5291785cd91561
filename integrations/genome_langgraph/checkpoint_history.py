"""The history of ``DeltaChannel``s: what was written along a checkpoint's ancestors since their last stored value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from langgraph.checkpoint.base import DeltaChannelHistory, PendingWrite, writes_sort_key
from langgraph.checkpoint.serde.base import SerializerProtocol
from sqlalchemy.engine import Connection

from genome_langgraph.checkpoint_codec import Key, stored_checkpoints
from genome_langgraph.checkpoint_sql import STATEMENTS
from genome_langgraph.checkpoint_tables import checkpoints, chunks, pairs, values, writes
from genome_langgraph.chunks import join, listed

_PAGE = 256  # ancestors that one query walks


def _walk_statement() -> sa.CompoundSelect[Any] | sa.Select[Any]:
    """From ``start`` up the parents, at most ``page`` steps: depth, id, parent, and each wanted channel stored there."""
    c = checkpoints.c
    place = (c.thread_id == sa.bindparam("thread_id"), c.checkpoint_ns == sa.bindparam("checkpoint_ns"))
    columns = (c.checkpoint_id, c.parent_id, c.versions, c.places)
    chain = (
        sa.select(sa.literal(0).label("depth"), *columns)
        .where(*place, c.checkpoint_id == sa.bindparam("start"))
        .cte("chain", recursive=True)
    )
    chain = chain.union_all(
        sa.select(chain.c.depth + 1, *columns).where(
            *place, c.checkpoint_id == chain.c.parent_id, chain.c.depth + 1 < sa.bindparam("page")
        )
    )
    named = pairs(chain.c.versions)
    stored = (
        sa.select(chain.c.checkpoint_id, values.c.channel, values.c.version)
        .select_from(chain)
        .join(named, sa.true())
        .join(
            values,
            sa.and_(
                values.c.thread_id == sa.bindparam("thread_id"),
                values.c.checkpoint_ns == sa.bindparam("checkpoint_ns"),
                values.c.channel == named.c.key,
                values.c.version == named.c.value,
            ),
        )
        .where(values.c.channel.in_(sa.bindparam("channels", expanding=True)))
    )
    placed = pairs(chain.c.places)
    in_a_row = (
        sa.select(chain.c.checkpoint_id, placed.c.key, sa.cast(None, sa.Text))
        .select_from(chain)
        .join(placed, sa.true())
        .where(placed.c.key.in_(sa.bindparam("channels", expanding=True)))
    )
    found = sa.union_all(stored, in_a_row).subquery()
    return (
        sa.select(chain.c.checkpoint_id, chain.c.parent_id, found.c.channel, found.c.version)
        .select_from(chain)
        .outerjoin(found, found.c.checkpoint_id == chain.c.checkpoint_id)
        .order_by(chain.c.depth)
    )


_WALK = _walk_statement()

_PARENT = sa.select(checkpoints.c.parent_id).where(
    checkpoints.c.thread_id == sa.bindparam("thread_id"),
    checkpoints.c.checkpoint_ns == sa.bindparam("checkpoint_ns"),
    checkpoints.c.checkpoint_id == sa.bindparam("checkpoint_id"),
)

_WRITES = sa.select(
    writes.c.checkpoint_id,
    writes.c.task_path,
    writes.c.task_id,
    writes.c.idx,
    writes.c.channel,
    writes.c.type,
    writes.c.data,
).where(
    writes.c.thread_id == sa.bindparam("thread_id"),
    writes.c.checkpoint_ns == sa.bindparam("checkpoint_ns"),
    writes.c.checkpoint_id.in_(sa.bindparam("checkpoint_ids", expanding=True)),
    writes.c.channel.in_(sa.bindparam("channels", expanding=True)),
)

_SEEDS = sa.select(values.c.channel, values.c.type, values.c.data, values.c.chunks).where(
    values.c.thread_id == sa.bindparam("thread_id"),
    values.c.checkpoint_ns == sa.bindparam("checkpoint_ns"),
    sa.tuple_(values.c.channel, values.c.version).in_(sa.bindparam("seeds", expanding=True)),
)


def latest_id(connection: Connection, thread_id: str, checkpoint_ns: str) -> str:
    """The id of the latest checkpoint, or "" if there is none."""
    latest = sa.select(sa.func.max(checkpoints.c.checkpoint_id)).where(
        checkpoints.c.thread_id == thread_id, checkpoints.c.checkpoint_ns == checkpoint_ns
    )
    return connection.scalar(latest) or ""


_PIECES = sa.select(chunks.c.digest, chunks.c.data).where(
    chunks.c.thread_id == sa.bindparam("thread_id"),
    chunks.c.digest.in_(sa.bindparam("digests", expanding=True)),
)


@dataclass
class Lineage:
    """The ancestors of a checkpoint, nearest first, as far as the channels asked for need them."""

    ids: list[str] = field(default_factory=list)
    seeds: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    """Channel -> position of the nearest ancestor that has its value, and its version (None: not in ``values``)."""

    def reach(self, channel: str) -> int:
        """How many ancestors contribute to the channel: those up to its seed, or all."""
        return self.seeds[channel][0] + 1 if channel in self.seeds else len(self.ids)


def lineage(connection: Connection, key: Key, channels: Sequence[str]) -> Lineage:
    """Follows the parents, never the order of ids: a forked thread has branches."""
    thread_id, checkpoint_ns, checkpoint_id = key
    place = {"thread_id": thread_id, "checkpoint_ns": checkpoint_ns}
    found = Lineage()
    seen = {checkpoint_id}
    start: str | None = connection.scalar(_PARENT, place | {"checkpoint_id": checkpoint_id})
    while start is not None and start not in seen and len(found.seeds) < len(channels):
        wanted = place | {"start": start, "page": _PAGE, "channels": list(channels)}
        start = None
        for ancestor, parent, channel, version in connection.execute(_WALK, wanted):
            if ancestor not in seen:
                seen.add(ancestor)
                found.ids.append(ancestor)
            elif ancestor != found.ids[-1]:
                return found  # the parents run in a circle
            if channel is not None:
                found.seeds.setdefault(channel, (len(found.ids) - 1, version))
            start = parent
    return found


def written(connection: Connection, key: Key, ancestors: Sequence[str], channels: Sequence[str]) -> Iterator[Any]:
    """Rows (checkpoint_id, task_path, task_id, idx, channel, type, data) of the channels' writes at the ancestors."""
    for first in range(0, len(ancestors), _PAGE):
        yield from connection.execute(
            _WRITES,
            {
                "thread_id": key[0],
                "checkpoint_ns": key[1],
                "checkpoint_ids": ancestors[first : first + _PAGE],
                "channels": list(channels),
            },
        )


def delta_history(
    connection: Connection, serde: SerializerProtocol, key: Key, channels: Sequence[str]
) -> Mapping[str, DeltaChannelHistory]:
    """Per channel the writes, oldest first, and the stored value ("seed") they start from, if there is one."""
    found = lineage(connection, key, channels)
    depth = {checkpoint_id: position for position, checkpoint_id in enumerate(found.ids)}
    needed = found.ids[: max((found.reach(channel) for channel in channels), default=0)]
    ordered: dict[str, list[Any]] = {channel: [] for channel in channels}
    for checkpoint_id, task_path, task_id, idx, channel, type_, data in written(connection, key, needed, channels):
        if depth[checkpoint_id] < found.reach(channel):
            order = (-depth[checkpoint_id], writes_sort_key(task_path, task_id, idx))
            ordered[channel].append((order, task_id, type_, data))
    history: dict[str, DeltaChannelHistory] = {}
    for channel, rows in ordered.items():
        rows.sort()
        pending: list[PendingWrite] = [
            (task_id, channel, serde.loads_typed((type_, data))) for _, task_id, type_, data in rows
        ]
        history[channel] = {"writes": pending}
    for channel, seed in _seeds(connection, serde, key, found).items():
        history[channel]["seed"] = seed
    return history


def _seeds(connection: Connection, serde: SerializerProtocol, key: Key, found: Lineage) -> Mapping[str, Any]:
    seeds: dict[str, Any] = {}
    wanted = []
    for channel, (position, version) in found.seeds.items():
        if version is None:
            seeds[channel] = _value_at(connection, serde, (*key[:2], found.ids[position]), channel)
        else:
            wanted.append((channel, version))
    if not wanted:
        return seeds
    rows = connection.execute(_SEEDS, {"thread_id": key[0], "checkpoint_ns": key[1], "seeds": wanted}).all()
    needed = {digest for _, _, _, digests in rows for digest in listed(digests)}
    pieces = dict(connection.execute(_PIECES, {"thread_id": key[0], "digests": sorted(needed)}).all()) if needed else {}
    for channel, type_, data, digests in rows:
        seeds[channel] = serde.loads_typed((type_, join(data, digests, pieces)))
    return seeds


def _value_at(connection: Connection, serde: SerializerProtocol, key: Key, channel: str) -> Any:
    """A value that is in the row of a checkpoint, this one's or the one that it names."""
    wanted = {"thread_id": key[0], "checkpoint_ns": key[1], "checkpoint_id": key[2]}
    rows = connection.exec_driver_sql(STATEMENTS[connection.dialect.name].by_id, wanted).all()
    return stored_checkpoints(rows)[0].placed_value(serde, channel)
