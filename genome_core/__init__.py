"""Memory for AI agents that needs no LLM to remember.

The names below are the public door; they load when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from genome_core._version import __version__
from genome_core.errors import GenomeError
from genome_core.types import Fact, Hit, Record, Scope, TimeSpan

if TYPE_CHECKING:
    from genome_core.memory import Memory as Memory
    from genome_core.memory import Page as Page
    from genome_core.search.rank import SearchWeights as SearchWeights

_LAZY = {
    "Memory": "genome_core.memory",
    "Page": "genome_core.memory",
    "SearchWeights": "genome_core.search.rank",
}

__all__ = [
    "Fact",
    "GenomeError",
    "Hit",
    "Memory",
    "Page",
    "Record",
    "Scope",
    "SearchWeights",
    "TimeSpan",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
