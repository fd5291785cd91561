"""What the verbs near a time say: behind or ahead, and whether a state still holds."""

from __future__ import annotations

from collections.abc import Iterator

from genome_core.facts.time.engine import Chart, Match
from genome_core.facts.time.mentions import Lean
from genome_core.facts.time.stretch import Stretch, Unit

_FUTURE = frozenset(
    "will won't shall gonna wanna planning plan plans hoping hope hopes want wants should must upcoming soon"
    " tomorrow let's ends starts begins opens closes expires launches arrives leaves start begin fly leave"
    " scheduled due deadline expect expects expecting intend intends excited waiting ahead next"
    " i'll we'll you'll he'll she'll they'll it'll that'll there'll".split()
)
_PAST = frozenset(
    "was were wasn't weren't did didn't had hadn't been went got came left bought met saw began started became made"
    " took gave found lost won told said sold sent spent built broke brought caught chose drove fell felt flew forgot"
    " grew heard held kept knew led lived moved paid ran read rode sang sat slept spoke stood swam taught thought threw"
    " wore wrote ate drank quit hit put cut ago yesterday last born".split()
)
_YOU = frozenset(["you", "u", "ya", "yous"])
_NOT_PAST = frozenset(
    "need feed seed speed bed red wed indeed embed exceed proceed succeed breed hundred excited scheduled planned"
    " supposed interested married engaged divorced sacred naked expected need's united".split()
)
_BE = frozenset("am is are i'm we're you're they're he's she's it's who's that's be".split())
_HAVE = frozenset(
    "have has i've we've you've they've he's she's it's who's haven't hasn't havent hasnt that's there's".split()
)
_NOT_YET = frozenset("haven't havent hasn't hasnt never not".split())
_PARTICIPLES = frozenset(
    "been known had lived worked owned taught run done driven played kept held led grown gone become made built"
    " written spent stuck meant seen come".split()
)


_NOT_NOW = frozenset("had i'd he'd she'd we'd they'd would could should will was were did".split())


def _sentence_before(chart: Chart, token: int) -> Iterator[str]:
    """The words before a token up to the beginning of its sentence, nearest first."""
    for index in range(token - 1, max(-1, token - 40), -1):
        if "stop" in chart.tokens[index].classes:
            return
        yield chart.tokens[index].word


def _sentence_after(chart: Chart, token: int) -> Iterator[str]:
    for index in range(token, min(len(chart.tokens), token + 40)):
        if "stop" in chart.tokens[index].classes:
            return
        yield chart.tokens[index].word


def _is_past(word: str) -> bool:
    return word in _PAST or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST)


_KINDS_OF_LEAVE = frozenset("on from maternity paternity parental sick annual unpaid study".split())
""" "She went on leave in December": the noun, which plans nothing."""


def _cue(words: Iterator[str], *, backwards: bool) -> Lean | None:
    """The first cue among the words: a verb form, or a form of "be" with an -ing ("we're flying")."""
    before, said = "", list(words)
    for at, word in enumerate(said):
        if backwards and said[at + 1 : at + 3] == ["to", "had"]:
            return Lean.PAST  # "had to leave": it was done
        beside = said[at + 1] if backwards and at + 1 < len(said) else before
        if word == "leave" and beside in _KINDS_OF_LEAVE:
            continue
        if word in _FUTURE and (word, before) != ("start", "of"):
            return Lean.FUTURE
        if _is_past(word):
            return Lean.PAST
        ing, be = (before, word) if backwards else (word, before)
        if be == "see" and ing in _YOU:
            return Lean.FUTURE
        if be in _BE and ing.endswith("ing") and len(ing) > 4:
            return Lean.FUTURE
        before = word
    return None


def lean(chart: Chart, token: int, default: Lean = Lean.PAST) -> Lean:
    """Whether an incomplete date at ``token`` is behind or ahead: the nearest cue before it, else the first after."""
    if chart.lean is not Lean.TENSE:
        return chart.lean
    if _is_date_of_something(list(_sentence_before(chart, token))):
        return Lean.FUTURE
    return (
        _cue(_sentence_before(chart, token), backwards=True)
        or _cue(_sentence_after(chart, token), backwards=False)
        or default
    )


def _is_date_of_something(words: list[str]) -> bool:
    """ "The wedding is in March", "the lease is up on Friday", said with the nearest word first."""
    if words and words[0] == "the":
        words = words[1:]
    if words and words[0] in ("in", "on", "at"):
        words = words[1:]
    if words and words[0] in ("up", "due", "over", "back", "off", "out"):
        words = words[1:]
    return bool(words) and words[0] in _BE


def has_not(chart: Chart, token: int) -> bool:
    """Whether what stands at ``token`` is denied in the perfect: "haven't smoked (in three months)"."""
    words = set(_sentence_before(chart, token))
    return not _NOT_YET.isdisjoint(words) and not _HAVE.isdisjoint(words)


def still_holds(chart: Chart, token: int) -> bool:
    """Whether a present perfect ("have lived", "she's been") governs what stands at ``token``."""
    participle = False
    words = list(_sentence_before(chart, token))
    for index, word in enumerate(words):
        if word in _HAVE:
            return participle
        if word == "had" and not _HAVE.isdisjoint(words[index + 1 : index + 3]):
            return True
        if word in _NOT_NOW:
            return False
        participle = participle or word in _PARTICIPLES or word.endswith(("ed", "en"))
    return "been" in words


_GOING_ON = frozenset("still am i'm im is are 'm he's she's been".split())


def goes_on(chart: Chart, token: int) -> bool:
    """Whether what stands at ``token`` is told of something that is so now: "I'm still driving, four years in November"."""
    return still_holds(chart, token) or not _GOING_ON.isdisjoint(_sentence_before(chart, token))


def _takes_effect(chart: Chart, token: int) -> bool:
    """ "From 1 June we meet on Thursdays": no verb says whether it is behind or ahead, so the nearer one is meant."""
    before, after = list(_sentence_before(chart, token)), list(_sentence_after(chart, token))
    opened = before[:1] == ["from"] or before[:2] == ["the", "from"]
    told = _cue(iter(before), backwards=True) or _cue(iter(after), backwards=False)
    return opened and chart.lean is Lean.TENSE and told is None and _HAVE.isdisjoint(before + after)


def settle(m: Match, name: str = "point", default: Lean = Lean.PAST, *, behind: bool = False) -> tuple[Stretch, bool]:
    """The stretch of a captured point, and whether it was inferred.

    Of a point that recurs it is the occurrence that the tense asks for, or the last one where the words say that it is ``behind``.
    A bare weekday is never today.
    """
    cell, point = m.cell(name), m.point(name)
    if cell is None or point.recurring is None:
        if point.stretch is None:
            raise LookupError(f"the point {name!r} has no start")
        return point.stretch, point.inferred
    recurring, now, of_week = point.recurring, m.chart.now, point.recurring.period is Unit.WEEK
    if not (behind or of_week) and _takes_effect(m.chart, cell.token):
        last, found = recurring.latest(now), recurring.coming(now)
        return (found if found.start - now < now - last.start else last), True
    if behind or lean(m.chart, cell.token, default) is Lean.PAST:
        return recurring.last(now) if of_week else recurring.latest(now), True
    found = recurring.coming(now)
    return recurring.next(now) if of_week and found.contains(now) else found, True
