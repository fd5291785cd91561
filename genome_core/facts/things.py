"""What is said of people and things by numbers and states: age, birthday, status, version, price and deadline."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from genome_core.facts.clauses import Clause
from genome_core.facts.frame_index import STATUS_VERBS, STATUS_WORDS
from genome_core.facts.matching import skip_adverbs
from genome_core.facts.mentions import FIRST_PERSON, is_common, opens_sentence
from genome_core.facts.nouns import gender, is_kin
from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.possessed import bare_time
from genome_core.facts.statements import SPEAKER, Statement
from genome_core.facts.status import Status
from genome_core.facts.verbs import Phase, Tense, VerbGroup
from genome_core.facts.words import ADVERBS, Token, singular

_NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety".split()
)
_MONEY = frozenset("euro euros eur dollar dollars usd pound pounds gbp quid bucks € $ £ k a per".split())
_OLDEST = 120
_OWN = frozenset("car phone computer pet bike console instrument gym food place hobby".split())
"""Kinds of things that have an owner rather than a status."""


class _Said(NamedTuple):
    """A clause as the readers below look at it."""

    clause: Clause
    verb: VerbGroup
    subject: NounPhrase
    tokens: Sequence[Token]
    """What follows the verb, from its first word that is no adverb."""
    text: str

    @property
    def done(self) -> bool:
        return self.verb.tense in (Tense.PAST, Tense.PERFECT)

    @property
    def word(self) -> str:
        return self.tokens[0].low if self.tokens else ""

    @property
    def is_thing(self) -> bool:
        """Whether the subject may be a project or product: a name that is no person's, or "it"."""
        subject, first = self.subject, self.subject.words[0].low
        return subject.head == "it" or (
            subject.is_name
            and gender(first) == "n"
            and not is_kin(first)
            and subject.possessor is None
            and subject.kinds.isdisjoint(_OWN)
            and not (opens_sentence(self.text, subject) and (is_common(first) or self._are_several(first)))
        )

    def _are_several(self, first: str) -> bool:
        """ "Subs are due on Friday": a plural, capital only because it opens the sentence."""
        return len(self.subject.words) == 1 and singular(first) != first

    @property
    def time(self) -> str:
        return next((bare_time(token.text) for token in self.clause.rest if token.kind == "time"), "")

    def states(self, attribute: str, value: str, *, event: bool, **more: object) -> Statement:
        base = Statement(attribute, value, Status.HOLDS, self.clause, event, about=self.subject)
        return base._replace(**more)  # type: ignore[arg-type]


def measured(clause: Clause, text: str) -> list[Statement]:
    """The statement of a clause about an age, a birthday or the state of a thing, if it is one."""
    verb = clause.verb
    if verb is None or verb.negated or verb.tense is Tense.FUTURE or verb.phase is not Phase.NONE:
        return []
    subject = clause.subjects[0] if clause.subjects else SPEAKER
    said = _Said(clause, verb, subject, clause.rest[skip_adverbs(clause.rest, 0) :], text)
    for reader in _READERS:
        found = reader(said)
        if found is not None:
            return [found]
    return []


def _age(said: _Said) -> Statement | None:
    """ "I'm 34", "he is six years old", "I turned 40"."""
    number = said.tokens[0] if said.tokens else None
    if number is None or not (number.low in _NUMBERS or (number.text.isdigit() and 0 < int(number.text) < _OLDEST)):
        return None
    person = (
        said.subject.head in FIRST_PERSON
        or said.subject.is_pronoun
        or is_kin(said.subject.words[0].low)
        or said.subject.is_name
    )
    if not person or said.subject.head in ("it", "this", "that", "we"):
        return None
    following = [token.low for token in said.tokens[1:4]]
    old = following[:2] in (["years", "old"], ["year", "old"], ["yrs", "old"], ["months", "old"])
    alone = not following or said.tokens[1].kind != "word" or following[0] in ("now", "and", "today")
    if said.verb.lemma == "have" and said.verb.tense is Tense.PRESENT and following == ["years"]:
        return said.states("age", number.text, event=False, timeless=True)  # as learners of English say it
    if said.verb.lemma == "turn" and said.done and (alone or said.tokens[1].kind == "time"):
        return said.states("age", number.text, event=True)
    if said.verb.lemma == "be" and said.verb.tense is Tense.PRESENT and (old or (alone and number.text.isdigit())):
        value = f"{number.text} months" if "months" in following[:1] else number.text
        return said.states("age", value, event=False, timeless=True)
    return None


