"""Statements: what the clauses of a sentence say about attributes, by the frames.

The engine matches a clause's verb and what follows it against the frames, chooses the attribute by the kind of the value
and reads from the tense whether it holds, ended, is planned or is denied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from genome_core.facts.barred import is_barred, is_no_value
from genome_core.facts.clauses import Clause
from genome_core.facts.frame_index import CHANGE_VERBS, index
from genome_core.facts.frames import Effect, Frames, Group
from genome_core.facts.matching import Match, match
from genome_core.facts.nouns import kinds_of_word
from genome_core.facts.phrases import NounPhrase, noun_phrase, values_of
from genome_core.facts.status import Status, is_long, status_of
from genome_core.facts.time import TimeMention, TimeRole
from genome_core.facts.values import EMPTY, GENERIC, VAGUE_SCHOOLS, choose, value_of, without_tail
from genome_core.facts.verbs import Phase, Tense
from genome_core.facts.words import ADVERBS, singular, unwritten
from genome_core.types import Precision


class Statement(NamedTuple):
    """One reading of a clause. The subject is still a phrase."""

    attribute: str
    """Empty for "it" and the like, which mean something said before."""
    value: str | None
    """None for an end of whatever held; empty where a person is the value, who is named later."""
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


SPEAKER = NounPhrase((unwritten("I"),), 0, 0)
"""The speaker, where no word of the clause says so."""

_FRAMES: Mapping[str, Frames] = index()
_NOT_OWN = frozenset("no any every each your neither such what".split())
"""Determiners of what is not there or not the subject's own."""
_TASTES = frozenset(["likes", "dislikes", "hobby", "favorite_food"])
_INSTEAD = frozenset("it him her them that this these those one both".split())


def statements(clause: Clause, text: str, words: frozenset[str], times: Sequence[TimeMention]) -> list[Statement]:
    """What ``clause`` says; ``words`` are those of the whole sentence, ``times`` its own time expressions."""
    if clause.verb is None:
        return []
    changed = _changed(clause, text, times)
    if changed:
        return changed
    if times:
        words |= _lasting(times)
    frames = _FRAMES.get(clause.verb.lemma)
    unnamed: list[Statement] = []
    for frame in frames.before(frozenset(token.low for token in clause.rest)) if frames else ():
        if frame.needs and words.isdisjoint(frame.needs):
            continue
        matched = match(frame.elements, clause.rest)
        found = list(_read(frame.group, matched, clause, text, times)) if matched else []
        if found and found[0].attribute and not unnamed:
            return found
        unnamed += (statement for statement in found[:1] if not statement.attribute)
    if unnamed:
        # What "it" is was said before; it may be whatever one of the frames takes.
        return [unnamed[0]._replace(takes=" ".join(statement.takes for statement in unnamed))]
    return _never(clause, words)


def _lasting(times: Sequence[TimeMention]) -> frozenset[str]:
    """What the times of a clause add to its words: ``<dated>`` and ``<long>``."""
    if any(m.role is not TimeRole.AT and not _is_brief(m) for m in times):
        return frozenset(["<dated>", "<long>"])
    found = [m.start.precision for m in times if is_long(m) and m.start is not None]
    return frozenset(
        ["<dated>", *(["<long>"] if any(p is not Precision.MONTH for p in found) else [])] if found else []
    )


def _is_brief(mention: TimeMention) -> bool:
    """Whether a time only bounds some days: "until Monday", "from Friday to Sunday"."""
    if mention.end is None or mention.role not in (TimeRole.UNTIL, TimeRole.RANGE):
        return False
    if mention.start is not None:
        return mention.end.end - mention.start.start < timedelta(days=21)
    return mention.end.precision in (Precision.INSTANT, Precision.DAY, Precision.WEEK)


_EVENTS = {
    "move": "home",
    "relocate": "home",
    "join": "employer",
    "marry": "relationship_status",
    "split": "relationship_status",
    "divorce": "relationship_status",
}


