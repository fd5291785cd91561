"""Random histories of every verb that changes a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import strategies as st

from genome_core import Memory, Record
from genome_core.errors import GenomeError
from genome_core.testing.embedders import FakeEmbedder
from genome_core.types import FactKind

TEXTS = (
    "I live in Leeds.",
    "I moved to Bristol on 2 March 2024.",
    "My sister Ann works at Acme.",
    "The deadline is October 15.",
    'He said "no"\nand left, naïvely: ☕.',
    "tea " * 300,
    "",
)
USERS = ("ann", "bob")
IDS = ("a", "b", "c")


@dataclass(frozen=True)
class Act:
    """One call; ``run`` may raise a ``GenomeError``, as a careless user's call may."""

    name: str
    run: Callable[[Memory], object]

    def __repr__(self) -> str:
        return self.name


def act(verb: str, *positional: Any, **arguments: Any) -> Act:
    shown = ", ".join([*map(repr, positional), *(f"{name}={value!r}" for name, value in arguments.items())])
    return Act(f"{verb}({shown[:90]})", lambda memory: getattr(memory, verb)(*positional, **arguments))


def _moved(memory: Memory) -> None:
    """Out and in again: what is there stays, what was deleted meanwhile comes back."""
    with TemporaryDirectory() as folder:
        memory.export(Path(folder) / "all.jsonl")
        memory.delete_all(user_id="ann")
        memory.import_(Path(folder) / "all.jsonl")


def _reindexed(memory: Memory) -> None:
    width = memory.embedder.fingerprint.dimensions
    memory.reindex(FakeEmbedder(16 + width % 16, name=f"fake{width}"))


users, ids, texts = st.sampled_from(USERS), st.sampled_from(IDS), st.sampled_from(TEXTS)
flags = st.booleans()
ttls = st.sampled_from((None, 5, 1000))
kinds = st.sampled_from((FactKind.ASSERTION, FactKind.CORRECTION))

acts = st.one_of(
    st.builds(lambda t, u, ttl: act("add", t, user_id=u, ttl=ttl), texts, users, ttls),
    st.builds(lambda t, u, i, ttl: act("add", t, id=i, user_id=u, ttl=ttl, metadata={"n": 1}), texts, users, ids, ttls),
    st.builds(lambda t, u: act("add", list(t), user_id=u), st.lists(texts, min_size=1, max_size=4), users),
    st.builds(lambda u, i: act("add", "bare", id=i, user_id=u, vectors=[None]), users, ids),
    st.builds(
        lambda u, i: Act(
            f"add given {i}",
            lambda memory: memory.add(
                "given", id=i, user_id=u, vectors=[np.ones(memory.embedder.fingerprint.dimensions, np.float32)]
            ),
        ),
        users,
        ids,
    ),
    st.builds(lambda t, i: act("write", [Record(text=t, id=i, namespace=("user:ann", "x"), index=())]), texts, ids),
    st.builds(lambda i: act("write", [], [(("user:ann", "x"), i)]), ids),
    st.builds(lambda t, u, i: act("update", i, text=t, user_id=u), texts, users, ids),
    st.builds(lambda u, i: act("update", i, metadata={"seen": True}, user_id=u), users, ids),
    st.builds(lambda u, i, ttl: act("renew", [i], ttl, user_id=u), users, ids, ttls),
    st.builds(lambda u, i, keep: act("delete", i, keep_facts=keep, user_id=u), users, ids, flags),
    st.builds(lambda u, keep: act("delete_all", keep_facts=keep, user_id=u), users, flags),
    st.builds(lambda u: act("delete_all", filter={"n": 1}, user_id=u), users),
    st.builds(
        lambda u, v, kind: act("state", "Tom", "home", v, kind=kind, user_id=u), users, st.sampled_from("xyz"), kinds
    ),
    st.builds(lambda u: act("retract", "Tom", "home", user_id=u), users),
    st.builds(lambda: act("sweep")),
    st.builds(lambda u: act("erase", reason="asked", user_id=u), users),
    st.builds(lambda u, i: act("erase", [i], reason="asked", user_id=u), users, ids),
    st.builds(lambda u: act("retain", 7, user_id=u), users),
    st.builds(lambda keep: act("compact", keep_versions=keep), st.integers(1, 2)),
    st.builds(lambda: Act("reindex", _reindexed)),
    st.builds(lambda: Act("export, delete_all, import", _moved)),
)
"""One call of a verb. ``reset`` is left to its own test: it ends a history."""

histories = st.lists(acts, min_size=1, max_size=12)


def live_through(memory: Memory, history: list[Act]) -> None:
    for one in history:
        try:
            one.run(memory)
        except GenomeError as error:
            if type(error).__name__ in ("IntegrityError", "StorageError"):
                raise


TICK = timedelta(seconds=1)
