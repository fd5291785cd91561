"""When a statement's value held: from the time expressions of its clause to the two ends of a fact."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from genome_core.facts.clauses import Clause
from genome_core.facts.sentences import Parsed
from genome_core.facts.statements import Statement
from genome_core.facts.status import Status
from genome_core.facts.time import TimeMention, TimeRole
from genome_core.facts.verbs import Tense
from genome_core.types import Precision, TimeSpan

Window = tuple[TimeSpan | None, TimeSpan | None]
"""When the value began to hold (or, for an end, ended) and when it stopped."""


def times_of(clause: Clause, parsed: Parsed) -> tuple[TimeMention, ...]:
    """The time expressions of a clause: its own and those after it up to the next verb, else the ones that date it.

    What dates it: a clause with "since" or "when" after it ("since she retired in 2018"), what stands before the first
    clause of the sentence, or the clause that it is joined to by "and".
    """
    if not parsed.times:
        return ()
    clauses = parsed.clauses
    at = next((i for i, other in enumerate(clauses) if other is clause), 0)
    start, end = clause.span
    after = at + 1
    dated = bool(_within(parsed, start, end))
    while after < len(clauses) and clauses[after].verb is None:
        if dated and clauses[after].opener in ("and", "&", "but", "so"):
            break  # "I was a cook until May, and in June my brother ...": the time of what follows
        end = max(end, clauses[after].span[1])
        after += 1
    own = _within(parsed, start, end)
    if own:
        return own
    if after < len(clauses) and clauses[after].opener in ("since", "when", "after"):
        told = _within(parsed, *clauses[after].span)
        return tuple(_since(mention) for mention in told) if clauses[after].opener == "since" else told
    lead = {(token.start, token.end) for token in clause.lead}
    led = tuple(mention for mention in parsed.times if mention.span in lead)
    if led or clause.opener not in ("and", "&") or at == 0 or clauses[at - 1].verb is None:
        return led
    before = _within(parsed, *clauses[at - 1].span)
    if clause.verb is not None and clause.verb.tense in (Tense.PAST, Tense.PAST_PROGRESSIVE):
        # "I have lived here since 2015, and before that I was living in York"
        return tuple(mention for mention in before if mention.role is not TimeRole.SINCE)
    return before


def _within(parsed: Parsed, start: int, end: int) -> tuple[TimeMention, ...]:
    return tuple(mention for mention in parsed.times if start <= mention.span[0] < end)


def _since(mention: TimeMention) -> TimeMention:
    if mention.role is not TimeRole.AT:
        return mention
    return TimeMention(mention.span, TimeRole.SINCE, mention.start, None, mention.inferred)


def window(statement: Statement, times: Sequence[TimeMention], said: datetime, text: str) -> Window:
    """When the value held, as far as the words of the turn's ``text`` tell."""
    mention = None if statement.timeless else _best(times, event=statement.event)
    if mention is None:
        return None, None
    tense = statement.clause.verb.tense if statement.clause.verb else Tense.PRESENT
    held = statement.status is Status.HELD
    if mention.role is TimeRole.UNTIL:
        return (mention.end, None) if statement.status is Status.ENDED else (None, mention.end)
    if mention.role is TimeRole.AT:
        if held:
            return mention.start, _end_of_past(mention, said, text)
        now = mention.start is not None and mention.start.start <= said < mention.start.end
        state = not statement.event and tense is not Tense.PERFECT and not _AS_OF.match(text[mention.span[0] :])
        return (None if now and state else mention.start), None
    if mention.role is TimeRole.DURATION and tense is Tense.PAST and not statement.clause.elliptic:
        return None, None  # "I lived there for two years" does not say which
    ends = mention.end if mention.role is TimeRole.RANGE else None
    if held and ends is None:
        ends = TimeSpan(said, said, Precision.UNKNOWN)
    return mention.start, ends


_WHOLE = re.compile(r"\b(?:whole|all|entire|throughout)\b[\w\s]*$", re.IGNORECASE)


def _end_of_past(mention: TimeMention, said: datetime, text: str) -> TimeSpan | None:
    """When a state ended that held at a time in the past: with that time if it held for all of it, else by the telling."""
    if mention.start is None:
        return None
    if _WHOLE.search(text[max(0, mention.span[0] - 25) : mention.span[0] + 12]):
        return TimeSpan(mention.start.end, mention.start.end, mention.start.precision)
    return TimeSpan(min(mention.start.end, said), said, Precision.UNKNOWN) if mention.start.start < said else None


def begins_later(statement: Statement, times: Sequence[TimeMention], said: datetime, text: str) -> bool:
    """Whether the words put a present state into the future: "I'm their welder from May 1st"."""
    tense = statement.clause.verb.tense if statement.clause.verb else Tense.PRESENT
    if statement.event or statement.timeless or tense not in (Tense.PRESENT, Tense.PROGRESSIVE):
        return False
    return any(
        m.start is not None
        and (
            m.start.start > said
            or (m.inferred and _nearer_ahead(m.start.start, said) and _STARTING.match(text[m.span[0] :]))
            or _FROM_WEEKDAY.match(text[m.span[0] :])
        )
        and _FROM.match(text[m.span[0] :])
        for m in times
    )


