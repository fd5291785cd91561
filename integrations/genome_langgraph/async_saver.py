"""The async half of the saver: each verb runs its sync twin in a thread, so it is bound to no event loop.

What a graph calls at each step takes turns. Readers and writers have turns of their own: a reader need not wait for a
writer that waits for another process.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from genome_langgraph.threads import Threads, Turns


class AsyncVerbs(BaseCheckpointSaver[str]):
    """Async twins of the methods that a subclass defines."""

    def __init__(self, *, serde: SerializerProtocol, at_once: int) -> None:
        """``at_once``: how many readers, and how many writers, of one event loop the database shall serve at a time."""
        super().__init__(serde=serde)
        self._threads = Threads()
        self._reads, self._writes = Turns(at_once), Turns(at_once)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        async with self._reads.here():
            return await self._threads.run(partial(self.get_tuple, config))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        found = await self._threads.run(partial(self.list, config, filter=filter, before=before, limit=limit))
        while (checkpoint := await self._threads.run(partial(next, found, None))) is not None:
            yield checkpoint

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        async with self._writes.here():
            return await self._threads.run(partial(self.put, config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        async with self._writes.here():
            await self._threads.run(partial(self.put_writes, config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        await self._threads.run(partial(self.delete_thread, thread_id))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await self._threads.run(partial(self.delete_for_runs, run_ids))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await self._threads.run(partial(self.copy_thread, source_thread_id, target_thread_id))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await self._threads.run(partial(self.prune, thread_ids, strategy=strategy))

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return await self._threads.run(partial(self.get_delta_channel_history, config=config, channels=channels))