def _name(said: _Said) -> Statement | None:
    """ "I'm Vera Holt now"."""
    if said.subject.head not in FIRST_PERSON or said.verb.lemma != "be" or said.verb.tense is not Tense.PRESENT:
        return None
    phrase = noun_phrase(said.tokens, 0)
    if phrase is None or len(phrase.words) < 2 or phrase.determiner or phrase.possessor or phrase.kinds != {"name"}:
        return None
    capital = all(word.capital for word in phrase.words) and phrase.end >= len(said.tokens) - 1
    return said.states("name", phrase.text(said.text), event=False) if capital else None


def _birthday(said: _Said) -> Statement | None:
    """ "I was born in 1988"."""
    if (
        said.verb.lemma == "be"
        and said.word == "born"
        and _DATE.search(said.time)
        and len(said.tokens) > 1
        and said.tokens[1].kind == "time"
    ):
        return said.states("birthday", said.time, event=False, timeless=True)
    return None


_DATE = re.compile(
    r"\b\d{4}\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE
)
"""What a birthday has: a day of the month, a month or a year ("on Tuesday" tells none once the week is over)."""


def _deadline(said: _Said) -> Statement | None:
    """ "Apollo is due on 3 June"."""
    due = said.word == "due" and said.verb.lemma == "be" and said.verb.tense is Tense.PRESENT
    if due and said.is_thing and said.time:
        return said.states("deadline", said.time, event=False, timeless=True)
    if said.verb.lemma in ("slip", "move") and said.done and said.is_thing and said.subject.head != "it":
        to = next((i for i, t in enumerate(said.tokens) if t.low in ("to", "until")), -1)
        dated = (
            said.tokens[to + 1 :][:1] if to >= 0 else [t for t in said.tokens if t.low.startswith(("to ", "until "))]
        )
        if any(t.kind == "time" for t in dated):
            return said.states("deadline", said.time, event=True, timeless=True)
    return None


def _price(said: _Said) -> Statement | None:
    """ "Apollo costs 20 euros a month", "Apollo went up to 25 euros", "it's 25 euros now"."""
    if not said.tokens:
        return None
    rest = list(said.tokens)
    priced = _repriced(said)
    if priced is not None:
        return priced
    event = said.verb.lemma in ("go", "rise", "jump", "drop", "increase", "fall") and said.done
    if event:
        to = next((i for i, token in enumerate(rest) if token.low == "to"), -1)
        rest = rest[to + 1 :] if to >= 0 else []
    elif not (said.verb.lemma in ("cost", "be") and said.verb.tense is Tense.PRESENT):
        return None
    if not rest or not _is_money(rest, said.verb.lemma == "cost"):
        return None
    if not (said.subject.is_name or said.subject.head == "it"):
        return None
    end = 2 if len(rest) > 1 and rest[1].low in _MONEY - {"a", "per", "k"} else 1
    first = 0 if rest[0].kind == "number" else 1
    return said.states("price", said.text[rest[0].start : rest[max(end, first + 1) - 1].end], event=event)


