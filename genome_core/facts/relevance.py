"""What a sentence states of one subject: the clauses that are about it, and whether they count.

"Dad had a Volvo when we were kids" says nothing of the speaker's cars, "my sister got engaged" nothing of the speaker's ring. A
clause is about its grammatical subject, about the owner of that ("Ann's new address is ..."), and about whom it names where
no other person acts ("Acme hired Ann").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from genome_core.facts.attributes import normalise
from genome_core.facts.clauses import Clause, clauses
from genome_core.facts.mentions import FIRST_PERSON, Referents, person
from genome_core.facts.nouns import gender, is_kin, is_plural_kin
from genome_core.facts.phrases import NounPhrase
from genome_core.facts.sentences import RUMOUR, TRIP, Modality, Sentence, said_at
from genome_core.facts.time import TimeMention, TimeRole
from genome_core.facts.unreal import reports, unreal
from genome_core.facts.verbs import Phase, Tense
from genome_core.facts.words import POSSESSIVES, PRONOUNS, Token, lowered, tokenize
from genome_core.types import Record

Span = tuple[int, int]

_SUPPOSING = re.compile(
    r"\b(?:if|unless|in case|imagine|suppose|pretend|as if|as though|maybe|perhaps|might|wish|would|could|should|provided|assuming|joking|kidding|"
    r"in theory|not sure|no idea|who knows|probably|possibly|i(?:'d| would) rather|i (?:think|guess|reckon|suppose|believe|assume))\b",
    re.I,
)
_ATTENTION = re.compile(
    r"^\W*(?:(?:so|oh|well|hey|btw|ok|okay|by the way|yeah)\W+)*(?:(?:did|have) (?:i|you) (?:ever )?(?:tell|told|mention(?:ed)?|hear|heard|know|see)"
    r"(?: you| about| that)*|(?:i|we) (?:just |only )*(?:found out|learn(?:ed|t)|noticed)(?: that)?|(?:it )?turns out(?: that)?|guess (?:what|who)|you know what|"
    r"(?:good|big|great|quick|sad) (?:news|update)|news(?:flash)?|update|(?:please |kindly )?note that|please be (?:advised|informed) that)\b",
    re.I,
)
"""Openings that only ask for attention: what follows is the statement."""
_ENDS = frozenset("quit leave sell lose resign end finish cancel die split break drop dump scrap retire".split())
"""Verbs of ending, where nothing follows that begins ("left Acme", not "left Acme for Globex")."""
_BEGINS_AFTER = frozenset(["for", "to", "into"])
_WISHES = frozenset("dream wish want hope fancy imagine consider".split())
_NO_DENIAL = re.compile(r"can(?:'t|not| not| n't|t)\s+(?:get enough|stop|live without|resist|do without)", re.I)
"""Negations that affirm."""
_NOT_A = re.compile(
    r"\W*(?:(?:ok|okay|so|well|but|and|definitely|certainly)\W+)*not (?:an?|the|in|at|with)\b(?!.*\bany ?more\b)", re.I
)
"""A denial without a verb: "ok so not a Mazda"."""
_UNASSERTED = frozenset(["whether", "if", "unless", "why", "how"])
_GENDERS = {"he": "m", "him": "m", "his": "m", "she": "f", "her": "f", "hers": "f"}
_THIRD_PERSON = frozenset("he she him her his hers they them their".split())


@dataclass(frozen=True, slots=True)
class Told:
    """A typed sentence and the turn it stands in."""

    sentence: Sentence
    turn: Record


@dataclass(frozen=True, slots=True)
class Stated:
    """The part of a sentence that is about the subject. Offsets are into the sentence's text."""

    spans: tuple[Span, ...]
    times: tuple[TimeMention, ...]
    endings: tuple[Span, ...]
    """The clauses that say that something stopped."""

    @property
    def ended(self) -> bool:
        """Whether nothing else is stated."""
        return self.endings == self.spans

    def alone(self, span: Span, offset: int) -> Stated:
        """One of the clauses by itself, with its own times if it has any."""
        times = tuple(t for t in self.times if span[0] <= t.span[0] - offset < span[1])
        return Stated((span,), times or self.times, tuple(e for e in self.endings if e == span))


