"""Attributes said by their name: "Ann's job is ...", "the deadline for Apollo slipped to ...", "my favourite food is ...".

Frames go by the verb; here the noun in front of it names the attribute, so that any attribute can be said, declared or not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from genome_core.facts.attributes import AttributeTable, normalise
from genome_core.facts.clauses import Clause
from genome_core.facts.frame_index import STATUS_WORDS
from genome_core.facts.matching import skip_adverbs
from genome_core.facts.nouns import KIN_ATTRIBUTES
from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.statements import SPEAKER, Statement
from genome_core.facts.status import Status, is_long
from genome_core.facts.time import TimeMention
from genome_core.facts.values import choose
from genome_core.facts.verbs import Phase, Tense
from genome_core.facts.words import Token, singular, unwritten

_CHANGES = frozenset("change switch move slip go rise drop fall jump become turn increase shift".split())
"""Verbs by which an attribute takes a new value: "slipped to 12 May", "went up to 25"."""
_PUSHED = frozenset(
    "pushed moved extended postponed changed set raised lowered cut increased reduced bumped brought shifted".split()
)
_OF_PROJECTS = frozenset(
    "budget deadline price cost rent owner lead status version timeline launch go-live release cutover eta".split()
)
_LEANINGS = frozenset(["likes", "dislikes", "hobby", "possession"])
OF_PRODUCTS = frozenset("deadline launch go-live release cutover eta version budget".split())
"""What stands alone where the project was named before: "the deadline is now 3 June"."""
_CODES = frozenset("code number pin password id size extension score limit target salary weight height count".split())
"""Open attributes whose value can be a number and nothing else."""
_PAST_OWNERS = frozenset("old former previous ex last first".split())
_WITHOUT_NAME = frozenset(
    "day week weekend point problem idea thing question answer reason way time life family heart mind head face goal dream plan fault turn guess hope issue advice favorite one best worst smile voice hand body view opinion take experience story flight train bus meeting appointment interview exam class shift alarm session call lesson game match show concert battery".split()
)
"""Nouns whose "X's Y is Z" says nothing that lasts."""
_PLACED = frozenset(["home", "hometown", "employer", "role", "school", "gym", "provider", "headquarters"])
"""Attributes whose value "is in" or "is at" tells; of a car it tells where it stands."""
_KEPT = frozenset(["car", "phone", "computer", "bike", "instrument", "pet"])
"""Things, whose value is a name or of their kind."""
PERSONS = frozenset(["partner", "manager", "doctor"])
"""Attributes whose value is one person, whom a pronoun can stand for."""
_NOT_PREDICATES = frozenset(["membership", "employer", "school", "hobby", "home", "role", "provider", "studies"])
"""Attributes whose noun in a predicate says little: "Acme is my team", "Oslo is my city"."""


@dataclass(frozen=True)
class _Named:
    """An attribute named by a noun phrase, and whose it is."""

    attribute: str
    owner: NounPhrase
    known: bool
    """The attribute table has it."""


def possessed(clause: Clause, text: str, table: AttributeTable, times: Sequence[TimeMention]) -> list[Statement]:
    """The statement of a clause whose subject, or whose predicate, names an attribute."""
    verb = clause.verb
    if (
        verb is None
        or not clause.subjects
        or verb.negated
        or verb.tense is Tense.FUTURE
        or verb.phase is not Phase.NONE
    ):
        return []
    found = (
        _of_subject(clause, text, table, times)
        or _of_object(clause, text, table)
        or _of_predicate(clause, text, table)
        or _of_days(clause, text)
    )
    if found and found.phrase and not found.takes and found.attribute in _LISTS:
        found = found._replace(takes=_LISTS[found.attribute])
    return [found] if found else []


_LISTS = {
    "children": "firstname:children name:children",
    "siblings": "firstname:siblings name:siblings",
    "parents": "firstname:parents name:parents",
    "friends": "firstname:friends name:friends",
    "language": "language:language",
    "allergy": "allergen:allergy",
}
"""What goes on where several values are named: "my kids are Ned and Lottie"."""


def _of_subject(clause: Clause, text: str, table: AttributeTable, times: Sequence[TimeMention]) -> Statement | None:
    """ "X's Y is Z", "X's Y changed to Z"."""
    verb = clause.verb
    named = _named(clause.subjects[0], clause.tail, table)
    if named is None or verb is None:
        return None
    i = skip_adverbs(clause.rest, 0)
    if verb.lemma == "be" and verb.tense in (Tense.PRESENT, Tense.PERFECT):
        event = i < len(clause.rest) and clause.rest[i].low in _PUSHED
        if event or (_is_to(clause.rest, i) and named.attribute in _PLACED):
            i = _after_to(clause.rest, i)
    elif verb.lemma in _CHANGES and verb.tense in (Tense.PAST, Tense.PERFECT):
        event, i = True, i if verb.lemma in ("become", "turn") else _after_to(clause.rest, i)
    elif verb.lemma == "be" and verb.tense is Tense.PAST and i < len(clause.rest) and clause.rest[i].low in _PUSHED:
        event, i = True, _after_to(clause.rest, i)
    elif verb.lemma == "be" and verb.tense is Tense.PAST and any(is_long(mention) for mention in times):
        found = _valued(named, clause, i, False, text)
        return found._replace(status=Status.HELD) if found else None
    else:
        return None
    return _valued(named, clause, i, event, text)


def _is_to(tokens: Sequence[Token], i: int) -> bool:
    return i < len(tokens) and tokens[i].low in ("in", "at", "with") and i + 1 < len(tokens)


def _after_to(tokens: Sequence[Token], i: int) -> int:
    while i < len(tokens) and tokens[i].low not in ("to", "in", "at", "with", "until"):
        i += 1
    return skip_adverbs(tokens, i + 1)


def _valued(named: _Named, clause: Clause, i: int, event: bool, text: str) -> Statement | None:
    tokens = clause.rest
    base = Statement(named.attribute, None, Status.HOLDS, clause, event, about=named.owner)
    if named.attribute in ("deadline", "birthday") or named.attribute.endswith("anniversary"):
        time = next((t for t in tokens if t.kind == "time" or _DAY.fullmatch(t.low)), None)
        return base._replace(value=bare_time(time.text), timeless=True) if time else None
    called = i < len(tokens) and tokens[i].low in ("called", "named")
    i += called
    if named.attribute == "relationship_status" and i < len(tokens) and tokens[i].low in ("dating", "seeing"):
        phrase = noun_phrase(tokens, i + 1)
        return base._replace(value=f"{tokens[i].low} {phrase.text(text)}") if phrase else None
    phrase = noun_phrase(tokens, i)
    if phrase is None or phrase.is_pronoun or phrase.determiner in ("her", "his", "their", "your"):
        return None
    if named.attribute == "pet":
        subject = clause.subjects[0]
        if subject.head == "name" and subject.possessor:
            called, subject = True, subject.possessor
        kind = subject.words[-1].text
        if called and phrase.is_name and singular(kind.lower()) != kind.lower():
            return base._replace(value=phrase.text(text), takes="name:pet", phrase=phrase)
        return base._replace(value=f"{phrase.text(text)} the {kind}") if called and phrase.is_name else None
    if named.attribute == "status" and phrase.head in STATUS_WORDS:
        return base._replace(value=phrase.text(text))
    if not _fits(named, phrase, tokens):
        return None
    return base._replace(value=phrase.text(text), phrase=phrase)


_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)")


def bare_time(text: str) -> str:
    """A time expression without its preposition, as the value of a deadline."""
    words = text.strip(" .,!").split()
    while len(words) > 1 and words[0].lower() in ("on", "in", "by", "at", "until", "to", "for"):
        words.pop(0)
    return " ".join(words)


def _fits(named: _Named, phrase: NounPhrase, tokens: Sequence[Token]) -> bool:
    """Whether a value can be that of the attribute: an open one takes only names, numbers and codes."""
    named_so = phrase.is_name and not _is_shouted(phrase)
    exact = named_so or any(ch.isdigit() or ch == "@" for word in phrase.words for ch in word.text)
    if named.attribute in (
        "partner",
        "manager",
        "siblings",
        "children",
        "parents",
        "friends",
        "name",
        "doctor",
    ):
        return (
            phrase.is_name
            and phrase.determiner == ""
            and not phrase.kinds & {"nationality", "place", "org", "role"}
            and len(phrase.words) <= 3
        )
    if named.known and named.attribute.startswith("favorite"):
        return True
    if named.attribute in _KEPT:
        return named_so or named.attribute in phrase.kinds
    if named.known:
        return exact or bool(phrase.kinds)
    bare_number = all(word.kind == "number" and word.text.isdigit() for word in phrase.words)
    if bare_number and named.attribute.split()[-1] not in _CODES:
        return False
    return exact and phrase.determiner in ("", "the")


def _is_shouted(phrase: NounPhrase) -> bool:
    """ "My car is DONE": capitals for stress, no name."""
    return len(phrase.words) == 1 and phrase.words[0].text.isupper() and bool(phrase.words[0].forms)


def _named(phrase: NounPhrase, tail: NounPhrase | None, table: AttributeTable) -> _Named | None:
    """The attribute that a phrase names: "Ann's favourite food", "my new job", "the deadline for Apollo", "the Apollo deadline"."""
    owner, words = _owner(phrase, tail)
    if owner is None or not words or words[0] in _PAST_OWNERS or words[-1] in _WITHOUT_NAME:
        return None
    while len(words) > 1 and words[0] in ("new", "current", "own", "latest", "actual", "real", "whole", "dear"):
        words.pop(0)
    noun = " ".join(words)
    if owner is SPEAKER and "pet" in phrase.kinds:
        return _Named("pet", owner, True)
    if noun == "name" and "pet" in owner.kinds and owner.determiner in ("my", "our"):
        return _Named("pet", SPEAKER, True)
    relation = KIN_ATTRIBUTES.get(owner.head) if noun == "name" else None
    if relation and (owner.possessor or owner.determiner in ("my", "our")):
        # "My husband's name is Idris" says who the husband is.
        return _Named(relation, owner.possessor or SPEAKER, True)
    known = table.get(noun)
    favorite = normalise(noun).startswith("favorite ")
    if known is None and not favorite and phrase.words[-1].capital:
        return None
    if known and not favorite and known.name in _LEANINGS and words[-1] not in ("hobby", "pastime"):
        return None
    return _Named(table.canonical(noun), owner, known is not None or favorite)


def _owner(phrase: NounPhrase, tail: NounPhrase | None) -> tuple[NounPhrase | None, list[str]]:
    """Whose attribute a phrase names, and the words that name it."""
    words = [word.low for word in phrase.words]
    if "of" in words[1:-1] and phrase.determiner == "the":
        at = words.index("of")
        return phrase._replace(words=tuple(w for w in phrase.words[at + 1 :] if w.low != "the")), words[:at]
    if phrase.possessor is not None or (words == ["home"] and phrase.determiner == ""):
        return phrase.possessor or SPEAKER, words
    if phrase.determiner in ("my", "our"):
        of_project = tail is not None and tail.is_name and words[-1] in _OF_PROJECTS
        return tail if of_project else SPEAKER, words
    if phrase.determiner in ("his", "her", "their"):
        return NounPhrase((unwritten(phrase.determiner),), 0, 0), words
    if phrase.determiner == "the" and tail is None and words[0] == "new" and phrase.kinds & {"house", "job"}:
        return SPEAKER, words
    bare = (
        phrase.determiner == ""
        and words[-1] in _OF_PROJECTS
        and (phrase.words[0].capital or words[0] in (*OF_PRODUCTS, "rent"))
    )
    if (phrase.determiner != "the" and not bare) or tail is not None:
        return (tail if phrase.determiner == "the" else None), words
    if words == ["rent"]:
        return SPEAKER, words
    if len(words) == 1 and words[0] in OF_PRODUCTS:
        return phrase, words
    names = [word for word in phrase.words if word.capital]
    if len(phrase.words) > 1 and phrase.words[0].capital:
        owner = NounPhrase(tuple(names), phrase.start, phrase.start + len(names))
        return owner, [word.low for word in phrase.words if not word.capital]
    return None, words


_SETS = frozenset(
    "push move extend postpone change set raise lower cut increase reduce update bump bring shift".split()
)


def _of_object(clause: Clause, text: str, table: AttributeTable) -> Statement | None:
    """ "We pushed the Hermes deadline to 14 July"."""
    verb = clause.verb
    if verb is None or verb.lemma not in _SETS or verb.tense not in (Tense.PAST, Tense.PERFECT):
        return None
    phrase = noun_phrase(clause.rest, skip_adverbs(clause.rest, 0))
    named = _named(phrase, None, table) if phrase and not phrase.is_pronoun else None
    if phrase is None or named is None or not named.known:
        return None
    if named.owner is SPEAKER and named.attribute not in ("email", "phone number", "name", "home"):
        return None
    return _valued(named, clause, _after_to(clause.rest, phrase.end), True, text)


def _of_predicate(clause: Clause, text: str, table: AttributeTable) -> Statement | None:
    """ "31 March is the deadline for Apollo", "Sushi is my favourite food", "Frank is my boss"."""
    verb, subject = clause.verb, clause.subjects[0]
    if verb is None or verb.lemma != "be" or verb.tense is not Tense.PRESENT:
        return None
    if subject.is_pronoun and subject.head not in ("he", "she"):
        return None
    phrase = noun_phrase(clause.rest, skip_adverbs(clause.rest, 0))
    if phrase is None or phrase.is_pronoun:
        return None
    after = clause.rest[phrase.end] if phrase.end < len(clause.rest) else None
    tail = noun_phrase(clause.rest, phrase.end + 1) if after is not None and after.low in ("of", "for", "on") else None
    named = _named(phrase, tail, table)
    if named is None or not named.known or named.attribute in _NOT_PREDICATES:
        return None
    if subject.is_pronoun:
        # "She is my boss": whoever she is
        personal = named.attribute in PERSONS and phrase.determiner in ("my", "our")
        return (
            Statement(named.attribute, "", Status.HOLDS, clause, False, about=named.owner, phrase=subject)
            if personal
            else None
        )
    if subject.words[0].kind == "time":
        value = bare_time(subject.words[0].text)
        fits = named.attribute in ("deadline", "birthday")
        return (
            Statement(named.attribute, value, Status.HOLDS, clause, False, about=named.owner, timeless=True)
            if fits
            else None
        )
    if named.attribute == "owner" and named.owner is SPEAKER:
        return None  # "Ann is our captain": of a team, not of a person
    if not _fits(named, subject, clause.rest):
        return None
    return Statement(
        named.attribute, subject.text(text), Status.HOLDS, clause, False, about=named.owner, phrase=subject
    )


_EMPLOYERS = "place:- school:employer org:employer name:employer"
_COMMUTED_TO = "place:- school:employer org:employer"
"""A bare name after "commute to" is as likely a town."""
_OVER = frozenset("end finish expire run".split())


def _of_days(clause: Clause, text: str) -> Statement | None:
    """ "My last day at Acme was Friday", "my first day at Acme", "my contract with Acme ended"."""
    subject, tail, verb = clause.subjects[0], clause.tail, clause.verb
    if verb is None or tail is None or subject.determiner not in ("my", "his", "her") or subject.possessor:
        return None
    words = [word.low for word in subject.words]
    ended = words == ["last", "day"] and verb.lemma == "be" and verb.tense is Tense.PAST
    ended = ended or (
        words[-1] in ("contract", "job", "internship", "placement")
        and verb.lemma in _OVER
        and verb.tense in (Tense.PAST, Tense.PERFECT)
    )
    began = words == ["first", "day"] and verb.lemma == "be" and verb.tense is Tense.PAST
    commutes = words[-1] == "commute" and verb.tense is Tense.PRESENT
    attribute = choose(_EMPLOYERS if not commutes else _COMMUTED_TO, tail) or (
        "employer"
        if tail.determiner == "the"
        and words[-1] in ("contract", "job", "commute")
        and not tail.kinds & {"house", "place"}
        else None
    )
    if attribute is None or not (ended or began or commutes):
        return None
    owner = SPEAKER if subject.determiner == "my" else NounPhrase((unwritten(subject.determiner),), 0, 0)
    return Statement(
        attribute,
        tail.text(text),
        Status.ENDED if ended else Status.HOLDS,
        clause,
        not commutes,
        about=owner,
        phrase=tail,
    )
