"""Frames: how English says that an attribute begins, holds or ends. Data only; ``statements`` interprets it.

A frame is a verb in base form and what follows it, element by element. Adverbs and time expressions may stand anywhere.

    word|word    one of these words, as written
    (word|word)  the same, optional
    ~            any particles: "back", "over", "down", "out" ...
    _            the value: a noun phrase, of a kind that the group takes
    -            an old value, which ends
    @            the person: the object of a verb whose subject is the employer ("Acme hired her")
    KIND         a noun phrase whose head is of that kind ("a new job" for JOB)
    *            any noun phrase

A group takes values by kind: ``place:home`` makes a place a ``home``; ``name:employer`` is for names of no known kind,
``any:role`` for every noun phrase. The first that fits decides. ``as:role`` in ``extras`` reads "as a nurse" after the frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Effect(Enum):
    """What the verb does to the attribute."""

    START = "start"
    """An event after which the value holds: past and perfect count, the present does not."""
    STATE = "state"
    """It holds while the verb does: the present counts, the past only with its dates."""
    END = "end"
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
    needs: str = ""
    """Words of which one must stand in the sentence."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a group, split into its elements."""

    group: Group
    elements: tuple[str, ...]


_WORK = (
    "house:- place:- school:school gym:gym band:membership club:membership provider:employer org:employer name:employer"
)
_JOB_AT = "house:- place:- school:employer org:employer gym:employer club:employer provider:employer name:employer"
_THINGS = "role:- car:car phone:phone computer:computer pet:pet bike:bike instrument:instrument boat:possession console:possession"

