"""Many threads and processes on one store, and processes that die (cases K04-01, K06)."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from genome_core import Memory
from genome_core.errors import StorageError
from tests.faults.workers import fork, join, open_memory

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def test_processes_and_threads_lose_nothing(durable_store_url: str) -> None:
    open_memory(durable_store_url).close()

    def writer(name: str) -> None:
        with open_memory(durable_store_url) as memory, ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: memory.add(f"{name} wrote {n}", user_id=f"u{n % 3}"), range(100)))
            assert all(hit.record.text for hit in memory.search(f"{name} wrote", user_id="u1"))

    def reader() -> None:
        with open_memory(durable_store_url) as memory:
            seen = 0
            for _ in range(40):
                now = memory.count(namespace=())
                assert now >= seen
                seen = now
                memory.search("wrote", user_id="u0")

    children = [fork(lambda name=name: writer(name)) for name in ("p1", "p2", "p3", "p4")]  # type: ignore[misc]
    children += [fork(reader) for _ in range(2)]
    assert join(children) == [0] * 6
    with open_memory(durable_store_url) as memory:
        assert memory.count(namespace=()) == 400
        assert memory.verify().entries == 400
        found = memory.search("p3 wrote 7", user_id="u1", limit=1)
        assert found[0].record.text == "p3 wrote 7"


def test_racing_writers_store_the_same_words_once(store_url: str) -> None:
    with open_memory(store_url) as memory:
        barrier = threading.Barrier(16)

        def write(_: int) -> list[str]:
            barrier.wait()
            return memory.add("the very same words", user_id="u")

        with ThreadPoolExecutor(16) as pool:
            ids = list(pool.map(write, range(16)))
        assert len({id for [id] in ids}) == 1
        assert memory.count(user_id="u") == 1


def test_racing_processes_store_the_same_words_once(durable_store_url: str) -> None:
    open_memory(durable_store_url).close()

    def write() -> None:
        with open_memory(durable_store_url) as memory:
            for n in range(20):
                memory.add(f"the same words {n}", user_id="u")

    assert join([fork(write) for _ in range(3)]) == [0, 0, 0]
    with open_memory(durable_store_url) as memory:
        assert memory.count(user_id="u") == 20
        assert memory.stats().journal_entries == 20


def test_several_processes_may_open_a_new_store_at_once(sqlite_url: str) -> None:
    assert join([fork(lambda: open_memory(sqlite_url).close()) for _ in range(6)]) == [0] * 6
    with open_memory(sqlite_url) as memory:
        assert memory.stats().records == 0


def test_caches_of_another_process_are_brought_up_to_date(durable_store_url: str) -> None:
    with open_memory(durable_store_url) as memory:
        [id] = memory.add("the key is under the mat", user_id="u")
        assert memory.search("key", user_id="u")

        def change() -> None:
            with open_memory(durable_store_url) as other:
                other.update(id, text="the key is in the shed", user_id="u")
                other.add("a spare key is with Bob", user_id="u")

        assert join([fork(change)]) == [0]
        texts = {hit.record.text for hit in memory.search("key", user_id="u")}
        assert texts == {"the key is in the shed", "a spare key is with Bob"}

        def empty() -> None:
            with open_memory(durable_store_url) as other:
                other.reset()
                other.add([f"new beginning {n}" for n in range(5)], user_id="u")

        assert join([fork(empty)]) == [0]
        assert {hit.record.text for hit in memory.search("key beginning", user_id="u")} == {
            f"new beginning {n}" for n in range(5)
        }


def test_a_memory_survives_fork(durable_store_url: str) -> None:
    with open_memory(durable_store_url) as memory:
        memory.add("before the fork", user_id="u")

        def child() -> None:
            for n in range(50):
                memory.add(f"child {n}", user_id="u")
            os._exit(0)

        process = fork(child)
        for n in range(50):
            memory.add(f"parent {n}", user_id="u")
        assert join([process]) == [0]
        assert memory.count(user_id="u") == 101
        assert memory.verify().entries == 101


def test_killed_writers_leave_every_acknowledged_record(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_memory(str(path)).close()
    chance = random.Random(7)
    acknowledged: set[str] = set()
    for round in range(50):
        source, sink = os.pipe()

        def write(round: int = round, sink: int = sink) -> None:
            with open_memory(str(path)) as memory:
                for n in range(10_000):
                    memory.add([f"round {round} note {n}", f"round {round} twin of {n}"], user_id="u")
                    os.write(sink, f"{n}\n".encode())

        child = fork(write)
        os.close(sink)
        with os.fdopen(source) as lines:
            first = lines.readline()  # at least one write is acknowledged before the end comes
            time.sleep(chance.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            numbers = [first, *lines.readlines()]
        acknowledged |= {f"round {round} note {line.strip()}" for line in numbers if line.endswith("\n")}
    with open_memory(str(path)) as memory:
        stored = {record.text for record in memory.get_all(user_id="u", limit=1_000_000)}
        assert acknowledged <= stored
        twins = {text.replace("twin of", "note") for text in stored if "twin" in text}
        assert twins == {text for text in stored if "note" in text}, "a batch was written in half"
        assert memory.verify().entries == len(stored)
        assert memory.search("round 49 note 0", user_id="u", limit=1)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_writer_waits_and_then_raises_a_typed_error(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with open_memory(str(path), timeout=0.2) as memory:
        memory.add("x", user_id="u")
        holder = sqlite3.connect(path)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="lock"):
            memory.add("y", user_id="u")
        with pytest.raises(StorageError, match="lock"):
            memory.check_writable()
        assert memory.count(user_id="u") == 1, "readers do not wait for writers"
        holder.rollback()
        holder.close()
        memory.check_writable()
        memory.add("y", user_id="u")
        assert memory.count(user_id="u") == 2


def test_no_thread_and_no_file_is_left_behind(tmp_path: Path) -> None:
    before = threading.active_count()
    for _ in range(100):
        with open_memory(str(tmp_path / "memory.db")) as memory:
            memory.add("x", user_id="u")
            memory.search("x", user_id="u")
    assert threading.active_count() == before
    assert {file.name for file in tmp_path.iterdir()} <= {"memory.db", "memory.db-wal", "memory.db-shm"}


def test_two_writers_of_one_record_both_keep_their_change(store_url: str) -> None:
    with open_memory(store_url) as memory:
        memory.add("counter", id="c", user_id="u")

        def set_key(n: int) -> None:
            for _ in range(100):
                record = memory.get("c")
                assert record is not None
                try:
                    memory.update("c", metadata={**record.metadata, str(n): n}, if_version=record.version)
                except RuntimeError:
                    continue
                return
            raise AssertionError("never got through")

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(set_key, range(8)))
        record = memory.get("c")
        assert record is not None
        assert record.metadata == {str(n): n for n in range(8)}
        assert record.version == 9


def test_two_processes_writing_one_slot_leave_one_value_at_every_instant(durable_store_url: str) -> None:
    from datetime import UTC, datetime, timedelta

    start = datetime(2020, 1, 1, tzinfo=UTC)
    open_memory(durable_store_url).close()

    def write(odd: int) -> None:
        with open_memory(durable_store_url) as memory:
            for n in range(odd, 40, 2):
                memory.state("Ann", "home", f"city {n}", valid_from=start + timedelta(days=(n * 7) % 40), user_id="u")

    assert join([fork(lambda odd=odd: write(odd)) for odd in (0, 1)]) == [0, 0]  # type: ignore[misc]
    with open_memory(durable_store_url) as memory:
        windows = memory.timeline(user_id="u", subject="Ann", attribute="home")
        assert len(windows) == 40
        for day in range(41):
            moment = start + timedelta(days=day, hours=12)
            assert len(memory.facts(user_id="u", subject="Ann", attribute="home", at=moment)) == 1
        assert [window.ends for window in windows].count(None) == 1


def test_a_memory_is_shared_between_threads(memory_of_main_thread: Memory) -> None:
    memory = memory_of_main_thread

    def work(n: int) -> int:
        memory.add(f"thread note {n}", user_id="u")
        return len(memory.search("note", user_id="u", limit=100))

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(work, range(32)))
    assert max(seen) == 32
    assert memory.count(user_id="u") == 32


@pytest.fixture
def memory_of_main_thread(store_url: str) -> Iterator[Memory]:
    with open_memory(store_url) as memory:
        yield memory


def test_a_fork_while_other_threads_search_does_not_hang(store_url: str) -> None:
    with open_memory(store_url) as memory:
        memory.add([f"note {n}" for n in range(50)], user_id="u")
        stop = threading.Event()

        def search() -> None:
            while not stop.is_set():
                memory.search("note", user_id="u")
                memory.add("again", user_id="u")

        def child() -> None:
            signal.alarm(60)
            assert memory.search("note 7", user_id="u")

        threads = [threading.Thread(target=search) for _ in range(2)]
        for thread in threads:
            thread.start()
        codes = [join([fork(child)]) for _ in range(5)]
        stop.set()
        for thread in threads:
            thread.join()
        assert codes == [[0]] * 5
