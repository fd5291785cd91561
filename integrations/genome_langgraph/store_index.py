"""What LangGraph's ``IndexConfig`` says: which texts of an item are found by meaning, and with whose vectors."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from langgraph.store.base import IndexConfig, ensure_embeddings, get_text_at_path, tokenize_path

from genome_core.embedders import CallableEmbedder
from genome_core.errors import InvalidInput
from genome_core.protocols import Embedder

Paths = Sequence[str | list[str]]
"""Paths as ``tokenize_path`` makes them; ``"$"`` is the whole value."""


def paths(given: Sequence[str]) -> Paths:
    """Raises ``InvalidInput`` for what is no list of texts; a single text would be taken for the paths of its letters."""
    if not isinstance(given, list | tuple) or not all(isinstance(path, str) for path in given):
        raise InvalidInput(f"paths are {given!r}", hint='give a list of them, such as ["text"]')
    return [path if path == "$" else tokenize_path(path) for path in given]


def indexed_paths(index: IndexConfig | None) -> Paths:
    """The configured paths; LangGraph documents ``fields``, while its SQLite store reads ``text_fields``."""
    given: Any = index or {}
    return paths(given.get("fields") or given.get("text_fields") or ["$"])


def texts_at(value: Any, where: Paths) -> tuple[str, ...]:
    """The texts at the paths; blank ones have no meaning to be found by."""
    return tuple(text for path in where for text in get_text_at_path(value, path) if text.strip())


def configured_embedder(index: IndexConfig | None) -> Embedder | None:
    """The embedder that the configuration brings, or None.

    Raises ``InvalidInput`` if its vectors are not as wide as announced.
    """
    given: Any = index or {}
    embed = given.get("embed")
    if embed is None:
        return None
    if isinstance(embed, str):
        embed = ensure_embeddings(embed)
    elif inspect.iscoroutinefunction(embed) or inspect.iscoroutinefunction(getattr(embed, "__call__", None)):  # noqa: B004
        embed = _on_a_loop_of_its_own(embed)
    embedder = CallableEmbedder(embed)
    wide, said = embedder.fingerprint.dimensions, given.get("dims")
    if said is not None and said != wide:
        raise InvalidInput(f"index['dims'] is {said}, but the embedder gives {wide}", hint=f"set dims to {wide}")
    return embedder


def _on_a_loop_of_its_own(embed: Callable[[Sequence[str]], Coroutine[Any, Any, Any]]) -> Callable[[Sequence[str]], Any]:
    """The async function made sync. It always runs on the same loop, because its client's connections belong to one."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="genome-embedding", daemon=True).start()

    @functools.wraps(embed)
    def embed_now(texts: Sequence[str]) -> Any:
        return asyncio.run_coroutine_threadsafe(embed(texts), loop).result()

    return embed_now
