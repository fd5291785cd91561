"""The resident index of one scope: vectors, postings and the order of turns, kept up to date row by row.

A *record* has one or more *passages*; each passage is a *row*. Rows of one record lie together. A removed record leaves a tombstone,
and the arrays are compacted once tombstones outnumber what is alive. Records of a session form a list in order of ``(at, order, key)``,
whatever order they arrived in; ``windows`` holds for each row the rows before and after it in its session.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import count
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from genome_core.errors import InvalidInput
from genome_core.search.columns import Column
from genome_core.search.postings import Postings
from genome_core.search.present import NEVER, Present

K = TypeVar("K", bound=Hashable)
T = TypeVar("T", bound=np.generic)

REACH = 4
"""How many rows on each side a window takes in at most ..."""
ENOUGH_CONTEXT = 30
"""... as long as those closer have fewer terms than this together."""
PAUSE = 12 * 3_600_000_000
"""Microseconds of silence after which a talk is another one: windows do not reach across."""
SELF_CONTAINED = 25
"""A record of so many terms needs its neighbours half as much as the shortest."""
_FEW = 16
"""Up to this many new records are linked one by one; more are linked by sorting the sessions they touch."""
_MOST_DEAD = 1024
_RECORD_BYTES = 200
"""What a record costs in dictionaries, beside its columns."""


class Entry(NamedTuple):
    """What the index needs of one record."""

    key: int
    """The record's key in the database, unique in the index."""
    session: Hashable
    """Turns of one session follow each other: the namespace."""
    at: int
    """When it was said, in microseconds since the epoch, UTC."""
    order: int
    """Breaks ties of ``at`` inside a session."""
    speaker: str
    expires_at: int | None
    passages: Sequence[tuple[NDArray[np.float32] | None, str]]
    """For each passage its vector of shape ``(dimensions,)`` and norm 1 (None: not found by meaning) and its terms joined by spaces."""


class Block(NamedTuple):
    """Records with distinct keys as columns: one element a record as in ``Entry``, then one a passage."""

    keys: Sequence[int]
    sessions: Sequence[Hashable]
    at: Sequence[int]
    order: Sequence[int]
    speakers: Sequence[str]
    expires_at: Sequence[int | None]
    passages: NDArray[np.int64]
    """How many passages each record has; they lie together, in the order of the records."""
    terms: Sequence[str]
    vectors: NDArray[np.float32]
    """Shape ``(passages, dimensions)``, of any byte order."""
    has_vector: NDArray[np.bool_]
    """Whether its row in ``vectors`` counts."""


