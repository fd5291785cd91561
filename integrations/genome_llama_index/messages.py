"""LlamaIndex's chat messages and the engine's records, each made from the other."""

from __future__ import annotations

from collections.abc import Mapping

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock

from genome_core import Record
from genome_core.inputs import clean_text, storable
from genome_core.search.context import OPEN, strip_context

_ROLES = {
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.FUNCTION: "tool",
    MessageRole.DEVELOPER: "system",
}


def to_record(message: ChatMessage, id: str) -> Record | None:
    """The message under an id: ``value`` restores it exactly, ``text`` is its words. None if it is only recalled context.

    Recalled context that was merged into a message is cut out, so that it is not learned again. What JSON can not hold is
    replaced with a warning: no turn is lost. Instructions (system messages) are kept, but search does not find them.
    """
    said = _without_recalled(message)
    if said is None:
        return None
    role = _ROLES.get(said.role, said.role.value)
    text = clean_text(said.content or "")
    return Record(
        text=text,
        id=id,
        role=role,
        name=_name(said, role),
        value=storable(said.model_dump(mode="json", fallback=str), "the message"),
        index=None if text.strip() and role != "system" else (),
    )


def to_message(record: Record) -> ChatMessage:
    """The message that the record was made from; a turn that another adapter wrote becomes a message of its role."""
    value = record.value
    if isinstance(value, Mapping) and {"role", "blocks", "additional_kwargs"} <= value.keys():
        return ChatMessage.model_validate(value)
    known = {role.value for role in MessageRole}
    return ChatMessage(record.text, role=MessageRole(record.role if record.role in known else "user"))


def last_question(messages: list[ChatMessage]) -> str:
    """What the user said last, without recalled context; blank if nothing."""
    for message in reversed(messages):
        if message.role is MessageRole.USER and message.content:
            return strip_context(clean_text(message.content))
    return ""


def _without_recalled(message: ChatMessage) -> ChatMessage | None:
    if OPEN not in (message.content or ""):
        return message
    blocks = []
    for block in message.blocks:
        if isinstance(block, TextBlock) and OPEN in block.text:
            text = strip_context(block.text)
            if not text:
                continue
            block = block.model_copy(update={"text": text})
        blocks.append(block)
    return message.model_copy(update={"blocks": blocks}) if blocks else None


def _name(message: ChatMessage, role: str) -> str | None:
    """Who speaks, where a host tells it; the name in a tool's message is the tool's."""
    name = message.additional_kwargs.get("name")
    return clean_text(name) if isinstance(name, str) and name.strip() and role in ("user", "assistant") else None
