"""Choosing an embedder: the default one, or one named in a line of configuration."""

from __future__ import annotations

import logging

from genome_core.errors import EmbedderError, InvalidInput, MissingDependency
from genome_core.protocols import Embedder

logger = logging.getLogger("genome_core.embedders")


def default_embedder() -> Embedder:
    """all-MiniLM-L6-v2 on ONNX Runtime; on torch, with one line in the log, where no graph can be exported.

    Raises MissingDependency where the model is neither on this machine nor reachable.
    """
    from genome_core.embedders.models import locate
    from genome_core.embedders.onnx_runtime import OnnxEmbedder
    from genome_core.embedders.sentence_transformer import SentenceTransformerEmbedder

    found = locate()
    try:
        return OnnxEmbedder(found)
    except (OSError, EmbedderError, MissingDependency) as error:
        logger.warning("all-MiniLM-L6-v2 runs on torch, about half as fast, since it can not be exported: %s", error)
        return SentenceTransformerEmbedder(found)


def load_embedder(spec: str | None = None) -> Embedder:
    """The embedder that ``spec`` names, as in a command line or a configuration file.

    * None or ``default``: ``default_embedder()``
    * ``onnx``, ``torch``: all-MiniLM-L6-v2 on that backend; ``onnx:MODEL``, ``torch:MODEL``: a folder or name
    * ``static:FOLDER``: a model made by ``genome distill``
    * ``openai``, ``openai:MODEL``: the service, with the key in ``OPENAI_API_KEY``

    Raises InvalidInput for anything else, and what the embedder itself raises.
    """
    kind, _, model = (spec or "default").partition(":")
    if kind == "default" and not model:
        return default_embedder()
    if kind == "onnx":
        from genome_core.embedders.onnx_runtime import OnnxEmbedder

        return OnnxEmbedder(model or None)
    if kind == "torch":
        from genome_core.embedders.sentence_transformer import SentenceTransformerEmbedder

        return SentenceTransformerEmbedder(model or None)
    if kind == "static" and model:
        from genome_core.embedders.static import StaticEmbedder

        return StaticEmbedder(model)
    if kind == "openai":
        from genome_core.embedders.openai_api import OpenAIEmbedder

        return OpenAIEmbedder(model) if model else OpenAIEmbedder()
    raise InvalidInput(
        f"no embedder is called {spec!r}", hint="default, onnx[:MODEL], torch[:MODEL], static:FOLDER or openai[:MODEL]"
    )
