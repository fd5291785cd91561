"""Status: what the tense of a clause makes of its value: it holds, held, ended, is planned or is denied."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import pairwise

from genome_core.facts.clauses import Clause
from genome_core.facts.frames import Effect
from genome_core.facts.time import TimeMention, TimeRole
from genome_core.facts.verbs import Phase, Tense, VerbGroup
from genome_core.facts.words import PREPOSITIONS, Token
from genome_core.types import Precision


class Status(Enum):
    """What a statement says of its value."""

    HOLDS = "holds"
    HELD = "held"
    """It held in the past, between the times given."""
    ENDED = "ended"
    DENIED = "denied"
    """It never was so, or did not come."""
    PLANNED = "planned"


def status_of(effect: Effect, verb: VerbGroup, clause: Clause, times: Sequence[TimeMention]) -> Status | None:
    """Whether it holds, held, ended, is planned or denied; None where the tense says none of these surely."""
    anymore = verb.ended or any(t.low in ("anymore", "longer") for t in clause.rest) or _any_more(clause.rest)
    if _missed(clause.rest):
        return None
    if effect is Effect.CRAVING:
        return Status.HOLDS if verb.negated and verb.tense is Tense.FUTURE else None
    if verb.tense is Tense.FUTURE:
        return Status.PLANNED if not verb.negated else None
    if verb.phase is Phase.STOP:
        return Status.ENDED if effect is Effect.STATE and not verb.negated and verb.tense in _DONE else None
    if verb.phase is Phase.USED:
        return Status.ENDED if effect is Effect.STATE and not verb.negated else None
    if verb.negated:
        since = clause.lasting or any(m.role is TimeRole.SINCE for m in times)
        since = since or _since_then(clause.rest)
        return _negated(effect, verb, anymore or (since and verb.tense is Tense.PERFECT))
    if effect is Effect.DENIAL:
        return Status.DENIED if verb.tense in _DONE else None
    if effect is not Effect.STATE or verb.phase is Phase.START:
        if verb.tense in _DONE or (effect is Effect.END and verb.lemma == "be" and verb.tense is Tense.PRESENT):
            return Status.ENDED if effect is Effect.END else Status.HOLDS
        if verb.tense is Tense.PROGRESSIVE and verb.phase is not Phase.START:
            return Status.PLANNED
        if verb.tense is Tense.PRESENT and verb.lemma == "be" and any(m.role is TimeRole.SINCE for m in times):
            return Status.HOLDS  # "I am employed there since May", as learners say it
        return Status.PLANNED if verb.tense is Tense.PRESENT and times else None
    if verb.tense is Tense.PAST and clause.elliptic and any(m.role is TimeRole.SINCE for m in times):
        return Status.HOLDS  # "married since 2015"
    return _state(
        verb,
        times,
        since=clause.lasting or any(token.low == "since" for token in clause.rest),
        now=any(token.low in ("now", "ages", "forever") for token in clause.rest),
    )


_DONE = (Tense.PAST, Tense.PERFECT, Tense.PAST_PERFECT)


def _missed(tokens: Sequence[Token]) -> bool:
    """ "I was almost hired": it did not happen. "Almost two years" is something else."""
    return any(
        a.low in ("almost", "nearly", "barely") and b.kind == "word" and bool(b.forms) for a, b in pairwise(tokens)
    )


def _since_then(tokens: Sequence[Token]) -> bool:
    """ "I have not smoked since"; but who has not been in York since may never have lived there."""
    return bool(tokens) and tokens[-1].low == "since" and tokens[0].low not in PREPOSITIONS


def _any_more(tokens: Sequence[Token]) -> bool:
    return any(a.low == "any" and b.low == "more" for a, b in pairwise(tokens))


def _negated(effect: Effect, verb: VerbGroup, anymore: bool) -> Status | None:
    if effect is Effect.STATE and anymore:
        return Status.ENDED
    if effect is Effect.START and verb.tense is Tense.PAST and verb.phase is Phase.NONE:
        return Status.DENIED
    return Status.DENIED if effect is Effect.STATE and verb.never and verb.tense in _DONE else None


def _state(verb: VerbGroup, times: Sequence[TimeMention], *, since: bool, now: bool) -> Status | None:
    roles = {mention.role for mention in times}
    lasting = since or roles & {TimeRole.SINCE, TimeRole.DURATION, TimeRole.RANGE}
    if verb.tense in (Tense.PRESENT, Tense.PROGRESSIVE, Tense.PERFECT_PROGRESSIVE):
        return Status.HOLDS
    if verb.tense is Tense.PERFECT:
        return Status.HOLDS if lasting or now else None
    if verb.tense is Tense.PAST_PERFECT:
        return Status.HELD if lasting else None
    if roles & {TimeRole.SINCE, TimeRole.RANGE, TimeRole.UNTIL} or any(is_long(mention) for mention in times):
        return Status.HELD
    return None


def is_long(mention: TimeMention) -> bool:
    """Whether a time is long enough for a state: "I worked there in 2019", but not "on Monday", which tells of a visit."""
    return mention.start is not None and mention.start.precision in (
        Precision.MONTH,
        Precision.SEASON,
        Precision.YEAR,
        Precision.DECADE,
    )
