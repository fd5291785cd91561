"""Where the values of a checkpoint's channels are.

* A number, a truth value or a short text is in the checkpoint itself: it takes no more room than a reference to it.
* SQLite writes each row that is added to a table or an index as a page, so there a new value of up to ``SMALLEST`` bytes
  is in the row of the first checkpoint that has it (``held``), its home. The later ones say so in ``places``.
* All else is a row of ``langgraph_values``, found by channel and version: large values, snapshots of a ``DeltaChannel``, and
  on PostgreSQL, where the parent's places would be one more look at the server, whatever is not in the checkpoint.

An entry of ``places`` is null for a value that is in the checkpoint itself, and [version, type, start, length] for one that
is held by its row; a fifth part is the id of another checkpoint whose row holds it. ``versions`` names the version of
each value that is not in the row: if the other checkpoint goes, the value is moved to ``langgraph_values``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from langgraph.checkpoint.base import ChannelVersions, Checkpoint
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from genome_langgraph.chunks import cut

SHORTEST = 65
"""Characters from which on a text is not in the checkpoint itself."""

NONE_ELSEWHERE = "{}"
"""The ``versions`` of a checkpoint whose values are all in its row."""

_PLAIN = frozenset({bool, int, float, type(None)})


def is_plain(value: Any) -> bool:
    """Whether the checkpoint itself shall have the value."""
    return type(value) in _PLAIN or (type(value) is str and len(value) < SHORTEST)


@dataclass(slots=True)
class Placed:
    """The values of a checkpoint that is to be stored: where each is, and what has to be stored with it."""

    serde: SerializerProtocol
    holds: bool
    """Whether the checkpoint's row may hold values."""
    plain: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    places: dict[str, Any] = field(default_factory=dict)
    held: list[bytes] = field(default_factory=list)
    directory: list[tuple[str, str, int]] = field(default_factory=list)
    """Channel, type and length of each value that is held."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """Rows of ``langgraph_values``."""
    pieces: dict[str, bytes] = field(default_factory=dict)
    unchanged: dict[str, tuple[str, Any]] = field(default_factory=dict)
    """Channel -> version and value, of what the parent knows the places of."""

    def place_all(self, checkpoint: Checkpoint, new_versions: ChannelVersions) -> None:
        values = checkpoint["channel_values"]
        for channel, version in checkpoint["channel_versions"].items():
            if channel not in values:
                if channel not in new_versions:  # there may be a snapshot
                    self.versions[channel] = str(version)
            elif is_plain(value := values[channel]):
                self.plain[channel] = value
                self.places[channel] = None
            elif channel in new_versions:
                self._store(channel, str(version), value, self.holds)
            elif self.holds:
                self.unchanged[channel] = (str(version), value)
            else:
                self.versions[channel] = str(version)

    def follow(self, parent_id: str | None, parent: Sequence[str | None] | None) -> None:
        """Finds the unchanged values where the parent (its versions and places) has them, or else stores them."""
        versions, places = (orjson.loads(text or "{}") for text in parent or ("", ""))
        for channel, (version, value) in self.unchanged.items():
            place = places.get(channel)
            if place and place[0] == version:
                self.places[channel] = place if len(place) > 4 else [*place, parent_id]
            elif versions.get(channel) != version:
                self._store(channel, version, value, False)
                continue
            self.versions[channel] = version

    def columns(self) -> Mapping[str, Any]:
        """What the checkpoint's row says of its values."""
        return {
            "versions": orjson.dumps(self.versions).decode() if self.versions else NONE_ELSEWHERE,
            "places": orjson.dumps(self.places).decode() if self.places else None,
            "held": b"".join(self.held) if self.held else None,
        }

    def _store(self, channel: str, version: str, value: Any, holds: bool) -> None:
        type_, data = self.serde.dumps_typed(value)
        # Encrypted bytes differ from step to step even where the value does not: pieces of them would never match.
        kept, pieces, digests = (data, {}, None) if "+" in type_ else cut(data)
        is_snapshot = isinstance(value, _DeltaSnapshot)
        if holds and not digests and not is_snapshot:
            self.places[channel] = [version, type_, sum(map(len, self.held)), len(data)]
            self.directory.append((channel, type_, len(data)))
            self.held.append(data)
            return
        row = {"channel": channel, "version": version, "snapshot": is_snapshot}
        self.rows.append(row | {"type": type_, "data": kept, "chunks": digests})
        self.pieces |= pieces
        self.versions[channel] = version


def held_values(directory: Sequence[tuple[str, str, int]], held: bytes) -> Iterator[tuple[str, tuple[str, bytes]]]:
    """Channel, and type and bytes, of each value that is held."""
    start = 0
    for channel, type_, size in directory:
        yield channel, (type_, held[start : start + size])
        start += size


# From checkpoints (a JSON list of ids, ``leaving``) whose rows are about to go or to change, to langgraph_values.
_MOVE = (
    """
INSERT INTO langgraph_values (thread_id, checkpoint_ns, channel, version, snapshot, type, data)
SELECT home.thread_id, home.checkpoint_ns, place.key, json_extract(place.value, '$[0]'), 0,
       json_extract(place.value, '$[1]'),
       substr(home.held, json_extract(place.value, '$[2]') + 1, json_extract(place.value, '$[3]'))
FROM langgraph_checkpoints staying CROSS JOIN json_each(staying.places) place CROSS JOIN langgraph_checkpoints home
  ON home.thread_id = staying.thread_id AND home.checkpoint_ns = staying.checkpoint_ns
 AND home.checkpoint_id = json_extract(place.value, '$[4]')
WHERE staying.thread_id = :thread_id AND staying.checkpoint_ns = :checkpoint_ns
  AND staying.checkpoint_id NOT IN (SELECT value FROM json_each(:leaving))
  AND home.checkpoint_id IN (SELECT value FROM json_each(:leaving))
ON CONFLICT (thread_id, checkpoint_ns, channel, version) DO NOTHING
""",
    """
UPDATE langgraph_checkpoints SET places = (
    SELECT json_group_object(key, json(value)) FROM json_each(places)
    WHERE coalesce(json_extract(value, '$[4]') NOT IN (SELECT value FROM json_each(:leaving)), true))
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns AND EXISTS (
    SELECT 1 FROM json_each(places) WHERE json_extract(value, '$[4]') IN (SELECT value FROM json_each(:leaving)))
""",
)


def move_held(execute: Any, thread_id: str, checkpoint_ns: str, leaving: Sequence[str]) -> None:
    """Moves what other checkpoints need of the rows of these, which are about to go or to change."""
    place = {"thread_id": thread_id, "checkpoint_ns": checkpoint_ns, "leaving": json.dumps(list(leaving))}
    for statement in _MOVE:
        execute(statement, place)
