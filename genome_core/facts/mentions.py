"""Who is meant: names, relations ("my sister") and pronouns, resolved to one name each, or to none where it is not clear."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from genome_core.facts.nouns import FEMALE, KIN, MALE, gender, is_kin, is_plural_kin, kinds_of_word
from genome_core.facts.phrases import NounPhrase, is_closed, noun_phrase
from genome_core.facts.words import ADVERBS, VERB_FORMS, Token, tokenize
from genome_core.types import Record

FIRST_PERSON = frozenset(["i", "me", "myself", "we", "us", "ourselves"])
# First names that are common words too: taken as names only with a capital letter.
_WORD_NAMES = frozenset(
    "mark grace bill frank jack holly daisy poppy lily violet hazel iris ivy rob pat sean dawn joy hope faith may june april rose will art sue drew dean don jay ray gene guy cliff miles chase reed grant wade nick dan ron ben ian jun wei ling mei ana kai sol pam carol donna penny amber ruby sandy rich bob "
    "jean max ali theo jim joe ed ned ted al sam alex basil jules mercy patience honey robin victor norm".split()
)
_PLACE_NAMES = frozenset(
    "jordan georgia chelsea paris austin sydney florence victoria charlotte brooklyn madison savannah phoenix chester lincoln jackson israel india asia milan kingston derby derry troy denver dallas houston cleveland orlando lourdes roma".split()
)
"""Places that are first names too."""
_NOT_PERSON = frozenset(
    "place car phone computer console gym school org provider language food diet nationality course band club hobby event weekday subject".split()
)
_DEFINITE_KIN = frozenset("wife missus husband hubby kids boss parents folks missus".split())
_DAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december christmas easter halloween".split()
)


SOMEONE = {
    **dict.fromkeys(["someone", "somebody", "person"], "n"),
    **dict.fromkeys(["girl", "woman", "lady", "lass"], "f"),
    **dict.fromkeys(["guy", "man", "bloke", "dude", "boy", "lad"], "m"),
}
"""Words for somebody without a name, and the gender."""


class Mention(NamedTuple):
    """A person, or several, named in a text."""

    name: str
    """Empty for somebody without a name: "she" after "someone" is nobody known."""
    gender: str
    """``f``, ``m`` or ``n`` (not known)."""
    plural: bool = False
    position: int = -1
    """Offset in the turn; -1 for what was named before it."""


@dataclass(slots=True)
class Referents:
    """The people spoken of so far; they are looked for, and earlier turns are read, only when a pronoun needs them."""

    speaker: str
    context: Callable[[], Sequence[Record]]
    _people: list[Mention] = field(default_factory=list)
    _unread: list[Iterable[Mention]] = field(default_factory=list)
    _earlier: list[list[Mention]] | None = None

    def see(self, mentions: Iterable[Mention]) -> None:
        """Note who was mentioned."""
        self._unread.append(mentions)

    @property
    def people(self) -> list[Mention]:
        """Those of this turn, in order of the words, latest last."""
        self._people += [mention for unread in self._unread for mention in unread if mention.name != self.speaker]
        self._unread.clear()
        return self._people

    def one(self, pronoun: str, before: int | None = None) -> str | None:
        """Whom "he" or "she" at offset ``before`` means: the last fitting person, or None where two fit equally well."""
        wanted = {"he": "m", "him": "m", "his": "m", "she": "f", "her": "f", "hers": "f"}.get(pronoun)
        for pool in (self._until(before), list(chain.from_iterable(self._before()))):
            fitting = [m for m in reversed(pool) if not m.plural and m.gender in (wanted, "n")]
            known = [mention.name for mention in fitting if mention.gender == wanted]
            if known:
                return known[0] or None
            if fitting:
                return (fitting[0].name or None) if len({mention.name for mention in fitting}) == 1 else None
        return None

    def several(self, before: int | None = None) -> list[str]:
        """Whom "they" or "both of them" means: the last plural, or the two people of this turn, or of the last turn before it
        that names any."""
        for pool in (self._until(before), *reversed(self._before())):
            plurals = [mention.name for mention in pool if mention.plural]
            if plurals:
                return plurals[-1:]
            singles = list(dict.fromkeys(mention.name for mention in pool))
            if singles:
                return [name for name in singles if name] if len(singles) == 2 else []
        return []

    def _until(self, before: int | None) -> list[Mention]:
        return [mention for mention in self.people if before is None or mention.position < before]

    def _before(self) -> list[list[Mention]]:
        """Who is named in each earlier turn, oldest first."""
        if self._earlier is None:
            named = (_names_before(turn.text, turn.speaker) for turn in self.context())
            self._earlier = [[mention for mention in turn if mention.name != self.speaker] for turn in named]
        return self._earlier


@lru_cache(maxsize=64)
def _names_before(text: str, speaker: str) -> Sequence[Mention]:
    """Who is named in an earlier turn, remembered: it stands before each of the next few."""
    return names_in(tokenize(text), speaker)


def names_in(tokens: Sequence[Token], speaker: str) -> list[Mention]:
    """The people named in ``tokens``, which are those of a turn or of one of its sentences."""
    if not any(map(_may_name, tokens)):
        return []
    referents = Referents(speaker, lambda: ())
    i = 0
    while i < len(tokens):
        phrase = noun_phrase(tokens, i) if tokens[i].kind == "word" else None
        if phrase is None:
            i += 1
            continue
        located = i > 0 and tokens[i - 1].low in ("at", "in", "into", "near") and not _meets(tokens, i - 1)
        name, at, told = None, phrase.words[0].start, phrase
        if not phrase.is_pronoun and not located and not _is_addressed(tokens, phrase):
            name = person(phrase, referents, initial=_is_initial(tokens, phrase))
        if not name and phrase.possessor is not None and not phrase.possessor.is_pronoun:
            # "Ann's old car fell apart, so she ...": the owner is spoken of too.
            told = phrase.possessor
            name, at = person(told, referents, initial=_is_initial(tokens, told)), told.words[0].start
        if not name and phrase.head in SOMEONE and phrase.determiner in ("", "a", "an", "this", "some"):
            referents.see([Mention("", SOMEONE[phrase.head], position=at)])
        if name:
            referents.see([Mention(name, _gender(told, name), is_plural_kin(told.head), at)])
        i = max(phrase.end, i + 1)
    return referents.people


def _meets(tokens: Sequence[Token], i: int) -> bool:
    """Whether "into" at ``i`` is that of "ran into Ann": a person, not a place."""
    return i > 0 and tokens[i].low == "into" and any(lemma in ("run", "bump") for lemma, _ in tokens[i - 1].forms)


def _may_name(token: Token) -> bool:
    """Whether a token can be the first of those that tell a person. Many sentences have none: no phrase in them need be read."""
    low = token.low
    named = token.capital and low != "i" and (low == "home" or not is_closed(low))
    return named or is_kin(low) or low in SOMEONE or low in _PLACE_NAMES or _is_first_name(low)


def _is_initial(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    return phrase.start == 0 or tokens[phrase.start - 1].low in (".", "!", "?", "…", "...", ":", ",")


def _is_addressed(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Whether a name is called rather than told of: "Thanks, Jon!", "Hey Mel,", "It's done, Aunty."; not "my cousin, Ben."."""
    after = tokens[phrase.end].low if phrase.end < len(tokens) else "."
    if phrase.determiner or phrase.possessor is not None or phrase.start == 0 or after not in _PAUSES:
        return False
    before = tokens[phrase.start - 1].low
    if before in _CALLS:
        return True
    apposed = phrase.start < 2 or _describes(tokens[phrase.start - 2].low)
    return before == "," and after != "," and not apposed and any(t.forms for t in tokens[: phrase.start])


