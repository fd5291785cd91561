"""Clauses: a sentence cut into its statements, each with subject, verb group and what follows.

A shallow reading without a grammar: boundaries are marks and conjunctions, a clause without a subject takes that of the
clause before ("she moved to Oslo and joined Acme"), one at the start of a sentence the speaker ("Started at Acme today").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from genome_core.facts.nouns import is_kin, is_role
from genome_core.facts.phrases import NounPhrase, is_closed, noun_phrase
from genome_core.facts.words import ADVERBS, AUXILIARIES, MODALS, PREPOSITIONS, PRONOUNS, VERB_FORMS, Form, Token


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


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """Auxiliaries and main verb. ``negated``: "not", "never"; ``ended``: "no longer", "not ... any more"."""

    lemma: str
    tense: Tense
    phase: Phase = Phase.NONE
    negated: bool = False
    never: bool = False
    ended: bool = False
    infinitive: bool = False


@dataclass(frozen=True)
class Clause:
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
    lead: tuple[Token, ...] = field(default=())
    """Time expressions before the first clause of the sentence, valid for all of it."""

    @property
    def span(self) -> tuple[int, int]:
        return self.tokens[0].start, self.tokens[-1].end


_MARKS = frozenset(
    [",", ";", ":", "(", ")", "—", "–", "...", "…", "..", '"', "“", "”", "-", "!", "?", ".", "[", "]", "/", "+"]
)
_SPLITTERS = frozenset(
    "and but or because cos cuz since while when whenever after before until till though although if unless whereas which who whom where whether then n & plus yet nor why how whose as so".split()
)
_RELATIVE = frozenset(["who", "which", "where", "that", "whose"])
_ADVERBIAL = frozenset("since after before until till as so then plus".split())
"""Conjunctions that can be something else: they open a clause only where a subject follows."""
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


def clauses(tokens: Sequence[Token]) -> list[Clause]:
    """The clauses of one sentence, in order. Verbless pieces are clauses without a verb."""
    found: list[Clause] = []
    subject: tuple[NounPhrase, ...] = ()
    pending: list[NounPhrase] = []
    lead: list[Token] = []
    for clause in _pieces(tokens):
        opener, segment = clause.opener, clause.tokens
        if clause.verb is None:
            if found and found[-1].verb and not found[-1].subjects and not found[-1].elliptic:
                continue
            times = [t for t in segment if t.kind == "time"]
            if not any(c.verb for c in found) and times:
                lead += times
            phrase = noun_phrase(segment, _skip(segment, 0))
            if (
                phrase
                and phrase.end >= len(segment)
                and (not phrase.is_pronoun or phrase.head in ("me", "myself", "i"))
            ):
                pending = [*pending, phrase] if opener in ("and", "&", "n", ",") and pending else [phrase]
            found.append(clause)
            continue
        mine = clause.subjects
        if opener in _RELATIVE and not mine:
            before = _last_phrase(found[-1]) if found else None
            mine = (before,) if before else ()
        elif mine and opener in ("and", "&", "n") and pending and not found[-1].verb:
            mine = (*pending, *mine)
        elif not mine and not found[-1:] and not clause.inherited:
            clause = replace(clause, elliptic=True)
        elif not mine:
            mine = subject or tuple(pending[:1])
            clause = replace(clause, inherited=True, elliptic=not mine)
        if opener not in _RELATIVE:
            subject = mine or subject
        if opener not in _RELATIVE:
            pending = []
        found.append(replace(clause, subjects=mine, lead=tuple(lead)))
    return found


def _pieces(tokens: Sequence[Token]) -> Iterator[Clause]:
    """The segments as clauses; what somebody says, thinks or hopes is a clause of its own, with or without "that"."""
    for opener, segment in _segments(tokens):
        clause = _clause(opener, segment)
        said = _said(clause)
        if said is None:
            yield clause
            continue
        cut = len(clause.tokens) - len(said)
        yield replace(clause, rest=clause.rest[: len(clause.rest) - len(said)], tokens=clause.tokens[:cut])
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
    "say tell think hear reckon know guess mention swear believe hope wish claim insist suggest doubt suspect assume imagine feel bet deny announce report promise figure realise realize learn read understand remember forget find joke pretend suppose worry expect see".split()
)
"""Verbs whose object is what somebody says or thinks."""


def _segments(tokens: Sequence[Token]) -> Iterator[tuple[str, list[Token]]]:
    opener = ""
    current: list[Token] = []
    for i, token in enumerate(tokens):
        if _is_boundary(tokens, i):
            if current:
                yield opener, current
                opener, current = token.low, []
            elif token.kind == "word" or not opener:
                opener = token.low
        else:
            current.append(token)
    if current:
        yield opener, current


def _is_boundary(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
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


def _last_phrase(clause: Clause) -> NounPhrase | None:
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
    for start in _subject_starts(tokens):
        phrase = noun_phrase(tokens, start)
        if phrase is None or phrase.head in ("there", "what", "which"):
            continue
        group = verb_group(tokens, phrase.end, after_subject=True)
        if group:
            verb, end = group
            return Clause(opener, (phrase,), verb, tokens[end:], tokens)
    start = _skip(tokens, 0)
    group = verb_group(tokens, start, after_subject=opener in _RELATIVE)
    if group:
        return Clause(opener, (), group[0], tokens[group[1] :], tokens)
    return Clause(opener, (), None, tokens, tokens)


def _subject_starts(tokens: Sequence[Token]) -> Iterator[int]:
    """Where a subject may start: at the first word that is no adverb, or after a phrase with a preposition in front."""
    i = _skip(tokens, 0)
    yield i
    # "Back in October we ...", "In Oslo I ...", "After the wedding we ...", "so anyway we ..."
    for j in range(i + 1, min(len(tokens), i + 7)):
        previous = tokens[j - 1]
        low = tokens[j].low
        if (
            low in ("i", "we", "he", "she", "they")
            or (low in ("my", "our") and previous.kind == "time")
            or (
                tokens[j].kind == "word"
                and (previous.kind == "time" or (previous.low in ADVERBS and tokens[j].capital))
            )
        ):
            yield j


def _skip(tokens: Sequence[Token], i: int) -> int:
    while i < len(tokens) and (
        (tokens[i].low in ADVERBS and tokens[i].low != "never")
        or tokens[i].kind in ("time", "mark")
        or tokens[i].low in _OPENERS
    ):
        i += 1
    return i


_OPENERS = frozenset(
    "oh ah aw aww hey hi hello yeah yes yep yup nope ok okay well so right wow whoa ugh hmm hm um uh er anyway anyways btw fyi also besides and but lol haha hahaha omg update news confession congrats congratulations please guys folks look listen man dude like thankfully luckily basically".split()
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
    phase: Phase = Phase.NONE
    outer: Tense | None = None
    """The tense of a verb above the main one ("started", "ended up")."""


def verb_group(tokens: Sequence[Token], i: int, *, after_subject: bool) -> tuple[VerbGroup, int] | None:
    """The verb group at ``i`` and the index after its main verb, or None."""
    group = _Group()
    while i < len(tokens):
        token, low = tokens[i], tokens[i].low
        following = _next_word(tokens, i + 1)
        if token.kind == "time" or (low in ADVERBS and low not in ("never", "home")):
            i += 1
        elif low in ("n't", "not", "never"):
            group.negated, group.never = True, group.never or low == "never"
            i += 1
        elif low == "no" and following == "longer":
            group.negated = group.ended = True
            i += 2
        elif low in MODALS or (low == "'d" and not _is_had(tokens, i)):
            group.modal = True
            i += 1
        elif low == "used" and following == "to" and group.be == "":
            group.phase, i = Phase.USED, i + 2
        elif low in ("have", "has", "had", "'ve", "'d") or (low == "'s" and _is_has(tokens, i)):
            if not _participle_next(tokens, i + 1):
                return _have_main(tokens, i, group, following)
            group.have, i = ("past" if low in ("had", "'d") else "present"), i + 1
        elif low in _BE:
            gerund = _gerund_next(tokens, i + 1)
            if not gerund:
                return _be_main(tokens, i, group, following)
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


def _forms_next(tokens: Sequence[Token], i: int) -> set[Form]:
    return {form for _, form in VERB_FORMS.get(_next_word(tokens, i), ())}


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


def _have_main(tokens: Sequence[Token], i: int, group: _Group, following: str) -> tuple[VerbGroup, int] | None:
    low = tokens[i].low
    if low == "'s":
        return None
    if following == "to" or (following == "got" and _word_after(tokens, i, "got") == "to"):
        group.wish = True
        j = _index_of(tokens, i, "to") + 1
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


def _be_main(tokens: Sequence[Token], i: int, group: _Group, following: str) -> tuple[VerbGroup, int] | None:
    """ "Be" as the main verb, unless it leads to a plan: "is due to", "am about to", "are supposed to"."""
    state = _BE[tokens[i].low]
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
    j = i + 1
    while j < len(tokens) and (
        tokens[j].low in ADVERBS
        or tokens[j].low in ("up", "out", "on", "forward", "round", "around", "off", "about", "of", "hard")
        or tokens[j].kind == "time"
    ):
        j += 1
    if j >= len(tokens):
        return None
    word = tokens[j].low
    to = word == "to"
    k = j + 1 if to else j
    forms = {own for _, own in VERB_FORMS.get(_next_word(tokens, k), ())}
    gerund, base = Form.GERUND in forms, Form.BASE in forms and to
    if lemma == "give" and any(t.low == "up" for t in tokens[i + 1 : j]) and gerund:
        group.phase = Phase.STOP
    elif lemma in _STARTS and (gerund or base):
        group.phase = Phase.START
    elif lemma in _STOPS and gerund:
        group.phase = Phase.STOP
    elif lemma == "go" and base and form is Form.GERUND and group.be:
        group.wish = True
    elif (lemma in _WISHES and (base or (gerund and lemma not in ("like", "love", "hate", "fail", "forget")))) or (
        lemma in ("manage", "get", "happen", "choose", "opt") and base
    ):
        group.wish = group.wish or lemma in _WISHES
    elif not (lemma in _THROUGH and (gerund or (base and lemma in ("go", "continue")))) or (lemma == "go" and base):
        return None
    group.outer = group.outer or _tense(form, group)
    inner = _Group(
        wish=group.wish,
        modal=group.modal,
        phase=group.phase,
        outer=group.outer,
        negated=group.negated,
        never=group.never,
        ended=group.ended,
    )
    inner.be = "present" if gerund else ""
    inner.do = "present" if base else ""
    while k < len(tokens) and (tokens[k].low in ADVERBS or tokens[k].kind == "time"):
        k += 1
    if k < len(tokens) and tokens[k].low in ("being", "be"):
        return _finish("be", Form.BASE, inner), k + 1
    if k < len(tokens) and tokens[k].low == "having":
        return _finish("have", Form.BASE, inner), k + 1
    return _main(tokens, k, inner, after_subject=True)


def _finish(lemma: str, form: Form, group: _Group) -> VerbGroup:
    tense = Tense.FUTURE if group.modal or group.wish else group.outer or _tense(form, group)
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


__all__ = [
    "AUXILIARIES",
    "PREPOSITIONS",
    "PRONOUNS",
    "Clause",
    "Phase",
    "Tense",
    "VerbGroup",
    "clauses",
    "is_closed",
    "is_kin",
    "is_role",
    "verb_group",
]
