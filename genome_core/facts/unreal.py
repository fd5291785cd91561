"""What is said without being so: what others say or want, what is only weighed, borrowed or offered."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from genome_core.facts.clauses import Clause
from genome_core.facts.phrases import noun_phrase
from genome_core.facts.verbs import Tense

REPORTING = frozenset(
    "say tell claim insist announce think believe reckon suggest swear report deny promise hear guess suspect hope wish imagine want".split()
)
"""Verbs of what others say, think or want."""
_REPLIES = frozenset("yes yeah no nope goodbye bye hello hi hey farewell".split())


def reports(clause: Clause) -> bool:
    """Whether a clause tells what somebody says, thinks or wants; "she said yes" and "his wallet said no" tell what happened."""
    verb = clause.verb
    if verb is None or verb.lemma not in REPORTING or not clause.subjects:
        return False
    return not (verb.lemma == "say" and _replies(clause, _REPLIES))


def _replies(clause: Clause, words: Collection[str]) -> bool:
    """Whether one of ``words`` follows the verb and stands for itself: "said no", but not "says no pets"."""
    if not clause.rest or clause.rest[0].low not in words:
        return False
    return noun_phrase(clause.rest, 1) is None


_WEIGHED = frozenset(
    "eye browse consider contemplate covet fancy mull ponder audition apply interview debate dream daydream flirt shortlist".split()
)
"""What is done with a thing or a job that one does not have (yet) ..."""
_WEIGHED_WITH = {
    "look": ("at", "into", "for", "around"),
    "think": ("about", "of"),
    "talk": ("about", "of"),
    "ask": ("about", "for"),
    "weigh": ("up",),
    "tempt": (),
    "offer": (),
    "invite": (),
}
"""... verbs that mean it with one of these words after them, or without any (none)."""
_LOOKED_AFTER = {"look": ("after",), "borrow": (), "babysit": (), "dogsit": (), "housesit": (), "rent": ("out",)}
_TURNED_DOWN = {
    "turn": ("down",),
    "shut": ("down",),
    "back": ("out",),
    "pull": ("out",),
    "fall": ("through",),
    "decline": (),
    "refuse": (),
    "reject": (),
}
"""How an offer ends that came to nothing."""


def unreal(parts: Sequence[Clause], place: int) -> bool:
    """Whether the clause at ``place`` only weighs, borrows or is offered what it speaks of, or it or a later one says that nothing came of it:
    "was eyeing up a Mustang", "got offered a place, but we said no"."""
    clause = parts[place]
    verb = clause.verb
    if verb is None:
        return False
    if verb.lemma in _WEIGHED or _with(clause, _WEIGHED_WITH) or _with(clause, _LOOKED_AFTER):
        return True
    return any(_turned_down(later) for later in parts[place:])


def _turned_down(clause: Clause) -> bool:
    verb = clause.verb
    if verb is None or verb.negated or verb.tense is Tense.FUTURE:
        return False
    return _with(clause, _TURNED_DOWN) or (verb.lemma == "say" and _replies(clause, ("no", "nah", "nope")))


def _with(clause: Clause, verbs: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether its verb is one of ``verbs``, with one of the words that it needs in what follows."""
    verb = clause.verb
    if verb is None or verb.lemma not in verbs:
        return False
    needed = verbs[verb.lemma]
    return not needed or any(token.low in needed for token in clause.rest[:4])
