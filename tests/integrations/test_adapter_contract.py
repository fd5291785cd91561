"""One scenario that every adapter passes, alone and with each of the others on one database.

The network is closed and no model is there: whatever asked for either would fail.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from genome_core import Memory
from genome_core.storage.database import Database
from genome_core.testing.embedders import FakeEmbedder
from tests.conftest import FakeClock
from tests.integrations.adapter_contract import (
    AFTER,
    APRIL,
    ASKED,
    BEFORE,
    CONVERSATION,
    FEBRUARY,
    HOME,
    JULY,
    PLANTED,
    TOLD,
    Driver,
)
from tests.integrations.drivers import DRIVERS

ROOT = Path(__file__).parent.parent.parent
FRAMEWORKS = sorted(DRIVERS)
PAIRS = [(writer, reader) for writer in FRAMEWORKS for reader in FRAMEWORKS]

Open = Callable[..., Driver]


@pytest.fixture(autouse=True)
def tried(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """No connection and no look-up of a name, and none tried; libpq, which speaks to PostgreSQL, is not Python's socket."""
    attempts: list[str] = []

    def refuse(*args: Any, **options: Any) -> Any:
        attempts.append(repr(args))
        raise OSError(f"the network is closed: {args}")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    yield attempts
    assert attempts == []


@pytest.fixture
def opened(database: Database, clock: FakeClock) -> Iterator[Open]:
    """Opens an adapter for a user, each on a ``Memory`` of its own, as in processes of their own."""
    test = uuid.uuid4().hex  # LangGraph's threads of another test are not emptied with the engine's tables
    with ExitStack() as stack:

        def open_one(framework: str, user: str = "ann", session: str = "monday") -> Driver:
            memory = stack.enter_context(Memory(database, embedder=FakeEmbedder(), clock=clock))
            return DRIVERS[framework](memory, user, f"{session} {test}")

        yield open_one


def tell_of_the_move(driver: Driver, clock: FakeClock) -> None:
    """Says where the user lives, and in June that it changed in March; then it is July."""
    for moment, text in TOLD:
        clock.set(moment)
        driver.tell(text)
    clock.set(JULY)


# --- alone -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_roles_tool_calls_and_order_survive(framework: str, opened: Open) -> None:
    opened(framework).keep(CONVERSATION)
    assert opened(framework).kept() == list(CONVERSATION)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_two_users_keep_the_same_session_apart(framework: str, opened: Open) -> None:
    opened(framework, "ann").keep(CONVERSATION)
    opened(framework, "an").keep(CONVERSATION[:2])
    assert opened(framework, "an").kept() == list(CONVERSATION[:2])
    assert opened(framework, "ann").kept() == list(CONVERSATION)


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_async_equals_sync(framework: str, opened: Open, clock: FakeClock) -> None:
    by_sync, by_async = opened(framework, "ann"), opened(framework, "bob")
    for moment, text in (*TOLD, (JULY, PLANTED)):
        clock.set(moment)
        by_sync.tell(text)
        clock.set(moment)
        await by_async.atell(text)
    answers: list[str] = []
    for at, told in ((None, 3), (FEBRUARY, 1), (APRIL, 1)):
        assert await by_async.arecall(ASKED, at) == by_async.recall(ASKED, at) == by_sync.recall(ASKED, at)
        assert len(by_sync.recall(ASKED, at)) == told
        assert await by_async.aanswer(HOME, at) == by_async.answer(HOME, at) == by_sync.answer(HOME, at)
        answers.append(by_sync.answer(HOME, at))
    assert [AFTER in answer for answer in answers] == [True, False, True]


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_conversation_kept_on_a_loop_is_the_one_kept_without(framework: str, opened: Open) -> None:
    await opened(framework, "ann").akeep(CONVERSATION)
    opened(framework, "bob").keep(CONVERSATION)
    for user in ("ann", "bob"):
        assert await opened(framework, user).akept() == opened(framework, user).kept() == list(CONVERSATION)


# --- all ordered pairs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("writer", "reader"), PAIRS)
def test_what_one_wrote_the_other_recalls(writer: str, reader: str, opened: Open) -> None:
    told = opened(writer)
    for text in ("The boiler was repaired.", PLANTED, "We sing on Tuesdays."):
        told.tell(text)
    assert opened(reader, session="friday").recall(ASKED)[0] == PLANTED


@pytest.mark.parametrize(("writer", "reader"), PAIRS)
def test_what_one_was_told_late_the_other_answers_as_of_any_time(
    writer: str, reader: str, opened: Open, clock: FakeClock
) -> None:
    tell_of_the_move(opened(writer), clock)
    asked = opened(reader, session="friday")
    assert AFTER in asked.answer(HOME)
    assert AFTER in asked.answer(HOME, APRIL)
    before = asked.answer(HOME, FEBRUARY)
    assert BEFORE in before
    assert AFTER not in before
    assert asked.recall(HOME, APRIL) == [TOLD[0][1]]  # in April nobody had said so yet


