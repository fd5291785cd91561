"""Reading a question: about whom, which attribute, which time, and what kind of answer.

The same grammar of time and the same table of attributes that read the turns read the questions, so that a time or a name
means the same on both sides. "Now" is always given by the caller, never taken from the clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from genome_core.errors import InvalidInput
from genome_core.facts.attributes import AttributeTable, normalise
from genome_core.facts.nouns import is_kin, is_plural_kin
from genome_core.facts.time import TimeMention, TimeRole, find_times
from genome_core.facts.words import ADVERBS, AUXILIARIES, DETERMINERS, PREPOSITIONS, PRONOUNS, singular, tokenize
from genome_core.types import Precision, TimeSpan

Likeness = Callable[[str], Mapping[str, float]]
"""How much a text is like each attribute, by an embedder: attribute name to cosine."""

LIKE_ENOUGH = 0.45
"""The cosine from which likeness alone names the attribute of a question."""


class Mode(StrEnum):
    """What kind of answer is asked for."""

    VALUE = "value"
    HISTORY = "history"
    """All values in order of time ("List every job she has had")."""
    FIRST = "first"
    PREVIOUS = "previous"
    """The one before the one that holds."""
    WHEN = "when"
    """When a value began (or ended)."""
    HOW_LONG = "how long"
    HOW_MANY = "how many"
    WHETHER = "whether"
    """Yes or no, about the time asked."""
    EVER = "ever"
    """Yes or no, about all times up to now."""


class Relation(StrEnum):
    """How the answer lies to the time or the value that the question names."""

    AT = "at"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read."""

    text: str
    mode: Mode
    subject: str | None
    """A name as the scope knows it, ``X's brother``, or None where the words name nobody."""
    attributes: tuple[str, ...]
    """Canonical names, the best first; empty if the words ask for none."""
    when: TimeSpan
    """The moment or stretch asked about; now, as an instant, where the words name none. UTC."""
    dated: bool
    """Whether the words name a time."""
    relation: Relation
    anchor: str | None
    """The words after before/after where they name a value ("before Oslo")."""
    past: bool
    """Asked in the past tense: "where did she live?"."""
    ended: bool
    """Asks for the end ("When did she leave Acme?")."""
    now: datetime

    @property
    def attribute(self) -> str | None:
        """The best attribute."""
        return self.attributes[0] if self.attributes else None


def read_question(
    text: str,
    now: datetime,
    names: Iterable[str] = (),
    table: AttributeTable | None = None,
    *,
    asker: str = "",
    likeness: Likeness | None = None,
) -> Question:
    """Read ``text`` as asked at ``now`` (aware).

    ``names`` are those known in the scope; ``asker`` is who "I" is. ``likeness`` is asked only where neither a name nor a
    cue of the table stands in the words. Raises InvalidInput for a blank question or a ``now`` without a time zone.
    """
    if not text.strip():
        raise InvalidInput("the question is blank", hint="ask something")
    if now.tzinfo is None:
        raise InvalidInput("now has no time zone", hint="give an aware datetime, for example in UTC")
    now = now.astimezone(UTC)
    table = table or AttributeTable()
    mentions = [m for m in find_times(text, now) if not _is_vague_present(text[slice(*m.span)])]
    bare = _blank(text, [m.span for m in mentions])
    subject, place = _subject(bare, [*names, *([asker] if asker else [])], asker)
    rest = _blank(bare, [place] if place else [])
    relation, anchor, anchor_place = _anchor(rest)
    when, relation, dated = _when(mentions, now, relation)
    asked = _blank(rest, [anchor_place] if anchor_place else [])
    attributes = _attributes(asked, place[1] if place else None, table, likeness)
    mode = _mode(rest)
    if mode is Mode.WHEN and ((attributes[:1] and attributes[0] in DATE_VALUED) or _is_weekly(rest, dated=dated)):
        mode = Mode.VALUE
    return Question(
        text=text,
        mode=mode,
        subject=subject,
        attributes=attributes,
        when=when,
        dated=dated,
        relation=relation,
        anchor=anchor,
        past=bool(_PAST.search(rest)),
        ended=bool(_ENDED.search(rest)),
        now=now,
    )


# --- time ----------------------------------------------------------------------------------------------------------

