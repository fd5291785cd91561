"""LangGraph's serializer, except that an object whose class cannot be restored does not silently become a dict."""

from __future__ import annotations

import functools
import importlib
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import ormsgpack
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.jsonplus import (
    EXT_PYDANTIC_V1,
    EXT_PYDANTIC_V2,
    JsonPlusSerializer,
    _msgpack_default,
    _option,
)
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

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        if obj is None or isinstance(obj, (bytes, bytearray)):  # in half the time of a union
            return super().dumps_typed(obj)
        try:
            return "msgpack", ormsgpack.packb(obj, default=_extension, option=_option)
        except ormsgpack.MsgpackEncodeError:
            return super().dumps_typed(obj)  # which may pickle it

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[tuple[str, ...] | type]) -> JsonPlusSerializer:
        clone = super().with_msgpack_allowlist(extra_allowlist)
        if clone is not self:
            clone._unpack_ext_hook = _marking(clone._unpack_ext_hook)
        return clone


def _extension(obj: Any) -> Any:
    """What LangGraph's serializer makes of an object, in less time for pydantic's: there are many messages in a state."""
    kind = type(obj)
    if kind in _DIRECT and (packed := _packed_message(obj, kind)) is not None:
        return packed
    if getattr(kind, "model_dump", None) is not BaseModel.model_dump:  # isinstance() of pydantic's takes longer
        return _msgpack_default(obj)
    parts = (kind.__module__, kind.__name__, obj.__pydantic_serializer__.to_python(obj), "model_validate_json")
    return ormsgpack.Ext(EXT_PYDANTIC_V2, ormsgpack.packb(parts, default=_extension, option=_option))


def _packed_message(message: BaseModel, kind: type[BaseModel]) -> Any:
    """The message, of a class whose fields pydantic hands out as they are; ``None`` if other objects are inside of it."""
    extra = message.__pydantic_extra__
    fields = {**message.__dict__, **extra} if extra else message.__dict__
    try:
        data = ormsgpack.packb((*_DIRECT[kind], fields, "model_validate_json"), default=_refuse, option=_option)
    except ormsgpack.MsgpackEncodeError:
        return None
    return ormsgpack.Ext(EXT_PYDANTIC_V2, data)


def _refuse(obj: Any) -> Any:
    raise TypeError(type(obj).__name__)  # pydantic would hand out what is inside of it


_DIRECT: Mapping[type[BaseModel], tuple[str, str]] = {
    kind: (kind.__module__, kind.__name__) for kind in (AIMessage, HumanMessage, SystemMessage, ToolMessage)
}
"""Messages, with where to find the class, that have no serializers of their own, and whose ``__init__`` only hands on what
it gets unless there are ``content_blocks``, which is no field."""


def _marking(restore: Callable[[int, bytes], Any]) -> Callable[[int, bytes], Any]:
    """LangGraph's way to restore objects, in less time for messages, and marking those whose class is gone."""

    def hook(code: int, data: bytes) -> Any:
        if code not in (EXT_PYDANTIC_V1, EXT_PYDANTIC_V2):
            return restore(code, data)
        if code == EXT_PYDANTIC_V2 and (message := _message(data)) is not None:
            return message
        restored = restore(code, data)
        if type(restored) is dict:
            module, name, *_ = ormsgpack.unpackb(data, ext_hook=lambda *_: None, option=ormsgpack.OPT_NON_STR_KEYS)
            _warn_once(f"{module}.{name}")
            return UnknownObject(restored, f"{module}.{name}")
        return restored

    return hook


def _message(data: bytes) -> BaseModel | None:
    """A message, if it is one of a class that is always allowed, and no other object is inside of it."""
    try:
        module, name, fields, *_ = ormsgpack.unpackb(data, option=ormsgpack.OPT_NON_STR_KEYS)
    except ormsgpack.MsgpackDecodeError:
        return None  # there is
    known = _known_class(module, name)
    if known is None:
        return None
    try:
        if known in _DIRECT and "content" in fields and "content_blocks" not in fields:
            made = known.__new__(known)
            known.__pydantic_validator__.validate_python(fields, self_instance=made)
            return made
        return known(**fields)
    except Exception:  # noqa: BLE001  # as LangGraph does: what fits no more is restored unchecked
        return known.model_construct(**fields)


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
