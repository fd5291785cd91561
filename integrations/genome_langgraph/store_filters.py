"""The filters of LangGraph's stores in the language of ``genome_core.storage.filters``."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from genome_core.errors import InvalidFilter

Condition = dict[str, Any]
Path = tuple[str, ...]


def translated(filter: Mapping[str, Any]) -> Condition:
    """A store's filter in the language of the engine; what is not in the language is left for the engine to refuse.

    A key that should be None may also be missing. A key with dots means itself or, as in LangGraph's SQLite store, a path.
    Operands that no stored value can equal, such as infinity, are compared by their meaning.
    """
    if not isinstance(filter, Mapping):
        raise InvalidFilter(f"a filter is a mapping, not {type(filter).__name__}", hint='such as {"city": "Rome"}')
    return _all([_entry(key, operand) for key, operand in filter.items()])


def _entry(key: str, operand: Any) -> Condition:
    if key in ("$and", "$or"):
        if not isinstance(operand, list | tuple) or not all(isinstance(part, Mapping) for part in operand):
            raise InvalidFilter(f"{key} takes a list of filters, not {operand!r}")
        return {key: [translated(part) for part in operand]}
    if key == "$not" and isinstance(operand, Mapping):
        return {key: translated(operand)}
    literal = _test((key,), operand)
    labels = key.split(".") if isinstance(key, str) else [key]
    if len(labels) == 1 or not all(labels):
        return literal
    either = [literal, _test(tuple(labels), operand)]
    return _all(either) if _wants_nothing(operand) else {"$or": either}


def _wants_nothing(operand: Any) -> bool:
    return operand is None or (isinstance(operand, Mapping) and operand.get("$eq", ...) is None)


def _test(path: Path, operand: Any) -> Condition:
    if not isinstance(operand, Mapping):
        return _comparison(path, "$eq", operand)
    operators = [str(name).startswith("$") for name in operand]
    if operand and not any(operators):
        return _all([_test((*path, key), nested) for key, nested in operand.items()])
    if not all(operators):
        return _at(path, operand)
    return _all([_comparison(path, name, one) for name, one in operand.items()]) if operand else _at(path, {})


def _comparison(path: Path, name: str, operand: Any) -> Condition:
    found = _at(path, _possible(name, operand))
    return {"$or": [found, _at(path, {"$exists": False})]} if (name, operand) == ("$eq", None) else found


def _possible(name: str, operand: Any) -> Condition:
    """A comparison with something that no stored value can be, as one with something that it can be."""
    if isinstance(operand, str):
        impossible = "\x00" in operand or any("\ud800" <= character <= "\udfff" for character in operand)
    else:
        impossible = isinstance(operand, float) and not math.isfinite(operand)
    if not impossible or name not in ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte"):
        return {name: operand}
    if name == "$ne":
        return {"$exists": True}
    if operand == (math.inf if name in ("$lt", "$lte") else -math.inf) and name != "$eq":
        return {f"{name[:3]}e": math.copysign(sys.float_info.max, operand)}
    return {"$in": []}


def _at(path: Path, test: Any) -> Condition:
    for key in reversed(path):
        test = {key: test}
    return dict(test)


def _all(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else {"$and": list(parts)}
