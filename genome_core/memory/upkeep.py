"""The verbs about the store as a whole."""

from __future__ import annotations

import os
from typing import Unpack

from sqlalchemy.engine import URL, Engine

from genome_core import inputs, pushdown, reindexing, transfer
from genome_core.audit import chain, compacting, rekeying, replaying, rollback, tables, verification
from genome_core.audit.chain import LogEntry, Until
from genome_core.audit.replaying import Replay
from genome_core.audit.rollback import Rollback
from genome_core.audit.verification import Head, VerifyReport
from genome_core.errors import InvalidInput
from genome_core.memory.base import MemoryBase
from genome_core.protocols import Embedder
from genome_core.reindexing import Progress
from genome_core.scopes import ReadScope
from genome_core.storage import maintenance, pseudonyms
from genome_core.storage.database import Database
from genome_core.storage.maintenance import Stats
from genome_core.storage.moments import to_micros
from genome_core.storage.schema import SCHEMA
from genome_core.storage.signing import JournalKey, unlock


class Upkeep(MemoryBase):
    """Checking, moving, rebuilding and emptying the store."""

    def verify(self, *, deep: bool = False, expected_head: Head | str | None = None) -> VerifyReport:
        """Walks the journal; raises ``IntegrityError`` naming the first entry that was edited, moved, removed or cut off.

        With a journal key, the signatures of the heads are checked too. ``deep`` also compares every record, vector and
        fact in the tables with what the journal says, and names the first that differs. ``expected_head`` is what
        ``head()`` returned at some time: the journal must go on from there, whoever has written to it since.
        """
        expected = Head.parse(expected_head) if isinstance(expected_head, str) else expected_head
        with self.database.read() as connection:
            return verification.verify(connection, self.journal_key, expected, deep=deep)

    def head(self, **scope: Unpack[ReadScope]) -> Head:
        """Where the journal ends now: a short text (``str``) to keep elsewhere, and to give to ``verify`` later.

        It proves that nothing before it was changed, even against somebody who has the database and the key.
        """
        with self.database.read() as connection:
            return verification.head(connection, self._all_origins(scope, required=False))

    def digest(self, **scope: Unpack[ReadScope]) -> str:
        """One value, in hexadecimal, for all that a scope (by default the store) holds: records, vectors and facts.

        Two stores with the same content have the same one, whatever their database, and the order in which it came.
        """
        with self.database.read() as connection:
            return tables.digest(connection, self._all_origins(scope, required=False)).hex()

    def log(self, *, limit: int = 100, **scope: Unpack[ReadScope]) -> list[LogEntry]:
        """The newest entries of the journal about a scope (by default all), newest first; those that were erased too."""
        inputs.check_whole(limit, "limit")
        where = self._all_origins(scope, required=False)
        with self.database.read() as connection:
            return chain.log(connection, where, limit, pseudonyms.known(connection, self.journal_key))

    def replay(self, into: str | os.PathLike[str] | URL | Engine | Database) -> Replay:
        """Makes the store again from its journal, in an empty store of either database: content, vectors, facts, ids, times.

        The journal is verified on the way and copied with it, so that on the same kind of database the new store has the
        same head. The new store has this one's journal key. All of it or nothing: raises ``IntegrityError`` for a
        journal that does not verify, ``ContentErased`` if what is there now can not be made again from it.
        """
        return self._copied(into, None, branch=False)

    def branch(self, into: str | os.PathLike[str] | URL | Engine | Database, *, until: Until = None) -> Replay:
        """Makes the store as it was at ``until`` (by default now) in an empty store, which goes its own way from there.

        ``until`` is an aware datetime, or the ``seq`` of the last entry that counts. The branch knows where it comes from:
        its journal holds an entry with the head of this store. Raises as ``replay`` does.
        """
        return self._copied(into, until, branch=True)

    def _copied(self, into: str | os.PathLike[str] | URL | Engine | Database, until: Until, *, branch: bool) -> Replay:
        if into is self.database:
            raise InvalidInput("the store to write into is this one, and not empty", hint="name another")
        target = into if isinstance(into, Database) else Database(into)
        now = to_micros(self.now())
        new = None if target is into else target.missing_file()
        try:
            target.install(SCHEMA)
            unlock(target, self.journal_key, lambda: now)
            return replaying.replay(
                self.database, target, self.journal_key, now, lambda: self.embedder, until, branch=branch
            )
        except BaseException:
            if new:
                target.close()
                for suffix in ("", "-wal", "-shm"):
                    new.with_name(new.name + suffix).unlink(missing_ok=True)
            raise
        finally:
            if target is not into:
                target.close()

    def rollback(self, until: Until, **scope: Unpack[ReadScope]) -> Rollback:
        """Brings a scope (by default the store) back to its state at ``until``: a datetime, or a ``seq`` of the journal.

        Records and facts are exactly as they were, versions and times included. The journal only grows: what came after
        stays in it, so that a rollback can be rolled back. Raises ``ContentErased``, before anything is changed, for what
        was erased or compacted since; ``Conflict`` if others keep writing meanwhile.
        """
        if until is None:
            raise InvalidInput("until is None", hint="give an aware datetime, or the seq of a journal entry")
        where = self._all_origins(scope, required=False)
        now = to_micros(self.now())
        return rollback.roll_back(self.database, self.journal_key, where, until, now, lambda: self.embedder)

    def rekey(self, journal_key: bytes | str | os.PathLike[str] | JournalKey) -> None:
        """Gives the store a journal key, or another one in place of the one it has, after verifying its journal.

        From now on the store opens with this key only, and other processes that still have it open can not write to it.
        What was there before is signed as it stands: whether somebody changed it until now, the new key can not tell.
        Raises ``IntegrityError`` if the journal does not verify; nothing is changed then.
        """
        new = JournalKey.of(journal_key)
        if new is None:
            raise InvalidInput("no journal key", hint="give bytes or the path of a file; a signed store stays signed")
        rekeying.rekey(self.database, self._namespaces, self.journal_key, new, to_micros(self.now()))
        self.journal_key = new
        self._writer.key = new

    def stats(self) -> Stats:
        """How much the store holds, and which embedder wrote its vectors."""
        with self.database.read() as connection:
            return maintenance.stats(connection)

    def check_writable(self) -> None:
        """Opens and ends a write transaction; raises ``StorageError`` if the store can not be written to now."""
        self.database.write(lambda connection: None)

    def export(self, path: str | os.PathLike[str], **scope: Unpack[ReadScope]) -> int:
        """Writes the records of a scope (by default all) and their facts as JSON lines; returns how many records."""
        where = self._whole(scope, required=False)
        return transfer.export(self.database, where, path, to_micros(self.now()))

    def import_(self, path: str | os.PathLike[str]) -> int:
        """Stores what ``export`` wrote, ids, times and scopes included; returns how many records the file names.

        The whole file is checked first; importing it again changes nothing. Raises ``InvalidInput`` with the number of
        the first bad line.
        """
        return transfer.import_(self.database, path, self.embedder, self._writer, self.now(), self._with_facts)

    def reindex(self, embedder: Embedder | None = None, progress: Progress | None = None) -> int:
        """Embeds every record anew, with another embedder or this one; returns how many records there are.

        Others may read and write meanwhile; the switch is one transaction. ``progress`` is called with (done, total).
        """
        new = embedder or self.embedder
        total = reindexing.reindex(self.database, new, self.journal_key, to_micros(self.now()), progress)
        with self._embedder_lock:
            self._embedder = new  # not before the store has its vectors
        self._residents.clear()
        return total

    def create_vector_index(self) -> None:
        """Builds pgvector's HNSW index, for scopes that are too large to be searched in memory. PostgreSQL only."""
        if not self.database.is_postgres:
            raise InvalidInput("SQLite has no vector index", hint="scopes are searched in memory, exactly")
        dimensions = self.embedder.fingerprint.dimensions
        self.database.write(lambda connection: pushdown.create_index(connection, dimensions))

    def compact(self, *, keep_versions: int = 1) -> int:
        """Drops the content of all but the newest ``keep_versions`` versions of each record, and of what was deleted.

        Returns how many versions lost their content; the file shrinks. ``history`` still shows that they were there; ``verify`` still passes.
        """
        if keep_versions < 1:
            raise InvalidInput(f"keep_versions is {keep_versions}", hint="keep at least the newest")
        now = to_micros(self.now())
        dropped = self.database.write(
            lambda connection: compacting.forget_versions(connection, keep_versions, self.journal_key, now)
        )
        self.database.vacuum()
        return dropped

    def reset(self) -> None:
        """Empties every table, those of adapters too: everybody's records, facts, threads and journal. Needs no embedder.

        Raises ``Held`` where a legal hold stands, ``MissingDependency`` if a package with tables in the database is not
        installed here.
        """
        now, components = to_micros(self.now()), self.database.components()
        self.database.write(lambda connection: maintenance.empty(connection, components, self.journal_key, now))
        self._residents.clear()
