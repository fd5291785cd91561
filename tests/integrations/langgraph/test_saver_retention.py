"""What ``GenomeSaver`` deletes, keeps and copies."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from genome_langgraph import GenomeSaver
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from genome_core.errors import InvalidInput
from tests.conftest import FakeClock
from tests.integrations.langgraph.saver_helpers import TABLES, at, make_checkpoint, put, rows

TASK = "00000000-0000-0000-0000-000000000001"
LARGE = list(range(10_000))


@pytest.fixture
def saver(store_url: str, clock: FakeClock) -> Iterator[GenomeSaver]:
    with GenomeSaver(store_url, clock=clock) as saver:
        yield saver


def grow(saver: GenomeSaver, thread_id: str, steps: int, checkpoint_ns: str = "", **metadata: Any) -> RunnableConfig:
    """A thread in which one channel changes at each step, one never does, and each step has a write."""
    config = at(thread_id, checkpoint_ns=checkpoint_ns)
    for step in range(steps):
        values = {"step": step, "log": LARGE[: 2000 + 500 * step], "fixed": "x"}
        versions = {"step": str(step), "log": str(step), "fixed": "0"}
        new = versions if step == 0 else {"step": str(step), "log": str(step)}
        config = put(saver, config, values, versions, new, step=step, **metadata)
        saver.put_writes(config, [("step", step + 1)], TASK)
    return config


def state(saver: GenomeSaver, config: RunnableConfig) -> dict[str, Any]:
    found = saver.get_tuple(config)
    assert found is not None
    return found.checkpoint["channel_values"]


# Deleting


async def test_deleting_a_thread_removes_all_its_rows_and_no_others(saver: GenomeSaver) -> None:
    grow(saver, "t", 3)
    before = rows(saver)
    for delete in (saver.delete_thread, saver.adelete_thread):
        grow(saver, "gone", 3)
        grow(saver, "gone", 2, "child:1")
        saver.put_writes(at("gone", "no-such-checkpoint"), [("a", 1)], TASK)
        saver.set_ttl("gone", timedelta(days=1))
        if (waiting := delete("gone")) is not None:
            await waiting
        assert rows(saver) == before
        saver.delete_thread("unknown")
    assert state(saver, at("t"))["step"] == 2


def test_deleting_runs_keeps_other_checkpoints_restorable(saver: GenomeSaver) -> None:
    first = grow(saver, "t", 2, run_id="r1")
    second = put(saver, first, {"step": 9, "fixed": "x"}, {"step": "9", "fixed": "0"}, {"step": "9"}, run_id="r2")
    third = put(saver, second, {"step": 10, "fixed": "x"}, {"step": "10", "fixed": "0"}, {"step": "10"}, run_id="r3")
    saver.delete_for_runs(["r1", "r2", "unknown"])
    (left,) = saver.list(at("t"))
    assert left.config == third
    assert left.parent_config is None
    assert left.checkpoint["channel_values"] == {"step": 10, "fixed": "x"}
    assert rows(saver) == dict.fromkeys(TABLES, 0) | {"langgraph_threads": 1, "langgraph_checkpoints": 1}
    with pytest.raises(TypeError):
        saver.delete_for_runs("r3")


# Copying


def test_a_copy_is_complete_and_independent(saver: GenomeSaver) -> None:
    config = grow(saver, "t", 4)
    grow(saver, "t", 1, "child:1")
    saver.copy_thread("t", "copy")
    originals, copies = (
        list(saver.list({"configurable": {"thread_id": "t"}})),
        list(saver.list({"configurable": {"thread_id": "copy"}})),
    )
    assert [one.checkpoint for one in copies] == [one.checkpoint for one in originals]
    assert [one.pending_writes for one in copies] == [one.pending_writes for one in originals]
    saver.delete_thread("t")
    assert state(saver, at("copy"))["log"] == LARGE[:3500]
    parent = saver.get_tuple(at("copy", config["configurable"]["checkpoint_id"]))
    assert parent is not None
    assert parent.parent_config is not None
    assert parent.parent_config["configurable"]["thread_id"] == "copy"


def test_a_thread_is_not_copied_into_one_that_has_checkpoints(saver: GenomeSaver) -> None:
    grow(saver, "t", 2)
    grow(saver, "u", 1)
    before = rows(saver)
    with pytest.raises(InvalidInput, match="has checkpoints"):
        saver.copy_thread("t", "u")
    saver.copy_thread("t", "t")
    saver.copy_thread("unknown", "new")
    assert rows(saver) == before


# Pruning


def test_keep_latest_keeps_the_state_and_drops_everything_older(saver: GenomeSaver) -> None:
    head = grow(saver, "t", 6)
    expected = saver.get_tuple(head)
    saver.put_writes(at("t", "00000000-older-than-all"), [("a", 1)], TASK)
    saver.prune(["t", "unknown"])
    (left,) = saver.list(at("t"))
    assert expected is not None
    assert left == expected._replace(parent_config=None)
    kept_pieces = (len(str(LARGE[:4500])) // 1800) + 1
    assert rows(saver)["langgraph_chunks"] <= kept_pieces
    assert rows(saver) | {"langgraph_chunks": 0} == {
        "langgraph_threads": 1,
        "langgraph_checkpoints": 1,
        "langgraph_values": 1,
        "langgraph_chunks": 0,
        "langgraph_writes": 1,
    }
    follower = put(saver, head, left.checkpoint["channel_values"], {"step": "5", "log": "5", "fixed": "0"}, {})
    assert state(saver, follower)["log"] == LARGE[:4500]


def test_keep_latest_works_per_namespace_and_drops_finished_subgraph_calls(saver: GenomeSaver) -> None:
    old_root = grow(saver, "t", 1)
    old_call = {"": old_root["configurable"]["checkpoint_id"]}
    grow(saver, "t", 2, "agent:old-call", parents=old_call)
    grow(saver, "t", 2, "stateful", parents=old_call)
    new_root = put(saver, old_root, {"step": 1})
    grow(saver, "t", 2, "agent:new-call", parents={"": new_root["configurable"]["checkpoint_id"]})
    grow(saver, "t", 2, "agent:unsaved-root", parents={"": "not-stored-yet"})
    saver.prune(["t"])
    left = {
        (one.config["configurable"]["checkpoint_ns"], one.metadata["step"])
        for one in saver.list({"configurable": {"thread_id": "t"}})
    }
    assert left == {("", 1), ("stateful", 1), ("agent:new-call", 1), ("agent:unsaved-root", 1)}


def test_writes_that_arrived_before_their_checkpoint_survive_a_prune(saver: GenomeSaver) -> None:
    head = grow(saver, "t", 2)
    coming = make_checkpoint({"step": 3})
    saver.put_writes(at("t", coming["id"]), [("step", 4)], TASK)
    saver.prune(["t"])
    saver.put(head, coming, {}, {"step": "1"})
    found = saver.get_tuple(at("t"))
    assert found is not None
    assert found.pending_writes == [(TASK, "step", 4)]


def test_bad_arguments_of_prune_change_nothing(saver: GenomeSaver) -> None:
    grow(saver, "t", 2)
    before = rows(saver)
    with pytest.raises(InvalidInput, match="keep_latest"):
        saver.prune(["t"], strategy="keep_newest")
    with pytest.raises(InvalidInput):
        saver.prune([], strategy="keep_newest")
    with pytest.raises(TypeError):
        saver.prune("t")
    saver.prune([])
    assert rows(saver) == before


def test_prune_idle_takes_the_threads_without_a_new_checkpoint(saver: GenomeSaver, clock: FakeClock) -> None:
    grow(saver, "old", 3)
    grow(saver, "busy", 3)
    clock.advance(timedelta(days=40))
    put(saver, at("busy"), {"step": 4})
    assert saver.prune_idle(timedelta(days=30), strategy="keep_latest") == 1
    assert len(list(saver.list(at("old")))) == 1
    assert saver.prune_idle(timedelta(days=30)) == 1
    assert {one.config["configurable"]["thread_id"] for one in saver.list(None)} == {"busy"}
    with pytest.raises(InvalidInput):
        saver.prune_idle(timedelta(days=30), strategy="all")


async def test_a_time_to_live_is_the_savers_or_the_threads_own(saver: GenomeSaver, clock: FakeClock) -> None:
    for thread_id in ("default", "short", "long", "reset"):
        grow(saver, thread_id, 2)
    assert saver.sweep_ttl() == 0
    saver.set_ttl("short", timedelta(minutes=5))
    saver.set_ttl("long", timedelta(days=365))
    await saver.aset_ttl("reset", timedelta(minutes=5))
    await saver.aset_ttl("reset", None)
    clock.advance(timedelta(minutes=6))
    assert await saver.asweep_ttl() == 1
    assert saver.get_tuple(at("short")) is None
    saver.ttl = timedelta(hours=1)
    put(saver, at("reset"), {"step": 1})
    clock.advance(timedelta(minutes=59))
    assert saver.sweep_ttl() == 1
    assert {one.config["configurable"]["thread_id"] for one in saver.list(None)} == {"long", "reset"}


# DeltaChannel


def delta_thread(saver: GenomeSaver, snapshots: set[int], steps: int, thread_id: str = "t", **metadata: Any) -> Any:
    """A chain in which the channel "log" is stored at the snapshots only; each step writes its number."""
    config = at(thread_id)
    configs = []
    for step in range(steps):
        values: dict[str, Any] = {"plain": step}
        if step in snapshots:
            values["log"] = _DeltaSnapshot(list(range(step)))
        versions = {"plain": str(step), "log": str(step)}
        counters = {} if step in snapshots else {"counters_since_delta_snapshot": {"log": (1, 1)}}
        new = {channel: versions[channel] for channel in values}
        config = put(saver, config, values, versions, new, step=step, **counters, **metadata)
        saver.put_writes(config, [("log", step), ("plain", step)], TASK)
        configs.append(config)
    return configs


def replay(saver: GenomeSaver, config: RunnableConfig) -> list[int]:
    """The value of "log" as the runtime rebuilds it."""
    stored = state(saver, config).get("log")
    if stored is not None:
        return list(stored.value)
    history = saver.get_delta_channel_history(config=config, channels=["log"])["log"]
    seed = history.get("seed", _DeltaSnapshot([]))
    return [*seed.value, *(value for _, _, value in history["writes"])]


@pytest.mark.parametrize("snapshots", [set(), {0}, {3}, {3, 7}, {9}])
def test_delta_history_is_the_seed_and_the_writes_since(saver: GenomeSaver, snapshots: set[int]) -> None:
    for step, config in enumerate(delta_thread(saver, snapshots, 10)):
        assert replay(saver, config) == list(range(step))


def test_delta_history_walks_parents_over_many_pages_and_not_into_other_branches(saver: GenomeSaver) -> None:
    configs = delta_thread(saver, {2}, 300)
    fork = put(saver, configs[10], {"plain": -1}, {"plain": "f", "log": "f"}, {"plain": "f"}, step=11)
    assert replay(saver, configs[-1]) == list(range(299))
    assert replay(saver, fork) == list(range(11))


def test_delta_history_without_an_id_starts_at_the_latest(saver: GenomeSaver) -> None:
    delta_thread(saver, {0}, 4)
    history = saver.get_delta_channel_history(config=at("t"), channels=["log", "unknown"])
    assert [value for *_, value in history["log"]["writes"]] == [0, 1, 2]
    assert history["unknown"] == {"writes": []}
    assert saver.get_delta_channel_history(config=at("unknown"), channels=["log"]) == {"log": {"writes": []}}
    assert saver.get_delta_channel_history(config=at("t"), channels=[]) == {}


def test_delta_history_orders_writes_and_takes_large_and_plain_seeds(saver: GenomeSaver) -> None:
    base = put(saver, at("t"), {"log": LARGE})
    saver.put_writes(base, [("log", "third")], "task-0", "~b")
    saver.put_writes(base, [("log", "first"), ("log", "second")], "task-9", "~a")
    head = put(saver, base, {}, {"log": "2"}, {})
    history = saver.get_delta_channel_history(config=head, channels=["log"])["log"]
    assert history["seed"] == LARGE
    assert [value for *_, value in history["writes"]] == ["first", "second", "third"]


def test_delta_history_ends_where_parents_run_in_a_circle(saver: GenomeSaver) -> None:
    one, two = make_checkpoint({}), make_checkpoint({})
    saver.put(at("t", two["id"]), one, {}, {})
    saver.put(at("t", one["id"]), two, {}, {})
    for checkpoint in (one, two):
        saver.put_writes(at("t", checkpoint["id"]), [("log", checkpoint["id"])], TASK)
    history = saver.get_delta_channel_history(config=at("t", two["id"]), channels=["log"])
    assert [value for *_, value in history["log"]["writes"]] == [one["id"]]


@pytest.mark.parametrize(("snapshots", "kept"), [({2, 6}, 4), ({0}, 10), (set(), 10), ({9}, 1)])
def test_keep_latest_keeps_what_a_delta_channel_is_rebuilt_from(
    saver: GenomeSaver, snapshots: set[int], kept: int
) -> None:
    configs = delta_thread(saver, snapshots, 10)
    saver.prune(["t"])
    assert replay(saver, configs[-1]) == list(range(9))
    assert len(list(saver.list(at("t")))) == kept
    assert rows(saver)["langgraph_writes"] == 2 * kept


def test_a_copy_of_a_delta_channel_can_be_rebuilt(saver: GenomeSaver) -> None:
    delta_thread(saver, {2}, 8)
    saver.copy_thread("t", "copy")
    saver.delete_thread("t")
    assert replay(saver, at("copy")) == list(range(7))


def test_runs_that_a_delta_channel_is_rebuilt_from_are_not_deleted(saver: GenomeSaver) -> None:
    configs = delta_thread(saver, {0}, 3, run_id="r1")
    put(saver, configs[-1], {"plain": 9}, {"plain": "9", "log": "9"}, {"plain": "9"}, run_id="r2")
    before = rows(saver)
    with pytest.raises(InvalidInput, match="DeltaChannel"):
        saver.delete_for_runs(["r1"])
    assert rows(saver) == before
    saver.delete_for_runs(["r1", "r2"])
    assert rows(saver) == dict.fromkeys(TABLES, 0) | {"langgraph_threads": 1}


def test_more_runs_and_checkpoints_than_a_statement_takes_parameters(saver: GenomeSaver) -> None:
    grow(saver, "t", 3, run_id="r0")
    grow(saver, "other", 3, run_id="mine")
    saver.delete_for_runs([f"r{number}" for number in range(70_000)])
    assert saver.get_tuple(at("t")) is None
    assert saver.get_tuple(at("other")) is not None
