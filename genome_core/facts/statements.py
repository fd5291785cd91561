"""Statements: what the clauses of a sentence say about attributes, by the frames.

The engine matches a clause's verb and what follows it against the frames, chooses the attribute by the kind of the value
and reads from the tense whether it holds, ended, is planned or is denied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from genome_core.facts.clauses import Clause
from genome_core.facts.frames import CHANGE_VERBS, Effect, Frame, Group, index
from genome_core.facts.nouns import kinds_of_word
from genome_core.facts.phrases import NounPhrase, noun_phrase, values_of
from genome_core.facts.time import TimeMention, TimeRole
from genome_core.facts.verbs import Phase, Tense, VerbGroup
from genome_core.facts.words import ADVERBS, POSSESSIVES, PRONOUNS, Token, singular
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


@dataclass(frozen=True)
class Statement:
    """One reading of a clause. The subject is still a phrase (None: the speaker)."""

    attribute: str
    value: str | None
    status: Status
    clause: Clause
    event: bool
    """Something happened (a date is its beginning or end), rather than a state that was seen to hold."""
    about: NounPhrase | None = None
    """Whom or what it is about, where that is not the subject of the clause."""
    phrase: NounPhrase | None = None
    """The noun phrase behind the value."""
    takes: str = ""
    """What the frame takes, to read on in what is coordinated with the value."""
    prefix: str = ""
    """Words in front of a value that is still to be named: "dating" before the person."""
    vague: bool = False
    """The value names only its kind ("bought a car"): no fact, unless a name follows."""
    timeless: bool = False
    """The time expression is the value (a deadline), not when it began to hold."""


SPEAKER = NounPhrase((Token("I", "i", 0, 0, "word"),), 0, 0)
"""The speaker, where no word of the clause says so."""

_FRAMES: Mapping[str, tuple[Frame, ...]] = index()
_NOT_OWN = frozenset("no any every each your neither such what".split())
"""Determiners of what is not there or not the subject's own."""
_PARTICLES = frozenset(
    "back over down up out off away in across on around through along right straight all the way home together again forward round".split()
)
_DATIVES = frozenset(["me", "us", "myself", "himself", "herself", "themselves", "ourselves"])
_INSTEAD = frozenset("it him her them that this these those one both".split())
_ATTRIBUTE_NOUNS = {
    "job": "employer", "employer": "employer", "company": "employer", "gym": "gym", "phone": "phone", "car": "car", "school": "school", "university": "school", "uni": "school", "bank": "provider", "provider": "provider",
    "career": "role", "city": "home", "town": "home", "flat": "home", "house": "home", "apartment": "home", "home": "home", "laptop": "computer", "club": "membership", "team": "membership", "role": "role", "network": "provider", "carrier": "provider", "doctor": "doctor", "dentist": "doctor", "gp": "doctor", "membership": "membership", "subscription": "provider",
}  # fmt: skip


@dataclass(frozen=True)
class _Match:
    """What the slots of a frame caught."""

    value: NounPhrase | None = None
    old: NounPhrase | None = None
    person: NounPhrase | None = None
    any: NounPhrase | None = None
    end: int = 0


def statements(clause: Clause, text: str, words: frozenset[str], times: Sequence[TimeMention]) -> list[Statement]:
    """What ``clause`` says; ``words`` are those of the whole sentence, ``times`` its own time expressions."""
    if clause.verb is None:
        return []
    changed = _changed(clause, text, times)
    if changed:
        return changed
    for frame in _FRAMES.get(clause.verb.lemma, ()):
        if frame.group.needs and not words & frozenset(frame.group.needs.split()):
            continue
        match = _match(frame.elements, 0, clause.rest, 0, _Match())
        if match is None:
            continue
        found = list(_read(frame.group, match, clause, text, times))
        if found:
            return found
    return []


# --- matching ---------------------------------------------------------------------------------------------------------


def _match(elements: Sequence[str], e: int, tokens: Sequence[Token], i: int, caught: _Match) -> _Match | None:
    if e == len(elements):
        return replace(caught, end=i)
    element = elements[e]
    i = _skip(tokens, i, element)
    if element == "~":
        return _match_particles(elements, e, tokens, i, caught)
    if element.startswith("("):
        taken = i < len(tokens) and tokens[i].low in element[1:-1].split("|")
        with_it = _match(elements, e + 1, tokens, i + 1, caught) if taken else None
        return with_it or _match(elements, e + 1, tokens, i, caught)
    if element in ("_", "-", "@", "*") or element.isupper():
        return _match_phrase(elements, e, tokens, i, caught)
    if "|" in element and "*" in element.split("|") and i < len(tokens) and tokens[i].low not in element.split("|"):
        return _match((*elements[:e], "*", *elements[e + 1 :]), e, tokens, i, caught)
    if i < len(tokens) and tokens[i].low in element.split("|"):
        return _match(elements, e + 1, tokens, i + 1, caught)
    return None


