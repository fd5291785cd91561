"""Clauses: a sentence cut into its statements, each with subject, verb group and what follows.

A shallow reading without a grammar: boundaries are marks and conjunctions, a clause without a subject takes that of the
clause before ("she moved to Oslo and joined Acme"), one at the start of a sentence the speaker ("Started at Acme today").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from genome_core.facts.nouns import is_kin
from genome_core.facts.phrases import NounPhrase, noun_phrase
from genome_core.facts.verbless import supplied
from genome_core.facts.verbs import Tense, VerbGroup, verb_group
from genome_core.facts.words import ADVERBS, AUXILIARIES, CONJUNCTIONS, DETERMINERS, PREPOSITIONS, Form, Token, as_token


class Clause(NamedTuple):
    """One statement: who, the verb, and the tokens after it up to the next boundary."""

    opener: str
    """The conjunction or mark before it."""
    subjects: tuple[NounPhrase, ...]
    """Empty for the speaker of an elliptic sentence and for clauses without a verb."""
    verb: VerbGroup | None
    rest: tuple[Token, ...]
    tokens: tuple[Token, ...]
    inherited: bool = False
    """The subject was taken from an earlier clause."""
    elliptic: bool = False
    """No subject anywhere: the speaker is meant."""
    lead: tuple[Token, ...] = ()
    """Time expressions before the first clause of the sentence, valid for all of it."""
    lasting: bool = False
    """A clause with "since" follows: "vegan since I was 15"."""
    tail: NounPhrase | None = None
    """What the subject is "of" or "for": Apollo in "the deadline for Apollo"."""

    @property
    def span(self) -> tuple[int, int]:
        return self.tokens[0].start, self.tokens[-1].end


_MARKS = frozenset(
    [",", ";", ":", "(", ")", "—", "–", "...", "…", "..", '"', "“", "”", "-", "!", "?", ".", "[", "]", "/", "+"]
)
_SPLITTERS = frozenset(
    "and but or because cos cuz since while when whenever after before until till though although if unless whereas which who whom where wherever whether then n & plus yet nor why how whose as so".split()
)
_AND = frozenset(["and", "&", "n"])
_RELATIVE = frozenset(["who", "which", "where", "that", "whose"])
_ADVERBIAL = frozenset("since after before until till as so then plus".split())
"""Conjunctions that can be something else: they open a clause only where a subject follows."""


def clauses(tokens: Sequence[Token]) -> list[Clause]:
    """The clauses of one sentence, in order. Verbless pieces are clauses without a verb."""
    chain = _Chain()
    for clause in _pieces(tokens):
        if clause.verb is None:
            chain.verbless(clause)
        else:
            chain.add(clause)
    return chain.found


@dataclass
class _Chain:
    """The clauses so far, and what the next one may take over from them."""

    found: list[Clause] = field(default_factory=list)
    subject: tuple[NounPhrase, ...] = ()
    pending: list[NounPhrase] = field(default_factory=list)
    """Noun phrases that stand alone, so far without a verb: "my sister Ann, ...", "Pavel and ..."."""
    lead: list[Token] = field(default_factory=list)
    broken: bool = False
    """A piece before held a verb that was not understood: who did it is not known."""

    def verbless(self, clause: Clause) -> None:
        before = self.found[-1] if self.found else None
        first = clause.tokens[0].low
        if before and before.verb and clause.opener in _AND and first in PREPOSITIONS and before.rest:
            # "moved out of the flat and into a house": the verb goes on.
            self.found.append(
                before._replace(opener=clause.opener, rest=clause.tokens, tokens=clause.tokens, inherited=True)
            )
            return
        self.broken = self.broken or _has_verb(clause.tokens)
        if not any(c.verb for c in self.found):
            self.lead += [token for token in clause.tokens if token.kind == "time"]
        phrase = noun_phrase(clause.tokens, skip_openers(clause.tokens, 0))
        if (
            phrase
            and phrase.end >= len(clause.tokens)
            and (not phrase.is_pronoun or phrase.head in ("me", "myself", "i"))
        ):
            if clause.opener in ("since", "after", "before", "until", "till"):
                self.found.append(clause)  # "since Easter"
                return
            joined = clause.opener in _AND and self.pending
            apposition = clause.opener == "," and self.pending and not self.found[-1].verb
            if joined:
                self.pending.append(phrase)
            elif not apposition:
                self.pending = [phrase]
        self.found.append(clause)

    def add(self, clause: Clause) -> None:
        mine = clause.subjects
        if clause.opener == "since" and self.found:
            self.found[-1] = self.found[-1]._replace(lasting=True)
        if clause.opener in _RELATIVE:
            before = last_phrase(self.found[-1]) if self.found and not mine else None
            mine = mine or ((before,) if before else ())
            self.found.append(clause._replace(subjects=mine, lead=tuple(self.lead)))
            return
        if mine and clause.opener in _AND and self.pending and not self.found[-1].verb:
            mine = (*self.pending, *mine)
        elif not mine and not clause.inherited:
            mine = self._inherited(clause)
            elliptic = not mine and not (self.broken and clause.opener in _AND)
            clause = clause._replace(inherited=bool(mine), elliptic=elliptic, verb=self._planned_on(clause))
        self.subject = mine
        self.pending = []
        self.found.append(clause._replace(subjects=mine, lead=tuple(self.lead)))

    def _planned_on(self, clause: Clause) -> VerbGroup | None:
        """The verb of a clause without a subject; in the future where it goes on with a plan ("I want to move and get a dog")."""
        verb, before = clause.verb, self.found[-1].verb if self.found else None
        if verb is None or before is None or before.tense is not Tense.FUTURE or verb.tense is not Tense.PRESENT:
            return verb
        first = clause.tokens[skip_openers(clause.tokens, 0)]
        return verb._replace(tense=Tense.FUTURE) if first.low == verb.lemma else verb

    def _inherited(self, clause: Clause) -> tuple[NounPhrase, ...]:
        told = (
            self.found
            and self.found[-1].verb
            and self.found[-1].verb.lemma in ("tell", "announce", "say", "update", "share", "text")
        )
        if clause.opener in (":", "(", "-", "—", "–") and not told:
            return ()
        if self.subject:
            return self.subject
        people = [phrase for phrase in self.pending if phrase.is_name or is_kin(phrase.head)]
        return tuple(people[:1]) if clause.opener in (",", *_AND) else ()


def _has_verb(tokens: Sequence[Token]) -> bool:
    return any(form in (Form.PAST, Form.PRESENT) for token in tokens if not token.capital for _, form in token.forms)


def _pieces(tokens: Sequence[Token]) -> Iterator[Clause]:
    """The segments as clauses; what somebody says, thinks or hopes is a clause of its own, with or without "that"."""
    for opener, segment in _segments(tokens):
        clause = _clause(opener, segment)
        said = _said(clause)
        if said is None:
            yield clause
            continue
        cut = len(clause.tokens) - len(said)
        yield clause._replace(rest=clause.rest[: len(clause.rest) - len(said)], tokens=clause.tokens[:cut])
        yield _clause("that", said)


def _said(clause: Clause) -> Sequence[Token] | None:
    if clause.verb is None or clause.verb.lemma not in REPORTS:
        return None
    start = 1 if clause.rest and clause.rest[0].low in ("me", "us", "him", "her", "them", "you", "everyone") else 0
    phrase = noun_phrase(clause.rest, start)
    if phrase is None or not verb_group(clause.rest, phrase.end, after_subject=True):
        return None
    return clause.rest[start:]


REPORTS = frozenset(
    "say tell think hear reckon know guess mention swear believe hope wish claim insist suggest doubt suspect assume imagine bet deny announce report promise figure realise realize learn read understand remember forget joke pretend suppose worry expect".split()
)
"""Verbs whose object is what somebody says or thinks."""


def _segments(tokens: Sequence[Token]) -> Iterator[tuple[str, list[Token]]]:
    opener = ""
    current: list[Token] = []
    for i, token in enumerate(tokens):
        if _starts_anew(tokens, i, current):
            yield opener, current
            opener, current = "", [token]
        elif _is_boundary(tokens, i):
            if current:
                yield opener, current
                opener, current = token.low, []
            elif token.kind == "word" or not opener:
                opener = token.low
        else:
            current.append(token)
    if current:
        yield opener, current


def _starts_anew(tokens: Sequence[Token], i: int, current: Sequence[Token]) -> bool:
    """Whether a clause begins at ``i`` that no mark divides from the one before: "changed my number i am at Acme now".

    Only a pronoun that can be nothing but a subject tells, and only after a whole statement; what is said or thought
    ("I think he moved") and relative clauses ("the flat we bought") go on.
    """
    if tokens[i].low not in _SUBJECTS or len(current) < 3 or i + 1 >= len(tokens):
        return False
    last = current[-1]
    if last.kind == "mark" or last.low in _GOVERNING or (last.forms and last.low not in ADVERBS):
        return False
    verbs = {lemma for token in current for lemma, _ in token.forms}
    if verbs & REPORTS or not (verbs or any(token.low in AUXILIARIES for token in current)):
        return False
    return verb_group(tokens, i + 1, after_subject=True) is not None


_SUBJECTS = frozenset(["i", "he", "she", "we", "they"])
_GOVERNING = PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | DETERMINERS | frozenset(["sure", "certain", "me", "him", "us"])
_FILLERS = frozenset("lol lmao haha hahaha omg um umm uh erm er".split())


def _is_boundary(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    if token.low in _FILLERS:
        return True
    if token.kind == "mark":
        return token.low in _MARKS or (
            not token.low.isalnum() and token.low not in ("'", "’", "&", "@", "#", "%", "$", "€", "£", "*")
        )
    if token.kind != "word":
        return False
    low = token.low
    following = tokens[i + 1] if i + 1 < len(tokens) else None
    if low == "that":
        return (
            i > 0
            and following is not None
            and (bool(tokens[i - 1].forms) or tokens[i - 1].low in ("me", "us", "him", "her", "news", "fact", "so"))
            and _opens_subject(following)
        )
    if low not in _SPLITTERS:
        return False
    if low in _ADVERBIAL:
        return following is not None and _opens_subject(following) and not (low == "as" and _is_value_follow(following))
    return True


def _is_value_follow(token: Token) -> bool:
    return token.low in ("a", "an", "the", "my", "their", "our", "his", "her")


def _opens_subject(token: Token) -> bool:
    return (
        token.low
        in ("i", "we", "he", "she", "they", "it", "you", "my", "our", "his", "her", "their", "the", "there", "everyone")
        or token.capital
    )


def last_phrase(clause: Clause) -> NounPhrase | None:
    """The last noun phrase of a clause, which a relative pronoun after it means."""
    best, i = None, 0
    while i < len(clause.tokens):
        phrase = noun_phrase(clause.tokens, i)
        if phrase and phrase.end > i:
            best, i = phrase, phrase.end
        else:
            i += 1
    return best


def _clause(opener: str, segment: Sequence[Token]) -> Clause:
    tokens = tuple(segment)
    if not any(token.forms or token.low in _VERBAL for token in tokens):
        return _without_verb(opener, tokens)
    for start in _subject_starts(tokens):
        phrase = noun_phrase(tokens, start, subject=True)
        if phrase is None or phrase.head in ("there", "what", "which"):
            continue
        group = verb_group(tokens, phrase.end, after_subject=True)
        tail = None
        if (
            group is None
            and phrase.end < len(tokens)
            and (tokens[phrase.end].low in _OF or (tokens[phrase.end].low == "to" and phrase.head == "commute"))
        ):
            tail = noun_phrase(tokens, phrase.end + 1)
            group = verb_group(tokens, tail.end, after_subject=True) if tail else None
        if group and not (group[0].lemma in ("call", "name") and phrase.determiner in ("a", "an")):
            if start > skip_openers(tokens, 0) and opener in _ADVERBIAL:
                opener = ""  # "after the merger I became director": a phrase with a preposition, not a clause
            return Clause(opener, (phrase,), group[0], tokens[group[1] :], tokens, tail=tail)
    start = skip_openers(tokens, 0)
    if 0 < start < len(tokens) and tokens[start - 1].kind == "time" and tokens[start].low in ("is", "'s"):
        # "31 March is the deadline": the time is what is spoken of.
        group = verb_group(tokens, start, after_subject=True)
        if group:
            day = NounPhrase((tokens[start - 1],), start - 1, start)
            return Clause(opener, (day,), group[0], tokens[group[1] :], tokens)
    group = verb_group(tokens, start, after_subject=opener in _RELATIVE)
    if start < len(tokens) and tokens[start].low == "were" and not opener:
        here = (
            *tokens[:start],
            as_token(tokens[start].text, "'re", tokens[start].start),
            *tokens[start + 1 :],
        )  # "we're" without its apostrophe
        group = verb_group(here, start, after_subject=True)
    if start < len(tokens) and _is_passive(tokens, start):
        tense = Tense.PRESENT if tokens[start].low == "based" else Tense.PAST
        return Clause(opener, (), VerbGroup("be", tense), tokens[start:], tokens)
    if group and (opener or _can_open(tokens[start], group[0])):
        return Clause(opener, (), group[0], tokens[group[1] :], tokens)
    return _without_verb(opener, tokens)


_OF = frozenset(["of", "for", "on", "at", "in", "with"])


def _without_verb(opener: str, tokens: tuple[Token, ...]) -> Clause:
    found = supplied(tokens, next((i for i, token in enumerate(tokens) if token.low not in OPENERS), len(tokens)))
    if found is None:
        return Clause(opener, (), None, tokens, tokens)
    return Clause(opener, (), found[0], found[1], tokens)


_PASSIVES = frozenset(
    "engaged married divorced separated promoted hired fired sacked laid diagnosed based born raised accepted elected appointed employed made retired widowed".split()
)


_VERBAL = _PASSIVES | {"'s", "'d"}
"""Beside the forms of verbs, the words that a verb can be told by."""


def _is_passive(tokens: Sequence[Token], i: int) -> bool:
    """ "Promoted to head chef!", "engaged now", "made redundant in May": a passive without its "was"."""
    if tokens[i].low not in _PASSIVES:
        return False
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    return (
        after is None
        or after.kind != "word"
        or after.low in PREPOSITIONS
        or after.low in ADVERBS
        or after.low in ("redundant", "off")
    ) and not (tokens[i].low == "married" and after is not None and after.capital)


def _can_open(token: Token, verb: VerbGroup) -> bool:
    """Whether a sentence without a subject may start so: "Started at ...", "Been going ...", "have a dog", not "Is ...", "Do ..."."""
    if token.low in ("being", "having"):
        return False
    return (
        token.low not in ("am", "is", "are", "'m", "'re", "'s", "was", "do", "does", "did", "has") or verb.lemma != "be"
    )


def _subject_starts(tokens: Sequence[Token]) -> Iterator[int]:
    """Where a subject may start: at the first word that is no adverb, or after a phrase with a preposition in front."""
    i = skip_openers(tokens, 0)
    yield i
    # "Back in October we ...", "In Oslo I ...", "After the wedding we ...", "so anyway we ..."
    for j in range(i + 1, min(len(tokens), i + 7)):
        previous = tokens[j - 1]
        low = tokens[j].low
        if low in ("i", "we", "he", "she", "they", "my", "our") or (
            tokens[j].kind == "word" and (previous.kind == "time" or (previous.low in ADVERBS and tokens[j].capital))
        ):
            yield j


def skip_openers(tokens: Sequence[Token], i: int) -> int:
    """The index of the first word at or after ``i`` that is no greeting, adverb or time expression."""
    while i < len(tokens) and (
        (tokens[i].low in ADVERBS and tokens[i].low not in ("never", "home"))
        or tokens[i].kind in ("time", "mark")
        or tokens[i].low in OPENERS
    ):
        i += 1
    return i


OPENERS = frozenset(
    "back aye och naw oof phew lads peeps y'all sooo soo oh ah aw aww hey hi hello yeah yes yep yup nope ok okay well so right wow whoa ugh hmm hm um uh er anyway anyways btw fyi also besides and but lol haha hahaha omg update news confession congrats congratulations please guys folks look listen man dude like thankfully luckily basically".split()
)
