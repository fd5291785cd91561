"""A cascade of finite-state layers (Abney 1996, "Partial parsing via finite-state cascades").

A text becomes a string with one letter per word: the letter stands for the word's classes. A rule is a regular
expression over these letters, written with readable names; where it matches, its words are replaced by one *point*, a
letter of its own, which the rules of later layers build on. The patterns have no unbounded repetition, so reading
takes time proportional to the text.

Templates: a plain word stands for itself, ``<name>`` for any word of a class (and captures it under that name, a second
one under ``name2``), ``{amount}`` for a macro; ``( ) ? |`` are those of regular expressions and white space is ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, tzinfo
from itertools import accumulate
from typing import NamedTuple

from genome_core.facts.time import lexicon
from genome_core.facts.time.lexer import PUNCTUATION, Classes, Lexer, Token, plain_words
from genome_core.facts.time.mentions import Lean, TimeRole
from genome_core.facts.time.needs import Letters, Needs
from genome_core.facts.time.stretch import Recurring, Stretch, Unit
from genome_core.types import Precision

MACROS = {
    "amount": "<about>?<about>? ((<number>|<decimal>|<tens>(<dash>?<number>)?) (and a half)? | <number> hundred"
    "| a? good? <vague> of? | <range> | <number> (or|to|<dash>) <number> | half (a|an) )",
    "count": "(<number>|<tens>(<dash>?<number>)?)",
}


@dataclass(frozen=True, slots=True)
class Point:
    """A time that the rules have found: settled (``stretch``), or one that recurs and waits for its year."""

    stretch: Stretch | None = None
    recurring: Recurring | None = None
    needs: str = ""
    """What must introduce it: ``in`` (years, months), ``on`` (days), ``at`` (holidays), or nothing."""
    role: TimeRole = TimeRole.AT
    end: Stretch | None = None
    inferred: bool = False
    deictic: bool = False
    """Whether the words count from now ("last week"): an "in" or "over" before it belongs to the verb."""

    @property
    def final(self) -> bool:
        """Whether it is a time on its own: nothing is missing and nothing has to introduce it."""
        return not self.needs and self.recurring is None and (self.stretch is not None or self.end is not None)

    @property
    def classes(self) -> Classes:
        names = {"point", f"needs{self.needs}" if self.needs else "strong"}
        if self.role is not TimeRole.AT:
            return frozenset({"whole"})
        if self.recurring:
            names |= {"partial", f"each{self.recurring.period.name.lower()}"}
        if self.stretch:
            names |= {"settled", f"of{self.stretch.precision.value}"}
        return frozenset(names)


_OPENING = frozenset("last next prep to about dayword year month weekday season part number ordinal vague".split())
"""Classes of words that begin another phrase."""
NOT_A_TIME = Point(role=TimeRole.RANGE)
"""Takes words out of the reach of other rules: a habit, an idiom."""


class Cell(NamedTuple):
    """One letter of the string: a token, or the point that replaced several."""

    start: int
    end: int
    word: str
    classes: Classes
    token: int
    """Index of its first token."""
    point: Point | None = None


@dataclass(slots=True)
class Chart:
    """The state of reading one text."""

    tokens: list[Token]
    now: datetime
    """When it was said, naive, in the speaker's zone."""
    zone: tzinfo
    born: date | None
    lean: Lean
    cells: list[Cell]
    letters: str


class Alphabet:
    """Gives each set of classes a letter, and each class the letters of the sets that hold it."""

    def __init__(self, sets: Iterable[Classes]) -> None:
        self._letters = {classes: chr(0xE000 + n) for n, classes in enumerate(dict.fromkeys(sets))}

    def spell(self, cells: Iterable[Cell | Token]) -> str:
        letters = self._letters
        return "".join([letters[cell.classes] for cell in cells])

    def letter(self, classes: Classes) -> str:
        return self._letters[classes]

    def letters(self, name: str) -> str:
        """The letters of all sets that hold the class."""
        found = "".join(letter for classes, letter in self._letters.items() if name in classes)
        if not found:
            raise LookupError(f"no word is in the class {name!r}")
        return found


