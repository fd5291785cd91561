"""Frames: how English says that an attribute begins, holds or ends. Data only; ``statements`` interprets it.

A frame is a verb in base form and what follows it, element by element. Adverbs and time expressions may stand anywhere.

    word|word    one of these words, as written
    (word|word)  the same, optional
    ~            any particles: "back", "over", "down", "out" ...
    _            the value: a noun phrase, of a kind that the group takes
    -            an old value, or who had it before
    @            the person whom it is about: "Acme hired her", "made Ann partner"
    &            the same, a pronoun only
    $            the end of the clause
    !word        any word but this one, or the end
    KIND         a noun phrase whose head is of that kind ("a new job" for JOB)
    *            any noun phrase

A group takes values by kind: ``place:home`` makes a place a ``home``; ``name:employer`` is for names of no known kind,
``any:role`` for every noun phrase, ``definite:-`` for one with "the" or "my". The first that fits decides. ``as:role`` in ``extras`` reads "as a nurse" after the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Effect(Enum):
    """What the verb does to the attribute."""

    START = "start"
    """An event after which the value holds: past and perfect count, the present does not."""
    STATE = "state"
    """It holds while the verb does: the present counts, the past only with its dates."""
    END = "end"
    CRAVING = "craving"
    """A state that only "can't" makes: "can't get enough of it"."""
    DENIAL = "denial"
    """What was planned or offered did not come: "turned it down"."""


@dataclass(frozen=True, slots=True)
class Group:
    """Frames with the same effect on the same attributes."""

    effect: Effect
    takes: str
    frames: str
    extras: str = ""
    ends: str = ""
    """Attributes that end whole, without a value, along with it ("quit" ends the role too)."""
    value: str = ""
    """The value where no noun phrase gives it: ``relationship_status=married``."""
    subject_is_value: bool = False
    """The clause's subject is the value, and ``@`` the person."""
    inverse: bool = False
    """The noun phrase is what the fact is about and the clause's subject its value ("Ann leads Apollo")."""
    of_speaker: bool = False
    """It is the speaker's own, whatever the clause's subject: "nothing beats ramen"."""
    reciprocal: bool = False
    """Of two subjects, each is the other's value: "Tom and I split up"."""
    pair: bool = False
    """Only of two subjects: "Tom and I are done"."""
    only_ended: bool = False
    """Only its end says something: "I no longer drink", "haven't eaten meat since May"."""
    habit: bool = False
    """What is done now and then: the past ("I played tennis yesterday") tells of one time only."""
    needs: str = ""
    """Words of which one must stand in the sentence; ``<dated>`` stands for a month or more, ``<long>``
    for a year, a beginning or a length of time."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a group, split into its elements."""

    group: Group
    elements: tuple[str, ...]
    needs: frozenset[str]
    """``group.needs``, split."""
    named: tuple[frozenset[str], ...]
    """One of each of these must follow the verb."""

    @classmethod
    def of(cls, group: Group, elements: Sequence[str]) -> Frame:
        named = tuple(frozenset(element.split("|")) for element in elements if _is_named(element))
        return cls(group, tuple(elements), frozenset(group.needs.split()), named)


def _is_named(element: str) -> bool:
    """Whether an element stands for words as written, one of which must be there."""
    return element.islower() and not element.startswith(("(", "!")) and "*" not in element


class Frames:
    """The frames of one verb, found by the words after it."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        self.every = frames
        self._unnamed = frozenset(place for place, frame in enumerate(frames) if not frame.named)
        self._by_word: dict[str, set[int]] = {}
        for place, frame in enumerate(frames):
            for word in min(frame.named, key=len, default=()):
                self._by_word.setdefault(word, set()).add(place)

    def before(self, following: frozenset[str]) -> list[Frame]:
        """Those that can match before these words, in order."""
        places = self._unnamed.union(*(self._by_word[word] for word in self._by_word.keys() & following))
        found = (self.every[place] for place in sorted(places))
        return [frame for frame in found if not any(map(following.isdisjoint, frame.named))]


START, STATE, END, CRAVING, DENIAL = Effect.START, Effect.STATE, Effect.END, Effect.CRAVING, Effect.DENIAL
