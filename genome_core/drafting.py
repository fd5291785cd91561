"""From checked records to drafts: passages, vectors, facts. Everything slow about a write happens here, outside the transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from genome_core import inputs
from genome_core.embedders.checks import checked
from genome_core.errors import InvalidInput, InvalidScope
from genome_core.protocols import Embedder, FactExtractor, Vectors
from genome_core.scopes import checked_id, checked_namespace
from genome_core.search.text import Passage, passages, terms
from genome_core.storage.drafts import Draft, StoredPassage, generated_id
from genome_core.storage.moments import to_micros
from genome_core.storage.schema import vector_bytes
from genome_core.types import JSON, Fact, Namespace, Record

VectorsGiven = Sequence[Sequence[float] | Vectors | None]
"""One vector a record, or None for a record without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What a call says for those of its messages that leave it open."""

    now: datetime
    namespace: Namespace | None = None
    id: str = ""
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    at: datetime | None = None
    expires_at: datetime | None = None
    believer: str = ""


def draft(record: Record, defaults: Defaults) -> Draft:
    """The record complete and checked; raises ``InvalidInput`` or ``InvalidScope``.

    A record without an id of the caller's gets one made of what makes it the same as another.
    """
    inputs.check_record(record)
    if not isinstance(record.metadata, dict | Mapping):
        raise InvalidInput(f"metadata is {type(record.metadata).__name__}", hint="give a mapping")
    metadata = {**defaults.metadata, **record.metadata}
    namespace = _one_namespace(record, defaults.namespace)
    at = record.at or defaults.at
    if at is not None:
        to_micros(at, "at")
    value = None if record.value is None else inputs.plain_json(record.value, "value")
    given_id = record.id or defaults.id
    if defaults.believer and not record.believer:
        record = replace(record, believer=defaults.believer)
    duplicate = None if given_id else inputs.duplicate_key(record, value, at)
    complete = Record(  # in half the time of ``replace``
        text=record.text,
        id=checked_id(given_id) if duplicate is None else generated_id(namespace, duplicate),
        namespace=namespace,
        role=record.role,
        name=record.name,
        value=value,
        metadata=inputs.plain_json(metadata, "metadata") if metadata else metadata,
        index=None if record.index is None else tuple(record.index),
        at=at or defaults.now,
        created_at=record.created_at,
        updated_at=record.updated_at,
        origin=record.origin,
        expires_at=record.expires_at or defaults.expires_at,
        version=record.version,
        believer=record.believer,
    )
    return Draft(record=complete, duplicate=duplicate, at_given=at is not None)


def _one_namespace(record: Record, named: Namespace | None) -> Namespace:
    """The namespace of the call, or of the record; they must not contradict each other."""
    if named is None:
        if not record.namespace:
            raise InvalidScope("whose memory is it?", hint="give user_id, agent_id, run_id or namespace")
        return checked_namespace(record.namespace)
    if record.namespace not in ((), named):
        raise InvalidScope(
            f"the record is of {record.namespace}, the call of {named}",
            hint="clear the record's namespace to copy it to another one",
        )
    return named


def embed(embedder: Embedder, wordings: Sequence[str]) -> Vectors:
    """The vectors of the texts, each different text embedded once; raises ``EmbedderError`` for unusable ones."""
    different = list(dict.fromkeys(wordings))
    if not different:
        return np.zeros((0, embedder.fingerprint.dimensions), np.float32)
    vectors = checked(embedder.embed(different), len(different), embedder.fingerprint.dimensions)
    place = {text: row for row, text in enumerate(different)}
    return vectors[[place[text] for text in wordings]]


def needs_embedder(drafts: Sequence[Draft], given: VectorsGiven | None) -> bool:
    """Whether any of the drafts gets a vector: a model that is not needed is not loaded."""
    if given is not None:
        return any(vector is not None for vector in given)
    return any(draft.record.index != () for draft in drafts)


def add_passages(drafts: Sequence[Draft], embedder: Embedder | None, given: VectorsGiven | None = None) -> None:
    """Gives drafts the passages of their records: see ``passages_of``."""
    for draft, own in zip(drafts, passages_of([draft.record for draft in drafts], embedder, given), strict=True):
        draft.passages = own
        draft.vectors_given |= given is not None


def passages_of(
    records: Sequence[Record], embedder: Embedder | None, given: VectorsGiven | None = None
) -> list[tuple[StoredPassage, ...]]:
    """Terms and vectors of each record: the caller's vectors where given, else the embedder's, in one batch.

    ``embedder`` may be None where ``needs_embedder`` says so.
    """
    if given is not None:
        rows = map(vector_bytes, _given_rows(given, embedder))
        return [
            _with_given(record, None if vector is None or embedder is None else next(rows))
            for record, vector in zip(records, given, strict=True)
        ]
    if embedder is None:
        return [()] * len(records)
    parts = [record_passages(record, embedder) for record in records]
    vectors = map(vector_bytes, embed(embedder, [part.wording for own in parts for part in own]))
    return [tuple([StoredPassage(" ".join(terms(part.text)), next(vectors)) for part in own]) for own in parts]


def record_passages(record: Record, embedder: Embedder) -> list[Passage]:
    """The passages by which a record is found: of its text, or of its ``index`` texts."""
    if record.index is None:
        return passages(record, embedder)
    return [part for text in record.index for part in passages(replace(record, text=text, name=None), embedder)]


def all_words(record: Record) -> str:
    """The lexical terms of a record that is one passage."""
    if record.index is None:
        return " ".join(terms(record.text))
    return " ".join([term for text in record.index for term in terms(text)])


def _given_rows(given: VectorsGiven, embedder: Embedder | None) -> Vectors | tuple[()]:
    """The caller's vectors, checked together."""
    if embedder is None:
        return ()
    vectors = [vector for vector in given if vector is not None]
    return checked(vectors, len(vectors), embedder.fingerprint.dimensions)


def _with_given(record: Record, vector: bytes | None) -> tuple[StoredPassage, ...]:
    """One vector, or none, for the whole record: all its words count together."""
    return () if record.index == () and vector is None else (StoredPassage(all_words(record), vector),)


def with_facts(
    drafts: Sequence[Draft],
    extractor: FactExtractor,
    said_before: Callable[[Record], Sequence[Record]],
    tier: Callable[[str], int],
) -> list[Draft]:
    """The drafts with the facts that the extractor reads in them. ``said_before`` finds the stored turns before a record.

    A document is nobody's turn: no facts are read in it. A fact has its record's origin and believer, and no turn of a lower tier takes part in reading
    it, so that it is never trusted more than any of its sources.
    """
    result: list[Draft] = []
    for draft in drafts:
        if draft.record.role == "document":
            result.append(draft)
            continue

        def context(record: Record = draft.record) -> Sequence[Record]:
            batch = [other.record for other in result if other.record.namespace == record.namespace]
            return [*said_before(record), *(one for one in batch if tier(one.origin) >= tier(record.origin))]

        facts = extractor.extract(draft.record, context)
        result.append(replace(draft, facts=tuple(_of_record(fact, draft.record) for fact in facts)))
    return result


def _of_record(fact: Fact, record: Record) -> Fact:
    """What the turn says of another's belief stays that one's."""
    return replace(fact, origin=record.origin, believer=fact.believer or record.believer)
