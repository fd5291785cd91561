"""Frames: how English says that an attribute begins, holds or ends. Data only; ``statements`` interprets it.

A frame is a verb in base form and what follows it, element by element. Adverbs and time expressions may stand anywhere.

    word|word    one of these words, as written
    (word|word)  the same, optional
    ~            any particles: "back", "over", "down", "out" ...
    _            the value: a noun phrase, of a kind that the group takes
    -            an old value
    @            the person whom it is about: "Acme hired her", "made Ann partner"
    &            the same, a pronoun only
    $            the end of the clause
    !word        any word but this one, or the end
    KIND         a noun phrase whose head is of that kind ("a new job" for JOB)
    *            any noun phrase

A group takes values by kind: ``place:home`` makes a place a ``home``; ``name:employer`` is for names of no known kind,
``any:role`` for every noun phrase. The first that fits decides. ``as:role`` in ``extras`` reads "as a nurse" after the frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache


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
    reciprocal: bool = False
    """Of two subjects, each is the other's value: "Tom and I split up"."""
    pair: bool = False
    """Only of two subjects: "Tom and I are done"."""
    habit: bool = False
    """What is done now and then: the past ("I played tennis yesterday") tells of one time only."""
    needs: str = ""
    """Words of which one must stand in the sentence; ``<dated>`` stands for a month or more, ``<long>``
    for a year, a beginning or a length of time."""

    @property
    def needed(self) -> frozenset[str]:
        return _needed(self.needs)


