"""The timeline as one HTML page that needs nothing else: no script, no font and no picture from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from xml.etree.ElementTree import Element, SubElement, tostring

from genome_core.facts.windows import Window
from genome_core.facts.wording import say_day
from genome_core.timeline_svg import Words, begin_in_words, clean, end_in_words, timeline_svg

STYLE = """
:root { color-scheme: light dark; --ink: #1d2433; --dim: #667085; --line: #e4e7ec; --ground: #f4f5f8; --paper: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaf1; --dim: #98a2b3; --line: #2b3140; --ground: #0c0e13; --paper: #14171f } }
body { margin: 0; background: var(--ground); color: var(--ink); line-height: 1.5;
  font: 14px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif }
main { max-width: 1100px; margin: 0 auto; padding: 32px 24px 64px }
h1 { font-size: 24px; margin: 0 0 4px }
p { color: var(--dim); margin: 0 0 20px }
figure { margin: 0 0 28px; border-radius: 12px; overflow-x: auto; box-shadow: 0 1px 3px rgb(0 0 0 / 0.12) }
figure svg { display: block; width: 100%; min-width: 720px; height: auto }
.table { overflow-x: auto; border-radius: 12px; background: var(--paper); box-shadow: 0 1px 3px rgb(0 0 0 / 0.12) }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: 9px 16px; border-top: 1px solid var(--line) }
thead th { border-top: 0; color: var(--dim); font-weight: 500 }
tbody th { font-weight: 600; min-width: 90px; overflow-wrap: anywhere }
td.said div + div { margin-top: 4px }
td.said time { color: var(--dim); margin-right: 6px; white-space: nowrap }
"""


def timeline_page(
    windows: Sequence[Window],
    *,
    now: datetime,
    known_at: datetime | None = None,
    words: Words | None = None,
    title: str = "What held when",
) -> str:
    """The windows (as ``Memory.timeline`` gives them) as an HTML page: a drawing, and the same as a table with its sources.

    ``now`` is how far a value that still holds is drawn; ``known_at`` is named in the heading. ``words`` are what was
    said, by the namespace and id of the record. All of these are shown as text, whatever they contain.
    """
    said = words or {}
    drawing = timeline_svg(windows, now=now, words=said)
    known = f", as known on {say_day(known_at)}" if known_at else ""
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        _element("title", title),
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        "<main>",
        _element("h1", title),
        _element("p", f"{len(windows)} values on {say_day(now)}{known}. Point at a bar or a dot for more."),
        f"<figure>{drawing}</figure>",
        f'<div class="table">{tostring(_table(windows, said), encoding="unicode", method="html")}</div>',
        "</main>",
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def _table(windows: Sequence[Window], words: Words) -> Element:
    """A row for each window, with what it rests on."""
    table = Element("table")
    head = SubElement(SubElement(table, "thead"), "tr")
    for name in ("Who or what", "Attribute", "Value", "From", "Until", "Told"):
        SubElement(head, "th", {"scope": "col"}).text = name
    body = SubElement(table, "tbody")
    for window in windows:
        fact = window.facts[0]
        row = SubElement(body, "tr")
        SubElement(row, "td").text = clean(fact.subject)
        SubElement(row, "td").text = clean(fact.attribute)
        SubElement(row, "th", {"scope": "row"}).text = clean(window.value)
        SubElement(row, "td").text = begin_in_words(window)
        SubElement(row, "td").text = end_in_words(window) or "still so"
        told = SubElement(row, "td", {"class": "said"})
        for one in sorted(window.facts, key=lambda fact: fact.at):
            line = SubElement(told, "div")
            day = SubElement(line, "time", {"datetime": f"{one.at:%Y-%m-%d}"})
            day.text = f"{one.at:%Y-%m-%d}"
            day.tail = clean(words.get((one.namespace, one.source or ""), ""))
    return table


def _element(name: str, text: str) -> str:
    element = Element(name)
    element.text = clean(text)
    return tostring(element, encoding="unicode", method="html")
