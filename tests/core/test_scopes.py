"""Whose memory is whose (cases K01): whole labels, no wildcards, nobody reads or deletes another's."""

from __future__ import annotations

from typing import Any

import pytest

from genome_core import Memory
from genome_core.errors import AmbiguousId, InvalidScope
from genome_core.types import Record


def texts(found: Any) -> set[str]:
    return {(one.record if hasattr(one, "record") else one).text for one in found}


def test_a_prefix_never_crosses_the_border_of_a_label(memory: Memory) -> None:
    for namespace in [("t", "acme"), ("t", "acme", "x"), ("t", "acme-corp"), ("t", "acme2")]:
        memory.add(f"secret of {namespace}", namespace=namespace)
    mine = {"secret of ('t', 'acme')", "secret of ('t', 'acme', 'x')"}
    assert texts(memory.search("secret", namespace=("t", "acme"))) == mine
    assert texts(memory.get_all(namespace=("t", "acme"))) == mine
    assert memory.search("secret", namespace=("t", "ac")) == []
    assert memory.count(namespace=()) == 4
    assert memory.namespaces(namespace=("t", "acme")) == [("t", "acme"), ("t", "acme", "x")]


@pytest.mark.parametrize(
    "labels",
    [
        ["user_1", "userX1", "user%1"],
        ["a%b", "axxb"],
        ["it's", 'it"s', "its"],
        ["back\\slash", "back/slash", "back\\\\slash"],
        ["alice", "malice", "alice\n", "Alice", "alice "],
        ["*", "?", "[a]", "a"],
        ["a\x1eb", "a\x1fb", "a\x1e0b", "a\x1e1b", "a"],
        ["main", "project-name", "and", "1", "a b", "ünï", "l" * 200, "NULL", "--"],
        ["e\u0301", "\u00e9"],
    ],
)
def test_labels_are_data_and_compare_exactly(memory: Memory, labels: list[str]) -> None:
    for label in labels:
        memory.add(f"the note of {label!r}", namespace=("root", label))
    for label in labels:
        assert texts(memory.search("note", namespace=("root", label))) == {f"the note of {label!r}"}
        assert texts(memory.get_all(namespace=("root", label))) == {f"the note of {label!r}"}
    for kept, label in enumerate(labels, 1):
        assert memory.delete_all(namespace=("root", label)) == 1
        assert memory.count(namespace=("root",)) == len(labels) - kept


def test_metadata_never_moves_a_record(memory: Memory) -> None:
    [id] = memory.add("x", user_id="a", metadata={"user_id": "b", "namespace": ["user:b"]})
    memory.update(id, metadata={"user_id": "b"}, user_id="a")
    assert memory.search("x", user_id="b") == []
    assert memory.search("x", user_id="a")[0].record.metadata == {"user_id": "b"}


@pytest.mark.parametrize("blank", ["", "  ", "\t\n"])
def test_a_blank_id_is_an_error_and_never_everybody(memory: Memory, blank: str) -> None:
    memory.add("x", user_id="a")
    scopes: list[dict[str, Any]] = [
        {"user_id": blank},
        {"agent_id": blank},
        {"run_id": [blank]},
        {"namespace": (blank,)},
        {"agent_id": []},
        {"user_id": "a", "namespace": ("b",)},
        {},
    ]
    for scope in scopes:
        for call in (memory.get_all, memory.delete_all, memory.count, memory.timeline, memory.facts):
            with pytest.raises(InvalidScope):
                call(**scope)
        with pytest.raises(InvalidScope):
            memory.search("q", **scope)
        with pytest.raises(InvalidScope):
            memory.add("q", **scope)
    assert memory.count(namespace=()) == 1


def test_reading_with_fewer_ids_reads_everything_below(memory: Memory) -> None:
    memory.add("one", user_id="u", agent_id="a1")
    memory.add("two", user_id="u", agent_id="a2")
    memory.add("three", user_id="u")
    memory.add("four", user_id="v", agent_id="a1", run_id="r")
    assert texts(memory.get_all(user_id="u")) == {"one", "two", "three"}
    assert texts(memory.get_all(user_id="u", agent_id="a1")) == {"one"}
    assert texts(memory.get_all(user_id="u", agent_id=["a1", "a2"])) == {"one", "two"}
    assert texts(memory.get_all(agent_id="a1")) == {"one", "four"}
    assert texts(memory.search("four", run_id="r")) == {"four"}
    assert texts(memory.get_all(user_id="u", exact=True)) == {"three"}


def test_every_verb_stays_in_its_scope(memory: Memory) -> None:
    for user in ("a", "b"):
        memory.add([f"{user} likes tea {n}" for n in range(3)], user_id=user)
        memory.add("the same words", user_id=user, id="shared")
        memory.state("Ann", "home", f"city of {user}", user_id=user)
    assert all(hit.record.namespace == ("user:a",) for hit in memory.search("tea", user_id="a"))
    assert {one.record.namespace for one in memory.explain("tea", user_id="a")} == {("user:a",)}
    assert [window.value for window in memory.facts(user_id="a", subject="Ann")] == ["city of a"]
    assert "city of b" not in memory.context("Where does Ann live?", user_id="a")
    assert len(memory.history("shared", user_id="a")) == 1
    assert memory.delete("shared", user_id="a") is True
    assert memory.get("shared", user_id="b") is not None
    before = list(memory.get_all(user_id="b"))
    assert memory.delete_all(user_id="a") == 3
    assert memory.facts(user_id="a") == []
    assert list(memory.get_all(user_id="b")) == before
    assert [window.value for window in memory.facts(user_id="b", subject="Ann")] == ["city of b"]
    assert len(memory.search("tea", user_id="b")) == 4


def test_an_id_used_by_two_users_needs_a_scope(memory: Memory) -> None:
    memory.add("mine", user_id="a", id="1")
    memory.add("yours", user_id="b", id="1")
    for call in (memory.get, memory.delete):
        with pytest.raises(AmbiguousId, match="name the scope"):
            call("1")
    with pytest.raises(AmbiguousId):
        memory.update("1", text="whose?")
    assert memory.count(namespace=()) == 2


def test_a_record_goes_where_both_it_and_the_call_say(memory: Memory) -> None:
    record = Record(text="x", namespace=("user:a",))
    with pytest.raises(InvalidScope):
        memory.add(record, user_id="b")
    memory.add(record)
    assert memory.count(user_id="a") == 1


@pytest.mark.parametrize("label", ["a\x00b", "half \ud83d", "l" * 3000])
def test_labels_that_no_database_keeps_are_refused(memory: Memory, label: str) -> None:
    for scope in ({"namespace": (label,)}, {"user_id": label}):
        with pytest.raises(InvalidScope):
            memory.add("x", **scope)
    assert memory.count(namespace=()) == 0


def test_a_misspelt_argument_is_not_passed_over(memory: Memory) -> None:
    calls: list[Any] = [memory.get_all, memory.delete_all, lambda **given: memory.search("x", **given)]
    for call in calls:
        with pytest.raises(TypeError, match="treshold"):
            call(user_id="a", treshold=1)
    with pytest.raises(TypeError, match="userid"):
        memory.add("x", userid="a")  # type: ignore[call-arg]
