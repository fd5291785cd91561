"""Metadata filters in the engine's filter language, where it can say them."""

from __future__ import annotations

import math
import re
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator

from genome_core.types import Filter
from genome_llama_index.conditions import COMPLEMENTS, ORDER, Group, Leaf

_WORDS = {
    FilterOperator.GT: "$gt",
    FilterOperator.GTE: "$gte",
    FilterOperator.LT: "$lt",
    FilterOperator.LTE: "$lte",
}
_SEVERAL = (FilterOperator.CONTAINS, FilterOperator.ANY, FilterOperator.ALL)
_EXACT = 2**53
"""Beyond, databases and Python do not agree on whether an integer equals a float."""
_NEVER: Filter = {"$or": []}
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def written(part: Leaf | Group) -> Filter | None:
    """The same in the engine's filter language, or None where it can not be said there."""
    if isinstance(part, Leaf):
        condition = _condition(part) if _is_plain(part) else None
        return {"$value": condition} if condition is not None and part.in_value else condition
    known = [one for one in map(written, part.parts) if one is not None]
    if len(known) < len(part.parts):
        return None
    if not known or part.condition is FilterCondition.AND:
        return known[0] if len(known) == 1 else {"$and": known}
    return {"$or": known} if part.condition is FilterCondition.OR else {"$not": {"$or": known}}


def _condition(leaf: Leaf) -> Filter | None:
    key, name, operand = leaf.key, leaf.operator, leaf.operand
    if name in COMPLEMENTS:
        opposite = _condition(Leaf(key, COMPLEMENTS[name], operand))
        return None if opposite is None else {"$not": opposite}
    if name in ORDER:
        return _order(key, name, operand)
    if name is FilterOperator.IS_EMPTY:
        return {"$or": [{key: {"$exists": False}}, {key: {"$in": [None, "", []]}}]}
    if name is FilterOperator.EQ:
        return _equal(key, operand)
    if name is FilterOperator.IN and isinstance(operand, list):
        return {key: {"$in": [same for one in operand for same in _equals(one)]}}
    if name is FilterOperator.TEXT_MATCH:
        return {key: {"$includes": operand}}
    return _containing(key, name, operand) if name in _SEVERAL else None


def _order(key: str, name: FilterOperator, operand: Any) -> Filter | None:
    if isinstance(operand, list):
        return None
    if isinstance(operand, str):
        return {key: {_WORDS[name]: operand}}
    booleans = [one for one in (False, True) if ORDER[name](one, operand)]
    return {"$or": [{key: {_WORDS[name]: operand}}, {key: {"$in": booleans}}]}


def _equal(key: str, operand: Any) -> Filter | None:
    if operand is None:
        return _NEVER
    if isinstance(operand, list):
        return None if any(len(_equals(one)) > 1 for one in operand) else {key: {"$eq": operand}}
    return {key: {"$in": _equals(operand)}}


def _containing(key: str, name: FilterOperator, operand: Any) -> Filter | None:
    """``contains``, ``any`` and ``all``: an element of a list, a piece of a text, a key of a mapping."""
    wanted = [operand] if name is FilterOperator.CONTAINS else list(operand)
    if any(isinstance(one, list) or (isinstance(one, str) and one.startswith("$")) for one in wanted):
        return None
    found = [{"$or": _places(key, one)} for one in wanted]
    if name is FilterOperator.ANY:
        return {"$or": found}
    return {"$and": [{key: {"$ne": None}}, *found]}


def _places(key: str, one: Any) -> list[Filter]:
    found: list[Filter] = [{key: {"$contains": same}} for same in _equals(one)]
    if isinstance(one, str):
        found += [{key: {"$includes": one}}, {key: {one: {"$exists": True}}}]
    return found


def _equals(one: Any) -> list[Any]:
    """What equals a plain value in Python: to the filter language, true is not 1."""
    return [one, *(same for same in (False, True) if one == same)]


def size(part: Leaf | Group) -> int:
    """How many conditions it has: databases bound them."""
    if isinstance(part, Group):
        return sum(map(size, part.parts))
    return len(part.operand) if part.operator in _SEVERAL and isinstance(part.operand, str | list) else 1


def _is_plain(leaf: Leaf) -> bool:
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
