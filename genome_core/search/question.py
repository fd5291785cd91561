"""Taking a question apart: what to embed, what to look up, whom and which time it asks about."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from genome_core.facts.time import TimeMention, TimeRole, find_times
from genome_core.protocols import Embedder
from genome_core.search.text import STOP_WORDS, query_terms, split_passages
from genome_core.types import Precision, TimeSpan

ROLES = frozenset({"user", "human", "assistant", "ai", "agent", "bot", "system", "tool", "function"})
"""Speakers that are no one's name: a question that holds such a word does not name a participant."""
_ASKER, _ANSWERER = frozenset({"user", "human"}), frozenset({"assistant", "ai", "agent", "bot"})

_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
_REQUEST = re.compile(r"\b(?:can|could|will|would) you\b|\bthank you\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "miss", "prof", "sir", "the"})
_NICKNAME = re.compile(r"\b[^\W\d_]{3,}\b")


@dataclass(frozen=True, slots=True)
class Query:
    """A question, taken apart by ``parse``; ``with_vector`` adds the vector of ``wording``."""

    text: str
    wording: str
    """What to embed: the question without the participants' names, which would dominate a short question's vector."""
    terms: tuple[str, ...]
    names: tuple[str, ...] = ()
    """The participants whom the question names, sorted."""
    voice: str | None = None
    """Where nobody is named: the role that the question's "I" or "you" stands for."""
    times: tuple[TimeSpan, ...] = ()
    """The times that the question speaks of."""
    vector: NDArray[np.float32] | None = None
    """Shape ``(dimensions,)``, norm 1."""

    def with_vector(self, vector: NDArray[np.float32]) -> Query:
        return replace(self, vector=vector)


def parse(text: str, speakers: Collection[str], asked_at: datetime) -> Query:
    """Take a question apart. ``speakers`` are those of the scope; ``asked_at`` (aware) is what "last week" is counted from."""
    names, wording = _names_and_wording(text, speakers)
    return Query(
        text,
        wording,
        # Who is meant is a cue only if it is one; else the names are words.
        terms=tuple(query_terms(text if len(names) > 1 else wording)),
        names=names,
        voice=None if names else _voice(text, speakers),
        times=tuple(span for mention in find_times(text, asked_at) if (span := _span(mention, asked_at))),
    )


def wording_of(text: str, speakers: Collection[str]) -> Query:
    """A question taken apart as far as its vector needs it: the names, and what is left to embed."""
    names, wording = _names_and_wording(text, speakers)
    return Query(text, wording, terms=(), names=names)


def _names_and_wording(text: str, speakers: Collection[str]) -> tuple[tuple[str, ...], str]:
    names, wording = _take_out_names(text, [name for name in speakers if name.casefold() not in ROLES])
    return names, wording if _WORD.search(wording) else text


def question_vector(wording: str, embedder: Embedder) -> NDArray[np.float32]:
    """The vector of a question; one longer than the encoder's window is cut, and its parts' mean is taken."""
    parts = split_passages(wording, embedder)
    if len(parts) == 1:
        return embedder.embed_query(parts[0])
    mean: NDArray[np.float64] = np.stack([embedder.embed_query(part) for part in parts]).mean(axis=0, dtype=np.float64)
    vector: NDArray[np.float32] = (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
    return vector


def _take_out_names(text: str, names: Collection[str]) -> tuple[tuple[str, ...], str]:
    """The names found in a text, and the text without them."""
    if not names:
        return (), " ".join(text.split())
    found, rest = [], text
    likely = _likely(text, names)
    flags = re.IGNORECASE if text.islower() or text.isupper() else re.NOFLAG
    for name in sorted(likely):
        forms = [form for form in _forms(name) if not flags or form.casefold() not in STOP_WORDS]
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, forms))})(?:['’]s)?(?!\w)"
        without, count = re.subn(pattern, " ", rest, flags=flags) if forms else (rest, 0)
        if not count:
            nickname = _nickname(rest, name, names)
            without = re.sub(rf"\b{nickname}(?:['’]s)?\b", " ", rest) if nickname else rest
        if without != rest:
            found.append(name)
            rest = without
    return tuple(found), " ".join(rest.split())


def _likely(text: str, names: Collection[str]) -> set[str]:
    """The names that share a word with the text, or begin with one: of thousands of speakers, few are looked for."""
    words = {word.casefold() for word in _WORD.findall(text)}
    capitalised = tuple(_NICKNAME.findall(text))

    def may_be_meant(name: str) -> bool:
        own = _WORD.findall(name.casefold())
        return name.startswith(capitalised) or not own or not words.isdisjoint(own)

    return set(filter(may_be_meant, names))


def _forms(name: str) -> list[str]:
    """A name as a whole and, of several words, the first that is no title."""
    words = [word for word in name.split() if word.strip(".").casefold() not in _TITLES]
    forms = [name.strip(), *(words[:1] if len(name.split()) > 1 else [])]
    return [form for form in forms if form]


def _nickname(text: str, name: str, names: Collection[str]) -> str | None:
    """A capitalised word of the text that begins this participant's name and no other's: Mel for Melanie."""
    for word in _NICKNAME.findall(text):
        begins = [other for other in names if other.startswith(word)]
        if word.istitle() and begins == [name] and word != name and word.casefold() not in STOP_WORDS:
            return str(word)
    return None


def _voice(text: str, speakers: Collection[str]) -> str | None:
    """ "What did you suggest" asks for the assistant's words, "what is my address" for the user's. "Can you" is only manners."""
    present = [speaker for speaker in speakers if speaker.casefold() in _ASKER | _ANSWERER]
    if not present:
        return None
    asked = _REQUEST.sub(" ", text)
    if _SECOND_PERSON.search(asked):
        roles = _ANSWERER
    elif _FIRST_PERSON.search(asked):
        roles = _ASKER
    else:
        return None
    meant = [speaker for speaker in present if speaker.casefold() in roles]
    return meant[0] if len(meant) == 1 else None


def _span(mention: TimeMention, asked_at: datetime) -> TimeSpan | None:
    """The stretch of time that a mention speaks of, None where it has no beginning or is too vague to prefer anything."""
    start, end = mention.start, mention.end
    if start is None or start.precision is Precision.UNKNOWN or mention.role is TimeRole.DURATION:
        return None
    if mention.role is TimeRole.SINCE:
        return TimeSpan(start.start, max(asked_at.astimezone(UTC), start.end), start.precision)
    if mention.role is TimeRole.RANGE and end is not None:
        return TimeSpan(start.start, max(end.end, start.end), start.precision)
    return start