class Match:
    """What a rule's template matched, by name."""

    def __init__(self, chart: Chart, found: re.Match[str]) -> None:
        self.chart = chart
        self._found = found
        self.start, self.end = found.span()

    @property
    def names(self) -> frozenset[str]:
        """The names that took part in the match."""
        return frozenset(name for name, text in self._found.groupdict().items() if text is not None)

    def cell(self, name: str) -> Cell | None:
        index = self._index(name)
        return None if index is None else self.chart.cells[index]

    def word(self, name: str) -> str:
        """The captured word without a possessive, or an empty string."""
        cell = self.cell(name)
        return cell.word.removesuffix("'s") if cell else ""

    def point(self, name: str) -> Point:
        cell = self.cell(name)
        if cell is None or cell.point is None:
            raise LookupError(f"the template captures no point {name!r}")
        return cell.point

    def words(self, name: str = "") -> list[str]:
        """The words of a captured stretch of cells, or of the whole match."""
        first, last = self._found.span(name) if name else (self.start, self.end)
        return [cell.word for cell in self.chart.cells[first:last]]

    def recurring(self, name: str) -> Recurring:
        recurring = self.point(name).recurring
        if recurring is None:
            raise LookupError(f"the point {name!r} is settled")
        return recurring

    def before(self) -> Cell | None:
        return self.chart.cells[self.start - 1] if self.start else None

    def after(self) -> Cell | None:
        return self.chart.cells[self.end] if self.end < len(self.chart.cells) else None

    @property
    def token(self) -> int:
        """Index of its first token."""
        return self.chart.cells[self.start].token

    def closed(self) -> bool:
        """Whether the phrase is over after it: the text ends, or a mark, a function word or a time follows."""
        cell = self.after()
        if cell is None or not cell.word[:1].isalnum() or cell.word in lexicon.GLUE:
            return True
        return not cell.classes.isdisjoint(_OPENING)

    def capital(self, name: str) -> bool:
        """Whether the captured word, or the first one of a captured point, begins with a capital letter."""
        cell = self.cell(name)
        return cell is not None and self.chart.tokens[cell.token].capital

    def first_word(self, name: str) -> str:
        """The first word of a captured point."""
        cell = self.cell(name)
        return self.chart.tokens[cell.token].word if cell else ""

    def _index(self, name: str) -> int | None:
        index = self._found.start(name) if name in self._found.re.groupindex else -1
        return None if index < 0 else index


Build = Callable[[Match], Point | None]
Rule = tuple[re.Pattern[str], Build]


class Layer:
    """Rules that look at the same string. The longest match whose builder accepts it wins; ties by order."""

    def __init__(self, *, deictic: bool = False) -> None:
        self.deictic = deictic
        """Whether all its points count from now."""
        self.templates: list[tuple[str, Build]] = []

    def rule(self, *templates: str) -> Callable[[Build], Build]:
        def register(build: Build) -> Build:
            self.templates.extend((template, build) for template in templates)
            return build

        return register


class Automaton:
    """A layer compiled for an alphabet; ``first`` is the place of its first rule among those of all layers."""

    def __init__(self, layer: Layer, alphabet: Alphabet, first: int) -> None:
        self._deictic = layer.deictic
        self._alphabet = alphabet
        self._rules = {
            place: (re.compile(_pattern(template, alphabet, capture=True)), build)
            for place, (template, build) in enumerate(layer.templates, first)
        }

    def run(self, chart: Chart, places: Iterable[int]) -> None:
        """Replace what the rules at ``places`` match by points, from left to right; the places of other layers are passed over."""
        out: list[Cell] = []
        position, letters, cells = 0, chart.letters, chart.cells
        ahead = _Ahead([self._rules[place] for place in places if place in self._rules], letters)
        while (at := ahead.first(position)) is not None:
            out += cells[position:at]
            best = self._best(ahead.matches(at), chart)
            if best is None:
                out.append(cells[at])
                position = at + 1
            else:
                match, point = best
                first, last = cells[at], cells[match.end - 1]
                out.append(Cell(first.start, last.end, "", point.classes, first.token, point))
                position = match.end
        if out:
            chart.cells = out + cells[position:]
            chart.letters = self._alphabet.spell(chart.cells)

    def _best(self, found: Iterable[tuple[re.Match[str], Build]], chart: Chart) -> tuple[Match, Point] | None:
        for regex_match, build in sorted(found, key=lambda pair: -pair[0].end()):
            match = Match(chart, regex_match)
            try:
                point = build(match)
            except (ValueError, OverflowError):  # 30 February, a year beyond 9999
                return match, NOT_A_TIME
            if point is not None:
                return match, replace(point, deictic=True) if self._deictic else point
        return None


class _Ahead:
    """Where each of some rules matches next. A rule is only searched on from its last match, so that all of it is linear."""

    def __init__(self, rules: Sequence[Rule], letters: str) -> None:
        self._rules = rules
        self._letters = letters
        self._next: list[re.Match[str] | None] = [pattern.search(letters) for pattern, _ in rules]

    def first(self, position: int) -> int | None:
        """Where the first match from ``position`` on begins."""
        for n, found in enumerate(self._next):
            if found is not None and found.start() < position:
                self._next[n] = self._rules[n][0].search(self._letters, position)
        return min((found.start() for found in self._next if found is not None), default=None)

    def matches(self, at: int) -> list[tuple[re.Match[str], Build]]:
        """The matches that begin at ``at``, with what builds their points, in the order of the rules."""
        pairs = zip(self._next, self._rules, strict=True)
        return [(found, build) for found, (_, build) in pairs if found is not None and found.start() == at]


_PIECE = re.compile(r"<(?P<name>\w+)>|\{(?P<macro>\w+)\}|(?P<literal>[a-z][\w']*)|(?P<open>\()|\s+|(?P<other>.)")


