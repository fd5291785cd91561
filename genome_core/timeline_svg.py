"""Draws windows of facts as one SVG: a row for each subject and attribute, a bar for each value.

A bar is as sharp at its ends as the knowledge is: it fades over the interval in which the change lies, and runs out to the
left where its beginning is not known at all. A value that still holds ends in an arrow. Dots below a row show when each
thing was told, which need not be when it happened. The drawing follows the reader's light or dark mode and loads nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from genome_core.facts.windows import Window
from genome_core.facts.wording import say_day, say_month, say_span
from genome_core.types import Fact, FactKind, Namespace

Words: TypeAlias = Mapping[tuple[Namespace, str], str]
"""What was said, by the namespace and id of the record."""

WIDTH = 960
_LEFT, _RIGHT = 150, 924
"""Where the plot begins and ends; the names stand left of it, arrows may reach beyond."""
_TOP = 44
_BAR, _LANE, _TELLINGS, _GAP, _HEADING = 26, 32, 14, 12, 34
"""Heights: a bar, a lane of bars, the strip of dots below a row, the space between rows, a subject's name."""
_FADE = 46
"""How far a bar runs out whose beginning is not known, in the drawing's units."""
_LETTER = 6.7
"""A letter's width in a bar, roughly."""
_HUES = 6
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)

STYLE = """
.timeline { --ink: #1d2433; --dim: #667085; --grid: #e4e7ec; --paper: #ffffff; --now: #d92d20;
  --hue0: #a9c7ff; --hue1: #a6e3bd; --hue2: #ffd796; --hue3: #f9b8c6; --hue4: #cfc0fa; --hue5: #9ce0e3;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-size: 12px }
@media (prefers-color-scheme: dark) { .timeline { --ink: #e7eaf1; --dim: #98a2b3; --grid: #2b3140; --paper: #14171f;
  --now: #f97066; --hue0: #335fa8; --hue1: #2c7a4e; --hue2: #8f6120; --hue3: #964158; --hue4: #6449ab; --hue5: #24747b } }
.timeline text { fill: var(--ink) }
.timeline .paper { fill: var(--paper) }
.timeline .grid { stroke: var(--grid) }
.timeline .dim { fill: var(--dim) }
.timeline .subject { font-size: 15px; font-weight: 600 }
.timeline .value { font-weight: 500; pointer-events: none }
.timeline .now { stroke: var(--now); stroke-dasharray: 3 3 }
.timeline text.today { fill: var(--now); font-weight: 600 }
.timeline .lead { stroke: var(--dim); stroke-dasharray: 1 3; fill: none }
.timeline .telling { fill: var(--dim); stroke: var(--paper); stroke-width: 1.5 }
.timeline .telling.end { fill: var(--paper); stroke: var(--dim) }
"""


def timeline_svg(windows: Sequence[Window], *, now: datetime, words: Words | None = None) -> str:
    """The windows (as ``Memory.timeline`` gives them) as an SVG document, ``WIDTH`` units wide.

    ``now`` is how far a value that still holds is drawn. ``words`` are shown with the dots of what said them. Equal
    windows give equal text.
    """
    drawing = _Drawing(Scale.around(windows, now), now, words or {})
    rows: dict[tuple[Namespace, str, str], list[Window]] = {}
    for window in windows:
        fact = window.facts[0]
        rows.setdefault((fact.namespace, fact.subject, fact.attribute), []).append(window)
    several = len({namespace for namespace, _, _ in rows}) > 1
    heading = None
    for (namespace, subject, attribute), own in rows.items():
        if heading != (namespace, subject):
            heading = (namespace, subject)
            drawing.heading(subject, " / ".join(namespace) if several else "")
        drawing.row(attribute, own)
    return tostring(drawing.finished(), encoding="unicode")


