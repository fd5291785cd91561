"""Whatever was done to a store, its journal verifies and says exactly what the tables hold."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.audit.histories import Act, histories, live_through
from tests.conftest import FakeClock

fresh = settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))


def opened(url: str) -> Memory:
    memory = Memory(url, embedder=FakeEmbedder(), clock=FakeClock())
    memory.reset()
    return memory


@fresh
@given(history=histories)
def test_the_journal_says_what_the_tables_hold(store_url: str, history: list[Act]) -> None:
    with opened(store_url) as memory:
        live_through(memory, history)
        report = memory.verify(deep=True)
        assert report.digest == memory.digest()
