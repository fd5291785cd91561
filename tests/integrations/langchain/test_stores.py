"""``GenomeByteStore``, ``GenomeCache`` and the package itself, beyond the standard suites."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import genome_langchain
import pytest
from genome_langchain import GenomeByteStore, GenomeCache
from langchain_core.globals import set_llm_cache
from langchain_core.messages import AIMessage, HumanMessage

from genome_core import Memory
from genome_core.errors import MissingDependency
from tests.integrations.langchain.scripted import scripted


@pytest.fixture
def cached(memory: Memory) -> Iterator[GenomeCache]:
    cache = GenomeCache(memory)
    set_llm_cache(cache)
    yield cache
    set_llm_cache(None)


def test_keys_come_sorted_by_prefix_over_many_pages(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genome_langchain.byte_store._PAGE", 3)
    store = GenomeByteStore(memory)
    keys = [f"a%{number:02}" for number in range(10)] + ["a_", "b", "É", "ab"]
    store.mset([(key, key.encode()) for key in keys])
    assert list(store.yield_keys()) == sorted(keys)
    assert list(store.yield_keys(prefix="a%")) == keys[:10]
    assert list(store.yield_keys(prefix="a_")) == ["a_"]


def test_the_last_value_of_a_key_counts_and_large_batches_work(memory: Memory) -> None:
    store = GenomeByteStore(memory)
    store.mset([("k", b"1"), ("k", b"2")])
    store.mset([(str(number), b"x") for number in range(2000)])
    assert store.mget(["k", "nope", "k"]) == [b"2", None, b"2"]
    store.mdelete([str(number) for number in range(2000)])
    assert list(store.yield_keys()) == ["k"]
    store.mset([])
    store.mdelete([])


def test_namespaces_are_apart(memory: Memory) -> None:
    one, other = GenomeByteStore(memory, "one"), GenomeByteStore(memory, "other")
    one.mset([("k", b"1")])
    other.mset([("k", b"2")])
    other.clear()
    assert one.mget(["k"]) == [b"1"]
    assert other.mget(["k"]) == [None]


def test_a_chat_model_is_asked_once_for_the_same(cached: GenomeCache) -> None:
    answer = AIMessage(
        "4",
        tool_calls=[{"name": "f", "args": {"x": 1}, "id": "c", "type": "tool_call"}],
        response_metadata={"model": "m"},
    )
    model = scripted(answer, "5")
    first = model.invoke([HumanMessage("2+2?")])
    again = model.invoke([HumanMessage("2+2?")])
    other = model.invoke([HumanMessage("2+3?")])
    assert again.tool_calls == first.tool_calls == answer.tool_calls
    assert (again.text, other.text, len(model.asked)) == ("4", "5", 2)
    cached.clear()
    with pytest.raises(StopIteration):  # the script has no third answer: the model was asked
        model.invoke([HumanMessage("2+2?")])


async def test_a_chat_model_is_asked_once_in_async_code(cached: GenomeCache) -> None:
    model = scripted("4")
    assert [(await model.ainvoke("2+2?")).text for _ in range(3)] == ["4"] * 3


def test_every_public_name_loads() -> None:
    for name in genome_langchain.__all__:
        assert getattr(genome_langchain, name).__name__ == name
        assert getattr(genome_langchain, name).__doc__
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = genome_langchain.Nonsense


def test_importing_the_package_loads_no_framework() -> None:
    program = "import sys, genome_langchain; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not {"langchain", "langchain_core", "langgraph", "langchain_classic"} & set(done.stdout.split())


@pytest.mark.parametrize(
    ("name", "missing", "hint"),
    [
        ("GenomeMiddleware", "langchain", "genome-plugins[langchain]"),
        ("GenomeMemory", "langchain_classic", "pip install langchain-classic"),
        ("GenomeVectorStore", "langchain_core", "genome-plugins[langchain]"),
    ],
)
def test_a_missing_framework_is_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch, name: str, missing: str, hint: str
) -> None:
    for module in list(sys.modules):
        if module.split(".")[0] in (missing, "genome_langchain"):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, missing, None)
    import genome_langchain as fresh

    with pytest.raises(MissingDependency, match="pip install") as raised:
        getattr(fresh, name)
    assert hint in str(raised.value)
