"""Runs prepared SQL straight on the driver: SQLAlchemy's share of such a call would be larger than the query's own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any, Protocol

from genome_core.errors import InvalidInput, StorageError
from genome_core.inputs import check_text
from genome_core.storage.database import Database
from genome_langgraph.checkpoint_places import NONE_ELSEWHERE, Placed, move_held
from genome_langgraph.checkpoint_sql import Statements
from genome_langgraph.chunks import SIZE

Row = Sequence[Any]
Parameters = Mapping[str, Any]
Step = tuple[str, Parameters]
"""A statement, and those of its parameters that it shares with no other step."""

AFTER_FIRST = "/* after the first step */"
"""Where a statement of the form INSERT ... SELECT says that it must not run before the first step is done."""


class QuickLane(Protocol):
    """What ``GenomeSaver`` does at each step of a graph."""

    def fetch(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        """The rows of one statement, which sees one snapshot."""

    def fetch_checkpoint(self, sql: Statements, place: Parameters) -> Sequence[Row]:
        """The parts of the checkpoint that ``place`` names by id, or of the latest; as of one moment."""

    def save(self, sql: str, shared: Parameters, rows: Sequence[Parameters]) -> None:
        """Runs a statement for each of the rows, in one transaction; no two may be written to the same row."""

    def put(self, sql: Statements, shared: Parameters, thread: Parameters, head: Parameters, placed: Placed) -> None:
        """Stores a checkpoint with its values in one transaction; the same id again replaces it."""


def check_parameters(*several: Parameters) -> None:
    """Raises ``InvalidInput`` for text that a database can not keep.

    A driver sees that only when the statement's turn comes: what a pipeline sent before it would stay.
    """
    texts = [value for parameters in several for value in parameters.values() if isinstance(value, str)]
    try:
        check_text("".join(texts), "")  # all at once: a call has dozens of them
    except InvalidInput:
        for parameters in several:
            for name, value in parameters.items():
                if isinstance(value, str):
                    check_text(value, name)
        raise


def quick_lane(database: Database) -> QuickLane:
    return _PostgresLane(database) if database.is_postgres else _SqliteLane(database)


class _SqliteLane:
    def __init__(self, database: Database) -> None:
        self._database = database

    def fetch(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        with self._database.driver() as connection:
            return connection.execute(*_positional(sql, parameters)).fetchall()  # type: ignore[no-any-return]

    def fetch_checkpoint(self, sql: Statements, place: Parameters) -> Sequence[Row]:
        # One statement for all takes half as long again: often there are but the head and its writes.
        with self._database.driver() as connection:
            execute = connection.cursor().execute
            execute("BEGIN")
            head = sql.head_by_id if "checkpoint_id" in place else sql.latest_head
            rows: list[Row] = execute(*_positional(head, place)).fetchall()
            for _, _, checkpoint_id, _, versions, *_ in rows[:]:
                found = {**place, "checkpoint_id": checkpoint_id}
                if versions != NONE_ELSEWHERE:
                    rows += execute(*_positional(sql.values_by_id, found)).fetchall()
                rows += execute(*_positional(sql.writes_by_id, found)).fetchall()
            execute("COMMIT")
            return rows

    def save(self, sql: str, shared: Parameters, rows: Sequence[Parameters]) -> None:
        text, values_of = _positions(sql)
        complete = [values_of({**shared, **row}) for row in rows]
        if len(rows) > _AT_ONCE:
            self._transaction(lambda cursor: cursor.executemany(text, complete))
            return
        with self._database.driver(alone=True) as connection:  # in autocommit mode, a statement is a transaction
            connection.execute(_of_rows(text, len(rows)), [*chain.from_iterable(complete)])

    def put(self, sql: Statements, shared: Parameters, thread: Parameters, head: Parameters, placed: Placed) -> None:
        row = {**shared, **thread, **head}
        is_first = head["parent_id"] is None  # of its thread, whose row has to be written too
        if not (is_first or placed.unchanged or placed.rows):
            with self._database.driver(alone=True) as connection:
                if _add_only(connection.execute, sql, {**row, **placed.columns()}):
                    return
        self._transaction(lambda cursor: _put(cursor.execute, sql, row, placed))

    def _transaction(self, work: Callable[[Any], object]) -> None:
        with self._database.driver(alone=True) as connection:
            cursor = connection.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            try:
                work(cursor)
                cursor.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise


def _put(execute: Any, sql: Statements, row: Parameters, placed: Placed) -> None:
    """Stores a checkpoint and what belongs to it, inside a transaction."""
    if placed.unchanged:
        placed.follow(row["parent_id"], execute(*_positional(sql.places, row)).fetchone())
    row = {**row, **placed.columns()}
    if row["parent_id"] is None or not _add_only(execute, sql, row):
        execute(*_positional(sql.save_thread, row))
        if not execute(*_positional(sql.add_checkpoint, row)).rowcount:  # the id is there already
            move_held(execute, row["thread_id"], row["checkpoint_ns"], [row["checkpoint_id"]])
            execute(*_positional(sql.save_checkpoint, row))
    for value, own in _value_steps(sql, placed):
        execute(*_positional(value, {**row, **own}))


def _add_only(execute: Any, sql: Statements, row: Parameters) -> bool:
    return bool(execute(*_positional(sql.add_checkpoint_only, row)).rowcount)


@cache
def _positions(sql: str) -> tuple[str, Callable[[Parameters], tuple[Any, ...]]]:
    """The statement with parameters by position, and what orders those that have names: SQLite's driver looks each name up."""
    names = re.findall(_NAME, sql)
    one, several = names[0], itemgetter(*names)
    return re.sub(_NAME, "?", sql), several if len(names) > 1 else lambda parameters: (parameters[one],)


