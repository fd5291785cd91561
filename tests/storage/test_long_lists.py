"""Calls with more values than a statement takes parameters: 65,535 in PostgreSQL, 32,766 in a plain SQLite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from genome_core import Memory
from genome_core.storage import reading
from genome_core.storage.reading import Selection
from genome_core.storage.schema import chains, namespaces, records
from genome_core.testing.embedders import FakeEmbedder
from genome_core.types import Scope

MANY = 70_000


@pytest.fixture
def memory(durable_store_url: str) -> Iterator[Memory]:
    with Memory(durable_store_url, embedder=FakeEmbedder(8), extractor=None) as store:
        yield store


def numbered() -> sa.Subquery:
    """The numbers from 1 up to MANY, excluded, made inside the database: rows as many calls would leave, quickly."""
    counted = sa.select(sa.literal(1).label("n")).cte(recursive=True)
    counted = counted.union_all(sa.select(counted.c.n + 1).where(counted.c.n < MANY - 1))
    return sa.select(counted.c.n).subquery()


def multiply(memory: Memory, table: sa.Table, changed: Callable[[sa.ColumnElement[int]], dict[str, Any]]) -> None:
    """Copies a table's only row MANY - 1 times, with some columns changed by the number of the copy."""
    numbers = numbered()
    columns = [changed(numbers.c.n).get(column.name, column) for column in table.columns]
    rows = sa.select(*columns).select_from(table.join(numbers, sa.true()))
    with memory.database.engine.begin() as connection:
        connection.execute(table.insert().from_select(list(table.columns), rows))


def text(number: sa.ColumnElement[int]) -> sa.ColumnElement[str]:
    return sa.cast(number, sa.Text)


def test_more_tenants_than_a_statement_takes_parameters(memory: Memory) -> None:
    memory.add("I drink tea", user_id="u")
    multiply(memory, chains, lambda n: {"tenant": n})
    multiply(memory, namespaces, lambda n: {"id": n + 1, "tenant": n, "path": text(n), "labels": "[" + text(n) + "]"})
    assert [hit.record.text for hit in memory.search("tea", namespace=())] == ["I drink tea"]
    memory.add("I drink coffee", user_id="u")
    assert len(memory.search("drink", namespace=())) == 2


def test_a_python_filter_that_lets_many_records_through(memory: Memory) -> None:
    memory.add("note", user_id="u", id="a")
    multiply(memory, records, lambda n: {"key": records.c.key + n, "id": text(n)})
    selection = Selection(Scope(), 0, lambda record: record.id != "5")
    with memory.database.read() as connection:
        query = reading.narrowed(sa.select(sa.func.count()).select_from(records), connection, selection)
        assert connection.scalar(query) == MANY - 1


def test_every_verb_takes_very_many_ids(memory: Memory) -> None:
    memory.add([{"content": f"note {n}", "id": str(n)} for n in range(3)], user_id="u", run_id="r")
    ids = [str(n) for n in range(MANY)]
    assert [record.id for record in memory.get_many(ids, user_id="u")] == ["0", "1", "2"]
    assert len(memory.vectors(ids, user_id="u")) == 3
    for query in ("note", ""):
        assert [hit.record.id for hit in memory.search(query, user_id="u", exclude=ids[1:])] == ["0"]
    assert memory.count(run_id=[*ids, "r"]) == 3
    assert memory.renew(ids, 60, user_id="u") == 3
    assert memory.delete_many(ids[1:], user_id="u") == 2
    assert memory.count(user_id="u") == 1
