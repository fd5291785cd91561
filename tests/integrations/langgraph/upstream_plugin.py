"""A pytest plugin for LangGraph's own test-suite: puts ``GenomeSaver`` where that suite opens its SQLite savers.

``GENOME_UPSTREAM_STORE`` says where the checkpoints go: ``memory``, ``sqlite`` (a new file per test), or the URL of a
PostgreSQL database, next to which each test gets one of its own. Loaded with ``-p`` in another process.
"""

from __future__ import annotations

import importlib
import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from genome_langgraph import GenomeSaver
from langgraph.checkpoint.base import BaseCheckpointSaver

_opened = 0


def _open(saver: type[GenomeSaver], _official_place: str) -> GenomeSaver:
    global _opened
    _opened += 1
    store = os.environ["GENOME_UPSTREAM_STORE"]
    if store == "memory":
        return saver(":memory:")
    if store == "sqlite":
        return saver(Path(tempfile.mkdtemp()) / "checkpoints.db")
    name = f"genome_upstream_{uuid.uuid4().hex}"
    _administer(f"CREATE DATABASE {name} TEMPLATE template0")
    return saver(sa.make_url(store).set(database=name))


def _administer(statement: str) -> None:
    engine = sa.create_engine(os.environ["GENOME_UPSTREAM_STORE"], isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()


class _Saver(GenomeSaver):
    from_conn_string = classmethod(_open)  # type: ignore[assignment]

    def close(self) -> None:
        super().close()
        if self.database.is_postgres:
            _administer(f"DROP DATABASE IF EXISTS {self.database.engine.url.database} WITH (FORCE)")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    module = importlib.import_module("tests.conftest_checkpointer")
    for official in ("SqliteSaver", "AsyncSqliteSaver"):
        replaced: type[BaseCheckpointSaver[Any]] = getattr(module, official)
        assert issubclass(replaced, BaseCheckpointSaver)
        setattr(module, official, _Saver)
    return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"GenomeSaver was opened {_opened} times")