def skip_adverbs(tokens: Sequence[Token], i: int) -> int:
    """The index of the first token at or after ``i`` that is neither an adverb nor a time expression."""
    while i < len(tokens) and (tokens[i].kind == "time" or tokens[i].low in ADVERBS):
        i += 1
    return i


def _skip(tokens: Sequence[Token], i: int, element: str) -> int:
    wanted = element.strip("()").split("|")
    while i < len(tokens) and (tokens[i].kind == "time" or tokens[i].low in ADVERBS) and tokens[i].low not in wanted:
        i += 1
    return i


def _match_particles(elements: Sequence[str], e: int, tokens: Sequence[Token], i: int, caught: _Match) -> _Match | None:
    """As many particles as there are, or as few as make the rest fit."""
    while True:
        rest = _match(elements, e + 1, tokens, i, caught)
        if rest is not None or i >= len(tokens):
            return rest
        if not (tokens[i].low in _PARTICLES or tokens[i].low in ADVERBS or tokens[i].kind == "time"):
            return None
        i += 1


def _match_phrase(elements: Sequence[str], e: int, tokens: Sequence[Token], i: int, caught: _Match) -> _Match | None:
    element = elements[e]
    if element != "@" and i < len(tokens) and tokens[i].low in _DATIVES and _phrase(tokens, i + 1):
        i += 1  # The dative in "got myself a Golf", "bought us a flat" is not the value.
    phrase = _phrase(tokens, i)
    if phrase is None:
        return None
    if element == "_":
        caught = replace(caught, value=phrase)
    elif element == "-":
        caught = replace(caught, old=phrase)
    elif element == "@":
        caught = replace(caught, person=phrase)
    elif element == "*":
        caught = replace(caught, any=phrase)
    elif element.lower() == "keys":
        if phrase.head not in ("keys", "key"):
            return None
    elif element.lower() not in phrase.kinds:
        return None
    return _match(elements, e + 1, tokens, phrase.end, caught)


def _phrase(tokens: Sequence[Token], i: int) -> NounPhrase | None:
    phrase = noun_phrase(tokens, i)
    if phrase and phrase.is_pronoun and phrase.head in ("there", "here", "what", "which", "who"):
        return None
    return phrase


# --- from a match to statements ---------------------------------------------------------------------------------------


def _read(group: Group, match: _Match, clause: Clause, text: str, times: Sequence[TimeMention]) -> Iterator[Statement]:
    verb = clause.verb
    status = _status(group.effect, verb, clause, times) if verb else None
    if group.habit and status in (Status.HELD, Status.DENIED):
        return
    if verb is None or status is None:
        return
    event = group.effect is not Effect.STATE or verb.phase is not Phase.NONE
    about = match.person
    if group.subject_is_value and match.person is None:
        yield from _thing_gone(group, clause, text, status)
        return
    base = Statement("", None, status, clause, event, about, takes=group.takes)
    if group.value and not (group.reciprocal and len(clause.subjects) == 2):
        attribute, _, value = group.value.partition("=")
        yield replace(base, attribute=attribute, value=value)
    if _for_another(group, match, clause):
        return
    phrases = _value_phrases(group, match, clause)
    named = [found for phrase in phrases for found in _valued(group, phrase, base, text)]
    if phrases and not named:
        return
    yield from named
    if group.extras and named:
        yield from _extras(group, match.end, base, text)
    if group.reciprocal:
        yield from _reciprocal(base, clause, group)
    for attribute in group.ends.split():
        if status is Status.ENDED:
            yield replace(base, attribute=attribute)
        elif status is Status.HOLDS:
            yield replace(base, attribute=attribute, status=Status.ENDED)


def _for_another(group: Group, match: _Match, clause: Clause) -> bool:
    """ "Got this pup for you": what is bought for somebody else is not the subject's."""
    rest = clause.rest[match.end : match.end + 2]
    if group.effect is not Effect.START or len(rest) < 2 or rest[0].low != "for":
        return False
    return rest[1].low in ("you", "him", "her", "them", "my", "his", "our") or (
        rest[1].capital and rest[1].kind == "word"
    )


