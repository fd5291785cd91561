"""Sentences as entries of the log, made when a question is asked.

A sentence about the subject that is of the type of the attribute (by cue words, by the kind of a noun in it, by likeness to
prototypes) becomes an entry at the time it speaks of, with the value where one can be read and without where not. Plans,
questions, wishes, denials and hearsay become nothing. Sentences that a rule has read for this attribute are left to the fact.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from genome_core.facts.attributes import AttributeTable, normalise
from genome_core.facts.clauses import clauses
from genome_core.facts.likeness import OTHER, Prototypes
from genome_core.facts.nouns import is_kin, is_plural_kin
from genome_core.facts.sentences import Modality, Sentence, said_at
from genome_core.facts.time import TimeMention, TimeRole
from genome_core.facts.values import noun_phrases, read_value, wanted_kinds
from genome_core.facts.words import tokenize
from genome_core.types import Fact, FactKind, Record, TimeSpan

CUE_WEIGHT = 0.1
KIND_WEIGHT = 0.25
"""What a cue word, and a noun of the right kind, add to the cosine."""
TYPED = 0.5
"""The score from which a sentence is of an attribute's type."""
MARGIN = 0.1
"""How far below the best attribute of a sentence another one may lie."""
EXTRACTOR = "sentence/1"

_NOT_SAID = {Modality.QUESTION, Modality.PLAN, Modality.HYPOTHETICAL, Modality.HEARSAY, Modality.EVENT}