def same_subject(one: str, other: str) -> bool:
    """Whether two names mean the same: letter case and a leading article do not matter."""
    return _bare(one) == _bare(other)


def _bare(name: str) -> str:
    return re.sub(r"^(?:the|an?) ", "", normalise(name))


def occurrences(text: str, subject: str) -> list[Span]:
    """Where ``subject`` is named; in texting also with an "s" for "'s" ("anns been single since May")."""
    found = re.finditer(rf"(?<![\w'’])({re.escape(subject)})(s?)(?!\w)", text, re.I)
    return [m.span(1) for m in found if not m[2] or m[0].islower()]


def stated(
    told: Told, subject: str, people: Collection[str] = (), *, topic: str | None = None, thing: bool = False
) -> Stated | None:
    """What ``told`` states of ``subject``, or None: questions, plans, suppositions, rumours, denials and one-off events state
    nothing. What somebody says of themselves is no rumour.

    ``people`` are the names of the scope. ``topic`` is whom the sentence before, in the same turn, was about. ``thing`` says that
    the subject is no person, so that what people do with it is about it.
    """
    sentence = told.sentence
    mine = _Reader(told, subject, people, topic, thing).clauses()
    planned = _plans(mine, told)
    kept: list[Clause] = []
    left_out = False
    for place, clause in enumerate(mine):
        goes_on = clause.verb is None and left_out  # "I might look at, I don't know, a little Suzuki"
        left_out = place in planned or goes_on or _denied(clause, sentence.text) or _unsure(clause, told)
        if not left_out:
            kept.append(clause)
    if not kept:
        return None
    spans = tuple(clause.span for clause in kept)
    return Stated(spans, _times(sentence, spans), tuple(clause.span for clause in kept if _ends(clause)))


def topics(sentences: Sequence[Told], people: Collection[str]) -> list[str | None]:
    """For each sentence, in the order of the turns, whom the one before it in the same turn named last."""
    found: list[str | None] = []
    topic: str | None = None
    turn = ""
    for told in sentences:
        topic = topic if told.turn.id == turn else None
        turn = told.turn.id
        found.append(topic)
        text = told.sentence.text
        places = [(end, name) for name in people if name != told.turn.speaker for _, end in occurrences(text, name)]
        if places:
            topic = max(places)[1]
        elif _FIRST_PERSON.search(text):
            topic = None
    return found


_FIRST_PERSON = re.compile(r"\b(?:i|we|me|us|my|our)\b", re.I)


_OPENS_QUESTION = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|hey|oh|well|btw)\W+)*(?:who|whom|whose|what|which|where|when|why|how|do|does|did|is|are|can|could|should|would)\b[^,;]*$",
    re.I,
)
"""A question from its first word on, in one piece."""


def _unsure(clause: Clause, told: Told) -> bool:
    """Whether the question or the supposition of a sentence is in this clause. A question is its last clause, and all of it
    where it begins with the verb or a question word."""
    sentence = told.sentence
    text = sentence.text[slice(*clause.span)]
    if Modality.HYPOTHETICAL in sentence.modality and _SUPPOSING.search(text):
        return True
    if Modality.QUESTION not in sentence.modality:
        return False
    if _OPENS_QUESTION.match(sentence.text):
        return True
    last = clause.span[1] >= len(sentence.text.rstrip(" ?!.\"')"))
    first_person = any(phrase.head in FIRST_PERSON for phrase in clause.subjects)
    return last or not first_person


def _plans(mine: Sequence[Clause], told: Told) -> set[int]:
    """The clauses that tell a plan, and those beside them up to a "but", save what has happened ("she'll be here soon, we moved")."""
    found: set[int] = set()
    parts: list[list[int]] = [[]]
    for place, clause in enumerate(mine):
        if clause.opener == "but":
            parts.append([])
        parts[-1].append(place)
    for part in parts:
        planned = {place for place in part if _planned(mine[place], told)}
        if planned:
            found |= {place for place in part if place in planned or not _happened(mine[place])}
    return found


