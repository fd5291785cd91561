"""LangGraph's serializer, except that an object whose class cannot be restored does not silently become a dict."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V1, EXT_PYDANTIC_V2, JsonPlusSerializer

logger = logging.getLogger(__name__)


class UnknownObject(dict[str, Any]):
    """What is left of an object whose class is gone, or not allowed: its fields, and the name of its class."""

    def __init__(self, fields: dict[str, Any], class_name: str) -> None:
        super().__init__(fields)
        self.class_name = class_name

    def __repr__(self) -> str:
        return f"UnknownObject({self.class_name}, {dict(self)!r})"


class CheckpointSerializer(JsonPlusSerializer):
    """``JsonPlusSerializer`` with the same options and the same bytes.

    LangGraph restores a pydantic object as a plain dict, without a word, if its class cannot be imported. Here it
    becomes an ``UnknownObject``, which is a dict too, and a warning is logged; the other channels load as usual.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._unpack_ext_hook = _marking(self._unpack_ext_hook)

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[tuple[str, ...] | type]) -> JsonPlusSerializer:
        clone = super().with_msgpack_allowlist(extra_allowlist)
        if clone is not self:
            clone._unpack_ext_hook = _marking(clone._unpack_ext_hook)
        return clone


def _marking(restore: Callable[[int, bytes], Any]) -> Callable[[int, bytes], Any]:
    def hook(code: int, data: bytes) -> Any:
        restored = restore(code, data)
        if code in (EXT_PYDANTIC_V1, EXT_PYDANTIC_V2) and type(restored) is dict:
            module, name, *_ = ormsgpack.unpackb(data, ext_hook=_skip, option=ormsgpack.OPT_NON_STR_KEYS)
            _warn_once(f"{module}.{name}")
            return UnknownObject(restored, f"{module}.{name}")
        return restored

    return hook


def _skip(_code: int, _data: bytes) -> None:
    return None


@functools.cache
def _warn_once(class_name: str) -> None:
    logger.warning("Could not restore %s from a checkpoint: its fields are returned as UnknownObject", class_name)
