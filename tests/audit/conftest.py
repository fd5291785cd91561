"""A Memory on each kind of store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.conftest import FakeClock


@pytest.fixture
def memory(store_url: str, clock: FakeClock) -> Iterator[Memory]:
    with Memory(store_url, embedder=FakeEmbedder(), clock=clock) as memory:
        yield memory