def _happened(clause: Clause) -> bool:
    return clause.verb is not None and clause.verb.tense in _HAPPENED


_HAPPENED = frozenset([Tense.PAST, Tense.PERFECT, Tense.PERFECT_PROGRESSIVE, Tense.PAST_PERFECT])


def _planned(clause: Clause, told: Told) -> bool:
    """Will, wants to, might; and "is moving in May" said before May."""
    if clause.verb is None:
        return False
    times = _times(told.sentence, [clause.span], strict=True)
    if clause.verb.tense is Tense.FUTURE or clause.verb.lemma in _WISHES:
        # "She would eat it every day, since May": what has lasted since then is no plan.
        return not any(t.role is TimeRole.SINCE for t in times or told.sentence.times)
    scheduled = clause.verb.tense is Tense.PRESENT and clause.verb.lemma not in ("be", "have")  # "starts on Monday"
    if clause.verb.tense is not Tense.PROGRESSIVE and not scheduled:
        return False
    said = said_at(told.turn)
    return any(t.role is TimeRole.AT and t.start is not None and t.start.start > said for t in times)


def _denied(clause: Clause, text: str) -> bool:
    verb = clause.verb
    if verb is None:
        return _NOT_A.match(text[slice(*clause.span)]) is not None
    if not (verb.negated or verb.never) or verb.ended:
        return False
    return not _NO_DENIAL.search(text[slice(*clause.span)])


_PARTED = re.compile(
    r"\b(?:no longer|not\b.*\bany ?more|n['’]?t\b.*\bany ?more|let\b(?!['’]s)[^,;]{1,30}?\bgo\b|(?:said|waved|saying|waving|bid) (?:goodbye|farewell)\b"
    r"|(?:gave|given|giving) up(?! (?:to|for))|(?:gave|given|giving)\b[^,;]{1,30}?\baway|got(?:ten)? rid of|parted (?:with|ways)|pension(?:ed|ing) off"
    r"|pack(?:ed|ing) in|hand(?:ed|ing) (?:over|back|in)|turned in|wr(?:ote|itten) off|walked out(?: of| on)?|between (?:cars|jobs|flats|homes|phones|places|relationships)"
    r"|is no more|gave up the ghost|passed away|gone for good|behind (?:me|him|her|us))\b",
    re.I,
)
"""What people say of a thing, a job or a place that is over, beside the verbs of ending."""


def _ends(clause: Clause) -> bool:
    verb = clause.verb
    if _PARTED.search(" ".join(token.text for token in clause.tokens)) and not (verb and verb.tense is Tense.FUTURE):
        return True
    if verb is None:
        return False
    if verb.ended or verb.phase in (Phase.STOP, Phase.USED) or _is_over(clause):
        return True
    follows = [token.low for token in clause.rest]
    if verb.lemma in ("finish", "end") and verb.tense is Tense.PROGRESSIVE:
        return False  # "she's finishing her last year": not over yet
    return verb.lemma in _ENDS and follows[:1] != ["up"] and not _BEGINS_AFTER.intersection(follows)


def _is_over(clause: Clause) -> bool:
    """ "I'm out of Salford", and "I lived in Bristol for three years", "she was at Acme before that": states of the past."""
    verb = clause.verb
    follows = " ".join(token.low for token in clause.rest)
    if verb is None or verb.lemma not in _STATES:
        return False
    if verb.lemma == "be" and follows.startswith(("out of ", "done with ", "through with ", "finished with ")):
        return True
    if verb.tense is Tense.PAST_PERFECT:
        return True  # "she'd been a pupil at Hillside": over at the time of which the talk is
    if verb.tense is not Tense.PAST:
        return False
    return bool(_LASTED.search(follows) or _YOUNG.search(follows))


