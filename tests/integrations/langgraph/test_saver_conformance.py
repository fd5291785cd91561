"""LangGraph's own conformance suite for checkpointers, through the async and through the sync methods."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import pytest
from genome_langgraph import GenomeSaver
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability

TESTS_PER_CAPABILITY = {
    "put": 17,
    "put_writes": 10,
    "get_tuple": 10,
    "list": 16,
    "delete_thread": 5,
    "delete_for_runs": 7,
    "copy_thread": 8,
    "prune": 8,
    "delta_channel_history": 8,
}
"""The last is not in the version on PyPI, 0.0.2: the others are 81 tests, with it there are 89."""


class ThroughSyncMethods(BaseCheckpointSaver[str]):
    """Answers the async methods, which alone the suite calls, with the sync methods of a saver."""

    def __init__(self, saver: GenomeSaver) -> None:
        super().__init__(serde=saver.serde)
        self.saver = saver

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self.saver.get_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        for checkpoint in self.saver.list(config, filter=filter, before=before, limit=limit):
            yield checkpoint

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return self.saver.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        self.saver.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        self.saver.delete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        self.saver.delete_for_runs(run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self.saver.copy_thread(source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self.saver.prune(thread_ids, strategy=strategy)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return self.saver.get_delta_channel_history(config=config, channels=channels)


@pytest.mark.parametrize("methods", ["async", "sync"])
async def test_every_capability_is_detected_and_passes(store_url: str, methods: str) -> None:
    @checkpointer_test(name="GenomeSaver")
    async def saver() -> AsyncIterator[BaseCheckpointSaver[str]]:
        with GenomeSaver(store_url) as saver:
            yield saver if methods == "async" else ThroughSyncMethods(saver)

    report = await validate(saver)

    assert [name for name, result in report.results.items() if not result.detected] == []
    assert [failure for result in report.results.values() for failure in result.failures or ()] == []
    passed = {name: result.tests_passed for name, result in report.results.items()}
    assert passed == {capability.value: TESTS_PER_CAPABILITY[capability.value] for capability in Capability}
    assert sum(passed.values()) >= 81
