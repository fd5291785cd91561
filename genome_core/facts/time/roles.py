"""The last layer: since, until, from ... to, and the prepositions that make a bare year or month a time."""

from __future__ import annotations

from dataclasses import replace

from genome_core.facts.time.combine import settle
from genome_core.facts.time.engine import NOT_A_TIME, Cell, Layer, Match, Point
from genome_core.facts.time.mentions import Lean, TimeRole
from genome_core.facts.time.stretch import Stretch, Unit
from genome_core.facts.time.tense import lean
from genome_core.types import Precision

roles = Layer()

_PREPOSITIONS = {
    "": frozenset("in during throughout around circa of over for from across into within towards toward near".split()),
    "day": frozenset("on for from around of at about during".split()),
    "deictic": frozenset("for from during of around throughout".split()),
    "in": frozenset("in during throughout around circa of over from across into within about since".split()),
    "on": frozenset("on for from around about".split()),
    "onshort": frozenset("on".split()),
    "at": frozenset("at on over during for around from about".split()),
    "container": frozenset[str](),
}


def _point_cell(m: Match, name: str = "point") -> Cell:
    cell = m.cell(name)
    if cell is None or cell.point is None:
        raise ValueError(f"no point {name!r}")
    return cell


def _allowed(m: Match, name: str = "point") -> bool:
    """Whether a point that a role word introduces is a time: a name or a bare season must end the phrase."""
    point = _point_cell(m, name).point
    if point is None or point.role is not TimeRole.AT or point.needs == "container":
        return False
    return point.needs in ("", "at") or m.closed()


def _settle(m: Match, name: str = "point", default: Lean = Lean.PAST) -> tuple[Stretch, bool]:
    cell = _point_cell(m, name)
    if cell.point is None:
        raise ValueError("no point")
    return settle(m.chart, cell.point, cell.token, default)


@roles.rule(
    "(ever)? since (about|around|at least|like|early)? the? <point>",
    "(starting|beginning|effective) (in|on|from|with)? the? <point>",
    "from the? <point> (on|onward|onwards|forward)",
)
def since(m: Match) -> Point | None:
    if not _allowed(m):
        return None
    stretch, inferred = _settle(m)
    return Point(stretch, role=TimeRole.SINCE, inferred=inferred)


@roles.rule("(after|later than|following) the? <point>")
def after(m: Match) -> Point | None:
    if not _allowed(m):
        return None
    stretch, inferred = _settle(m)
    if stretch.precision is not Precision.UNKNOWN:
        stretch = Stretch(stretch.end, stretch.end, stretch.precision)
    return Point(stretch, role=TimeRole.SINCE, inferred=inferred)


@roles.rule("(not|up)? (until|till|til|through|thru) (about|around|the)? <point>", "up to the? <point>")
def until(m: Match) -> Point | None:
    if not _allowed(m):
        return None
    stretch, inferred = _settle(m, default=Lean.FUTURE)
    return Point(role=TimeRole.UNTIL, end=stretch, inferred=inferred)


@roles.rule("(by|no later than) the? <point>")
def by(m: Match) -> Point | None:
    if not _allowed(m):
        return None
    stretch, inferred = _settle(m, default=Lean.FUTURE)
    return Point(role=TimeRole.UNTIL, end=stretch, inferred=inferred)


@roles.rule("(before|prior to|earlier than) the? <point>")
def before(m: Match) -> Point | None:
    if not _allowed(m):
        return None
    stretch, inferred = _settle(m)
    if stretch.precision is not Precision.UNKNOWN:
        stretch = Stretch(stretch.start, stretch.start, stretch.precision)
    return Point(role=TimeRole.UNTIL, end=stretch, inferred=inferred)


@roles.rule("(until|till|up to|up until) now", "to date")
def until_now(m: Match) -> Point | None:
    if m.words() == ["to", "date"]:
        return None
    return Point(role=TimeRole.UNTIL, end=Stretch(m.chart.now, m.chart.now, Precision.INSTANT))


@roles.rule("(from|since)? the? <point> (<to>|<dash>|up to|up until) (the)? (now|present|today|date)")
def since_until_now(m: Match) -> Point | None:
    if not _allowed(m) and m.words()[0] not in ("from", "since"):
        return None
    stretch, inferred = _settle(m)
    return Point(stretch, role=TimeRole.SINCE, inferred=inferred)