_LASTED = re.compile(r"\bbefore (?:this|that|then)\b|\bfor (?:[\w-]+ ){1,3}(?:years?|months?|weeks?|decades?)\b")
_YOUNG = re.compile(
    r"\b(?:growing up|as (?:a |an )?(?:kids?|child|children|boys?|girls?|students?|teenagers?)|when (?:i|we|she|he|they) (?:was|were) (?:a |an )?(?:little|young|small|kids?|child|children|students?|at \w+)|back then|in those days|at the time)\b"
)
_STATES = frozenset("be live work have drive study rent own stay play go use".split())


def _times(sentence: Sentence, spans: Sequence[Span], *, strict: bool = False) -> tuple[TimeMention, ...]:
    """The time expressions in the clauses, else (unless ``strict``) those of the whole sentence."""
    offset = sentence.span[0]
    inside = tuple(
        t
        for t in sentence.times
        if any(start <= t.span[0] - offset and t.span[1] - offset <= end for start, end in spans)
    )
    return inside if inside or strict else sentence.times


class _Reader:
    """Finds the clauses of one sentence that are about one subject."""

    def __init__(self, told: Told, subject: str, people: Collection[str], topic: str | None, thing: bool) -> None:
        self._told = told
        self._thing = thing
        self._elsewhere = topic is not None and not same_subject(topic, subject)
        self._continues = topic is not None and same_subject(topic, subject)
        self._subject = subject
        self._text = told.sentence.text
        self._low = lowered(self._text)
        self._is_speaker = same_subject(told.turn.speaker, subject)
        self._named = occurrences(self._text, subject)
        self._others = {_bare(name) for name in people} - {_bare(subject), _bare(told.turn.speaker)}
        self._referents = Referents(told.turn.speaker, tuple)

    def clauses(self) -> list[Clause]:
        offset = self._told.sentence.span[0]
        times = [(t.span[0] - offset, t.span[1] - offset) for t in self._told.sentence.times]
        opening = _ATTENTION.match(self._text)
        tokens = tokenize(self._text, opening.end() if opening else 0, times=times)
        parts = clauses(tokens)
        has_verb = any(clause.verb for clause in parts)
        barred = self._reported(parts) | self._trips(parts) | {i for i in range(len(parts)) if unreal(parts, i)}
        mine: list[Clause] = []
        before: bool | None = None
        for place, clause in enumerate(parts):
            if clause.opener in _UNASSERTED:
                before = False
                continue
            about = self._about(clause, before, tokens, has_verb=has_verb)
            if clause.verb is None and place - 1 in barred and parts[place - 1].verb is not None:
                barred.add(place)  # "I keep looking at electric ones, that little Renault"
            if about and place not in barred:
                # "Oslo is where she lives": what a relative clause says, it says of the clause before.
                mine += [parts[place - 1]] if place and clause.opener == "where" and not before else []
                mine.append(clause)
            if clause.verb is not None:
                before = about
        return mine

    def _reported(self, parts: Sequence[Clause]) -> set[int]:
        """The clauses that tell what others say, think or want: from the one that reports on, up to a "but" or to what the
        speaker says of themselves. What the subject says of themselves is no rumour."""
        rumour = RUMOUR.search(self._low)
        if rumour and rumour[0].endswith(" if"):
            return set(range(len(parts)))  # "..., no idea if it's true"
        found: set[int] = set()
        reporting = False
        for place, clause in enumerate(parts):
            subject = clause.subjects[0] if clause.subjects else None
            mine = subject is not None and subject.head in FIRST_PERSON
            if clause.opener == "but" or (mine and clause.opener != "that"):
                reporting = False
            if RUMOUR.search(self._low[slice(*clause.span)]):
                reporting = True
            elif reports(clause) and subject is not None and not mine:
                if subject.head == "you" or self._refers(subject):
                    continue
                reporting = True
                governs = clause.rest or (place + 1 < len(parts) and parts[place + 1].opener == "that")
                if place and not governs:
                    found.add(place - 1)  # "..., Tom says"
            if reporting:
                found.add(place)
        return found

    def _trips(self, parts: Sequence[Clause]) -> set[int]:
        """The clauses that tell of a trip or a visit; where a piece without a verb does, also the one before it."""
        found: set[int] = set()
        for place, clause in enumerate(parts):
            if TRIP.search(self._low[slice(*clause.span)]):
                found |= {place} if clause.verb is not None else {place, place - 1}
        return found

    def _about(self, clause: Clause, before: bool | None, tokens: Sequence[Token], *, has_verb: bool) -> bool:
        named = any(self._owns_more(start, end) for start, end in self._named if _inside(clause, start))
        if clause.verb is None:
            if named or (has_verb and before is not None):
                return named or bool(before)
            if has_verb or self._other_in(clause):
                return False
            return self._continues or (self._is_speaker and not self._elsewhere and _is_headline(tokens))
        if clause.elliptic:
            return named or bool(before) or (before is None and self._leads())
        if any(self._refers(phrase) for phrase in clause.subjects) or (clause.inherited and before):
            return True
        return named and (self._thing or not any(self._is_person(phrase) for phrase in clause.subjects))

    def _leads(self) -> bool:
        """Whether a sentence without a subject is about the subject: the topic goes on, or the speaker is meant."""
        return self._continues or (self._is_speaker and not self._elsewhere)

    def _owns_more(self, start: int, end: int) -> bool:
        """Whether the name stands for itself and not only for the owner of a relative ("Ann's sister")."""
        after = re.match(r"['’]s?\s+(?:\w+\s+)?(\w+)", self._text[end:])
        return not (after and _is_relation(after[1]))

    def _refers(self, phrase: NounPhrase) -> bool:
        """Whether a grammatical subject is the subject asked about, or a thing of theirs."""
        if not phrase.words:
            return False
        if phrase.is_pronoun:
            if phrase.head in FIRST_PERSON:
                return self._is_speaker
            entities = self._told.sentence.entities
            known = self._continues or any(same_subject(entity, self._subject) for entity in entities)
            if {_GENDERS.get(phrase.head, "n"), gender(self._subject)} == {"f", "m"}:
                return False
            return known and not self._is_speaker and phrase.head in _THIRD_PERSON | {"it"} and not self._rival(phrase)
        who = person(phrase, self._referents, initial=False)
        if who is not None and same_subject(who, self._subject):
            return True
        start, end = phrase.span
        if any(start <= at < end for at, _ in self._named):
            return True
        if any(_is_relation(word.low) for word in phrase.words):
            return False
        if phrase.possessor is not None:
            owner = phrase.possessor.span
            return any(owner[0] <= at < owner[1] for at, _ in self._named)
        return phrase.determiner in ("my", "our") and self._is_speaker

    def _rival(self, phrase: NounPhrase) -> bool:
        """Whether another known person is named before the pronoun, later than the subject."""
        before = normalise(self._text[: phrase.span[0]])
        mine = before.rfind(_bare(self._subject))
        return any(re.search(rf"\b{re.escape(name)}\b", before[max(mine, 0) :]) for name in self._others if name)

    def _is_person(self, phrase: NounPhrase) -> bool:
        if phrase.is_pronoun:
            return phrase.head in FIRST_PERSON | {"he", "she", "you", "everyone", "everybody"}
        return (
            any(_is_relation(word.low) for word in phrase.words)
            or _bare(" ".join(w.low for w in phrase.words)) in self._others
        )

    def _other_in(self, clause: Clause) -> bool:
        words = normalise(" ".join(token.low for token in clause.tokens))
        return any(re.search(rf"\b{re.escape(name)}\b", words) for name in self._others if name)


def _is_headline(tokens: Sequence[Token]) -> bool:
    """A sentence of a few words with a time, no verb and no pronoun: "New job at Acme since Monday!", "Leeds, since May"."""
    lows = [token.low for token in tokens if token.kind == "word"]
    dated = any(token.kind == "time" for token in tokens)
    return dated and len(lows) <= 6 and not any(low in PRONOUNS or low in POSSESSIVES for low in lows)


def _inside(clause: Clause, at: int) -> bool:
    start, end = clause.span
    return start <= at < end


def _is_relation(word: str) -> bool:
    return is_kin(word.lower()) or is_plural_kin(word.lower())
