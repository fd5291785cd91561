"""LlamaIndex's metadata filters in the engine's terms.

They mean what they mean to ``SimpleVectorStore``, which is Python: a key that is absent or None matches only ``!=`` and ``nin``
(and ``is_empty``), ``5 == 5.0``, ``True == 1``, strings compare by code point, ``contains``, ``any`` and ``all`` look for elements
of a list, for pieces of a text, or for keys of a mapping. Where ``SimpleVectorStore`` raises:

* Groups may be nested, to any depth; an empty group matches everything.
* A stored value that an operator can not be asked of (``"old" > 3``, ``text_match`` on a number) does not match.
* A filter that no stored value could ever pass (``in`` a number, ``text_match`` of a list) is refused: ``InvalidFilter``.

``!=`` and ``nin`` are the complements of ``==`` and ``in``; ``not`` matches where none of its filters does.

A filter becomes one of the engine's filter language where that means the same, and is then answered by the database; otherwise
(substrings) it becomes a function of a record.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
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
from genome_core.storage.reading import RecordFilter
from genome_core.types import Filter

_IN_VALUE = {
    "document_id": "ref_doc_id",
    "doc_id": "ref_doc_id",
    "ref_doc_id": "ref_doc_id",
    "_node_type": "class_name",
}
"""What LlamaIndex adds to a node's metadata for filters, and where the record's value has it."""
_ORDER = {
    FilterOperator.GT: ("$gt", operator.gt),
    FilterOperator.GTE: ("$gte", operator.ge),
    FilterOperator.LT: ("$lt", operator.lt),
    FilterOperator.LTE: ("$lte", operator.le),
}
_COMPLEMENTS = {FilterOperator.NE: FilterOperator.EQ, FilterOperator.NIN: FilterOperator.IN}
_MOST_CONDITIONS = 400
"""SQLite takes at most 1000 conditions in a row; each value of a list is one, or two."""
_EXACT = 2**53
"""Beyond, databases and Python do not agree on whether an integer equals a float."""
_NEVER: Filter = {"$or": []}
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One operator on one key of the metadata, or of the record's value."""

    key: str
    operator: FilterOperator
    operand: Any
    in_value: bool = False


@dataclass(frozen=True, slots=True)
class _Group:
    condition: FilterCondition
    parts: tuple[_Leaf | _Group, ...]


def record_filter(
    filters: MetadataFilters | None,
    *,
    node_ids: Sequence[str] | None = None,
    doc_ids: Sequence[str] | None = None,
) -> RecordFilter | None:
    """One filter of records for all three, which must all hold; None stands for no restriction.

    Raises ``InvalidFilter`` for a filter that no stored value could pass.
    """
    parts: list[_Leaf | _Group] = []
    for name, ids in (("node_id", node_ids), ("ref_doc_id", doc_ids)):
        if ids is not None:
            parts.append(_Leaf(name, FilterOperator.IN, list(ids), in_value=True))
    if filters is not None:
        parts.append(_group(filters))
    if not any(isinstance(part, _Leaf) or part.parts for part in parts):
        return None
    tree = _Group(FilterCondition.AND, tuple(parts))
    written = _written(tree) if _size(tree) <= _MOST_CONDITIONS else None
    return written if written is not None else lambda record: _matches(tree, record)


def _group(filters: MetadataFilters) -> _Group:
    parts = tuple(_group(one) if isinstance(one, MetadataFilters) else _leaf(one) for one in filters.filters)
    return _Group(filters.condition or FilterCondition.AND, parts)


def _leaf(filter: MetadataFilter) -> _Leaf:
    name, operand = filter.operator, filter.value
    if name in (FilterOperator.TEXT_MATCH, FilterOperator.TEXT_MATCH_INSENSITIVE):
        usable = isinstance(operand, str)
    elif name in (FilterOperator.IN, FilterOperator.NIN, FilterOperator.ANY, FilterOperator.ALL):
        usable = isinstance(operand, str | list)
    else:
        usable = operand is not None or name not in _ORDER
    if not usable:
        raise InvalidFilter(f"{filter.key!r} {name.value} {operand!r} matches nothing", hint="give another value")
    key = _IN_VALUE.get(filter.key)
    return _Leaf(key or filter.key, name, operand, in_value=key is not None)


# --- in Python -------------------------------------------------------------------------------------------------------


def _matches(part: _Leaf | _Group, record: Record) -> bool:
    if isinstance(part, _Leaf):
        document = record.value if part.in_value else record.metadata
        return _holds(part.operator, document.get(part.key) if isinstance(document, Mapping) else None, part.operand)
    results = (_matches(one, record) for one in part.parts)
    if not part.parts or part.condition is FilterCondition.AND:
        return all(results)
    return any(results) is (part.condition is FilterCondition.OR)


