"""LangGraph on GENOME: ``GenomeSaver``, a checkpointer, and ``GenomeStore``, a long-term memory, for sync and async graphs."""

from genome_langgraph.saver import GenomeSaver
from genome_langgraph.serializer import CheckpointSerializer, UnknownObject
from genome_langgraph.store import GenomeStore

__all__ = ["CheckpointSerializer", "GenomeSaver", "GenomeStore", "UnknownObject"]