@lru_cache(maxsize=256)
def _needed(words: str) -> frozenset[str]:
    return frozenset(words.split())


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a group, split into its elements."""

    group: Group
    elements: tuple[str, ...]


START, STATE, END, CRAVING, DENIAL = Effect.START, Effect.STATE, Effect.END, Effect.CRAVING, Effect.DENIAL
_CHILD = "son daughter twins kid kids children nephew niece grandson granddaughter stepson stepdaughter"
_AT_EMPLOYER = "at:employer with:employer for:employer"
_WORK = "firstname:- house:- place:- school:school gym:gym band:membership club:membership provider:employer org:employer name:employer"
_JOB_AT = "firstname:- job:employer org:employer house:- place:- school:employer gym:employer club:employer provider:employer name:employer"
_THINGS = "role:- car:car phone:phone computer:computer pet:pet bike:bike instrument:instrument boat:possession console:possession"

GROUPS: tuple[Group, ...] = (
    # --- children's schools: any name, where a child is spoken of ------------------------------------------------------
    Group(START, "place:- hobby:- org:school school:school name:school", "start|begin (at|in) _\nswitch|transfer|move|change ~ to _\nget in|into _", needs=_CHILD),
    Group(STATE, "place:- hobby:- food:- school:school name:school", "go ~ to _\nbe ~ at _\nattend _", needs=_CHILD, habit=True),
    Group(START, _JOB_AT, "move on to _"),
    # --- home ---------------------------------------------------------------------------------------------------------
    Group(
        START,
        "house:home place:home school:school role:role diet:diet phone:phone car:car provider:provider gym:gym org:employer name:home",
        """
        move ~ from * to|into|onto _
        move ~ to|into|onto|over _
        shift ~ to _
        """,
    ),
    Group(
        START,
        "house:home place:home name:home",
        """
        move ~ in|at _
        move ~ home to _
        move ~ with * in|at|near _
        retire to _
        relocate|transfer|emigrate|immigrate|migrate|decamp|resettle ~ from * to _
        relocate|emigrate|immigrate|migrate|decamp|resettle ~ to|in _
        settle (down|back|in|into) in|into|near|at|on _
        settle into life in _
        move|relocate FAMILY ~ to|into _
        up sticks to|for _
        set up home|house|shop|camp in|on|at _
        put down roots in|on _
        make _ (my|his|her|our|their) home|base
        make my|his|her|our|their home in|on _
        get|collect|receive|have|pick (up) KEYS to|for|of _
        find|buy|get|lease|take|snag|land|bag|purchase|grab|secure|score HOUSE in|near|by|at|on|off _
        be|get relocated|transferred|posted|stationed|moved ~ to|in _
        go ~ to live in|on|near _
        come ~ to live in|on|near _
        swap|trade|leave|exchange - for _
        """,
    ),
    Group(START, "place:home name:home", "head|ship|set|take|go ~ to|for _", needs="pack packed sticks permanently good emigrated"),
    Group(
        STATE,
        "house:home place:home name:home any:home",
        """
        live|reside|dwell|lodge|flatshare ~ in|at|near|on|by _
        live with * in|at|near|on _
        rent|stay ~ in|at _
        rent|own|share|have HOUSE in|near|by|at|on|off _
        be based|settled|domiciled|living|renting ~ in|at|near|out|of|on _
        be a resident|inhabitant of _
        call _ home
        be home in _
        """,
    ),
    Group(STATE, "house:home place:home", "be ~ in|at|on _", needs="now days since still currently permanently good always year years months again ever longer anymore <long>"),
    Group(START, "house:home", "buy|rent|lease|get|purchase _\nclose on _"),
    Group(END, "house:home place:home name:home", "move ~ out (of|from) _\nmove ~ away|on from _\nsell|leave|give (up) HOUSE in _"),
    Group(END, "", "move out|away (of|from)", ends="home"),
    Group(END, "place:home", "leave _", needs="good"),
    Group(STATE, "place:home", "be home (to|for) (us|me|now)", subject_is_value=True),
    Group(STATE, "place:hometown name:hometown", "be|come|hail ~ (originally) from _"),
    Group(START, "place:hometown name:hometown house:-", "grow up in|near|around|on _\nbe born|raised|brought (up|and) (raised) in|near|on _"),
    Group(STATE, "gym:gym school:school any:gym", "work ~ out at|with _\ntrain|lift|box|climb ~ at _"),
    # --- work ---------------------------------------------------------------------------------------------------------
    Group(
        START,
        _JOB_AT,
        """
        land|get|take|accept|secure|score|snag|bag|win|nab|find|start|begin|receive|earn|grab|pick|obtain (up|on) JOB at|with|for|in|from _
        go|come|move|switch|hop|defect|cross|transfer|leave ~ to work|working for|at|with _
        go|come ~ work|working for|at|with _
        jump ship to|for _
        jump|hop|defect ~ to _
        sign ~ with _
        sign CONTRACT with|at|for _
        be|get hired|recruited|employed|poached|headhunted|snapped|signed|brought|taken|onboarded|picked (up|on|onto|in|away) (board) by|at|with|for|to _
        be|get placed|seconded|assigned|transferred at|with|to _
        get ~ in|on at|with _
        take|accept|agree * from|with|at _
        """,
        extras="as:role",
    ),
    Group(START, "job:employer", "land|get|take|accept|secure|score|snag|bag|win|nab|find|start|begin (up|on) _"),
    Group(STATE, "job:employer", "be ~ in|into _\nbe * in|into _\nhave _"),
    Group(
        START,
        "role:role course:- hobby:hobby subject:studies diet:diet house:- place:- pet:- gym:gym school:school band:membership club:membership org:employer provider:employer name:employer",
        "start|begin (out|back|off) at|with|for _",
        extras="as:role",
    ),
    Group(START, "role:role course:- hobby:hobby diet:diet school:school gym:gym", "start|begin _", habit=True),
    Group(START, "event:- " + _WORK, "join|rejoin (up) (with) _", extras="as:role"),
    Group(START, "event:- some:membership", "join|rejoin _"),
    Group(START, "role:role any:role", "start|begin|sign|join (out|off|on|up) as _", extras=_AT_EMPLOYER),
    Group(
        START,
        _JOB_AT,
        """
        hire|recruit|employ|poach|headhunt|sign|engage @
        take|bring|snap @ on|up|aboard
        give|offer @ JOB
        """,
        extras="as:role",
        subject_is_value=True,
    ),
    Group(
        STATE,
        _JOB_AT,
        """
        work ~ at|for|with _
        work nights|days|weekends|evenings|shifts|mornings|part|full (time|shifts) at|for|with _
        drive|teach|cook|bake|code|nurse|write|freelance|consult|intern|temp|volunteer|lecture|clerk|report|tutor|fly|clean|contract|moonlight ~ at|for _
        teach|coach|lecture|work * at|for _
        work in * at _
        be employed ~ by|at|with|for _
        be on the|* payroll|staff|books at|of _
        be on staff|board at|with _
        have|hold JOB at|with _
        make|earn a|my|his|her|their living at|with _
        """,
        extras="as:role",
    ),
    Group(STATE, "provider:provider", "be|bank|stay ~ with _\nuse _"),
    Group(
        START,
        "provider:provider name:provider",
        "switch|change|move|swap ~ to _\nsign up with|for _",
        needs="electricity broadband internet gas energy insurance banking mobile sim tariff provider network wifi",
    ),
    Group(
        END,
        _JOB_AT,
        """
        hand|give|put|turn (in) (my|his|her|their|a|our) notice (in) at|to|with _
        be|get fired|sacked|canned|axed|dismissed|booted|terminated|made|laid|let|kicked|pushed|dropped (off|go|redundant|out) (of) from|by|at _
        quit|leave|lose|resign|pack|jack|chuck|give (up|in|from) JOB at|with|for|in _
        finish|wrap ~ at|with _
        """,
        ends="role",
    ),
    Group(
        END,
        "firstname:- job:employer role:role diet:diet substance:hobby hobby:hobby house:- place:- school:school gym:gym club:membership band:membership provider:provider org:employer name:employer",
        """
        quit|resign|leave|depart|exit (from) _
        walk ~ out of|on _
        walk ~ away from _
        part ways|company with _
        resign|retire|depart ~ from|as _
        step down ~ as|from _
        """,
    ),
    Group(
        END,
        "",
        """
        hand|give|put|turn (in) (my|his|her|their|our) notice (in)
        be|get fired|sacked|canned|axed|dismissed|booted|terminated
        be|get made redundant
        be|get laid off
        be|get let go
        be|get (given) the sack|boot|chop|axe|push
        quit $
        quit|leave|lose|resign|pack|jack|chuck|give (up|in|from) JOB
        resign
        """,
        ends="employer role",
    ),
    Group(END, "", "make @ redundant\nlet @ go\nlay @ off\nfire|sack|dismiss|axe @\nlay off @\nlet go of @", ends="employer role"),
    Group(START, "", "retire\nbe|get retired", value="role=retired"),
    # --- projects: who is in charge -----------------------------------------------------------------------------------
    Group(START, "car:- pet:- phone:- place:- role:- food:- hobby:- name:owner", "take ~ over _\ninherit _\nhand|pass|transfer|give _ over|on|off to @\nhand|pass|transfer _ to @\nhand|pass over _ to @", inverse=True),
    Group(
        STATE,
        "car:- pet:- phone:- place:- role:- food:- hobby:- org:- school:- bike:- house:- name:owner",
        """
        own|lead|manage|maintain|oversee|chair|supervise|coordinate|head (up) _
        be lead|owner|point|leading|running|maintaining|responsible|in (person|charge) on|of|for _
        be leading|running|managing|heading|overseeing|owning (up) _
        be the|* lead|owner|maintainer on|of|for _
        be responsible for _
        look after _
        """,
        inverse=True,
    ),
    Group(STATE, "car:- pet:- phone:- place:- role:- food:- hobby:- org:- event:- name:owner", "run _", inverse=True, needs="now project since"),
    # --- role ---------------------------------------------------------------------------------------------------------
    Group(
        START,
        "role:role any:role",
        """
        be|get promoted|appointed|elevated|bumped|named|elected|voted|moved|hired|recruited|installed (up) to|as|into _
        retrain|train|qualify|requalify as _
        take ~ work|over|on as _
        find|get|take|land work as _
        land|get|take|accept|secure|score|snag|bag|win|nab|find|start|begin (up|on) JOB as|of _
        step ~ up|into to|as _
        """,
        extras=_AT_EMPLOYER,
    ),
    Group(START, "role:role", "be|get made|named|appointed|elected|crowned _\nmake|appoint|name|elect @ (as) _\npromote|bump|move|elevate|upgrade @ (up) to _\nland|secure|win _", extras=_AT_EMPLOYER),
    Group(
        START,
        "role:role diet:diet status:relationship_status nationality:nationality",
        "become|turn _\ngo|switch|move|change|transition ~ to|into _",
        extras=_AT_EMPLOYER,
    ),
    Group(START, "", "go freelance|self-employed|solo", value="role=freelance"),
    Group(
        STATE,
        "role:role any:role",
        """
        work|serve|freelance|moonlight|volunteer ~ as _
        make|earn (a|my|his|her|their) living|crust ~ as|by _
        have JOB as _
        be employed as _
        """,
        extras=_AT_EMPLOYER,
    ),
    Group(STATE, "allergic:allergy role:role diet:diet health:health status:relationship_status", "be _", extras=_AT_EMPLOYER),
    # --- relationship -------------------------------------------------------------------------------------------------
    Group(START, "person:relationship_status+dating someone:relationship_status+dating", "end|wind up dating|seeing _\nget ~ together|involved with _\nhook up with _"),
    Group(START, "person:partner kin:partner", "marry|wed|remarry _\nbe|get married|hitched|wed to|with _\ntie the knot with _", value="relationship_status=married"),
    Group(START, "person:partner kin:partner", "be|get engaged|betrothed to|with _", value="relationship_status=engaged"),
    Group(START, "status:relationship_status diet:diet health:health role:role", "get|become|end|wind|turn (up|out) _\ngo _"),
    Group(START, "", "tie the knot\nbe|get hitched|wed|married !to\nwed|elope|marry|remarry", value="relationship_status=married"),
    Group(START, "", "be|get|become engaged !to !in !with", value="relationship_status=engaged"),
    Group(START, "", "say yes", value="relationship_status=engaged", needs="proposed propose ring knee marry"),
    Group(START, "", "be|get divorced !to\ndivorce $", value="relationship_status=divorced"),
    Group(STATE, "", "be single|unattached", value="relationship_status=single"),
    Group(STATE, "person:relationship_status+dating kin:relationship_status+dating", "be ~ in a|* relationship with _\ngo ~ with _", needs="relationship out steady"),
    Group(STATE, "", "be ~ in a|* relationship", value="relationship_status=in a relationship"),
    Group(STATE, "person:relationship_status+dating kin:relationship_status+dating someone:relationship_status+dating", "see|date _\nbe ~ together|exclusive|involved|dating|seeing (with) _"),
    Group(STATE, "firstname:relationship_status+with", "be ~ with _", needs="since for years year months together"),
    Group(STATE, "", "be ~ together|dating\nbe ~ a|an item|couple\ndate\ngo out|steady\nsee each other", value="relationship_status=dating", reciprocal=True),
    Group(
        END,
        "person:relationship_status kin:relationship_status",
        """
        break|split ~ with|from _
        break it|things off with _
        dump|divorce _
        end|call (it|things) (quits|off|over) with _
        separate|split from _
        part ways|company with _
        finish (it|things) with _
        """,
    ),
    Group(END, "", "dump|divorce|leave|ditch &", ends="relationship_status"),
    Group(END, "", "be done|over|through|finished|history", ends="relationship_status", reciprocal=True, pair=True),
    Group(
        END,
        "",
        """
        break|split up|apart
        break it|things off
        split|separate $
        call it quits|off|a
        call off the wedding|engagement
        part ways
        go our|their separate ways
        end things
        """,
        ends="relationship_status",
        reciprocal=True,
    ),
    # --- things -------------------------------------------------------------------------------------------------------
    Group(
        START,
        _THINGS,
        """
        buy|get|order|purchase|acquire|inherit|snag|score|adopt|rescue|nab|bag|win|lease|land _
        pick|bring|take|snap|welcome up|home|in|on _
        bring|take|welcome _ home|in
        end|wind (up) with _
        splash ~ on _
        invest in _
        treat me|us|myself|ourselves|herself|himself to _
        take delivery|possession of _
        trade|swap|exchange|switch|change (in|out) - (in) for|with|to _
        trade|switch|change|swap|upgrade|downgrade|move|go|convert|jump ~ from - to _
        switch|upgrade|downgrade|go|convert|change|swap|trade|move|jump ~ to|for _
        replace - with|by _
        be|get given|gifted|bought|upgraded|switched (to) _
        """,
    ),
    Group(START, "provider:provider gym:gym", "switch|upgrade|change|swap|move|jump|transfer ~ to _\nopen * (account) with|at _"),
    Group(START, _THINGS + " job:employer", "give|buy|gift|lend & _"),
    Group(START, "diet:diet", "put & on _"),
    Group(START, "car:car pet:pet phone:phone name:car", "drive|ride ~ home (in) _"),
    Group(STATE, "role:- car:car bike:bike boat:possession name:car", "drive|ride ~ (around) (in) _"),
    Group(STATE, _THINGS, "have|own|keep|lease|share _\nbe on|using|driving|riding _\nrock|use|run _"),
    Group(
        END,
        _THINGS,
        """
        sell|flog|ditch|dump|lose|scrap|return|donate|rehome|total|wreck|offload|axe|trade|retire|drown|part|give (in|off|away|out|up|ways|with|down|back) _
        get rid of _
        be|get shot|rid of _
        put|have _ put|stolen|towed|down|to
        write off _
        write _ off
        give _ away|up|back|to
        send _ back
        trade _ in
        """,
    ),
    Group(
        END,
        "car:car pet:pet phone:phone computer:computer bike:bike boat:possession console:possession instrument:instrument",
        """
        die|drown
        pass away|on
        be|get gone|stolen|scrapped|totalled|totaled|sold|rehomed|wrecked|nicked|pinched
        be|get written off
        give up
        pack in|up
        bite the dust
        cross the rainbow
        """,
        subject_is_value=True,
    ),
    # --- memberships, schools, studies --------------------------------------------------------------------------------
    Group(
        START,
        "gym:gym course:- hobby:hobby subject:studies language:- school:school band:membership club:membership provider:provider car:- event:- name:membership",
        """
        sign ~ up for|at|with|to|on _
        subscribe to _
        register ~ at|with _
        become a|* member of|at _
        get|take|buy (out) * membership|subscription|pass at|to|for|with _
        """,
    ),
    Group(
        START,
        "gym:gym course:- subject:studies org:school school:school hobby:hobby name:school",
        """
        enrol|enroll|matriculate|register ~ at|in|on|with|for _
        get ~ in|into to|at _
        get into _
        be|get accepted|admitted|enrolled ~ to|into|at|by|in _
        """,
    ),
    Group(STATE, "gym:gym club:membership band:membership school:- name:membership", "be ~ a|* member of|at _\nbelong to _\nplay|sing|row|run|swim|dance|fence for|in|with _\nplay|drum|gig with _"),
    Group(STATE, "gym:gym school:school", "go ~ to _\nattend _", habit=True),
    Group(START, "gym:gym", "get ~ into _"),
    Group(STATE, "subject:studies language:- course:-", "study _\nmajor in _\ndo a|* degree|masters|phd|course|doctorate|bachelors|bachelor's|master's in|on _", extras="at:school in:school"),
    Group(STATE, "subject:studies", "read _", extras="at:school", needs="degree university uni at"),
    Group(STATE, "place:- org:school school:school name:school", "study|read ~ at _\nstudy|do|read * ~ at _\nbe a|* student at _\nbe enrolled ~ at|in _"),
    Group(STATE, "school:school", "be ~ at|in _"),
    Group(START, "school:school", "switch|transfer|change|move ~ to _"),
    Group(START, "school:school org:school name:school", "switch|transfer|change|move ~ to _", needs="school son daughter uni university college kid schools class"),
    Group(END, "school:school org:school name:school", "graduate ~ from _\ndrop ~ out of _\nleave|finish|quit _\ntake|pull|withdraw @ out of|from _", needs="school uni university college degree graduate drop student studies take pull withdraw"),
    Group(
        END,
        "firstname:- job:employer gym:gym diet:diet provider:provider club:membership band:membership hobby:hobby substance:hobby role:role school:school org:employer car:- pet:- phone:- place:- name:membership",
        """
        cancel|quit|drop|ditch|end|freeze|terminate|leave|unsubscribe (from|out|of|with) _
        give|pack|throw|jack|chuck (up|in) _
        let _ lapse|expire|go
        back|drop|pull|opt out of _
        """,
    ),
    # --- food, health -------------------------------------------------------------------------------------------------
    Group(START, "diet:diet", "go|turn ~ _\nstart|try|adopt (eating|being|on) _\nswitch|move|go ~ to|on|onto _"),
    Group(STATE, "diet:diet", "be on|eating|doing _\neat|follow|do|keep _"),
    Group(END, "diet:diet", "come off _\nfall off _\nlapse from _\nstop|quit being|eating|doing _\nabandon|drop|stop _"),
    Group(STATE, "weekday:- allergen:allergy food:allergy name:allergy any:allergy", "be ~ allergic|intolerant to _\nhave a|an|* allergy|intolerance|reaction to _"),
    Group(STATE, "allergen:allergy", "have _", needs="allergy intolerance"),
    Group(START, "allergen:allergy any:allergy", "develop a|an|* allergy|intolerance to _\nbecome|turn allergic|intolerant to _"),
    Group(END, "allergen:allergy", "outgrow _\ngrow out of _"),
    Group(START, "health:health name:health", "be|get ~ diagnosed with|as _\ndevelop _\ncome down with _"),
    Group(STATE, "health:health", "have|suffer|live|struggle|deal|battle (from|with) _"),
    # --- leisure ------------------------------------------------------------------------------------------------------
    Group(
        START,
        "instrument:instrument language:language hobby:hobby name:-",
        """
        take|pick up _
        get ~ into _
        start|try|begin|discover (up|playing|doing|learning|practising) _
        get hooked|obsessed|addicted (on|with|to) _
        fall in love with _
        take * lessons|classes in _
        """,
        habit=True,
    ),
    Group(START, "food:favorite_food", "get ~ into _\nget|become hooked|obsessed|addicted (on|with|to) _\nfall in love with _\ndiscover _"),
    Group(STATE, "food:favorite_food", "love|adore _", needs="everything else anything favourite favorite most"),
    Group(CRAVING, "food:favorite_food hobby:hobby", "get enough of _"),
    Group(CRAVING, "food:dislikes hobby:dislikes any:dislikes", "stand|bear|abide _", habit=True),
    Group(STATE, "language:language instrument:instrument hobby:hobby", "play|do|practise|practice|learn _\nbe ~ into|doing|learning|on _\ngo _", habit=True),
    Group(END, "hobby:hobby substance:hobby instrument:instrument", "give up _\nquit|stop|drop|ditch|kick|abandon _\nhang up * _\nretire from _"),
    Group(STATE, "language:language bare:language", "speak _"),
    Group(STATE, "language:language", "know _\nbe ~ fluent|bilingual|conversational|native (in) _"),
    Group(STATE, "food:likes hobby:likes", "love|adore|enjoy|like|prefer _\nbe a|* fan of _\nbe crazy|mad|nuts about _\nbe obsessed with _", habit=True),
    Group(STATE, "food:dislikes hobby:dislikes allergen:dislikes", "hate|detest|loathe|dislike _", habit=True),
    # --- with somebody or at some place, where nothing else fits ------------------------------------------------------
    Group(
        STATE,
        "house:- place:- firstname:- car:car phone:phone diet:diet school:school band:membership club:membership gym:gym provider:provider org:employer name:employer",
        "be ~ with _\nbe ~ at _",
        extras="as:role",
        needs="now days since still currently permanently for year years months month weeks ever already again <dated>",
    ),
    # --- what did not come --------------------------------------------------------------------------------------------
    Group(
        DENIAL,
        "house:- place:home org:employer school:school name:employer",
        """
        turn|shoot down _
        turn _ down
        decline|reject|refuse (JOB) (from|at|with) _
        back|pull out of _
        decide against _
        """,
    ),
    # --- people -------------------------------------------------------------------------------------------------------
    Group(START, "name:name", "change my|his|her|their|our name|surname to _"),
    Group(STATE, "name:nickname", "call & _"),
    Group(START, "name:name", "name|call & _"),
    Group(START, "baby:children", "have|welcome|deliver _\ngive birth to _"),
    Group(STATE, "kin:kin", "have _"),
    Group(STATE, "firstname:manager name:manager", "report|answer to _"),
    Group(STATE, "", "smoke", value="hobby=smoking"),
    Group(STATE, "weekday:- place:- car:- org:- role:- food:- hobby:- phone:- name:project", "work on _"),
)  # fmt: skip

CHANGE_VERBS = frozenset("switch change swap trade move jump replace hop".split())
"""With the noun of an attribute: "switched gyms to Equinox", "swapped cars and got a van"."""

STATUS_WORDS = frozenset(
    "live paused on-hold cancelled canceled done complete completed finished active inactive blocked delayed shelved archived released shipped launched closed approved rejected suspended resumed deprecated stalled dead beta alpha production staging testing review development planning qa".split()
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
