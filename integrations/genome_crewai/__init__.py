"""CrewAI on GENOME.

========================== =======================================================================================
``GenomeMemory``            memory for crews, agents and flows that calls no LLM
``GenomeStorage``           a storage backend for those who keep CrewAI's own ``Memory``
``fact_tools``              ``ask`` and ``facts`` as tools of an agent
``GenomeFlowPersistence``   the state of flows
``GenomeKnowledgeStorage``  the documents of CrewAI's knowledge
``import_lancedb``          takes over what CrewAI's own memory stored
========================== =======================================================================================

The names load when they are first used, since CrewAI takes seconds to load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from genome_core.lazy import lazy_names

if TYPE_CHECKING:
    from genome_crewai.flows import GenomeFlowPersistence as GenomeFlowPersistence
    from genome_crewai.knowledge import GenomeKnowledgeStorage as GenomeKnowledgeStorage
    from genome_crewai.lancedb_import import import_lancedb as import_lancedb
    from genome_crewai.memory import GenomeMemory as GenomeMemory
    from genome_crewai.storage import GenomeStorage as GenomeStorage
    from genome_crewai.tools import fact_tools as fact_tools

_MODULES = {
    "GenomeFlowPersistence": "flows",
    "GenomeKnowledgeStorage": "knowledge",
    "GenomeMemory": "memory",
    "GenomeStorage": "storage",
    "fact_tools": "tools",
    "import_lancedb": "lancedb_import",
}

_NEEDS = {"crewai": ("crewai", "'genome-plugins[crewai]'")}

__all__ = [
    "GenomeFlowPersistence",
    "GenomeKnowledgeStorage",
    "GenomeMemory",
    "GenomeStorage",
    "fact_tools",
    "import_lancedb",
]

__getattr__ = lazy_names(__name__, _MODULES, _NEEDS)
