"""Idioms that tell a fact by the shape of a whole clause: "that's me done with squash", "today was my last day at Acme", "three weeks
into teaching", "home is still Bergen", "there's been a Jazz on my drive since May".

A pattern is a regular expression over the words of one clause in lower case; ``v`` begins the value, which is read as a noun phrase of a kind that
the idiom takes. Like the rules of ``statements``, an idiom says nothing in a question or a supposition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from genome_core.facts.clauses import Clause
from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.statements import SPEAKER, Statement
from genome_core.facts.status import Status
from genome_core.facts.time import TimeMention, find_times
from genome_core.facts.values import EMPTY, GENERIC, choose, value_of
from genome_core.facts.words import lowered

_EMPLOYER = "firstname:- kin:- weekday:- house:- place:- car:- food:- school:employer gym:employer club:employer org:employer provider:employer name:employer"
_STARTED_AT = (
    "firstname:- kin:- weekday:- house:- place:- car:- food:- school:- gym:- club:- org:employer provider:employer"
)
_LEFT = "firstname:- weekday:- job:employer role:role diet:diet substance:hobby hobby:hobby instrument:instrument school:school gym:gym club:membership band:membership house:home place:home org:employer provider:employer name:employer"
_GIVEN_UP = "firstname:- weekday:- role:role diet:diet substance:hobby hobby:hobby instrument:instrument gym:gym club:membership band:membership org:employer"
_THINGS = "role:- car:car phone:phone computer:computer pet:pet bike:bike instrument:instrument boat:possession console:possession"


@dataclass(frozen=True, slots=True)
class Idiom:
    pattern: re.Pattern[str]
    takes: str
    status: Status
    value: str = ""
    """``attribute=value`` where no noun phrase gives it; an end may go without the value."""
    event: bool = False
    """A time is when it began or ended, not when it was seen to hold."""


_LEAD = r"^(?:(?:and|so|but|well|yes|yeah|yep|yup|no|nope|ok|okay|right|oh|anyway|btw|also|plus|then|me|as for me|ugh|hey|happy to report|aye)\b[\s,!.]*)*"


def _idiom(pattern: str, takes: str, status: Status, value: str = "", *, event: bool = False) -> Idiom:
    return Idiom(re.compile(_LEAD + pattern), takes, status, value, event)


_IS = r"\s*(?:'s|’s|is|was|s)\s+"
_LENGTH = r"(?P<length>(?:(?:just|nearly|almost|about|over|exactly|only|already|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|few|couple|of|whole|full|half|and|good|\d+|\d+(?:st|nd|rd|th)|first|second|third)\s+)+(?:and a half\s+)?(?:days?|weeks?|wks?|fortnights?|months?|mths?|years?|yrs?))"
_WHOSE = r"(?:my|our|(?P<who>[a-z][\w-]+)['’]s)"

IDIOMS: tuple[Idiom, ...] = (
    # --- ends -----------------------------------------------------------------------------------------------------------
    _idiom(rf"that{_IS}(?:me|us)\s+(?:all\s+|well and truly\s+|officially\s+)?(?:done|finished|out|through|over|off)\s+(?:w|with|at|of|in|from|as)\s+(?:being\s+)?(?P<v>)", _LEFT, Status.ENDED, event=True),
    _idiom(rf"(?:(?:today|yesterday|\w+day|it|that|this)\b[^,;]*?{_IS}(?:also\s+|officially\s+)?)?(?:my|our)\s+(?:very\s+)?(?:last|final)\s+(?:ever\s+)?(?:day|shift|week|night)\s+(?:ever\s+)?(?:at|with|in|for|as)\s+(?P<v>)", _LEFT, Status.ENDED, event=True),
    _idiom(r"(?:(?:i|we)(?:'m|’m|m| am|'re| are)\s+)?(?:done|finished|through)\s+(?:w|with|at)\s+(?P<v>)", _GIVEN_UP, Status.ENDED, event=True),
    _idiom(r"no more\s+(?P<v>)[\w' -]+?\s+for (?:me|us)\b", "food:- " + _GIVEN_UP, Status.ENDED, event=True),
    _idiom(r"(?:the|my)\s+(?P<v>)[\w' -]+?\s+and (?:i|me)\s+(?:are|have|r)\s+(?:done|finished|over|history|no longer|not|parted|called|broken)", _GIVEN_UP, Status.ENDED, event=True),
    _idiom(r"(?:(?:i|we)(?:'m|’m|m| am|'re| are)\s+)?(?:(?:currently|still|now|officially)\s+)?(?:between jobs|out of (?:a job|work)|unemployed|jobless)\b", "", Status.ENDED, "employer=", event=True),
    _idiom(rf"that{_IS}(?:me|us)\s+(?:out of (?:a job|work)|unemployed|jobless|on the dole)\b", "", Status.ENDED, "employer=", event=True),
    _idiom(r"(?:i|we)(?:'m|’m|m| am|'re| are)\s+(?:currently\s+|still\s+)?(?:between cars|carless|without a car)\b", "", Status.ENDED, "car=", event=True),
    _idiom(rf"(?:it|things){_IS}(?:all\s+|well\s+)?(?:over|finished|done|off)\s+(?:between me and|between us|with)\s+(?P<v>)", "person:relationship_status", Status.ENDED, event=True),
    _idiom(rf"(?:the\s+)?(?:wedding|engagement){_IS}(?:now\s+|been\s+|all\s+)?(?:off|called off|cancelled)\b", "", Status.ENDED, "relationship_status=", event=True),
    _idiom(r"(?:the\s+)?weddings (?:is\s+)?off\b", "", Status.ENDED, "relationship_status=", event=True),
    # --- work -----------------------------------------------------------------------------------------------------------
    _idiom(rf"{_LENGTH}\s+(?:in|into|at|with|on)\s+(?:at\s+|with\s+)?(?P<v>)", _EMPLOYER, Status.HOLDS),
    _idiom(rf"{_LENGTH}\s+(?:as|of being)\s+(?:an?\s+)?(?P<v>)", "role:role", Status.HOLDS),
    _idiom(rf"{_LENGTH}\s+as\s+(?:a\s+married\s+(?:wo)?man|husband and wife|man and wife|mr and mrs|a\s+wife|a\s+husband)\b", "", Status.HOLDS, "relationship_status=married"),
    _idiom(r"(?:my\s+)?(?:day|week|month|year)\s+(?:one|two|three|four|five|\d+)\s+(?:at|with)\s+(?P<v>)", _EMPLOYER, Status.HOLDS),
    _idiom(rf"(?:(?:today|that|this|it){_IS}|(?:yesterday|(?:last\s+)?\w+day)\s+was\s+)(?:also\s+|officially\s+)?(?:my|our)\s+(?:very\s+)?(?:first|1st)\s+(?:day|week|shift)\s+(?:at|with|for)\s+(?P<v>)", _STARTED_AT, Status.HOLDS, event=True),
    # --- homes ----------------------------------------------------------------------------------------------------------
    _idiom(rf"(?:my\s+|our\s+)?home{_IS}(?:still\s+|now\s+|currently\s+|these days\s+|always\s+)*(?:in\s+|at\s+)?(?P<v>)", "house:- place:home name:home", Status.HOLDS),
    _idiom(rf"{_LENGTH}\s+(?:in|into)\s+(?P<v>)[\w' -]+?\s*(?:now|today|already|this week|this month)?$", "org:- subject:- band:- club:- food:- event:- school:- role:- weekday:- provider:- hobby:- place:home", Status.HOLDS),
    _idiom(r"(?:my|our)\s+(?:new\s+)?(?:address|postcode|place|flat|house|gaff|pad|digs)\s+(?:(?:will be|is|'s)\s+)?(?:now\s+)?(?:in\s+|at\s+)(?P<v>)", "house:- place:home name:home", Status.HOLDS),
    # --- things ---------------------------------------------------------------------------------------------------------
    _idiom(r"there(?:'s|’s|s| is| has|'s been|’s been| has been)\s+(?:now\s+|also\s+)?(?:been\s+)?(?:an?\s+|some\s+|one\s+|two\s+|three\s+)(?:\w+\s+)??(?P<v>)[\w' -]+?\s+(?:(?:asleep|sitting|parked|standing|curled up|snoring|living|waiting)\s+)?(?:on|in|outside|under)\s+(?:my|our)\s+(?:drive|driveway|garage|lap|pocket|keyboard|sofa|bed|life|lives|house|kitchen|flat|door|desk|garden|family|household|shed|hall)", _THINGS, Status.HOLDS),
    _idiom(rf"(?:my|our)\s+(?:new\s+)?(?:ride|wheels|runaround|motor|daily|daily driver){_IS}(?:now\s+)?(?:an?\s+)?(?P<v>)", "car:car bike:bike name:car", Status.HOLDS),
    # --- events by a noun: "Astrid's move to Beechwood was in November" ----------------------------------------------------
    _idiom(rf"{_WHOSE}\s+(?:move|change|switch|transfer)\s+(?:over\s+)?to\s+(?P<v>)[\w' -]+?\s+(?:was|came|happened)\b", "house:home place:home school:school gym:gym org:employer name:school", Status.HOLDS, event=True),
    _idiom(rf"{_WHOSE}\s+(?:wedding|big day)\s+(?:was|took place|happened)\s+(?:on|in|at|the|last)\b", "", Status.HOLDS, "relationship_status=married", event=True),
    # --- people ---------------------------------------------------------------------------------------------------------
    _idiom(r"(?:i|we)(?:'ve|’ve|ve| have)?\s+(?:been\s+)?(?:off the market|spoken for)\b", "", Status.HOLDS, "relationship_status=in a relationship"),
)  # fmt: skip


_ANY = re.compile(
    _LEAD
    + "|".join(re.sub(r"\?P<\w+>", "?:", idiom.pattern.pattern.removeprefix(_LEAD)) for idiom in IDIOMS).join(
        ("(?:", ")")
    )
)
"""All of them: most clauses hold none, and are looked at once."""


def lasted(clause: Clause, text: str, said: datetime) -> tuple[TimeMention, ...]:
    """The length of time that an idiom counts up to now ("three weeks as a teacher"), as a time expression."""
    length = next((told.groupdict().get("length") or "" for _, told in _told(clause, text)), "")
    plain = re.sub(r"\b(?:whole|full|good|just|exactly|only|already)\s+", "", length)
    return tuple(replace(m, span=clause.span) for m in find_times(f"{plain} so far", said)) if plain else ()


def idiomatic(clause: Clause, text: str) -> list[Statement]:
    """What the clause says by an idiom."""
    return next((said for idiom, found in _told(clause, text) if (said := list(_said(idiom, found, clause, text)))), [])


def _told(clause: Clause, text: str) -> Iterator[tuple[Idiom, re.Match[str]]]:
    """The idioms that the clause is told by."""
    low = lowered(text[slice(*clause.span)])
    if _ANY.match(low):
        yield from ((idiom, found) for idiom in IDIOMS if (found := idiom.pattern.match(low)))


def _said(idiom: Idiom, found: re.Match[str], clause: Clause, text: str) -> Iterator[Statement]:
    about = _named_at(clause, found) or SPEAKER
    base = Statement("", None, idiom.status, clause, idiom.event, about=about, takes=idiom.takes)
    if idiom.value:
        fixed, _, given = idiom.value.partition("=")
        yield base._replace(attribute=fixed, value=given or None)
        return
    phrase = _phrase_at(clause, clause.span[0] + found.start("v"))
    if phrase is None or phrase.is_pronoun or phrase.determiner in ("no", "any", "your", "his", "her", "their"):
        return
    chosen = choose(idiom.takes, phrase)
    if chosen is None:
        return
    attribute: str = chosen
    ended = idiom.status is Status.ENDED
    value = phrase.text(text)
    generic = GENERIC.get(value.lower()) if ended and phrase.determiner else None
    if not ended:
        attribute, value, phrase = value_of(attribute, phrase, clause.tokens, text)
    if generic:
        yield base._replace(attribute=generic, phrase=phrase)
    elif value and value.lower() not in EMPTY:
        yield base._replace(attribute=attribute, value=value, phrase=phrase)


def _named_at(clause: Clause, found: re.Match[str]) -> NounPhrase | None:
    """Whom the idiom names as the one it is about."""
    if not found.groupdict().get("who"):
        return None
    offset = clause.span[0] + found.start("who")
    return next(
        (NounPhrase((token,), i, i + 1) for i, token in enumerate(clause.tokens) if token.start == offset), None
    )


def _phrase_at(clause: Clause, offset: int) -> NounPhrase | None:
    i = next((i for i, token in enumerate(clause.tokens) if token.start >= offset), len(clause.tokens))
    return noun_phrase(clause.tokens, i) if i < len(clause.tokens) else None
