"""Memory for AI agents that needs no LLM to remember."""

from genome_core._version import __version__
from genome_core.errors import GenomeError

__all__ = ["GenomeError", "__version__"]