def _holds(name: FilterOperator, found: Any, operand: Any) -> bool:
    if name is FilterOperator.IS_EMPTY:
        return found is None or found in ("", [])
    if name in _COMPLEMENTS:
        return not _holds(_COMPLEMENTS[name], found, operand)
    if found is None:
        return False
    try:
        return bool(_TESTS[name](found, operand))
    except TypeError:
        return False


_TESTS: Mapping[FilterOperator, Callable[[Any, Any], Any]] = {
    FilterOperator.EQ: operator.eq,
    **{name: test for name, (_, test) in _ORDER.items()},
    FilterOperator.IN: lambda found, operand: found in operand,
    FilterOperator.CONTAINS: lambda found, operand: operand in found,
    FilterOperator.ANY: lambda found, operand: any(one in found for one in operand),
    FilterOperator.ALL: lambda found, operand: all(one in found for one in operand),
    FilterOperator.TEXT_MATCH: lambda found, operand: isinstance(found, str) and operand in found,
    FilterOperator.TEXT_MATCH_INSENSITIVE: lambda found, operand: (
        isinstance(found, str) and operand.lower() in found.lower()
    ),
}


# --- in the engine's filter language ---------------------------------------------------------------------------------


def _written(part: _Leaf | _Group) -> Filter | None:
    """The same in the engine's filter language, or None where it can not be said there."""
    if isinstance(part, _Leaf):
        condition = _condition(part) if _is_plain(part) else None
        return {"$value": condition} if condition is not None and part.in_value else condition
    written = [_written(one) for one in part.parts]
    known = [one for one in written if one is not None]
    if len(known) < len(written):
        return None
    if not known or part.condition is FilterCondition.AND:
        return known[0] if len(known) == 1 else {"$and": known}
    return {"$or": known} if part.condition is FilterCondition.OR else {"$not": {"$or": known}}


def _condition(leaf: _Leaf) -> Filter | None:
    key, name, operand = leaf.key, leaf.operator, leaf.operand
    if name in _COMPLEMENTS:
        opposite = _condition(_Leaf(key, _COMPLEMENTS[name], operand))
        return None if opposite is None else {"$not": opposite}
    if name in _ORDER:
        return _order(key, name, operand)
    if name is FilterOperator.IS_EMPTY:
        return {"$or": [{key: {"$exists": False}}, {key: {"$in": [None, "", []]}}]}
    if name is FilterOperator.EQ:
        return _equal(key, operand)
    if name is FilterOperator.IN and isinstance(operand, list):
        return {key: {"$in": [same for one in operand for same in _equals(one)]}}
    return _containing(key, name, operand)


def _order(key: str, name: FilterOperator, operand: Any) -> Filter | None:
    word, test = _ORDER[name]
    if isinstance(operand, list):
        return None
    if isinstance(operand, str):
        return {key: {word: operand}}
    return {"$or": [{key: {word: operand}}, {key: {"$in": [one for one in (False, True) if test(one, operand)]}}]}


def _equal(key: str, operand: Any) -> Filter | None:
    if operand is None:
        return _NEVER
    if isinstance(operand, list):
        return None if any(len(_equals(one)) > 1 for one in operand) else {key: {"$eq": operand}}
    return {key: {"$in": _equals(operand)}}


def _containing(key: str, name: FilterOperator, operand: Any) -> Filter | None:
    """``contains``, ``any`` and ``all``, for numbers: a text may also be a piece of a text."""
    wanted = [operand] if name is FilterOperator.CONTAINS else operand
    if name not in (FilterOperator.CONTAINS, FilterOperator.ANY, FilterOperator.ALL):
        return None
    if not isinstance(wanted, list) or any(one is None or isinstance(one, str | list) for one in wanted):
        return None
    found = [{"$or": [{key: {"$contains": same}} for same in _equals(one)]} for one in wanted]
    if name is FilterOperator.ANY:
        return {"$or": found}
    return {"$and": [{key: {"$ne": None}}, *found]}


def _equals(one: Any) -> list[Any]:
    """What equals a plain value in Python: to the filter language, true is not 1."""
    return [one, *(same for same in (False, True) if one == same)]


def _size(part: _Leaf | _Group) -> int:
    """How many conditions the databases get."""
    if isinstance(part, _Group):
        return sum(map(_size, part.parts))
    return len(part.operand) if isinstance(part.operand, list) else 1


def _is_plain(leaf: _Leaf) -> bool:
    """Whether key and operand mean the same to Python and to both databases."""
    operands = leaf.operand if isinstance(leaf.operand, list) else [leaf.operand]
    if leaf.key.startswith("$") or not _is_text(leaf.key):
        return False
    return all(
        one is None or (_is_text(one) if isinstance(one, str) else math.isfinite(one) and abs(one) < _EXACT)
        for one in operands
    )


def _is_text(text: str) -> bool:
    """Whether a database could hold it: without NUL and halves of surrogate pairs."""
    return not _UNSTORABLE.search(text)
