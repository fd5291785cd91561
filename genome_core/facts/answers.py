"""Answering a question from facts and sentences on one time axis.

Facts are sure but few; sentences about the same thing are many and unsure. Both become entries of one log (see ``candidates``)
and are resolved together, so that a sentence which no rule understood still ends the window before it. Where the deciding
entry gives no sure value, the answer is the sentence itself and its date: evidence, never a made-up value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.candidates import Candidate, Told, candidates, same_subject
from genome_core.facts.likeness import Prototypes
from genome_core.facts.log import MIN_CERTAINTY, Basis, Knowledge, Window, knowledge, timeline, value_key
from genome_core.facts.questions import Mode, Question, Relation
from genome_core.facts.sentences import said_at
from genome_core.facts.wording import say_duration, say_span
from genome_core.facts.words import tokenize
from genome_core.types import Fact, FactKind, TimeSpan

RELATED: Mapping[str, tuple[str, ...]] = {
    "partner": ("relationship_status",),
    "relationship_status": ("partner",),
    "role": ("employer",),
    "employer": ("role",),
}
"""Attributes whose sentences can serve as evidence for each other, never as a value."""


class Rests(StrEnum):
    """What an answer rests on."""

    FACTS = "facts"
    SENTENCES = "sentences"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence that an answer rests on."""

    source: str
    """Id of the record that holds it."""
    text: str
    when: TimeSpan | None
    """When what it says began (or ended), as resolved; None if it does not tell."""
    said: datetime


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known about a question.

    ``unknown`` is True where the log has never heard of it; a value that is known to have ended or never to have been so gives
    ``value`` None with ``unknown`` False. ``value`` None with ``evidence`` means: these sentences speak of it, read them.
    """

    question: Question
    value: str | None = None
    """The answer in words; several values that hold together are joined."""
    values: tuple[str, ...] = ()
    """All values asked for, in order of time."""
    window: Window | None = None
    certainty: float = 0.0
    facts: tuple[Fact, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    rests: Rests = Rests.NONE
    unknown: bool = True


def answer(
    question: Question,
    facts: Iterable[Fact],
    sentences: Sequence[Told] = (),
    *,
    table: AttributeTable | None = None,
    prototypes: Prototypes | None = None,
    people: Collection[str] = (),
    known_at: datetime | None = None,
    believer: str = "",
) -> Answer:
    """Answer ``question`` from ``facts`` and ``sentences`` about its subject (others are passed over).

    ``prototypes`` (with an embedder behind them) find sentences in words that no cue foresees; without them cues decide alone.
    ``people`` are the names of the scope. ``known_at`` leaves out facts recorded and sentences said later.
    """
    table = table or AttributeTable()
    if question.subject is None:
        return Answer(question)
    mine = [fact for fact in facts if same_subject(fact.subject, question.subject)]
    view = _View(question, mine, sentences, table, prototypes, people, known_at, believer)
    slots = [view.slot(name) for name in _asked(question, view)]
    if not slots:
        return Answer(question)
    found = _first(_answered(slot) for slot in slots)
    if found.value is None and not found.evidence and question.attributes:
        for name in RELATED.get(question.attributes[0], ()):
            related = _answered(view.slot(name))
            if related.evidence:
                return Answer(question, evidence=related.evidence, rests=Rests.SENTENCES)
    return found


def _first(answers: Iterable[Answer]) -> Answer:
    """The first answer with a value, else the first with evidence, else the first."""
    tried = list(answers)
    by_value = next((a for a in tried if a.value is not None), None)
    return by_value or next((a for a in tried if a.evidence), None) or tried[0]


def _asked(question: Question, view: _View) -> list[str]:
    """The attributes to look at: the best one, or, where the question names a value ("When did he sell the Golf?"), the one
    that has it."""
    names = list(question.attributes)
    by_value = question.mode in (Mode.WHEN, Mode.HOW_LONG, Mode.WHETHER, Mode.EVER)
    if by_value or question.anchor is not None:
        words = _words(question.anchor or question.text)
        holders = {f.attribute for f in view.facts if f.value and _mentioned(f.value, words)}
        strict = question.mode in (Mode.WHETHER, Mode.EVER) and names[:1] not in ([], ["possession"])
        known = [name for name in holders if name in names or not strict]
        if known:
            return sorted(known, key=lambda name: (names.index(name) if name in names else len(names), name))
    return names[:1]


# --- one attribute of the subject ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _View:
    """What is given, from which the slots are made."""

    question: Question
    facts: Sequence[Fact]
    sentences: Sequence[Told]
    table: AttributeTable
    prototypes: Prototypes | None
    people: Collection[str]
    known_at: datetime | None
    believer: str

    def slot(self, attribute: str) -> _Slot:
        read = candidates(
            self.question.subject or "",
            attribute,
            self.facts,
            [
                t
                for t in self.sentences
                if self.known_at is None or (t.turn.created_at or said_at(t.turn)) <= self.known_at
            ],
            table=self.table,
            prototypes=self.prototypes,
            people=self.people,
            believer=self.believer,
        )
        own = [f for f in self.facts if f.attribute == attribute and not any(c.dates(f) for c in read)]
        many = self.table.is_many(attribute)
        entries = [*own, *(candidate.fact for candidate in read)]
        windows = timeline(entries, many=many, known_at=self.known_at, believer=self.believer)
        return _Slot(self, attribute, many, tuple(entries), windows, {id(c.fact): c for c in read})


@dataclass(frozen=True)
class _Slot:
    view: _View
    attribute: str
    many: bool
    entries: tuple[Fact, ...]
    windows: list[Window]
    read: Mapping[int, Candidate]
    """The candidates by the identity of the entry that stands for each."""

    @property
    def question(self) -> Question:
        return self.view.question

    def value(self, window: Window) -> str | None:
        """The window's value where it is sure: by a fact, or by a sentence that can be read in one way only."""
        candidate = self.read.get(id(window.facts[0]))
        return window.value if candidate is None else candidate.value

    def rests(self, windows: Sequence[Window]) -> Rests:
        if not windows:
            return Rests.NONE
        by_facts = all(any(id(f) not in self.read for f in w.facts) for w in windows)
        return Rests.FACTS if by_facts else Rests.SENTENCES

    def evidence(self, windows: Sequence[Window]) -> tuple[Evidence, ...]:
        """The sentences behind the windows, those that began them first."""
        found: dict[tuple[str, str], Evidence] = {}
        for window in windows:
            for fact in window.facts:
                if fact.source is not None:
                    text = self._text(fact)
                    found.setdefault((fact.source, text), Evidence(fact.source, text, fact.valid_from, fact.at))
        return tuple(found.values())

    def _text(self, fact: Fact) -> str:
        candidate = self.read.get(id(fact))
        if candidate is not None:
            return candidate.told.sentence.text
        place = fact.span or (0, 0)
        mine = [t.sentence for t in self.view.sentences if t.turn.id == fact.source]
        return next((s.text for s in mine if s.span[0] <= place[0] < s.span[1]), mine[0].text if mine else "")

    def knowledge(self, at: datetime) -> Knowledge:
        return knowledge(self.entries, at, many=self.many, known_at=self.view.known_at, believer=self.view.believer)

    def build(self, value: str | None, windows: Sequence[Window], values: Sequence[str] = ()) -> Answer:
        facts = tuple(f for w in windows for f in w.facts if id(f) not in self.read)
        return Answer(
            self.question,
            value=value,
            values=tuple(values) or ((value,) if value is not None else ()),
            window=windows[0] if windows else None,
            certainty=min((w.certainty for w in windows), default=0.0),
            facts=facts,
            evidence=self.evidence(windows),
            rests=self.rests(windows),
            unknown=not windows,
        )