def literals(template: str) -> Iterator[str]:
    """The plain words of a template, those of its macros included."""
    for piece in _PIECE.finditer(template):
        if piece["literal"]:
            yield piece["literal"]
        elif piece["macro"]:
            yield from literals(MACROS[piece["macro"]])


def needed(template: str, alphabet: Alphabet) -> list[Letters]:
    """Sets of letters: what the template matches holds one of each. Of alternatives, one set holds something of each."""
    open_brackets: list[list[list[Letters]]] = [[[]]]  # of each, its alternatives so far
    last: list[Letters] = []
    for piece in _PIECE.finditer(template):
        if piece["open"]:
            open_brackets.append([[]])
        elif piece["other"] == "|":
            open_brackets[-1].append([])
        elif piece["other"] == "?":
            branch = open_brackets[-1][-1]
            del branch[len(branch) - len(last) :]
        elif found := piece["name"] or piece["macro"] or piece["literal"] or piece["other"]:
            if found == ")":
                last = _of_each(open_brackets.pop())
            elif piece["macro"]:
                last = needed(MACROS[found], alphabet)
            else:
                last = [frozenset(alphabet.letters("=" * bool(piece["literal"]) + found))]
            open_brackets[-1][-1] += last
    return _of_each(open_brackets.pop())


def _of_each(branches: list[list[Letters]]) -> list[Letters]:
    if len(branches) == 1:
        return branches[0]
    return [frozenset().union(*(min(branch, key=len) for branch in branches))] if all(branches) else []


def _pattern(template: str, alphabet: Alphabet, *, capture: bool) -> str:
    """The regular expression of a template over the letters of the alphabet."""
    out, seen = [], Counter[str]()
    for piece in _PIECE.finditer(template):
        if name := piece["name"] or piece["macro"]:
            macro = MACROS.get(name) if piece["macro"] else None
            body = f"[{alphabet.letters(name)}]" if macro is None else _pattern(macro, alphabet, capture=False)
            seen[name] += 1
            group = f"?P<{name}{seen[name] if seen[name] > 1 else ''}>" if capture else "?:"
            out.append(f"({group}{body})")
        elif piece["literal"]:
            out.append(f"[{alphabet.letters('=' + piece['literal'])}]")
        elif piece["open"]:
            out.append("(?:")
        elif piece["other"]:
            out.append(piece["other"])
    return "".join(out)


class Grammar:
    """Layers over one alphabet, run one after the other."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        templates = [template for layer in layers for template, _ in layer.templates]
        self._lexer = Lexer({word for template in templates for word in literals(template)})
        self._alphabet = Alphabet([*self._lexer.classes, *point_classes()])
        firsts = accumulate((len(layer.templates) for layer in layers), initial=0)
        self._automata = [Automaton(layer, self._alphabet, first) for layer, first in zip(layers, firsts, strict=False)]
        common = self._alphabet.spell(self._lexer.tokens(" ".join(sorted(lexicon.GLUE))))
        self._needs = Needs([needed(template, self._alphabet) for template in templates], common)
        self._words = {word: self._alphabet.letter(classes) for word, classes in self._lexer.words.items()}
        self._marks = "".join(map(self._alphabet.letter, PUNCTUATION.values()))

    def read(self, text: str, said_at: datetime, born: date | None, lean: Lean) -> Chart:
        """The chart as the last layer leaves it; an empty one of a text without a time."""
        tokens = self._lexer.tokens(text) if self._may_hold_a_time(text) else []
        zone = said_at.tzinfo or UTC
        chart = Chart(tokens, said_at.replace(tzinfo=None), zone, born, lean, [], self._alphabet.spell(tokens))
        asked, places = chart.letters, self._needs.met(chart.letters)
        if places:
            chart.cells = [Cell(t.start, t.end, t.word, t.classes, i) for i, t in enumerate(tokens)]
            for automaton in self._automata:
                if chart.letters != asked:
                    asked, places = chart.letters, self._needs.met(chart.letters)
                automaton.run(chart, places)
        return chart

    def _may_hold_a_time(self, text: str) -> bool:
        """False for most texts without a time, before they are cut into tokens: no rule can match their words, whatever the marks."""
        words = plain_words(text)
        if words is None:
            return True
        letters = [self._words[word] for word in words if word in self._words]
        return bool(self._needs.met(self._marks + "".join(letters)))


def point_classes() -> Iterator[Classes]:
    """Every set of classes that a point can have."""
    moment = datetime(2000, 1, 1)
    for needs in ("", "in", "on", "onshort", "at", "container"):
        for precision in Precision:
            yield Point(Stretch(moment, moment, precision), needs=needs).classes
        for period in (Unit.WEEK, Unit.MONTH, Unit.YEAR):
            yield Point(
                recurring=Recurring(period, lambda _: Stretch(moment, moment, Precision.DAY)), needs=needs
            ).classes
    yield Point(role=TimeRole.SINCE).classes