def _repriced(said: _Said) -> Statement | None:
    """ "We bumped the Pro tier to 24 euros"."""
    if said.verb.lemma not in ("bump", "raise", "lower", "cut", "put", "increase", "drop", "reduce") or not said.done:
        return None
    thing = noun_phrase(said.tokens, 0)
    to = next((i for i, token in enumerate(said.tokens) if token.low == "to"), len(said.tokens))
    rest = said.tokens[to + 1 :]
    if thing is None or not thing.is_name or not rest or not _is_money(rest, False):
        return None
    last = (
        rest[1]
        if len(rest) > 1 and (rest[0].low in ("€", "$", "£") or rest[1].low in _MONEY - {"a", "per", "k"})
        else rest[0]
    )
    return said.states("price", said.text[rest[0].start : last.end], event=True, about=thing)


def _is_money(tokens: Sequence[Token], sure: bool) -> bool:
    first = tokens[0]
    if first.low in ("€", "$", "£"):
        return len(tokens) > 1 and tokens[1].kind == "number"
    if first.kind != "number":
        return False
    return (
        sure
        or first.text[0] in "€$£"
        or first.text[-1] in "€£"
        or (len(tokens) > 1 and tokens[1].low in _MONEY - {"a", "per", "k"})
    )


def _version(said: _Said) -> Statement | None:
    """ "Apollo is on version 2.3", "Apollo 2.4 shipped", "we upgraded Apollo to 2.4"."""
    running = said.verb.lemma in ("be", "run") and said.verb.tense is Tense.PRESENT
    if running and said.word in ("on", "at", "version") and len(said.tokens) > 1 and said.is_thing:
        number = said.tokens[2] if said.tokens[1].low == "version" and len(said.tokens) > 2 else said.tokens[1]
        return said.states("version", number.text, event=False) if _is_version(number.text) else None
    if said.done and said.verb.lemma in ("upgrade", "update", "bump", "move", "migrate", "roll"):
        thing = noun_phrase(said.tokens, 0)
        if thing and thing.is_name and thing.end + 1 < len(said.tokens) and said.tokens[thing.end].low == "to":
            number = said.tokens[thing.end + 1]
            if number.low in ("version", "release") and thing.end + 2 < len(said.tokens):
                number = said.tokens[thing.end + 2]
            return said.states("version", number.text, event=True, about=thing) if _is_version(number.text) else None
    alone = _version_alone(said)
    if alone is not None:
        return alone
    out = said.verb.lemma == "be" and said.word in ("out", "live", "available", "released")
    if out or (said.done and said.verb.lemma in ("ship", "release", "launch", "drop", "come")):
        thing = said.subject if said.subject.is_name else noun_phrase(said.tokens, 0)
        if thing and len(thing.words) > 1 and _is_version(thing.words[-1].text):
            if thing.words[0].low in ("version", "release"):
                tail = said.clause.tail
                return said.states("version", thing.words[-1].text, event=True, about=tail) if tail else None
            name = thing._replace(words=thing.words[:-1])
            return said.states("version", thing.words[-1].text, event=True, about=name)
    return None


def _version_alone(said: _Said) -> Statement | None:
    """ "3.0 shipped", "we rolled 3.1 out", "back on 3.0", "pulled 3.1": of the thing that was spoken of before."""
    lows = [token.low for token in said.tokens[:4]]
    if _is_release(said.subject):
        out = said.verb.lemma == "be" and said.verb.tense is Tense.PRESENT and said.word in ("out", "live", "available")
        went = said.done and (
            said.verb.lemma in _RELEASES or (said.verb.lemma == "go" and said.word in ("out", "live"))
        )
        return said.states("version", said.subject.words[0].text, event=True) if out or went else None
    if said.verb.lemma == "be" and said.verb.tense is Tense.PRESENT and lows[:1] in (["on"], ["back"]):
        thing = noun_phrase(said.tokens, 2 if lows[:2] == ["back", "on"] else 1)
        anyone = said.subject.head in ("everyone", "everybody", "we", "prod", "production", "it")
        return (
            said.states("version", thing.words[0].text, event=False, about=thing)
            if anyone and _is_release(thing) and thing
            else None
        )
    if not said.done or said.verb.lemma not in _RELEASES | _WITHDRAWALS:
        return None
    thing = noun_phrase(said.tokens, 1 if said.word in ("back", "out") else 0)
    if thing is None or not _is_release(thing):
        return None
    back = "back" in lows or said.verb.lemma in ("pull", "revert")
    if back and said.verb.lemma in _WITHDRAWALS:
        return said.states("version", thing.words[0].text, event=True, about=thing, status=Status.ENDED)
    return (
        said.states("version", thing.words[0].text, event=True, about=thing) if said.verb.lemma in _RELEASES else None
    )


