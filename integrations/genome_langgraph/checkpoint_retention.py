"""What ``GenomeSaver`` deletes and copies. Each function works inside a transaction of its caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import sqlalchemy as sa
from langgraph.checkpoint.serde.base import SerializerProtocol
from sqlalchemy.engine import Connection

from genome_core.errors import Held, InvalidInput
from genome_core.storage.lists import one_of
from genome_langgraph.checkpoint_codec import Key
from genome_langgraph.checkpoint_history import lineage
from genome_langgraph.checkpoint_owners import delete_threads, lock_to_delete
from genome_langgraph.checkpoint_places import move_held
from genome_langgraph.checkpoint_tables import (
    COARSE,
    checkpoints,
    chunks,
    digests,
    pairs,
    tables,
    threads,
    values,
    writes,
)

Condition = sa.ColumnElement[bool]


class Prune(Protocol):
    def __call__(self, connection: Connection, thread_id: str) -> None: ...


def copy_thread(connection: Connection, source: str, target: str) -> None:
    """Copies all rows, and so the whole chain of parents from which a ``DeltaChannel`` is rebuilt."""
    connection.execute(
        sa.select(threads.c.thread_id).where(threads.c.thread_id.in_([source, target])).with_for_update()
    )
    if connection.scalar(sa.select(sa.exists().where(checkpoints.c.thread_id == target))):
        raise InvalidInput(f"the thread {target} has checkpoints", hint="copy into a new thread, or delete it first")
    for table in tables.sorted_tables:
        names = [column.name for column in table.columns]
        rows = sa.select(sa.literal(target), *(table.c[name] for name in names if name != "thread_id"))
        connection.execute(sa.insert(table).from_select(names, rows.where(table.c.thread_id == source)))


def idle_since(before: int | sa.ColumnElement[int]) -> Condition:
    """Threads without a new checkpoint since then (microseconds since 1970)."""
    newer = sa.exists().where(checkpoints.c.thread_id == threads.c.thread_id, checkpoints.c.saved_at >= before)
    nearly = threads.c.saved_at >= before - COARSE  # for most the row of the thread tells
    return sa.and_(threads.c.saved_at < before, sa.not_(sa.and_(nearly, newer.correlate(threads))))


def expired_at(now: int, default_ttl: int | None) -> Condition:
    """Threads whose time to live is over; those without one of their own have the default, or none."""
    ttl = sa.func.coalesce(threads.c.ttl, sa.cast(default_ttl, sa.BigInteger))
    return idle_since(sa.literal(now + 1, sa.BigInteger) - ttl)


def prune_if(condition: Condition, prune: Prune, thread_id: str) -> Callable[[Connection], bool]:
    """A piece of work that prunes the thread if the condition still holds, and says whether it did.

    It passes over a thread that a legal hold keeps.
    """

    def work(connection: Connection) -> bool:
        holds = connection.scalar(sa.select(sa.exists().where(threads.c.thread_id == thread_id, condition)))
        if not holds:
            return False
        try:
            prune(connection, thread_id)
        except Held:  # raised before anything is changed
            return False
        return True

    return work


def pruning(serde: SerializerProtocol, strategy: str) -> Prune:
    """What prunes a thread; raises ``InvalidInput`` for an unknown strategy."""
    if strategy == "delete":
        return lambda connection, thread_id: delete_threads(connection, [thread_id])
    if strategy == "keep_latest":
        return lambda connection, thread_id: _keep_latest(connection, serde, thread_id)
    raise InvalidInput(f"unknown strategy {strategy!r}", hint="use 'keep_latest' or 'delete'")


def _keep_latest(connection: Connection, serde: SerializerProtocol, thread_id: str) -> None:
    lock_to_delete(connection, [thread_id])
    latest = sa.select(checkpoints.c.checkpoint_ns, sa.func.max(checkpoints.c.checkpoint_id))
    latest = latest.where(checkpoints.c.thread_id == thread_id).group_by(checkpoints.c.checkpoint_ns)
    heads = dict(connection.execute(latest).all())
    keys = [(thread_id, checkpoint_ns, head) for checkpoint_ns, head in heads.items()]
    # Decided for all namespaces before the first is pruned: subgraphs are judged by their root checkpoint.
    finished = [key for key in keys if _is_of_finished_call(connection, serde, key, heads.get(""))]
    for key in keys:
        if key in finished:
            _delete_namespace(connection, key)
        else:
            _delete_all_but(connection, key, [key[2], *delta_ancestors(connection, serde, key)])
    _delete_unused_pieces(connection, thread_id)


def _is_of_finished_call(connection: Connection, serde: SerializerProtocol, key: Key, root: str | None) -> bool:
    """Whether a subgraph's namespace belongs to a call (it has the call's task id after ":") of a pruned checkpoint.

    The root checkpoint must be there: the runtime saves in the background, so a call's may be stored before its root's.
    """
    thread_id, checkpoint_ns, _ = key
    if ":" not in checkpoint_ns:
        return False
    caller = _metadata(connection, serde, key).get("parents", {}).get("")
    return caller not in (None, root) and _exists(connection, (thread_id, "", caller))


def _delete_namespace(connection: Connection, key: Key) -> None:
    for table in (checkpoints, values, writes):
        connection.execute(sa.delete(table).where(table.c.thread_id == key[0], table.c.checkpoint_ns == key[1]))


def _delete_all_but(connection: Connection, head: Key, kept: Sequence[str]) -> None:
    c = checkpoints.c
    leaving = sa.select(c.checkpoint_id).where(
        *_in(checkpoints, head), c.checkpoint_id < head[2], sa.not_(one_of(c.checkpoint_id, kept))
    )
    _move_held(connection, head, connection.scalars(leaving).all())
    # Nothing above the head: writes may arrive before their checkpoint does.
    for table in (checkpoints, writes):
        old = table.c.checkpoint_id < head[2]
        connection.execute(sa.delete(table).where(*_in(table, head), old, sa.not_(one_of(table.c.checkpoint_id, kept))))
    connection.execute(
        sa.update(checkpoints).where(*_in(checkpoints, head), sa.not_(one_of(c.parent_id, kept))).values(parent_id=None)
    )
    _delete_unused_values(connection, head)


def delete_for_runs(connection: Connection, serde: SerializerProtocol, run_ids: Sequence[str]) -> None:
    c = checkpoints.c
    doomed = connection.execute(
        sa.select(c.thread_id, c.checkpoint_ns, c.checkpoint_id).where(one_of(c.run_id, run_ids))
    ).all()
    namespaces: dict[tuple[str, str], list[str]] = {}
    for thread_id, checkpoint_ns, checkpoint_id in doomed:
        namespaces.setdefault((thread_id, checkpoint_ns), []).append(checkpoint_id)
    concerned = sorted({thread_id for thread_id, _ in namespaces})
    lock_to_delete(connection, concerned)
    for (thread_id, checkpoint_ns), ids in namespaces.items():
        _delete_checkpoints(connection, serde, (thread_id, checkpoint_ns, ""), ids)
    for thread_id in concerned:
        _delete_unused_pieces(connection, thread_id)


def _delete_checkpoints(connection: Connection, serde: SerializerProtocol, place: Key, ids: Sequence[str]) -> None:
    c = checkpoints.c
    followers = sa.and_(*_in(checkpoints, place), one_of(c.parent_id, ids), sa.not_(one_of(c.checkpoint_id, ids)))
    for follower in connection.scalars(sa.select(c.checkpoint_id).where(followers)).all():
        if delta_ancestors(connection, serde, (*place[:2], follower)):
            raise InvalidInput(
                f"a DeltaChannel of checkpoint {follower} of thread {place[0]} is rebuilt from these runs",
                hint="delete the thread, or keep the runs; nothing was deleted",
            )
    connection.execute(sa.update(checkpoints).where(followers).values(parent_id=None))
    _move_held(connection, place, ids)
    for table in (checkpoints, writes):
        connection.execute(sa.delete(table).where(*_in(table, place), one_of(table.c.checkpoint_id, ids)))
    _delete_unused_values(connection, place)


def delta_ancestors(connection: Connection, serde: SerializerProtocol, key: Key) -> Sequence[str]:
    """The ancestors without which a ``DeltaChannel`` of this checkpoint could not be rebuilt, nearest first.

    A channel is known as one by a snapshot in its namespace, or by the runtime's counters in the metadata. It needs its
    ancestors up to the nearest that stores its value, or up to its first write.
    """
    channels = set(_metadata(connection, serde, key).get("counters_since_delta_snapshot", ()))
    channels.update(
        connection.scalars(sa.select(values.c.channel).where(*_in(values, key), values.c.snapshot).distinct())
    )
    channels.difference_update(connection.scalars(_stored_at(key)), connection.scalars(_placed_at(key)))
    if not channels:
        return ()
    found = lineage(connection, key, sorted(channels))
    reach = max((found.reach(channel) for channel in found.seeds), default=0)
    if unseeded := channels - found.seeds.keys():
        first_writes = set(
            connection.scalars(
                sa.select(writes.c.checkpoint_id).where(*_in(writes, key), writes.c.channel.in_(unseeded))
            )
        )
        reach = max([reach, *(depth + 1 for depth, ancestor in enumerate(found.ids) if ancestor in first_writes)])
    return found.ids[:reach]


def _stored_at(key: Key) -> sa.Select[tuple[str]]:
    """The channels of which the checkpoint has a value."""
    named = pairs(checkpoints.c.versions)
    return (
        sa.select(values.c.channel)
        .select_from(checkpoints)
        .join(named, sa.true())
        .join(values, sa.and_(values.c.channel == named.c.key, values.c.version == named.c.value))
        .where(*_in(checkpoints, key), checkpoints.c.checkpoint_id == key[2], *_in(values, key))
    )


def _placed_at(key: Key) -> sa.Select[tuple[str]]:
    """The channels whose value is in the checkpoint's row, or in that of another."""
    placed = pairs(checkpoints.c.places)
    return (
        sa.select(placed.c.key)
        .select_from(checkpoints)
        .join(placed, sa.true())
        .where(*_in(checkpoints, key), checkpoints.c.checkpoint_id == key[2])
    )