# --- by kind of question -------------------------------------------------------------------------------------------


def _answered(slot: _Slot) -> Answer:
    handlers = {
        Mode.HISTORY: _history,
        Mode.FIRST: _first_value,
        Mode.PREVIOUS: _previous,
        Mode.WHEN: _when,
        Mode.HOW_LONG: _how_long,
        Mode.HOW_MANY: _how_many,
        Mode.WHETHER: _whether,
        Mode.EVER: _ever,
    }
    return handlers.get(slot.question.mode, _value)(slot)


def _value(slot: _Slot) -> Answer:
    question = slot.question
    if question.anchor is not None:
        return _beside(slot, question.anchor)
    if question.relation is Relation.AFTER:
        later = [w for w in slot.windows if w.ends is None or w.ends > question.when.start]
        return _of(slot, later[:1])
    moment = question.when
    if question.relation is Relation.BEFORE:
        just_before = moment.start - timedelta(microseconds=1)
        moment = TimeSpan(just_before, just_before, moment.precision)
    elif question.past and not question.dated and not slot.many:
        return _of(slot, _past(slot.windows, question.now))
    return _at(slot, moment)


def _at(slot: _Slot, moment: TimeSpan) -> Answer:
    """What held at a moment, or for the most part of a stretch."""
    holding = [w for w in slot.windows if w.overlap(moment) > 0]
    if slot.many:
        return _together(slot, holding, moment)
    if holding:
        best = max(holding, key=lambda w: (w.overlap(moment), w.begins))
        return _of(slot, [best, *(w for w in holding if w is not best)])
    between = _last_seen(slot, moment)
    if between is not None:
        return _of(slot, [between])
    if slot.knowledge(moment.start) is Knowledge.NONE:
        ended = [w for w in slot.windows if w.ends is not None and w.ends <= moment.start]
        return _none(slot, ended[-1] if ended else None)
    return _undated(slot, moment)


