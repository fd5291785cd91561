"""``genome import`` in its forms; what each takes over is tested with its importer."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Genome
from tests.core.test_importing import as_faiss, genome_memory_file


def test_memories_of_mem0_are_taken_over(genome: Genome) -> None:
    shown = genome("import", "mem0", "new.db", str(as_faiss(Path.cwd()))).out
    assert "records 2; left out: expired 2" in shown
    assert genome("stats", "new.db", "--json").json["records"] == 2


def test_a_file_of_genome_memory_is_taken_over(genome: Genome) -> None:
    file = genome_memory_file(Path("old.db"), ("m9", "It rains.", None, None, None, {}))
    refused = genome("import", "genome-memory", "new.db", str(file))
    assert refused.code == 2
    assert "--user" in refused.err
    done = genome("import", "genome-memory", "new.db", str(file), "--user", "stray", "--json").json
    assert done == {"records": 4, "facts": 3, "left_out": {"edges": 1, "entities": 1}}


def test_crewais_own_memory_is_taken_over(genome: Genome) -> None:
    import tests.integrations.quiet_crewai  # noqa: F401  # isort: skip
    from crewai.memory.storage.lancedb_storage import LanceDBStorage
    from crewai.memory.types import MemoryRecord

    old = LanceDBStorage("crewai/memory")
    old.save([MemoryRecord(content="Ann's cat is called Moss.", scope="/crew/pets", embedding=[0.6, 0.8])])
    assert genome("import", "crewai", "new.db", "crewai/memory", "--user", "ann", "--json").json == {"records": 1}
    found = genome("search", "new.db", "What is the cat called?", "--user", "ann", "--json").json
    assert found[0]["record"]["namespace"] == ["user:ann", "crew", "pets"]


def test_the_form_may_be_left_out_for_an_export(genome: Genome) -> None:
    genome("add", "notes.db", "The vet is Dr Sorensen.", "--user", "tom")
    genome("export", "notes.db", "notes.jsonl")
    assert genome("import", "one.db", "notes.jsonl", "--json").json == {"records": 1}
    assert genome("import", "export", "two.db", "notes.jsonl", "--json").json == {"records": 1}
    assert genome("import", "--json", "three.db", "notes.jsonl").json == {"records": 1}
    assert "mem0" in genome("import", "--help").out
