"""``GenomeSaver`` on event loops: whose turn it is, and whom nobody waits for."""

from __future__ import annotations

import asyncio
import gc
import os
import sqlite3
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from genome_langgraph import GenomeSaver
from genome_langgraph.serializer import CheckpointSerializer

from tests.integrations.langgraph.saver_helpers import at, make_checkpoint, put

ROOT = Path(__file__).parents[3]
TASK = "00000000-0000-0000-0000-000000000001"


class Meeting(CheckpointSerializer):
    """Gives others that are on their way time to come in, and notes how many calls it met at once."""

    def __init__(self) -> None:
        super().__init__()
        self.most = 0
        self.begun = threading.Event()
        self._inside = 0
        self._lock = threading.Lock()

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        with self._lock:
            self._inside += 1
            self.most = max(self.most, self._inside)
        self.begun.set()
        threading.Event().wait(0.005)
        with self._lock:
            self._inside -= 1
        return super().dumps_typed(obj)


@pytest.fixture
def saver(store_url: str) -> Iterator[GenomeSaver]:
    with GenomeSaver(store_url, serde=Meeting()) as saver:
        yield saver


async def put_many(saver: GenomeSaver, prefix: str = "t") -> None:
    calls = [saver.aput(at(f"{prefix}{number}"), make_checkpoint({"a": 1}), {}, {"a": "1"}) for number in range(20)]
    await asyncio.gather(*calls)


async def test_many_calls_on_one_loop_take_turns(saver: GenomeSaver) -> None:
    await put_many(saver)
    at_most = 4 if saver.database.is_postgres else 1
    assert saver.serde.most <= at_most  # type: ignore[attr-defined]
    assert len(list(saver.list(None))) == 20


def test_loops_take_turns_each_for_itself_and_are_not_kept(saver: GenomeSaver) -> None:
    loops = []

    async def use(prefix: str) -> None:
        loops.append(weakref.ref(asyncio.get_running_loop()))
        await put_many(saver, prefix)

    threads = [threading.Thread(target=lambda name=name: asyncio.run(use(name))) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(saver.list(None))) == 40
    gc.collect()
    assert [loop() for loop in loops] == [None, None]


async def test_a_cancelled_call_gives_its_turn_away(saver: GenomeSaver) -> None:
    calls = [asyncio.create_task(put_many(saver, prefix)) for prefix in "abc"]
    await asyncio.sleep(0.01)
    for call in calls[:2]:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    assert len([one for one in saver.list(None) if one.config["configurable"]["thread_id"].startswith("c")]) == 20


async def test_a_reader_does_not_wait_for_a_writer_that_waits_for_another_process(tmp_path: Path) -> None:
    with GenomeSaver(tmp_path / "agent.db") as saver:
        config = put(saver, at("t"), {"a": 1})
        with closing(sqlite3.connect(tmp_path / "agent.db")) as other:
            other.execute("BEGIN IMMEDIATE")
            writing = asyncio.create_task(saver.aput_writes(config, [("a", 2)], TASK))
            await asyncio.sleep(0.05)
            found = await saver.aget_tuple(config)
            assert found is not None
            assert found.pending_writes == []
            assert not writing.done()
        await writing
        found = await saver.aget_tuple(config)
        assert found is not None
        assert found.pending_writes == [(TASK, "a", 2)]


async def test_a_node_may_wait_for_the_loop_from_another_thread(saver: GenomeSaver) -> None:
    """A tool in a thread that asks the saver through the loop, as sync code in async graphs does."""
    config = put(saver, at("t"), {"a": 1})
    loop = asyncio.get_running_loop()

    def tool(number: int) -> Any:
        saver.put_writes(config, [("a", number)], f"sync{number}")
        asyncio.run_coroutine_threadsafe(saver.aput_writes(config, [("a", number)], f"async{number}"), loop).result()
        return asyncio.run_coroutine_threadsafe(saver.aget_tuple(config), loop).result()

    found = await asyncio.gather(*(asyncio.to_thread(tool, number) for number in range(3)))
    assert all(one is not None and len(one.pending_writes) >= 2 for one in found)


async def test_nodes_that_take_all_threads_of_the_loop_keep_nobody_from_saving(saver: GenomeSaver) -> None:
    loop = asyncio.get_running_loop()
    end = threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    slow = asyncio.create_task(asyncio.to_thread(end.wait))
    await put_many(saver)
    assert not slow.done()
    end.set()
    await slow


async def test_what_was_begun_is_stored_when_the_saver_is_closed(durable_store_url: str) -> None:
    serde = Meeting()
    async with GenomeSaver(durable_store_url, serde=serde) as saver:
        writing = asyncio.create_task(saver.aput(at("t"), make_checkpoint({"a": 1}), {}, {"a": "1"}))
        await asyncio.to_thread(serde.begun.wait)
        writing.cancel()
    with GenomeSaver(durable_store_url) as saver:
        assert saver.get_tuple(at("t")) is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_process_uses_the_saver_async_and_both_end(durable_store_url: str) -> None:
    script = f"""
import asyncio, os, sys
from genome_langgraph import GenomeSaver
from tests.integrations.langgraph.saver_helpers import at, counting

saver = GenomeSaver({durable_store_url!r})
graph = counting(saver)
asyncio.run(graph.ainvoke({{"steps": [], "total": 0}}, at("parent")))
child = os.fork()
found = asyncio.run(graph.ainvoke({{"steps": [], "total": 0}}, at("parent" if child else "child")))
assert found["steps"] == ["one", "two"] * (2 if child else 1)
if child:
    assert os.waitpid(child, 0)[1] == 0
    assert graph.get_state(at("child")).values["steps"] == ["one", "two"]
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)
