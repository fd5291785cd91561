"""Tables for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields

from rich.table import Table
from rich.text import Text

from genome_core.audit.chain import LogEntry
from genome_core.cli.common import plain
from genome_core.facts.answers import Answer
from genome_core.facts.log import Conflict, Window
from genome_core.facts.wording import say_day, say_span
from genome_core.storage.history import Version
from genome_core.types import Explanation, Hit, Record


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


def log_table(entries: Sequence[LogEntry]) -> Table:
    """A row for each entry of the journal."""
    table = Table()
    for heading in ("seq", "recorded (UTC)", "what", "namespace", "id", "content"):
        table.add_column(heading, justify="right" if heading == "seq" else "left")
    for entry in entries:
        seq = Text(str(entry.seq) if entry.chain == 0 else f"{entry.chain}:{entry.seq}")
        body = entry.body
        content = Text("emptied", style="dim") if body is None else cell(body.get("text") or body or "")
        content.truncate(60, overflow="ellipsis")
        recorded = Text(f"{entry.at:%Y-%m-%d %H:%M:%S}")
        table.add_row(seq, recorded, Text(entry.op), cell("/".join(entry.namespace)), cell(entry.id), content)
    return table


def explanations_table(explanations: Sequence[Explanation]) -> Table:
    """A row for each record with its rank and score, or why it is no hit; below it a row for each signal."""
    table = Table()
    for heading in ("rank", "score", "what", "value", "because"):
        table.add_column(heading, justify="right" if heading in ("rank", "score", "value") else "left")
    for one in explanations:
        rank = Text(str(one.rank) if one.rank else "-")
        table.add_row(rank, Text(f"{one.score:.3f}", style="bold"), cell(one.record.text), "", Text(one.left_out))
        for signal in one.signals:
            part, value = Text(f"{signal.part:+.3f}"), Text(f"{signal.value:.3f}")
            table.add_row("", part, Text(f"  {signal.name}"), value, Text(signal.detail))
        table.add_section()
    return table


def windows_table(windows: Sequence[Window]) -> Table:
    """What held from when until when, as precisely as it is known."""
    table = Table()
    for heading in ("who or what", "attribute", "value", "from", "until"):
        table.add_column(heading, overflow="fold")
    for window in windows:
        fact = window.facts[0]
        times = [Text(begin_in_words(window)), Text(say_span(window.end) if window.end else "")]
        table.add_row(cell(fact.subject), cell(fact.attribute), cell(window.value), *times)
    return table


def conflicts_table(conflicts: Sequence[Conflict]) -> Table:
    """Both sides of each disagreement, with who believes and where it comes from."""
    table = Table("from", "until", "subject", "attribute", "one", "other")
    for conflict in conflicts:
        sides = [
            f"{fact.value} ({', '.join(filter(None, (fact.believer, fact.origin, fact.source)))})"
            for fact in (conflict.one, conflict.other)
        ]
        begins, ends = (say_day(moment) if moment else "" for moment in (conflict.begins, conflict.ends))
        table.add_row(*map(cell, (begins, ends, conflict.one.subject, conflict.one.attribute, *sides)))
    return table


def answer_lines(answer: Answer) -> list[Text]:
    """The answer, since and until when it holds, and the sentences that it rests on."""
    if answer.unknown:
        return [Text("Unknown: nothing that was said tells.")]
    lines = [Text(answer.value or "No value is certain; this was said:", style="bold")]
    if answer.window:
        until = f", until {say_span(answer.window.end)}" if answer.window.end else ""
        lines.append(Text(f"from {begin_in_words(answer.window)}{until}"))
    return lines + [Text(f"  {one.said:%Y-%m-%d}  {one.text}") for one in answer.evidence]


def begin_in_words(window: Window) -> str:
    """When a window begins, as precisely as the words tell."""
    return say_span(window.start) if window.start else f"{say_day(window.begins)} or before"


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