def _none(slot: _Slot, ended: Window | None) -> Answer:
    """It is known that nothing holds; the window is the one that ended last."""
    facts = ended.facts if ended else ()
    own = tuple(fact for fact in facts if id(fact) not in slot.read)
    rests = slot.rests([ended] if ended else [])
    return Answer(slot.question, window=ended, facts=own, rests=rests, unknown=False)


def _last_seen(slot: _Slot, moment: TimeSpan) -> Window | None:
    """ "Back in May she was driving a van", and in December she got a car: nobody said that the van went in May. Between two
    things told, what was seen last still stands; after the last one it does not."""
    before = [w for w in slot.windows if w.ends is not None and w.ends <= moment.start]
    later = any(w.begins >= moment.end for w in slot.windows)
    if not before or not later:
        return None
    last = before[-1]
    seen_only = last.end is not None and last.end == last.start and all(fact.extractor for fact in last.facts)
    return last if seen_only else None


def _undated(slot: _Slot, moment: TimeSpan) -> Answer:
    """Nothing is known to hold. What was first said to hold later, since nobody knows when, may have held already."""
    for window in slot.windows:
        if window.begins >= moment.end and window.basis is not Basis.DATED and window.start is None:
            return Answer(slot.question, evidence=slot.evidence([window]), rests=Rests.SENTENCES)
    return Answer(slot.question)


def _of(slot: _Slot, windows: Sequence[Window]) -> Answer:
    """The first window's value; the others held in the same stretch too."""
    if not windows:
        return Answer(slot.question)
    value = slot.value(windows[0])
    ordered = sorted(windows, key=lambda w: w.begins)
    values = [v for w in ordered if (v := slot.value(w)) is not None]
    built = slot.build(value, windows[:1])
    return built if value is None else slot.build(value, windows[:1], values)


def _together(slot: _Slot, holding: Sequence[Window], moment: TimeSpan) -> Answer:
    """Values of an attribute that can have many: all that hold."""
    if not holding:
        known = slot.knowledge(moment.start)
        return _undated(slot, moment) if known is Knowledge.UNKNOWN else _none(slot, None)
    sure = [(w, v) for w in holding if (v := slot.value(w)) is not None]
    if not sure:
        return slot.build(None, holding)
    values = list(dict.fromkeys(v for _, v in sure))
    return slot.build(_listed(values), [w for w, _ in sure], values)


