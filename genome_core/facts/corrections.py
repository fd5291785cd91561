"""Corrections: what a turn takes back or sets right of what was said before.

"Scratch that" takes back what the speaker said last; "it's Bergen, not Oslo" and "I meant Bergen" replace a value; a turn that
says "I got that wrong" corrects instead of adding. The turns before are read again only where such words stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from genome_core.facts.clauses import Clause, skip_openers
from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.questions import DATE_VALUED
from genome_core.facts.sentences import Parsed
from genome_core.facts.time import TimeRole
from genome_core.facts.words import Token, lowered, tokenize
from genome_core.types import Fact, FactKind, Record

Read = Callable[[Record], Sequence[Fact]]
"""Reads the facts of an earlier turn."""

_TAKEN_BACK = re.compile(
    r"\b(?:scratch|strike|ignore|forget|disregard|delete|cancel) (?:that|what i (?:just )?said)(?! i\b)|\bi take (?:that|it) back\b",
)
_WRONG = re.compile(
    r"\b(?:i (?:got|had) (?:that|it|this) wrong|i was wrong|my (?:mistake|bad|error)|i misspoke|mixed (?:\w+ )?up|correction|wait,? no|no,? wait|i meant|i mean it'?s|typo|the wrong (?:month|day|date|year|week|weekend|town|name|place)|i misled you|to correct myself|i (?:should have|meant to) sa(?:id|y))\b",
)


def corrections(
    parsed: Sequence[Parsed], turn: Record, earlier: Callable[[], Sequence[Record]], read: Read, found: Sequence[Fact]
) -> list[Fact]:
    """``found``, with the corrections of ``turn`` added and its assertions turned into corrections where it says so.

    ``earlier`` gives the turns before, oldest first.
    """
    low = lowered(turn.text)
    wrong = bool(_WRONG.search(low))
    facts = list(found)
    pair = next((pair for sentence in parsed for pair in _instead(sentence, turn.text)), None)
    if pair is not None and not any(_same(fact.value, pair[0]) for fact in facts if fact.value):
        replaced = _last_said(earlier(), read, lambda fact: _same(fact.value, pair[1]))
        if replaced is not None:
            facts.append(_again(replaced, turn, found, kind=FactKind.CORRECTION, value=pair[0]))
    elif pair is not None:
        wrong = True
    else:
        facts += _reworded(turn, earlier, read, found) or _contradicted(turn, earlier, read, found)
    if wrong:
        facts = [replace(f, kind=FactKind.CORRECTION) if f.kind is FactKind.ASSERTION else f for f in facts]
    if _TAKEN_BACK.search(low) and not facts:
        taken = _last_said(earlier(), read, lambda fact: fact.source is not None, speaker=turn.speaker)
        if taken is not None:
            facts.append(_again(taken, turn, found, kind=FactKind.RETRACTION, value=taken.value))
            right = _put_right(parsed, turn.text, taken)
            if right is not None:
                facts.append(_again(taken, turn, found, kind=FactKind.ASSERTION, value=right))
    return facts


def _put_right(parsed: Sequence[Parsed], text: str, taken: Fact) -> str | None:
    """What a turn names in place of what it takes back: "Scratch that. The 9th of May, final answer."."""
    begins = next((m.end() for m in _TAKEN_BACK.finditer(lowered(text))), 0)
    clauses = [c for sentence in parsed for c in sentence.clauses if c.span[0] >= begins and c.verb is None]
    dates = [t for sentence in parsed for t in sentence.times if t.role is TimeRole.AT]
    for clause in clauses:
        if taken.attribute in DATE_VALUED:
            named = [t for t in dates if clause.span[0] <= t.span[0] < clause.span[1]]
            if named:
                return text[slice(*named[0].span)]
            continue
        phrase = noun_phrase(clause.tokens, skip_openers(clause.tokens, 0))
        if phrase and phrase.is_name and phrase.kinds & _kinds(taken.value or "") and phrase.end == len(clause.tokens):
            return phrase.text(text)
    return None


_MEANT = re.compile(
    r"""(?: ^\*\s?(?P<starred>[^*.,!?\n]{2,40}?)\*?[.!]?\s*(?:$|(?<=[.!]\s)|(?=\*))
      | ^(?P<marked>[^*.,!?\n]{2,40})\*$
      | \b(?:no|wait|sorry)[,\s]+(?:sorry|no|wait|actually|make\s+that|i\s+mean)[,\s]+(?:an?\s+|the\s+|in\s+|at\s+)?(?P<rather>[^,.;!?()\n]{2,40}?)(?=\s*(?:[,.;!?()\n]|$))
      | \bi\s+meant\s+(?:to\s+(?:say|type|write|put)\s+)?(?:an?\s+|the\s+)?(?P<meant>[^,.;!?()\n]{2,40}?)(?=\s*(?:[,.;!?()\n]|$|\bnot\b|\binstead\b))
    )(?:[\s,]*not\s+(?:an?\s+|the\s+)?(?P<wrong>[^,.;!?()\n]{2,40}))?""",
    re.VERBOSE,
)
"""A word put right, in a text in lower case: "*Bergen", "Bergen*", "I meant midwife, not nurse"."""


def _reworded(turn: Record, earlier: Callable[[], Sequence[Record]], read: Read, found: Sequence[Fact]) -> list[Fact]:
    """The correction of what the speaker said last, by a value of the same kind."""
    match = _MEANT.search(lowered(turn.text))
    if match is None:
        return []
    said = next(name for name in ("starred", "marked", "rather", "meant") if match[name])
    right, wrong = (turn.text[slice(*match.span(name))].strip() for name in (said, "wrong"))
    if any(_same(fact.value, right) for fact in found if fact.value):
        return []
    kinds = _kinds(right)

    def fits(fact: Fact) -> bool:
        if wrong:
            return _same(fact.value, wrong)
        return bool(fact.value) and bool(kinds & _kinds(fact.value or "")) and not _same(fact.value, right)

    replaced = _last_said(earlier(), read, fits, speaker=turn.speaker)
    return [_again(replaced, turn, found, kind=FactKind.CORRECTION, value=right)] if replaced else []


_ELSEWHERE = re.compile(
    r"^\W*(?:(?:no+|nope|nah|naw|actually|um|er|you mean|nearly)\b[,.!\s]*)*(?P<who>he|she|they|it|[A-Z][\w-]+)(?:['’]?s|['’]re| is| are)\s+(?:actually\s+|really\s+|now\s+)?(?:in|at|with)\s+(?P<right>[\w' -]{2,30}?)\s*[.!]*$"
    r"|^\W*not (?:an?\s+|the\s+)?(?P<wrong>[\w' -]{2,30}?)\s*[.,;!]+\s*(?:an?\s+|the\s+)?(?P<instead>[\w' -]{2,30}?)\s*(?:[.,;!]|$)",
    re.IGNORECASE,
)
"""A short reply that puts right what somebody else just said: "He's in Bristol!", "Not an analyst. Data engineer."."""


def _contradicted(
    turn: Record, earlier: Callable[[], Sequence[Record]], read: Read, found: Sequence[Fact]
) -> list[Fact]:
    """The correction of what another speaker said in the turn before, by a value of the same kind."""
    match = _ELSEWHERE.search(turn.text) if len(turn.text) < 120 else None
    before = [one for one in earlier() if one.id != turn.id][-1:] if match else []
    if match is None or not before or before[0].speaker == turn.speaker:
        return []
    right = (match["right"] or match["instead"]).strip()
    kinds, wrong = _kinds(right) - {"name"}, match["wrong"]

    who = (match["who"] or "").lower()

    def fits(fact: Fact) -> bool:
        if who and (fact.subject == before[0].speaker or who not in ("he", "she", "they", "it", fact.subject.lower())):
            return False
        if wrong and not _same(fact.value, wrong) and (fact.value or "").split()[-1:] != wrong.split()[-1:]:
            return False
        return bool(fact.value) and bool(kinds & _kinds(fact.value or "")) and not _same(fact.value, right)

    replaced = _last_said(before, read, fits)
    if replaced is None or any(_same(fact.value, right) for fact in found if fact.value):
        return []
    return [_again(replaced, turn, found, kind=FactKind.CORRECTION, value=right)]


def _kinds(value: str) -> frozenset[str]:
    phrase = noun_phrase(tokenize(value), 0)
    return phrase.kinds if phrase else frozenset()


def _instead(sentence: Parsed, text: str) -> list[tuple[str, str]]:
    """Pairs (right, wrong) of "it's Bergen, not Oslo" and "not Oslo but Bergen"."""
    found = []
    clauses = sentence.clauses if "not" in sentence.low else ()
    for before, clause in pairwise(clauses):
        wrong = _after_not(clause.tokens)
        right = _named(before) if wrong else None
        if wrong and right:
            found.append((right.text(text), wrong.text(text)))
    return found


def _after_not(tokens: Sequence[Token]) -> NounPhrase | None:
    i = skip_openers(tokens, 0)
    if i >= len(tokens) or tokens[i].low != "not":
        return None
    phrase = noun_phrase(tokens, i + 1)
    return phrase if phrase and phrase.is_name else None


def _named(clause: Clause) -> NounPhrase | None:
    """The first name in what a clause says after its verb, or of the whole clause where it has none."""
    i = 0
    while i < len(clause.rest):
        phrase = noun_phrase(clause.rest, i)
        if phrase and phrase.is_name:
            return phrase
        i = max(i + 1, phrase.end if phrase else 0)
    return None


def _last_said(
    turns: Sequence[Record], read: Read, fits: Callable[[Fact], bool], speaker: str | None = None
) -> Fact | None:
    for turn in reversed(turns):
        if speaker is not None and turn.speaker != speaker:
            continue
        fitting = [fact for fact in read(turn) if fact.kind in (FactKind.ASSERTION, FactKind.CORRECTION) and fits(fact)]
        if fitting:
            return fitting[-1]
    return None


def _again(fact: Fact, turn: Record, found: Sequence[Fact], *, kind: FactKind, value: str | None) -> Fact:
    """An entry of ``turn`` about what ``fact`` said."""
    at = found[0].at if found else turn.at or fact.at
    return replace(
        fact,
        kind=kind,
        value=value,
        at=at,
        valid_from=None,
        valid_to=None,
        source=turn.id or None,
        span=(0, len(turn.text)),
        origin=turn.origin,
        namespace=turn.namespace,
    )


def _same(one: str | None, other: str) -> bool:
    if one is None:
        return False
    mine, theirs = set(one.casefold().split()), set(other.casefold().split())
    return mine <= theirs or theirs <= mine
