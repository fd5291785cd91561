"""``GenomeByteStore``: LangChain's key-value store of bytes on the database of a ``Memory``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sqlalchemy as sa
from langchain_core.stores import ByteStore
from sqlalchemy.engine import Connection

from genome_core import Memory
from genome_core.inputs import check_text
from genome_core.storage.named import upsert
from genome_core.storage.reading import chunks
from genome_langchain.tables import SCHEMA, values

_PAGE = 1000


class GenomeByteStore(ByteStore):
    """Bytes by key, for ``CacheBackedEmbeddings``, ``create_kv_docstore`` and their like.

    ``namespace`` keeps several stores on one database apart. The memory stays open: whoever made it closes it.
    """

    def __init__(self, memory: Memory, namespace: str = "bytes") -> None:
        self.namespace = namespace
        self._database = memory.database
        self._database.install(SCHEMA)

    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        """The values in the order of the keys; None for an unknown key."""
        found: dict[str, bytes] = {}
        with self._database.read() as connection:
            for chunk in chunks(keys):
                query = sa.select(values.c.key, values.c.value).where(self._mine, values.c.key.in_(chunk))
                found.update((key, bytes(value)) for key, value in connection.execute(query))
        return [found.get(key) for key in keys]

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        """Stores the pairs in one transaction; the last value of a repeated key counts. Raises ``InvalidInput`` for a key with NUL."""
        pairs = dict(key_value_pairs)
        for key in pairs:
            check_text(key, "the key")
        rows = [{"namespace": self.namespace, "key": key, "value": pairs[key]} for key in sorted(pairs)]
        if rows:
            self._database.write(lambda connection: connection.execute(upsert(self._database, values), rows))

    def mdelete(self, keys: Sequence[str]) -> None:
        """Deletes the keys; unknown ones are ignored."""

        def work(connection: Connection) -> None:
            for chunk in chunks(keys):
                connection.execute(sa.delete(values).where(self._mine, values.c.key.in_(chunk)))

        self._database.write(work)

    def clear(self) -> None:
        """Deletes every key of the namespace."""
        self._database.write(lambda connection: connection.execute(sa.delete(values).where(self._mine)))

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        """The keys that begin with ``prefix``, sorted; keys that come or go meanwhile disturb nothing."""
        prefix = prefix or ""
        beginning = sa.func.substr(values.c.key, 1, len(prefix)) == prefix
        query = sa.select(values.c.key).where(self._mine, beginning).order_by(values.c.key).limit(_PAGE)
        last: str | None = None
        while True:
            page_query = query if last is None else query.where(values.c.key > last)
            with self._database.read() as connection:
                page = list(connection.scalars(page_query))
            yield from page
            if len(page) < _PAGE:
                return
            last = page[-1]

    @property
    def _mine(self) -> sa.ColumnElement[bool]:
        return values.c.namespace == self.namespace
