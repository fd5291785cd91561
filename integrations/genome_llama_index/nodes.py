"""LlamaIndex's nodes and the engine's ``Record``, each made from the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llama_index.core.constants import DATA_KEY, TYPE_KEY
from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from llama_index.core.storage.docstore.utils import json_to_doc

from genome_core import Record
from genome_core.inputs import storable

ROLE = "document"
"""The role and origin of records that hold a node, so that nobody takes them for something a person said."""
NO_DOCUMENT = "None"
"""What LlamaIndex's filters see as the document of a node that has none."""


def to_record(node: BaseNode) -> Record:
    """A node without its embedding.

    The record has the node's text and metadata, so that every adapter can read it; ``value`` has the rest, and on top what
    filters may ask for. What JSON can not hold is replaced with a warning.
    """
    data = node.model_dump(mode="json", exclude={"embedding", "metadata"})
    _take_text(data)
    metadata = node.model_dump(mode="json", include={"metadata"})["metadata"]
    return Record(
        text=storable(node.get_content(MetadataMode.NONE), "the node's text"),
        id=node.node_id,
        role=ROLE,
        origin=ROLE,
        metadata=storable(metadata, "the node's metadata"),
        value={
            "node_id": node.node_id,
            "ref_doc_id": node.ref_doc_id or NO_DOCUMENT,
            "class_name": node.class_name(),
            "type": node.get_type(),
            "node": storable(data, "the node"),
        },
    )


def to_node(record: Record, **more: Any) -> BaseNode:
    """The node that the record was made from; ``more`` is added to its metadata, unseen by models.

    A record that another adapter wrote becomes a ``TextNode`` with its text and metadata.
    """
    value = record.value
    metadata = {**record.metadata, **more}
    if isinstance(value, Mapping) and isinstance(value.get("node"), Mapping) and "type" in value:
        data = {**value["node"], "metadata": metadata}
        _give_text(data, record.text)
        node = json_to_doc({DATA_KEY: data, TYPE_KEY: value["type"]})
    else:
        node = TextNode(id_=record.id, text=record.text, metadata=metadata)
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *more]
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *more]
    return node


def _take_text(data: dict[str, Any]) -> None:
    """Text is kept once, as the record's."""
    if "text" in data:
        del data["text"]
    elif data.get("text_resource"):
        data["text_resource"]["text"] = None


def _give_text(data: dict[str, Any], text: str) -> None:
    if "text_resource" not in data:
        data["text"] = text
    elif data["text_resource"]:
        data["text_resource"] = {**data["text_resource"], "text": text}