def _reciprocal(base: Statement, clause: Clause, group: Group) -> Iterator[Statement]:
    """ "Tom and I split up", "me and Kim have been going out": the other one is the value."""
    if len(clause.subjects) != 2:
        return
    mine = [phrase for phrase in clause.subjects if phrase.head in ("i", "me", "myself")]
    subject = mine[0] if mine else clause.subjects[0]
    other = next(phrase for phrase in clause.subjects if phrase is not subject)
    yield replace(base, attribute="partner", value="", about=subject, phrase=other)
    if group.value:
        attribute, _, value = group.value.partition("=")
        yield replace(base, attribute=attribute, value="", prefix=value, about=subject, phrase=other)


def _value_phrases(group: Group, match: _Match, clause: Clause) -> list[NounPhrase]:
    if not group.takes:
        return []
    if group.subject_is_value:
        return list(clause.subjects[:1])
    if match.value is None:
        return []
    return values_of(clause.rest, match.value) if match.value.end == match.end else [match.value]


def _valued(group: Group, phrase: NounPhrase, base: Statement, text: str) -> list[Statement]:
    """The statement that ``phrase`` is the value of, if it is of a kind that the group takes."""
    if phrase.is_pronoun:
        if phrase.head in _INSTEAD and base.status is Status.ENDED:
            return [replace(base, attribute="", value=None, phrase=phrase)]
        return []
    if phrase.determiner in _NOT_OWN or (group.habit and phrase.determiner in ("the", "this", "that")):
        return []
    generic = _ATTRIBUTE_NOUNS.get(phrase.text(text).lower()) if base.status is Status.ENDED else None
    if generic and phrase.determiner:
        return [replace(base, attribute=generic, phrase=phrase)]
    attribute = choose(group.takes, phrase)
    if attribute is None:
        return []
    attribute, _, prefix = attribute.partition("+")
    if group.inverse:
        return [replace(base, attribute=attribute, about=phrase, phrase=phrase, value="")]
    value, phrase = value_of(attribute, phrase, base, text)
    if not value:
        return []
    if base.status is not Status.ENDED:
        value = f"{prefix} {value}".strip()
    vague = value.lower() in _EMPTY and base.status is not Status.ENDED
    return [replace(base, attribute=attribute, value=value, phrase=phrase, vague=vague)]


def choose(takes: str, phrase: NounPhrase) -> str | None:
    """The attribute for a value of these kinds, or None."""
    kinds = phrase.kinds
    for entry in takes.split():
        kind, _, attribute = entry.partition(":")
        if kind == "person":
            if _is_person(phrase):
                return attribute
            continue
        if kind == "someone" and phrase.head in ("someone", "somebody"):
            return attribute
        if kind in kinds or kind == "any":
            return None if attribute == "-" else attribute
    return None


_NOT_PERSON = frozenset("place org school car phone food nationality language house company role event hobby".split())


def _is_person(phrase: NounPhrase) -> bool:
    """Whether a phrase looks like a person's name: "Marcus", "this guy Marcus"."""
    return (
        phrase.words[-1].capital
        and phrase.determiner in ("", "this", "that", "a", "my")
        and phrase.possessor is None
        and not phrase.kinds & _NOT_PERSON
    )


_EMPTY = frozenset(
    "car phone laptop computer job dog-walker bike thing stuff bit lot place house flat home work role position company school gym club diet team member part way time people group".split()
)


def value_of(attribute: str, phrase: NounPhrase, base: Statement, text: str) -> tuple[str, NounPhrase]:
    """The value as text: for a home the place that a house stands in, for a pet its name and kind. Empty: nothing said."""
    if attribute == "home" and "house" in phrase.kinds and "place" not in phrase.kinds:
        place = _place_after(base.clause.rest, phrase.end)
        return (place.text(text), place) if place else ("", phrase)
    if attribute == "pet":
        if any(word.low in ("stuffed", "toy", "plush", "hot", "virtual", "plushie") for word in phrase.words):
            return "", phrase
        called = _called(base.clause.rest, phrase.end, text)
        kind = phrase.text(text)
        return (f"{called} the {kind}" if called else kind), phrase
    if attribute == "employer" and "job" in phrase.kinds:
        names = [word for word in phrase.words[:-1] if word.capital]
        return (text[names[0].start : names[-1].end] if names else ""), phrase
    called = _called(base.clause.rest, phrase.end, text)
    value = called or phrase.text(text)
    if attribute in ("partner", "relationship_status") and phrase.is_name:
        names = [word for word in phrase.words if word.capital]
        value = text[names[0].start : names[-1].end]
    if {"hobby", "substance"} & phrase.kinds and not _ends_as_noun(base.clause.rest, phrase.end):
        return "", phrase
    for suffix in _TAILS.get(attribute, ()):
        if value.lower().endswith(suffix) and len(value) > len(suffix):
            value = value[: -len(suffix)].rstrip(" -'’s")
    return value, phrase


