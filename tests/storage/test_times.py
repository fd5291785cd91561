"""On PostgreSQL, pages of everything below one label are read along the index over times."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from genome_core import Memory, Record
from genome_core.storage import reading, small
from genome_core.storage.namespaces import path_range
from genome_core.storage.reading import EVER, Selection
from genome_core.testing.embedders import FakeEmbedder
from genome_core.types import Scope

START = datetime(2026, 1, 1, tzinfo=UTC)
MINE, OTHERS = "plumless", "buckeroo"
"""Two labels with one number: their rows lie side by side."""


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [
        Record(
            text=f"note {number}",
            id=f"r{number}",
            namespace=((MINE, OTHERS)[number % 2], f"n{number % 40}"),
            at=START + timedelta(minutes=number * 7 % 100),
            value={"color": ("red", "green", "blue")[number % 3]},
        )
        for number in range(300)
    ]


@pytest.fixture
def memory(postgres_url: str, records: list[Record]) -> Iterator[Memory]:
    with Memory(postgres_url, embedder=FakeEmbedder()) as memory:
        memory.write(records)
        yield memory


def test_the_two_labels_have_one_number() -> None:
    assert zlib.crc32(MINE.encode()) == zlib.crc32(OTHERS.encode())


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize("filter", [None, {"$value": {"color": "red"}}, {"$value": {"color": "black"}}])
def test_pages_hold_what_is_below_the_label_in_order(
    memory: Memory, records: list[Record], filter: Any, newest_first: bool
) -> None:
    wanted = [
        record.id
        for record in records
        if record.namespace[0] == MINE and (not filter or record.value == filter["$value"])
    ]
    page = memory.get_all(namespace=(MINE,), filter=filter, limit=70, newest_first=newest_first)
    found, times = [record.id for record in page], [record.at for record in page if record.at]
    while page.next:
        page = memory.get_all(namespace=(MINE,), filter=filter, limit=70, newest_first=newest_first, after=page.next)
        found += [record.id for record in page]
        times += [record.at for record in page if record.at]
    assert sorted(found) == sorted(wanted)
    assert times == sorted(times, reverse=newest_first)


@pytest.mark.parametrize("analysed", [False, True])
def test_a_page_reads_little_more_than_it_shows(memory: Memory, analysed: bool) -> None:
    filter = {"$value": {"color": "red"}}
    with memory.database.driver() as connection:
        if analysed:
            connection.execute("ANALYZE")
    with memory.database.read() as connection:
        query = reading._ordered(connection, Selection(Scope((MINE,)), now=0, filter=filter), True, 10)
        text = query.compile(connection, compile_kwargs={"literal_binds": True})
        plan = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}".replace("%", "%%")).scalar_one()
    scan = next(node for node in _nodes(plan[0]["Plan"]) if "tenant_at_key" in node.get("Index Name", ""))
    assert scan["Node Type"] == "Index Scan"
    assert scan.get("Rows Removed by Filter", 0) < 100


@pytest.mark.parametrize("analysed", [False, True])
def test_one_namespace_is_not_looked_for_along_the_index_over_times(memory: Memory, analysed: bool) -> None:
    first, end = path_range((MINE, "n4"))
    wanted = {"first": first, "end": end, "tenant": zlib.crc32(MINE.encode()), "now": 0, "names": ["web"]}
    wanted |= dict(zip(("since", "until"), EVER, strict=True))
    with memory.database.driver() as connection:
        if analysed:
            connection.execute("ANALYZE")
        text = small._WHOLE["postgresql", False]._text(memory.database.engine.dialect)
        [(plan,)] = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}", wanted).fetchall()
    assert not any("tenant_at_key" in node.get("Index Name", "") for node in _nodes(plan[0]["Plan"]))


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for part in node.get("Plans", ()):
        yield from _nodes(part)