@dataclass(frozen=True, slots=True)
class Scale:
    """From times to places between ``_LEFT`` and ``_RIGHT``."""

    start: datetime
    end: datetime

    @classmethod
    def around(cls, windows: Sequence[Window], now: datetime) -> Scale:
        """A scale on which everything that is known of the windows has a place, with some air."""
        moments = [now]
        for window in windows:
            moments += [window.begins, *(fact.at for fact in window.facts)]
            moments += [window.ends] if window.ends else []
            moments += [moment for span in (window.start, window.end) if span for moment in (span.start, span.end)]
        first, last = min(moments), max(moments)
        air = max((last - first) * 0.04, timedelta(days=1))
        return cls(first - min(air, first - _FIRST), last + min(air / 2, _LAST - last))

    def x(self, moment: datetime) -> float:
        part = (moment - self.start) / (self.end - self.start)
        return round(_LEFT + part * (_RIGHT - _LEFT), 1)

    def ticks(self) -> list[tuple[float, str]]:
        """At most about a dozen round times: place and name."""
        days = (self.end - self.start).days
        if days <= 60:
            first = datetime(self.start.year, self.start.month, self.start.day, tzinfo=UTC)
            step = timedelta(days=max(1, days // 10))
            moments = [first + step * number for number in range(1, days // step.days + 1)]
            return [(self.x(moment), f"{moment.day} {say_month(moment)[:3]}") for moment in moments]
        months = next(size for size in (1, 2, 3, 6, 12, 24, 60, 120, 240, 1200, 12000) if days / 30 / size <= 13)
        first_month = self.start.year * 12 + self.start.month  # the month after the start, counted from year 0
        numbers = range(-(-first_month // months) * months, self.end.year * 12 + self.end.month, months)
        moments = [datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC) for number in numbers]
        return [
            (self.x(moment), str(moment.year) if moment.month == 1 else say_month(moment)[:3]) for moment in moments
        ]


@dataclass(frozen=True, slots=True)
class Bar:
    """Where a window begins and ends in the drawing, and over which stretches it fades in and out."""

    left: float
    right: float
    rise: tuple[float, float]
    fall: tuple[float, float]

    @classmethod
    def of(cls, window: Window, scale: Scale, now: datetime) -> Bar:
        begin, end = scale.x(window.begins), scale.x(window.ends or max(now, window.begins))
        rise = (scale.x(window.start.start), scale.x(window.start.end)) if window.start else (begin - _FADE, begin)
        fall = (scale.x(window.end.start), scale.x(window.end.end)) if window.end else (end, end)
        left = min(begin, rise[0])
        right = max(end, left + 3) if window.ends is None else max(end, fall[1], left + 3)
        return cls(left, right, rise, fall if window.ends else (right, right))

    @property
    def is_faded(self) -> bool:
        return max(self.rise[1] - self.rise[0], self.fall[1] - self.fall[0]) > 2

    @property
    def text(self) -> float:
        """Where words in the bar begin: after a long fade, else within it."""
        return (self.rise[1] if self.rise[1] - self.rise[0] > 30 else self.left) + 8

    def density(self, x: float) -> float:
        """How much of the possible beginnings lie before ``x`` and of the possible ends after it, from 0 to 1."""
        return min(_ramp(x, *self.rise), 1 - _ramp(x, *self.fall) if self.fall[1] > self.fall[0] else 1.0)


class _Drawing:
    """An SVG that grows downwards row by row."""

    def __init__(self, scale: Scale, now: datetime, words: Words) -> None:
        self._scale, self._now, self._words = scale, now, words
        self._root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "class": "timeline", "role": "img"})
        SubElement(self._root, "title").text = "What held when"
        SubElement(self._root, "style").text = STYLE
        SubElement(self._root, "rect", {"class": "paper", "width": "100%", "height": "100%", "rx": "12"})
        self._grid = SubElement(self._root, "g")
        self._values = Element("g")  # above all bars: one may fade in over the words of another
        self._y = _TOP
        self._rows = count()
        self._fades = count()

    def heading(self, subject: str, place: str) -> None:
        self._y += _HEADING
        _text(self._root, 20, self._y - 12, _fitting(subject, WIDTH / 2), "subject")
        _text(self._root, _RIGHT, self._y - 12, _fitting(place, WIDTH / 4), "dim", anchor="end")

    def row(self, attribute: str, windows: Sequence[Window]) -> None:
        """The bars of one subject and attribute, in as many lanes as values held at a time, and the dots below."""
        hue = next(self._rows) % _HUES
        lanes = lanes_of(windows)
        _text(self._root, 20, self._y + _BAR / 2 + 4, _fitting(attribute, _LEFT - 28), "dim")
        for number, lane in enumerate(lanes):
            stops = [*(Bar.of(window, self._scale, self._now).left for window in lane[1:]), float(_RIGHT)]
            for place, (window, stop) in enumerate(zip(lane, stops, strict=True)):
                self._bar(window, self._y + number * _LANE, hue, 1.0 if place % 2 == 0 else 0.66, stop)
        self._y += len(lanes) * _LANE
        told = {fact.id or id(fact): (fact, window) for window in windows for fact in window.facts}
        for fact, window in told.values():
            self._telling(fact, window)
        self._y += _TELLINGS + _GAP

    def finished(self) -> Element:
        """The whole, with the grid behind it and the line of now."""
        bottom = self._y + 26
        for x, name in self._scale.ticks():
            SubElement(self._grid, "line", {"class": "grid", **_line(x, _TOP - 10, x, bottom - 26)})
            _text(self._grid, x, _TOP - 18, name, "dim", anchor="middle")
        self._root.append(self._values)
        x = self._scale.x(self._now)
        SubElement(self._root, "line", {"class": "now", **_line(x, _TOP - 10, x, bottom - 26)})
        _text(self._root, x, bottom - 12, say_day(self._now), "today", anchor="end" if x > _RIGHT - 60 else "middle")
        self._legend(bottom - 12)
        self._root.set("viewBox", f"0 0 {WIDTH} {bottom}")
        return self._root

    def _legend(self, y: float) -> None:
        for x, kind, name in ((24, "telling", "told"), (78, "telling end", "told that it ended")):
            SubElement(self._root, "circle", {"class": kind, "cx": str(x), "cy": str(y - 4), "r": "4"})
            _text(self._root, x + 9, y, name, "dim")
        _text(self._root, 218, y, "a faded edge: the change lies somewhere in it; an arrow: still so", "dim")

    def _bar(self, window: Window, y: float, hue: int, strength: float, stop: float) -> None:
        """A bar with its value; ``stop`` is where the next one of its lane begins."""
        bar = Bar.of(window, self._scale, self._now)
        group = SubElement(self._root, "g")
        SubElement(group, "title").text = clean(in_words(window))
        colour = f"var(--hue{hue})"
        fill = f"url(#{self._fade(group, bar, colour)})" if bar.is_faded else colour
        outline = _outline(bar.left, bar.right, y, arrow=window.ends is None)
        SubElement(group, "path", {"d": outline, "style": f"fill: {fill}", "fill-opacity": str(strength)})
        inside, beside = bar.right - bar.text - 4, stop - bar.right - 12
        needed, after = len(window.value) * _LETTER, bar.right + 6
        x, room = (bar.text, inside) if window.ends is None or inside >= min(needed, beside) else (after, beside)
        _text(self._values, x, y + _BAR / 2 + 4, _fitting(window.value, room), "value")

    def _fade(self, group: Element, bar: Bar, colour: str) -> str:
        """A gradient that is as dense at each place as it is certain that the value held there; returns its id."""
        name = f"fade{next(self._fades)}"
        box = {"gradientUnits": "userSpaceOnUse", "x1": str(bar.left), "x2": str(bar.right)}
        gradient = SubElement(group, "linearGradient", {"id": name, **box})
        for x in sorted({bar.left, *bar.rise, *bar.fall, bar.right}):
            if bar.left <= x <= bar.right:
                offset = f"{(x - bar.left) / (bar.right - bar.left):.3f}"
                style = f"stop-color: {colour}; stop-opacity: {max(bar.density(x), 0.06):.2f}"
                SubElement(gradient, "stop", {"offset": offset, "style": style})
        return name

    def _telling(self, fact: Fact, window: Window) -> None:
        """A dot at the time of telling, with a dotted line from the bar if it lies beyond it."""
        x, y = self._scale.x(fact.at), self._y + 3
        begin, end = self._scale.x(window.begins), self._scale.x(window.ends or self._now)
        edge = min(max(x, begin), end)
        group = SubElement(self._root, "g")
        SubElement(group, "title").text = clean(self._telling_in_words(fact, window))
        if abs(edge - x) > 6:
            SubElement(group, "path", {"class": "lead", "d": f"M{edge} {y - 7}V{y}H{x}"})
        kind = "telling end" if fact.kind is FactKind.END else "telling"
        SubElement(group, "circle", {"class": kind, "cx": str(x), "cy": str(y), "r": "4"})

    def _telling_in_words(self, fact: Fact, window: Window) -> str:
        said = self._words.get((fact.namespace, fact.source or ""))
        return f"told on {say_day(fact.at)}: {said or window.value}"


def lanes_of(windows: Sequence[Window]) -> list[list[Window]]:
    """The windows in as few lanes as keep those apart that held at the same time."""
    lanes: list[list[Window]] = []
    for window in sorted(windows, key=lambda one: one.begins):
        for lane in lanes:
            last = lane[-1].ends
            if last is not None and last <= window.begins:
                lane.append(window)
                break
        else:
            lanes.append([window])
    return lanes


def in_words(window: Window) -> str:
    """Subject, attribute, value, since and until when."""
    fact = window.facts[0]
    return f"{fact.subject}, {fact.attribute}: {window.value}\n{times_in_words(window)}"


def times_in_words(window: Window) -> str:
    """ "from March 2024 until 2 May 2025", as precisely as it is known."""
    ended = f" until {end_in_words(window)}" if window.ends else ", still so"
    return f"from {begin_in_words(window)}{ended}"


def begin_in_words(window: Window) -> str:
    """When a window began, as precisely as it is known."""
    return say_span(window.start) if window.start else f"{say_day(window.begins)} or before"


def end_in_words(window: Window) -> str:
    """When a window ended, as precisely as it is known; empty while it has not."""
    if window.ends is None:
        return ""
    return say_span(window.end) if window.end else say_day(window.ends)


def _ramp(x: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (x - low) / (high - low))) if high > low else float(x >= low)


def _outline(left: float, right: float, y: float, *, arrow: bool) -> str:
    """A bar with round corners, or with a point to the right."""
    corner = min(5.0, (right - left) / 2)
    if arrow:
        tip = f"L{right} {y}L{right + 11} {y + _BAR / 2}L{right} {y + _BAR}"
    else:
        tip = f"L{right - corner} {y}q{corner} 0 {corner} {corner}v{_BAR - 2 * corner}q0 {corner} {-corner} {corner}"
    return f"M{left + corner} {y}{tip}L{left + corner} {y + _BAR}q{-corner} 0 {-corner} {-corner}v{2 * corner - _BAR}q0 {-corner} {corner} {-corner}z"


def _fitting(text: str, room: float) -> str:
    """The text, cut where it would not fit into the room; nothing if not even three letters do."""
    most = int(room / _LETTER)
    if len(text) <= most:
        return text
    return text[: most - 1].rstrip() + "…" if most >= 4 else ""


def _text(parent: Element, x: float, y: float, words: str, kind: str, anchor: str = "start") -> None:
    place = {"class": kind, "x": f"{x:g}", "y": f"{y:g}", "text-anchor": anchor}
    SubElement(parent, "text", place).text = clean(words)


def clean(text: str) -> str:
    """Without the control characters that XML has no way to write."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", text)


def _line(x1: float, y1: float, x2: float, y2: float) -> dict[str, str]:
    return {"x1": f"{x1:g}", "y1": f"{y1:g}", "x2": f"{x2:g}", "y2": f"{y2:g}"}
