"""Sentences as entries of the log, made when a question is asked.

A sentence about the subject that is of the type of the attribute (by cue words, by the kind of a noun in it, by likeness to
prototypes) becomes an entry at the time it speaks of, with the value where one can be read and without where not. Plans,
questions, wishes, denials and hearsay become nothing. Sentences that a rule has read for this attribute are left to the fact.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.likeness import OTHER, Prototypes
from genome_core.facts.masking import masked
from genome_core.facts.phrases import NounPhrase
from genome_core.facts.reading import Value, names_attribute, noun_phrases, read_value, wanted_kinds
from genome_core.facts.relevance import Stated, Told, occurrences, same_subject, stated, topics
from genome_core.facts.sentences import said_at
from genome_core.facts.time import TimeMention, TimeRole
from genome_core.facts.windows import same_value
from genome_core.types import Fact, FactKind, Precision, TimeSpan

__all__ = [
    "Candidate",
    "Told",
    "candidates",
    "hear",
    "is_typed",
    "kind_fit",
    "same_subject",
    "type_scores",
    "when",
]

CUE_WEIGHT = 0.1
KIND_WEIGHT = 0.25
NAME_WEIGHT = 0.08
"""What a cue word, a noun of the right kind, and a name of no known kind where a name can be the value add to the cosine."""
TYPED = 0.5
"""The score from which a sentence is of an attribute's type."""
FIRM = 0.6
"""The score from which it counts without a date or a noun of the right kind."""
MARGIN = 0.12
"""How far below the best attribute of a sentence another one may lie, by likeness alone."""
EXTRACTOR = "sentence/1"
THING_ATTRIBUTES = frozenset("owner status version price deadline budget headquarters".split())
"""Attributes of projects, products and the like."""
_TOWNS = frozenset(["home", "hometown"])
"""Attributes whose values are towns: a name that is known as that of an employer or a club is none."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence in the log: the entry that stands for it, and the value where it can be read in one way only."""

    fact: Fact
    told: Told
    value: str | None

    def dates(self, fact: Fact) -> bool:
        """Whether this is ``fact`` again, which a rule read without its time."""
        mine = self.fact
        return (
            fact.valid_from is None
            and mine.valid_from is not None
            and (fact.source, fact.kind) == (mine.source, mine.kind)
            and same_value(fact.value, self.value)
        )


def candidates(
    subject: str,
    attribute: str,
    facts: Sequence[Fact],
    heard: Sequence[tuple[Told, Stated | None]],
    *,
    table: AttributeTable,
    prototypes: Prototypes | None = None,
    people: Collection[str] = (),
    believer: str = "",
) -> list[Candidate]:
    """The sentences about ``subject`` that are of the type of ``attribute``, as entries of the log. ``heard`` is what ``hear`` gives."""
    own = [fact for fact in facts if fact.attribute == attribute]
    elsewhere = {fact.value for fact in facts if fact.attribute not in _TOWNS}
    chosen = _relevant(own, heard)
    thing = attribute in THING_ATTRIBUTES
    texts = [masked(one, part.spans, subject, thing=thing) for one, parts in chosen for part in parts]
    scored = iter(zip(texts, prototypes.scores(texts) if prototypes else [{} for _ in texts], strict=True))
    found = []
    for one, parts in chosen:
        ranked = _typed_readings([(part, *next(scored)) for part in parts], attribute, table)
        ends = _known_value(one, parts[0], own)
        if ends is not None:
            ending = replace(parts[0], spans=parts[0].endings)
            found.append(_candidate(subject, attribute, one, ending, ends, believer))
        held = () if table.is_many(attribute) else _told_before(one, own)
        values = [_value(one, reading.part, subject, attribute, table, people, held) for reading in ranked]
        read = [(r, v) for r, v in zip(ranked, values, strict=True) if v and v.alone and (v.fits or r.firm)]
        sure = [(r.part, v.text) for r, v in read if v.fits or attribute not in _TOWNS or v.text not in elsewhere]
        if sure:
            found.append(_candidate(subject, attribute, one, *sure[0], believer))
        elif any(reading.firm for reading in ranked):
            found.append(_candidate(subject, attribute, one, ranked[0].part, None, believer))
    return _without_vague(found, own)


def hear(
    subject: str, told: Iterable[Told], people: Collection[str] = (), *, thing: bool = False
) -> list[tuple[Told, Stated | None]]:
    """All sentences in the order of telling, each with what it states of ``subject``; ``thing`` says that this is no person."""
    ordered = sorted(told, key=lambda one: (said_at(one.turn), one.turn.id, one.sentence.span))
    return [
        (one, stated(one, subject, people, topic=topic, thing=thing))
        for one, topic in zip(ordered, topics(ordered, {*people, subject}), strict=True)
    ]


def _relevant(own: Sequence[Fact], heard: Sequence[tuple[Told, Stated | None]]) -> list[tuple[Told, list[Stated]]]:
    """The sentences that state something of the subject which no rule has read, each with its readings."""
    found = []
    for one, part in heard:
        left = part and _left_by_rules(one, part, own)
        if left:
            found.append((one, _readings(one, left)))
    return found