_TAILS = {
    "diet": (" diet", " thing", " food", " lifestyle"),
    "gym": (" membership", " gym membership"),
    "membership": (" membership", " membership"),
    "provider": (" subscription", " account", " contract", " plan"),
    "allergy": (" allergy",),
    "health": (),
}


def _ends_as_noun(tokens: Sequence[Token], i: int) -> bool:
    """Whether nothing after a gerund makes it a verb: "writing", but not "writing some notes down" or "curling up"."""
    return i >= len(tokens) or tokens[i].kind != "word" or tokens[i].low in _AFTER_PASTIME or tokens[i].low in ADVERBS


_AFTER_PASTIME = frozenset(
    "in at with for on from since too and because after before every during through as when club class classes lessons".split()
)


def _place_after(tokens: Sequence[Token], i: int) -> NounPhrase | None:
    """ "in Leeds" after "a flat": the place, by name, else by what is near it."""
    while i < len(tokens):
        if tokens[i].low in ("in", "at", "near", "by", "outside", "on", "off", "around"):
            phrase = noun_phrase(tokens, i + 1)
            if phrase and ("place" in phrase.kinds or "name" in phrase.kinds):
                return phrase
            if phrase and phrase.end > i + 1 and not phrase.is_pronoun:
                if (
                    len(phrase.words) == 1
                    and phrase.determiner == ""
                    and tokens[i].low == "in"
                    and not kinds_of_word(phrase.head)
                ):
                    return phrase
                i = phrase.end
                continue
        elif tokens[i].kind == "word" and tokens[i].low not in ADVERBS:
            return None
        i += 1
    return None


def _called(tokens: Sequence[Token], i: int, text: str) -> str:
    """ "called Biscuit" after "a greyhound"."""
    if i < len(tokens) and tokens[i].low in ("called", "named"):
        phrase = noun_phrase(tokens, i + 1)
        return phrase.text(text) if phrase and not phrase.is_pronoun else ""
    return ""


def _extras(group: Group, i: int, base: Statement, text: str) -> Iterator[Statement]:
    """What else the phrase after the frame says: "as a nurse", "at Acme"."""
    tokens = base.clause.rest
    wanted = dict(entry.split(":") for entry in group.extras.split())
    while i < len(tokens):
        attribute = wanted.get(tokens[i].low)
        phrase = noun_phrase(tokens, i + 1) if i + 1 < len(tokens) else None
        if attribute and phrase and not phrase.is_pronoun:
            kinds = "role:role" if attribute == "role" else _EMPLOYERS
            generic = phrase.text(text).lower() in _EMPTY
            if not generic and (choose(kinds, phrase) or (attribute == "role" and not phrase.is_name)):
                yield replace(base, attribute=attribute, value=phrase.text(text), phrase=phrase)
            i = phrase.end
        elif tokens[i].kind == "time" or tokens[i].low in ADVERBS:
            i += 1
        elif phrase and tokens[i].low in ("in", "on", "with", "under"):
            i = phrase.end
        else:
            return


_EMPLOYERS = "house:- place:- org:employer school:employer gym:employer provider:employer club:employer name:employer"


def _thing_gone(group: Group, clause: Clause, text: str, status: Status) -> Iterator[Statement]:
    """ "The Golf's gone", "my Pixel drowned": the subject is what ended, and its owner whom it is about."""
    if not clause.subjects or status is not Status.ENDED:
        return
    phrase = clause.subjects[0]
    attribute = None if phrase.is_pronoun else choose(group.takes, phrase)
    if attribute and phrase.determiner not in ("a", "an", "his", "her", "their", "your"):
        yield Statement(
            attribute, phrase.text(text), status, clause, True, about=phrase.possessor or SPEAKER, phrase=phrase
        )


