"""What callers hand in becomes checked records, before anything is written."""

from __future__ import annotations

import hashlib
import math
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from genome_core.errors import InvalidInput
from genome_core.storage.json_text import canonical
from genome_core.storage.moments import to_micros
from genome_core.types import JSON, Record, origin_of

Message = str | Mapping[str, Any] | Record
"""A text, a ``{"role": ..., "content": ...}`` mapping (also ``name``, ``id``, ``at``, ``metadata``), or a record."""

_DEEPEST = 100
_MOST_BITS = 10_000
"""Python itself refuses to write much longer numbers."""
_MESSAGE_KEYS = {"role", "content", "name", "id", "at", "metadata", "origin", "believer", "value"}


def as_list(messages: Message | Sequence[Message]) -> list[Message]:
    if isinstance(messages, str | Mapping | Record):
        return [messages]
    if not isinstance(messages, Sequence):
        raise InvalidInput(f"can not add {type(messages).__name__}", hint="give a text, a message or a list of them")
    return list(messages)


def to_record(message: Message) -> Record:
    """A message as a record; nothing is checked yet but the message's own form."""
    if isinstance(message, Record):
        return message
    if isinstance(message, str):
        return Record(text=message)
    if not isinstance(message, Mapping):
        raise InvalidInput(f"can not add {message!r}", hint="give a text, a {'role', 'content'} mapping or a Record")
    unknown = message.keys() - _MESSAGE_KEYS
    if unknown or "content" not in message:
        problem = f"unknown keys {sorted(map(str, unknown))}" if unknown else "no 'content'"
        raise InvalidInput(f"a message has {problem}", hint="put your own keys under 'metadata'")
    given = {key: value for key, value in message.items() if value is not None}
    if not str(given.get("origin", "x")).strip():
        raise InvalidInput("a message has a blank 'origin'", hint="leave it out to have it follow from the role")
    if not str(given.get("id", "x")).strip():
        raise InvalidInput("a message has a blank 'id'", hint="leave it out to get one")
    return Record(text=given.pop("content", ""), **given)


def check_record(record: Record) -> None:
    """Raises ``InvalidInput`` for texts and times that not every database would keep exactly."""
    check_text(record.text, "text")
    check_text(record.role, "role")
    check_text(record.origin, "origin")
    check_text(record.believer, "believer")
    if record.name is not None:
        check_text(record.name, "name")
    if not record.role.strip() or not record.origin.strip():
        raise InvalidInput("role and origin can not be blank")
    if record.at is not None:
        to_micros(record.at, "at")
    if record.expires_at is not None:
        to_micros(record.expires_at, "expires_at")
    if isinstance(record.index, str):
        raise InvalidInput(f"index is the text {record.index[:40]!r}", hint="give a tuple of texts")
    for text in record.index or ():
        check_text(text, "an index text")


def check_origin(origin: Any) -> None:
    """Raises ``InvalidInput`` for what is no origin."""
    check_text(origin, "origin")
    if not origin.strip():
        raise InvalidInput("the origin is blank", hint="say who: user, agent, tool, web, system or a name of your own")


def check_whole(number: Any, what: str) -> None:
    """Raises ``InvalidInput`` for anything but a whole number from 0 that a database can count to."""
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**62:
        raise InvalidInput(f"{what} is {number!r}", hint="give a whole number, 0 or more")


def check_text(text: Any, what: str) -> None:
    if not isinstance(text, str):
        raise InvalidInput(f"{what} is {type(text).__name__}", hint="give a string")
    if "\x00" in text:
        raise InvalidInput(f"{what} holds NUL, which PostgreSQL can not keep", hint="use genome_core.inputs.clean_text")
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{what} holds half a surrogate pair at {error.start}", hint="use genome_core.inputs.clean_text"
        ) from error


def clean_text(text: str) -> str:
    """The text with U+FFFD in place of what no database keeps: halves of surrogate pairs, and NUL."""
    return text.replace("\x00", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def plain_json(value: Any, what: str, depth: int = 0) -> Any:
    """A copy made of plain JSON types; raises ``InvalidInput`` naming the place of anything else."""
    if depth > _DEEPEST:
        raise InvalidInput(f"{what[:60]}... is nested deeper than {_DEEPEST} levels", hint="flatten it")
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise InvalidInput(f"{what} is a number of more than {_MOST_BITS} bits", hint="keep it as a string")
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        check_text(value, what)
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"{what} is {value}, which JSON can not express", hint="use None or a string")
        return value
    if isinstance(value, dict | Mapping):  # asked in this order, since the second takes ten times as long
        for key in value:
            if not isinstance(key, str):
                raise InvalidInput(f"{what} has the key {key!r}", hint="keys are strings")
            check_text(key, f"a key of {what}")
        return {key: plain_json(one, f"{what}[{key!r}]", depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(one, f"{what}[{place}]", depth + 1) for place, one in enumerate(value)]
    raise InvalidInput(f"{what} is a {type(value).__name__}, which is not JSON", hint="convert it first")


def storable(value: Any, what: str) -> Any:
    """The value as JSON that every database keeps exactly; what none can keep is replaced, with a ``UserWarning``.

    For adapters whose host must not lose a turn: halves of surrogate pairs and NUL become U+FFFD, NaN and
    other objects their text. ``what`` names the value in the warning.
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
    kept = value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value))
    return value if kept else clean_text(str(value))


def normalised(text: str) -> str:
    """The form in which two texts are the same text: Unicode NFC, white space collapsed. Case counts."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def duplicate_key(record: Record, value: JSON, at: datetime | None) -> bytes:
    """What records that count as the same share, within a namespace: words, role, speaker, value, given time, origin and believer.

    What the web said first and the user says too are two records, so that neither takes the trust of the other; and so are the
    same words of two believers.
    """
    parts: list[Any] = [normalised(record.text), record.role, record.name, value, at and to_micros(at)]
    if record.origin != origin_of(record.role):
        parts.append(record.origin)
    if record.believer:
        parts.append({"believer": record.believer})
    return hashlib.blake2b(canonical(parts).encode(), digest_size=16).digest()


def expiry(now: datetime, ttl: timedelta | float | None) -> datetime | None:
    """When something expires that lives for ``ttl`` (a timedelta, or seconds)."""
    if ttl is None:
        return None
    try:
        lifetime = ttl if isinstance(ttl, timedelta) else timedelta(seconds=ttl)
        end = now + lifetime
    except (OverflowError, TypeError, ValueError) as error:
        raise InvalidInput(f"ttl is {ttl!r}", hint="give a timedelta or seconds") from error
    if lifetime <= timedelta(0):
        raise InvalidInput(f"ttl is {ttl}", hint="give a positive time to live")
    return end
