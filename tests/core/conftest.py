"""A Memory on each kind of store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from genome_core import Memory
from genome_core.protocols import Embedder
from tests.conftest import FakeClock


@pytest.fixture
def memory(store_url: str, embedder: Embedder, clock: FakeClock) -> Iterator[Memory]:
    """A Memory with a settable clock, on a SQLite file, in memory and on PostgreSQL."""
    with Memory(store_url, embedder=embedder, clock=clock) as memory:
        yield memory
