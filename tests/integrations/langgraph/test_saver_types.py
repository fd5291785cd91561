"""What becomes of a value of each type: the bytes are LangGraph's own, the promises are tested here."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import logging
import os
import pickle
import subprocess
import sys
import uuid
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import ormsgpack
import pytest
import sqlalchemy as sa
from genome_langgraph import CheckpointSerializer, GenomeSaver, UnknownObject
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V2, JsonPlusSerializer
from langgraph.types import Send
from pydantic import BaseModel

from tests.integrations.langgraph.saver_helpers import at, put

ROOT = Path(__file__).parents[3]

SHAPES = """
import dataclasses, enum
from pydantic import BaseModel

class Plain(enum.Enum):
    A = "a"

class Text(str, enum.Enum):
    A = "a"

class Number(enum.IntEnum):
    ONE = 1

class Inner(BaseModel):
    plain: Plain
    number: Number

class Outer(BaseModel):
    inner: Inner
    many: list[Inner]
    text: Text

@dataclasses.dataclass
class Box:
    plain: Plain
    many: list[Number]

def values():
    inner = Inner(plain=Plain.A, number=Number.ONE)
    return {
        "enums": [Plain.A, Text.A, Number.ONE],
        "models": [Outer(inner=inner, many=[inner], text=Text.A)],
        "box": Box(Plain.A, [Number.ONE]),
        "simple": "text",
    }
"""

WRITE = """
import sys, shapes
from genome_langgraph import GenomeSaver
from tests.integrations.langgraph.saver_helpers import at, put

with GenomeSaver(sys.argv[1]) as saver:
    put(saver, at("t"), shapes.values())
"""

READ = """
import sys, shapes
from genome_langgraph import GenomeSaver
from tests.integrations.langgraph.saver_helpers import at

with GenomeSaver(sys.argv[1]) as saver:
    found = saver.get_tuple(at("t")).checkpoint["channel_values"]