class ScopeIndex:
    """All records of one scope. Every public method takes the index's own lock; ``rank`` is in ``genome_core.search.rank``."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.lock = threading.RLock()
        self._clear()

    def _clear(self) -> None:
        self.postings = Postings()
        self._record_of: dict[int, int] = {}
        self._sessions: dict[Hashable, int] = {}
        self._speakers: dict[str, int] = {}
        self._spoken: dict[int, int] = {}
        """How many live records each speaker has."""
        self._turns: dict[tuple[int, int], int] = {}
        """Live records by (session, speaker)."""
        # one element a record
        self.key, self.at, self.order, self.expires = (Column(np.int64) for _ in range(4))
        self.session, self.speaker, self.first, self.count = (Column(np.int32) for _ in range(4))
        self.previous, self.next = Column(np.int32), Column(np.int32)
        self.has_vector = Column(np.bool_)
        """Whether all of a record's passages have a vector; else it is not found by meaning."""
        self.alive = Column(np.bool_)
        # one element a row
        self.vectors = Column(np.float32, self.dimensions)
        self.length, self.owner = Column(np.int32), Column(np.int32)
        self.windows = Column(np.int32, 2 * REACH)
        """The rows before and after, from the farthest before to the farthest after; -1 where there is none."""
        self.need = Column(np.float32)
        """How much a row needs its neighbours to be understood: 1 for the shortest record, towards 0 for long ones."""
        self.context_length = Column(np.float32)
        """The terms that the window adds, discounted by both rows' need."""
        # one element a session
        self.voices = Column(np.int32)
        """How many different speakers take part in a session."""
        self.head, self.last = Column(np.int32), Column(np.int32)
        """A session's earliest and latest record."""
        self._present: Present | None = None

    def __len__(self) -> int:
        return len(self._record_of)

    @property
    def undivided(self) -> bool:
        """Whether every record is one passage, so that its number is also that of its row."""
        return len(self.key) == len(self.owner)

    def of_rows(self, values: NDArray[T]) -> NDArray[T]:
        """A value of each record as one of each of its rows."""
        return values if self.undivided else values[self.owner.data]

    def present(self, now: int) -> Present:
        """What has not expired by a time, in microseconds since the epoch. Call it under the lock."""
        if self._present is None or not self._present.holds_at(now):
            self._present = Present(self, now)
        return self._present

    @property
    def nbytes(self) -> int:
        """Bytes held, dictionaries estimated."""
        columns = [value for value in vars(self).values() if isinstance(value, Column)]
        return sum(c.nbytes for c in columns) + self.postings.nbytes + _RECORD_BYTES * len(self._record_of)

    @property
    def speakers(self) -> dict[str, int]:
        """The number by which ``speaker`` refers to each name of which there are turns."""
        return {name: number for name, number in self._speakers.items() if self._spoken.get(number)}

    def reserve(self, rows: int) -> None:
        """Make room for so many more passages at once: growing step by step copies all vectors at each."""
        with self.lock:
            self.vectors.reserve(rows)

    def add(self, entries: Iterable[Entry]) -> None:
        """Add records; one whose key is known replaces the old."""
        batch = list({entry.key: entry for entry in entries}.values())
        given = [passage for entry in batch for passage in entry.passages]
        vectors = np.zeros((len(given), self.dimensions), np.float32)
        for row, (vector, _) in enumerate(given):
            if vector is not None:
                vectors[row] = vector
        block = Block(
            keys=[entry.key for entry in batch],
            sessions=[entry.session for entry in batch],
            at=[entry.at for entry in batch],
            order=[entry.order for entry in batch],
            speakers=[entry.speaker for entry in batch],
            expires_at=[entry.expires_at for entry in batch],
            passages=np.array([len(entry.passages) for entry in batch], np.int64),
            terms=[terms for _, terms in given],
            vectors=vectors,
            has_vector=np.array([vector is not None for vector, _ in given], np.bool_),
        )
        with self.lock:
            self.remove(block.keys)
            self.add_blocks([block])

    def add_blocks(self, blocks: Iterable[Block]) -> None:
        """Add records that are not there, block by block. If the next block can not be had, those before it are there."""
        with self.lock:
            self._present, start = None, len(self.key)
            try:
                for block in blocks:
                    self._append(block)
            finally:
                records = range(start, len(self.key))
                if len(records) <= _FEW:
                    for record in records:
                        self._insert(record)
                else:
                    self._relink(np.unique(self.session.data[start:]))

    def _append(self, block: Block) -> None:
        counts, starts = block.passages, np.cumsum(block.passages) - block.passages
        size, rows = len(block.keys), len(block.terms)
        first_row, first_record = len(self.length), len(self.key)
        if not counts.all():
            raise InvalidInput("a record has no passage", hint="give a text without terms as one passage")
        if block.vectors.shape != (counts.sum(), self.dimensions):
            raise InvalidInput(f"{rows} passages of {self.dimensions} dimensions, but vectors {block.vectors.shape}")
        self.key.extend(np.array(block.keys, np.int64))
        self.at.extend(np.array(block.at, np.int64))
        self.order.extend(np.array(block.order, np.int64))
        self.expires.extend(np.array([NEVER if at is None else at for at in block.expires_at], np.int64))
        self.count.extend(counts)
        self.first.extend(first_row + starts)
        self.alive.extend(np.ones(size, np.bool_))
        for column in (self.previous, self.next):
            column.extend(np.full(size, -1, np.int32))
        self.vectors.extend(block.vectors)
        self.owner.extend(np.repeat(np.arange(first_record, first_record + size, dtype=np.int32), counts))
        self.windows.extend(np.full((rows, 2 * REACH), -1, np.int32))
        lengths = self.postings.extend(first_row, block.terms)
        self.length.extend(lengths)
        record_lengths = np.add.reduceat(lengths, starts) if size else lengths
        self.need.extend(np.repeat(1 / (1 + (record_lengths / SELF_CONTAINED) ** 2), counts))
        self.context_length.extend(np.zeros(rows, np.float32))
        self.has_vector.extend(np.logical_and.reduceat(block.has_vector, starts) if size else block.has_vector)
        self._append_names(block, first_record)

    def _append_names(self, block: Block, first_record: int) -> None:
        sessions, speakers = _numbered(self._sessions, block.sessions), _numbered(self._speakers, block.speakers)
        self.session.extend(np.array(sessions, np.int32))
        self.speaker.extend(np.array(speakers, np.int32))
        new = len(self._sessions) - len(self.voices)
        self.voices.extend(np.zeros(new, np.int32))
        self.head.extend(np.full(new, -1, np.int32))
        self.last.extend(np.full(new, -1, np.int32))
        self._record_of.update(zip(block.keys, count(first_record)))
        for (session, speaker), turns in Counter(zip(sessions, speakers, strict=True)).items():
            self._count_turn(session, speaker, turns)

    def _count_turn(self, session: int, speaker: int, change: int) -> None:
        self._spoken[speaker] = self._spoken.get(speaker, 0) + change
        before = self._turns.get((session, speaker), 0)
        self._turns[session, speaker] = before + change
        self.voices.data[session] += (before + change > 0) - (before > 0)

    def remove(self, keys: Iterable[int]) -> None:
        """Remove records; unknown keys are ignored."""
        with self.lock:
            self._present = None
            for key in keys:
                record = self._record_of.pop(key, None)
                if record is None:
                    continue
                self.alive.data[record] = False
                self._count_turn(int(self.session.data[record]), int(self.speaker.data[record]), -1)
                self._unlink(record)
            dead = len(self.key) - len(self._record_of)
            if dead > max(_MOST_DEAD, len(self._record_of)):
                self._compact()

    def _compact(self) -> None:
        """Drop the tombstones. Sessions and speakers keep their numbers."""
        alive = self.alive.data.copy()
        alive_rows = alive[self.owner.data]
        new_record = np.where(alive, np.cumsum(alive) - 1, -1)
        new_row = np.where(alive_rows, np.cumsum(alive_rows) - 1, -1)
        records = (self.key, self.at, self.order, self.expires, self.session, self.speaker, self.first, self.count)
        for column in (*records, self.previous, self.next, self.alive, self.has_vector):
            column.keep(alive)
        for column in (self.vectors, self.length, self.owner, self.windows, self.need):
            column.keep(alive_rows)
        self.context_length.keep(alive_rows)
        self.first.data[:] = new_row[self.first.data]
        self.owner.data[:] = new_record[self.owner.data]
        for links, moved in (
            (self.previous, new_record),
            (self.next, new_record),
            (self.head, new_record),
            (self.last, new_record),
            (self.windows, new_row),
        ):
            links.data[:] = np.where(links.data >= 0, moved[links.data], -1)
        self.postings.renumber(new_row)
        self._record_of = {int(key): record for record, key in enumerate(self.key.data)}

    # The order of turns

    def _insert(self, record: int) -> None:
        """Find the place of one record in its session: mostly the end."""
        session = int(self.session.data[record])
        before, after = int(self.last.data[session]), -1
        if before >= 0 and self._place(before) > self._place(record):
            before = self._predecessor(record)
            after = int(self.next.data[before] if before >= 0 else self.head.data[session])
        self._join(session, before, record)
        self._join(session, record, after)
        self._refresh(self._rows_before(record), self._rows(record), self._rows_after(record))

    def _unlink(self, record: int) -> None:
        before, after = int(self.previous.data[record]), int(self.next.data[record])
        rows_before, rows_after = self._rows_before(record), self._rows_after(record)
        self._join(int(self.session.data[record]), before, after)
        self._refresh(rows_before, [], rows_after)

    def _join(self, session: int, before: int, after: int) -> None:
        """Make two records follow each other; -1 stands for the end of the session."""
        if before >= 0:
            self.next.data[before] = after
        else:
            self.head.data[session] = after
        if after >= 0:
            self.previous.data[after] = before
        else:
            self.last.data[session] = before

    def _place(self, record: int) -> tuple[int, int, int]:
        return int(self.at.data[record]), int(self.order.data[record]), int(self.key.data[record])

    def _predecessor(self, record: int) -> int:
        """The latest linked record of the session that belongs before ``record``, or -1. Only a late arrival needs this scan."""
        others = np.flatnonzero((self.session.data == self.session.data[record]) & self.alive.data)
        others = others[others < record]  # what came with the same batch after this one is not linked yet
        at, order, key = self.at.data[others], self.order.data[others], self.key.data[others]
        my_at, my_order, my_key = self._place(record)
        earlier = (at < my_at) | ((at == my_at) & ((order < my_order) | ((order == my_order) & (key < my_key))))
        chosen = np.flatnonzero(earlier)
        if not len(chosen):
            return -1
        return int(others[chosen[np.lexsort((key[chosen], order[chosen], at[chosen]))[-1]]])

    def _rows(self, record: int) -> list[int]:
        first = int(self.first.data[record])
        return list(range(first, first + int(self.count.data[record])))

    def _rows_before(self, record: int) -> list[int]:
        """The rows before a record in its session, enough to fill the windows that reach it."""
        rows: list[int] = []
        other = int(self.previous.data[record])
        while other >= 0 and len(rows) < 2 * REACH:
            rows = self._rows(other) + rows
            other = int(self.previous.data[other])
        return rows[-2 * REACH :]

    def _rows_after(self, record: int) -> list[int]:
        rows: list[int] = []
        other = int(self.next.data[record])
        while other >= 0 and len(rows) < 2 * REACH:
            rows += self._rows(other)
            other = int(self.next.data[other])
        return rows[: 2 * REACH]

    def _refresh(self, before: list[int], rows: list[int], after: list[int]) -> None:
        """Renew the windows around a seam: of ``rows`` and of those before and after that reach it."""
        sequence = np.array(before + rows + after, np.int64)
        reaching = slice(max(len(before) - REACH, 0), len(before) + len(rows) + REACH)
        if len(sequence):
            self._set_windows(sequence, np.zeros(len(sequence), np.int32), reaching)

    def _set_windows(self, rows: NDArray[np.int64], session: NDArray[np.int32], chosen: slice) -> None:
        """Set the windows of the ``chosen`` ones of rows that follow each other."""
        length, need = self.length.data[rows].astype(np.float32), self.need.data[rows]
        at = self.at.data[self.owner.data[rows]]
        borders = (np.diff(session) != 0) | (np.diff(at) > PAUSE)
        talk = np.concatenate(([0], np.cumsum(borders)))
        terms_before = np.concatenate(([0], np.cumsum(self.length.data[rows], dtype=np.int64)))
        windows = np.full((len(rows), 2 * REACH), -1, np.int32)
        context = np.zeros(len(rows), np.float32)
        for distance in range(1, min(REACH, len(rows) - 1) + 1):
            between = terms_before[distance:-1] - terms_before[1:-distance]
            near = (talk[distance:] == talk[:-distance]) & (between < ENOUGH_CONTEXT)
            windows[distance:, REACH - distance] = np.where(near, rows[:-distance], -1)
            windows[:-distance, REACH + distance - 1] = np.where(near, rows[distance:], -1)
            shared = near * need[distance:] * need[:-distance]
            context[distance:] += shared * length[:-distance]
            context[:-distance] += shared * length[distance:]
        self.windows.data[rows[chosen]] = windows[chosen]
        self.context_length.data[rows[chosen]] = context[chosen]

    def _relink(self, sessions: NDArray[np.int32]) -> None:
        """Put whole sessions in order at once."""
        chosen = np.flatnonzero(np.isin(self.session.data, sessions) & self.alive.data)
        session = self.session.data[chosen]
        ordered = chosen[
            np.lexsort((self.key.data[chosen], self.order.data[chosen], self.at.data[chosen], session))
        ].astype(np.int32)
        session = self.session.data[ordered]
        same = session[1:] == session[:-1]
        self.previous.data[ordered] = np.concatenate(([-1], np.where(same, ordered[:-1], -1)))
        self.next.data[ordered] = np.concatenate((np.where(same, ordered[1:], -1), [-1]))
        ends = np.concatenate((~same, [True]))
        self.last.data[session[ends]] = ordered[ends]
        starts = np.concatenate(([True], ~same))
        self.head.data[session[starts]] = ordered[starts]

        counts = self.count.data[ordered]
        offsets = np.cumsum(counts) - counts
        rows = np.repeat(self.first.data[ordered] - offsets, counts) + np.arange(counts.sum())
        self._set_windows(rows, np.repeat(session, counts), slice(None))

    def neighbours(self, key: int, n: int) -> tuple[list[int], list[int]]:
        """Keys of up to ``n`` records before and ``n`` after one in its session, each list in order; empty for an unknown key."""
        with self.lock:
            record = self._record_of.get(key, -1)
            if record < 0:
                return [], []
            return self._walk(record, self.previous, n)[::-1], self._walk(record, self.next, n)

    def _walk(self, record: int, links: Column, n: int) -> list[int]:
        keys: list[int] = []
        other = int(links.data[record])
        while other >= 0 and len(keys) < n:
            keys.append(int(self.key.data[other]))
            other = int(links.data[other])
        return keys


def _numbered(known: dict[K, int], names: Sequence[K]) -> list[int]:
    """The number of each name; new ones get the next."""
    for name in dict.fromkeys(names):
        known.setdefault(name, len(known))
    return list(map(known.__getitem__, names))
