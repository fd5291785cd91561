"""The command ``genome``."""

from genome_core.cli.app import app, main

__all__ = ["app", "main"]
