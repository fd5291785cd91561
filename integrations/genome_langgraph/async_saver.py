"""The async half of the saver: each verb runs its sync twin in a thread, so it is bound to no event loop.

What a graph calls at each step takes turns. Readers and writers have turns of their own: a reader need not wait for a
writer that waits for another process. Of these verbs only the database's part is done in a thread. A thread that turns
objects into bytes would keep the loop waiting just as long, since one thread of Python runs at a time, and for the switch
between the two on top.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
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

    @abstractmethod
    def _get_tuple(self, config: RunnableConfig) -> tuple[Callable[[], Any], Callable[[Any], CheckpointTuple | None]]:
        """The database's part of ``get_tuple``, and what makes its result of what that returns."""

    @abstractmethod
    def _put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> tuple[Callable[[], None], RunnableConfig]:
        """The database's part of ``put``, and its result."""

    @abstractmethod
    def _put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> Callable[[], None]:
        """The database's part of ``put_writes``."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        look, load = self._get_tuple(config)
        async with self._reads.here():
            stored = await self._threads.run(look)
        return load(stored)

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
        save, saved = self._put(config, checkpoint, metadata, new_versions)
        async with self._writes.here():
            await self._threads.run(save)
        return saved

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        save = self._put_writes(config, writes, task_id, task_path)
        async with self._writes.here():
            await self._threads.run(save)

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
