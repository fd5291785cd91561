"""LlamaIndex's metadata filters in the engine's terms.

They mean what they mean to ``SimpleVectorStore``, which is Python: a key that is absent or None matches only ``!=`` and ``nin``
(and ``is_empty``), ``5 == 5.0``, ``True == 1``, strings compare by code point, ``contains``, ``any`` and ``all`` look for elements
of a list, for pieces of a text, or for keys of a mapping. Where ``SimpleVectorStore`` raises:

* Groups may be nested, to any depth; an empty group matches everything.
* A stored value that an operator can not be asked of (``"old" > 3``, ``text_match`` on a number) does not match.
* A filter that no stored value could ever pass (``in`` a number, ``text_match`` of a list) is refused: ``InvalidFilter``.

``!=`` and ``nin`` are the complements of ``==`` and ``in``; ``not`` matches where none of its filters does.

What the engine's filter language can say is answered by the database. What it can not (``text_match_insensitive``, ``in`` a text, integers beyond 2**53) is a function of a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilters

from genome_core import Record
from genome_core.types import Filter
from genome_llama_index.conditions import Group, Leaf, matches, read_group
from genome_llama_index.language import size, written

_MOST_CONDITIONS = 400
"""What is more is left for Python: SQLite takes at most 1000 in a row."""


@dataclass(frozen=True, slots=True)
class NodeFilter:
    """A filter in two parts, which must both hold; None is no restriction."""

    database: Filter | None = None
    """In the engine's filter language."""
    test: Callable[[Record], bool] | None = None
    """What is left for Python."""
    whole: Callable[[Record], bool] | None = None
    """Both parts in Python, where there is a test."""

    def passing(self, records: Iterable[Record]) -> list[Record]:
        """Of the records that the database let through, those that pass the test too."""
        return [record for record in records if self.test is None or self.test(record)]


def node_filter(
    filters: MetadataFilters | None,
    *,
    node_ids: Sequence[str] | None = None,
    doc_ids: Sequence[str] | None = None,
) -> NodeFilter:
    """One filter for all three, which must all hold; None stands for no restriction.

    Raises ``InvalidFilter`` for a filter that no stored value could pass.
    """
    parts: list[Leaf | Group] = []
    for name, ids in (("node_id", node_ids), ("ref_doc_id", doc_ids)):
        if ids is not None:
            parts.append(Leaf(name, FilterOperator.IN, list(ids), in_value=True))
    if filters is not None:
        group = read_group(filters)
        # Each part of a conjunction goes its own way.
        parts += group.parts if group.condition is FilterCondition.AND or not group.parts else (group,)
    database: list[Filter] = []
    left: list[Leaf | Group] = []
    conditions = 0
    for part in parts:
        conditions += size(part)
        filter = written(part) if conditions <= _MOST_CONDITIONS else None
        if filter is None:
            left.append(part)
        else:
            database.append(filter)
    by_database: Filter | None = {"$and": database} if database else None
    if not left:
        return NodeFilter(by_database)
    return NodeFilter(by_database, *(_test(some) for some in (left, parts)))


def _test(parts: Sequence[Leaf | Group]) -> Callable[[Record], bool]:
    return lambda record: all(matches(part, record) for part in parts)
