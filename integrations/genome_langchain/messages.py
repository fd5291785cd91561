"""LangChain's messages and the engine's records, each made from the other."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace

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
from genome_core.inputs import clean_text, storable
from genome_core.search.context import strip_context

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}


def to_turn(message: BaseMessage, id: str) -> Record:
    """What the message says and who says it, without recalled context, under an id.

    What no database keeps (NUL, half a surrogate pair) is replaced with a warning: no turn is lost.
    """
    turn = _turn(message, id)
    if turn.text != strip_context(str(message.text)):
        warnings.warn("a message was stored with a replacement of what no database keeps", UserWarning, stacklevel=4)
    return turn


def to_record(message: BaseMessage, id: str) -> Record:
    """The turn with a ``value`` that restores the message exactly.

    What JSON or a database can not keep is replaced with a warning. Raises ``InvalidInput`` for a type of message that
    LangChain could not read back.
    """
    serialised = message_to_dict(message)
    try:
        messages_from_dict([serialised])
    except ValueError as error:
        raise InvalidInput(f"a {type(message).__name__} can not be kept: {error}", hint="convert it first") from error
    return replace(_turn(message, id), value=storable(serialised, "the message"))


def _turn(message: BaseMessage, id: str) -> Record:
    text, role = message_words(message), message_role(message)
    return Record(
        text=text,
        id=id,
        role=role,
        name=clean_text(message.name) if message.name and role not in ("tool", "system") else None,
        index=None if text.strip() else (),
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
