"""What SQLite does for a read of a small scope, and for a write: it walks through nobody else's rows, nor the namespace's."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from genome_core import Memory
from genome_core.storage.schema import having_keys, records
from genome_core.testing.embedders import FakeEmbedder

READS: dict[str, Callable[[Memory], Any]] = {
    "first search": lambda memory: memory.search("tea", user_id="u"),
    "filtered search": lambda memory: memory.search("tea", user_id="u", filter={"n": 1}, exclude=["x"]),
    "get": lambda memory: memory.get("x", user_id="u"),
    "get without a scope": lambda memory: memory.get("x"),
    "get_many": lambda memory: memory.get_many(["x", "y"], user_id="u"),
    "get_all": lambda memory: memory.get_all(user_id="u", newest_first=True),
    "count": lambda memory: memory.count(user_id="u", filter={"n": {"$gt": 1}}),
    "history": lambda memory: memory.history("x", user_id="u"),
    "facts": lambda memory: memory.facts(user_id="u"),
    "run": lambda memory: memory.get_all(run_id="r"),
}
WRITES: dict[str, Callable[[Memory], Any]] = {
    "add": lambda memory: memory.add("It rains.", user_id="u", run_id="r"),
    "add again": lambda memory: memory.add("I drink tea", user_id="u", run_id="r"),
    "add with an id": lambda memory: memory.add({"content": "I live in Rome.", "id": "x"}, user_id="u", run_id="r"),
    "update": lambda memory: memory.update("x", text="I live in Rome.", user_id="u"),
    "delete": lambda memory: memory.delete("x", user_id="u"),
    "renew": lambda memory: memory.renew(["x"], 60, user_id="u"),
}


@pytest.mark.parametrize("name", [*READS, *WRITES])
def test_nothing_walks_through_other_peoples_rows(tmp_path: Path, name: str) -> None:
    with Memory(tmp_path / "memory.db", embedder=FakeEmbedder()) as memory:
        memory.add(["I drink tea", {"content": "I live in Oslo.", "name": "Ann", "id": "x"}], user_id="u", run_id="r")
        memory.search("tea", user_id="v")
        seen: list[str] = []

        def note(connection: sqlite3.Connection, _record: Any) -> None:
            connection.set_trace_callback(seen.append)

        memory.database.close()
        event.listen(memory.database.engine, "connect", note)
        (READS | WRITES)[name](memory)
        statements = [statement for statement in seen if statement.startswith(("SELECT", "UPDATE", "DELETE"))]
        assert statements
        with memory.database.driver() as connection:
            for statement in statements:
                steps = [str(step[3]) for step in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
                wasteful = (
                    r"SCAN genome_(records|passages|journal|facts)|genome_(records|passages)\S* USING .*\(tenant=\?\)$"
                )
                if name in WRITES and "ORDER BY" not in statement:  # those read the turns just before
                    wasteful += r"|genome_records\S* USING .*\((tenant=\? AND )?namespace_id=\?\)$"
                assert not [step for step in steps if re.search(wasteful, step)], (statement, steps)


def test_a_list_of_keys_is_looked_up_in_the_index(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", embedder=FakeEmbedder()) as memory:
        memory.add("I drink tea", user_id="u")
        query = sa.select(records.c.id).where(having_keys(records, range(1000)))
        text = str(query.compile(memory.database.engine, compile_kwargs={"render_postcompile": True}))
        with memory.database.driver() as connection:
            steps = [step[3] for step in connection.execute(f"EXPLAIN QUERY PLAN {text}", ("[0]", "[1, 2]"))]
        assert any("genome_records" in step and "(tenant=? AND key=?)" in step for step in steps), (text, steps)