def _past(windows: Sequence[Window], now: datetime) -> list[Window]:
    """ "Where did she live?": what ended last, or what holds if nothing has ended."""
    begun = [w for w in windows if w.begins <= now]
    ended = [w for w in begun if w.ends is not None and w.ends <= now]
    return ended[-1:] or begun[-1:]


def _beside(slot: _Slot, anchor: str) -> Answer:
    """The value before or after the one named."""
    words = _words(anchor)
    places = [i for i, w in enumerate(slot.windows) if _mentioned(w.value, words)]
    if not places:
        return Answer(slot.question)
    if slot.question.relation is Relation.BEFORE:
        return _of(slot, slot.windows[max(places[0] - 1, 0) : places[0]])
    return _of(slot, slot.windows[places[-1] + 1 : places[-1] + 2])


def _begun(slot: _Slot) -> list[Window]:
    """The windows begun by now, and within the stretch asked about if one is named."""
    question = slot.question
    begun = [w for w in slot.windows if w.begins <= question.now]
    if not question.dated:
        return begun
    if question.relation is Relation.BEFORE:
        return [w for w in begun if w.begins < question.when.start]
    if question.relation is Relation.AFTER:
        return [w for w in begun if w.ends is None or w.ends > question.when.start]
    return [w for w in begun if w.overlap(question.when) > 0]


def _history(slot: _Slot) -> Answer:
    """All values in order, only where every one is sure: a list with a gap would be a wrong list."""
    windows = _begun(slot)
    values = [slot.value(w) for w in windows]
    sure = [v for v in values if v is not None]
    if not windows or len(sure) < len(values):
        return slot.build(None, windows)
    return slot.build(_listed(sure), windows, sure)


def _first_value(slot: _Slot) -> Answer:
    return _of(slot, _begun(slot)[:1])


def _previous(slot: _Slot) -> Answer:
    now = slot.question.now
    ended = [w for w in slot.windows if w.ends is not None and w.ends <= now]
    return _of(slot, ended[-1:])


def _named(slot: _Slot) -> list[Window]:
    """The windows whose value the question names."""
    words = _words(slot.question.text)
    return [w for w in slot.windows if _mentioned(w.value, words)]


def _when(slot: _Slot) -> Answer:
    named = _named(slot)
    begun = [w for w in slot.windows if w.begins <= slot.question.now]
    chosen = named[-1:] or begun[-1:]
    if not chosen:
        return Answer(slot.question)
    window = chosen[0]
    if slot.question.ended and window.ends is not None:
        span = window.end
    else:
        span = window.start if window.basis is Basis.DATED else None
    return slot.build(None if span is None else say_span(span), chosen)


def _how_long(slot: _Slot) -> Answer:
    """From the middle of the stretch in which it began to its end, or to the time asked about."""
    question = slot.question
    moment = question.when if question.dated and question.relation is Relation.AT else None
    until = moment.end if moment else question.now
    chosen = (_named(slot) or [w for w in slot.windows if w.holds_at(moment.start if moment else until)])[-1:]
    if not chosen:
        return Answer(question)
    window = chosen[0]
    if window.basis is not Basis.DATED or window.start is None:
        return slot.build(None, chosen)
    begun = window.start.start + (window.start.end - window.start.start) / 2
    end = until if window.ends is None else min(window.ends, until)
    rough = window.start.end - window.start.start > timedelta(days=200)
    return slot.build(say_duration(begun, end, rough=rough), chosen)


def _how_many(slot: _Slot) -> Answer:
    question = slot.question
    windows = _begun(slot)
    if slot.many and not question.dated:
        windows = [w for w in windows if w.holds_at(question.now)]
    values = [slot.value(w) for w in windows]
    if not windows or None in values:
        return slot.build(None, windows)
    distinct = list(dict.fromkeys(value_key(v) for v in values if v))
    return slot.build(str(len(distinct)), windows, [v for v in values if v])