def _describes(word: str) -> bool:
    """Whether a name after this word and a comma says who it is: "a nurse, Ann"."""
    return is_kin(word) or word in SOMEONE or "role" in kinds_of_word(word)


_PAUSES = frozenset([".", "!", "?", ",", "…", "..."])
_CALLS = frozenset("hey hi hello hiya dear thanks thank morning cheers oi".split())


def _gender(phrase: NounPhrase, name: str) -> str:
    kin = [word.low for word in phrase.words if word.low in KIN]
    return KIN[kin[-1]] if kin and KIN[kin[-1]] != "n" else gender(name)


def person(phrase: NounPhrase, referents: Referents, *, initial: bool) -> str | None:
    """The name of the person that ``phrase`` stands for: a name, or "Maya's sister"; None where no one person is meant.

    ``initial``: the phrase opens a sentence, so that a capital letter tells nothing.
    """
    if phrase.is_pronoun:
        low = phrase.words[0].low
        if low in FIRST_PERSON:
            return referents.speaker
        return referents.one(low, position(phrase)) if low in ("he", "she", "him", "her") else None
    kin = [i for i, word in enumerate(phrase.words) if is_kin(word.low)]
    if kin:
        return _relative(phrase, kin[-1], referents)
    return _named(phrase, initial=initial)


