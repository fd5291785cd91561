"""Verifying a store: the journal against itself, its heads against the key, the tables against the journal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.audit import chain, misfits, tables
from genome_core.audit.emptied import Emptied
from genome_core.audit.fold import ChainState, Payloads, Whole
from genome_core.audit.tables import Live
from genome_core.errors import IntegrityError, InvalidInput
from genome_core.storage import pseudonyms, rules
from genome_core.storage.journal import GENESIS
from genome_core.storage.namespaces import Place, path_of
from genome_core.storage.row_security import sees_one_tenant
from genome_core.storage.schema import (
    facts,
    journal,
    namespace_labels,
    namespaces,
    passages,
    records,
    seq_of_key,
    tenant_of,
)
from genome_core.storage.signing import JournalKey, check_head, check_key, counted_chains
from genome_core.types import Scope


@dataclass(frozen=True, slots=True)
class Head:
    """Where each chain of a store ended at a time: kept elsewhere, it proves that nothing before it was changed.

    As text it is short: for each chain its number, the count of its entries and the hash of the last one.
    """

    chains: tuple[tuple[int, int, bytes], ...]

    def __str__(self) -> str:
        return "genome-head " + " ".join(f"{tenant}:{seq}:{hash.hex()}" for tenant, seq, hash in self.chains)

    @classmethod
    def parse(cls, text: str) -> Head:
        """The inverse of ``str``; raises ``InvalidInput``."""
        mark, *parts = text.split() or [""]
        try:
            fields = [part.split(":") for part in parts]
            found = tuple((int(tenant), int(seq), bytes.fromhex(hash)) for tenant, seq, hash in fields)
        except ValueError as error:
            raise InvalidInput(f"{text[:60]!r} is not a head", hint="give what head() returned, as it is") from error
        if mark != "genome-head":
            raise InvalidInput(f"{text[:60]!r} is not a head", hint="give what head() returned, as it is")
        return cls(found)


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What ``verify`` walked through without finding a fault."""

    chains: int
    entries: int
    erased: int
    """Entries whose payload was emptied; their digests still chain."""
    head: str
    """Where the journal ends: keep it elsewhere, and give it to a later ``verify`` as ``expected_head``."""
    signed: bool
    """Whether the heads were checked with a key. Without one, whoever can write the database can rewrite all of it."""
    records: int | None = None
    """How many records were compared with the journal; None if that was not asked for."""
    digest: str | None = None
    """With ``deep``, the digest of what the store holds, in hexadecimal."""


def head(connection: Connection, scope: Scope) -> Head:
    return _head(chain.heads(connection, scope))


def _head(rows: Sequence[Any]) -> Head:
    return Head(tuple((row.tenant, row.seq, row.hash) for row in rows if row.seq))


def verify(
    connection: Connection, key: JournalKey | None = None, expected: Head | None = None, *, deep: bool = False
) -> VerifyReport:
    """Walks every chain from its first entry; raises ``IntegrityError`` naming the first fault and its kind.

    A store with a key verifies with that key only: raises ``JournalKeyError`` for another one, or none. ``expected`` is a
    head that was taken away: the chains must go on from there. With ``deep`` the tables are compared with what the
    journal says.
    """
    misfits.refuse(connection)
    try:
        return _walked(connection, key, expected, deep)
    except sa.exc.OperationalError as error:
        if connection.dialect.name == "sqlite" and (fault := misfits.undecodable(connection)):
            raise fault from error
        raise


