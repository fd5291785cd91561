"""Adapters that are imported and used write nothing but the store they were given (K16-03)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
OPEN = """
import sys
from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
memory = Memory(sys.argv[1], embedder=FakeEmbedder())
"""
USES = {
    "langgraph": """
from genome_langgraph import GenomeSaver, GenomeStore
GenomeStore(memory).put(("u",), "k", {"text": "tea"})
assert list(GenomeSaver(memory).list(None)) == []
""",
    "langchain": """
from genome_langchain import GenomeChatMessageHistory, GenomeMiddleware, GenomeVectorStore
GenomeVectorStore(memory).add_texts(["tea"])
GenomeChatMessageHistory(memory, "s").add_user_message("tea")
GenomeMiddleware(memory, user_id="u")
""",
    "llama_index": """
from genome_llama_index import GenomeMemory, GenomeVectorStore
from llama_index.core.base.llms.types import ChatMessage
GenomeMemory(memory, session_id="s").put(ChatMessage("tea"))
assert GenomeVectorStore(memory).get_nodes() == []
""",
}


@pytest.mark.parametrize("framework", USES)
def test_nothing_is_written_but_the_store(tmp_path: Path, framework: str) -> None:
    """CrewAI is left out: it makes folders of its own."""
    nowhere, given = tmp_path / "cwd", tmp_path / "given"
    nowhere.mkdir()
    given.mkdir()
    environment = {name: text for name, text in os.environ.items() if not name.startswith("XDG_")}
    environment |= {"HOME": "/dev/null", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "integrations")])
    command = [sys.executable, "-c", OPEN + USES[framework] + "memory.close()", str(given / "memory.db")]
    done = subprocess.run(command, cwd=nowhere, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(nowhere.iterdir()) == []
    assert {file.name for file in given.iterdir()} <= {"memory.db", "memory.db-wal", "memory.db-shm"}