def opens_sentence(text: str, phrase: NounPhrase) -> bool:
    """Whether a phrase stands at the beginning of a sentence, so that its capital letter tells nothing."""
    before = text[: phrase.words[0].start].rstrip()
    return not before or before[-1] in ".!?\n:…"


def position(phrase: NounPhrase) -> int | None:
    """The offset of a phrase, or None for one that stands for no word of the text."""
    first = phrase.words[0]
    return first.start if first.end > first.start else None


def _relative(phrase: NounPhrase, at: int, referents: Referents) -> str | None:
    named = [word for word in phrase.words[at + 1 :] if word.low not in ("'s",)]
    title = phrase.words[at]
    if named and (named[0].capital or named[0].low in FEMALE or named[0].low in MALE):
        words = [title, *named] if title.capital and phrase.determiner == "" else named
        return " ".join(_titled(word) for word in words)
    if named:
        return None
    relation = " ".join(
        word.low for word in phrase.words[: at + 1] if word.low not in ("dear", "poor", "lovely", "own", "'s")
    )
    if phrase.possessor is not None:
        owner = person(phrase.possessor, referents, initial=False)
    elif phrase.determiner in ("my", "our") or (
        phrase.determiner == ""
        and title.low
        in ("mum", "mom", "dad", "mama", "papa", "granny", "gran", "nan", "grandma", "grandpa", "mam", "mummy", "daddy")
    ):
        owner = referents.speaker
    elif phrase.determiner in ("his", "her"):
        owner = referents.one(phrase.determiner, position(phrase))
    elif phrase.determiner == "the" and relation in _DEFINITE_KIN:
        owner = referents.speaker
    else:
        owner = None
    return f"{owner}'s {relation}" if owner else None


def _named(phrase: NounPhrase, *, initial: bool) -> str | None:
    words = [word for word in phrase.words if word.low != "'s"]
    while len(words) > 1 and words[0].low in _ENDEARMENTS and words[1].capital:
        words.pop(0)
    if not words or phrase.possessor is not None:
        return None
    first = words[0]
    if phrase.determiner in _OF_FAMILY:
        # "our Fergus", "their Mia": only with a first name that is known
        return first.text if first.capital and len(words) == 1 and _is_first_name(first.low) else None
    if phrase.determiner not in ("", "'s"):
        return None
    known = _is_first_name(first.low) or first.low in _PLACE_NAMES
    if not first.capital:
        return _titled(first) if len(words) == 1 and known and first.low not in _WORD_NAMES else None
    if not all(word.capital for word in words) or first.low in _DAYS or first.low in ("i", "st", "st."):
        return None
    if not known and (phrase.kinds & _NOT_PERSON or (initial and len(words) == 1 and is_common(first.low))):
        return None
    return " ".join(word.text for word in words)


_ENDEARMENTS = frozenset("wee little young old dear poor lovely sweet big darling".split())
_OF_FAMILY = frozenset(["our", "their", "my"])


def _is_first_name(word: str) -> bool:
    return word in FEMALE or word in MALE


def is_common(word: str) -> bool:
    """Whether a lower-case word is an ordinary one, so that a capital letter at the start of a sentence tells nothing."""
    return (
        word in VERB_FORMS
        or word in ADVERBS
        or bool(kinds_of_word(word))
        or word.endswith(("ing", "ly", "tion", "ness", "ed"))
        or word in _COMMON
    )


_COMMON = frozenset(
    "weather nothing news boxes rent traffic sorry thanks thank big new good great nice sure happy cool awesome wow yeah yes no ok okay oh hey hi hello well work life time people things stuff everything today tonight tomorrow yesterday morning evening night "
    "second first last same different old long short love dear guess turns random quick fun true false wild confession rumour rumor word fact truth plus speaking sadly luckily congrats congratulations glad bad best worst half most many few some any other another".split()
)


def _titled(word: Token) -> str:
    return word.text if word.capital else word.text[:1].upper() + word.text[1:]


def thing(phrase: NounPhrase, text: str) -> str | None:
    """The name of a project, product or organisation: "Apollo", "the Apollo project" is "Apollo" too."""
    words = [
        word
        for word in phrase.words
        if word.low
        not in (
            "'s",
            "project",
            "app",
            "team",
            "website",
            "site",
            "release",
            "feature",
            "ticket",
            "system",
            "service",
            "server",
            "tier",
            "plan",
            "edition",
            "package",
        )
    ]
    if (
        not words
        or not all(word.capital or word.kind == "number" for word in words)
        or words[0].low in _DAYS
        or phrase.possessor
        or phrase.is_pronoun
    ):
        return None
    return text[words[0].start : words[-1].end]
