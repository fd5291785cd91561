"""The command in this process: arguments in, exit code and output out."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from genome_core.cli import main
from genome_core.embedders import default_embedder
from genome_core.protocols import Embedder


@dataclass(frozen=True)
class Outcome:
    """How a call of the command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Genome: TypeAlias = Callable[..., Outcome]


@pytest.fixture(scope="session")
def loaded_embedder() -> Embedder:
    """The default embedder, loaded once and not by every command."""
    return default_embedder()


@pytest.fixture
def genome(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, loaded_embedder: Embedder
) -> Genome:
    """Runs ``genome ARGUMENTS`` in an empty folder."""
    monkeypatch.setattr("genome_core.embedders.default.default_embedder", lambda: loaded_embedder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str, stdin: str = "") -> Outcome:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        captured = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Outcome(code, captured.out, captured.err)

    return run
