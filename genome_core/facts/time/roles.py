"""The last layer: since, until, from ... to, and the prepositions that make a bare year or month a time."""

from __future__ import annotations

from dataclasses import replace

from genome_core.facts.time.engine import NOT_A_TIME, Layer, Match, Point
from genome_core.facts.time.mentions import Lean, TimeRole
from genome_core.facts.time.stretch import Stretch, Unit
from genome_core.facts.time.tense import lean, settle
from genome_core.types import Precision

roles = Layer()

_PREPOSITIONS = {
    "in": frozenset("in during throughout around circa of over from across into within about".split()),
    "on": frozenset("on for from around about".split()),
    "onshort": frozenset({"on"}),
    "at": frozenset("at on over during for around from about".split()),
    "container": frozenset[str](),
    "day": frozenset("on for from around of at about during".split()),
    "longer": frozenset("in during throughout around circa of over for from across into within towards near".split()),
    "deictic": frozenset("for from during of around throughout".split()),
}
"""The prepositions that a time may have, by what it needs, and by its kind where it needs none."""


def _introduced(m: Match, name: str = "point") -> bool:
    """Whether a point after "since" or "in" is a time: a name or a bare season must end the phrase, or open the clause
    ("In May pizza took over")."""
    needs, before = m.point(name).needs, m.before()
    opens = before is None or before.word in _OPENERS or "stop" in before.classes
    return needs != "container" and (needs in ("", "at") or m.closed() or opens or _name_follows(m))


_OPENERS = frozenset("and but so then because n or that when which who plus also anyway , : — –".split())


def _name_follows(m: Match) -> bool:
    """ "Since June Desta has been ..."."""
    following = m.after()
    return following is not None and m.chart.tokens[following.token].capital


def _empty(at: Stretch, *, end: bool) -> Stretch:
    """The instant at which a stretch begins or ends, with its precision; a vague one stays as it is."""
    if at.precision is Precision.UNKNOWN:
        return at
    moment = at.end if end else at.start
    return Stretch(moment, moment, at.precision)


@roles.rule(
    "ever? since (about|around|at least|like|early)? the? <point>",
    "(starting|beginning|effective) (in|on|from|with)? the? <point>",
    "from the? <point> (on|onward|onwards|forward)",
)
def since(m: Match) -> Point | None:
    stretch, inferred = settle(m, behind="since" in m.words())
    named = m.words()[0] == "since" and "the" not in m.words() and m.point("point").needs == "in"
    return Point(stretch, role=TimeRole.SINCE, inferred=inferred) if named or _introduced(m) else None


@roles.rule("(after|later than|following) the? <point>")
def after(m: Match) -> Point | None:
    stretch, inferred = settle(m)
    return Point(_empty(stretch, end=True), role=TimeRole.SINCE, inferred=inferred) if _introduced(m) else None


@roles.rule(
    "(not|up)? (until|till|til|through|thru) (about|around|the)? <point>",
    "(by|no later than|up to) the? <point>",
)
def until(m: Match) -> Point | None:
    """Without a cue what is not over yet is meant: "until Friday"."""
    stretch, inferred = settle(m, default=Lean.FUTURE)
    return Point(role=TimeRole.UNTIL, end=stretch, inferred=inferred) if _introduced(m) else None


@roles.rule("(before|prior to|earlier than) the? <point>")
def before(m: Match) -> Point | None:
    stretch, inferred = settle(m)
    return Point(role=TimeRole.UNTIL, end=_empty(stretch, end=False), inferred=inferred) if _introduced(m) else None


@roles.rule("(until|till|up to|up until) now")
def until_now(m: Match) -> Point | None:
    return Point(role=TimeRole.UNTIL, end=Stretch(m.chart.now, m.chart.now, Precision.INSTANT))


@roles.rule("(from|since)? the? <point> (<to>|<dash>|up to|up until) the? (now|present|today|date)")
def since_until_now(m: Match) -> Point | None:
    stretch, inferred = settle(m)
    return Point(stretch, role=TimeRole.SINCE, inferred=inferred)