def _whether(slot: _Slot) -> Answer:
    """Yes or no about the time asked. Two values to choose from ("engaged or married?") are answered by the one that held."""
    found = _at(slot, slot.question.when)
    words = _words(slot.question.text)
    if found.value is None or found.window is None:
        saying = _saying(slot, [w for w in slot.windows if w.overlap(slot.question.when) > 0])
        if saying:
            return slot.build("yes", saying)
        ended = not found.unknown and not found.evidence
        if _denied(slot, words) or (ended and (_named(slot) or not _names_value(slot))):
            return replace(found, value="no", values=("no",), certainty=1.0, unknown=False)
        return found
    if "or" in words:
        return found
    yes = any(_mentioned(value, words) for value in found.values) or not _names_value(slot)
    if not yes and slot.many and not _denied(slot, words):
        return Answer(slot.question, evidence=found.evidence, rests=found.rests)
    holding = [w for w in slot.windows if w.overlap(slot.question.when) > 0]
    return slot.build("yes" if yes else "no", holding)


def _ever(slot: _Slot) -> Answer:
    words = _words(slot.question.text)
    named = [w for w in _begun(slot) if _mentioned(w.value, words)]
    if named:
        return slot.build("yes", named)
    denials = _denied(slot, words)
    if denials:
        evidence = tuple(Evidence(f.source or "", slot._text(f), f.valid_from, f.at) for f in denials)
        return Answer(slot.question, "no", ("no",), None, 1.0, denials, evidence, Rests.FACTS, unknown=False)
    saying = _saying(slot, _begun(slot))
    if saying:
        return slot.build("yes", saying)
    unsure = [w for w in _begun(slot) if slot.value(w) is None]
    return slot.build(None, unsure) if unsure else Answer(slot.question)


def _denied(slot: _Slot, words: Collection[str]) -> tuple[Fact, ...]:
    """Entries that say it was never so: a denial, or what was said and then taken back or corrected."""
    named = [f for f in slot.entries if f.value is not None and _mentioned(f.value, words)]
    standing = {id(fact) for window in slot.windows for fact in window.facts}
    firm = (f for f in named if f.certainty >= MIN_CERTAINTY)
    return tuple(
        f
        for f in firm
        if f.kind is FactKind.RETRACTION or (f.kind is FactKind.ASSERTION and id(f) not in standing and not f.valid_to)
    )


def _saying(slot: _Slot, windows: Sequence[Window]) -> list[Window]:
    """The windows of sentences without a value of their own that name the value asked for."""
    names = {t.low for t in tokenize(slot.question.text)[1:] if t.capital} - _words(slot.question.subject or "")
    unread = [w for w in windows if slot.value(w) is None]
    return [w for w in unread if any(names & _words(e.text) for e in slot.evidence([w]))]


def _names_value(slot: _Slot) -> bool:
    """Whether a yes-or-no question asks for a certain value ("a dog?"), not for any ("a pet?")."""
    asked = _words(slot.question.text) - _words(slot.question.subject or "")
    known = slot.view.table.get(slot.attribute)
    cues = _words(" ".join((slot.attribute, *known.aliases, *known.cues, *known.questions))) if known else frozenset()
    named = {w for w in asked if w not in cues}
    return any(token.capital for token in tokenize(slot.question.text)[1:] if token.low in named) or bool(
        named - _FUNCTION_WORDS
    )


_FUNCTION_WORDS = frozenset(
    "a an the is are was were be been does do did has have had at in on to for of with by or and any ever now still currently "
    "today then this that there his her their its my your our as from s not n't yet".split()
)


def _words(text: str) -> frozenset[str]:
    return frozenset(token.low for token in tokenize(text) if token.kind in ("word", "number"))


def _mentioned(value: str, words: Collection[str]) -> bool:
    """Whether a value stands in a text, by its telling words: a name for a longer name is enough ("Golf")."""
    own = [token for token in tokenize(value) if token.kind in ("word", "number") and token.low not in _FUNCTION_WORDS]
    names = [token.low for token in own if token.capital]
    telling = names or [token.low for token in own]
    return any(word in words for word in telling) if names else bool(telling) and all(w in words for w in telling)


def _listed(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
