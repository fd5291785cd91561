"""Vectors of sentences that come with this package, kept in the cache folder so that each process need not embed them anew."""

from __future__ import annotations

import hashlib
import logging
import os
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from genome_core.embedders.models import cache_folder
from genome_core.protocols import Fingerprint, Vectors

logger = logging.getLogger(__name__)

_OF_WEIGHTS = ("transformer", "static")
"""The kinds whose digest is that of their weights: another name may stand for another function tomorrow."""


def kept_vectors(embed: Callable[[Sequence[str]], Vectors], fingerprint: Fingerprint, texts: Sequence[str]) -> Vectors:
    """What ``embed`` gives for ``texts``, shape ``(len(texts), dimensions)``; read from the cache folder where it is there."""
    if fingerprint.kind not in _OF_WEIGHTS:
        return embed(texts)
    key = hashlib.sha256("\0".join((fingerprint.digest, fingerprint.kind, *texts)).encode())
    file = cache_folder() / "sentences" / f"{key.hexdigest()[:32]}.npy"
    vectors = _read(file)
    if vectors is None or vectors.shape != (len(texts), fingerprint.dimensions):
        vectors = embed(texts)
        _write(file, vectors)
    return vectors


def _read(file: Path) -> Vectors | None:
    try:
        found: Vectors = np.load(file, allow_pickle=False)
    except (OSError, EOFError, ValueError):  # not there yet, or not whole
        return None
    return found if found.dtype == np.float32 else None


def _write(file: Path, vectors: Vectors) -> None:
    """Others see all of it or nothing."""
    draft = file.with_name(f".{uuid.uuid4().hex}.npy")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(draft, vectors, allow_pickle=False)
        os.replace(draft, file)
    except OSError as error:
        logger.info("the cache can not be written, so the next process embeds them again: %s", error)
    finally:
        with suppress(OSError):  # in its place by now, or never begun
            draft.unlink()
