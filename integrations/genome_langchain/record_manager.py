"""``GenomeRecordManager``: the Indexing API's book of what was indexed when, on the database of the documents."""

from __future__ import annotations

import time
from collections.abc import Sequence

import sqlalchemy as sa
from langchain_core.indexing import RecordManager
from langchain_core.runnables import run_in_executor
from sqlalchemy.engine import Connection

from genome_core import Memory
from genome_core.errors import InvalidInput, StorageError
from genome_core.inputs import check_text
from genome_core.storage.lists import one_of
from genome_core.storage.named import upsert
from genome_core.storage.reading import chunks
from genome_langchain.tables import SCHEMA, indexed

_TICK = 1e-6
"""Seconds by which each reading of the time is later than anything written before it."""


class GenomeRecordManager(RecordManager):
    """Remembers which documents ``index()`` has written, for the sync and the async API, in SQLite and PostgreSQL.

    Times are the database server's, in seconds since 1970, and never go back: a reading is later than everything that this
    namespace holds, even if the server's clock was set back. The memory stays open: whoever made it closes it.
    """

    def __init__(self, namespace: str, memory: Memory) -> None:
        super().__init__(namespace)
        self._database = memory.database
        self._database.install(SCHEMA)

    def create_schema(self) -> None:
        """Not needed: the tables are there."""

    async def acreate_schema(self) -> None:
        """Not needed: the tables are there."""

    def get_time(self) -> float:
        """The server's time, later than everything written to this namespace."""
        with self._database.read() as connection:
            # SQLite's server is this machine; asked for the time, it tells whole milliseconds only.
            now = float(connection.scalar(_NOW) or 0) if self._database.is_postgres else time.time()
            last = connection.scalar(sa.select(sa.func.max(indexed.c.updated_at)).where(self._mine))
        return now if last is None else max(now, last + _TICK)

    async def aget_time(self) -> float:
        """As ``get_time``."""
        return await run_in_executor(None, self.get_time)

    def update(
        self,
        keys: Sequence[str],
        *,
        group_ids: Sequence[str | None] | None = None,
        time_at_least: float | None = None,
    ) -> None:
        """Writes down that the keys were indexed now.

        Raises ``InvalidInput`` (a ``ValueError``) if there is not one group for each key, and ``StorageError`` if the server's
        time is before ``time_at_least``.
        """
        self._update(keys, group_ids, time_at_least, self.get_time())

    async def aupdate(
        self,
        keys: Sequence[str],
        *,
        group_ids: Sequence[str | None] | None = None,
        time_at_least: float | None = None,
    ) -> None:
        """As ``update``."""
        now = await self.aget_time()
        await run_in_executor(None, self._update, keys, group_ids, time_at_least, now)

    def _update(
        self, keys: Sequence[str], group_ids: Sequence[str | None] | None, time_at_least: float | None, now: float
    ) -> None:
        groups = [None] * len(keys) if group_ids is None else group_ids
        if len(groups) != len(keys):
            raise InvalidInput(f"{len(keys)} keys but {len(groups)} group_ids", hint="give one for each key")
        if time_at_least is not None and now < time_at_least:
            raise StorageError(
                f"the server's time {now} is before {time_at_least}", hint="its clock was set back: index again"
            )
        for key in keys:
            check_text(key, "the key")
        rows = {
            key: {"namespace": self.namespace, "key": key, "group_id": group, "updated_at": now}
            for key, group in zip(keys, groups, strict=True)
        }
        if rows:
            statement = upsert(self._database, indexed)
            # In one order, so that two writers never wait for each other.
            ordered = [rows[key] for key in sorted(rows)]
            self._database.write(lambda connection: connection.execute(statement, ordered))

    def exists(self, keys: Sequence[str]) -> list[bool]:
        """For each key whether it is indexed."""
        found: set[str] = set()
        with self._database.read() as connection:
            for chunk in chunks(keys):
                found.update(connection.scalars(sa.select(indexed.c.key).where(self._mine, indexed.c.key.in_(chunk))))
        return [key in found for key in keys]

    async def aexists(self, keys: Sequence[str]) -> list[bool]:
        """As ``exists``."""
        return await run_in_executor(None, self.exists, keys)

    def list_keys(
        self,
        *,
        before: float | None = None,
        after: float | None = None,
        group_ids: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[str]:
        """The keys indexed before and after (both exclusive) certain times, in the groups given; the oldest first."""
        query = sa.select(indexed.c.key).where(self._mine)
        if before is not None:
            query = query.where(indexed.c.updated_at < before)
        if after is not None:
            query = query.where(indexed.c.updated_at > after)
        if group_ids is not None:
            query = query.where(one_of(indexed.c.group_id, group_ids))
        with self._database.read() as connection:
            return list(connection.scalars(query.order_by(indexed.c.updated_at, indexed.c.key).limit(limit)))

    async def alist_keys(
        self,
        *,
        before: float | None = None,
        after: float | None = None,
        group_ids: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[str]:
        """As ``list_keys``."""
        return await run_in_executor(None, self.list_keys, before=before, after=after, group_ids=group_ids, limit=limit)

    def delete_keys(self, keys: Sequence[str]) -> None:
        """Forgets the keys; unknown ones are ignored."""

        def work(connection: Connection) -> None:
            for chunk in chunks(keys):
                connection.execute(sa.delete(indexed).where(self._mine, indexed.c.key.in_(chunk)))

        self._database.write(work)

    async def adelete_keys(self, keys: Sequence[str]) -> None:
        """As ``delete_keys``."""
        await run_in_executor(None, self.delete_keys, keys)

    @property
    def _mine(self) -> sa.ColumnElement[bool]:
        return indexed.c.namespace == self.namespace


_NOW = sa.select(sa.extract("epoch", sa.func.clock_timestamp()))
