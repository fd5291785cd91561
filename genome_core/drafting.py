"""From checked records to drafts: passages, vectors, facts. Everything slow about a write happens here, outside the transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from genome_core.embedders.checks import checked
from genome_core.errors import EmbedderError
from genome_core.protocols import Embedder, FactExtractor, Vectors
from genome_core.search.text import Passage, passages, terms
from genome_core.storage.writing import Draft, StoredPassage
from genome_core.types import Record

VectorsGiven = Sequence[Sequence[float] | Vectors | None]
"""One vector a record, or None for a record without one."""


def embed(embedder: Embedder, wordings: Sequence[str]) -> Vectors:
    """The vectors of the texts, each different text embedded once; raises ``EmbedderError`` for unusable ones."""
    different = list(dict.fromkeys(wordings))
    if not different:
        return np.zeros((0, embedder.fingerprint.dimensions), np.float32)
    vectors = checked(embedder.embed(different), len(different), embedder.fingerprint.dimensions)
    place = {text: row for row, text in enumerate(different)}
    return vectors[[place[text] for text in wordings]]


def with_passages(drafts: Sequence[Draft], embedder: Embedder, given: VectorsGiven | None = None) -> list[Draft]:
    """The drafts with terms and vectors: the caller's where given, else the embedder's, in one batch."""
    parts = [record_passages(draft.record, embedder) for draft in drafts]
    if given is not None:
        return [
            _with_given(draft, own, vector, embedder) for draft, own, vector in zip(drafts, parts, given, strict=True)
        ]
    vectors = iter(embed(embedder, [part.wording for own in parts for part in own]))
    return [
        replace(draft, passages=tuple(StoredPassage(" ".join(terms(part.text)), next(vectors)) for part in own))
        for draft, own in zip(drafts, parts, strict=True)
    ]


def record_passages(record: Record, embedder: Embedder) -> list[Passage]:
    """The passages by which a record is found: of its text, or of its ``index`` texts."""
    if record.index is None:
        return passages(record, embedder)
    return [part for text in record.index for part in passages(replace(record, text=text, name=None), embedder)]


def _with_given(
    draft: Draft, parts: Sequence[Passage], vector: Sequence[float] | Vectors | None, embedder: Embedder
) -> Draft:
    """One vector for the whole record: its passages' terms count together."""
    words = " ".join(term for part in parts for term in terms(part.text))
    if vector is None:
        return replace(draft, passages=(StoredPassage(words, None),), vectors_given=True)
    block = np.asarray([vector], dtype=np.float32)
    if block.ndim != 2:
        raise EmbedderError("a vector is a flat list of numbers")
    row = checked(block, 1, embedder.fingerprint.dimensions)[0]
    return replace(draft, passages=(StoredPassage(words, row),), vectors_given=True)


def with_facts(
    drafts: Sequence[Draft], extractor: FactExtractor, said_before: Callable[[Record], Sequence[Record]]
) -> list[Draft]:
    """The drafts with the facts that the extractor reads in them. ``said_before`` finds the stored turns before a record."""
    result: list[Draft] = []
    for draft in drafts:

        def context(record: Record = draft.record) -> Sequence[Record]:
            batch = [other.record for other in result if other.record.namespace == record.namespace]
            return [*said_before(record), *batch]

        result.append(replace(draft, facts=tuple(extractor.extract(draft.record, context))))
    return result