def _changed(clause: Clause, text: str, times: Sequence[TimeMention]) -> list[Statement]:
    """ "Switched gyms to Equinox": the noun names the attribute, so that any name can be its value."""
    verb = clause.verb
    if verb is None or verb.lemma not in CHANGE_VERBS:
        return []
    noun = noun_phrase(clause.rest, 0)
    attribute = _ATTRIBUTE_NOUNS.get(singular(noun.head)) if noun and not noun.is_name else None
    status = _status(Effect.START, verb, clause, times)
    if noun is None or attribute is None or status is None:
        return []
    for i in range(noun.end, len(clause.rest)):
        if clause.rest[i].low in ("to", "for", "into"):
            phrase = noun_phrase(clause.rest, i + 1)
            if phrase and not phrase.is_pronoun and phrase.head not in _EMPTY:
                return [Statement(attribute, phrase.text(text), status, clause, True, phrase=phrase)]
    return []


# --- tense ------------------------------------------------------------------------------------------------------------


def _status(effect: Effect, verb: VerbGroup, clause: Clause, times: Sequence[TimeMention]) -> Status | None:
    """Whether it holds, held, ended, is planned or denied; None where the tense says none of these surely."""
    anymore = verb.ended or any(t.low in ("anymore", "longer") for t in clause.rest) or _any_more(clause.rest)
    if effect is Effect.CRAVING:
        return Status.HOLDS if verb.negated and verb.tense is Tense.FUTURE else None
    if verb.tense is Tense.FUTURE:
        return Status.PLANNED if not verb.negated else None
    if verb.phase is Phase.STOP:
        return Status.ENDED if effect is Effect.STATE and not verb.negated and verb.tense in _DONE else None
    if verb.phase is Phase.USED:
        return Status.ENDED if effect is Effect.STATE and not verb.negated else None
    if verb.negated:
        return _negated(effect, verb, anymore)
    if effect is Effect.DENIAL:
        return Status.DENIED if verb.tense in _DONE else None
    if effect is not Effect.STATE or verb.phase is Phase.START:
        if verb.tense in _DONE or (effect is Effect.END and verb.lemma == "be" and verb.tense is Tense.PRESENT):
            return Status.ENDED if effect is Effect.END else Status.HOLDS
        if verb.tense is Tense.PROGRESSIVE and verb.phase is not Phase.START:
            return Status.PLANNED
        return Status.PLANNED if verb.tense is Tense.PRESENT and times else None
    return _state(verb, times, since=any(token.low == "since" for token in clause.rest))


_DONE = (Tense.PAST, Tense.PERFECT, Tense.PAST_PERFECT)


def _any_more(tokens: Sequence[Token]) -> bool:
    return any(a.low == "any" and b.low == "more" for a, b in pairwise(tokens))


def _negated(effect: Effect, verb: VerbGroup, anymore: bool) -> Status | None:
    if effect is Effect.STATE and anymore:
        return Status.ENDED
    if effect is Effect.START and verb.tense is Tense.PAST and verb.phase is Phase.NONE:
        return Status.DENIED
    return Status.DENIED if effect is Effect.STATE and verb.never and verb.tense in _DONE else None


def _state(verb: VerbGroup, times: Sequence[TimeMention], *, since: bool) -> Status | None:
    roles = {mention.role for mention in times}
    lasting = since or roles & {TimeRole.SINCE, TimeRole.DURATION, TimeRole.RANGE}
    if verb.tense in (Tense.PRESENT, Tense.PROGRESSIVE, Tense.PERFECT_PROGRESSIVE):
        return Status.HOLDS
    if verb.tense is Tense.PERFECT:
        return Status.HOLDS if lasting else None
    if verb.tense is Tense.PAST_PERFECT:
        return Status.HELD if lasting else None
    if roles & {TimeRole.SINCE, TimeRole.RANGE, TimeRole.UNTIL} or any(_is_long(mention) for mention in times):
        return Status.HELD
    return None


def _is_long(mention: TimeMention) -> bool:
    """Whether a time is long enough for a state: "I worked there in 2019", but not "on Monday", which tells of a visit."""
    return mention.start is not None and mention.start.precision in (
        Precision.MONTH,
        Precision.SEASON,
        Precision.YEAR,
        Precision.DECADE,
    )


__all__ = ["POSSESSIVES", "PRONOUNS", "Statement", "Status", "choose", "statements", "value_of"]
