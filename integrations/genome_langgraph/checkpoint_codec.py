"""Turns checkpoints into rows and rows into checkpoints. Everything but ids and versions goes through the serializer,
so that an encrypting serializer leaves nothing of the state, or of its metadata, in clear."""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from genome_core.errors import InvalidInput
from genome_langgraph.checkpoint_places import Placed, held_values
from genome_langgraph.checkpoint_sql import HEAD, VALUE
from genome_langgraph.chunks import join, listed

logger = logging.getLogger(__name__)

_HELD = "genome_held"
"""The entry of a stored checkpoint that says which values its row holds."""

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
    serde: SerializerProtocol,
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    placed: Placed,
) -> dict[str, Any]:
    """The row of a checkpoint with its plain values, without the key of its thread and the columns of ``placed``."""
    type_, data = serde.dumps_typed({**checkpoint, "channel_values": placed.plain, _HELD: placed.directory})
    full_metadata = get_checkpoint_metadata(config, metadata)
    metadata_type, metadata_data = _dump_metadata(serde, full_metadata)
    run_id = full_metadata.get("run_id")
    return {
        "checkpoint_id": checkpoint["id"],
        "parent_id": config["configurable"].get("checkpoint_id"),
        "run_id": None if run_id is None else str(run_id),
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


def dump_writes(serde: SerializerProtocol, pending: Sequence[tuple[str, Any]]) -> Sequence[dict[str, Any]]:
    """A row per write, without what all have in common; of several special ones to a channel the last counts."""
    rows: dict[int, dict[str, Any]] = {}
    for position, (channel, value) in enumerate(pending):
        type_, data = serde.dumps_typed(value)
        idx = WRITES_IDX_MAP.get(channel, position)
        rows[idx] = {"idx": idx, "channel": channel, "type": type_, "data": data}
    return list(rows.values())


@dataclass
class StoredCheckpoint:
    """The rows of one checkpoint, not yet deserialized."""

    head: Any = None
    values: list[Any] = field(default_factory=list)
    writes: list[Any] = field(default_factory=list)

    @property
    def digests(self) -> set[str]:
        """The pieces of its large values."""
        return {digest for row in self.values for digest in listed(row[3])}

    def load(
        self, serde: SerializerProtocol, thread_id: Any, checkpoint_ns: str, pieces: Mapping[str, bytes]
    ) -> CheckpointTuple:
        _, _, checkpoint_id, parent_id, versions, type_, data, metadata_type, metadata, _, held = self.head
        checkpoint = serde.loads_typed((type_, data))
        if "channel_versions" not in checkpoint:  # as it was stored before schema 3
            checkpoint["channel_versions"] = json.loads(versions)
        values = checkpoint.setdefault("channel_values", {})
        for channel, stored in held_values(checkpoint.pop(_HELD, ()), held):
            values[channel] = serde.loads_typed(stored)
        for _, _, channel, digests, _, type_, data, *_ in self.values:
            values[channel] = serde.loads_typed((type_, join(data, digests, pieces)))
        return CheckpointTuple(
            config=config_of(thread_id, checkpoint_ns, checkpoint_id),
            checkpoint=cast(Checkpoint, checkpoint),
            metadata=cast(CheckpointMetadata, serde.loads_typed((metadata_type, metadata))),
            parent_config=config_of(thread_id, checkpoint_ns, parent_id) if parent_id else None,
            pending_writes=self._pending(serde),
        )

    def placed_value(self, serde: SerializerProtocol, channel: str) -> Any:
        """The value of a channel that ``places`` names."""
        _, _, _, _, _, type_, data, _, _, _, held = self.head
        checkpoint = serde.loads_typed((type_, data))
        stored = dict(held_values(checkpoint[_HELD], held))
        stored.update((name, (type_, data)) for _, _, name, _, _, type_, data, *_ in self.values)
        return serde.loads_typed(stored[channel]) if channel in stored else checkpoint["channel_values"][channel]

    def _pending(self, serde: SerializerProtocol) -> list[PendingWrite]:
        """In the order in which the runtime applies a superstep's writes, whatever the order of the rows."""
        ordered = sorted(self.writes, key=lambda row: writes_sort_key(row[4], row[3], row[9]))
        return [
            (task_id, channel, serde.loads_typed((type_, data)))
            for _, _, channel, task_id, _, type_, data, *_ in ordered
        ]


def stored_checkpoints(rows: Iterable[Any]) -> Mapping[int, StoredCheckpoint]:
    """The checkpoints whose parts the rows are, by their position among the chosen."""
    found: defaultdict[int, StoredCheckpoint] = defaultdict(StoredCheckpoint)
    for row in rows:
        part = row[1]
        if part == VALUE:
            found[row[0]].values.append(row)
        elif part == HEAD:
            found[row[0]].head = row
        else:
            found[row[0]].writes.append(row)
    return found