def _never(clause: Clause, words: frozenset[str]) -> list[Statement]:
    """ "We never moved after all": what was said to have happened did not, whatever its value was."""
    verb = clause.verb
    attribute = _EVENTS.get(verb.lemma) if verb else None
    after_all = {"after", "all"} <= words or {"in", "end"} <= words
    if verb is None or attribute is None or not verb.negated or not after_all or verb.tense is not Tense.PAST:
        return []
    return [Statement(attribute, None, Status.DENIED, clause, True)]


def _read(group: Group, matched: Match, clause: Clause, text: str, times: Sequence[TimeMention]) -> Iterator[Statement]:
    verb = clause.verb
    status = status_of(group.effect, verb, clause, times) if verb else None
    if group.only_ended and status is not Status.ENDED:
        return
    if verb is None or status is None or (group.habit and status in (Status.HELD, Status.DENIED)):
        return
    if group.pair and len(clause.subjects) != 2:
        return
    if group.reciprocal and group.value and not _are_several(clause, group.effect):
        return  # "went out of the band", "I date back to ...": a couple are two
    if group.subject_is_value and matched.person is None:
        yield from _of_thing(group, clause, text, status)
        return
    event = group.effect is not Effect.STATE or verb.phase is not Phase.NONE
    about = SPEAKER if group.of_speaker else matched.person
    base = Statement("", None, status, clause, event, about, takes=group.takes)
    if is_barred(group.effect, matched, clause, status, times):
        return
    phrases = _value_phrases(group, matched, clause)
    named = [found for phrase in phrases for found in _valued(group, phrase, base, text)]
    if (phrases and not named) or (named and _is_no_swap_of_homes(named[0], matched.old)):
        return
    extras = list(_extras(group, matched.end, base, text)) if group.extras and (named or group.value) else []
    if any(extra.attribute == "role" and extra.value not in ("student", "pupil") for extra in extras):
        # "started at the school as a caretaker"
        named = [said._replace(attribute="employer") if said.attribute in _PLACES else said for said in named]
    if group.value and not (group.reciprocal and len(clause.subjects) == 2):
        attribute, _, value = group.value.partition("=")
        yield base._replace(attribute=attribute, value=value)
    yield from named
    if named and matched.old and status is Status.HOLDS:
        yield from _replaced(group, matched.old, named[0], base, text)
    yield from extras
    if group.reciprocal:
        yield from _reciprocal(base, clause, group)
    if status is Status.ENDED and (not named or any(said.attribute in ("employer", "role") for said in named)):
        known = {"partner"} if group.reciprocal and len(clause.subjects) == 2 else set()
        yield from (base._replace(attribute=attribute) for attribute in group.ends.split() if attribute not in known)


def _are_several(clause: Clause, effect: Effect) -> bool:
    """Whether two or more do it; one who is left out in a state ("been going out since May") may be two."""
    if len(clause.subjects) != 1:
        return len(clause.subjects) > 1 or (clause.elliptic and effect is Effect.STATE)
    return clause.subjects[0].head in ("we", "they", "both", "us", "them")


def _is_no_swap_of_homes(new: Statement, old: NounPhrase | None) -> bool:
    """ "Traded the Jetta for a Tacoma": what is no place was not left for one."""
    return (
        new.attribute == "home"
        and old is not None
        and bool(old.determiner)
        and old.kinds.isdisjoint(("place", "house"))
    )


def _replaced(group: Group, old: NounPhrase, new: Statement, base: Statement, text: str) -> Iterator[Statement]:
    """The end of what was given for the new value: "traded the Golf for a Yaris"."""
    value = old.text(text)
    if new.attribute == "role":
        # "Ann took over from me as captain"
        yield base._replace(attribute="role", value=new.value, status=Status.ENDED, about=old, phrase=new.phrase)
        return
    attribute = choose(group.takes, old)
    if attribute is None and old.determiner and new.attribute in kinds_of_word(old.head):
        attribute = new.attribute  # "the polo": elsewhere the game
    if attribute == "home" and "place" not in old.kinds | (new.phrase or old).kinds:
        return  # "moved from Notion to Obsidian"
    if attribute == new.attribute and not old.is_pronoun and value.lower() not in GENERIC and old.head not in _SORTS:
        yield base._replace(attribute=new.attribute, value=value, status=Status.ENDED, phrase=old)


