"""What a scope held at an earlier time, read from the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.audit import chain, vectors
from genome_core.audit.chain import Until
from genome_core.audit.fold import ChainState, Payloads
from genome_core.errors import ContentErased
from genome_core.storage import pseudonyms
from genome_core.storage.moments import to_micros
from genome_core.storage.pseudonyms import Pseudonyms
from genome_core.storage.reading import StoredRecord
from genome_core.storage.schema import namespaces
from genome_core.storage.signing import JournalKey
from genome_core.types import Scope


def records_at(
    connection: Connection, scope: Scope, until: Until, key: JournalKey | None, id: str | None = None
) -> list[StoredRecord]:
    """A scope's records (or those of one id) as they were, in order of ``(at, key)``; expired ones too.

    Raises ``ContentErased`` where one of them can not be told any more. ``key`` is the journal's: without it, what was erased
    under it is not found.
    """
    names = pseudonyms.known(connection, key)
    ids = None if id is None else [id, *(one.of(id) for one in names)]
    found: list[StoredRecord] = []
    for tenant in chain.tenants_of(connection, scope, until, names):
        within = chain.places(connection, tenant, scope, names)
        state = ChainState(tenant)
        last = chain.last_seq(connection, tenant, until)
        for entry in chain.entries(connection, tenant, last, None if scope == Scope() else within, ids):
            state.apply(entry)
        payloads = Payloads(connection, state, within)
        found += [
            StoredRecord(whole.row["key"], whole.row["namespace_id"], vectors.record_of(whole, within))
            for whole in payloads.whole(state.records.values())
        ]
        payloads.require_all()
    return sorted(found, key=lambda stored: (_said(stored), stored.key))


def refuse_erased(connection: Connection, scope: Scope, until: Until, key: JournalKey | None) -> None:
    """Raises ``ContentErased`` if something that a scope held at that time was erased since."""
    names = pseudonyms.known(connection, key)
    hidden = list(connection.scalars(_hidden_in(scope, names))) if names else []
    for tenant in chain.tenants_of(connection, scope, until, names) if hidden else ():
        state = ChainState(tenant)
        for entry in chain.entries(connection, tenant, chain.last_seq(connection, tenant, until), hidden):
            state.apply(entry)
        if state.records or state.loose:
            raise ContentErased("some of what was known then was erased since", hint="ask for a time after the erasure")


def _hidden_in(scope: Scope, names: Sequence[Pseudonyms]) -> sa.Select[Any]:
    return sa.select(namespaces.c.id).where(chain.named(scope, names), pseudonyms.hidden())


def _said(stored: StoredRecord) -> int:
    return to_micros(stored.record.at) if stored.record.at else 0