_PRESENT = re.compile(
    r"^(?:right\s+)?now$|^(?:these days|nowadays|currently|at the moment|at present|today|so far|presently|lately)$",
    re.I,
)
_PAST = re.compile(r"\b(?:was|were|did|had|used to)\b", re.I)
_ENDED = re.compile(
    r"\b(?:stop|quit|leave|left|end|ended|finish|give up|gave up|lose|sell|sold|stopped|divorced?|break up|move out|until when|scrap|retire|resign|cancel|drop|die|died|pass away|lost|give away|get rid|part with|split up|separate|rehome|last (?:day|shift)|pack in|drop out|scrapped|got rid of|gave away|trade in|retired|cancelled|dropped)\b",
    re.I,
)


def _is_vague_present(words: str) -> bool:
    return bool(_PRESENT.match(words.strip()))


def _when(mentions: Sequence[TimeMention], now: datetime, relation: Relation) -> tuple[TimeSpan, Relation, bool]:
    for mention in mentions:
        start, end = mention.start, mention.end
        if mention.role is TimeRole.UNTIL and end is not None:
            moment = TimeSpan(end.start, end.start, Precision.INSTANT)
            return moment, Relation.BEFORE, True
        if mention.role is TimeRole.RANGE and start is not None and end is not None:
            return TimeSpan(start.start, end.end, end.precision), Relation.AT, True
        if mention.role in (TimeRole.SINCE, TimeRole.DURATION) and start is not None:
            if start.start == start.end:
                return start, Relation.AFTER, True
            return TimeSpan(start.start, max(now, start.end), start.precision), Relation.AT, True
        if start is not None:
            return start, Relation.AT, True
    return TimeSpan(now, now, Precision.INSTANT), relation, False


_ANCHOR = re.compile(
    r"\b(before|prior to|(?<!look )(?<!looks )(?<!looking )(?<!looked )after|following)\s+(?!that\b|this\b|then\b)([\w'’&.\- ]+?)\s*[?.!]*\s*$",
    re.I,
)


def _anchor(text: str) -> tuple[Relation, str | None, tuple[int, int] | None]:
    """ "before joining Google" -> BEFORE, "Google"."""
    found = _ANCHOR.search(text)
    if not found:
        return Relation.AT, None, None
    relation = Relation.BEFORE if found[1].lower() in ("before", "prior to") else Relation.AFTER
    words = re.sub(
        r"^(?:(?:he|she|they|it|i|we)\b\s*)?(?:\w+(?:ing|ed)\b\s*|went\b\s*|got\b\s*|had\b\s*)?(?:(?:at|to|in|for|with|the|a|an)\b\s*)*",
        "",
        found[2].strip(),
        flags=re.I,
    )
    return (relation, words, found.span()) if words else (Relation.AT, None, None)


# --- who -----------------------------------------------------------------------------------------------------------

_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|i'm|i've|we|our|us)\b", re.I)
_KIN_AFTER = re.compile(
    r"(?:['’]s|['’](?=\s)|(?<=\bmy)|(?<=\bour))\s+((?:(?:best|older|younger|little|big|twin|elder|step|new|old)[ -])?([\w-]+))(['’]s?)?(?=\s+(\w+))",
    re.I,
)


def _subject(text: str, names: Sequence[str], asker: str) -> tuple[str | None, tuple[int, int] | None]:
    """The one asked about and where they stand: a possessor or the word after an auxiliary before any other name."""
    found: list[tuple[str, int, int]] = []
    for name in sorted(set(names), key=lambda n: (-len(n), n)):
        for match in re.finditer(rf"(?<![\w'’]){re.escape(name)}(?![\w-])", text, re.I):
            if not any(match.start() < end and start < match.end() for _, start, end in found):
                found.append((name, match.start(), match.end()))
    if asker:
        found += [(asker, m.start(), m.end()) for m in _FIRST_PERSON.finditer(text)]
    found = found or _part_of_a_name(text, names)
    if not any(_prominence(text, start, end) for _, start, end in found):
        # "Does Nell still work with Callum?" is about Nell, even if only Callum is known.
        unknown = [one for one in _unknown_names(text) if not found or _prominence(text, one[1], one[2])]
        found = found + [one for one in unknown if not any(one[1] < end and start < one[2] for _, start, end in found)]
    if not found:
        return None, None
    name, start, end = min(found, key=lambda f: (-_prominence(text, f[1], f[2]), f[1]))
    kin = _KIN_AFTER.match(text, end)
    if kin and (is_kin(kin[2].lower()) or is_plural_kin(kin[2].lower())):
        return f"{name}'s {kin[1].lower()}", (start, kin.end(3) if kin[3] else kin.end(1))
    possessive = re.match(r"['’]s?(?!\w)", text[end:])
    return name, (start, end + (possessive.end() if possessive else 0))


