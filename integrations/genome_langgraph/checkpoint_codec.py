"""Turns checkpoints into rows and rows into checkpoints. Everything but ids and versions goes through the serializer,
so that an encrypting serializer leaves nothing of the state, or of its metadata, in clear."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from genome_core.errors import InvalidInput
from genome_langgraph.checkpoint_statements import CHECKPOINT, VALUE

logger = logging.getLogger(__name__)

Key = tuple[str, str, str]
"""thread_id, checkpoint_ns, checkpoint_id."""


def required(config: RunnableConfig, name: str) -> Any:
    """An entry of ``config["configurable"]`` that a call cannot do without."""
    found = config.get("configurable", {}).get(name)
    if found is None:
        raise InvalidInput(f"the config names no {name}", hint=f'pass {{"configurable": {{"{name}": ...}}}}')
    return found


def config_of(thread_id: Any, checkpoint_ns: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": checkpoint_ns, "checkpoint_id": checkpoint_id}}


def dump_checkpoint(
    serde: SerializerProtocol, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata
) -> dict[str, Any]:
    """The row of a checkpoint, without the key of its thread."""
    versions = checkpoint["channel_versions"]
    rest = {name: part for name, part in checkpoint.items() if name != "channel_values"}
    if all(isinstance(version, str) for version in versions.values()):
        del rest["channel_versions"]  # the column ``versions`` says the same
    full_metadata = get_checkpoint_metadata(config, metadata)
    type_, data = serde.dumps_typed(rest)
    metadata_type, metadata_data = _dump_metadata(serde, full_metadata)
    run_id = full_metadata.get("run_id")
    return {
        "checkpoint_id": checkpoint["id"],
        "parent_id": config["configurable"].get("checkpoint_id"),
        "run_id": None if run_id is None else str(run_id),
        "versions": json.dumps({channel: str(version) for channel, version in versions.items()}),
        "type": type_,
        "data": data,
        "metadata_type": metadata_type,
        "metadata": metadata_data,
    }


def _dump_metadata(serde: SerializerProtocol, metadata: CheckpointMetadata) -> tuple[str, bytes]:
    try:
        return serde.dumps_typed(metadata)
    except TypeError:
        kept = {name: entry for name, entry in metadata.items() if _can_dump(serde, entry)}
        logger.warning("Checkpoint metadata that cannot be stored was dropped: %s", sorted(metadata.keys() - kept))
        return serde.dumps_typed(kept)


def _can_dump(serde: SerializerProtocol, value: Any) -> bool:
    try:
        serde.dumps_typed(value)
    except TypeError:
        return False
    return True


def dump_values(
    serde: SerializerProtocol, checkpoint: Checkpoint, new_versions: ChannelVersions
) -> Sequence[dict[str, Any]]:
    """A row per new version of a channel. An empty channel has none: it is absent when its version is looked up."""
    state = checkpoint["channel_values"]
    rows = []
    for channel, version in new_versions.items():
        if channel in state:
            type_, data = serde.dumps_typed(state[channel])
            rows.append(
                {
                    "channel": channel,
                    "version": str(version),
                    "snapshot": isinstance(state[channel], _DeltaSnapshot),
                    "type": type_,
                    "data": data,
                }
            )
    return rows


def dump_writes(
    serde: SerializerProtocol, pending: Sequence[tuple[str, Any]], task_id: str, task_path: str
) -> Sequence[dict[str, Any]]:
    rows = []
    for position, (channel, value) in enumerate(pending):
        type_, data = serde.dumps_typed(value)
        rows.append(
            {
                "task_id": task_id,
                "idx": WRITES_IDX_MAP.get(channel, position),
                "task_path": task_path,
                "channel": channel,
                "type": type_,
                "data": data,
            }
        )
    return rows


def load_tuples(serde: SerializerProtocol, rows: Iterable[Any]) -> Mapping[Key, CheckpointTuple]:
    """The checkpoints whose parts ``rows`` are, by key, in no particular order."""
    heads: dict[Key, Any] = {}
    states: dict[Key, dict[str, Any]] = {}
    pending: dict[Key, list[Any]] = {}
    for row in rows:
        part, *key, name, _, type_, data, _, _, _ = row
        if part == CHECKPOINT:
            heads[tuple(key)] = row
        elif part == VALUE:
            states.setdefault(tuple(key), {})[name] = serde.loads_typed((type_, data))
        else:
            pending.setdefault(tuple(key), []).append(row)
    return {key: _load_tuple(serde, head, states.get(key, {}), pending.get(key, ())) for key, head in heads.items()}


def _load_tuple(serde: SerializerProtocol, head: Any, state: dict[str, Any], pending: Iterable[Any]) -> CheckpointTuple:
    _, thread_id, checkpoint_ns, checkpoint_id, parent_id, versions, type_, data, metadata_type, metadata, _ = head
    checkpoint = serde.loads_typed((type_, data))
    checkpoint.setdefault("channel_versions", json.loads(versions))
    checkpoint["channel_values"] = state
    return CheckpointTuple(
        config=config_of(thread_id, checkpoint_ns, checkpoint_id),
        checkpoint=cast(Checkpoint, checkpoint),
        metadata=cast(CheckpointMetadata, serde.loads_typed((metadata_type, metadata))),
        parent_config=config_of(thread_id, checkpoint_ns, parent_id) if parent_id else None,
        pending_writes=load_writes(serde, pending),
    )


def load_writes(serde: SerializerProtocol, rows: Iterable[Any]) -> list[PendingWrite]:
    """In the order in which the runtime applies a superstep's writes, whatever the order of the rows."""
    ordered = sorted(
        (writes_sort_key(task_path, task_id, idx), task_id, channel, type_, data)
        for _, _, _, _, channel, task_id, type_, data, task_path, _, idx in rows
    )
    return [(task_id, channel, serde.loads_typed((type_, data))) for _, task_id, channel, type_, data in ordered]
