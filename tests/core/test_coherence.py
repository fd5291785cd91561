"""A process that has seen every change answers as one that has just opened the store; explain tells what search does (case K06-06)."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from genome_core import Memory
from genome_core.protocols import Embedder, Vectors
from genome_core.testing.embedders import FakeEmbedder
from genome_core.types import Signal

START = datetime(2024, 1, 1, tzinfo=UTC)
QUESTIONS = ("tea 5", "long coffee", "What is in the long word?")


def rounded(signals: Sequence[Signal]) -> list[tuple[str, float, float, str]]:
    # The last bits of a large product depend on where a row stands; scores are rounded for that reason.
    return [(one.name, round(one.value, 5), round(one.part, 5), one.detail) for one in signals]


def answers(memory: Memory) -> Any:
    return [
        [
            (hit.record, hit.score, rounded(hit.signals), hit.before, hit.after)
            for hit in memory.search(question, user_id="u", mode=mode, limit=30, expand=2)
        ]
        for question in QUESTIONS
        for mode in ("hybrid", "dense", "lexical")
    ]


def change(memory: Memory, chance: random.Random) -> None:
    ids = [record.id for record in memory.get_all(user_id="u", limit=1000)]
    at = START + timedelta(hours=chance.randint(0, 40))
    kind = chance.random()
    if kind < 0.6 or not ids:
        text = f"tea {chance.randint(0, 99)} {'long word ' * chance.choice([0, 0, 0, 200])}"
        role = chance.choice(["user", "assistant"])
        memory.add({"content": text, "role": role, "at": at}, user_id="u", run_id=chance.choice(["r1", "r2"]))
    elif kind < 0.8:
        memory.delete(chance.choice(ids))
    else:
        memory.update(chance.choice(ids), text=f"coffee {chance.randint(0, 99)}", at=at)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_long_running_process_answers_as_a_fresh_one(durable_store_url: str, embedder: Embedder, seed: int) -> None:
    chance = random.Random(seed)
    with Memory(durable_store_url, embedder=embedder, extractor=None) as memory:
        answers(memory)
        for n in range(60):
            change(memory, chance)
            if n % 15 == 0:
                with Memory(durable_store_url, embedder=embedder) as fresh:
                    assert answers(memory) == answers(fresh)


def test_parallel_calls_on_one_memory_leave_a_valid_store(memory: Memory, embedder: Embedder) -> None:
    faults: list[str] = []

    def work(caller: int) -> None:
        try:
            for n in range(8):
                ids = memory.add([f"tea of {caller} in round {n} part {part}" for part in range(3)], user_id="u")
                hits = memory.search("tea", user_id="u", limit=20, expand=1)
                if len({hit.record.id for hit in hits}) != len(hits):
                    faults.append("a hit stands twice")
                memory.delete(ids[0], user_id="u")
                memory.update(ids[1], text=f"coffee of {caller} in round {n}", user_id="u")
        except Exception as error:  # noqa: BLE001 -- an error of a thread must fail the test
            faults.append(repr(error))

    callers = [threading.Thread(target=work, args=(caller,)) for caller in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert faults == []
    assert memory.count(user_id="u") == 8 * 8 * 2
    assert memory.verify().entries == 8 * 8 * 5
    seen = answers(memory)
    with Memory(memory.database, embedder=embedder) as fresh:
        assert seen == answers(fresh)


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_explain_gives_the_scores_and_ranks_of_search(memory: Memory, mode: Any) -> None:
    memory.add(
        [
            {"content": f"tea number {n} {'long ' * (n % 7 * 60)}", "name": "Ann" if n % 2 else "Bob", "id": f"{n}"}
            for n in range(40)
        ],
        user_id="u",
    )
    for question in ("tea number 7", "What did Ann say in January 2025?", "long"):
        for threshold in (None, 0.2):
            asked: dict[str, Any] = {"mode": mode, "threshold": threshold, "limit": 9, "user_id": "u"}
            hits = [(hit.record, hit.score, hit.signals) for hit in memory.search(question, **asked)]
            explained = memory.explain(question, **asked)
            ranked = sorted((one for one in explained if one.rank), key=lambda one: one.rank or 0)
            assert [(one.record, one.score, one.signals) for one in ranked] == hits
            assert [one.rank for one in ranked] == list(range(1, len(hits) + 1))
            assert all(one.left_out for one in explained if not one.rank)


class _Interrupted(FakeEmbedder):
    """Something happens while it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: list[Callable[[], object]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        while self.meanwhile:
            self.meanwhile.pop()()
        return super().embed(texts)


def test_what_others_write_while_a_record_is_embedded_is_met(durable_store_url: str) -> None:
    slow = _Interrupted()
    with (
        Memory(durable_store_url, embedder=slow) as memory,
        Memory(durable_store_url, embedder=FakeEmbedder()) as other,
    ):
        memory.add("It is Monday.", user_id="u")
        slow.meanwhile.append(lambda: other.add("I drink tea.", user_id="u"))
        assert memory.add("I drink tea.", user_id="u") == [other.get_all(user_id="u").records[1].id]
        slow.meanwhile.append(lambda: other.add("I live in Oslo.", id="home", user_id="u"))
        memory.add("I live in Rome.", id="home", user_id="u")
        found = memory.get("home", user_id="u")
        assert found is not None
        assert (found.text, found.version) == ("I live in Rome.", 2)
        assert memory.count(user_id="u") == 3
        assert memory.verify(deep=True)


def test_the_words_of_a_changed_record_are_stored_once_again(memory: Memory) -> None:
    [changed] = memory.add("I live in Leeds.", user_id="u")
    memory.update(changed, text="I live in York.", user_id="u")
    [again] = memory.add("I live in Leeds.", user_id="u")
    assert memory.add(["I live in Leeds.", "I live in Leeds."], user_id="u") == [again, again]
    memory.delete(changed, user_id="u")
    assert memory.add("I live in Leeds.", user_id="u") == [again]
    assert memory.count(user_id="u") == 1
    assert [version.op for version in memory.history(changed, user_id="u")] == ["add", "update", "delete"]
    assert memory.verify(deep=True)