def _prominence(text: str, start: int, end: int) -> int:
    if re.match(r"['’]s?\s+\w", text[end:]) or text[start:end].lower() in ("my", "our"):
        return 2
    before = re.search(r"(\w+)\s+$", text[:start])
    return int(bool(before and before[1].lower() in AUXILIARIES))


def _part_of_a_name(text: str, names: Sequence[str]) -> list[tuple[str, int, int]]:
    """A capitalised word that is part of one known name only: "Pemberton" for "Mr Pemberton"."""
    found = []
    for match in re.finditer(r"(?<=\s)[A-Z][\w-]+", text):
        whole = {name for name in names if match[0].casefold() in name.casefold().split()}
        if len(whole) == 1:
            found.append((whole.pop(), match.start(), match.end()))
    return found


def _unknown_names(text: str) -> list[tuple[str, int, int]]:
    """Capitalised words that are not at the beginning: somebody the scope does not know."""
    places = re.finditer(r"(?<=\s)([A-Z][\w-]+(?:\s+[A-Z][\w-]+)*)", text)
    return [(match[1], match.start(1), match.end(1)) for match in places]


# --- what ----------------------------------------------------------------------------------------------------------

_MODES: tuple[tuple[Mode, re.Pattern[str]], ...] = tuple(
    (mode, re.compile(pattern, re.I))
    for mode, pattern in (
        (Mode.HOW_LONG, r"\bhow long\b|\bfor how (?:long|many (?:years|months|weeks))\b|\bhow many (?:years|months|weeks|days)\b"),
        (Mode.WHEN, r"^\W*(?:and |so )?(?:when\b|since when\b|until when\b|(?:in |on )?(?:what|which) (?:date|day|year|month|time)\b(?! of the week| of the month))|\b(?:since when|when did|when was|when is)\b"),
        (Mode.HOW_MANY, r"\bhow many\b|\bnumber of\b"),
        (Mode.HISTORY, r"^\W*(?:please )?(?:list|name|enumerate|trace|outline|recount|walk me through)\b|\bover (?:time|the years)\b|\bin (?:chronological )?order\b|\bhistory of\b|\bhistory\W*$|\btimeline\b|\b(?:all|every|each) (?:of )?(?:the )?[\w ]+?\b(?:has|have|had|ever|was|did)\b"),
        (Mode.HISTORY, r"^\W*(?:what|which)(?: are| were)?(?: all)?(?: the)? (?:\w+ )?\w+[^s\W]s (?:has|have)\s+(?:\w+\s+)?\w+"),
        (Mode.EVER, r"^\W*(?:has|have|did|was|were|am|is|are|does|do|had)\b.*\bever\b"),
        (Mode.WHETHER, r"^\W*(?:and |so )?(?:am|is|are|was|were|does|do|did|has|have|had|isn't|doesn't|didn't|wasn't)\b"),
        (Mode.FIRST, r"\b(?:first|originally|initially|original|earliest|start out|to begin with)\b"),
        (Mode.PREVIOUS, r"\b(?:previous|previously|former|formerly|prior|last|ex)\b(?! name)"),
    )
)  # fmt: skip


def _mode(text: str) -> Mode:
    return next((mode for mode, pattern in _MODES if pattern.search(text)), Mode.VALUE)


_WEEKDAY = re.compile(
    r"\W*(?:and |so )?(?:on )?(?:what|which) days?\s+(?:of the week\s+)?(?:(?P<now>do|does)|(?P<is>is|are)|(?P<was>was|were))\b", re.I
)  # fmt: skip
_THESE_DAYS = re.compile(r"\b(?:now|nowadays|currently|these days|at the moment|usually|normally|every week)\b", re.I)


def _is_weekly(text: str, *, dated: bool) -> bool:
    """Whether a day of the week is asked for: "Which day is her clinic now?", unlike "Which day is the wedding?"."""
    match = _WEEKDAY.match(text)
    if match is None:
        return False
    return bool(match["now"] or (match["is"] and _THESE_DAYS.search(text)) or (match["was"] and dated))