def passes(statement: Statement, times: Sequence[TimeMention], text: str) -> bool:
    """Whether a present state is only for now: "I'm driving a Mini this week", "I'm going out with Tom tonight"."""
    tense = statement.clause.verb.tense if statement.clause.verb else Tense.PRESENT
    if statement.event or tense not in (Tense.PRESENT, Tense.PROGRESSIVE):
        return False
    return any(_PASSING.match(text[m.span[0] :]) for m in times)


_PASSING = re.compile(r"(?:tonight|tomorrow|this (?:morning|afternoon|evening|week|weekend|month))\b", re.IGNORECASE)


def _nearer_ahead(day: datetime, said: datetime) -> bool:
    """Whether the next return of a day of the year is nearer than ``day`` itself."""
    return said - day > timedelta(days=183)


def only_signed(statement: Statement, parsed: Parsed, said: datetime) -> bool:
    """Whether the sentence goes on to say that what was signed begins later: "signed with Acme, I start on 4 March"."""
    clause = statement.clause
    if clause.verb is None or clause.verb.lemma not in _SIGNED or statement.attribute not in ("employer", "role"):
        return False
    for other in parsed.clauses:
        verb = other.verb
        if verb is None or other is clause or verb.tense not in (Tense.PRESENT, Tense.PROGRESSIVE, Tense.FUTURE):
            continue
        own = not other.subjects or other.subjects[0].is_pronoun
        begins = (own and verb.lemma in ("start", "begin")) or any(
            p.head in ("day", "shift") and p.words[0].low == "first" for p in other.subjects
        )
        if begins and any(m.start is not None and m.start.start > said for m in times_of(other, parsed)):
            return True
    return False


_SIGNED = frozenset("sign accept land get take".split())
"""Verbs after which the work itself may still be to come."""
_FROM_WEEKDAY = re.compile(r"(?:from|starting|beginning) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)
"""Of a present state the weekday to come, even where other words would mean the last one."""
_STARTING = re.compile(r"(?:from|starting|beginning)\b", re.IGNORECASE)


def takes_effect(statement: Statement, times: Sequence[TimeMention], said: datetime, text: str) -> bool:
    """Whether what is under way holds already: "Ola is taking over Apollo, effective today"."""
    tense = statement.clause.verb.tense if statement.clause.verb else Tense.PRESENT
    since = [
        m.start for m in times if m.start is not None and (m.role is TimeRole.SINCE or _AS_OF.match(text[m.span[0] :]))
    ]
    return tense is Tense.PROGRESSIVE and any(span.start <= said for span in since)


_FROM = re.compile(r"(?:from|starting|beginning|next|on|in|tomorrow)\b", re.IGNORECASE)


def _best(times: Sequence[TimeMention], *, event: bool) -> TimeMention | None:
    """The mention that tells most: by its role, then the narrowest."""
    order = [TimeRole.RANGE, TimeRole.SINCE, TimeRole.DURATION, TimeRole.AT, TimeRole.UNTIL]
    if event:
        order = [TimeRole.AT, TimeRole.SINCE, TimeRole.RANGE, TimeRole.UNTIL, TimeRole.DURATION]
    return min(times, key=lambda mention: (order.index(mention.role), _width(mention)), default=None)


def _width(mention: TimeMention) -> float:
    return (mention.start.end - mention.start.start).total_seconds() if mention.start else 0.0


_AS_OF = re.compile(r"(?:as of|effective|from|starting|beginning)\b", re.IGNORECASE)


_FOLLOW_UPS = frozenset(
    "move arrive start join get pick collect buy do be begin sign give finish leave sell take quit adopt come land happen last go marry have meet call".split()
)
"""Verbs of a clause that only dates what was said just before: "joined in June", "have done since 2020", "got her on Monday"."""


def follow_up(clause: Clause, times: Sequence[TimeMention], said: datetime) -> Window | None:
    """The window that a clause without a statement of its own gives to the one before it, or None."""
    if not times or clause.opener in ("if", "unless", "when", "until", "before", "while", "because", "so", "but"):
        return None
    verb = clause.verb
    if verb is not None:
        if (
            verb.lemma not in _FOLLOW_UPS
            or verb.negated
            or verb.tense in (Tense.FUTURE, Tense.PRESENT, Tense.PROGRESSIVE)
        ):
            return None
        if not (clause.elliptic or clause.inherited or clause.subjects[0].is_pronoun) or len(clause.rest) > 6:
            return None
    mention = _best(times, event=verb is None or verb.tense in (Tense.PAST, Tense.PERFECT))
    if mention is None or mention.start is None or mention.start.start > said or mention.role is TimeRole.UNTIL:
        return None
    if verb is None and mention.role is TimeRole.AT and len([t for t in clause.tokens if t.kind == "word"]) > 2:
        return None
    return mention.start, mention.end if mention.role is TimeRole.RANGE else None