GROUPS: tuple[Group, ...] = (
    # --- home ---------------------------------------------------------------------------------------------------------
    Group(Effect.START, "house:home place:home school:school role:role diet:diet phone:phone car:car provider:provider gym:gym org:employer name:home", "move ~ from * to|into|onto _\nmove ~ to|into|onto|over _\nshift ~ to _"),
    Group(
        Effect.START,
        "house:home place:home name:home",
        """
        move ~ in _
        move in at _
        relocate|transfer|emigrate|immigrate|migrate|decamp|resettle ~ from * to _
        relocate|emigrate|immigrate|migrate|decamp|resettle ~ to|in _
        settle (down|back|in|into) in|into|near|at _
        up sticks to|for _
        set up home|house|camp in _
        put down roots in _
        make _ home|base
        make _ my|his|her|our|their home|base
        get|collect|receive|have KEYS to|for _
        find|buy|get|rent|lease|take|snag|land|bag|purchase|grab|secure|score HOUSE in|near|by|at|on|off _
        crash|bunk ~ in|at _ permanently
        move ~ home to _
        be relocated|transferred|posted|stationed|moved ~ to|in _
        get relocated|transferred|posted|stationed|moved ~ to|in _
        """,
    ),
    Group(Effect.START, "house:home", "buy|rent|lease|get|purchase _\nclose on _"),
    Group(Effect.START, "place:home name:home", "head|ship|set|take|go ~ to|for _", needs="pack sticks permanently good emigrate relocate"),
    Group(
        Effect.STATE,
        "house:home place:home name:home",
        """
        live|reside|dwell|lodge|room|flatshare ~ in|at|near|on|by _
        live with * in|at|near _
        rent|stay ~ in|at _
        rent|own|share|have HOUSE in|near|by|at|on|off _
        be based|settled|domiciled ~ in|at|near|out|of _
        be a resident|inhabitant of _
        call _ home
        be home in _
        be living|renting ~ in|at|near _
        """,
    ),
    Group(Effect.STATE, "house:home place:home", "be ~ in|at _", needs="now days since still currently permanently good always year years months again for", ),
    Group(Effect.END, "house:home place:home name:home", "move ~ out (of|from) _\nmove ~ away|on from _\nmove out\nmove away\nsell HOUSE in _\ngive up HOUSE in _\nleave HOUSE in _"),
    Group(Effect.END, "place:home", "leave _", needs="good moved move back home relocated"),
    Group(Effect.STATE, "place:hometown name:hometown", "be|come|hail ~ from _\nbe originally from _"),
    Group(Effect.START, "place:hometown name:hometown house:-", "grow up in|near|around _\nbe born|raised|brought (up|and) (raised) in|near _"),
    # --- work ---------------------------------------------------------------------------------------------------------
    Group(
        Effect.START,
        _JOB_AT,
        """
        land|get|take|accept|secure|score|snag|bag|win|nab|find|start|begin|have|receive|earn|grab|pick|get|obtain (up|on) JOB at|with|for|in|from _
        go|come|move|switch|hop|defect|cross|transfer|leave ~ to work|working for|at|with _
        go|come ~ work|working for|at|with _
        jump ship to|for _
        jump|hop|defect ~ to _
        sign ~ with _
        be|get hired|recruited|employed|poached|headhunted|snapped|signed|brought|taken|engaged|onboarded|picked (up|on|onto|in|out|away) (board) by|at|with|for|to _
        get ~ in|on at|with _
        be|get placed|seconded|assigned|transferred at|with|to _
        take|accept|agree * from|with|at _
        """,
        extras="as:role",
    ),
    Group(
        Effect.START,
        "role:role course:- hobby:hobby subject:studies house:- place:- pet:- gym:gym school:school band:membership club:membership org:employer provider:employer name:employer",
        "start|begin (out|back|off) at|with|for _\nstart|begin _",
        extras="as:role",
    ),
    Group(Effect.START, _WORK, "join|rejoin (up) (with) _", extras="as:role"),
    Group(Effect.START, "role:role", "start|begin|sign|join (out|off|on|up) as _", extras="at:employer with:employer for:employer"),
    Group(Effect.START, _JOB_AT, "hire|recruit|employ|poach|headhunt|sign|engage @\ntake|bring|snap @ on|up|aboard\ngive|offer @ JOB", extras="as:role", subject_is_value=True, ),
    Group(
        Effect.STATE,
        _JOB_AT,
        """
        work ~ at|for|with _
        drive|teach|cook|bake|code|nurse|write|freelance|consult|intern|temp|volunteer|lecture|clerk|report|waitress|tutor|fly|clean|contract|moonlight at|for _
        be employed|working ~ by|at|with|for _
        be on the|* payroll|staff|books at|of _
        be on staff|board at|with _
        have|hold JOB at|with _
        make a|* living at|with _
        earn a|* living at|with _
        """,
        extras="as:role",
    ),
    Group(Effect.STATE, "house:- place:- car:car phone:phone diet:diet school:school band:membership club:membership gym:gym provider:provider org:employer name:employer", "be ~ with _\nbe ~ at _", extras="as:role", needs="now days since still currently permanently for year years months month weeks ever already again"),
    Group(
        Effect.END,
        "role:role diet:diet substance:hobby hobby:hobby house:- place:- school:school gym:gym club:membership band:membership provider:provider org:employer name:employer",
        """
        quit|resign|leave|depart|exit (from) _
        walk ~ out of|on _
        walk ~ away from _
        part ways|company with _
        resign|retire|depart ~ from|as _
        step down ~ as|from _
        """,
        ends="",
    ),
    Group(
        Effect.END,
        _JOB_AT,
        """
        hand|give|put|turn (in) (my|his|her|their|a|our) notice (in) at|to|with _
        be|get fired|sacked|canned|axed|dismissed|booted|terminated|made|laid|let|kicked|pushed (off|go|redundant|out) from|by|at|of _
        quit|leave|lose|resign|pack|jack|chuck|give (up|in|from) JOB at|with|for|in _
        finish|wrap ~ at|with _
        """,
        ends="role",
    ),
    Group(
        Effect.END,
        "",
        """
        hand|give|put|turn (in) (my|his|her|their|our) notice (in)
        be|get fired|sacked|canned|axed|dismissed|booted|terminated
        be|get made|laid|let off|go|redundant
        quit|leave|lose|resign|pack|jack|chuck|give (up|in|from) JOB
        resign
        """,
        ends="employer role",
    ),
    Group(Effect.END, "", "make @ redundant\nlet @ go\nlay @ off\nfire|sack|dismiss @\nlay|let off|go @", subject_is_value=True, ends="employer role"),
    Group(Effect.START, "", "retire", value="role=retired", ends="employer"),
    Group(Effect.START, "", "be|get retired", value="role=retired", ends="employer"),
    # --- role ---------------------------------------------------------------------------------------------------------
    Group(
        Effect.START,
        "role:role any:role",
        """
        be|get promoted|appointed|elevated|bumped|upgraded|made|named|elected|voted|moved|hired|recruited|installed (up) to|as|into _
        be|get made|named|appointed|elected _
        retrain|train|qualify|requalify|requalified as _
        take ~ work|over as _
        find|get|take|land work as _
        land|get|take|accept|secure|score|snag|bag|win|nab|find|start|begin (up|on) JOB as|of _
        step ~ up to|into|as _
        """,
        extras="at:employer with:employer for:employer",
    ),
    Group(Effect.START, "role:role diet:diet status:relationship_status", "become|turn _\ngo|switch|move|change|transition ~ to|into _\nmake _\ngo freelance", extras="at:employer with:employer for:employer"),
    Group(Effect.START, "", "go freelance|self-employed|solo", value="role=freelance"),
    Group(Effect.START, "role:role", "make|appoint|name|elect @ (as) _\npromote|bump|move|elevate @ (up) to _", subject_is_value=False, extras="at:employer"),
    Group(
        Effect.STATE,
        "role:role any:role",
        "work|serve|freelance ~ as _\nmake|earn (a|my|his|her|their) living|crust as|by _\nhave JOB as _\nbe employed as _",
        extras="at:employer with:employer for:employer",
    ),
    Group(Effect.STATE, "role:role diet:diet health:health status:relationship_status", "be _", extras="at:employer with:employer for:employer"),
    Group(Effect.STATE, "role:role", "be working|employed as _", extras="at:employer with:employer for:employer"),
    # --- relationship -------------------------------------------------------------------------------------------------
    Group(Effect.START, "status:relationship_status diet:diet health:health", "get|become|end|wind|turn (up|out) _\ngo _"),
    Group(Effect.START, "", "tie the knot (with)\nget|be hitched|wed (to)\nwed\nelope\nget|be married\nmarry", value="relationship_status=married"),
    Group(Effect.START, "", "get|be|become engaged\npropose|pop\nsay yes", value="relationship_status=engaged"),
    Group(Effect.START, "", "get|be divorced\ndivorce", value="relationship_status=divorced"),
    Group(Effect.START, "name:partner kin:partner", "marry|wed|remarry _\nget|be married|engaged|hitched|wed|betrothed to|with _\ntie the knot with _\nmove in with _"),
    Group(Effect.STATE, "", "be single|unattached", value="relationship_status=single"),
    Group(Effect.STATE, "", "be in a|* relationship", value="relationship_status=in a relationship"),
    Group(Effect.STATE, "name:relationship_status+dating kin:relationship_status+dating", "see|date _\ngo ~ with _\nbe|go steady|together|out|exclusive|involved with _\nbe in a|* relationship with _"),
    Group(Effect.STATE, "someone:relationship_status+dating", "date|see _"),
    Group(Effect.START, "name:relationship_status+dating kin:relationship_status+dating", "get ~ together|involved with _\nhook up with _"),
    Group(Effect.END, "name:relationship_status kin:relationship_status", "break|split ~ with _\nbreak it off with _\nbreak things off with _\ndump|divorce _\nend|call (it|things) (quits|off|over) with _\nseparate|split from _\npart ways|company with _\nfinish (it|things) with _"),
    Group(Effect.END, "", "break|split up\nsplit\nseparate\ncall it quits\ncall (off) the (wedding|engagement)\npart ways\ngo our|their separate ways\nend things", ends="relationship_status"),
    # --- things -------------------------------------------------------------------------------------------------------
    Group(
        Effect.START,
        _THINGS,
        """
        buy|get|purchase|acquire|inherit|order|collect|snag|grab|score|find|welcome|adopt|rescue|fetch|nab|bag|win|own|lease|land (me|us) _
        pick|bring|take|snap (up|home|in|on) _
        end|wind (up) with _
        splash ~ on _
        invest in _
        treat me|us|myself|ourselves|herself|himself to _
        take delivery|possession of _
        trade|swap|exchange|switch|change|part-exchange (in|out) - for|with|to _
        trade|switch|change|swap|upgrade|downgrade|move|go|convert|jump ~ from - to _
        switch|upgrade|downgrade|go|convert|change|swap|trade|move ~ to|for _
        replace - with|by _
        be|get given|gifted|bought|upgraded|switched (to) _
        """,
    ),
    Group(Effect.START, "car:car pet:pet phone:phone name:car", "drive|ride ~ home (in) _"),
    Group(Effect.STATE, "role:- car:car bike:bike boat:possession name:car", "drive|ride|run ~ _\nbe ~ driving|riding _\ndrive ~ around in _"),
    Group(Effect.STATE, _THINGS, "have|own|keep|lease _\nhave _ (called|named)\nbe on|using|driving|riding _\nrock|use|run _"),
    Group(
        Effect.END,
        _THINGS,
        """
        sell|ditch|dump|lose|scrap|return|donate|rehome|total|wreck|offload|bin|axe|trade|junk|retire|crash|drown|part|give|drop|smash|break (in|off|away|out|up|ways|with|down|back) _
        get rid of _
        be|get shot|rid of _
        put _ down|to
        have _ put|stolen|towed
        write off _
        give _ away|up|back|to
        trade _ in
        write _ off
        """,
    ),
    Group(Effect.END, "car:car pet:pet phone:phone computer:computer bike:bike boat:possession console:possession instrument:instrument", "die\npass (away|on)\ndrown\nbreak (down)\nconk\nbe|get gone|dead|stolen|scrapped|totalled|totaled|sold|rehomed|wrecked|history|toast|nicked|pinched\nbe|get written|put off|down\ngive (up)\npack (in|up)\nbite the dust\ncross the rainbow", subject_is_value=True),
    # --- memberships, schools, studies --------------------------------------------------------------------------------
    Group(
        Effect.START,
        "gym:gym course:- hobby:hobby subject:studies language:- school:school band:membership club:membership provider:provider car:- name:membership",
        """
        sign ~ for|at|with|to _
        sign up _
        subscribe to _
        register ~ at|with _
        become a|* member of|at _
        get|take|buy (out) * membership|subscription|pass at|to|for|with _
        """,
    ),
    Group(Effect.START, "gym:gym course:- subject:studies org:school school:school hobby:hobby name:school", "enrol|enroll|matriculate|register ~ at|in|on|with|for _\nget in|into _\nget|be accepted|admitted (to|into|at|by) _\nbegin studying ~ at|in _"),
    Group(Effect.STATE, "gym:gym club:membership band:membership school:- name:membership", "be ~ a|* member of|at _\nbelong to _\nplay|sing|row|run|swim|dance|fence for|in|with _\nplay|drum|gig with _"),
    Group(Effect.STATE, "gym:gym school:school any:gym", "work out at|with _\ntrain|lift|exercise|box|climb ~ at _"),
    Group(Effect.START, "gym:gym school:school", "go ~ to _", needs="start started starting begin began"),
    Group(Effect.STATE, "gym:gym school:school", "go ~ to _\nattend _"),
    Group(Effect.STATE, "place:- org:school school:school name:school", "study|attend|read|be ~ at _\nattend _\nstudy * at _\nstudy _ at\nbe a student at _\nbe enrolled ~ at|in _\nbe ~ studying at _\ndo * at _"),
    Group(Effect.STATE, "subject:studies language:- course:-", "study|read _\nmajor in _\ndo a|* degree|masters|phd|course|doctorate|bachelors|bachelor's|master's in|on _\nbe studying _"),
    Group(Effect.START, "school:school org:school name:school", "switch|transfer|change|move ~ to _", needs="school son daughter uni university college kid schools class"),
    Group(Effect.END, "school:school org:school name:school", "graduate|graduated ~ from _\ndrop ~ out of _\nleave|finish|quit _", needs="school uni university college degree graduate graduated drop dropped student studies"),
    Group(
        Effect.END,
        "gym:gym diet:diet provider:provider club:membership band:membership hobby:hobby substance:hobby role:role school:school org:employer car:- pet:- phone:- name:membership",
        "cancel|quit|drop|ditch|end|freeze|terminate|leave|unsubscribe (from|out|of|with) _\ngive|pack|throw|jack|chuck (up|in) _\nlet _ lapse|expire|go\nsay goodbye to _\nback|drop|pull|opt out of _",
    ),
    # --- food, health -------------------------------------------------------------------------------------------------
    Group(Effect.START, "diet:diet", "go|turn|become ~ _\nstart eating|being _\nswitch ~ to _\nstart|try|adopt _\nmove to _\ngo on|onto _"),
    Group(Effect.STATE, "diet:diet", "be on|eating _\neat _\nfollow|do|keep _"),
    Group(Effect.END, "diet:diet", "come off _\nfall off _\nlapse from _\nstop|quit being|eating _\nabandon|drop|stop _"),
    Group(Effect.STATE, "allergen:allergy food:allergy name:allergy any:allergy", "be ~ allergic|intolerant to _\nhave a|an|* allergy|intolerance|reaction to _"),
    Group(Effect.START, "allergen:allergy any:allergy", "develop a|an|* allergy|intolerance to _\nbecome|turn allergic|intolerant to _"),
    Group(Effect.END, "allergen:allergy", "outgrow _\ngrow out of _"),
    Group(Effect.START, "health:health name:health", "be ~ diagnosed with|as _\nget diagnosed with|as _\ndevelop _\ncome down with _", needs=""),
    Group(Effect.STATE, "health:health", "have|suffer|live|struggle|deal|battle (from|with) _\nbe _"),
    # --- leisure ------------------------------------------------------------------------------------------------------
    Group(Effect.START, "instrument:instrument hobby:hobby subject:- name:-", "take up _\nget ~ into _\nstart|try|begin|discover (up|playing|doing|learning|practising) _\nget hooked|obsessed|addicted (on|with|to) _\nfall in love with _\npick up _\ntake * lessons|classes in _"),
    Group(Effect.START, "food:favorite food", "get ~ into _\nget|become|be hooked|obsessed|addicted (on|with|to) _\nfall in love with _\ndiscover _", needs="get got gotten became become discovered hooked obsessed fell"),
    Group(Effect.STATE, "food:favorite food", "love|adore _", needs="everything else anything favourite favorite most"),
    Group(Effect.STATE, "food:favorite food hobby:hobby", "get enough of _", ),
    Group(Effect.STATE, "instrument:instrument hobby:hobby", "play _\ndo|practise|practice _\nbe ~ into|doing|learning|on _\ngo _"),
    Group(Effect.END, "hobby:hobby substance:hobby instrument:instrument", "give up _\nquit|stop|drop|ditch|kick|abandon _\nhang up * _\nretire from _"),
    Group(Effect.STATE, "language:language", "speak _\nbe ~ fluent|bilingual|conversational|native (in) _\nknow _"),
    Group(Effect.STATE, "food:likes hobby:likes", "love|adore|enjoy _\nbe a|* fan of _\nbe crazy|mad|nuts about _\nbe obsessed with _\nlike _"),
    Group(Effect.STATE, "food:dislikes hobby:dislikes allergen:dislikes", "hate|detest|loathe|dislike _"),
    # --- people -------------------------------------------------------------------------------------------------------
    Group(Effect.STATE, "any:name", "be called|named _"),
    Group(Effect.START, "name:name", "change * name to _\nchange * surname to _"),
    # --- projects and things ------------------------------------------------------------------------------------------
    Group(Effect.START, "car:- pet:- phone:- place:- role:- project:owner name:owner", "take ~ over|on _\ninherit|adopt _", inverse=True),
    Group(Effect.STATE, "car:- pet:- phone:- place:- role:- food:- hobby:- project:owner name:owner", "own|lead|run|manage|head|maintain|oversee|captain|chair|handle|supervise|coordinate _\nbe lead|owner|point|leading|running|responsible|in (person|charge) on|of|for _\nbe in charge of _\nbe responsible for _\nlook after _", inverse=True),
)  # fmt: skip