expected = shapes.values()
assert found == expected, found
assert [type(one) for one in found["enums"]] == [type(one) for one in expected["enums"]]
assert type(found["models"][0].many[0].plain) is shapes.Plain
assert type(found["box"].many[0]) is shapes.Number
"""


@pytest.fixture
def saver(sqlite_url: str) -> Iterator[GenomeSaver]:
    with GenomeSaver(sqlite_url) as saver:
        yield saver


@pytest.fixture
def shapes(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that can import the module ``shapes``, which this one cannot."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "shapes.py").write_text(SHAPES)
    return os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}


def run(script: str, url: str, environment: dict[str, str]) -> None:
    subprocess.run([sys.executable, "-c", script, url], check=True, cwd=ROOT, env=environment)


def test_enums_models_and_dataclasses_come_back_in_another_process(
    durable_store_url: str, shapes: dict[str, str]
) -> None:
    """K08-01."""
    run(WRITE, durable_store_url, shapes)
    run(READ, durable_store_url, shapes)


def test_an_object_whose_class_is_gone_is_marked_and_the_rest_loads(
    sqlite_url: str, shapes: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    run(WRITE, sqlite_url, shapes)
    with caplog.at_level(logging.WARNING), GenomeSaver(sqlite_url) as saver:
        found = saver.get_tuple(at("t"))
    assert found is not None
    values = found.checkpoint["channel_values"]
    assert values["simple"] == "text"
    (model,) = values["models"]
    assert isinstance(model, UnknownObject)
    assert model.class_name == "shapes.Outer"
    assert model["inner"]["plain"] == "a"
    assert "shapes.Outer" in caplog.text


class Known(BaseModel):
    name: str


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int


Pair = namedtuple("Pair", "a b")

SAME = [
    None, True, 2**63, -5, 1.5, float("inf"), "text", "nul\0", b"bytes", bytearray(b"b"), [1, [2]], {"a": {"b": None}},
    {1: "int key"}, {1, 2}, frozenset({1}), deque([1, 2]), uuid.UUID(int=5), decimal.Decimal("1.10"), Path("/a/b"),
    datetime.datetime(2025, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC), datetime.date(2025, 1, 2), datetime.timedelta(1),
    Known(name="n"), Color.RED, Point(1), Pair(1, 2), HumanMessage("hi", id="1"), AIMessage("ho", id="2"), Send("node", {"a": 1}),
]  # fmt: skip

CHANGED = [
    ((1, 2), [1, 2]),
    (defaultdict(list, a=[1]), {"a": [1]}),
    (Counter("aab"), {"a": 2, "b": 1}),
    (OrderedDict(a=1), {"a": 1}),
    (deque([1, 2], maxlen=2), deque([1, 2])),
    (ValueError("no"), "ValueError('no')"),
    ("half an emoji \ud83d", "half an emoji ?"),
]


@pytest.mark.parametrize("value", SAME, ids=repr)
def test_these_types_come_back_as_they_were(saver: GenomeSaver, value: Any) -> None:
    put(saver, at("t"), {"value": value})
    found = saver.get_tuple(at("t"))
    assert found is not None
    restored = found.checkpoint["channel_values"]["value"]
    assert restored == value
    assert type(restored) is type(value)


@pytest.mark.parametrize(("value", "expected"), CHANGED, ids=repr)
def test_these_types_come_back_as_simpler_ones(saver: GenomeSaver, value: Any, expected: Any) -> None:
    put(saver, at("t"), {"value": value})
    found = saver.get_tuple(at("t"))
    assert found is not None
    restored = found.checkpoint["channel_values"]["value"]
    assert restored == expected
    assert type(restored) is type(expected)


def test_arrays_come_back(saver: GenomeSaver) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    put(saver, at("t"), {"array": array})
    found = saver.get_tuple(at("t"))
    assert found is not None
    assert np.array_equal(found.checkpoint["channel_values"]["array"], array)


def test_a_strict_serializer_restores_only_allowed_classes(sqlite_url: str) -> None:
    with GenomeSaver(sqlite_url, serde=CheckpointSerializer(allowed_msgpack_modules=None)) as saver:
        put(saver, at("t"), {"model": Known(name="n"), "message": HumanMessage("hi", id="1")})
        strict = saver.get_tuple(at("t"))
        allowing = saver.with_allowlist([(Known.__module__, "Known")]).get_tuple(at("t"))
    assert strict is not None
    assert strict.checkpoint["channel_values"]["message"] == HumanMessage("hi", id="1")
    blocked = strict.checkpoint["channel_values"]["model"]
    assert isinstance(blocked, UnknownObject)
    assert blocked == {"name": "n"}
    assert allowing is not None
    assert allowing.checkpoint["channel_values"]["model"] == Known(name="n")


def test_the_bytes_are_those_of_langgraphs_serializer() -> None:
    for value in SAME:
        assert CheckpointSerializer().dumps_typed(value) == JsonPlusSerializer().dumps_typed(value)


def test_pickles_and_functions_in_a_row_are_refused(saver: GenomeSaver) -> None:
    put(saver, at("t"), {"value": list(range(10_000))})
    update = sa.text("UPDATE langgraph_values SET type = :type, data = :data, chunks = NULL")
    saver.database.write(lambda one: one.execute(update, {"type": "pickle", "data": pickle.dumps(1)}))
    with pytest.raises(NotImplementedError, match="pickle"):
        saver.get_tuple(at("t"))

    import ormsgpack

    call = ormsgpack.packb(ormsgpack.Ext(3, ormsgpack.packb(("os", "path", "x", "exists"))))
    saver.database.write(lambda one: one.execute(update, {"type": "msgpack", "data": call}))
    found = saver.get_tuple(at("t"))
    assert found is not None
    assert found.checkpoint["channel_values"] == {"value": "x"}


@pytest.mark.parametrize(
    "message",
    [
        HumanMessage("hello", id="1", name="ann"),
        HumanMessage([{"type": "text", "text": "hello"}]),
        AIMessage("", tool_calls=[{"name": "look", "args": {"at": 1}, "id": "c", "type": "tool_call"}]),
        AIMessage("hi", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
        ToolMessage("found", tool_call_id="c", artifact={"rows": [1, 2]}),
        ToolMessage("found", tool_call_id="c", artifact=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)),
        SystemMessage("be kind", additional_kwargs={"extra": True}),
        ChatMessage(content="hi", role="critic"),
        AIMessageChunk(content="h"),
        RemoveMessage("m1"),
    ],
    ids=lambda message: type(message).__name__,
)
def test_messages_have_the_bytes_and_the_fields_that_langgraphs_serializer_gives_them(message: BaseMessage) -> None:
    ours, theirs = CheckpointSerializer(), JsonPlusSerializer()
    stored = theirs.dumps_typed({"messages": [message]})
    assert ours.dumps_typed({"messages": [message]}) == stored
    [restored], [expected] = ours.loads_typed(stored)["messages"], theirs.loads_typed(stored)["messages"]
    assert type(restored) is type(expected) is type(message)
    assert restored == expected == message
    assert restored.model_fields_set == expected.model_fields_set
    assert restored.__pydantic_extra__ == expected.__pydantic_extra__
    assert restored.__pydantic_private__ == expected.__pydantic_private__


@pytest.mark.parametrize(
    "message",
    [
        HumanMessage("hello", additional_kwargs={"color": Color.RED, "at": Point(1), "by": Known(name="ann")}),
        HumanMessage("half a pair \ud800", said="a field of its own", reply=AIMessage("hi")),
    ],
    ids=["objects", "fields"],
)
def test_messages_with_objects_inside_have_the_bytes_of_langgraphs_serializer(message: BaseMessage) -> None:
    assert CheckpointSerializer().dumps_typed(message) == JsonPlusSerializer().dumps_typed(message)


def test_a_message_that_fits_no_more_is_restored_unchecked_as_langgraph_does() -> None:
    ours, theirs = CheckpointSerializer(), JsonPlusSerializer()
    parts = ("langchain_core.messages.human", "HumanMessage", {"content": 7}, "model_validate_json")
    stored = ("msgpack", ormsgpack.packb(ormsgpack.Ext(EXT_PYDANTIC_V2, ormsgpack.packb(parts))))
    assert ours.loads_typed(stored).content == theirs.loads_typed(stored).content == 7
