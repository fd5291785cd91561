"""JSON as the tables keep it: exactly what was given, and so that every database reads the same numbers.

Python writes the float 2**60 as ``1.152921504606847e+18``, the shortest text that gives it back. PostgreSQL would take that for
another whole number, so floats from 10**16 up are written digit by digit.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_STRING_OR_LARGE_FLOAT = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.]*e\+\d+')


def json_text(value: Any) -> str:
    """JSON that keeps the order of keys and the exact value of every number; raises ``ValueError`` for NaN and infinities."""
    text = _ENCODER.encode(value)
    return _STRING_OR_LARGE_FLOAT.sub(_digits, text) if "e+" in text else text


def _digits(match: re.Match[str]) -> str:
    token = match[0]
    return token if token.startswith('"') else f"{Decimal(float(token)):f}.0"
