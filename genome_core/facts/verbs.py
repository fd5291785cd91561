"""Verb groups: auxiliaries, main verb and what stands above it ("started working", "wants to move")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from genome_core.facts.nouns import kinds_of_word
from genome_core.facts.words import ADVERBS, INFLECTIONS, MODALS, VERB_FORMS, Form, Token


class Tense(Enum):
    """When, seen from the speaker, and how."""

    PRESENT = "present"
    PROGRESSIVE = "progressive"
    PAST = "past"
    PAST_PROGRESSIVE = "past progressive"
    PERFECT = "perfect"
    PERFECT_PROGRESSIVE = "perfect progressive"
    PAST_PERFECT = "past perfect"
    FUTURE = "future"
    """Will, going to, wants to, might: not so yet, and perhaps never."""


class Phase(Enum):
    """What a verb above the main one says of it: "started working", "stopped working"."""

    NONE = ""
    START = "start"
    STOP = "stop"
    USED = "used to"


class VerbGroup(NamedTuple):
    """Auxiliaries and main verb. ``negated``: "not", "never"; ``ended``: "no longer", "not ... any more"."""

    lemma: str
    tense: Tense
    phase: Phase = Phase.NONE
    negated: bool = False
    never: bool = False
    ended: bool = False


_WISHES = frozenset(
    "want plan hope intend aim consider decide need try wish look think expect mean dream agree promise offer apply prepare refuse ask fancy threaten swear hesitate fail forget debate contemplate "
    "talk keep-meaning like love hate prefer tempt supposed due about set ready able afraid scared nervous excited happy keen likely bound allowed hop toy mull wait struggle train".split()
)
_STARTS = frozenset("start begin commence resume".split())
_STOPS = frozenset("stop quit cease finish".split())
_THROUGH = frozenset("end wind keep continue carry finish go love enjoy adore remain".split())
_HAS_STATES = frozenset(
    "married engaged divorced separated widowed based called named allergic single retired paused cancelled closed finished done dead broken gone located situated".split()
)


@dataclass(slots=True)
class _Group:
    """A verb group being read."""

    modal: bool = False
    have: str = ""
    be: str = ""
    do: str = ""
    negated: bool = False
    never: bool = False
    ended: bool = False
    wish: bool = False
    missed: bool = False
    phase: Phase = Phase.NONE
    outer: Tense | None = None
    """The tense of a verb above the main one ("started", "ended up")."""


def verb_group(tokens: Sequence[Token], i: int, *, after_subject: bool) -> tuple[VerbGroup, int] | None:
    """The verb group at ``i`` and the index after its main verb, or None."""
    group = _Group()
    while i < len(tokens):
        token, low = tokens[i], tokens[i].low
        if low in ("almost", "nearly", "barely"):
            group.missed, i = True, i + 1  # "almost joined": it did not happen
        elif token.kind == "time" or (low in ADVERBS and low not in ("never", "home")):
            i += 1
        elif low in ("n't", "not", "never"):
            group.negated, group.never = True, group.never or low == "never"
            i += 1
        elif low == "no" and _next_word(tokens, i + 1) == "longer":
            group.negated = group.ended = True
            i += 2
        elif low in MODALS or (low == "'d" and not _is_had(tokens, i)):
            group.modal = True
            if low == "could" and i + 1 < len(tokens) and tokens[i + 1].low in ("n't", "not"):
                group.outer = Tense.PAST  # "could not stand it" is no plan
            i += 1
        elif low == "used" and _next_word(tokens, i + 1) == "to" and group.be == "":
            group.phase, i = Phase.USED, i + 2
        elif low in ("have", "has", "had", "'ve", "'d") or (low == "'s" and _is_has(tokens, i)):
            if not _participle_next(tokens, i + 1):
                return _have_main(tokens, i, group)
            group.have, i = ("past" if low in ("had", "'d") else "present"), i + 1
        elif low in _BE:
            gerund = _gerund_next(tokens, i + 1)
            if not gerund:
                return _be_main(tokens, i, group)
            group.be, i = _BE[low], i + 1
        elif low in ("do", "does", "did", "ai") and _base_next(tokens, i + 1):
            group.do, i = ("past" if low == "did" else "present"), i + 1
        elif token.kind == "word" and VERB_FORMS.get(low):
            return _main(tokens, i, group, after_subject=after_subject)
        else:
            return None
    return None


_BE = {"am": "present", "is": "present", "are": "present", "'m": "present", "'re": "present", "'s": "present", "was": "past", "were": "past", "be": "base", "been": "participle", "being": "gerund"}  # fmt: skip


def _next_word(tokens: Sequence[Token], i: int) -> str:
    while i < len(tokens) and (
        tokens[i].low in ADVERBS or tokens[i].kind == "time" or tokens[i].low in ("n't", "not", "never")
    ):
        i += 1
    return tokens[i].low if i < len(tokens) else ""


def _forms_next(tokens: Sequence[Token], i: int) -> frozenset[Form]:
    return INFLECTIONS.get(_next_word(tokens, i), frozenset())


def _participle_next(tokens: Sequence[Token], i: int) -> bool:
    word = _next_word(tokens, i)
    if word in ("got", "a", "an"):
        return word == "got" and _got_is_perfect(tokens, i)
    return word in ("been", "done") or Form.PARTICIPLE in _forms_next(tokens, i)


def _got_is_perfect(tokens: Sequence[Token], i: int) -> bool:
    """ "has got married", "had got a new flat" against "has got a dog", which is just "has"."""
    while i < len(tokens) and tokens[i].low != "got":
        i += 1
    return Form.PARTICIPLE in _forms_next(tokens, i + 1) or (i + 1 < len(tokens) and tokens[i + 1].low in _HAS_STATES)


def _gerund_next(tokens: Sequence[Token], i: int) -> bool:
    return Form.GERUND in _forms_next(tokens, i)


def _base_next(tokens: Sequence[Token], i: int) -> bool:
    return Form.BASE in _forms_next(tokens, i)


def _is_had(tokens: Sequence[Token], i: int) -> bool:
    word = _next_word(tokens, i + 1)
    return word == "been" or (
        Form.PARTICIPLE in _forms_next(tokens, i + 1) and Form.BASE not in _forms_next(tokens, i + 1)
    )


def _is_has(tokens: Sequence[Token], i: int) -> bool:
    word = _next_word(tokens, i + 1)
    if word in ("been", "got"):
        return True
    return (
        word not in _HAS_STATES
        and Form.PARTICIPLE in _forms_next(tokens, i + 1)
        and Form.GERUND not in _forms_next(tokens, i + 1)
        and not _by_follows(tokens, i)
    )


def _by_follows(tokens: Sequence[Token], i: int) -> bool:
    return any(token.low == "by" for token in tokens[i : i + 6])


def _have_main(tokens: Sequence[Token], i: int, group: _Group) -> tuple[VerbGroup, int] | None:
    low, following = tokens[i].low, _next_word(tokens, i + 1)
    if low == "'s":
        return None
    if following == "to" or (following == "got" and _word_after(tokens, i, "got") == "to"):
        if low in ("had", "'d"):
            group.outer = Tense.PAST  # "had to sell the car": it was done
        group.wish = group.outer is None
        j = _index_of(tokens, i, "to") + 1
        group.do = "present"
        return _main(tokens, j, group, after_subject=True) if j < len(tokens) else None
    end = _index_of(tokens, i, "got") + 1 if following == "got" else i + 1
    form = Form.PAST if low in ("had", "'d") else Form.PRESENT
    return _finish("have", form, group), end


def _word_after(tokens: Sequence[Token], i: int, word: str) -> str:
    j = _index_of(tokens, i, word) + 1
    return tokens[j].low if j < len(tokens) else ""


def _index_of(tokens: Sequence[Token], i: int, word: str) -> int:
    while i < len(tokens) and tokens[i].low != word:
        i += 1
    return i


def _be_main(tokens: Sequence[Token], i: int, group: _Group) -> tuple[VerbGroup, int] | None:
    """ "Be" as the main verb, unless it leads to a plan: "is due to", "am about to", "are supposed to"."""
    state, following = _BE[tokens[i].low], _next_word(tokens, i + 1)
    if state == "base" and not group.do:
        group.wish = True  # "remember to be a friend", "be a dear"
    after = i + 1
    while after < len(tokens) and (tokens[after].low in ADVERBS or tokens[after].low in ("n't", "not", "never")):
        if tokens[after].low in ("n't", "not", "never"):
            group.negated, group.never = True, tokens[after].low == "never"
            i = after
        after += 1
    if after + 1 < len(tokens) and (tokens[after].low, tokens[after + 1].low) == ("no", "longer"):
        group.negated, group.ended, i = True, True, after + 1
    if following in _WISHES and _word_after(tokens, i, following) in ("to", "for"):
        group.wish = True
        j = _index_of(tokens, i, "to") + 1
        if j < len(tokens):
            inner = _main(tokens, j, group, after_subject=True)
            if inner:
                return inner
    form = {
        "present": Form.PRESENT,
        "past": Form.PAST,
        "base": Form.BASE,
        "participle": Form.PARTICIPLE,
        "gerund": Form.GERUND,
    }[state]
    if form is Form.PARTICIPLE and not group.have:
        group.have = "present"
    return _finish("be", form, group), i + 1


def _main(tokens: Sequence[Token], i: int, group: _Group, *, after_subject: bool) -> tuple[VerbGroup, int] | None:
    """The main verb at ``i``, or what it leads to: "started working", "want to move", "ended up buying"."""
    while i < len(tokens) and (tokens[i].low in ADVERBS or tokens[i].kind == "time"):
        i += 1
    if i >= len(tokens):
        return None
    if tokens[i].low in _BE and tokens[i].low == "be":
        if _gerund_next(tokens, i + 1):
            group.be, i = "base", i + 1
            return _main(tokens, i, group, after_subject=after_subject)
        return _finish("be", Form.BASE, group), i + 1
    reading = _reading(tokens[i].low, group, after_subject=after_subject)
    if reading is None:
        return None
    lemma, form = reading
    inner = _leads_to(tokens, i, lemma, form, group)
    return inner if inner else (_finish(lemma, form, group), i + 1)


def _reading(word: str, group: _Group, *, after_subject: bool) -> tuple[str, Form] | None:
    """Which reading of an ambiguous form fits the auxiliaries before it."""
    readings = VERB_FORMS.get(word, ())
    if group.modal or group.do or group.wish or group.phase is Phase.USED:
        order = [Form.GERUND, Form.BASE] if group.be else [Form.BASE, Form.GERUND]
    elif group.be:
        order = [Form.GERUND, Form.PARTICIPLE]
    elif group.have:
        order = [Form.PARTICIPLE, Form.GERUND]
    elif after_subject:
        order = [Form.PAST, Form.PRESENT, Form.BASE]
    else:
        order = [Form.PAST, Form.PARTICIPLE, Form.GERUND]
    for form in order:
        for lemma, own in readings:
            if own is form:
                return lemma, form
    return None


def _leads_to(tokens: Sequence[Token], i: int, lemma: str, form: Form, group: _Group) -> tuple[VerbGroup, int] | None:
    """The verb that ``lemma`` at ``i`` stands above: "started working", "wants to move"; None where there is none."""
    j = i + 1
    while j < len(tokens) and (_is_skipped(tokens[j]) or tokens[j].low in _BETWEEN):
        j += 1
    to = j < len(tokens) and tokens[j].low == "to"
    k = j + 1 if to else j
    forms = _forms_next(tokens, k)
    gerund, base = Form.GERUND in forms, Form.BASE in forms and to
    if not (gerund or base) or (gerund and not to and _is_pastime(tokens, k)):
        return None  # "gave up smoking", "started running": the noun is what the frames want
    gives_up = lemma == "give" and any(token.low == "up" for token in tokens[i + 1 : j])
    planned = lemma == "go" and base and form is Form.GERUND and bool(group.be)
    if not (planned or _stands_above("give up" if gives_up else lemma, group, gerund=gerund, base=base)):
        return None
    group.wish = group.wish or planned
    group.outer = group.outer or _tense(form, group)
    inner = replace(group, have="", be="present" if gerund else "", do="present" if base else "")
    while k < len(tokens) and _is_skipped(tokens[k]):
        k += 1
    if tokens[k].low in ("being", "be"):
        return _finish("be", Form.BASE, inner), k + 1
    if tokens[k].low == "having":
        return _finish("have", Form.BASE, inner), k + 1
    return _main(tokens, k, inner, after_subject=True)


_BETWEEN = frozenset("up out on forward round around off about of hard".split())


def _is_skipped(token: Token) -> bool:
    return token.low in ADVERBS or token.kind == "time"


def _stands_above(lemma: str, group: _Group, *, gerund: bool, base: bool) -> bool:
    """Whether a verb leads to another one, and what it says of it, noted in ``group``."""
    if (lemma in _STOPS or lemma == "give up") and gerund:
        group.phase = Phase.STOP
    elif lemma in _STARTS or (lemma in ("end", "wind", "become") and gerund):
        group.phase = Phase.START
    elif lemma in _WISHES and (base or lemma not in ("like", "love", "hate", "fail", "forget")):
        group.wish = True
    elif not (
        (lemma in _THROUGH and gerund) or (base and lemma in ("continue", "manage", "get", "happen", "choose", "opt"))
    ):
        return False
    return True


def _is_pastime(tokens: Sequence[Token], i: int) -> bool:
    """Whether the gerund at ``i`` is the name of a pastime, with nothing after it that only a verb could have."""
    while i < len(tokens) and (tokens[i].low in ADVERBS or tokens[i].kind == "time"):
        i += 1
    if i >= len(tokens) or not kinds_of_word(tokens[i].low) & {"hobby", "substance"}:
        return False
    return (
        i + 1 >= len(tokens)
        or tokens[i + 1].kind != "word"
        or tokens[i + 1].low not in ("at", "for", "to", "a", "the", "my")
    )


def _finish(lemma: str, form: Form, group: _Group) -> VerbGroup:
    planned = (group.modal and group.outer is not Tense.PAST) or group.wish or group.missed
    tense = Tense.FUTURE if planned else group.outer or _tense(form, group)
    return VerbGroup(lemma, tense, group.phase, group.negated, group.never, group.ended)


def _tense(form: Form, group: _Group) -> Tense:
    if group.have:
        if form is Form.GERUND or group.be == "participle":
            return Tense.PERFECT_PROGRESSIVE if group.have == "present" else Tense.PAST_PERFECT
        return Tense.PERFECT if group.have == "present" else Tense.PAST_PERFECT
    if group.be == "participle":
        return Tense.PERFECT_PROGRESSIVE
    if form is Form.GERUND:
        return Tense.PAST_PROGRESSIVE if group.be == "past" else Tense.PROGRESSIVE
    if group.do:
        return Tense.PAST if group.do == "past" else Tense.PRESENT
    if form is Form.PAST or form is Form.PARTICIPLE:
        return Tense.PAST
    return Tense.PRESENT
