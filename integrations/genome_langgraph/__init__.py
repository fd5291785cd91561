"""LangGraph on GENOME: ``GenomeSaver``, a checkpointer."""

from genome_langgraph.saver import GenomeSaver

__all__ = ["GenomeSaver"]