def _readings(told: Told, part: Stated) -> list[Stated]:
    """What a sentence states, as a whole and clause by clause: a long sentence is about several things."""
    if len(part.spans) == 1:
        return [part]
    return [part, *(part.alone(span, told.sentence.span[0]) for span in part.spans)]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A part of a sentence that is of the attribute's type."""

    part: Stated
    score: float
    firm: bool
    """So clearly, or with a date beside, that it counts without a value, and that a name of no known kind is the value."""


def _typed_readings(
    readings: Sequence[tuple[Stated, str, Mapping[str, float]]], attribute: str, table: AttributeTable
) -> list[_Reading]:
    """The readings that are of the attribute's type, the best first: what goes on before what ended, a clause before the whole."""
    found = []
    scored = [(part, type_scores(text, like, table), like) for part, text, like in readings]
    strongest = max((_best(scores) for _, scores, _ in scored), default=0.0)
    for part, scores, like in scored:
        score = scores.get(attribute, 0.0)
        if is_typed(attribute, scores, like):
            near = score >= _best(scores) - MARGIN and score >= strongest - KIND_WEIGHT
            found.append(_Reading(part, score, near and (score >= FIRM or bool(part.times))))
    return sorted(found, key=lambda r: (r.part.ended, len(r.part.spans), -r.score, r.part.spans))


def _best(scores: Mapping[str, float]) -> float:
    return max((score for name, score in scores.items() if name != OTHER), default=0.0)


def _known_value(told: Told, part: Stated, facts: Sequence[Fact]) -> str | None:
    """A value of the slot that the sentence says has ended ("We lost Biscuit"): known by its name, whatever the words."""
    text = " ".join(told.sentence.text[start:end] for start, end in part.endings)
    for fact in facts:
        names = [word for word in re.findall(r"[\w'’-]+", fact.value or "") if word[:1].isupper()]
        if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names):
            return fact.value
    return None


def _without_vague(found: Sequence[Candidate], own: Sequence[Fact]) -> list[Candidate]:
    """A sentence that gives neither a value nor a time says nothing against one that gives a value."""
    sure = any(c.value for c in found) or any(fact.value for fact in own)
    return [c for c in found if not sure or c.value or c.fact.valid_from or c.fact.kind is FactKind.END]


def _left_by_rules(told: Told, part: Stated, own: Sequence[Fact]) -> Stated | None:
    """What is stated without what rules have read: nothing, where they took a fact and with it the time since when, if the
    sentence tells it; the other clauses, where they only read that something ended."""
    start, end = told.sentence.span
    lasting = [m.span for m in told.sentence.times if m.role in _LASTING]
    read = [
        fact
        for fact in own
        if fact.source == told.turn.id
        and (fact.valid_from is not None or not _beside(fact, lasting, part, start))
        and (fact.span is None or (fact.span[0] < end and start < fact.span[1]))
    ]
    if not read:
        return part
    ended = [fact.span for fact in read if fact.kind is FactKind.END and fact.span is not None]
    if len(ended) < len(read):
        return None
    spans = tuple(s for s in part.spans if not any(a < start + s[1] and start + s[0] < b for a, b in ended))
    return replace(part, spans=spans, endings=tuple(s for s in part.endings if s in spans)) if spans else None


_LASTING = (TimeRole.SINCE, TimeRole.DURATION, TimeRole.RANGE)


def _beside(fact: Fact, times: Sequence[tuple[int, int]], part: Stated, offset: int) -> bool:
    """Whether one of ``times`` may date ``fact``: it stands in the same clause or the next, or there are few clauses."""
    places = [i for i, s in enumerate(part.spans) if fact.span and s[0] <= fact.span[0] - offset < s[1]]
    if not places or len(part.spans) < 3:
        return bool(times)
    near = part.spans[places[0] : places[-1] + 2]
    return any(s[0] <= t[0] - offset < s[1] for s in near for t in times)


# --- of which type -------------------------------------------------------------------------------------------------


def type_scores(text: str, like: Mapping[str, float], table: AttributeTable) -> dict[str, float]:
    """How much a masked sentence is of the type of each attribute."""
    cued = table.cued(text)
    phrases = noun_phrases(text)
    base = like or dict.fromkeys(cued, _WITHOUT_EMBEDDER)
    scores = {}
    for name in (*base, *(open_name for open_name in cued if open_name not in base)):
        bonus = CUE_WEIGHT * (name in cued) + _fit(name, phrases, text, table)
        scores[name] = round(base.get(name, 0.0) + bonus, 4)
    return scores


def _fit(attribute: str, phrases: Sequence[NounPhrase], text: str, table: AttributeTable) -> float:
    return {"kind": KIND_WEIGHT, "name": NAME_WEIGHT, "": 0.0}[_best_noun(attribute, phrases, text, table)]


