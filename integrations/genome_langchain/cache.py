"""``GenomeCache``: answers of a model kept by prompt, on the database of a ``Memory``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from langchain_core._api import suppress_langchain_beta_warning
from langchain_core.caches import BaseCache
from langchain_core.load import dumps, loads
from langchain_core.outputs import Generation

from genome_core import Memory
from genome_langchain.byte_store import GenomeByteStore


class GenomeCache(BaseCache):
    """An exact cache: the same prompt to the same model with the same settings gets the same answer.

    ``set_llm_cache(GenomeCache(memory))`` turns it on. ``namespace`` keeps several caches apart.
    """

    def __init__(self, memory: Memory, namespace: str = "cache") -> None:
        self._store = GenomeByteStore(memory, namespace)

    def lookup(self, prompt: str, llm_string: str) -> Sequence[Generation] | None:
        """The stored answer, or None."""
        [found] = self._store.mget([_key(prompt, llm_string)])
        if found is None:
            return None
        with (
            suppress_langchain_beta_warning()
        ):  # the cache's entries are its own; a change of the API is caught by tests
            return [loads(text, allowed_objects="core") for text in json.loads(found)]

    def update(self, prompt: str, llm_string: str, return_val: Sequence[Generation]) -> None:
        """Stores an answer."""
        self._store.mset([(_key(prompt, llm_string), json.dumps([dumps(one) for one in return_val]).encode())])

    def clear(self, **_kwargs: Any) -> None:
        """Deletes every answer of the namespace."""
        self._store.clear()


def _key(prompt: str, llm_string: str) -> str:
    return hashlib.blake2b(json.dumps([prompt, llm_string]).encode(), digest_size=32).hexdigest()
