"""From a slot to an answer, by the kind of question."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from genome_core.facts.candidates import when
from genome_core.facts.log import MIN_CERTAINTY, Basis, Knowledge, Window, value_key
from genome_core.facts.nouns import kinds_of_word
from genome_core.facts.questions import Mode, Relation
from genome_core.facts.slots import Answer, Evidence, Rests, Slot
from genome_core.facts.wording import say_duration, say_span
from genome_core.facts.words import tokenize
from genome_core.types import Fact, FactKind, TimeSpan


def answered(slot: Slot) -> Answer:
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


def _value(slot: Slot) -> Answer:
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


def _at(slot: Slot, moment: TimeSpan) -> Answer:
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


def _none(slot: Slot, ended: Window | None) -> Answer:
    """It is known that nothing holds; the window is the one that ended last."""
    facts = ended.facts if ended else ()
    own = tuple(fact for fact in facts if id(fact) not in slot.read)
    rests = slot.rests([ended] if ended else [])
    return Answer(slot.question, window=ended, facts=own, rests=rests, unknown=False)


def _last_seen(slot: Slot, moment: TimeSpan) -> Window | None:
    """ "Back in May she was driving a van", and in December she got a car: nobody said that the van went in May. Between two
    things told, what was seen last still stands; after the last one it does not."""
    before = [w for w in slot.windows if w.ends is not None and w.ends <= moment.start]
    later = any(w.begins >= moment.end for w in slot.windows)
    if not before or not later:
        return None
    last = before[-1]
    seen_only = last.end is not None and last.end == last.start and all(fact.extractor for fact in last.facts)
    return last if seen_only else None


def _undated(slot: Slot, moment: TimeSpan) -> Answer:
    """Nothing is known to hold. What was first said to hold later, since nobody knows when, may have held already."""
    for window in slot.windows:
        if window.begins >= moment.end and window.basis is not Basis.DATED and window.start is None:
            return Answer(slot.question, evidence=slot.evidence([window]), rests=Rests.SENTENCES)
    return Answer(slot.question)


def _of(slot: Slot, windows: Sequence[Window]) -> Answer:
    """The first window's value; the others held in the same stretch too."""
    if not windows:
        return Answer(slot.question)
    value = slot.value(windows[0])
    ordered = sorted(windows, key=lambda w: w.begins)
    values = [v for w in ordered if (v := slot.value(w)) is not None]
    built = slot.build(value, windows[:1])
    return built if value is None else slot.build(value, windows[:1], values)


def _together(slot: Slot, holding: Sequence[Window], moment: TimeSpan) -> Answer:
    """Values of an attribute that can have many: all that hold."""
    if not holding:
        known = slot.knowledge(moment.start)
        return _undated(slot, moment) if known is Knowledge.UNKNOWN else _none(slot, None)
    sure = [(w, v) for w in _since_replaced(slot, holding) if (v := slot.value(w)) is not None]
    if not sure:
        return slot.build(None, holding)
    values = list(dict.fromkeys(v for _, v in sure))
    return slot.build(listed(values), [w for w, _ in sure], values)


def _since_replaced(slot: Slot, holding: Sequence[Window]) -> Sequence[Window]:
    """The windows from the last one on that was told to come in place of others ("I go swimming instead")."""
    told = [
        w.begins
        for w in holding
        if any(_REPLACES.search(e.text) and e.said >= w.begins for e in slot.evidence([w])[:1])
    ]
    return [w for w in holding if w.begins >= max(told)] if told else holding


_REPLACES = re.compile(
    r"\binstead\b(?! of\b)|\b(?:switch|chang|swapp?|convert)(?:ed|es|ing)?\b[^.;!?]{0,40}\b(?:to|for)\b", re.I
)


def _past(windows: Sequence[Window], now: datetime) -> list[Window]:
    """ "Where did she live?": what ended last, or what holds if nothing has ended."""
    begun = [w for w in windows if w.begins <= now]
    ended = [w for w in begun if w.ends is not None and w.ends <= now]
    return ended[-1:] or begun[-1:]


def _beside(slot: Slot, anchor: str) -> Answer:
    """The value before or after the one named."""
    words = words_of(anchor)
    places = [i for i, w in enumerate(slot.windows) if mentioned(w.value, words)]
    if not places:
        return Answer(slot.question)
    if slot.question.relation is Relation.BEFORE:
        return _of(slot, slot.windows[max(places[0] - 1, 0) : places[0]])
    return _of(slot, slot.windows[places[-1] + 1 : places[-1] + 2])