def _walked(connection: Connection, key: JournalKey | None, expected: Head | None, deep: bool) -> VerifyReport:
    check_key(connection, key)
    heads = chain.heads(connection)
    wanted = {tenant: (seq, hash) for tenant, seq, hash in expected.chains} if expected else {}
    known = {row.tenant for row in heads}
    for tenant in [*connection.scalars(sa.select(journal.c.tenant).distinct()), *wanted]:
        if tenant not in known:
            raise IntegrityError(f"the head of chain {tenant} was removed")
    entries = erased = compared = 0
    marks: set[str] = set()
    digest = tables.Digest()
    for row in heads:
        places = chain.places(connection, row.tenant)
        state = ChainState(row.tenant) if deep else None
        emptied = Emptied(row.tenant, places)
        seq, hash = 0, GENESIS
        there = wanted.pop(row.tenant, (0, GENESIS))
        for entry in chain.verified(connection, row.tenant, places):
            seq, hash = entry.seq, entry.hash
            if (seq, hash) != there and seq == there[0]:
                raise IntegrityError(f"chain {row.tenant} was rewritten before the head at entry {seq}")
            erased += entry.payload is None
            emptied.apply(entry)
            if state:
                state.apply(entry)
        _check_end(row, seq, hash, there[0])
        emptied.check()
        marks |= emptied.marks
        check_head(connection, key, row.tenant, row.seq, row.hash, row.signature)
        entries += seq
        if state:
            compared += len(state.records)
            _compare(connection, state, places, digest)
    if key is not None and counted_chains(connection) != len(heads) and not sees_one_tenant(connection):
        raise IntegrityError(f"{counted_chains(connection)} chains were signed, but there are {len(heads)}")
    _check_pseudonyms(connection, marks)
    _check_strangers(connection, {row.tenant: row.seq for row in heads})
    end, signed = str(_head(heads)), key is not None
    if not deep:
        return VerifyReport(len(heads), entries, erased, end, signed)
    _check_namespaces(connection)
    return VerifyReport(len(heads), entries, erased, end, signed, compared, digest.value().hex())


def _check_end(row: Any, seq: int, hash: bytes, expected: int) -> None:
    if seq < row.seq:
        raise IntegrityError(f"chain {row.tenant} was cut: {seq} entries are there, its head counts {row.seq}")
    if seq > row.seq:
        raise IntegrityError(f"chain {row.tenant} has {seq} entries, its head was set back to {row.seq}")
    if hash != row.hash:
        raise IntegrityError(f"chain {row.tenant} does not end as its head says: the last entries were rewritten")
    if seq < expected:
        raise IntegrityError(
            f"chain {row.tenant} was cut: {seq} entries are there, the expected head counts {expected}"
        )


def _check_pseudonyms(connection: Connection, marks: set[str]) -> None:
    """The random value under which something was erased: without it, nobody finds that again."""
    known = {names.mark for names in pseudonyms.known(connection, None)}
    if marks and marks != known:
        raise IntegrityError("the value under which pseudonyms were made was edited, or removed")


def _check_strangers(connection: Connection, seqs: Mapping[int, int]) -> None:
    """Rows that no chain can tell of."""
    for tenant, newest in connection.execute(_NEWEST_RECORD):
        if seq_of_key(newest) > seqs.get(tenant, 0):
            raise IntegrityError(f"chain {tenant} was emptied: records are there that it does not tell of")
    for table in (passages, facts):
        for tenant in connection.scalars(sa.select(table.c.tenant).distinct()):
            if tenant not in seqs:
                raise IntegrityError(f"{table.name} has rows of chain {tenant}, which is not there")


def _check_namespaces(connection: Connection) -> None:
    hidden = set(connection.execute(_HIDDEN).all())
    labels: dict[int, set[str]] = {}
    for label, id in connection.execute(sa.select(namespace_labels.c.label, namespace_labels.c.namespace_id)):
        labels.setdefault(id, set()).add(label)
    for row in connection.execute(sa.select(namespaces)):
        namespace = tuple(json.loads(row.labels))
        erased = (row.id, row.tenant) in hidden
        tenant = row.tenant if erased else tenant_of(namespace, connection.dialect.name)
        expected = (path_of(namespace), tenant, set(namespace))
        if (row.path, row.tenant, labels.pop(row.id, set())) != expected:
            raise IntegrityError(f"the namespace {namespace} was edited")
    if labels:
        raise IntegrityError(f"namespace {min(labels)} has labels but is not there")


