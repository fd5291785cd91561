"""LangGraph on GENOME: ``GenomeSaver``, a checkpointer for sync and async graphs."""

from genome_langgraph.saver import GenomeSaver
from genome_langgraph.serializer import CheckpointSerializer, UnknownObject

__all__ = ["CheckpointSerializer", "GenomeSaver", "UnknownObject"]
