"""LangChain's messages and the engine's records, each made from the other."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    message_to_dict,
    messages_from_dict,
)

from genome_core import Record
from genome_core.errors import InvalidInput
from genome_core.inputs import clean_text, plain_json
from genome_core.search.context import strip_context

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
_ORIGINS = {"user": "user", "tool": "tool", "system": "system"}


def to_record(message: BaseMessage, id: str) -> Record:
    """The message under an id: ``value`` restores it exactly, ``text`` is its words without recalled context.

    What no database keeps (NUL, half a surrogate pair, a value that is not JSON) is replaced with a warning: no turn is lost.
    Raises ``InvalidInput`` for a type of message that LangChain could not read back.
    """
    serialised = message_to_dict(message)
    try:
        messages_from_dict([serialised])
    except ValueError as error:
        raise InvalidInput(f"a {type(message).__name__} can not be kept: {error}", hint="convert it first") from error
    text = message_words(message)
    role = message_role(message)
    return Record(
        text=text,
        id=id,
        role=role,
        name=clean_text(message.name) if message.name and role not in ("tool", "system") else None,
        value=_storable(serialised),
        index=None if text.strip() else (),
        origin=_ORIGINS.get(role, "agent"),
    )


def message_role(message: BaseMessage) -> str:
    """``user``, ``assistant``, ``system``, ``tool``, or the role of a ``ChatMessage``."""
    if isinstance(message, ChatMessage):
        return clean_text(message.role)
    return _ROLES.get(message.type.removesuffix("MessageChunk").lower(), "system")


def message_words(message: BaseMessage) -> str:
    """What the message says, without recalled context that was merged into it."""
    return strip_context(clean_text(str(message.text)))


def to_message(record: Record) -> BaseMessage:
    """The message that the record was made from; a turn that another adapter wrote becomes a message of its role."""
    value = record.value
    if isinstance(value, Mapping) and value.keys() == {"type", "data"}:
        return messages_from_dict([dict(value)])[0]
    if record.role == "user":
        return HumanMessage(record.text, id=record.id, name=record.name)
    if record.role == "assistant":
        return AIMessage(record.text, id=record.id, name=record.name)
    if record.role == "system":
        return SystemMessage(record.text, id=record.id)
    return ChatMessage(content=record.text, role=record.role, id=record.id)


def _storable(serialised: dict[str, Any]) -> Any:
    try:
        return plain_json(serialised, "the message")
    except InvalidInput as error:
        warnings.warn(f"stored with a replacement: {error}", UserWarning, stacklevel=4)
        return _replaced(serialised)


def _replaced(value: Any) -> Any:
    """The nearest value that JSON and every database can keep."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_text(str(key)): _replaced(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_replaced(one) for one in value]
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return clean_text(str(value))