_SORTS = frozenset("van truck suv estate hatchback saloon motorbike scooter camper laptop pc tablet desktop".split())
"""What an old thing is called where its name does not matter."""


_PLACES = frozenset(["school", "gym", "membership"])


def _reciprocal(base: Statement, clause: Clause, group: Group) -> Iterator[Statement]:
    """ "Tom and I split up", "me and Kim have been going out": the other one is the value."""
    if len(clause.subjects) != 2:
        return
    mine = [phrase for phrase in clause.subjects if phrase.head in ("i", "me", "myself")]
    subject = mine[0] if mine else clause.subjects[0]
    other = next(phrase for phrase in clause.subjects if phrase is not subject)
    yield base._replace(attribute="partner", value="", about=subject, phrase=other)
    if not mine and not group.value and other.is_name:
        yield base._replace(attribute="partner", value="", about=other, phrase=subject)
    if group.value:
        attribute, _, value = group.value.partition("=")
        yield base._replace(attribute=attribute, value="", prefix=value, about=subject, phrase=other)


def _value_phrases(group: Group, matched: Match, clause: Clause) -> list[NounPhrase]:
    if not group.takes:
        return []
    if group.subject_is_value:
        return list(clause.subjects[:1])
    if matched.value is None:
        return []
    return values_of(clause.rest, matched.value) if matched.value.end == matched.end else [matched.value]


def _valued(group: Group, phrase: NounPhrase, base: Statement, text: str) -> list[Statement]:
    """The statement that ``phrase`` is the value of, if it is of a kind that the group takes."""
    ended = base.status is Status.ENDED
    if phrase.is_pronoun and phrase.head not in ("someone", "somebody"):
        return [base._replace(attribute="", value=None, phrase=phrase)] if phrase.head in _INSTEAD and ended else []
    if phrase.determiner in _NOT_OWN:
        return []
    attribute = choose(group.takes, phrase)
    if attribute is None:
        return (_whatever(group, phrase, base, text) or _known_before(phrase, base, text)) if ended else []
    attribute, _, prefix = attribute.partition("+")
    if group.habit and phrase.determiner in ("the", "this", "that") and attribute in _TASTES:
        return []
    if group.inverse:
        return [base._replace(attribute=attribute, about=phrase, phrase=base.about, value="")]
    attribute, value, phrase = value_of(attribute, phrase, base.clause.rest, text)
    if not value:
        return _whatever(group, phrase, base, text) if ended else []
    if ended and attribute == "relationship_status" and not phrase.is_name:
        return [base._replace(attribute=attribute, phrase=phrase)]  # "separated from his wife"
    if is_no_value(attribute, phrase, base.clause, base.status):
        return []
    if ended and value.lower() in GENERIC and (phrase.determiner or value.lower() != phrase.head):
        return [base._replace(attribute=attribute, phrase=phrase)]
    if ended and value.lower() in EMPTY:
        return []  # "left the group"
    vague = not ended and (value.lower() in EMPTY or (attribute == "school" and value.lower() in VAGUE_SCHOOLS))
    return [
        base._replace(
            attribute=attribute, value=value if ended else f"{prefix} {value}".strip(), phrase=phrase, vague=vague
        )
    ]


def _whatever(group: Group, phrase: NounPhrase, base: Statement, text: str) -> list[Statement]:
    """The end of something that only its attribute names: "sold my car", "quit the job"."""
    attribute = GENERIC.get(phrase.text(text).lower()) if phrase.determiner else None
    fits = attribute is not None and f":{attribute}" in group.takes
    return [base._replace(attribute=attribute, phrase=phrase)] if attribute and fits else []


_LOSSES = frozenset("lose put rehome die pass sell bury say".split())


