"""What a scope held at an earlier time, read from the journal."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from genome_core.audit import chain, vectors
from genome_core.audit.chain import Until
from genome_core.audit.fold import ChainState, Payloads
from genome_core.storage.moments import to_micros
from genome_core.storage.reading import StoredRecord
from genome_core.types import Scope


def records_at(connection: Connection, scope: Scope, until: Until, id: str | None = None) -> list[StoredRecord]:
    """A scope's records (or those of one id) as they were, in order of ``(at, key)``; expired ones too.

    Raises ``ContentErased`` where one of them can not be told any more.
    """
    found: list[StoredRecord] = []
    for tenant in chain.tenants_of(connection, scope, until):
        within = chain.places(connection, tenant, scope)
        state = ChainState(tenant)
        last = chain.last_seq(connection, tenant, until)
        for entry in chain.concerning(chain.entries(connection, tenant, last, id), within):
            state.apply(entry)
        payloads = Payloads(connection, state, within)
        found += [
            StoredRecord(whole.row["key"], whole.row["namespace_id"], vectors.record_of(whole, within))
            for whole in payloads.whole(state.records.values())
        ]
        payloads.require_all()
    return sorted(found, key=lambda stored: (_said(stored), stored.key))


def _said(stored: StoredRecord) -> int:
    return to_micros(stored.record.at) if stored.record.at else 0
