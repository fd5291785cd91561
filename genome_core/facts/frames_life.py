"""Frames of relationships, things, memberships, studies, food, health and leisure. The language is described in ``frames``."""

from __future__ import annotations

from genome_core.facts.frames import CRAVING, DENIAL, END, START, STATE, Group

_THINGS = "role:- car:car phone:phone computer:computer pet:pet bike:bike instrument:instrument boat:possession console:possession"

_LASTING = "now days since still currently permanently for year years months month weeks ever already again longer anymore <dated>"

GROUPS: tuple[
    Group, ...
] = (  # --- relationship -------------------------------------------------------------------------------------------------
    Group(
        START,
        "person:relationship_status+dating someone:relationship_status+dating",
        "end|wind up dating|seeing _\nget ~ together|involved with _\nhook up with _",
    ),
    Group(
        START,
        "person:partner kin:partner",
        "marry|wed|remarry _\nbe|get married|hitched|wed to|with _\ntie the knot with _",
        value="relationship_status=married",
    ),
    Group(
        START, "person:partner kin:partner", "be|get engaged|betrothed to|with _", value="relationship_status=engaged"
    ),
    Group(
        START,
        "status:relationship_status diet:diet health:health role:role",
        "get|become|end|wind|turn (up|out) _\ngo _",
    ),
    Group(
        START,
        "",
        "tie the knot\nbe|get hitched|wed|married !to\nwed|elope|marry|remarry",
        value="relationship_status=married",
    ),
    Group(START, "", "be|get|become engaged !to !in !with", value="relationship_status=engaged"),
    Group(START, "", "say yes", value="relationship_status=engaged", needs="proposed propose ring knee marry"),
    Group(START, "", "be|get divorced !to\ndivorce $", value="relationship_status=divorced"),
    Group(START, "", "separate $", value="relationship_status=separated"),
    Group(STATE, "", "be single|unattached", value="relationship_status=single"),
    Group(
        STATE,
        "person:relationship_status+dating kin:relationship_status+dating",
        "be ~ in a|* relationship with _\ngo ~ with _",
        needs="relationship out steady",
    ),
    Group(STATE, "", "be ~ in a|* relationship", value="relationship_status=in a relationship"),
    Group(
        STATE,
        "person:relationship_status+dating kin:relationship_status+dating someone:relationship_status+dating",
        "date _\nbe ~ together|exclusive|involved|dating|seeing (with) _",
    ),
    Group(
        STATE,
        "doctor:doctor person:relationship_status+dating kin:relationship_status+dating someone:relationship_status+dating",
        "see _",
        needs="seeing",
    ),
    Group(STATE, "doctor:doctor", "be ~ with|under _\nsee _"),
    Group(STATE, "firstname:relationship_status+with", "be ~ with _", needs="since for years year months together"),
    Group(
        STATE,
        "",
        "be ~ together|dating\nbe ~ a|an item|couple\ndate\ngo out|steady\nsee each other",
        value="relationship_status=dating",
        reciprocal=True,
    ),
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
    Group(END, "", "dump|divorce|leave|ditch &", ends="relationship_status partner"),
    Group(END, "firstname:relationship_status", "leave|ditch _ $"),
    Group(
        END, "", "be done|over|through|finished|history", ends="relationship_status partner", reciprocal=True, pair=True
    ),
    Group(
        END,
        "",
        """
        break|split up|apart
        break it|things off
        split $
        call it quits|off|a
        call off the wedding|engagement
        part ways
        go our|their separate ways
        end things
        """,
        ends="relationship_status partner",
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
    Group(
        START,
        "provider:provider gym:gym",
        "switch|change|swap|move|go|jump ~ from - (over) to _\nswitch|change|swap|move * from - (over) to _\nswitch|swap|ditch|drop - for _\nswitch|upgrade|change|swap|move|jump|transfer ~ to _\nopen * (account) with|at _",
    ),
    Group(START, "firstname:- kin:- pet:pet name:pet", "bring _ home"),
    Group(START, _THINGS + " job:employer", "give|buy|get|gift|lend & _"),
    Group(START, "diet:diet", "put & on _"),
    Group(START, "car:car pet:pet phone:phone name:car", "drive|ride ~ home (in) _"),
    Group(STATE, "role:- car:car bike:bike boat:possession name:car", "drive|ride ~ (around) (in) _"),
    Group(
        STATE,
        _THINGS,
        "have|own|keep|lease|share _\nbe on|using|driving|riding _\nrock|use|run _\nbe the|a|* owner of _",
    ),
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
    Group(END, "phone:phone computer:computer", "drop|leave _ in|into|down"),
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
        be|get put down|to
        go to KIN
        go to the scrapyard|scrapheap|breakers|dealer
        """,
        subject_is_value=True,
    ),
    # --- memberships, schools, studies --------------------------------------------------------------------------------
    Group(
        START,
        "gym:gym course:- hobby:hobby subject:studies language:- school:school band:membership club:membership provider:provider car:- event:- org:membership name:membership",
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
    Group(
        STATE,
        "gym:gym club:membership band:membership school:- name:membership",
        "be ~ a|* member of|at _\nbelong to _\nplay|sing|row|run|swim|dance|fence for|in|with _\nplay|drum|gig with _",
    ),
    Group(STATE, "band:membership", "be ~ in _\nsing|play * in _"),
    Group(STATE, "hobby:hobby", "go ~ to _", habit=True),
    Group(STATE, "gym:gym school:school", "go ~ to _\nattend _", habit=True),
    Group(START, "gym:gym", "get ~ into _"),
    Group(
        STATE,
        "subject:studies language:- course:-",
        "study _\nmajor in _\ndo a|* degree|masters|phd|course|doctorate|bachelors|bachelor's|master's in|on _",
        extras="at:school in:school",
    ),
    Group(STATE, "subject:studies", "read _", extras="at:school", needs="degree university uni at"),
    Group(
        STATE,
        "place:- org:school school:school name:school",
        "study|read ~ at _\nstudy|do|read SUBJECT ~ at _\nstudy|do|read COURSE ~ at _\nbe a|* student at _\nbe enrolled ~ at|in _",
    ),
    Group(STATE, "school:school", "study|do|read * ~ at _"),
    Group(STATE, "school:school", "be ~ at|in _"),
    Group(
        STATE,
        "place:- school:school org:school name:school",
        "finish|do|start * year at _\nbe in * year at _",
    ),
    Group(STATE, "subject:studies", "do|pursue _", extras="at:school from:school in:school"),
    Group(START, "school:school", "switch|transfer|change|move ~ to _"),
    Group(
        START,
        "school:school org:school name:school",
        "switch|transfer|change|move ~ to _",
        needs="school son daughter uni university college kid schools class term semester",
    ),
    Group(
        END,
        "school:school org:school name:school",
        "graduate ~ from _\ndrop ~ out of _\nleave|finish|quit _\ntake|pull|withdraw @ out of|from _",
        needs="school uni university college degree graduate drop student studies take pull withdraw",
    ),
    Group(
        END,
        "firstname:- job:employer gym:gym diet:diet provider:provider club:membership band:membership hobby:hobby substance:hobby role:role school:school org:employer car:- pet:- phone:- place:- name:membership",
        """
        quit|drop|ditch|end|terminate|leave (from|out|of|with) _
        give|pack|throw|jack|chuck (up|in) _
        let _ lapse|expire|go
        back|drop|pull|opt out of _
        """,
    ),
    Group(
        END,
        "firstname:- job:- gym:gym provider:provider club:membership band:membership hobby:hobby school:school org:- car:- pet:- phone:- place:- name:membership",
        "cancel|freeze|unsubscribe (from|with) _",
    ),
    # --- food, health -------------------------------------------------------------------------------------------------
    Group(START, "diet:diet", "go|turn ~ _\nstart|adopt (eating|being|on) _\nswitch|move|go ~ to|on|onto _"),
    Group(STATE, "diet:diet", "be on|eating|doing _\neat|follow|do|keep _"),
    Group(
        END, "diet:diet", "come off _\nfall off _\nlapse from _\nstop|quit being|eating|doing _\nabandon|drop|stop _"
    ),
    Group(
        STATE,
        "weekday:- kin:- firstname:- event:- job:- role:- org:- club:- place:- allergen:allergy food:allergy name:allergy any:allergy",
        "be ~ allergic|intolerant to _\nhave a|an|* allergy|intolerance|reaction to _",
    ),
    Group(STATE, "allergen:allergy", "have _", needs="allergy intolerance"),
    Group(
        START,
        "allergen:allergy any:allergy",
        "develop a|an|* allergy|intolerance to _\nbecome|turn allergic|intolerant to _",
    ),
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
        start|begin|discover (up|playing|doing|learning|practising) _
        get hooked|obsessed|addicted (on|with|to) _
        fall in love with _
        take * lessons|classes in _
        """,
        habit=True,
    ),
    Group(
        START,
        "food:favorite_food",
        "get ~ into _\nget|become hooked|obsessed|addicted (on|with|to) _\nfall in love with _\ndiscover _",
    ),
    Group(STATE, "food:favorite_food", "love|adore _", needs="everything else anything favourite favorite most"),
    Group(CRAVING, "food:favorite_food hobby:hobby", "get enough of _"),
    Group(CRAVING, "food:favorite_food hobby:hobby", "beat _", of_speaker=True),
    Group(STATE, "food:favorite_food hobby:hobby", "beat _", needs="nothing", of_speaker=True),
    Group(CRAVING, "pet:- weekday:- allergen:allergy", "do|eat|have|tolerate|digest|touch _", habit=True),
    Group(CRAVING, "food:dislikes hobby:dislikes any:dislikes", "stand|bear|abide _", habit=True),
    Group(
        STATE,
        "language:language instrument:instrument hobby:hobby",
        "play|do|practise|practice|learn _\nbe ~ into|doing|learning|on _\ngo _",
        habit=True,
    ),
    Group(
        END,
        "hobby:hobby substance:hobby instrument:instrument",
        "give up _\nquit|stop|drop|ditch|kick|abandon _\nhang up * _\nretire from _",
    ),
    Group(
        END,
        "gym:gym club:membership band:membership provider:provider hobby:hobby diet:diet",
        "be history|over|toast|finished|no|cancelled|gone",
        subject_is_value=True,
    ),
    Group(
        END,
        "substance:hobby hobby:hobby diet:diet",
        "be off _\nbe done|through|finished with _\nswear off _\nlay off _\ncut out _\ncut _ out",
    ),
    Group(START, "language:language", "grow up with|speaking|on _"),
    Group(STATE, "language:language bare:language", "speak _"),
    Group(STATE, "language:language", "know _\nbe ~ fluent|bilingual|conversational|native (in) _"),
    Group(
        STATE,
        "food:likes hobby:likes",
        "love|adore|enjoy|like|prefer _\nbe a|* fan of _\nbe crazy|mad|nuts about _\nbe obsessed with _",
        habit=True,
    ),
    Group(STATE, "food:dislikes hobby:dislikes allergen:dislikes", "hate|detest|loathe|dislike _", habit=True),
    # --- with somebody or at some place, where nothing else fits ------------------------------------------------------
    Group(
        STATE,
        "doctor:doctor house:- place:- firstname:- car:car phone:phone diet:diet school:school band:membership club:membership gym:gym provider:provider org:employer name:employer",
        "be ~ with _",
        extras="as:role",
        needs=_LASTING,
    ),
    Group(
        STATE,
        "definite:- house:- place:- firstname:- school:school band:membership club:- gym:gym provider:provider org:employer name:employer",
        "be ~ at _",
        extras="as:role",
        needs=_LASTING,
    ),
    Group(
        STATE,
        "house:- place:- firstname:- school:school band:membership gym:gym org:employer",
        "be ~ at _",
        extras="as:role",
        needs="since still permanently years longer anymore <long>",
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
    Group(START, "kin:kin", "welcome _\ngive birth to _"),
    Group(STATE, "baby:children kin:kin", "have _"),
    Group(STATE, "firstname:manager name:manager", "report|answer to (one) _"),
    Group(STATE, "", "smoke", value="hobby=smoking"),
    Group(STATE, "substance:hobby", "eat|drink|touch|have|do|take _", only_ended=True),
    Group(STATE, "", "drink", value="hobby=drinking", only_ended=True),
    Group(STATE, "weekday:- place:- car:- org:- role:- food:- hobby:- phone:- name:project", "work on _"),
)