def _known_before(phrase: NounPhrase, base: Statement, text: str) -> list[Statement]:
    """ "We lost Crumb": what Crumb is was said before."""
    verb = base.clause.verb
    if verb is None or verb.lemma not in _LOSSES or len(phrase.words) > 2 or phrase.determiner or phrase.possessor:
        return []
    return [base._replace(attribute="", value=phrase.text(text), phrase=phrase)]


def _extras(group: Group, i: int, base: Statement, text: str) -> Iterator[Statement]:
    """What else the phrase after the frame says: "as a nurse", "at Acme"."""
    tokens = base.clause.rest
    wanted = dict(entry.split(":") for entry in group.extras.split())
    while i < len(tokens):
        attribute = wanted.get(tokens[i].low)
        phrase = noun_phrase(tokens, i + 1) if i + 1 < len(tokens) else None
        if attribute and phrase and not phrase.is_pronoun:
            generic = phrase.text(text).lower() in EMPTY
            if not generic and (choose(_EXTRAS[attribute], phrase) or (attribute == "role" and not phrase.is_name)):
                yield base._replace(attribute=attribute, value=phrase.text(text), phrase=phrase)
            i = phrase.end
        elif tokens[i].kind == "time" or tokens[i].low in ADVERBS:
            i += 1
        elif phrase and tokens[i].low in ("in", "on", "with", "under"):
            i = phrase.end
        else:
            return


_EXTRAS = {
    "role": "role:role",
    "employer": "house:- place:- org:employer school:employer gym:employer provider:employer club:employer name:employer",
    "school": "place:- school:school org:school name:school",
}
"""What each further attribute takes."""


def _of_thing(group: Group, clause: Clause, text: str, status: Status) -> Iterator[Statement]:
    """ "The Yaris is gone", "my Nokia drowned", "Turin is home now": the subject is the value, and its owner whom it is about."""
    if not clause.subjects or status not in (Status.ENDED, Status.HOLDS):
        return
    phrase = clause.subjects[0]
    attribute = None if phrase.is_pronoun else choose(group.takes, phrase)
    if attribute is None and not phrase.is_pronoun and "kin" not in phrase.kinds:
        yield from _known_before(phrase, Statement("", None, status, clause, True, about=SPEAKER), text)
        return
    if attribute and phrase.determiner not in ("a", "an", "his", "her", "their", "your"):
        value = without_tail(attribute, phrase._replace(possessor=None).text(text))
        whole = status is Status.ENDED and value.lower() in GENERIC
        if whole and attribute in ("phone", "computer") and clause.verb and clause.verb.lemma == "die":
            return  # its battery
        about = phrase.possessor or SPEAKER
        yield Statement(
            attribute, None if whole else value, status, clause, group.effect is Effect.END, about=about, phrase=phrase
        )


_THINGS = frozenset(["car", "phone", "computer", "bike", "pet"])
"""Things of which each may be given for one of another kind: "traded the bike for a Golf"."""


def _changed(clause: Clause, text: str, times: Sequence[TimeMention]) -> list[Statement]:
    """ "Switched gyms to Ironworks": the noun names the attribute, so that any name can be its value."""
    verb = clause.verb
    if verb is None or verb.lemma not in CHANGE_VERBS:
        return []
    noun = noun_phrase(clause.rest, 0)
    attribute = GENERIC.get(singular(noun.head)) if noun and not noun.is_name else None
    status = status_of(Effect.START, verb, clause, times)
    if noun is None or attribute is None or status is None:
        return []
    for i in range(noun.end, len(clause.rest)):
        if clause.rest[i].low in ("to", "for", "into"):
            phrase = noun_phrase(clause.rest, i + 1)
            another = phrase and attribute in _THINGS and phrase.kinds & _THINGS and attribute not in phrase.kinds
            if phrase and not phrase.is_pronoun and phrase.head not in EMPTY and not another:
                return [Statement(attribute, phrase.text(text), status, clause, True, phrase=phrase)]
    return []
