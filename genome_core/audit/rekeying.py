"""Giving a store a journal key, or another one."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from genome_core.audit import verification
from genome_core.storage.database import Database
from genome_core.storage.journal import JournalWriter
from genome_core.storage.namespaces import NamespaceTable
from genome_core.storage.signing import JournalKey, give_key, keep_writers_out


def rekey(database: Database, namespaces: NamespaceTable, old: JournalKey | None, new: JournalKey, now: int) -> None:
    """Verifies the journal with the old key, signs every head with the new one, and journals that it was done.

    One transaction, during which nobody else writes.
    """

    def work(connection: Connection) -> None:
        keep_writers_out(connection)
        verification.verify(connection, old)
        give_key(connection, new, now)
        place = namespaces.ensure(connection, [()])[()]
        writer = JournalWriter(connection, [place.tenant], now, new)
        change = {"from": old.id if old else None, "to": new.id}
        writer.append("key", tenant=place.tenant, namespace_id=place.id, labels=place.labels, id="", payload=change)
        writer.flush()

    database.write(work)
