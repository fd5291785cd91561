"""What fits a frame and is no fact all the same: bought for others, lent, offered, for one day, likened or no role."""

from __future__ import annotations

from collections.abc import Sequence

from genome_core.facts.clauses import Clause
from genome_core.facts.frames import Effect
from genome_core.facts.matching import Match
from genome_core.facts.nouns import kinds_of_word
from genome_core.facts.phrases import NounPhrase
from genome_core.facts.status import Status
from genome_core.facts.time import TimeMention
from genome_core.facts.words import Form
from genome_core.types import Precision


def is_barred(effect: Effect, matched: Match, clause: Clause, status: Status, times: Sequence[TimeMention]) -> bool:
    """Whether what stands around the frame says that nothing lasting has begun or ended."""
    return (
        (effect is Effect.START and _for_another(matched, clause))
        or (status is Status.ENDED and _is_for_the_day(clause, times))
        or _to_do(matched, clause)
        or _is_lent(matched, clause)
        or _is_offered(clause)
    )


def is_no_value(attribute: str, phrase: NounPhrase, clause: Clause, status: Status) -> bool:
    """Whether a noun phrase of the right kind is no value here."""
    if attribute == "role":
        return _is_likened(attribute, phrase, clause) or _is_no_role(phrase, clause, status)
    return _is_likened(attribute, phrase, clause) or _is_somewhere(attribute, phrase, clause)


def _for_another(matched: Match, clause: Clause) -> bool:
    """ "Got this pup for you": what is bought for somebody else is not the subject's."""
    rest = clause.rest[matched.end : matched.end + 2]
    if len(rest) < 2 or rest[0].low != "for":
        return False
    return rest[1].low in ("you", "him", "her", "them", "my", "his", "our") or (
        rest[1].capital and rest[1].kind == "word"
    )


def _is_lent(matched: Match, clause: Clause) -> bool:
    """ "Got a Samsung on loan": it is somebody else's."""
    rest = [token.low for token in clause.rest[matched.end : matched.end + 2]]
    return len(rest) == 2 and rest[0] == "on" and rest[1] in ("loan", "hire", "trial", "approval", "test")


def _is_offered(clause: Clause) -> bool:
    """ "Got an offer from Acme": it may still be turned down."""
    taken = clause.verb is not None and clause.verb.lemma in ("accept", "take", "sign", "agree", "turn", "decline")
    return not taken and any(token.low == "offer" and not token.capital for token in clause.rest[:4])


def _is_for_the_day(clause: Clause, times: Sequence[TimeMention]) -> bool:
    """ "Left the gym early", "left work at five": one goes back tomorrow."""
    if clause.verb is None or clause.verb.lemma not in ("leave", "finish", "exit"):
        return False
    early = any(token.low in ("early", "late") for token in clause.rest)
    return early or any(m.start is not None and m.start.precision is Precision.INSTANT for m in times)


def _to_do(matched: Match, clause: Clause) -> bool:
    """ "I have a dog to walk", "got a car to sell": a task, not a possession."""
    rest = clause.rest[matched.end : matched.end + 2]
    return len(rest) == 2 and rest[0].low == "to" and any(form is Form.BASE for _, form in rest[1].forms)


_ALMOST = frozenset("basically practically virtually essentially kinda sorta literally half".split())
_TRAITS = frozenset(["role", "diet", "health", "age", "relationship_status"])


def _is_likened(attribute: str, phrase: NounPhrase, clause: Clause) -> bool:
    """ "I'm basically a monk", "vegan on weekdays only": not quite so."""
    if attribute not in _TRAITS or phrase.start == phrase.end:
        return False
    before, after = clause.rest[: phrase.start], clause.rest[phrase.end :]
    return any(token.low in _ALMOST for token in before) or any(token.low == "only" for token in after)


def _is_somewhere(attribute: str, phrase: NounPhrase, clause: Clause) -> bool:
    """ "A job in Ullapool": after "in" a name that nothing else tells of is a place; learners "work in Acme"."""
    if clause.verb and clause.verb.lemma == "work":
        return False
    inside = 0 < phrase.start <= len(clause.rest) and clause.rest[phrase.start - 1].low == "in"
    return attribute == "employer" and inside and not phrase.determiner and phrase.kinds == {"name"}


def _is_no_role(phrase: NounPhrase, clause: Clause, status: Status) -> bool:
    """ "He's one of those artists", "she is its owner", "a taxi driver for my kids", "she left her manager"; and "the cook" is a
    part for one evening, unless it is an office ("the new cook", "the cook at Rosa's") or lasts ("the cook since May")."""
    if phrase.determiner in ("some", "these", "those", "both", "its"):
        return True
    if phrase.head == "owner" and not any("org" in kinds_of_word(word.low) for word in phrase.words):
        return True
    ended = status is Status.ENDED
    if ended and phrase.determiner in ("my", "our", "his", "her", "their") and "role" in phrase.kinds:
        return True
    after = [token.low for token in clause.rest[phrase.end : phrase.end + 2]]
    if len(after) == 2 and after[0] == "for" and after[1] in ("my", "our", "the", "you"):
        return True
    office = after[:1] in (["at"], ["of"], ["for"]) or any(w.low in ("new", "of", "current") for w in phrase.words)
    lasting = any(t.kind == "time" and t.low.startswith(("as of", "since")) for t in clause.tokens)
    return "role" in phrase.kinds and phrase.determiner == "the" and not (ended or office or lasting)