def _compare(connection: Connection, state: ChainState, places: Mapping[int, Place], digest: tables.Digest) -> None:
    """The tables of one tenant, with what its chain says; adds to the digest what is there."""
    payloads = Payloads(connection, state, places)
    said = payloads.whole(state.records[key] for key in sorted(state.records))
    expected: Whole | None = next(said, None)
    for found in tables.live(connection, state.tenant):
        if expected is not None and expected.row["key"] < found.key:
            raise _differs(expected.row, places, "is no longer there")
        if found.row is None:
            raise IntegrityError(f"chain {state.tenant} has passages or facts of a record that is not there")
        if expected is None or expected.row["key"] != found.key:
            raise _differs(found.row, places, _unknown(payloads, found.row))
        _compare_record(expected, found, places)
        digest.add(places[found.row["namespace_id"]].labels, found.row, found)
        expected = next(said, None)
    if expected is not None:
        raise _differs(expected.row, places, "is no longer there")
    _refuse_gone(payloads)
    _compare_rules(connection, state)
    said_by_nobody = payloads.loose()
    _refuse_gone(payloads)
    loose = tables.loose_facts(connection, state.tenant)
    fault = next(_fact_faults(said_by_nobody, loose), None)
    if fault:
        raise IntegrityError(f"a fact of chain {state.tenant} was edited: {fault}")
    for fact in loose:
        digest.add_fact(places[fact["namespace_id"]].labels, fact)


def _compare_rules(connection: Connection, state: ChainState) -> None:
    found = rules.rows(connection, state.tenant)
    for id in sorted(found.keys() | state.rules.keys()):
        if id not in found:
            raise IntegrityError(f"the rule {id!r} is no longer there")
        if id not in state.rules:
            raise IntegrityError(f"the rule {id!r} is not in the journal")
        if found[id] != state.rules[id]:
            raise IntegrityError(f"the rule {id!r} was edited")


def _refuse_gone(payloads: Payloads) -> None:
    for labels, id, seq in payloads.gone:
        what = f"record {id!r}" if id else "facts"
        raise IntegrityError(f"{what} of {labels} cannot be checked: the payload of entry {seq} was emptied")


def _unknown(payloads: Payloads, row: Mapping[str, Any]) -> str:
    for _, id, seq in payloads.gone:
        if id == row["id"]:
            return f"cannot be checked: the payload of entry {seq} was emptied"
    return "is not in the journal"


def _compare_record(expected: Whole, found: Live, places: Mapping[int, Place]) -> None:
    row = found.row or {}
    for name, value in expected.row.items():
        if row[name] != value:
            raise _differs(expected.row, places, f"was edited: its {name} is not what the journal says")
    parts = [(part, row["namespace_id"], digest) for part, digest in enumerate(expected.passages)]
    if found.passages != parts:
        raise _differs(expected.row, places, f"was edited: {_passage_fault(parts, found.passages)}")
    fault = next(_fact_faults(expected.facts, found.facts), None)
    if fault:
        raise _differs(expected.row, places, f"was edited: {fault}")


def _passage_fault(expected: list[tuple[int, int, str]], found: list[tuple[int, int, str]]) -> str:
    if len(expected) != len(found):
        return f"it has {len(found)} passages, not {len(expected)}"
    [part, *_] = next(one for one, other in zip(expected, found, strict=True) if one != other)
    return f"the vector or the terms of passage {part} are not what the journal says"


def _fact_faults(expected: list[dict[str, Any]], found: list[dict[str, Any]]) -> Iterator[str]:
    ours = {(fact["key"], fact["part"]): fact for fact in expected}
    theirs = {(fact["key"], fact["part"]): fact for fact in found}
    for place, fact in ours.items():
        if place not in theirs:
            yield f"the fact {fact['id']} is no longer there"
        elif theirs[place] != fact:
            name = next(name for name in fact if theirs[place][name] != fact[name])
            yield f"the {name} of the fact {fact['id']} is not what the journal says"
    for place in theirs.keys() - ours.keys():
        yield f"the fact {theirs[place]['id']} is not in the journal"


def _differs(row: Mapping[str, Any], places: Mapping[int, Place], how: str) -> IntegrityError:
    place = places.get(row["namespace_id"])
    return IntegrityError(f"record {row['id']!r} of {place.labels if place else '?'} {how}")


_HIDDEN = sa.select(journal.c.namespace_id, journal.c.tenant).where(journal.c.salt.is_(None)).distinct()
"""Where erased entries stand: whose tenant a pseudonym belonged to, only they can tell."""
_NEWEST_RECORD = sa.select(records.c.tenant, sa.func.max(records.c.key)).group_by(records.c.tenant)
