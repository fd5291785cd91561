"""LlamaIndex's metadata filters as a tree, and what they mean, in Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)

from genome_core import Record
from genome_core.errors import InvalidFilter

COMPLEMENTS = {FilterOperator.NE: FilterOperator.EQ, FilterOperator.NIN: FilterOperator.IN}
ORDER: Mapping[FilterOperator, Callable[[Any, Any], Any]] = {
    FilterOperator.GT: operator.gt,
    FilterOperator.GTE: operator.ge,
    FilterOperator.LT: operator.lt,
    FilterOperator.LTE: operator.le,
}
_IN_VALUE = {
    "document_id": "ref_doc_id",
    "doc_id": "ref_doc_id",
    "ref_doc_id": "ref_doc_id",
    "_node_type": "class_name",
}
"""What LlamaIndex adds to a node's metadata for filters, and where the record's value has it."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One operator on one key of the metadata, or of the record's value."""

    key: str
    operator: FilterOperator
    operand: Any
    in_value: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    condition: FilterCondition
    parts: tuple[Leaf | Group, ...]


def read_group(filters: MetadataFilters) -> Group:
    """Reads a group with all that is nested in it; raises ``InvalidFilter`` for a filter that no stored value could pass."""
    parts = tuple(read_group(one) if isinstance(one, MetadataFilters) else _read_leaf(one) for one in filters.filters)
    return Group(filters.condition or FilterCondition.AND, parts)


def _read_leaf(filter: MetadataFilter) -> Leaf:
    name, operand = filter.operator, filter.value
    if name in (FilterOperator.TEXT_MATCH, FilterOperator.TEXT_MATCH_INSENSITIVE):
        usable = isinstance(operand, str)
    elif name in (FilterOperator.IN, FilterOperator.NIN, FilterOperator.ANY, FilterOperator.ALL):
        usable = isinstance(operand, str | list)
    else:
        usable = operand is not None or name not in ORDER
    if not usable:
        raise InvalidFilter(f"{filter.key!r} {name.value} {operand!r} matches nothing", hint="give another value")
    key = _IN_VALUE.get(filter.key)
    return Leaf(key or filter.key, name, operand, in_value=key is not None)


def matches(part: Leaf | Group, record: Record) -> bool:
    """Whether a record passes."""
    if isinstance(part, Leaf):
        document = record.value if part.in_value else record.metadata
        return _holds(part.operator, document.get(part.key) if isinstance(document, Mapping) else None, part.operand)
    results = (matches(one, record) for one in part.parts)
    if not part.parts or part.condition is FilterCondition.AND:
        return all(results)
    return any(results) is (part.condition is FilterCondition.OR)


def _holds(name: FilterOperator, found: Any, operand: Any) -> bool:
    if name is FilterOperator.IS_EMPTY:
        return found is None or found in ("", [])
    if name in COMPLEMENTS:
        return not _holds(COMPLEMENTS[name], found, operand)
    if found is None:
        return False
    try:
        return bool(_TESTS[name](found, operand))
    except TypeError:
        return False


_TESTS: Mapping[FilterOperator, Callable[[Any, Any], Any]] = {
    FilterOperator.EQ: operator.eq,
    **ORDER,
    FilterOperator.IN: lambda found, operand: found in operand,
    FilterOperator.CONTAINS: lambda found, operand: operand in found,
    FilterOperator.ANY: lambda found, operand: any(one in found for one in operand),
    FilterOperator.ALL: lambda found, operand: all(one in found for one in operand),
    FilterOperator.TEXT_MATCH: lambda found, operand: isinstance(found, str) and operand in found,
    FilterOperator.TEXT_MATCH_INSENSITIVE: lambda found, operand: (
        isinstance(found, str) and operand.lower() in found.lower()
    ),
}
