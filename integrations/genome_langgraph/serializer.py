"""LangGraph's serializer, except that an object whose class cannot be restored does not silently become a dict."""

from __future__ import annotations

import functools
import importlib
import logging
from collections.abc import Callable, Iterable
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V1, EXT_PYDANTIC_V2, JsonPlusSerializer
from pydantic import BaseModel

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
    """LangGraph's way to restore objects, in less time for messages, and marking those whose class is gone."""

    def hook(code: int, data: bytes) -> Any:
        if code not in (EXT_PYDANTIC_V1, EXT_PYDANTIC_V2):
            return restore(code, data)
        nested: list[int] = []  # codes of objects inside of this one
        module, name, fields, *_ = ormsgpack.unpackb(
            data, ext_hook=lambda inner, _: nested.append(inner), option=ormsgpack.OPT_NON_STR_KEYS
        )
        if code == EXT_PYDANTIC_V2 and not nested and (known := _known_class(module, name)):
            try:
                return known(**fields)
            except Exception:  # noqa: BLE001  # as LangGraph does: what fits no more is restored unchecked
                return known.model_construct(**fields)
        restored = restore(code, data)
        if type(restored) is dict:
            _warn_once(f"{module}.{name}")
            return UnknownObject(restored, f"{module}.{name}")
        return restored

    return hook


@functools.cache
def _known_class(module: str, name: str) -> type[BaseModel] | None:
    """A class that LangGraph restores whatever is allowed: all messages are, and looking each up takes a while."""
    if (module, name) not in SAFE_MSGPACK_TYPES:
        return None
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return None
    return found if isinstance(found, type) and issubclass(found, BaseModel) else None


@functools.cache
def _warn_once(class_name: str) -> None:
    logger.warning("Could not restore %s from a checkpoint: its fields are returned as UnknownObject", class_name)
