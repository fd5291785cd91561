"""Key-value, document and index stores of LlamaIndex on the database of a ``Memory``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.storage.index_store.keyval_index_store import KVIndexStore
from llama_index.core.storage.kvstore.types import DEFAULT_BATCH_SIZE, DEFAULT_COLLECTION, BaseKVStore

from genome_core import Memory
from genome_core.inputs import check_text, storable
from genome_core.storage.named import upsert
from genome_llama_index.tables import SCHEMA, values

_BATCH = 500


class GenomeKVStore(BaseKVStore):
    """JSON values by collection and key.

    ``namespace`` keeps several stores on one database apart. The memory stays open: whoever made it closes it.
    """

    def __init__(self, memory: Memory, namespace: str = "values") -> None:
        self.namespace = namespace
        self._database = memory.database
        self._database.install(SCHEMA)

    def put(self, key: str, val: dict[str, Any], collection: str = DEFAULT_COLLECTION) -> None:
        """Stores a value; the one that was there is replaced."""
        self.put_all([(key, val)], collection)

    def put_all(
        self,
        kv_pairs: Sequence[tuple[str, dict[str, Any]]],
        collection: str = DEFAULT_COLLECTION,
        batch_size: int = DEFAULT_BATCH_SIZE,
    ) -> None:
        """Stores the pairs in one transaction, whatever ``batch_size`` is; the last value of a repeated key counts."""
        check_text(collection, "the collection")
        rows = []
        for key, value in sorted(dict(kv_pairs).items()):
            check_text(key, "the key")
            text = json.dumps(storable(value, "the value"), ensure_ascii=False)
            rows.append({"namespace": self.namespace, "collection": collection, "key": key, "value": text})
        if rows:
            self._database.write(lambda connection: connection.execute(upsert(self._database, values), rows))

    def get(self, key: str, collection: str = DEFAULT_COLLECTION) -> dict[str, Any] | None:
        """The value, or None."""
        query = sa.select(values.c.value).where(self._in(collection), values.c.key == key)
        with self._database.read() as connection:
            text = connection.scalar(query)
        return None if text is None else json.loads(text)

    def get_all(self, collection: str = DEFAULT_COLLECTION) -> dict[str, dict[str, Any]]:
        """All values of a collection by key, sorted."""
        query = sa.select(values.c.key, values.c.value).where(self._in(collection)).order_by(values.c.key)
        with self._database.read() as connection:
            return {row.key: json.loads(row.value) for row in connection.execute(query)}

    def delete(self, key: str, collection: str = DEFAULT_COLLECTION) -> bool:
        """Deletes a value; returns whether there was one."""
        query = sa.delete(values).where(self._in(collection), values.c.key == key)
        return bool(self._database.write(lambda connection: connection.execute(query).rowcount))

    def _in(self, collection: str) -> sa.ColumnElement[bool]:
        return sa.and_(values.c.namespace == self.namespace, values.c.collection == collection)

    async def aput(self, key: str, val: dict[str, Any], collection: str = DEFAULT_COLLECTION) -> None:
        """As ``put``, off the event loop."""
        await asyncio.to_thread(self.put, key, val, collection)

    async def aput_all(
        self,
        kv_pairs: Sequence[tuple[str, dict[str, Any]]],
        collection: str = DEFAULT_COLLECTION,
        batch_size: int = DEFAULT_BATCH_SIZE,
    ) -> None:
        """As ``put_all``, off the event loop."""
        await asyncio.to_thread(self.put_all, kv_pairs, collection, batch_size)

    async def aget(self, key: str, collection: str = DEFAULT_COLLECTION) -> dict[str, Any] | None:
        """As ``get``, off the event loop."""
        return await asyncio.to_thread(self.get, key, collection)

    async def aget_all(self, collection: str = DEFAULT_COLLECTION) -> dict[str, dict[str, Any]]:
        """As ``get_all``, off the event loop."""
        return await asyncio.to_thread(self.get_all, collection)

    async def adelete(self, key: str, collection: str = DEFAULT_COLLECTION) -> bool:
        """As ``delete``, off the event loop."""
        return await asyncio.to_thread(self.delete, key, collection)


class GenomeDocumentStore(KVDocumentStore):
    """LlamaIndex's documents and their hashes, written through at once: for ``IngestionPipeline`` and ``StorageContext``."""

    def __init__(self, memory: Memory, namespace: str = "documents") -> None:
        super().__init__(GenomeKVStore(memory, namespace), batch_size=_BATCH)


class GenomeIndexStore(KVIndexStore):
    """The structures of LlamaIndex's indexes, written through at once: for ``StorageContext``."""

    def __init__(self, memory: Memory, namespace: str = "indexes") -> None:
        super().__init__(GenomeKVStore(memory, namespace))
