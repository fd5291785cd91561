"""Whose a thread is: what ``Memory.erase`` and legal holds go by.

A thread belongs to everybody whose runs saved a checkpoint into it: the ``user_id`` and ``agent_id`` of their
``config["configurable"]``, as labels, and the thread's own id as that of a run: the namespace to which ``Memory.add`` would
write with these ids. Metadata does not count: it is not the caller's word. A thread of several users goes whole when one of
them is erased, since its state mixes what they said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage import rules
from genome_core.storage.lists import one_of
from genome_core.types import Namespace, Scope
from genome_langgraph.checkpoint_tables import checkpoints, tables, threads
from genome_langgraph.serializer import CheckpointSerializer


def owner(configurable: Mapping[str, Any]) -> str:
    """The line of ``owners`` that a run adds; empty if its config names neither a user nor an agent."""
    if "user_id" not in configurable and "agent_id" not in configurable:
        return ""  # of most
    ids = [(kind, configurable.get(f"{kind}_id")) for kind in ("user", "agent")]
    labels = [f"{kind}:{id}" for kind, id in ids if isinstance(id, str | int) and str(id).strip()]
    return json.dumps(labels) + "\n" if labels else ""


def namespaces(thread_id: str, owners: str) -> list[Namespace]:
    """The namespaces that a thread belongs to."""
    run = f"run:{thread_id}"
    return [(*json.loads(line), run) for line in owners.split("\n") if line] or [(run,)]


def erase(connection: Connection, scope: Scope, ids: Sequence[str] | None) -> int:
    """Deletes the threads of a scope; returns how many. Ids are those of records: no thread has one."""
    if ids is not None:
        return 0
    rows = connection.execute(sa.select(threads.c.thread_id, threads.c.owners)).all()
    found = [row.thread_id for row in rows if any(map(scope.matches, namespaces(row.thread_id, row.owners)))]
    delete_threads(connection, found)
    return len(found)


def delete_threads(connection: Connection, thread_ids: Sequence[str]) -> None:
    """Deletes threads with all that belongs to them. Raises ``Held`` where a legal hold stands."""
    lock_to_delete(connection, thread_ids)
    for table in tables.sorted_tables:
        connection.execute(sa.delete(table).where(one_of(table.c.thread_id, thread_ids)))


def lock_to_delete(connection: Connection, thread_ids: Sequence[str]) -> None:
    """Keeps ``put`` out of the threads until the end of the transaction: it could share a value that is about to go.

    In SQLite every writer is alone anyway. Raises ``Held`` if a legal hold keeps one of them.
    """
    mine = sa.select(threads.c.thread_id, threads.c.owners).where(one_of(threads.c.thread_id, thread_ids))
    rows = connection.execute(mine.with_for_update()).all()
    if sa.inspect(connection).has_table(rules.TABLE):  # a database without a ``Memory`` has no holds
        rules.refuse_held(connection, [place for row in rows for place in namespaces(row.thread_id, row.owners)])


def add_owners(connection: Connection) -> None:
    """Schema 1 to 2: the owners of threads, from what LangGraph keeps of a run's config in a checkpoint's metadata.

    Encrypted metadata can not be read here: those threads get an owner with their next checkpoint.
    """
    connection.exec_driver_sql(f"ALTER TABLE {threads.name} ADD COLUMN owners TEXT NOT NULL DEFAULT ''")
    lines: dict[str, dict[str, None]] = {}
    for thread_id, metadata in _readable(connection):
        if line := owner(metadata):
            lines.setdefault(thread_id, {})[line] = None
    statement = sa.update(threads).where(threads.c.thread_id == sa.bindparam("which"))
    rows = [{"which": thread_id, "lines": "".join(found)} for thread_id, found in lines.items()]
    if rows:
        connection.execute(statement.values(owners=sa.bindparam("lines")), rows)


def _readable(connection: Connection) -> Iterator[tuple[str, Mapping[str, Any]]]:
    serde = CheckpointSerializer()
    query = sa.select(checkpoints.c.thread_id, checkpoints.c.metadata_type, checkpoints.c.metadata)
    for thread_id, type_, data in connection.execute(query.order_by(checkpoints.c.checkpoint_id)):
        if "+" not in type_:
            yield thread_id, serde.loads_typed((type_, data))