def _move_held(connection: Connection, place: Key, leaving: Sequence[str]) -> None:
    if connection.dialect.name == "sqlite":  # only there do rows of checkpoints hold values
        move_held(connection.exec_driver_sql, *place[:2], leaving)


def _delete_unused_values(connection: Connection, place: Key) -> None:
    named = pairs(checkpoints.c.versions)
    used = (
        sa.select(named.c.key, named.c.value)
        .select_from(checkpoints)
        .join(named, sa.true())
        .where(*_in(checkpoints, place))
    )
    connection.execute(
        sa.delete(values).where(*_in(values, place), sa.tuple_(values.c.channel, values.c.version).not_in(used))
    )


def _delete_unused_pieces(connection: Connection, thread_id: str) -> None:
    piece = digests(values.c.chunks)
    used = sa.select(piece.c.value).select_from(values).join(piece, sa.true()).where(values.c.thread_id == thread_id)
    connection.execute(sa.delete(chunks).where(chunks.c.thread_id == thread_id, chunks.c.digest.not_in(used)))


def _in(table: sa.Table, place: Key) -> tuple[Condition, Condition]:
    return table.c.thread_id == place[0], table.c.checkpoint_ns == place[1]


def _exists(connection: Connection, key: Key) -> bool:
    found = sa.exists().where(*_in(checkpoints, key), checkpoints.c.checkpoint_id == key[2])
    return bool(connection.scalar(sa.select(found)))


def _metadata(connection: Connection, serde: SerializerProtocol, key: Key) -> dict[str, Any]:
    c = checkpoints.c
    stored = sa.select(c.metadata_type, c.metadata).where(*_in(checkpoints, key), c.checkpoint_id == key[2])
    metadata: dict[str, Any] = serde.loads_typed(tuple(connection.execute(stored).one()))
    return metadata