_RELEASES = frozenset("ship release launch drop roll push deploy publish cut tag".split())
_WITHDRAWALS = frozenset(["roll", "pull", "revert", "take"])


def _is_release(phrase: NounPhrase | None) -> bool:
    """Whether a phrase is the number of a version and nothing else: "3.0", "v2.3"."""
    return (
        phrase is not None
        and len(phrase.words) == 1
        and "." in phrase.words[0].text
        and _is_version(phrase.words[0].text)
    )


def _is_version(word: str) -> bool:
    bare = word.lstrip("vV")
    return bool(bare) and bare[0].isdigit() and all(ch.isdigit() or ch == "." for ch in bare)


def _status(said: _Said) -> Statement | None:
    """ "Apollo is on hold", "Apollo shipped", "we paused Apollo", "Apollo went live"."""
    if len(said.clause.subjects) > 1:
        return None
    if said.verb.lemma == "be":
        return _status_now(said)
    if said.verb.lemma == "get" and said.done and said.word in STATUS_VERBS.values() and said.is_thing:
        return said.states("status", said.tokens[0].text, event=True)
    if said.verb.lemma == "go" and said.done and said.word == "live" and said.is_thing:
        return said.states("status", "live", event=True)
    if said.verb.lemma not in STATUS_VERBS or not said.done:
        return None
    value = STATUS_VERBS[said.verb.lemma]
    thing = noun_phrase(said.tokens, 0)
    if thing is None:
        alone = (
            not said.tokens or said.tokens[0].kind != "word" or said.word in ADVERBS or said.word in ("on", "in", "for")
        )
        return said.states("status", value, event=True) if alone and said.is_thing else None
    if said.verb.lemma in _OBJECTS_UNCLEAR:
        return None
    if thing.is_name and thing.determiner in ("", "the") and thing.kinds <= {"name"}:
        return said.states("status", value, event=True, about=thing)
    return None


def _status_now(said: _Said) -> Statement | None:
    """ "Apollo is on hold", "Apollo is back on", "Apollo is live"."""
    back = said.word == "back"
    first, second, *_ = [*(token.low for token in said.tokens[back : back + 2]), "", ""]
    value, event = "", False
    if first == "on" and not second:
        value = "back on" if back else ""
    elif first in ("on", "in", "at"):
        value = "on hold" if second == "hold" else second if second in STATUS_WORDS else ""
    elif first in STATUS_WORDS and second not in ("to", "with", "for", "about", "of"):
        value, event = said.tokens[back].text, said.verb.tense is not Tense.PRESENT
    if not value or not said.is_thing:
        return None
    passive = first in STATUS_VERBS.values() and said.verb.tense is Tense.PAST
    told = passive or said.verb.tense in (Tense.PRESENT, Tense.PERFECT)
    return said.states("status", value, event=event) if told else None


_OBJECTS_UNCLEAR = frozenset("finish close complete block kill approve cancel".split())
"""Verbs whose object may be a book, a door or a subscription as well as a project."""

_READERS: tuple[Callable[[_Said], Statement | None], ...] = (
    _age,
    _name,
    _birthday,
    _deadline,
    _price,
    _version,
    _status,
)
