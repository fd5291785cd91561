"""A store that many examples of a property test use in turn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.conftest import FakeClock


@pytest.fixture
def memory(store_url: str) -> Iterator[Memory]:
    with Memory(store_url, embedder=FakeEmbedder(), clock=FakeClock()) as memory:
        yield memory
