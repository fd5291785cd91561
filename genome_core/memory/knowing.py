"""The verbs about facts in time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Unpack

from genome_core import inputs
from genome_core.facts import log
from genome_core.facts.answers import Answer
from genome_core.knowledge import Moment, as_span
from genome_core.memory.base import MemoryBase
from genome_core.scopes import ReadScope, WriteScope, write_namespace
from genome_core.storage.moments import to_micros
from genome_core.types import Fact, FactKind, Record


class Knowing(MemoryBase):
    """What held when, as known when; see ``docs/facts.md``."""

    def ask(
        self,
        question: str,
        *,
        at: datetime | None = None,
        known_at: datetime | None = None,
        believer: str = "",
        asker: str = "user",
        **scope: Unpack[ReadScope],
    ) -> Answer:
        """Answers a question about what holds, held, or changed when.

        ``at`` is the time of asking, by default now: "last spring" is read from it. ``known_at`` asks what was known
        then: what this store recorded later does not count. ``asker`` is who "I" is in the question: the name with which
        the turns were stored, or their role. The answer tells the value, its
        window and what it rests on; where no value is sure, the sentences that speak of it; ``unknown`` where nothing does.

        Raises ``InvalidInput`` for a blank question, ``InvalidScope`` without a scope.
        """
        where = self._shown(scope)
        inputs.check_text(question, "the question")
        moment = at or self.now()
        to_micros(moment, "at")
        return self._knowledge.ask(question, where, moment, known_at, believer, asker)

    def facts(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
        believer: str = "",
        **scope: Unpack[ReadScope],
    ) -> list[log.Window]:
        """What holds at ``at`` (by default now), as known at ``known_at`` (by default now): one window a value.

        Each window has the facts behind it, and each fact the record that said it.
        """
        moment = at or self.now()
        to_micros(moment, "at")
        windows = self._knowledge.windows(self._shown(scope), subject, attribute, known_at, believer)
        return [window for window in windows if window.holds_at(moment)]

    def timeline(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        known_at: datetime | None = None,
        believer: str = "",
        **scope: Unpack[ReadScope],
    ) -> list[log.Window]:
        """What held when, as known at ``known_at``: all windows by subject and attribute, each in order of time."""
        return self._knowledge.windows(self._shown(scope), subject, attribute, known_at, believer)

    def fact_log(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        known_at: datetime | None = None,
        **scope: Unpack[ReadScope],
    ) -> list[Fact]:
        """The entries that the windows are made of, in order of recording: every believer's, unsure ones too."""
        return self._knowledge.entries(self._shown(scope), subject, attribute, known_at)

    def conflicts(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        known_at: datetime | None = None,
        **scope: Unpack[ReadScope],
    ) -> list[log.Conflict]:
        """Where believers disagree, or two sources that speak of the same time."""
        return self._knowledge.conflicts(self._shown(scope), subject, attribute, known_at)

    def state(
        self,
        subject: str,
        attribute: str,
        value: str | None,
        *,
        valid_from: Moment = None,
        valid_to: Moment = None,
        kind: FactKind = FactKind.ASSERTION,
        at: datetime | None = None,
        certainty: float = 1.0,
        believer: str = "",
        origin: str = "user",
        derived_from: Sequence[Record | Fact] = (),
        **scope: Unpack[WriteScope],
    ) -> str:
        """Adds a fact to the log directly; returns its id.

        ``valid_from`` is when it began to hold (for an end: when it ended) and ``valid_to`` when it stopped: an instant,
        a ``TimeSpan`` as wide as the knowledge of it, or None where it is not known. ``at`` is when it was said, by
        default now. ``kind`` END stops the value (any value, if it is None), CORRECTION replaces what was said about the
        same time. ``origin`` says where it comes from; of the records or facts in ``derived_from`` that it rests on, it takes the origin of
        the least trusted. It never ends or corrects what a more trusted origin said.

        Raises ``InvalidInput`` for an end before the start, a value missing or a time without a zone.
        """
        for what, text in (("subject", subject), ("attribute", attribute), ("believer", believer)):
            inputs.check_text(text, what)
        self._check_actor(origin)
        if value is not None:
            inputs.check_text(value, "value")
        now = self.now()
        fact = Fact(
            subject=subject,
            attribute=self._attributes.canonical(attribute),
            value=value,
            kind=kind,
            valid_from=as_span(valid_from, "valid_from"),
            valid_to=as_span(valid_to, "valid_to"),
            at=at or now,
            certainty=certainty,
            believer=believer,
            origin=self._trust.lowest([origin, *(source.origin for source in derived_from)]),
        )
        return self._knowledge.state(write_namespace(scope), fact, now)

    def retract(
        self,
        subject: str,
        attribute: str,
        value: str | None = None,
        *,
        believer: str = "",
        origin: str = "user",
        **scope: Unpack[WriteScope],
    ) -> str:
        """Takes back a value (any value, if it is None) as never true: from now on it never held; returns the entry's id.

        What was known before stays askable with ``known_at``. What a more trusted origin than ``origin`` said stays. To say that something stopped, use ``state`` with END.
        """
        return self.state(
            subject, attribute, value, kind=FactKind.RETRACTION, believer=believer, origin=origin, **scope
        )