_ASKED_NOUN = re.compile(r"\b(?:what|which|every|each|all(?: of)?(?: the)?|how many|list|name|any)\s+((?:[\w-]+\s+){0,3}?[\w-]+)(?=\s+(?:does|do|did|is|was|are|were|has|have|had|will|of|that|on|in|at)\b|\s*[?.,]|\s{2,}|$)", re.I)  # fmt: skip
_QUALIFIERS = frozenset(
    "current present latest new old first previous former last prior own most recent original ex actual full many different various exact s".split()
)
DATE_VALUED = ("deadline", "birthday")
"""Attributes whose values are dates."""
_OCCUPATION = re.compile(r"\W*what (?:does|did|do)\b[^?]*?\bdo\s*(?:\?|now|today|these days|at the moment|$)", re.I)
"""What somebody does, where nothing else is said."""
_TOGETHER = re.compile(r"\W*(?:and |so )?who (?:is|was|are|were)\s+(?:together )?with\W*$", re.I)
""" "Who is she with?", where no work is spoken of."""
_PERSON_VALUED = ("partner", "manager", "owner", "doctor", "friends", "siblings", "parents", "children")


def _attributes(
    text: str, after_subject: int | None, table: AttributeTable, likeness: Likeness | None
) -> tuple[str, ...]:
    scores = dict(table.cued(text, question=True))
    nouns = [match[1] for match in _ASKED_NOUN.finditer(text)]
    if after_subject is not None:
        nouns.insert(0, _noun_phrase(text[after_subject:]))
    nouns = [noun for noun in nouns if noun and normalise(noun).split()[0] not in AUXILIARIES]
    for noun in nouns:
        named = _named(noun, table)
        if named:
            scores[named] = scores.get(named, 0.0) + 2.0
    if _OCCUPATION.match(text):
        scores["role"] = scores.get("role", 0.0) + 0.5
    if _TOGETHER.search(text):
        scores["partner"] = scores.get("partner", 0.0) + 0.5
        scores.pop("employer", None)
    if re.match(r"\W*(?:who|whom|whose)\b", text, re.I):
        scores.update({name: score + 0.5 for name, score in scores.items() if name in _PERSON_VALUED})
    if not scores and likeness is not None:
        scores = {name: round(score, 4) for name, score in likeness(text).items() if score >= LIKE_ENOUGH}
    scores = {name: score for name, score in scores.items() if name not in _no_answers(text)}
    if scores:
        order = {attribute.name: place for place, attribute in enumerate(table.attributes)}

        def rank(name: str) -> tuple[bool, float, int, str]:
            # "Which car does she have" asks for the car; the bare "have" is about any possession.
            return name == "possession", -round(scores[name], 4), order.get(name, len(order)), name

        return tuple(sorted(scores, key=rank))
    return (normalise(nouns[0]),) if nouns else ()


def _no_answers(text: str) -> frozenset[str]:
    """Attributes whose values cannot answer the question word: nobody is "engaged", no place is a status."""
    if _WHO.match(text) and not _COMPANY.search(text):
        return _NOBODY
    return _NOWHERE if _WHERE.match(text) else frozenset()


_WHO = re.compile(r"\W*(?:and |so )?(?:who|whom|whose)\b", re.I)
_COMPANY = re.compile(
    r"\b(?:for|with|at|from|to|by)\W*(?:now|currently|these days|\s)*\W*$|\b(?:work|employ|pay)\w*\b", re.I
)
""" "Who does she work for?" asks for a company."""
_WHERE = re.compile(r"\W*(?:and |so )?where\b", re.I)
_NOBODY = frozenset(
    "relationship_status home hometown age birthday diet health allergy language price deadline status".split()
)
_NOWHERE = frozenset("relationship_status age diet health allergy language price status partner".split())


def _named(noun: str, table: AttributeTable) -> str | None:
    """The attribute that a noun phrase names, by as many of its last words as the table knows."""
    words = [word for word in normalise(noun).split() if word not in _QUALIFIERS]
    for start in range(len(words)):
        rest = words[start:]
        for form in (rest, [*rest[:-1], singular(rest[-1])]):
            found = table.get(" ".join(form))
            if found:
                return found.name
    return None


def _noun_phrase(text: str) -> str:
    """The noun phrase at the beginning of ``text``, without qualifiers such as "current"."""
    words: list[str] = []
    for token in tokenize(text):
        closed = token.low in PREPOSITIONS | AUXILIARIES | PRONOUNS or token.kind != "word"
        if closed or token.forms:
            break
        if token.low not in DETERMINERS | ADVERBS | _QUALIFIERS:
            words.append(token.low)
        if len(words) == 4:
            break
    return " ".join(words)


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with blanks in place of the spans: offsets stay."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
