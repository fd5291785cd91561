"""``Memory.tally``: what counting in Python gives, on every database."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genome_core import Memory
from genome_core.errors import InvalidInput, InvalidScope
from genome_core.testing.embedders import FakeEmbedder

KEYS = ["tag", "a b", "it's", 'q"', "a.b", "$x", "städte", "0", ""]
TEXTS = st.sampled_from(["", "a", "b", "é", "1", "null", "[]", '"'])
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(0, 1), TEXTS)
VALUES = st.one_of(PLAIN, st.lists(st.one_of(PLAIN, st.lists(TEXTS, max_size=1)), max_size=4), st.just({"a": "b"}))
MAPPINGS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4)


def counted(documents: list[Any], key: str) -> dict[str, int]:
    found: Counter[str] = Counter()
    for document in documents:
        value = document.get(key) if isinstance(document, dict) else None
        found.update(one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))
    return dict(sorted(found.items(), key=lambda entry: (-entry[1], entry[0])))


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(MAPPINGS, st.one_of(MAPPINGS, VALUES)), max_size=5))
def test_texts_are_counted_as_python_counts_them(memory: Memory, documents: list[tuple[Any, Any]]) -> None:
    memory.delete_all(namespace=("s",))
    memory.add(
        [
            {"content": "x", "id": str(number), "metadata": metadata, "value": value}
            for number, (metadata, value) in enumerate(documents)
        ],
        namespace=("s",),
    )
    for key in KEYS:
        for of_value in (False, True):
            expected = counted([document[of_value] for document in documents], key)
            found = memory.tally(key, of_value=of_value, namespace=("s",))
            assert list(found.items()) == list(expected.items()), (key, of_value)


def test_only_what_the_scope_and_the_filter_name_is_counted(memory: Memory) -> None:
    for user, tag in (("ann", "red"), ("ann", "blue"), ("bob", "red")):
        memory.add(f"{user} {tag}", user_id=user, metadata={"tag": tag})
    memory.add("from a page", user_id="ann", origin="web", metadata={"tag": "red"})
    assert memory.tally("tag", user_id="ann") == {"blue": 1, "red": 1}
    assert memory.tally("tag", user_id="ann", filter={"tag": "red"}) == {"red": 1}
    assert memory.tally("tag", user_id="ann", filter=lambda record: record.text.endswith("blue")) == {"blue": 1}
    assert memory.tally("tag", namespace=()) == {"red": 2, "blue": 1}
    with pytest.raises(InvalidScope):
        memory.tally("tag")
    with pytest.raises(InvalidInput):
        memory.tally(b"tag", user_id="ann")  # type: ignore[arg-type]


def test_a_damaged_row_is_not_counted_and_disturbs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, embedder=FakeEmbedder()) as memory:
        memory.add([{"content": f"note {n}", "id": str(n), "metadata": {"tag": "a"}} for n in range(3)], user_id="u")
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE genome_records SET metadata = '{' WHERE id = '1'")
        assert memory.tally("tag", user_id="u") == {"a": 2}
