"""Imports CrewAI without telemetry, in a folder of its own. Import this before anything of CrewAI."""

from __future__ import annotations

import os
import tempfile
import warnings

# CrewAI reads these when it is imported.
os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true",
    OTEL_SDK_DISABLED="true",
    CREWAI_STORAGE_DIR=tempfile.mkdtemp(prefix="genome-crewai-"),
)
with warnings.catch_warnings():
    # "Cannot set an attribute on 'crewai.rag' for child module 'embeddings'"
    warnings.simplefilter("ignore", ImportWarning)
    import crewai  # noqa: F401
    from genome_crewai import GenomeMemory, GenomeStorage

__all__ = ["GenomeMemory", "GenomeStorage"]