_NAME = r":(\w+)"


def _positional(sql: str, parameters: Parameters) -> tuple[str, tuple[Any, ...]]:
    text, values_of = _positions(sql)
    return text, values_of(parameters)


@cache
def _of_rows(sql: str, count: int) -> str:
    """An INSERT of one row as one of so many."""
    return re.sub(r"VALUES (\([^)]*\))", lambda row: f"VALUES {', '.join([row[1]] * count)}", sql)


class _PostgresLane:
    """What the driver refuses is done again in the ordinary way of ``Database``, which knows about deadlocks and servers
    that were restarted; so only statements that may run twice belong here."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def fetch(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        with suppress(StorageError), self._database.driver() as connection:
            return connection.cursor(binary=True).execute(sql, parameters).fetchall()  # type: ignore[no-any-return]
        with self._database.read() as connection:
            return connection.exec_driver_sql(sql, dict(parameters)).all()

    def fetch_checkpoint(self, sql: Statements, place: Parameters) -> Sequence[Row]:
        return self.fetch(sql.by_id if "checkpoint_id" in place else sql.latest, place)

    def save(self, sql: str, shared: Parameters, rows: Sequence[Parameters]) -> None:
        self._run(shared, [(sql, row) for row in rows])

    def _run(self, shared: Parameters, steps: Sequence[Step]) -> None:
        statements = [_combined(shared, steps[start : start + _AT_ONCE]) for start in range(0, len(steps), _AT_ONCE)]
        with suppress(StorageError), self._database.driver() as connection:
            # In autocommit mode, one statement is a transaction, and so is what a pipeline sends.
            with connection.pipeline() if len(statements) > 1 else nullcontext():
                for sql, parameters in statements:
                    connection.cursor(binary=True).execute(sql, parameters)
            return
        self._database.write(lambda connection: [connection.exec_driver_sql(*statement) for statement in statements])

    def put(self, sql: Statements, shared: Parameters, thread: Parameters, head: Parameters, placed: Placed) -> None:
        # The thread's step is the first: it locks the thread against a prune.
        steps = [(sql.save_thread, thread), (sql.save_checkpoint, {**head, **placed.columns()})]
        self._run(shared, [*steps, *_value_steps(sql, placed)])


def _value_steps(sql: Statements, placed: Placed) -> Iterator[Step]:
    """Stores the values that the checkpoint's row does not hold."""
    for row in placed.rows:
        yield sql.save_value, row
    if pieces := placed.pieces:
        joined = {"digests": json.dumps([*pieces]), "pieces": b"".join(pieces.values()), "size": SIZE}
        yield sql.save_chunks, joined


_AT_ONCE = 7
"""How many steps become one statement: psycopg remembers statements of up to 4096 characters and 50 parameters."""


def _combined(shared: Parameters, steps: Sequence[Step]) -> tuple[str, dict[str, Any]]:
    """One statement that does what the steps do: a single round trip, in half the time of a statement each."""
    parameters = dict(shared)
    for number, (_, own) in enumerate(steps):
        parameters.update((f"{name}_{number}", value) for name, value in own.items())
    return _combined_sql(tuple(sql for sql, _ in steps), tuple(shared)), parameters


@cache
def _combined_sql(statements: Sequence[str], shared: Sequence[str]) -> str:
    def numbered(number: int) -> str:
        first = "FROM (SELECT count(*) FROM step0) done" if number else ""  # step0 may leave its row as it is
        sql = statements[number].replace(AFTER_FIRST, first)
        return re.sub(r"%\((\w+)\)s", lambda name: name[0] if name[1] in shared else f"%({name[1]}_{number})s", sql)

    if len(statements) == 1:
        return numbered(0)
    *before, last = map(numbered, range(len(statements)))
    return f"WITH {', '.join(f'step{number} AS ({sql} RETURNING 1)' for number, sql in enumerate(before))} {last}"
