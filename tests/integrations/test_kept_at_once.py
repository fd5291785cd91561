"""What an adapter's call has stored is there, whatever becomes of the process (K05-03, K05-04, K05-10)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.integrations.adapter_contract import ASKED, CONVERSATION, PLANTED
from tests.integrations.drivers import DRIVERS

ROOT = Path(__file__).parent.parent.parent
PROGRAM = """
import asyncio, os, signal, sys
from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.integrations.adapter_contract import CONVERSATION, PLANTED
from tests.integrations.drivers import DRIVERS

memory = Memory(sys.argv[1], embedder=FakeEmbedder())
for framework in DRIVERS:
    DRIVERS[framework](memory, framework).keep(CONVERSATION)

async def main():
    for framework in DRIVERS:
        await DRIVERS[framework](memory, framework, "tuesday").atell(PLANTED)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.fixture
def left_behind(durable_store_url: str) -> str:
    """A store in which every adapter stored something, sync and async, by a process that was killed right after."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "integrations")])}
    command = [sys.executable, "-c", PROGRAM, durable_store_url]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == -9, done.stderr
    return durable_store_url


def test_nothing_is_lost_when_the_process_is_killed_after_a_call(left_behind: str) -> None:
    with Memory(left_behind, embedder=FakeEmbedder()) as memory:
        for framework, driver in DRIVERS.items():
            assert driver(memory, framework).kept() == list(CONVERSATION)
            assert driver(memory, framework, "friday").recall(ASKED)[0] == PLANTED
        memory.verify()
