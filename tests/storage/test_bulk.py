"""Many rows at once are stored as they would be one by one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from genome_core import Memory
from genome_core.errors import StorageError
from genome_core.protocols import Embedder
from genome_core.storage import bulk
from genome_core.storage.schema import records

TURNS: list[dict[str, Any]] = [
    {
        "content": f"I live in Oslo. Note {n}: \\t \t \\N 'quoted' \U0001f375",
        "name": "Ann" if n % 2 else None,
        "role": "user",
        "metadata": {"n": n, "big": 2**70, "deep": [{"a": None}]},
        "value": {"n": n} if n % 3 else None,
        "at": datetime(2024, 1, 1, 0, 0, n, tzinfo=UTC),
    }
    for n in range(50)
]


def test_a_large_batch_holds_what_single_adds_hold(store_url: str, tmp_path: Path, embedder: Embedder) -> None:
    now = datetime(2025, 1, 1, tzinfo=UTC)
    with (
        Memory(store_url, embedder=embedder, clock=lambda: now) as many,
        Memory(tmp_path / "one.db", embedder=embedder, clock=lambda: now) as single,
    ):
        ids = many.add(TURNS, user_id="u", ttl=3600)
        assert ids == [id for turn in TURNS for id in single.add(turn, user_id="u", ttl=3600)]
        assert list(many.get_all(user_id="u")) == list(single.get_all(user_id="u"))
        assert len(many.facts(user_id="u")) == len(single.facts(user_id="u")) > 0
        ours, theirs = many.vectors(ids, user_id="u"), single.vectors(ids, user_id="u")
        assert all(np.array_equal(ours[id], theirs[id]) for id in ids)
        assert many.verify().entries == single.verify().entries


def test_a_batch_that_breaks_a_key_is_an_error_of_ours_and_leaves_nothing(store_url: str, embedder: Embedder) -> None:
    with Memory(store_url, embedder=embedder) as memory:
        memory.add(TURNS, user_id="u")
        with memory.database.read() as connection:
            stored = [dict(row._mapping) for row in connection.execute(sa.select(records))]
        new = [row | {"key": row["key"] + 1000, "id": f"x{n}", "duplicate": None} for n, row in enumerate(stored)]
        with pytest.raises(StorageError):
            memory.database.write(lambda connection: bulk.insert(connection, records, [*new, stored[0]]))
        assert memory.count(user_id="u") == len(TURNS)
        memory.add("after", user_id="u")
        assert memory.count(user_id="u") == len(TURNS) + 1
