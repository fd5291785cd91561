"""Every verb reads, changes and deletes in its own scope only, whatever lies beside it in one file (cases K01-10, K01-13, K03-03)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genome_core import Memory
from genome_core.errors import NotFound
from genome_core.protocols import Embedder

USERS = ("ann", "ann2", "bob")


def fill(memory: Memory) -> None:
    for user in USERS:
        memory.add(
            [{"content": f"the secret of {user} is number {n}", "id": f"{user}-{n}"} for n in range(5)], user_id=user
        )
        memory.add("the same words", id="shared", user_id=user)
        memory.state(user, "home", f"city of {user}", user_id=user)


def everything(memory: Memory, user: str) -> Any:
    """All that any verb tells of a user's memory."""
    records = memory.get_all(user_id=user, limit=1000).records
    ids = [record.id for record in records]
    return (
        records,
        {id: vectors.tolist() for id, vectors in memory.vectors(ids, user_id=user).items()},
        [(hit.record, hit.score) for hit in memory.search("secret number", user_id=user, mode="lexical", limit=100)],
        [(hit.record, hit.score) for hit in memory.search("secret number", user_id=user, mode="dense", limit=100)],
        [memory.history(id, user_id=user) for id in ids],
        memory.fact_log(user_id=user),
        memory.count(user_id=user),
    )


READS: dict[str, Callable[[Memory], Any]] = {
    "lexical": lambda memory: memory.search("secret of bob", user_id="ann", mode="lexical", limit=100, expand=5),
    "dense": lambda memory: memory.search("secret of bob", user_id="ann", mode="dense", limit=100, expand=5),
    "newest": lambda memory: memory.search("", user_id="ann", limit=100),
    "explain": lambda memory: memory.explain("secret of bob", user_id="ann"),
    "context": lambda memory: memory.context("secret of bob", user_id="ann"),
    "get": lambda memory: memory.get("bob-1", user_id="ann"),
    "get_many": lambda memory: memory.get_many(["bob-1", "shared"], user_id="ann"),
    "get_all": lambda memory: memory.get_all(user_id="ann", limit=1000).records,
    "filter": lambda memory: memory.get_all(user_id="ann", filter=lambda record: True).records,
    "history": lambda memory: [memory.history(id, user_id="ann") for id in ("bob-1", "shared")],
    "vectors": lambda memory: list(memory.vectors(["bob-1", "ann2-1"], user_id="ann")),
    "namespaces": lambda memory: memory.namespaces(user_id="ann"),
    "fact_log": lambda memory: memory.fact_log(user_id="ann"),
    "timeline": lambda memory: memory.timeline(user_id="ann"),
    "conflicts": lambda memory: memory.conflicts(user_id="ann"),
    "ask": lambda memory: memory.ask("Where does bob live?", user_id="ann"),
}


@pytest.mark.parametrize("read", READS)
def test_no_read_shows_anything_of_a_neighbour(memory: Memory, read: str) -> None:
    fill(memory)
    told = repr(READS[read](memory)).replace("secret of bob", "").replace("does bob live", "")
    assert "user:bob" not in told
    assert "user:ann2" not in told
    assert "city of bob" not in told


CHANGES: dict[str, Callable[[Memory], Any]] = {
    "delete": lambda memory: memory.delete("shared", user_id="ann"),
    "delete_many": lambda memory: memory.delete_many(["bob-1", "ann2-1", "shared"], user_id="ann"),
    "delete_all": lambda memory: memory.delete_all(user_id="ann"),
    "delete_all by filter": lambda memory: memory.delete_all(user_id="ann", filter=lambda record: True),
    "update": lambda memory: memory.update("shared", text="changed", user_id="ann"),
    "renew": lambda memory: memory.renew(["shared", "bob-1"], 5, user_id="ann"),
    "retract": lambda memory: memory.retract("bob", "home", user_id="ann"),
    "add over": lambda memory: memory.add("changed", id="shared", user_id="ann"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_change_touches_a_neighbour(memory: Memory, change: str) -> None:
    fill(memory)
    before = [everything(memory, user) for user in USERS[1:]]
    mine = everything(memory, "ann")
    CHANGES[change](memory)
    assert [everything(memory, user) for user in USERS[1:]] == before
    assert everything(memory, "ann") != mine


def test_another_users_id_can_not_be_changed(memory: Memory) -> None:
    fill(memory)
    with pytest.raises(NotFound):
        memory.update("bob-1", text="mine now", user_id="ann")
    assert memory.delete("bob-1", user_id="ann") is False
    assert memory.get("bob-1", user_id="bob") is not None


def test_an_export_of_a_scope_holds_that_scope_only(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    path = tmp_path / "ann.jsonl"
    assert memory.export(path, user_id="ann") == 6
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    assert {tuple(line["namespace"]) for line in lines} == {("user:ann",)}


def test_two_agents_in_one_file_do_not_hear_each_other(durable_store_url: str, embedder: Embedder) -> None:
    with Memory(durable_store_url, embedder=embedder) as one, Memory(durable_store_url, embedder=embedder) as other:
        one.add("the code of the first safe is 17", user_id="u", agent_id="a1")
        other.add("the code of the second safe is 42", user_id="u", agent_id="a2")
        for memory in (one, other):
            first = memory.search("code of the safe", user_id="u", agent_id="a1")
            second = memory.search("code of the safe", user_id="u", agent_id="a2")
            assert [hit.record.text for hit in first] == ["the code of the first safe is 17"]
            assert [hit.record.text for hit in second] == ["the code of the second safe is 42"]
