"""What is shipped, what it imports, and that one place says each thing."""

from __future__ import annotations

import ast
import importlib.metadata
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import genome_core

ROOT = Path(__file__).parent.parent
ADAPTERS = sorted(folder for folder in (ROOT / "integrations").glob("genome_*") if folder.is_dir())
FRAMEWORKS = {
    "genome_langgraph": {"langgraph", "langchain_core"},
    "genome_langchain": {"langchain", "langchain_classic", "langchain_core", "langgraph"},
    "genome_crewai": {"crewai"},
    "genome_llama_index": {"llama_index"},
}
"""The import names of each adapter's framework and of what that is built on: LangChain's agents are LangGraph's graphs."""
SLOW = {"torch", "transformers", "sentence_transformers", "onnx", "onnxruntime", "tokenizers", "model2vec", "openai"}


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names of the files in a wheel built from this tree."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        return archive.namelist()


def python_files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.suffix in {".py", ".typed", ".json"}]


def imports(path: Path) -> set[str]:
    """The top-level names that a file imports anywhere, relative imports aside."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


def test_the_wheel_holds_the_engine_and_every_adapter(wheel: list[str]) -> None:
    for folder in (ROOT / "genome_core", *ADAPTERS):
        expected = {str(path.relative_to(folder.parent)) for path in python_files(folder)}
        assert f"{folder.name}/py.typed" in expected
        assert expected <= set(wheel)


def test_the_wheel_holds_nothing_else(wheel: list[str]) -> None:
    packages = {"genome_core", *(folder.name for folder in ADAPTERS)}
    others = {name for name in wheel if name.split("/")[0] not in packages}
    assert {name.split("/")[0].split("-")[0] for name in others} == {"genome_plugins"}


def test_every_adapter_has_an_extra(project: dict[str, Any]) -> None:
    for folder in ADAPTERS:
        extra = folder.name.removeprefix("genome_").replace("_", "-")
        assert extra in project["project"]["optional-dependencies"]
        assert folder.name in FRAMEWORKS


def test_the_extra_all_has_every_other_extra(project: dict[str, Any]) -> None:
    extras = project["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert everything == f"genome-plugins[{','.join(name for name in extras if name not in {'all', 'dev'})}]"


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda folder: folder.name)
def test_an_adapter_imports_no_other_adapter_and_no_other_framework(adapter: Path) -> None:
    others = set(FRAMEWORKS) - {adapter.name}
    foreign = set().union(*(FRAMEWORKS[name] for name in others)) - FRAMEWORKS[adapter.name]
    for path in adapter.rglob("*.py"):
        assert not imports(path) & (others | foreign), path


def test_the_engine_imports_no_framework_and_no_adapter() -> None:
    foreign = set(FRAMEWORKS).union(*FRAMEWORKS.values())
    for path in (ROOT / "genome_core").rglob("*.py"):
        assert not imports(path) & foreign, path


def test_importing_the_engine_loads_nothing_slow() -> None:
    program = "import sys, genome_core; from genome_core import *; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "genome_core" in loaded
    assert not loaded & SLOW.union(*FRAMEWORKS.values())


def test_the_version_stands_in_one_place(project: dict[str, Any]) -> None:
    assert project["project"]["dynamic"] == ["version"]
    namespace: dict[str, Any] = {}
    exec((ROOT / "genome_core" / "_version.py").read_text(encoding="utf-8"), namespace)
    assert genome_core.__version__ == namespace["__version__"]


def test_the_installed_command_is_the_one_of_the_project(project: dict[str, Any]) -> None:
    assert project["project"]["scripts"] == {"genome": "genome_core.cli:main"}
    entry = importlib.metadata.EntryPoint("genome", project["project"]["scripts"]["genome"], "console_scripts")
    assert callable(entry.load())


def test_torch_is_held_at_a_small_build() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert "torch==2.13.0" in pins
    assert not [pin for pin in pins if pin.startswith(("nvidia-", "triton"))]
