"""The verbs about how long things stay: erasing for good, legal holds, and rules that say what goes when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Unpack

from sqlalchemy.engine import Connection

from genome_core import inputs
from genome_core.audit import erasing, retention
from genome_core.audit.erasing import Erasure, Target
from genome_core.erasure import ErasureReceipt
from genome_core.errors import InvalidInput, InvalidScope, NotFound, StorageError
from genome_core.memory.base import MemoryBase
from genome_core.scopes import ReadScope, checked_id
from genome_core.storage import reading, rules
from genome_core.storage.database import Schema
from genome_core.storage.journal import JournalWriter
from genome_core.storage.moments import from_micros, to_micros
from genome_core.storage.namespaces import NamespaceTable, Place
from genome_core.storage.reading import Selection
from genome_core.storage.rules import Rule
from genome_core.types import Namespace, Scope

_ON_POSTGRES = (
    "dead rows until VACUUM has run, and their bytes in free space until it is used again or VACUUM FULL has run",
    "the write-ahead log until it is recycled, and its archive, replicas and backups",
)
_IN_USE = ("old pages of the file: a reader looked at an older state; call erase again",)


class Retaining(MemoryBase):
    """Erasing, holding and keeping for a time. Each verb is one transaction."""

    def erase(self, ids: Sequence[str] | None = None, *, reason: str, **scope: Unpack[ReadScope]) -> ErasureReceipt:
        """Erases a scope, or what has one of the ids in it, for good; returns a receipt.

        Records, vectors, terms and facts go, every version in the journal, and what adapters keep of the scope in tables of
        their own, such as LangGraph's threads; then SQLite's file is rewritten. Labels and ids become pseudonyms. The
        journal verifies as before and tells in one entry (on PostgreSQL in one for each chain) that it was done, and why.
        All of it happens, or nothing. Erasing again what is gone returns the same receipt, and finishes the rewriting
        of the file where that could not be done.

        Raises ``Held`` where a legal hold stands, ``MissingDependency`` where an adapter that keeps tables here is not
        installed, ``InvalidScope`` without a scope, ``StorageError``: nothing was erased then.
        """
        where, reason = self._all_origins(scope), _reason(reason)
        if isinstance(ids, str):
            raise InvalidInput(f"ids is the text {ids!r}", hint="give a list of ids")
        target = Target(where, None if ids is None else tuple(map(checked_id, ids)))
        now, components = to_micros(self.now()), self.database.components()

        def work(connection: Connection) -> Erasure | None:
            done = self._erased(connection, components, [target], reason, now)
            return done or erasing.last(connection, self.journal_key, target)

        done = self.database.write(work) or Erasure("", now, reason, {})
        self._forget_all()
        return ErasureReceipt(
            id=done.id,
            at=from_micros(done.at),
            reason=done.reason,
            scope=rules.scope_json(target.scope),
            ids=target.ids,
            counts=done.counts,
            chains=tuple(done.chains),
            remains=self._purge(),
        ).signed(self.journal_key)

    def _erased(
        self, connection: Connection, components: Sequence[Schema], targets: Sequence[Target], reason: str, now: int
    ) -> Erasure | None:
        return erasing.erase(
            connection, self._namespaces, components, self.journal_key, targets, reason=reason, now=now
        )

    def _forget_all(self) -> None:
        """Nothing of what was erased stays in this process's caches; others drop theirs when they next look."""
        self._namespaces.forget()
        self._residents.clear()
        self._knowledge.forget()

    def _purge(self) -> tuple[str, ...]:
        """Gets what was deleted out of the database's files; returns what may remain."""
        if self.database.is_postgres:
            return _ON_POSTGRES
        try:
            return () if self.database.vacuum() else _IN_USE
        except StorageError:  # the erasure is committed: the receipt says what is left to do
            return _IN_USE

    def hold(self, reason: str, **scope: Unpack[ReadScope]) -> str:
        """Puts a scope under legal hold; returns the rule's id.

        Until ``release``, nothing in it can be deleted, erased, swept or compacted: those raise ``Held``, ``sweep`` passes over
        it. Adding and updating go on: the journal keeps every version. The scope names a user or a namespace.
        """
        return self._add_rule(self._all_origins(scope), None, None, _reason(reason))

    def retain(
        self, keep: timedelta | float, *, origin: str | None = None, reason: str = "", **scope: Unpack[ReadScope]
    ) -> str:
        """Rules that a scope's records (of one origin) are kept for a time after their last change; returns the rule's id.

        ``keep`` is a timedelta or seconds. ``sweep`` erases what is older, also from the journal. Several rules: the
        shortest counts. ``namespace=()`` means everybody's.
        """
        seconds = keep.total_seconds() if isinstance(keep, timedelta) else keep
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < 1e10:
            raise InvalidInput(f"keep is {keep!r}", hint="give a timedelta, or seconds, above zero")
        if origin is not None:
            inputs.check_text(origin, "origin")
        inputs.check_text(reason, "reason")
        return self._add_rule(self._all_origins(scope), int(seconds * 1_000_000), origin, reason)

    def _add_rule(self, scope: Scope, keep: int | None, origin: str | None, reason: str) -> str:
        if scope.having and not scope.prefix:
            raise InvalidScope("a rule about agents or runs of all users", hint="name the user, or a namespace")
        now = to_micros(self.now())

        def work(connection: Connection) -> str:
            writer = JournalWriter(connection, [self._namespaces.tenant(scope.prefix)], now, self.journal_key)
            place = self._place(connection, scope.prefix)
            id = rules.add(connection, writer, place, scope, keep=keep, origin=origin, reason=reason, now=now)
            writer.flush()
            return id

        return self.database.write(work)

    def _place(self, connection: Connection, namespace: Namespace) -> Place:
        """The namespace as it stands there now: another process may have erased the one that this one remembers."""
        return NamespaceTable(self.database.dialect).ensure(connection, [namespace])[namespace]

    def release(self, id: str) -> Rule:
        """Ends a legal hold or a rule, and returns it. Raises ``NotFound``."""
        now = to_micros(self.now())

        def work(connection: Connection) -> Rule:
            rule = rules.find(connection, id)
            if rule is None:
                raise NotFound(f"no rule {id!r}", hint="rules() lists them")
            prefix = rule.scope.prefix
            writer = JournalWriter(connection, [self._namespaces.tenant(prefix)], now, self.journal_key)
            place = self._place(connection, prefix)
            rules.remove(connection, writer, place, id)
            writer.flush()
            return rule

        return self.database.write(work)

    def rules(self) -> list[Rule]:
        """The legal holds and the rules of retention, in the order in which they were made."""
        with self.database.read() as connection:
            return rules.every(connection)

    def sweep(self) -> int:
        """Deletes what has expired, which no read shows any more, and erases what is kept longer than a rule says.

        Returns how many records. What is under legal hold stays.
        """
        now = to_micros(self.now())
        with self.database.read() as connection:
            expired = reading.select(connection, Selection(Scope(), now, expired=True))
            due = retention.due(connection, now)
        count = self._writer.delete(expired, now, op="expire")
        targets = [Target(Scope(namespace, exact=True), tuple(ids)) for namespace, ids in due.items()]
        if targets:
            # Only what the engine holds: threads and the like have times to live of their own.
            done = self.database.write(lambda connection: self._erased(connection, (), targets, "retention", now))
            count += done.counts["records"] if done else 0
            self._forget_all()
            self._purge()
        return count


def _reason(reason: str) -> str:
    if not isinstance(reason, str) or not reason.strip():
        raise InvalidInput("no reason", hint="say why: it stays in the journal, so name nobody in it")
    inputs.check_text(reason, "reason")
    return reason
