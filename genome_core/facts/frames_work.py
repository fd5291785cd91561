"""Frames of homes, work, projects and roles. The language is described in ``frames``."""

from __future__ import annotations

from genome_core.facts.frames import END, START, STATE, Group

_CHILD = "son daughter twins kid kids children nephew niece grandson granddaughter stepson stepdaughter"
_AT_EMPLOYER = "at:employer with:employer for:employer"
_WORK = "firstname:- house:- place:- school:school gym:gym band:membership club:membership provider:employer org:employer name:employer"
_JOB_AT = "firstname:- kin:- job:employer org:employer house:- place:- school:employer gym:employer club:employer provider:employer name:employer"

GROUPS: tuple[Group, ...] = (
    # --- children's schools: any name, where a child is spoken of ------------------------------------------------------
    Group(
        START,
        "place:- school:school name:school any:school",
        "start|begin school|reception|nursery|kindergarten|preschool|university|uni|college at|in _",
    ),
    Group(
        START,
        "place:- hobby:- org:school school:school name:school",
        "start|begin (at|in) _\nswitch|transfer|move|change ~ to _\nget in|into _",
        needs=_CHILD,
    ),
    Group(
        STATE,
        "place:- hobby:- food:- school:school name:school",
        "go ~ to _\nbe ~ at _\nattend _",
        needs=_CHILD,
        habit=True,
    ),
    Group(START, _JOB_AT, "move on to _"),
    # --- home ---------------------------------------------------------------------------------------------------------
    Group(
        START,
        "weekday:- event:- house:home place:home school:school role:role diet:diet phone:phone car:car provider:provider gym:gym org:employer name:home any:home",
        """
        move ~ from - to|into|onto _
        move ~ to|into _ from -
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
        relocate|transfer|emigrate|immigrate|migrate|decamp|resettle ~ from - to _
        relocate|emigrate|immigrate|migrate|decamp|resettle ~ to|in _
        settle (down|back|in|into) in|into|near|on _
        settle into life in _
        move|relocate FAMILY ~ to|into _
        up sticks to|for _
        set up home|house|shop|camp in|on|at _
        put down roots in|on _
        make _ (my|his|her|our|their) home|base
        make my|his|her|our|their home in|on _
        get|collect|receive|have|pick (up) KEYS to|for|of _
        find|buy|get|lease|take|snag|land|bag|purchase|grab|secure|score HOUSE in|near|by|on|off _
        be|get relocated|transferred|posted|stationed|moved ~ to|in _
        go ~ to live in|on|near _
        come ~ to live in|on|near _
        """,
    ),
    Group(START, "place:home", "swap|trade|leave|exchange - for _"),
    Group(
        START,
        "place:home name:home",
        "head|ship|set|take|go ~ to|for _",
        needs="pack packed sticks permanently good emigrated",
    ),
    Group(
        STATE,
        "house:home place:home name:home any:home",
        """
        live|reside|dwell|lodge|flatshare ~ in|at|near|on|by _
        live|reside|lodge|stay with * in|at|near|on _
        put up ~ in _
        rent|stay ~ in|at _
        rent|own|share|have HOUSE in|near|by|at|on|off _
        be based|settled|domiciled|living|renting ~ in|at|near|out|of|on _
        be a resident|inhabitant of _
        call _ home
        be home in _
        """,
    ),
    Group(
        STATE,
        "house:home place:home",
        "be ~ in|at|on _",
        needs="now days since still currently permanently good always year years months again ever longer anymore <long>",
    ),
    Group(
        STATE,
        "house:home place:home org:- subject:- band:- club:- food:- event:- school:- role:- weekday:- provider:- name:home",
        "be ~ in _",
        needs="<long> since years",
    ),
    Group(START, "house:home", "buy|rent|lease|get|purchase _\nclose on _"),
    Group(
        END,
        "house:home place:home name:home",
        "move ~ out (of|from) _\nmove ~ away|on from _\nsell|leave|give (up) HOUSE in _",
    ),
    Group(END, "", "move out|away (of|from)", ends="home"),
    Group(END, "place:home", "leave _", needs="good"),
    Group(END, "firstname:- org:- school:- place:home name:home", "leave _", needs="settled relocated moved"),
    Group(STATE, "place:home", "be home (to|for) (us|me|now)", subject_is_value=True),
    Group(STATE, "place:hometown name:hometown", "be|come|hail ~ (originally) from _"),
    Group(
        START,
        "place:hometown name:hometown house:-",
        "grow up in|near|around|on _\nbe born|raised|brought (up|and) (raised) in|near|on _",
    ),
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
        be|get taken (on) permanent|permanently|full-time|part-time at|by|with _
        get ~ in|on at _
        settle (in|down) at _
        take|accept|agree * from|with|at _
        """,
        extras="as:role",
    ),
    Group(START, "job:employer", "land|get|take|accept|secure|score|snag|bag|win|nab|find|start|begin (up|on) _"),
    Group(STATE, "job:employer", "be ~ in|into _\nbe * in|into _\nhave _"),
    Group(
        START,
        "role:role course:- hobby:hobby subject:studies diet:diet house:- place:- pet:- gym:gym school:school band:membership club:membership org:employer provider:employer name:employer",
        "start|begin|resume (out|back|off) at|with|for _",
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
        drive|fly|sell|run|fix|build * for _
        work in * at _
        be employed ~ by|at|with|for _
        be on the|* payroll|staff|books at|of _
        be on staff|board at|with _
        have|hold JOB at|with _
        make|earn a|my|his|her|their living at|with _
        """,
        extras="as:role",
    ),
    Group(STATE, "place:- house:- org:employer", "work ~ in _", extras="as:role"),
    Group(
        STATE,
        "place:- house:- subject:- weekday:- area:- name:employer",
        "work ~ in _",
        extras="as:role",
        needs="since company",
    ),
    Group(STATE, "provider:provider", "be|bank|stay ~ with _\nuse _\nbe ~ on _"),
    Group(START, "provider:provider", "go|come ~ over|across|back to _\ntake out _\nsign up to _"),
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
        pack|jack|chuck it in at|with _
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
    Group(
        END,
        "",
        "make @ redundant\nlet @ go\nlay @ off\nfire|sack|dismiss|axe @\nlay off @\nlet go of @",
        ends="employer role",
    ),
    Group(START, "", "retire $\nretire from|after|at|with|because|early\nbe|get retired", value="role=retired"),
    Group(START, "person:- car:- place:- house:- food:- role:- any:owner", "take ~ over _ from *", inverse=True),
    # --- projects: who is in charge -----------------------------------------------------------------------------------
    Group(
        START,
        "car:- pet:- phone:- place:- role:- food:- hobby:- area:owner name:owner",
        "take ~ over _\ninherit _\nhand|pass|transfer|give _ over|on|off to @\nhand|pass|transfer _ to @\nhand|pass over _ to @",
        inverse=True,
    ),
    Group(
        STATE,
        "car:- pet:- phone:- place:- role:- food:- hobby:- org:- school:- bike:- house:- area:owner name:owner",
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
    Group(
        STATE,
        "car:- pet:- phone:- place:- role:- food:- hobby:- org:- event:- area:owner name:owner",
        "run _",
        inverse=True,
        needs="now project since",
    ),
    # --- role ---------------------------------------------------------------------------------------------------------
    Group(
        START,
        "role:role any:role",
        """
        be|get promoted|appointed|elevated|bumped|named|elected|voted|moved|hired|recruited|installed (up) to|as|into _
        retrain|train|qualify|requalify as _
        take ~ work|over|on as _
        find|get|take|land work as _
        land|get|take|accept|secure|score|snag|bag|win|nab|find|start|begin (up|on) JOB as _
        step ~ up|into to|as _
        come|join to|over us|them as _
        start|begin with me|us|them as _
        join us|them as _
        take ~ over from - as _
        take ~ over as _
        """,
        extras=_AT_EMPLOYER,
    ),
    Group(
        START,
        "role:role",
        "land|get|take|accept|secure|score|snag|bag|win|nab|find|start|begin (up|on) JOB of _\nbe|get made|named|appointed|elected|crowned _\nmake|appoint|name|elect @ (as) _\npromote|bump|move|elevate|upgrade @ (up) to _\nland|secure|win _",
        extras=_AT_EMPLOYER,
    ),
    Group(
        START,
        "role:role diet:diet status:relationship_status nationality:nationality",
        "become|turn _\ngo|switch|move|change|transition ~ to|into _",
        extras=_AT_EMPLOYER,
    ),
    Group(STATE, "role:role", "work ~ like _"),
    Group(STATE, "", "teach|lecture|preach|freelance|temp $", ends="role", only_ended=True),
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
    Group(STATE, "role:role", "be me|us (now) a|an _", of_speaker=True),
    Group(
        STATE,
        "allergic:allergy role:role diet:diet health:health status:relationship_status",
        "be _",
        extras=_AT_EMPLOYER,
    ),
)
