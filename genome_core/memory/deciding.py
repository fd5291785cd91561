"""The verbs that settle what believers or sources disagree about."""

from __future__ import annotations

import itertools
from typing import Unpack

from genome_core import inputs
from genome_core.errors import InvalidInput, InvalidScope, NotFound
from genome_core.facts import minds
from genome_core.facts.log import Conflict
from genome_core.memory.base import MemoryBase
from genome_core.scopes import ReadScope, WriteScope, write_namespace
from genome_core.types import Fact, FactKind, Namespace, Precision, TimeSpan


class Deciding(MemoryBase):
    """Resolving a conflict, and reopening it. Both are entries of the fact log and of the journal."""

    def resolve(
        self,
        conflict: Conflict,
        *,
        value: str,
        reason: str,
        by: str,
        believer: str = "",
        origin: str = "user",
        **scope: Unpack[WriteScope],
    ) -> str:
        """Decides a conflict for ``value``, which may be either side's or another; returns the id of the entry that says so.

        From the conflict's beginning to its end the value holds in the view of ``believer``, by default the common one; the other
        believers keep theirs. ``conflicts`` no longer lists it, as long as neither side says something new. ``by`` is who decided and
        ``origin`` what they are: a decision counts against nobody who is trusted more. It is written where both sides are, by default to
        the deepest namespace above both.

        Raises ``InvalidInput`` for a blank value, reason or name, ``InvalidScope`` if there is nothing above both.
        """
        for what, text in (("value", value), ("reason", reason), ("by", by)):
            inputs.check_text(text, what)
            if not text.strip():
                raise InvalidInput(f"{what} is blank", hint="say what holds, why, and who decides")
        inputs.check_text(believer, "believer")
        self._check_actor(origin)
        one, other = conflict.one, conflict.other
        now = self.now()
        decision = Fact(
            subject=one.subject,
            attribute=one.attribute,
            value=value,
            kind=FactKind.CORRECTION,
            valid_from=_beginning(conflict),
            valid_to=TimeSpan(conflict.ends, conflict.ends, Precision.UNKNOWN) if conflict.ends else None,
            at=now,
            believer=believer,
            origin=origin,
            settles=(minds.mark(one), minds.mark(other)),
            reason=reason,
            by=by,
        )
        named = write_namespace(scope, required=False)
        return self._knowledge.state(_above(one.namespace, other.namespace) if named is None else named, decision, now)

    def reopen(self, id: str, *, reason: str, by: str, origin: str = "user", **scope: Unpack[ReadScope]) -> str:
        """Takes a resolution back: the conflict stands as before; returns the id of the entry that says so.

        Both stay in ``fact_log`` and, asked with ``known_at``, in what was known in between. Raises ``NotFound`` for an id that is no
        resolution of the scope, ``InvalidInput`` for a blank reason or name, ``NotTrusted`` if ``origin`` is trusted less than
        who resolved it.
        """
        for what, text in (("reason", reason), ("by", by)):
            inputs.check_text(text, what)
            if not text.strip():
                raise InvalidInput(f"{what} is blank", hint="say why, and who reopens it")
        self._check_actor(origin)
        entries = self._knowledge.entries(self._whole(scope), None, None, None)
        found = next((fact for fact in entries if fact.id == id and fact.settles), None)
        if found is None or found.kind is not FactKind.CORRECTION:
            raise NotFound(f"no resolution {id!r}", hint="resolve returned its id; fact_log lists it too")
        self._trust.check_change(origin, found.origin, id, "reopen")
        now = self.now()
        reopening = Fact(
            subject=found.subject,
            attribute=found.attribute,
            value=found.value,
            kind=FactKind.RETRACTION,
            at=now,
            believer=found.believer,
            origin=origin,
            settles=(minds.mark(found),),
            reason=reason,
            by=by,
        )
        return self._knowledge.state(found.namespace, reopening, now)


def _beginning(conflict: Conflict) -> TimeSpan:
    """When the decided value begins: as well as the side that began then knows it."""
    spans = [fact.valid_from for fact in (conflict.one, conflict.other) if fact.valid_from]
    known = next((span for span in spans if span.start == conflict.begins), None)
    return known or TimeSpan(conflict.begins, conflict.begins, Precision.UNKNOWN)


def _above(one: Namespace, other: Namespace) -> Namespace:
    """The deepest namespace above both; raises ``InvalidScope`` if that is everybody's."""
    alike = itertools.takewhile(lambda labels: labels[0] == labels[1], zip(one, other, strict=False))
    common: Namespace = tuple(label for label, _ in alike)
    if not common and (one or other):
        raise InvalidScope(
            f"{one} and {other} have nothing in common", hint="say where the decision goes: namespace=..."
        )
    return common
