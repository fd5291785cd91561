"""Tables of figures: printed row by row as they are measured, and kept as lines of JSON for ``run.py``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

Cell: TypeAlias = float | str | None

RESULTS = "GENOME_BENCHMARK_RESULTS"
"""The environment variable that names the file of JSON lines."""


class Table:
    """Figures side by side. With ``better``, the first column is ours, the others are peers, and a last one tells the ratio.

    The ratio is how many times better ours is than the best of the peers: below 1 is a loss.
    """

    def __init__(
        self, title: str, columns: Sequence[str], *, unit: str = "", better: Literal["less", "more"] | None = None
    ) -> None:
        self._better = better
        self._head = {"table": title, "unit": unit, "columns": [*columns, "ratio"] if better else list(columns)}
        _print_title(f"{title}{f', {unit}' if unit else ''}")
        self._print("", self._head["columns"])

    def row(self, name: str, *values: Cell) -> None:
        """Adds a row; None is a figure that was not measured."""
        cells = [*values, self._ratio(values)] if self._better else list(values)
        if len(cells) != len(self._head["columns"]):
            raise ValueError(f"{len(cells)} figures for the columns {self._head['columns']}")
        self._print(name, [shown(cell) for cell in cells])
        _keep({**self._head, "row": name, "cells": cells})

    def _ratio(self, values: Sequence[Cell]) -> float | None:
        ours, *peers = (value if isinstance(value, int | float) else None for value in values)
        measured = [peer for peer in peers if peer is not None]
        if not ours or not measured:
            return None
        return min(measured) / ours if self._better == "less" else ours / max(measured)

    def _print(self, name: str, cells: Sequence[str]) -> None:
        print(f"{name:44}" + "".join(f"{cell:>22}" for cell in cells), flush=True)


class Lines:
    """Figures with names of their own, under the title last begun: kept as a table for each set of names."""

    def __init__(self) -> None:
        self._title = ""

    def begin(self, title: str) -> None:
        self._title = title
        _print_title(title)

    def __call__(self, row: str, **figures: Cell) -> None:
        print(f"{row:44} " + "  ".join(f"{name} {shown(value):>8}" for name, value in figures.items()), flush=True)
        columns = [name.replace("_", " ") for name in figures]
        _keep({"table": self._title, "unit": "", "columns": columns, "row": row, "cells": list(figures.values())})


def _print_title(title: str) -> None:
    print(f"\n{title}", flush=True)


def _keep(row: Mapping[str, Any]) -> None:
    if path := os.environ.get(RESULTS):
        with open(path, "a") as file:
            file.write(json.dumps(row) + "\n")


def shown(value: Cell) -> str:
    """A figure for a reader: three digits that count, more for whole thousands."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if value == int(value):
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"