@pytest.mark.parametrize("writer", FRAMEWORKS)
def test_what_was_known_before_the_change_was_told_is_known(writer: str, opened: Open, clock: FakeClock) -> None:
    told = opened(writer)
    tell_of_the_move(told, clock)
    assert told.memory.ask(HOME, at=APRIL, known_at=APRIL, user_id="ann").value == BEFORE
    assert told.memory.ask(HOME, at=APRIL, user_id="ann").value == AFTER


@pytest.mark.parametrize(("writer", "reader"), PAIRS)
def test_two_tenants_never_meet(writer: str, reader: str, opened: Open, clock: FakeClock) -> None:
    tell_of_the_move(opened(writer, "ann"), clock)
    for stranger in ("an", "anna", "bob", "ANN"):
        asked = opened(reader, stranger)
        assert asked.recall(HOME) == []
        assert BEFORE not in asked.answer(HOME)
        assert AFTER not in asked.answer(HOME)


@pytest.mark.parametrize("writer", FRAMEWORKS)
def test_what_one_forgot_in_its_own_way_is_gone_for_all(writer: str, opened: Open, clock: FakeClock) -> None:
    for user in ("ann", "bob"):
        tell_of_the_move(opened(writer, user), clock)
    readers = {user: [opened(name, user, "friday") for name in FRAMEWORKS] for user in ("ann", "bob")}
    for reader in (*readers["ann"], *readers["bob"]):
        assert reader.recall(HOME)  # indexes and caches are warm

    opened(writer, "ann").forget()

    for reader in readers["ann"]:
        assert reader.recall(HOME) == []
        answered = reader.answer(HOME)
        assert BEFORE not in answered
        assert AFTER not in answered
    for reader in readers["bob"]:
        assert len(reader.recall(HOME)) == len(TOLD)
        assert AFTER in reader.answer(HOME)


@pytest.mark.parametrize("eraser", FRAMEWORKS)
def test_what_one_erased_is_gone_for_all(eraser: str, opened: Open, clock: FakeClock) -> None:
    users = {user: {name: opened(name, user, name) for name in FRAMEWORKS} for user in ("ann", "bob")}
    for drivers in users.values():
        for driver in drivers.values():
            tell_of_the_move(driver, clock)
            driver.keep(CONVERSATION)
    for driver in users["ann"].values():
        assert driver.recall(HOME)  # indexes and caches are warm

    users["ann"][eraser].memory.erase(user_id="ann", reason="asked for by Ann")

    for name in FRAMEWORKS:
        assert users["ann"][name].kept() == []
        assert users["bob"][name].kept()[-len(CONVERSATION) :] == list(CONVERSATION)
        assert users["ann"][name].recall(HOME) == []
        assert AFTER not in users["ann"][name].answer(HOME)
        assert {text for _, text in TOLD} <= set(users["bob"][name].recall(HOME))
        assert AFTER in users["bob"][name].answer(HOME)


# --- again, later ----------------------------------------------------------------------------------------------------


def write_all(store: str, clock: FakeClock) -> None:
    """Each adapter writes for a user of its own, into a store that is closed afterwards."""
    for framework in FRAMEWORKS:
        with Memory(store, embedder=FakeEmbedder(), clock=clock) as memory:
            DRIVERS[framework](memory, f"{framework}'s").keep(CONVERSATION)
            tell_of_the_move(DRIVERS[framework](memory, f"{framework}'s", "tuesday"), clock)


def all_that_is_read(store: str) -> dict[str, list[Any]]:
    """What each adapter reads of what each wrote, from a store that is opened for it."""
    found: dict[str, list[Any]] = {}
    with Memory(store, embedder=FakeEmbedder(), clock=FakeClock(JULY)) as memory:
        for writer in FRAMEWORKS:
            user = f"{writer}'s"
            found[writer] = [len(DRIVERS[writer](memory, user).kept())]
            for reader in FRAMEWORKS:
                driver = DRIVERS[reader](memory, user, "friday")
                homes = [city for at in (FEBRUARY, None) for city in (BEFORE, AFTER) if city in driver.answer(HOME, at)]
                found[writer].append([reader, driver.recall("I moved to Oslo")[0], homes[0], homes[-1]])
    return found


EXPECTED = {
    writer: [len(CONVERSATION), *([reader, TOLD[1][1], BEFORE, AFTER] for reader in FRAMEWORKS)]
    for writer in FRAMEWORKS
}


def test_all_is_there_when_the_store_is_opened_again(durable_store_url: str, clock: FakeClock) -> None:
    write_all(durable_store_url, clock)
    assert all_that_is_read(durable_store_url) == EXPECTED


def test_all_is_there_in_another_process(sqlite_url: str, postgres_url: str, clock: FakeClock) -> None:
    stores = [sqlite_url, postgres_url]
    for store in stores:
        write_all(store, clock)
    program = (
        "import json, sys; from tests.integrations.test_adapter_contract import all_that_is_read;"
        "print(json.dumps([all_that_is_read(store) for store in sys.argv[1:]]))"
    )
    paths = os.pathsep.join([str(ROOT), str(ROOT / "integrations")])
    environment = os.environ | {"PYTHONPATH": paths}
    command = [sys.executable, "-c", program, *stores]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [EXPECTED, EXPECTED]