@dataclass(frozen=True, slots=True)
class Told:
    """A typed sentence and the turn it stands in."""

    sentence: Sentence
    turn: Record


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence in the log: the entry that stands for it, and the value where it can be read in one way only."""

    fact: Fact
    told: Told
    value: str | None


def candidates(
    subject: str,
    attribute: str,
    facts: Sequence[Fact],
    told: Iterable[Told],
    *,
    table: AttributeTable,
    prototypes: Prototypes | None = None,
    people: Collection[str] = (),
    believer: str = "",
) -> list[Candidate]:
    """The sentences about ``subject`` that are of the type of ``attribute``, as entries of the log."""
    chosen = [t for t in told if counts(t) and speaks_about(t, subject) and not _read_by_rule(t, attribute, facts)]
    texts = [masked(t, subject) for t in chosen]
    likeness: Sequence[Mapping[str, float]] = prototypes.scores(texts) if prototypes else [{} for _ in chosen]
    found = []
    for sentence, text, like in zip(chosen, texts, likeness, strict=True):
        if is_typed(attribute, type_scores(text, like, table)):
            found.append(_candidate(subject, attribute, sentence, table, people, believer))
    return found


def same_subject(one: str, other: str) -> bool:
    """Whether two names mean the same: letter case and a leading article do not matter."""
    return normalise(re.sub(r"^(?:the|a|an)\s+", "", one, flags=re.I)) == normalise(
        re.sub(r"^(?:the|a|an)\s+", "", other, flags=re.I)
    )


# --- which sentences -----------------------------------------------------------------------------------------------


def counts(told: Told) -> bool:
    """Whether a sentence states something: no plan, question, supposition, rumour or one-off event, and no plain denial."""
    modality = told.sentence.modality
    return not modality & _NOT_SAID and (Modality.NEGATED not in modality or Modality.ENDED in modality)


def speaks_about(told: Told, subject: str) -> bool:
    """Whether a sentence is about ``subject`` and not only about somebody theirs ("my sister got engaged")."""
    sentence = told.sentence
    named = len(re.findall(rf"(?<![\w'’]){re.escape(subject)}(?!\w)", sentence.text, re.I))
    if named:
        owning = re.finditer(rf"(?<![\w'’]){re.escape(subject)}['’]s?\s+(?:\w+\s+)?(\w+)", sentence.text, re.I)
        return named > sum(_is_relation(match[1]) for match in owning)
    if not any(same_subject(entity, subject) for entity in sentence.entities):
        return False
    return not same_subject(told.turn.speaker, subject) or _speaker_is_subject(sentence)


def _speaker_is_subject(sentence: Sentence) -> bool:
    offset = sentence.span[0]
    tokens = tokenize(sentence.text, times=[(s - offset, e - offset) for s, e in (t.span for t in sentence.times)])
    lows = [token.low for token in tokens]
    if any(low in ("i", "we", "me", "us", "mine", "ours") for low in lows):
        return True
    parts = [clause for clause in clauses(tokens) if clause.verb is not None]
    mine = [i for i, low in enumerate(lows) if low in ("my", "our")]
    if any(not any(_is_relation(low) for low in lows[i + 1 : i + 4]) for i in mine):
        return True
    return not mine and any(clause.elliptic for clause in parts)


def _is_relation(word: str) -> bool:
    return is_kin(word.lower()) or is_plural_kin(word.lower())


def _read_by_rule(told: Told, attribute: str, facts: Sequence[Fact]) -> bool:
    start, end = told.sentence.span
    return any(
        fact.attribute == attribute
        and fact.source == told.turn.id
        and (fact.span is None or (fact.span[0] < end and start < fact.span[1]))
        for fact in facts
    )


# --- of which type -------------------------------------------------------------------------------------------------


def masked(told: Told, subject: str) -> str:
    """The sentence with its time expressions taken out and "she" for the subject, as prototypes are worded."""
    sentence, offset = told.sentence, told.sentence.span[0]
    text = sentence.text
    for mention in reversed(sentence.times):
        start, end = mention.span[0] - offset, mention.span[1] - offset
        text = text[:start] + text[end:]
    text = re.sub(rf"(?<![\w'’]){re.escape(subject)}['’]s(?!\w)", "her", text, flags=re.I)
    text = re.sub(rf"(?<![\w'’]){re.escape(subject)}(?!\w)", "she", text, flags=re.I)
    if same_subject(told.turn.speaker, subject):
        text = _FIRST_PERSON.sub(lambda match: _THIRD_PERSON[match[0].lower().replace("’", "'")], text)
    text = re.sub(r"\s+([,.!?;])", r"\1", " ".join(text.split())).strip(" ,;:-")
    return text[:1].upper() + text[1:]


_THIRD_PERSON = {
    "i'm": "she is",
    "i've": "she has",
    "i'd": "she had",
    "i'll": "she will",
    "i": "she",
    "me": "her",
    "my": "her",
    "mine": "hers",
    "myself": "herself",
}
_FIRST_PERSON = re.compile(r"\b(?:i['’](?:m|ve|d|ll)|i|me|my|mine|myself)\b", re.I)


def type_scores(text: str, like: Mapping[str, float], table: AttributeTable) -> dict[str, float]:
    """How much a masked sentence is of the type of each attribute."""
    cued = table.cued(text)
    kinds = frozenset[str]().union(*(phrase.kinds for phrase in noun_phrases(text)))
    names = like if like else {**dict.fromkeys(cued, 0.4)}
    scores = {}
    for name in (*names, *(open_name for open_name in cued if open_name not in names)):
        bonus = CUE_WEIGHT * (name in cued) + KIND_WEIGHT * bool(kinds & (wanted_kinds(name) - {"name"}))
        scores[name] = round(names.get(name, 0.0) + bonus, 4)
    return scores


def is_typed(attribute: str, scores: Mapping[str, float]) -> bool:
    """Whether ``attribute`` is among the best types of a sentence with these scores."""
    score = scores.get(attribute, 0.0)
    best = max((value for name, value in scores.items() if name != OTHER), default=0.0)
    return score >= TYPED and score >= best - MARGIN and score > scores.get(OTHER, 0.0)


# --- the entry -----------------------------------------------------------------------------------------------------


def _candidate(
    subject: str, attribute: str, told: Told, table: AttributeTable, people: Collection[str], believer: str
) -> Candidate:
    sentence, turn, offset = told.sentence, told.turn, told.sentence.span[0]
    value = read_value(
        sentence.text,
        attribute,
        table,
        people=people,
        about=[m.span() for m in re.finditer(rf"(?<![\w'’]){re.escape(subject)}(?!\w)", sentence.text, re.I)],
        times=[(m.span[0] - offset, m.span[1] - offset) for m in sentence.times],
    )
    ended = Modality.ENDED in sentence.modality
    since, until = when(sentence.times)
    sure = value if value is not None and value.alone and value.fits else None
    text = sure.text if sure else None if ended else f"?{turn.id}:{offset}"
    fact = Fact(
        subject=subject,
        attribute=attribute,
        value=text,
        kind=FactKind.END if ended else FactKind.ASSERTION,
        valid_from=since if since is not None or not ended else until,
        valid_to=None if ended else until,
        at=said_at(turn),
        recorded_at=turn.created_at,
        certainty=0.7 if sure else 0.5,
        believer=believer,
        source=turn.id,
        span=sentence.span,
        extractor=EXTRACTOR,
        origin=turn.origin,
        namespace=turn.namespace,
    )
    return Candidate(fact, told, sure.text if sure else None)


def when(times: Sequence[TimeMention]) -> tuple[TimeSpan | None, TimeSpan | None]:
    """When what a sentence says began and ended, by its time expressions: "since", a range or "for three years" before a plain
    date, the first one before later ones."""
    order = (TimeRole.SINCE, TimeRole.RANGE, TimeRole.DURATION, TimeRole.AT)
    ranked = sorted((m for m in times if m.role in order), key=lambda m: (order.index(m.role), m.span))
    ends = [m.end for m in times if m.role is TimeRole.UNTIL]
    if not ranked:
        return None, ends[0] if ends else None
    return ranked[0].start, ranked[0].end or (ends[0] if ends else None)
