"""A plugin for the process that runs CrewAI's own tests: ``GenomeStorage`` stands in for ``LanceDBStorage``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import crewai.memory.storage.lancedb_storage as lancedb_storage
from genome_crewai import GenomeStorage


class StandIn(GenomeStorage):
    """Takes the arguments of ``LanceDBStorage``; its folder holds one SQLite file."""

    def __init__(self, path: str | Path | None = None, vector_dim: int | None = None, **_options: Any) -> None:
        folder = Path(path or Path(os.environ["CREWAI_STORAGE_DIR"]) / "memory")
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(folder / "memory.db")
        if vector_dim is not None:
            self._check_width([0.0] * vector_dim)


lancedb_storage.LanceDBStorage = StandIn  # type: ignore[assignment,misc]
