"""Where ``GenomeSaver`` keeps the values of channels, and that they outlive the checkpoints that brought them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from genome_langgraph import GenomeSaver
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig

from genome_core.storage.database import Database
from tests.conftest import FakeClock
from tests.integrations.langgraph.saver_helpers import TABLES, at, copies, make_checkpoint, put, rows

PROFILE = {"name": "Ann", "about": "x" * 1000}
ABOUT = b"x" * 1000
TASK = "00000000-0000-0000-0000-000000000001"


@pytest.fixture
def saver(store_url: str, clock: FakeClock) -> Iterator[GenomeSaver]:
    with GenomeSaver(store_url, clock=clock) as saver:
        yield saver


def state(saver: GenomeSaver, config: RunnableConfig) -> dict[str, Any]:
    found = saver.get_tuple(config)
    assert found is not None
    return found.checkpoint["channel_values"]


def thread(saver: GenomeSaver, steps: int = 4, **metadata: Any) -> list[RunnableConfig]:
    """A counter that grows, next to a profile that the first step brings and none changes."""
    configs = [put(saver, at("t"), {"n": 0, "profile": PROFILE}, {"n": "0", "profile": "0"}, **metadata)]
    for step in range(1, steps):
        versions = {"n": str(step), "profile": "0"}
        configs.append(
            put(saver, configs[-1], {"n": step, "profile": PROFILE}, versions, {"n": str(step)}, run_id=f"r{step}")
        )
    return configs


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -(2**63), 2**64 - 1, 0.5, math.inf, "", "x" * 64, "x" * 65, "\ud83d", "nul \x00", b"", b"x" * 100, [], {},
     {1: 2}, [HumanMessage("hi", id="1")], {"a": {"b": [1, 2.5, None]}}, "x" * 8191, "x" * 9000, list(range(10_000))],
    ids=lambda value: f"{type(value).__name__} {str(value)[:12]!a}",
)  # fmt: skip
def test_any_value_comes_back_from_its_checkpoint_and_from_later_ones(saver: GenomeSaver, value: Any) -> None:
    values = {"before": [1], "value": value, "after": [2]}
    first = put(saver, at("t"), values)
    second = put(saver, first, values, new={})
    third = put(saver, second, values | {"after": [3]}, {"before": "1", "value": "1", "after": "2"}, {"after": "2"})
    expected = saver.serde.loads_typed(saver.serde.dumps_typed(values))
    for config, after in ((first, [2]), (second, [2]), (third, [3])):
        assert state(saver, config) == expected | {"after": after}
    for found in saver.list(at("t")):
        assert found == saver.get_tuple(found.config)


def test_a_value_is_stored_once_however_many_checkpoints_and_branches_name_it(saver: GenomeSaver) -> None:
    configs = thread(saver, 6)
    fork = put(saver, configs[2], {"n": -1, "profile": PROFILE}, {"n": "fork", "profile": "0"}, {"n": "fork"})
    assert copies(saver, ABOUT) == 1
    assert [state(saver, config)["n"] for config in [*configs, fork]] == [0, 1, 2, 3, 4, 5, -1]
    assert all(state(saver, config)["profile"] == PROFILE for config in [*configs, fork])


def test_a_value_outlives_the_checkpoint_that_brought_it(saver: GenomeSaver) -> None:
    configs = thread(saver, 5, run_id="r0")
    saver.delete_for_runs(["r0"])
    assert [state(saver, config) for config in configs[1:]] == [{"n": n, "profile": PROFILE} for n in range(1, 5)]
    saver.delete_for_runs(["r1", "r3"])
    saver.prune(["t"])
    assert state(saver, configs[4]) == {"n": 4, "profile": PROFILE}
    assert copies(saver, ABOUT) == 1
    later = put(saver, configs[4], {"n": 5, "profile": PROFILE}, {"n": "5", "profile": "0"}, {"n": "5"})
    assert state(saver, later) == {"n": 5, "profile": PROFILE}
    assert copies(saver, ABOUT) == 1


def test_a_value_that_nobody_names_goes_with_its_checkpoint(saver: GenomeSaver) -> None:
    first, second = thread(saver, 2)
    put(saver, second, {"n": 2, "profile": {}}, {"n": "2", "profile": "1"})
    saver.prune(["t"])
    assert copies(saver, ABOUT) == 0
    assert saver.get_tuple(first) is None
    assert state(saver, at("t")) == {"n": 2, "profile": {}}


def test_putting_an_id_again_leaves_what_others_have_of_it(saver: GenomeSaver) -> None:
    first = make_checkpoint({"n": [1], "profile": PROFILE})
    config = saver.put(at("t"), first, {}, {"n": "1", "profile": "1"})
    second = put(saver, config, {"n": [2], "profile": PROFILE}, {"n": "2", "profile": "1"}, {"n": "2"})
    third = put(saver, second, {"n": [3], "profile": PROFILE}, {"n": "3", "profile": "1"}, {"n": "3"})
    again = {"n": ["another, and longer"], "profile": {"name": "Bob"}}
    versions: dict[str, str | int | float] = {"n": "1b", "profile": "1b"}
    saver.put(at("t"), {**first, "channel_values": again, "channel_versions": versions}, {}, versions)
    assert state(saver, second) == {"n": [2], "profile": PROFILE}
    assert state(saver, third) == {"n": [3], "profile": PROFILE}
    assert state(saver, config) == again


def test_what_the_parent_does_not_have_is_stored_and_not_lost_on_sqlite(saver: GenomeSaver) -> None:
    versions = {"profile": "1"}
    if saver.database.is_postgres:
        put(saver, at("t"), {"profile": PROFILE}, versions)
    orphan = put(saver, at("t", "no-such-checkpoint"), {"profile": PROFILE}, versions, {})
    assert state(saver, orphan) == {"profile": PROFILE}


def test_a_copy_has_its_own_values(saver: GenomeSaver) -> None:
    thread(saver, 3)
    saver.copy_thread("t", "copy")
    saver.delete_thread("t")
    assert [one.checkpoint["channel_values"] for one in saver.list(at("copy"))] == [
        {"n": n, "profile": PROFILE} for n in (2, 1, 0)
    ]
    saver.delete_thread("copy")
    assert rows(saver) == dict.fromkeys(TABLES, 0)


@pytest.mark.parametrize("seed", [7, "short", PROFILE, list(range(10_000))], ids=["number", "text", "dict", "large"])
def test_a_channel_that_became_a_delta_channel_starts_from_its_last_plain_value(saver: GenomeSaver, seed: Any) -> None:
    base = put(saver, at("t"), {"log": seed, "other": 1})
    same = put(saver, base, {"log": seed, "other": 2}, {"log": "1", "other": "2"}, {"other": "2"}, run_id="r")
    saver.put_writes(same, [("log", "first")], TASK)
    counters: Any = {"counters_since_delta_snapshot": {"log": (1, 1)}}
    head = put(saver, same, {"other": 3}, {"log": "2", "other": "3"}, **counters)
    expected = {"log": {"seed": seed, "writes": [(TASK, "log", "first")]}}
    assert saver.get_delta_channel_history(config=head, channels=["log"]) == expected
    saver.prune(["t"])
    assert saver.get_delta_channel_history(config=head, channels=["log"]) == expected
    assert len(list(saver.list(at("t")))) == 2


@pytest.mark.parametrize("pause", [timedelta(milliseconds=400), timedelta(hours=5)], ids=str)
def test_a_thread_counts_as_used_to_the_second(saver: GenomeSaver, clock: FakeClock, pause: timedelta) -> None:
    config = put(saver, at("t"), {"n": 0})
    for step in range(30):
        clock.advance(pause)
        config = put(saver, config, {"n": step}, {"n": str(step)})
    clock.advance(timedelta(seconds=60))
    assert saver.prune_idle(timedelta(seconds=61)) == 0
    assert saver.prune_idle(timedelta(seconds=59)) == 1


def test_a_database_of_the_layout_before_is_upgraded_and_goes_on(durable_store_url: str) -> None:
    """Schema 2 had all values in langgraph_values, and versions in the checkpoint's row only."""
    with GenomeSaver(durable_store_url) as saver:
        config = put(saver, at("t"), {"profile": PROFILE, "n": 1})
        serde = saver.serde
        database: Database = saver.database
        with database.read() as connection:
            data = connection.scalar(sa.text("SELECT data FROM langgraph_checkpoints"))
        rest = serde.loads_typed(("msgpack", data))
        for name in ("channel_versions", "channel_values", "genome_held"):
            del rest[name]
        kept = {"data": serde.dumps_typed(rest)[1], "versions": json.dumps({"profile": "1", "n": "1"})}

        def downgrade(connection: sa.Connection) -> None:
            connection.execute(sa.text("UPDATE langgraph_checkpoints SET data = :data, versions = :versions"), kept)
            connection.execute(sa.text("DELETE FROM langgraph_values"))
            for channel, value in (("profile", PROFILE), ("n", 1)):
                connection.execute(
                    sa.text(
                        "INSERT INTO langgraph_values (thread_id, checkpoint_ns, channel, version, snapshot, type, data)"
                        " VALUES ('t', '', :channel, '1', false, 'msgpack', :data)"
                    ),
                    {"channel": channel, "data": serde.dumps_typed(value)[1]},
                )
            for column in ("places", "held", "saved_at"):
                connection.execute(sa.text(f"ALTER TABLE langgraph_checkpoints DROP COLUMN {column}"))
            connection.execute(sa.text("UPDATE genome_schema SET version = 2 WHERE component = 'langgraph_saver'"))

        database.write(downgrade)
    with GenomeSaver(durable_store_url) as saver:
        assert state(saver, config) == {"profile": PROFILE, "n": 1}
        found = saver.get_tuple(config)
        assert found is not None
        assert found.checkpoint["channel_versions"] == {"profile": "1", "n": "1"}
        later = put(saver, config, {"profile": PROFILE, "n": 2}, {"profile": "1", "n": "2"}, {"n": "2"})
        assert state(saver, later) == {"profile": PROFILE, "n": 2}
        assert copies(saver, ABOUT) == 1
        saver.prune(["t"])
        assert state(saver, later) == {"profile": PROFILE, "n": 2}
