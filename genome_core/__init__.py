"""Memory for AI agents that needs no LLM to remember.

The names below are the public door; they load when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from genome_core._version import __version__
from genome_core.errors import GenomeError
from genome_core.lazy import lazy_names
from genome_core.types import Fact, Hit, Record, Scope, TimeSpan

if TYPE_CHECKING:
    from genome_core.memory import Memory as Memory
    from genome_core.memory import Page as Page
    from genome_core.search.rank import SearchWeights as SearchWeights
    from genome_core.trust import Trust as Trust
    from genome_core.trust import TrustPolicy as TrustPolicy

_MODULES = {
    "Memory": "memory",
    "Page": "memory",
    "SearchWeights": "search.rank",
    "Trust": "trust",
    "TrustPolicy": "trust",
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
    "Trust",
    "TrustPolicy",
    "__version__",
]

__getattr__ = lazy_names(__name__, _MODULES)
