"""Whatever the README and the documentation show is executed, page by page, in the order shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

BLOCK = re.compile(
    r"(?:^<!-- not run here: (?P<reason>.+?) -->\n)?^```(?P<language>\w+)[^\n]*\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
INERT = {"text", "json", "toml", "yaml", "sql", "mermaid"}
"""Languages of blocks in which there is nothing to run."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; ``reason`` says why it is not run here, or is empty."""

    page: Path
    line: int
    language: str
    code: str
    reason: str


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        yield Block(page, line, match["language"], match["code"], match["reason"] or "")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, with the command ``genome`` of this interpreter on the path."""
    tools = tmp_path / "bin"
    tools.mkdir()
    command = tools / "genome"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m genome_core.cli "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def run_shell(block: Block) -> None:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.code], check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, f"{block.page}:{block.line}\n{done.stdout}\n{done.stderr}"


def run_python(block: Block, names: dict[str, object]) -> None:
    # Empty lines in front, so that a traceback shows the line of the page.
    exec(compile("\n" * (block.line - 1) + block.code, str(block.page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_works(page: Path, shell: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.reason or block.language in INERT:
            continue
        assert block.language in {"python", "bash"}, f"{page}:{block.line}: nothing runs {block.language!r}"
        if block.language == "python":
            run_python(block, names)
        else:
            run_shell(block)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_runs(example: Path, shell: Path) -> None:
    command = [sys.executable, "-W", "error", str(example)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_only_installing_checking_distilling_and_what_a_named_test_runs_is_left_out() -> None:
    left_out = [block for page in PAGES for block in blocks(page) if block.reason]
    assert left_out, "the README's own commands are expected here"
    for block in left_out:
        runs_it = re.search(r"tests/\S+\.py", block.reason)
        if block.language == "python":
            assert runs_it, f"{block.page}:{block.line}: Python runs, here or in a test that is named"
            assert (ROOT / runs_it[0]).exists(), f"{block.page}:{block.line}: {runs_it[0]}"
        else:
            installs = re.search(r"^(pip install|pytest|ruff|GENOME_TEST_POSTGRES=|genome distill)", block.code)
            assert installs, f"{block.page}:{block.line}"


def test_the_check_runs_the_commands_of_the_readme_and_of_contributing() -> None:
    script = (ROOT / "scripts" / "check").read_text(encoding="utf-8")
    executed = re.findall(r"^ *step \".*?\" '(.*?)'?(?: --site-dir .*)?$", script, re.MULTILINE)
    parts = " && ".join(executed).split(" && ")
    shown = [block.code for block in blocks(ROOT / "README.md") if block.reason]
    assert len(shown) == 2
    checks = [block.code for block in blocks(ROOT / "CONTRIBUTING.md") if "scripts/check" in block.reason]
    assert len(checks) == 1
    for command in re.split(r" && |\n", "\n".join([*shown, *checks]).strip()):
        assert not command or command in parts, f"{command!r} is shown, but not in scripts/check"


def test_ci_is_the_check() -> None:
    assert "scripts/check" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_pages_of_the_frameworks_have_the_same_headings() -> None:
    wanted = ["Install", "Shortest use", "What maps to what", "Recall and as-of", "Async", "Limits"]
    for page in sorted((ROOT / "docs" / "integrations").glob("*.md")):
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
        common = [heading for heading in headings if heading in wanted or heading.startswith("Moving from ")]
        assert common[:-1] == wanted, f"{page.name}: {common}"
        assert common[-1].startswith("Moving from "), f"{page.name}: {common}"


def test_no_conflict_of_a_merge_was_left() -> None:
    for path in (ROOT / "mkdocs.yml", ROOT / "pyproject.toml", ROOT / "CHANGELOG.md", *PAGES):
        assert not re.search(r"^(<{7}|>{7}) ", path.read_text(encoding="utf-8"), re.MULTILINE), path


def test_the_navigation_has_every_page() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert set(re.findall(r"(\S+\.md)$", navigation, re.MULTILINE)) == pages


def test_links_between_pages_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), f"{page.name} links to {target}"


def test_the_page_of_benchmarks_is_what_the_figures_make() -> None:
    command = [sys.executable, "-c", "import run; print(run.render(), end='')"]
    made = subprocess.run(command, cwd=ROOT / "benchmarks", capture_output=True, text=True, check=True)
    assert made.stdout == (ROOT / "docs" / "benchmarks.md").read_text(), "run: python benchmarks/run.py --render"