def kind_fit(attribute: str, text: str, table: AttributeTable) -> Literal["kind", "name", ""]:
    """What the nouns of a sentence say for an attribute: one of the right ``kind``, or a ``name`` that could be anything."""
    return _best_noun(attribute, noun_phrases(text), text, table)


def _best_noun(
    attribute: str, phrases: Sequence[NounPhrase], text: str, table: AttributeTable
) -> Literal["kind", "name", ""]:
    wanted = wanted_kinds(attribute)
    telling = [p.kinds for p in phrases if not names_attribute(p.text(text), attribute, table)]
    if any(kinds & (wanted - {"name"}) for kinds in telling):
        return "kind"
    return "name" if "name" in wanted and any(kinds == {"name"} for kinds in telling) else ""


_WITHOUT_EMBEDDER = 0.4
"""What a cue counts for where there is no embedder: a cue alone is just enough."""


def is_typed(attribute: str, scores: Mapping[str, float], like: Mapping[str, float]) -> bool:
    """Whether a sentence is of an attribute's type: it scores enough, and by likeness alone it lies no farther from the attribute
    than from small talk, and near its best attribute: one noun of the right kind makes no type ("an interview with a firm in
    Oslo" is about no home)."""
    if scores.get(attribute, 0.0) < TYPED:
        return False
    best = max((value for name, value in like.items() if name != OTHER), default=0.0)
    own = like.get(attribute, 0.0)
    return not like or (own >= best - MARGIN and own >= like.get(OTHER, 0.0))


# --- the entry -----------------------------------------------------------------------------------------------------


def _told_before(told: Told, own: Sequence[Fact]) -> list[str]:
    """The values of facts that were said before."""
    return [fact.value for fact in own if fact.value and fact.at < said_at(told.turn)]


def _value(
    told: Told,
    part: Stated,
    subject: str,
    attribute: str,
    table: AttributeTable,
    people: Collection[str],
    before: Collection[str] = (),
) -> Value | None:
    """The value in the sentence."""
    if attribute == "owner" and _FIRST_PERSON.search(told.sentence.text[slice(*part.spans[0])]):
        return Value(told.turn.speaker, fits=True, alone=True)  # "I'm the owner of Kestrel now"
    sentence, offset = told.sentence, told.sentence.span[0]
    return read_value(
        sentence.text,
        attribute,
        table,
        people=people,
        about=occurrences(sentence.text, subject),
        times=[(m.span[0] - offset, m.span[1] - offset) for m in sentence.times],
        within=part.spans if part.ended else [span for span in part.spans if span not in part.endings],
        before=before,
    )


_FIRST_PERSON = re.compile(r"^\W*(?:\w+\s+)?i(?:['’]?m|['’]?ve|\s)", re.I)


def entry(told: Told, subject: str, attribute: str, value: str | None, certainty: float, believer: str) -> Fact:
    """The entry of the log that stands for a sentence, without its times in the world."""
    turn = told.turn
    return Fact(
        subject=subject,
        attribute=attribute,
        value=value,
        at=said_at(turn),
        recorded_at=turn.created_at,
        certainty=certainty,
        believer=believer,
        source=turn.id,
        span=told.sentence.span,
        extractor=EXTRACTOR,
        origin=turn.origin,
        namespace=turn.namespace,
    )


def _candidate(subject: str, attribute: str, told: Told, part: Stated, sure: str | None, believer: str) -> Candidate:
    turn, offset = told.turn, told.sentence.span[0]
    lasted = part.ended  # "I lived there for three years": over, nobody knows since when
    since, until = when([t for t in part.times if not (lasted and t.role is TimeRole.DURATION)])
    if lasted and since is not None and until is None and any(t.role is TimeRole.SINCE for t in part.times):
        until = TimeSpan(
            said_at(turn), said_at(turn), Precision.UNKNOWN
        )  # "she'd been there since 2018": over when it was told
        lasted = False
    value = sure or (None if lasted else f"?{turn.id}:{offset}")
    fact = replace(
        entry(told, subject, attribute, value, 0.7 if sure else 0.5, believer),
        kind=FactKind.END if lasted else FactKind.ASSERTION,
        valid_from=since if since is not None or not lasted else until,
        valid_to=None if lasted else until,
    )
    return Candidate(fact, told, sure)


def when(times: Sequence[TimeMention]) -> tuple[TimeSpan | None, TimeSpan | None]:
    """When what a sentence says began and ended, by its time expressions: "since", a range or "for three years" before a plain
    date, the first one before later ones."""
    order = (TimeRole.SINCE, TimeRole.RANGE, TimeRole.DURATION, TimeRole.AT)
    ranked = sorted((m for m in times if m.role in order), key=lambda m: (order.index(m.role), m.span))
    ends = [m.end for m in times if m.role is TimeRole.UNTIL]
    if not ranked:
        return None, ends[0] if ends else None
    return ranked[0].start, ranked[0].end or (ends[0] if ends else None)