@roles.rule(
    "(from|since|between)? the? <point> (<to>|<dash>|and|up to|up until) the? <point>",
)
def between(m: Match) -> Point | None:
    """Both ends; the one without its year takes the nearest before, or after, the other."""
    words = m.words()
    introduced = words[0] in ("from", "since", "between")
    first, last = _point_cell(m, "point").point, _point_cell(m, "point2").point
    if first is None or last is None or ("and" in words) != (words[0] == "between"):
        return None
    if _is_weekday(first) and _is_weekday(last):
        return _weekdays(m, first, last, introduced=introduced)
    if not introduced and (_is_weekday(first) or _is_weekday(last)):
        return None
    if not _allowed(m, "point2"):
        return None
    end, inferred = _settle(m, "point2")
    if first.recurring is not None:
        start, started = first.recurring.latest(end.start), True
    else:
        start, started = _settle(m, "point")
        if last.recurring is not None:
            end = last.recurring.coming(start.end)
    if start.start > end.end:
        return None
    return Point(start, role=TimeRole.RANGE, end=end, inferred=inferred or (started and inferred))


def _weekdays(m: Match, first: Point, last: Point, *, introduced: bool) -> Point:
    """ "Monday to Friday" is a habit, except in "I'll be away from Monday to Friday"."""
    if first.recurring is None or last.recurring is None:
        return NOT_A_TIME
    if not introduced or lean(m.chart, m.token) is not Lean.FUTURE:
        return NOT_A_TIME
    start = first.recurring.coming(m.chart.now)
    return Point(start, role=TimeRole.RANGE, end=last.recurring.coming(start.end), inferred=True)


@roles.rule("<prep> <settled> or <settled>")
def either(m: Match) -> Point | None:
    """ "In 2005 or 2006"."""
    first, last = m.point("settled").stretch, m.point("settled2").stretch
    if first is None or last is None or first.end > last.start or m.word("prep") not in _PREPOSITIONS["in"]:
        return None
    return Point(Stretch(first.start, last.end, Precision.UNKNOWN))


def _is_weekday(point: Point) -> bool:
    return point.recurring is not None and point.recurring.period is Unit.WEEK


@roles.rule("(way back|back|sometime|some time|earlier|as)? (of|early as|late as)? <prep> (about|around)? the? <point>")
def prepositional(m: Match) -> Point | None:
    cell = _point_cell(m)
    point, prep = cell.point, m.word("prep")
    if point is None or not _allowed(m) or prep not in _PREPOSITIONS[_kind(m, point)]:
        return None
    if prep == "of" and m.words()[0] != "as" and (point.recurring is not None or not m.closed()):
        return None
    stretch, inferred = _settle(m, default=Lean.FUTURE if prep == "for" else Lean.PAST)
    return replace(point, stretch=stretch, recurring=None, needs="", inferred=inferred)


def _kind(m: Match, point: Point) -> str:
    """The key of the prepositions that may stand before it."""
    if point.deictic or point.needs:
        return point.needs or "deictic"
    return "day" if _settle(m)[0].precision is Precision.DAY else ""


@roles.rule("<strong>")
def plain(m: Match) -> Point | None:
    stretch, inferred = _settle(m, "strong")
    return Point(stretch, inferred=inferred)


_GOES_ON_AS_SUBJECT = frozenset("was has had started began ended will".split())


@roles.rule("<needsin>")
def opening_year(m: Match) -> Point | None:
    """ "2019 was a hard year": a year that opens its sentence as the subject."""
    cell, preceding, following = m.cell("needsin"), m.before(), m.after()
    if cell is None or "ofyear" not in cell.classes or following is None:
        return None
    opens = preceding is None or "stop" in preceding.classes
    return replace(m.point("needsin"), needs="") if opens and following.word in _GOES_ON_AS_SUBJECT else None


_BEFORE_A_DAY = frozenset("the my our his her their your good black and or".split())


@roles.rule("<needson>")
def bare_weekday(m: Match) -> Point | None:
    """ "See you Friday": a weekday alone, where nothing shows that it is a name or a habit."""
    point = m.point("needson")
    preceding = m.before()
    if not _is_weekday(point) or not m.closed() or (preceding and preceding.word in _BEFORE_A_DAY):
        return None
    stretch, inferred = _settle(m, "needson")
    return Point(stretch, inferred=inferred)
