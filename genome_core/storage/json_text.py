"""JSON as the tables keep it: exactly what was given, and so that every database reads the same numbers.

Python writes the float 2**60 as ``1.152921504606847e+18``, the shortest text that gives it back. PostgreSQL would take that for
another whole number, so floats from 10**16 up are written digit by digit.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from decimal import Decimal
from typing import Any

import orjson

_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_SORTING = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_SAME = frozenset({str, int, bool, type(None)})
_STRING_OR_LARGE_FLOAT = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.]*e\+\d+')


def json_text(value: Any) -> str:
    """JSON that keeps the order of keys and the exact value of every number; raises ``ValueError`` for NaN and infinities."""
    if _without_floats(value):
        with suppress(TypeError):
            return orjson.dumps(value).decode()
    text = _ENCODER.encode(value)
    return _STRING_OR_LARGE_FLOAT.sub(_digits, text) if "e+" in text else text


def canonical(value: Any) -> str:
    """JSON with one spelling for one value: sorted keys, no spaces, real characters; raises ``ValueError`` for NaN and infinities."""
    if _without_floats(value):
        with suppress(TypeError):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    return _SORTING.encode(value)


def _without_floats(value: Any) -> bool:
    """Whether ``orjson`` writes the value just as ``json`` does, ten times as fast, or raises ``TypeError`` (as for very large numbers)."""
    kind = type(value)
    if kind is not dict and kind is not list and kind is not tuple:
        return kind in _SAME
    parts = value.values() if kind is dict else value
    return all(map(_without_floats, [part for part in parts if type(part) not in _SAME]))


def _digits(match: re.Match[str]) -> str:
    token = match[0]
    return token if token.startswith('"') else f"{Decimal(float(token)):f}.0"