def _begun(slot: Slot) -> list[Window]:
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


def _history(slot: Slot) -> Answer:
    """All values in order, only where every one is sure: a list with a gap would be a wrong list."""
    windows = _begun(slot)
    values = [slot.value(w) for w in windows]
    sure = [v for v in values if v is not None]
    if not windows or len(sure) < len(values):
        return slot.build(None, windows)
    return slot.build(listed(sure), windows, sure)


def _first_value(slot: Slot) -> Answer:
    return _of(slot, _begun(slot)[:1])


def _previous(slot: Slot) -> Answer:
    now = slot.question.now
    ended = [w for w in slot.windows if w.ends is not None and w.ends <= now]
    return _of(slot, ended[-1:])


def _named(slot: Slot) -> list[Window]:
    """The windows whose value the question names."""
    words = words_of(slot.question.text)
    return [w for w in slot.windows if mentioned(w.value, words)]


def _when(slot: Slot) -> Answer:
    named = _named(slot)
    begun = [w for w in slot.windows if w.begins <= slot.question.now]
    chosen = named[-1:] or _saying(slot, begun)[-1:] or ([] if _names_value(slot) else begun[-1:])
    if not chosen:
        return Answer(slot.question)
    window = chosen[0]
    if slot.question.ended and (window.ends is None or _ends_undated(slot, window)):
        return Answer(slot.question)  # when it began is no answer to when it ended
    if slot.question.ended:
        span = window.end
    else:
        span = window.start if window.basis is Basis.DATED else _told_beside(slot, window)
    # A turn that tells no time holds no answer to "when".
    return Answer(slot.question) if span is None else slot.build(say_span(span), chosen)


def _ends_undated(slot: Slot, window: Window) -> bool:
    """Whether it was only said to be over by then: the day of telling is not the day of the end."""
    ends = [f for f in slot.entries if f.kind is FactKind.END and f.at == window.ends]
    return bool(ends) and all(f.valid_from is None for f in ends)


def _told_beside(slot: Slot, window: Window) -> TimeSpan | None:
    """The one time that the rest of the turn tells: "A new job! Started on Monday"."""
    fact = window.facts[0]
    turn = [one for one in slot.view.known if one.turn.id == fact.source]
    spans = [span for one in turn if (span := when(one.sentence.times)[0]) is not None and span.start <= fact.at]
    return spans[0] if len(spans) == 1 else None


def _how_long(slot: Slot) -> Answer:
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
    undated = [f for f in slot.entries if f.kind is FactKind.END and f.valid_from is None and f.at == window.ends]
    if undated and window.ends is not None and window.ends <= until:
        return Answer(
            question, evidence=_said_by(slot, undated), rests=Rests.FACTS
        )  # over by then, since when is not told
    begun = window.start.start + (window.start.end - window.start.start) / 2
    end = until if window.ends is None else min(window.ends, until)
    rough = window.start.end - window.start.start > timedelta(days=200)
    return slot.build(say_duration(begun, end, rough=rough), chosen)


def _how_many(slot: Slot) -> Answer:
    question = slot.question
    windows = _begun(slot)
    if slot.many and not question.dated:
        windows = [w for w in windows if w.holds_at(question.now)]
    values = [slot.value(w) for w in windows]
    if not windows or None in values:
        return slot.build(None, windows)
    distinct = list(dict.fromkeys(value_key(v) for v in values if v))
    return slot.build(str(len(distinct)), windows, [v for v in values if v])


def _whether(slot: Slot) -> Answer:
    """Yes or no about the time asked. Two values to choose from ("engaged or married?") are answered by the one that held."""
    found = _at(slot, slot.question.when)
    words = words_of(slot.question.text)
    if found.value is None or found.window is None:
        saying = _saying(slot, [w for w in slot.windows if w.overlap(slot.question.when) > 0])
        if saying:
            return slot.build("yes", saying)
        if found.evidence and _names_value(slot):
            return Answer(slot.question)
        ended = not found.unknown and not found.evidence
        if _denied(slot, words) or _stopped(slot, words) or (ended and (_named(slot) or not _names_value(slot))):
            return replace(found, value="no", values=("no",), certainty=1.0, unknown=False)
        return found
    if "or" in words:
        return found
    yes = any(mentioned(value, words) for value in found.values) or not _names_value(slot)
    if not yes and slot.many and not _denied(slot, words):
        saying = _saying(slot, [w for w in slot.windows if w.overlap(slot.question.when) > 0])
        return slot.build("yes", saying) if saying else Answer(slot.question)
    holding = [w for w in slot.windows if w.overlap(slot.question.when) > 0]
    return slot.build("yes" if yes else "no", holding)


