"""Frames of idioms: beginnings and ends that no plain verb tells ("let the Leaf go", "packed in being an accountant"). They are tried
after the plain ones. The language is described in ``frames``."""

from __future__ import annotations

from genome_core.facts.frames import END, START, STATE, Group

_THINGS = "role:- car:car phone:phone computer:computer pet:pet bike:bike instrument:instrument boat:possession console:possession"
_PLACES_OF_WORK = "firstname:- kin:- house:- place:- weekday:- school:employer gym:employer club:employer job:employer org:employer provider:employer name:employer"
_FIRST_SHIFT_AT = "firstname:- kin:- house:- place:- weekday:- org:employer provider:employer name:employer"
_GIVEN_UP = "firstname:- weekday:- job:employer role:role diet:diet substance:hobby hobby:hobby instrument:instrument school:school gym:gym club:membership band:membership"

GROUPS: tuple[Group, ...] = (
    # --- things ---------------------------------------------------------------------------------------------------------
    Group(
        END,
        _THINGS,
        """
        let _ go
        pension|trade|gift|pass|hand _ off|on|down|over
        say|wave goodbye|bye|farewell|adieu to _
        part with _
        put _ out to
        have to put _ down|to
        have _ put
        leave _ on|in|at the|a|* train|bus|taxi|plane|pub|tram|ferry|cab
        drop|lose|sit _ down|in|into|on|off|through the|a|* toilet|loo|bath|sea|river|lake|canal|drain|balcony|bridge|sink|pool
        crash|smash|kill _
        be|get rid|shot|shut of _
        """,
    ),
    Group(
        END,
        "car:car pet:pet phone:phone computer:computer bike:bike boat:possession console:possession instrument:instrument",
        """
        be|get pensioned|traded|handed|passed|given|flogged|scrapped off|in|on|away|down|over
        be|get pensioned|retired|bricked|fried|smashed|crushed|recycled|donated|rehomed|scrapped
        be|get hit|run|knocked by|over|down
        give up the ghost
        kick the bucket
        conk out
        pop * clogs
        breathe * last
        meet * end|maker
        go to * new home|owner|family
        go to the great * in
        go to the scrapyard|knacker|knackers|vet
        go in for scrap
        go off|over|into|in|down|through the|a|* balcony|river|lake|sea|toilet|loo|bridge|canal|drain|pool
        cross|go over the|* rainbow
        slip away
        have * day
        """,
        subject_is_value=True,
    ),
    Group(
        START,
        _THINGS,
        """
        collect|nab|grab|order|receive|unwrap|inherit _
        take ~ over|on|in my|his|her|their|our|* _
        make do|shift with _
        treat @ to _
        become|be the proud|new|happy owner|owners of _
        fall for _
        cave ~ in|on _
        get|be landed|lumbered|saddled|blessed with _
        come ~ home|back with _
        drive|ride ~ off|away|home in|on|with _
        opt|go ~ for _
        settle|decide on|for _
        """,
    ),
    Group(
        START,
        "car:car pet:pet phone:phone computer:computer bike:bike instrument:instrument",
        "follow|find @ home\nadopt @\nmove in with @\njoin the|our|my family|household|pack|fleet\ncome|arrive ~ to live with @\ncome ~ to @ $",
        subject_is_value=True,
    ),
    Group(STATE, "car:car pet:pet phone:phone computer:computer bike:bike", "be ~ with @", subject_is_value=True, needs="since"),
    # --- work -----------------------------------------------------------------------------------------------------------
    Group(
        END,
        _GIVEN_UP,
        """
        pack|jack|chuck|throw|sack|knock|give (in|up|off) being|doing|working (as) _
        pack|jack|chuck|throw|sack|knock (in|up|off) _
        pack|jack|chuck|throw|sack|knock|give _ in|up|off|on
        call time|quits on|with _
        call it a|* day at|as|with _
        say|wave goodbye|bye|farewell to _
        turn my|his|her|their|our back on _
        hang up * apron|boots|gloves|hat|scrubs|stethoscope|spurs as|at|on _
        bow|back|drop|bail|fade|wind out|down of|from|as|on _
        be|get shot|shut|rid of _
        be ~ done|finished|through with|as|at|being (a) _
        see the back of _
        """,
        ends="role",
    ),
    Group(
        END,
        _PLACES_OF_WORK,
        """
        hand|give|turn (in|back) * badge|pass|keys|uniform|laptop|lanyard|apron (in|back) at|to|of _
        have|work|do my|his|her|their|our last day|shift|week at|with|for|in _
        clock ~ off|out for|at the|* last|final time at|from _
        finish|wind|wrap up at|with|from _
        bow|bail|drop out of|on _
        """,
        ends="role",
    ),
    Group(
        START,
        _FIRST_SHIFT_AT,
        "have|work|do|finish|survive|start|complete my|his|her|their|our first|1st shift|shifts at|with|for|in _",
        extras="as:role",
    ),
    Group(
        START,
        _PLACES_OF_WORK,
        """
        end|wind|wash|land|fetch|wash up at|with _
        land ~ at _
        fall|slip|walk|stumble into JOB at|with _
        get|be taken|snapped|picked|scooped|poached (on|up) by|at|with _
        get|have my|his|her|their feet under the desk|table at _
        get my|his|her|their foot in the door at _
        sign|come ~ on|up|aboard|board with|at _
        get ~ on|up|aboard|board at _
        go ~ over|across to _
        take a|the|* job|post|position|gig|role with|at _
        """,
        extras="as:role",
    ),
    Group(
        START,
        "firstname:- kin:- house:- place:- org:employer provider:employer school:employer gym:employer club:employer name:employer",
        "take|snap|pick @ on|up\nsnap|pick up @\ntake on @\nsay yes to @\nwelcome @ on|aboard",
        subject_is_value=True,
    ),
    Group(
        STATE,
        "firstname:- kin:- house:- place:- org:employer provider:employer school:employer gym:employer club:employer name:employer",
        """
        sell|serve|fix|clean|pull|flip|stack|answer|wash|cut|pour|pack|make|deliver|do|run|push|wait * at _
        sell|deliver * for _
        be one of * at _
        earn|make my|his|her|their crust|living|money|bread|keep at|with _
        keep|have my|his|her|their * job at|with _
        """,
        extras="as:role",
    ),
    Group(END, "org:employer provider:employer", "be|get ~ out of|from _", ends="role"),
    # --- home -----------------------------------------------------------------------------------------------------------
    Group(
        START,
        "house:home place:home name:home",
        """
        follow * to _
        drop|dump|leave & ~ off|in|at in|at _
        fetch|wash|wind|end|land up living|settling in|at|near _
        up|pull stakes|sticks for|to|and move|head to _
        make the move ~ to _
        come|go ~ home|back to _
        get|be|have ~ moved|settled|installed in|into _
        """,
        needs="good live living removal van boxes keys moved flat house apartment permanently girl boy girlfriend boyfriend husband wife unpacked",
    ),
    Group(
        END,
        "house:home place:home name:home",
        "hand|give|return (back|in|over) KEYS (back|in|over) to|for|of _\ngive up the|* lease|tenancy on|in _",
    ),
    Group(
        END,
        "house:home place:home",
        "leave _ behind\nsay|wave goodbye|bye|farewell to _\nbe ~ done|finished|through with _",
    ),
    Group(END, "place:home", "be ~ out of _"),
    # --- people ---------------------------------------------------------------------------------------------------------
    Group(
        START,
        "",
        "get|go|drop|be ~ down on one|a|* knee\nget|go|drop ~ on one|a|* knee\npop the question\npropose",
        value="relationship_status=engaged",
        needs="yes course absolutely accepted ring",
        of_speaker=True,
    ),
    Group(START, "", "get ~ together $", value="relationship_status=dating", reciprocal=True),
    Group(START, "", "make it|things official\nput a ring on it", value="relationship_status=in a relationship", reciprocal=True),
)  # fmt: skip
