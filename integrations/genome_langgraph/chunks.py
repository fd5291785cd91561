"""Large values are kept in pieces, so that a conversation that grows is not copied at each step.

The bytes of a value are cut at fixed places. A piece is stored once per thread, under the digest of its content: of a
list to which something was appended, all pieces but the last are there already. The head, in which serializers
keep lengths, and the rest behind the last whole piece stay in the value's own row.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence

from genome_core.errors import IntegrityError

SIZE = 1_800
"""Bytes of a piece: two of them, with their keys, fill a page of SQLite."""

SMALLEST = 8_192
"""Bytes from which on a value is cut."""

_HEAD = 16


def cut(data: bytes) -> tuple[bytes, Mapping[str, bytes], str | None]:
    """What stays in the row, the pieces by digest, and the JSON list of the digests in order (``None``: not cut)."""
    if len(data) < SMALLEST:
        return data, {}, None
    end = _HEAD + (len(data) - _HEAD) // SIZE * SIZE
    pieces = [data[start : start + SIZE] for start in range(_HEAD, end, SIZE)]
    digests = [_digest(piece) for piece in pieces]
    return data[:_HEAD] + data[end:], dict(zip(digests, pieces, strict=True)), json.dumps(digests)


def listed(chunks: str | None) -> Sequence[str]:
    """The digests of a value's pieces; none if it was not cut."""
    digests: list[str] = json.loads(chunks) if chunks else []
    return digests


def join(kept: bytes, chunks: str | None, pieces: Mapping[str, bytes]) -> bytes:
    """The inverse of ``cut``; raises ``IntegrityError`` if a piece is missing."""
    if not chunks:
        return kept
    try:
        middle = b"".join(pieces[digest] for digest in listed(chunks))
    except KeyError as error:
        raise IntegrityError(
            f"a piece of a channel's value is missing: {error}", hint="restore the database from a backup"
        ) from error
    return kept[:_HEAD] + middle + kept[_HEAD:]


def _digest(piece: bytes) -> str:
    return base64.b64encode(hashlib.blake2b(piece, digest_size=18).digest()).decode()
