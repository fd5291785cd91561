"""Pieces without a verb that say something all the same: "still at Acme", "vegan since May", "new job at Acme"."""

from __future__ import annotations

from collections.abc import Sequence

from genome_core.facts.nouns import kinds_of_word
from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.verbs import Tense, VerbGroup
from genome_core.facts.words import NUMBER_WORDS, Token

Supplied = tuple[VerbGroup, tuple[Token, ...]]
"""The verb that is left out, and what would follow it."""

_BE, _HAVE = VerbGroup("be", Tense.PRESENT), VerbGroup("have", Tense.PRESENT)
_NOT, _ENDED = VerbGroup("be", Tense.PRESENT, negated=True), VerbGroup("be", Tense.PRESENT, negated=True, ended=True)
_GIVEN_UP = VerbGroup("quit", Tense.PAST)


def supplied(tokens: tuple[Token, ...], i: int) -> Supplied | None:
    """The verb that the piece goes without, or None; ``i`` is the index of its first word that is no greeting."""
    rest = tokens[i:]
    lead = next((n for n, token in enumerate(rest) if token.low not in _EMPHATIC), len(rest))
    rest = rest[lead:]
    if len(rest) == 1 and lead and kinds_of_word(rest[0].low) & {"diet", "status"}:
        return _BE, rest  # "officially single"
    if len(rest) < 2:
        return None
    phrase = noun_phrase(rest, 0)
    return _where(tokens, rest) or _state(rest, phrase) or _no_more(rest) or _new(rest, phrase)


def _where(tokens: tuple[Token, ...], rest: tuple[Token, ...]) -> Supplied | None:
    """ "Still at Acme", "3 years at Acme", "since May at Acme", "back in Leeds now"."""
    words = [token.low for token in rest[:3]]
    if words[0] in _STILL and words[1] in _WHERE:
        return (_NOT, rest[1:]) if words[0] == "not" else (_BE, rest)
    if rest[0].kind == "time" and words[1] in _WHERE:
        return _BE, rest
    if len(words) == 3 and _counts(rest[0]) and words[1] in _UNITS and words[2] in _WHERE:
        return _BE, rest[2:]
    before = len(tokens) - len(rest)
    if before and tokens[before - 1].low == "back" and words[0] in _WHERE and _holds_now(rest):
        return _BE, rest
    return None


def _state(rest: tuple[Token, ...], phrase: NounPhrase | None) -> Supplied | None:
    """ "Allergic to nuts", "vegan since May", "vegetarian here", "proud owner of a Yaris", "Yaris as of last week", "head baker since May"."""
    first, second = rest[0].low, rest[1]
    if first in ("allergic", "intolerant"):
        return _BE, rest
    if kinds_of_word(first) & {"diet", "status"} and (second.kind == "time" or second.low in _LASTING):
        return _BE, rest
    if first == "into" and kinds_of_word(second.low) & {"hobby"}:
        return _BE, rest
    if first in ("proud", "happy") and second.low in ("owner", "member"):
        return _BE, rest
    if phrase is None or phrase.is_pronoun or phrase.possessor or phrase.end >= len(rest):
        return None
    after = rest[phrase.end]
    if "role" in phrase.kinds and after.low == "here" and phrase.end + 1 == len(rest):
        return _BE, rest[: phrase.end]
    if after.kind != "time" or not after.low.startswith(("as of", "since")):
        return None
    if phrase.kinds & _OWNED:
        return _HAVE, rest
    if "role" in phrase.kinds and phrase.determiner in ("", "a", "an") and phrase.words[0].low not in _RANKED:
        return _BE, rest
    return None


def _no_more(rest: tuple[Token, ...]) -> Supplied | None:
    """ "No longer at Acme", "no more running", "off the booze since May"."""
    words = [token.low for token in rest[:2]]
    if words == ["no", "longer"]:
        return _ENDED, rest[2:]
    if words == ["no", "more"]:
        return _GIVEN_UP, rest[2:]
    if words[0] == "off" and _holds_now(rest):
        return _BE, rest
    return None


def _new(rest: tuple[Token, ...], phrase: NounPhrase | None) -> Supplied | None:
    """ "New job at Acme", "new flat in Hove"."""
    if phrase is None or phrase.words[0].low != "new" or phrase.end >= len(rest) or phrase.possessor:
        return None
    return (_HAVE, rest) if phrase.kinds & {"job", "house"} and rest[phrase.end].low in ("at", "with", "in") else None


def _holds_now(rest: Sequence[Token]) -> bool:
    return any(token.low in ("now", "again") or token.low.startswith(("since ", "for ")) for token in rest)


def _counts(token: Token) -> bool:
    return token.kind == "number" or token.low in NUMBER_WORDS or token.low in ("a", "few", "several")


_EMPHATIC = frozenset("really officially finally newly totally properly proper".split())
_WHERE = frozenset(["in", "at", "with", "on", "into"])
_UNITS = frozenset("day days week weeks month months year years yrs".split())
_STILL = frozenset(["still", "now", "currently", "not"])
_LASTING = frozenset(["for", "since", "now", "again", "here"])
_RANKED = frozenset("best worst biggest greatest first last only no new".split())
"""What makes praise of a title, or somebody else's: "best barman since 1990", "new doctor as of today"."""
_OWNED = frozenset(["car", "phone", "computer", "bike", "pet", "instrument"])