@roles.rule("(from|since|between)? the? <point> (<to>|<dash>|and|up to|up until) the? <point>")
def between(m: Match) -> Point | None:
    """Both ends; the one without its year takes the nearest before, or after, the other."""
    words, first, last = m.words(), m.point("point"), m.point("point2")
    introduced = words[0] in ("from", "since", "between")
    if ("and" in words) != (words[0] == "between"):
        return None
    if _is_weekday(first) and _is_weekday(last):
        return _weekdays(m, introduced=introduced)
    if not introduced and (_is_weekday(first) or _is_weekday(last)):
        return None
    if not _introduced(m, "point2"):
        return None
    end, inferred = settle(m, "point2")
    if first.recurring is not None:
        start = first.recurring.latest(end.start)
    else:
        start, inferred = settle(m, "point")
        if last.recurring is not None:
            end = last.recurring.coming(start.end)
    if start.start > end.end:
        return None
    return Point(start, role=TimeRole.RANGE, end=end, inferred=inferred)


def _is_weekday(point: Point) -> bool:
    return point.recurring is not None and point.recurring.period is Unit.WEEK


def _weekdays(m: Match, *, introduced: bool) -> Point:
    """ "Monday to Friday" is a habit, except in "I'll be away from Monday to Friday"."""
    if not introduced or lean(m.chart, m.token) is not Lean.FUTURE:
        return NOT_A_TIME
    start = m.recurring("point").coming(m.chart.now)
    return Point(start, role=TimeRole.RANGE, end=m.recurring("point2").coming(start.end), inferred=True)


@roles.rule("<prep> <settled> or <settled>")
def either(m: Match) -> Point | None:
    """ "In 2005 or 2006"."""
    (first, _), (last, _) = settle(m, "settled"), settle(m, "settled2")
    if first.end > last.start or m.word("prep") not in _PREPOSITIONS["in"]:
        return None
    return Point(Stretch(first.start, last.end, Precision.UNKNOWN))


@roles.rule("(way back|back|sometime|some time|earlier|as)? (of|early as|late as)? <prep> (about|around)? the? <point>")
def prepositional(m: Match) -> Point | None:
    point, prep = m.point("point"), m.word("prep")
    stretch, inferred = settle(m, default=Lean.FUTURE if prep == "for" else Lean.PAST)
    kind = "deictic" if point.deictic else "day" if stretch.precision is Precision.DAY else "longer"
    if not _introduced(m) or prep not in _PREPOSITIONS[point.needs or kind]:
        return None
    if m.words()[0] == "as" and prep != "of" and m.words()[1] not in ("early", "late"):
        return None  # "What was she working as in May?"
    if prep == "of" and m.words()[0] != "as" and (point.recurring is not None or not m.closed()):
        return None
    return replace(point, stretch=stretch, recurring=None, needs="", inferred=inferred)


@roles.rule(
    "(it|that|this) was (about|around)? <point>",
    "call it <point>",
    "<point> to be (exact|precise)",
    "<point> (it|that) was",
)
def said_as_such(m: Match) -> Point | None:
    """ "It was April when ...", "the summer, call it August": a month or a year that is named as the time."""
    if m.point("point").needs != "in" or not (m.closed() or m.words()[-1] in ("exact", "precise", "was")):
        return None
    stretch, inferred = settle(m, behind=True)
    return Point(stretch, inferred=inferred)


@roles.rule("<strong>")
def plain(m: Match) -> Point | None:
    stretch, inferred = settle(m, "strong")
    return Point(stretch, inferred=inferred)


_VERBS_OF_A_YEAR = frozenset("was has had started began ended will".split())


@roles.rule("<needsin>")
def opening_year(m: Match) -> Point | None:
    """ "2019 was a hard year": a year that opens its sentence as the subject."""
    point, preceding, following = m.point("needsin"), m.before(), m.after()
    opens = preceding is None or "stop" in preceding.classes
    if not opens or following is None or following.word not in _VERBS_OF_A_YEAR or "ofyear" not in point.classes:
        return None
    return replace(point, needs="")


_BEFORE_A_NAME = frozenset("the my our his her their your good black and or".split())


@roles.rule("<needson>")
def bare_weekday(m: Match) -> Point | None:
    """ "See you Friday": a weekday alone, where nothing shows that it is a name or a habit."""
    preceding = m.before()
    if not _is_weekday(m.point("needson")) or not m.closed() or (preceding and preceding.word in _BEFORE_A_NAME):
        return None
    stretch, inferred = settle(m, "needson")
    return Point(stretch, inferred=inferred)