CHANGE_VERBS = frozenset("switch change swap trade move jump replace hop".split())
"""With the noun of an attribute: "switched gyms to Equinox", "swapped cars and got a van"."""

STATUS_WORDS = frozenset(
    "live paused on-hold cancelled canceled done complete completed finished active inactive blocked delayed shelved archived released shipped launched closed open approved rejected suspended resumed deprecated stalled dead beta alpha production staging testing review progress development planning qa".split()
)
STATUS_VERBS: Mapping[str, str] = {
    "ship": "shipped", "launch": "launched", "release": "released", "pause": "paused", "cancel": "cancelled", "complete": "completed", "finish": "finished", "shelve": "shelved",
    "archive": "archived", "block": "blocked", "delay": "delayed", "suspend": "suspended", "close": "closed", "approve": "approved", "deprecate": "deprecated", "resume": "resumed", "kill": "cancelled", "reopen": "open", "deploy": "deployed", "unblock": "active", "axe": "cancelled",
}  # fmt: skip


def index() -> Mapping[str, tuple[Frame, ...]]:
    """The frames by the lemma of their verb, in the order of the table."""
    found: dict[str, list[Frame]] = {}
    for group in GROUPS:
        for line in group.frames.strip().splitlines():
            verbs, *elements = line.split()
            for verb in dict.fromkeys(verbs.split("|")):
                found.setdefault(verb, []).append(Frame(group, tuple(elements)))
    return {verb: tuple(frames) for verb, frames in found.items()}
