"""Tables for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields

from rich.table import Table
from rich.text import Text

from genome_core.cli.common import plain
from genome_core.storage.history import Version
from genome_core.types import Hit, Record


def cell(value: object) -> Text:
    """``value`` in a table; text from a store is never read as markup."""
    plainly = plain(value)
    if plainly is None:
        return Text("")
    return Text(plainly if isinstance(plainly, str) else json.dumps(plainly, ensure_ascii=False))


def when(record: Record) -> Text:
    """When it was said, to the minute, in UTC."""
    return Text(f"{record.at:%Y-%m-%d %H:%M}" if record.at else "")


def hits_table(hits: Sequence[Hit]) -> Table:
    """Score, time, speaker, words and id of each hit, best first."""
    table = Table()
    for heading in ("score", "said (UTC)", "by", "text", "id"):
        table.add_column(heading, justify="right" if heading == "score" else "left")
    for hit in hits:
        record = hit.record
        score = Text(f"{hit.score:.3f}")
        table.add_row(score, when(record), cell(record.speaker), cell(record.text), cell(record.id))
    return table


def found_lines(hits: Sequence[Hit]) -> Table:
    """Day, speaker and words of each hit, without a frame."""
    table = Table(box=None, show_header=False)
    for hit in hits:
        record = hit.record
        table.add_row(Text(f"{record.at:%Y-%m-%d}", style="cyan"), cell(record.speaker), cell(record.text))
    return table


def signals_table(hits: Sequence[Hit]) -> Table:
    """What each signal added to each score; the parts of a hit follow it."""
    table = Table()
    for heading in ("text", "signal", "value", "part of the score", "because"):
        table.add_column(heading, justify="right" if heading in ("value", "part of the score") else "left")
    for hit in hits:
        table.add_row(
            cell(hit.record.text), Text("score", style="bold"), "", Text(f"{hit.score:.3f}", style="bold"), ""
        )
        for signal in hit.signals:
            value, part = Text(f"{signal.value:.3f}"), Text(f"{signal.part:.3f}")
            table.add_row("", Text(signal.name), value, part, Text(signal.detail))
        table.add_section()
    return table


def history_table(versions: Sequence[Version]) -> Table:
    """When each version was recorded, by what, and its words."""
    table = Table()
    for heading in ("recorded (UTC)", "change", "text", "metadata"):
        table.add_column(heading)
    for version in versions:
        record = version.record
        words, metadata = (record.text, record.metadata or None) if record else (None, None)
        table.add_row(Text(f"{version.at:%Y-%m-%d %H:%M:%S}"), Text(version.op), cell(words), cell(metadata))
    return table


def properties_table(values: Mapping[str, object]) -> Table:
    """One row for each name and value."""
    table = Table(show_header=False)
    for name, value in values.items():
        table.add_row(Text(name.replace("_", " ")), cell(value))
    return table


def record_table(record: Record) -> Table:
    """Everything that a record holds, a row for each field that is set."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return properties_table({name: value for name, value in values.items() if value not in (None, "", {})})