def _ever(slot: Slot) -> Answer:
    words = words_of(slot.question.text)
    named = [w for w in _begun(slot) if mentioned(w.value, words) and slot.rests([w]) is Rests.FACTS]
    if named:
        return slot.build("yes", named)
    denials = _denied(slot, words)
    if denials:
        said = _said_by(slot, denials)
        return Answer(slot.question, "no", ("no",), None, 1.0, denials, said, Rests.FACTS, unknown=False)
    return Answer(slot.question)


def _said_by(slot: Slot, facts: Sequence[Fact]) -> tuple[Evidence, ...]:
    return tuple(Evidence(f.source or "", slot.text_of(f), f.valid_from, f.at) for f in facts)


def _denied(slot: Slot, words: Collection[str]) -> tuple[Fact, ...]:
    """Entries that say it was never so: a denial, or what was said and then taken back or corrected."""
    named = [f for f in slot.entries if f.value is not None and mentioned(f.value, words)]
    standing = {id(fact) for window in slot.windows for fact in window.facts}
    firm = (f for f in named if f.certainty >= MIN_CERTAINTY)
    return tuple(
        f
        for f in firm
        if f.kind is FactKind.RETRACTION or (f.kind is FactKind.ASSERTION and id(f) not in standing and not f.valid_to)
    )


def _stopped(slot: Slot, words: Collection[str]) -> bool:
    """Whether a fact says that what the question names is over, though nobody said when it began: "I have given up the choir"."""
    until = slot.question.when.end
    named = [
        f for f in slot.entries if f.value is not None and mentioned(f.value, words) and f.certainty >= MIN_CERTAINTY
    ]
    last = max(named, key=lambda f: f.valid_from.start if f.valid_from else f.at, default=None)
    return (
        last is not None
        and last.kind is FactKind.END
        and (last.valid_from.start if last.valid_from else last.at) <= until
    )


def _saying(slot: Slot, windows: Sequence[Window]) -> list[Window]:
    """The windows by sentences that name the value asked for, whatever value was read in them."""
    names = {t.low for t in tokenize(slot.question.text)[1:] if t.capital} - {
        "i",
        *words_of(slot.question.subject or ""),
    }
    by_sentence = [w for w in windows if slot.rests([w]) is Rests.SENTENCES]
    return [w for w in by_sentence if any(names & words_of(e.text) for e in slot.evidence([w]))]


def _names_value(slot: Slot) -> bool:
    """Whether a yes-or-no question asks for a certain value ("a dog?"), not for any ("a pet?")."""
    asked = words_of(slot.question.text) - words_of(slot.question.subject or "") - {"i", "my", "me"}
    known = slot.view.table.get(slot.attribute)
    cues = words_of(" ".join((slot.attribute, *known.aliases, *known.cues, *known.questions))) if known else frozenset()
    named = {w for w in asked if w not in cues or kinds_of_word(w) & _TELLING_KINDS}
    return any(token.capital for token in tokenize(slot.question.text)[1:] if token.low in named) or bool(
        named - FUNCTION_WORDS
    )


_TELLING_KINDS = frozenset(["diet", "status"])
"""Kinds whose words are values themselves: "a vegetarian", unlike "a car"."""
FUNCTION_WORDS = frozenset(
    "a an the is are was were be been does do did has have had at in on to for of with by or and any ever now still currently "
    "today then this that there his her their its my your our as from s not n't yet".split()
)


def words_of(text: str) -> frozenset[str]:
    """The words of a text, and the base forms of its verbs."""
    tokens = [token for token in tokenize(text) if token.kind in ("word", "number")]
    return frozenset(token.low for token in tokens) | {lemma for token in tokens for lemma, _ in token.forms}


def mentioned(value: str, words: Collection[str]) -> bool:
    """Whether a value stands in a text, by its telling words: a name for a longer name is enough ("Golf")."""
    own = [token for token in tokenize(value) if token.kind in ("word", "number") and token.low not in FUNCTION_WORDS]
    names = [token.low for token in own if token.capital]
    if names:
        return any(name in words for name in names)
    telling = [token for token in own if token.kind == "word"] or own
    return bool(telling) and all(t.low in words or any(lemma in words for lemma, _ in t.forms) for t in telling)


def listed(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
