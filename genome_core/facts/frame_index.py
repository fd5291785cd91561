"""The frames by verb, and the verbs and words that change or name a state."""

from __future__ import annotations

from collections.abc import Mapping

from genome_core.facts import frames_idioms, frames_life, frames_work
from genome_core.facts.frames import Frame, Frames

GROUPS = (*frames_work.GROUPS, *frames_life.GROUPS, *frames_idioms.GROUPS)
"""All groups, in the order in which they are tried."""

CHANGE_VERBS = frozenset("switch change swap trade move jump replace hop".split())
"""With the noun of an attribute: "switched gyms to Ironworks", "changed jobs to Hexagon"."""

STATUS_WORDS = frozenset(
    "live paused on-hold cancelled canceled done complete completed finished active inactive blocked delayed shelved archived released shipped launched closed approved rejected suspended resumed deprecated stalled dead beta alpha production staging testing review development planning qa".split()
)
STATUS_VERBS: Mapping[str, str] = {
    "ship": "shipped", "launch": "launched", "release": "released", "pause": "paused", "cancel": "cancelled", "complete": "completed", "finish": "finished", "shelve": "shelved",
    "archive": "archived", "block": "blocked", "delay": "delayed", "suspend": "suspended", "close": "closed", "approve": "approved", "deprecate": "deprecated", "resume": "resumed", "kill": "cancelled", "reopen": "open", "deploy": "deployed", "unblock": "active", "unpause": "active", "un-pause": "active", "axe": "cancelled",
}  # fmt: skip


def index() -> Mapping[str, Frames]:
    """The frames by the lemma of their verb, in the order of the table."""
    found: dict[str, list[Frame]] = {}
    for group in GROUPS:
        for line in group.frames.strip().splitlines():
            verbs, *elements = line.split()
            for verb in dict.fromkeys(verbs.split("|")):
                found.setdefault(verb, []).append(Frame.of(group, elements))
    return {verb: Frames(frames) for verb, frames in found.items()}
