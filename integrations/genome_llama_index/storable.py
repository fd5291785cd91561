"""What a database can keep of what LlamaIndex hands over. Nothing is lost: what can not be kept is replaced, with a warning."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

from genome_core.errors import InvalidInput
from genome_core.inputs import clean_text, plain_json


def storable(value: Any, what: str) -> Any:
    """The value as JSON that every database keeps exactly; halves of surrogate pairs, NUL and NaN are replaced.

    ``what`` names it in the ``UserWarning``.
    """
    try:
        return plain_json(value, what)
    except InvalidInput as error:
        warnings.warn(f"stored with a replacement: {error}", UserWarning, stacklevel=3)
        return _replaced(value)


def _replaced(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_text(str(key)): _replaced(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else clean_text(str(value))
