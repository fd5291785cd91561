"""Words: tokens with offsets and the forms of English verbs. No tagger: closed classes, a verb table and position decide.

Shared by the splitting of sentences and the reading of clauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from typing import NamedTuple


class Form(Enum):
    """What inflection a verb form can be."""

    BASE = "base"
    PRESENT = "present"
    """Third person singular."""
    PAST = "past"
    PARTICIPLE = "participle"
    GERUND = "gerund"


class Token(NamedTuple):
    """One word, number, mark or masked time expression; made by ``as_token``."""

    text: str
    low: str
    """Lower case, apostrophes straight, texting forms spelt out ("dont" is "do" and "n't")."""
    start: int
    end: int
    kind: str
    """``word``, ``number``, ``mark`` or ``time``."""
    capital: bool
    """Whether it is written as a name: "Acme", "iPhone"."""
    forms: tuple[tuple[str, Form], ...]
    """The readings as a verb: (lemma, form), empty for other words."""


def as_token(text: str, low: str, start: int, kind: str = "word") -> Token:
    """The token ``text`` at ``start``, read as ``low``."""
    return Token(text, low, start, start + len(text), kind, text != text.lower(), VERB_FORMS.get(low, ()))


def unwritten(word: str) -> Token:
    """A word that stands nowhere in the text: its offsets are both 0."""
    return as_token(word, word.lower(), 0)._replace(end=0)


def lowered(text: str) -> str:
    """``text`` in lower case with every letter at its old offset. Patterns in lower case are many times faster than those that ignore case."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c if len(c.lower()) > 1 else c.lower() for c in text)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRONOUNS = _words(
    "whoever whatever i you he she it we they me him her us them who this that these those there mine yours ours theirs hers one everyone everybody someone somebody anyone anybody nobody noone something nothing anything everything myself yourself himself herself itself ourselves themselves u ya what which"
)
POSSESSIVES = _words("my your his her its our their ur whose")
DETERMINERS = (
    _words("a an the this that these those some any no every each another both all either neither such") | POSSESSIVES
)
PREPOSITIONS = _words(
    "at in on to into onto for from with without by of off over under about above across after against along among around as before behind below beneath beside besides between beyond down during inside like near next outside past per since than through throughout till toward towards until up upon via within w because despite except amid minus plus opposite alongside"
)
CONJUNCTIONS = _words(
    "and but or so because cos cuz since while when whenever after before until till though although if unless whereas that which who whom whose where why how & n than then plus yet nor whether"
)
AUXILIARIES = _words(
    "am is are was were be been being have has had having do does did will would shall should can could may might must 'm 're 've 'll 'd 's n't not cannot"
)
MODALS = _words("will would shall should can could may might must 'll ought")

NUMBER_WORDS = _words(
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety hundred"
)

PARTICLES = _words("back out away apart forth")
"""Words that go with a verb and are never part of a noun phrase; prepositions can be particles too."""

ADVERBS = _words(
    "really very quite just now still also too finally actually officially recently currently already again always never ever "
    "even only almost nearly basically honestly literally apparently maybe perhaps probably possibly definitely certainly "
    "eventually suddenly happily sadly luckily unfortunately fortunately simply mostly mainly usually often sometimes rarely "
    "soon later once twice together instead anyway lately presently nowadays today technically essentially permanently "
    "temporarily briefly gladly proudly secretly quietly promptly immediately straight pretty totally completely fully "
    "properly kinda sorta sort-of well absolutely truly deeply super so long ago here there away home alone abroad "
    "anymore forever newly freshly formally legally part-time full-time fulltime parttime myself yourself himself herself ourselves themselves "
    "severely highly extremely incredibly terribly slightly mildly badly deathly hugely heavily strongly generally normally typically regularly constantly gradually slowly quickly directly exclusively primarily purely solely merely roughly partially partly increasingly unexpectedly spontaneously voluntarily amicably mutually privately publicly personally professionally naturally amazingly surprisingly tragically randomly weirdly remotely locally violently horribly insanely ridiculously wildly desperately "
    "originally initially firstly lastly meanwhile otherwise therefore thus hence though however yet else further seriously happily strictly late early rn tbh lol haha omg btw ofc obvs def defo prob probs legit surely clearly obviously"
)

# Forms that are not made by the regular rules: base, past, participle.
_IRREGULAR = """
be was been|beat beat beaten|become became become|begin began begun|bite bit bitten|break broke broken|bring brought brought|build built built
buy bought bought|catch caught caught|choose chose chosen|come came come|cut cut cut|deal dealt dealt|do did done|draw drew drawn
drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found
fly flew flown|forget forgot forgotten|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|hang hung hung|have had had
hear heard heard|hide hid hidden|hit hit hit|hold held held|hurt hurt hurt|keep kept kept|know knew known|lay laid laid|lead led led|learn learnt learnt
leave left left|lend lent lent|let let let|lie lay lain|lose lost lost|make made made|mean meant meant|meet met met|pay paid paid|put put put
quit quit quit|read read read|ride rode ridden|ring rang rung|rise rose risen|run ran run|say said said|see saw seen|sell sold sold|send sent sent
set set set|shoot shot shot|show showed shown|shut shut shut|sing sang sung|sit sat sat|sleep slept slept|speak spoke spoken|spend spent spent
split split split|stand stood stood|steal stole stolen|stick stuck stuck|swear swore sworn|swim swam swum|take took taken|teach taught taught|tell told told
think thought thought|throw threw thrown|understand understood understood|wear wore worn|win won won|write wrote written|wed wed wed|upset upset upset
"""  # fmt: skip

_REGULAR = """
accept achieve acquire add admit adopt adore agree announce answer apply arrive ask attend avoid back bag bail base battle believe belong
book borrow bounce breed call cancel care carry cave celebrate change chair chuck close coach collapse collect commute complete confirm consider
convert cook coordinate cost crash cross cycle dance date decamp decide decline defect delay deliver depart design detest develop diagnose die direct
discontinue discover dislike ditch divorce donate downgrade downsize downshift dream drop drown dump earn elope end emigrate employ enjoy enlist enrol enroll enter escape establish
exchange expect expire explain fail fancy farm fire finalise finalize finish fix follow foster found gain gift graduate guess guide handle
happen hate head help hire hope hop host imagine immigrate implement inherit install intend introduce invest jack join jog jump kick kill knock
land lapse last launch lease like list live loathe look love maintain manage marry mention merge migrate mind miss mix move name need notice
offer open order organise organize outgrow own pack part pass passed perish pick plan play poach postpone practice practise promise promote propose
publish pull purchase push qualify raise reach realise realize recommend recruit register reject rehome relocate remain remarry remember remove rename rent
renew replace report rescue reside resign retire retrain return reveal roll root row sack sail sail scrap secure seem separate serve settle share shift ship
shower sign slip snag snap sound splash stall start stay step stop study subscribe succeed suffer supervise suppose surf swap switch
test thank total tour trade train transfer travel treat try turn uninstall unsubscribe update upgrade upsize use visit volunteer wait walk want watch welcome wind
resettle receive grab obtain rejoin engage clean exit dismiss requalify elevate transition hook offload smash matriculate lift terminate opt abandon struggle refuse major code rock
wish withdraw wonder work worry wrap wreck  axe scrape score nab bump flog prefer bear abide stand  oversee head-hunt headhunt house-share flatshare dwell hail lodge bunk nest upend
crave dabble climb knit paint bake garden hike ski swim box fence gig drum collect practise crochet dive sew skate skateboard snowboard volunteer blog
pause resume delay block unblock shelve kill deprecate ship cancel approve deploy retire suspend reopen reschedule rebrand double triple rise increase reduce lower hand tie pop  tolerate smoke vape  cease discharge evict certify ordain elect appoint crown oust demote suspend axe assign reassign report answer credit owe bank save wed court crush  reconcile patch rebound welcome expect deliver birth conceive bury cremate mourn outlive survive
swear decide demand beg claim insist suggest doubt suspect reckon assume deny joke tease laugh cry smile moan complain
apply interview shortlist unpause un-pause digest pursue touch consult freelance contract temp intern apprentice moonlight clerk nurse tutor lecture
"""  # fmt: skip

# Verbs that are known in their past and -ing forms only: the bare form is as often a noun ("a vote"), or no frame has it.
_INFLECTED = """
bow clock conk flip pension pour stack
audition eye mull covet babysit dogsit housesit
absorb accompany accuse adapt adjust admire advise afford allow analyse appreciate approach argue arrange
assemble assist assure attack attempt attract avenge await behave boil bolt bother brag breathe brighten browse
bully calculate capture chatter cheat cherish clash coax combine commence communicate compare compete compose
conclude conduct confess conquer conserve construct consume contact contemplate continue contribute cope
correct covet crawl create criticise dangle dare dash daydream deceive declare decorate defeat defend delete
depend describe desert deserve destroy deteriorate devour disagree disappear disapprove discuss disguise
dismantle doze drag dread drift eliminate embark embrace emerge enable endure enforce enhance enlarge entertain
envy erase evaporate evolve examine excel exclaim expand explode explore expose fade fetch flirt float flood
flourish fold form fulfil fumble gallop gamble gather gaze generate giggle glance glow glue gossip grin grumble
guarantee harvest hassle hatch haul haunt heal heckle hesitate hibernate hoover hover hug hum hurry identify
ignore illustrate improve improvise include indicate infect influence inform inject injure inquire inspect
insult insure interfere interrupt invade invent invite itch juggle kidnap lament laze linger listen loan lock
loiter lurk manoeuvre manufacture marvel meditate mend mistake mock modify motivate multiply mumble munch
mutter nag nap narrate navigate neglect negotiate nibble nod nominate notify obey observe occupy omit operate
originate overlook pace paddle pant pedal perform persuade pester phone pinch plead pledge plod ponder possess
pour pray preach predict prepare preserve pretend prevent proceed produce prolong pronounce protect prove
provide provoke prune punish quarrel query question rattle react recall recharge recognise recognize recycle
refresh regain regret reheat relieve rely remind remortgage renovate repair repeat reply represent resent
reserve resist resolve respect respond rest restore restrict resurface retreat reunite reverse revise revive
rinse risk roam roar rob rotate rub ruin rush sacrifice sample scatter schedule scold scramble scratch scream
scribble scrub search select shiver shout shove shrug shuffle sigh simmer skip slam slide slouch smuggle snatch
sneeze sniff snore soak solve soothe specialise specialize sprain squabble squeeze stagger stare starve steer
stir stitch strengthen stretch stroke stroll stumble subtract sulk summon supply surrender surround survey
sustain swallow sway sympathise tackle talk tangle tap taste tempt thrive tick tickle trace trap tremble trick
trim trot tuck tumble unite unlock unpack unveil unwrap urge vanish venture vote vow wander warn wash waste
wave weigh whisper whistle whizz wink wipe wobble worship yawn yell
"""  # fmt: skip

_DOUBLING = _words(
    "drag brag grin hum hug nag nap nod plod prefer rob rub scrub slam sip stir sob strip tap trap shrug skip step stun tug wag zip pet flit clot chug quit babysit dogsit housesit omit bag ban step flog chat cut dab drop drum fit gig grab hop jog knit nab pat plan quit rebrand sag scrap sit ship slip snag snap stop swap swim tap temp trap trim up wed wrap refer transfer enrol occur admit commit cancel travel total split win run get put set hit let begin forget shut"
)


def _inflect(base: str) -> tuple[str, str, str]:
    """Third person, past and gerund by the regular rules."""
    double = base + base[-1] if base in _DOUBLING else base
    if base.endswith("e"):
        third, past, gerund = (
            base + "s",
            base + "d",
            base[:-1] + "ing" if not base.endswith(("ee", "ye", "oe")) else base + "ing",
        )
        if base.endswith("ie"):
            gerund = base[:-2] + "ying"
    elif base.endswith("y") and base[-2:-1] not in "aeiou":
        third, past, gerund = base[:-1] + "ies", base[:-1] + "ied", base + "ing"
    elif base.endswith(("s", "sh", "ch", "x", "z", "o")):
        third, past, gerund = base + "es", base + "ed", base + "ing"
    else:
        third, past, gerund = base + "s", double + "ed", double + "ing"
    return third, past, gerund


def _verb_table() -> dict[str, tuple[tuple[str, Form], ...]]:
    table: dict[str, list[tuple[str, Form]]] = {}

    def add(form: str, lemma: str, kind: Form) -> None:
        entries = table.setdefault(form, [])
        if (lemma, kind) not in entries:
            entries.append((lemma, kind))

    irregular = {row.split()[0]: row.split()[1:] for row in re.split(r"[|\n]", _IRREGULAR) if row.strip()}
    for base in dict.fromkeys([*irregular, *_REGULAR.split()]):
        third, past, gerund = _inflect(base)
        add(base, base, Form.BASE)
        add(third, base, Form.PRESENT)
        add(gerund, base, Form.GERUND)
        pasts = irregular.get(base, [past, past])
        add(pasts[0], base, Form.PAST)
        add(pasts[-1], base, Form.PARTICIPLE)
    for base in _INFLECTED.split():
        _, past, gerund = _inflect(base)
        add(past, base, Form.PAST)
        add(past, base, Form.PARTICIPLE)
        add(gerund, base, Form.GERUND)
    extra = {
        "be": (
            ("am", Form.PRESENT),
            ("is", Form.PRESENT),
            ("are", Form.PRESENT),
            ("'m", Form.PRESENT),
            ("'re", Form.PRESENT),
            ("were", Form.PAST),
            ("being", Form.GERUND),
        ),
        "have": (("has", Form.PRESENT), ("'ve", Form.PRESENT)),
        "get": (("got", Form.PARTICIPLE),),
        "up": (("upped", Form.PAST), ("upped", Form.PARTICIPLE)),
        "cancel": (("canceled", Form.PAST), ("canceled", Form.PARTICIPLE)),
        "learn": (("learned", Form.PAST), ("learned", Form.PARTICIPLE)),
        "travel": (("traveled", Form.PAST),),
        "program": (("programming", Form.GERUND),),
    }
    for lemma, forms in extra.items():
        for form, kind in forms:
            add(form, lemma, kind)
    return {form: tuple(readings) for form, readings in table.items()}


VERB_FORMS = _verb_table()
INFLECTIONS = {word: frozenset(form for _, form in readings) for word, readings in VERB_FORMS.items()}
"""What each form of a verb can be."""

# What people type without its apostrophe, by the parts it stands for. "were", "well", "id", "its", "shell" and "hell" are
# also words of their own; they are decided by what follows (see ``_spell``).
_CLIPPED = {
    "im": ("i", "'m"), "ive": ("i", "'ve"), "dont": ("do", "n't"), "doesnt": ("does", "n't"), "didnt": ("did", "n't"),
    "isnt": ("is", "n't"), "arent": ("are", "n't"), "wasnt": ("was", "n't"), "werent": ("were", "n't"), "havent": ("have", "n't"),
    "hasnt": ("has", "n't"), "hadnt": ("had", "n't"), "cant": ("can", "n't"), "couldnt": ("could", "n't"), "wouldnt": ("would", "n't"),
    "wont": ("will", "n't"), "shouldnt": ("should", "n't"), "aint": ("is", "n't"), "youre": ("you", "'re"), "theyre": ("they", "'re"),
    "hes": ("he", "'s"), "shes": ("she", "'s"), "thats": ("that", "'s"), "whats": ("what", "'s"), "theres": ("there", "'s"),
    "weve": ("we", "'ve"), "theyve": ("they", "'ve"), "youve": ("you", "'ve"), "ill": ("i", "'ll"), "gonna": ("going", "to"),
    "wanna": ("want", "to"), "gotta": ("got", "to"), "cannot": ("can", "n't"), "whos": ("who", "'s"), "howre": ("how", "'re"), "hows": ("how", "'s"),
    **{verb + ending: (verb, "n't") for verb in ("would", "did", "does", "is", "was", "have", "has", "could", "should", "are", "do") for ending in ("nae", "na")},
    "cannae": ("can", "n't"), "canna": ("can", "n't"), "dinnae": ("do", "n't"), "dinna": ("do", "n't"), "willnae": ("will", "n't"),
}  # fmt: skip

_VARIANTS = {
    "noo": "now", "oan": "on", "aff": "off", "frae": "from", "tae": "to", "wi": "with", "ye": "you", "oor": "our", "hae": "have", "r": "are", "thru": "through",
    "fave": "favourite", "fav": "favourite", "auld": "old", "veggy": "veggie", "bday": "birthday", "2nd-hand": "second-hand", "bcoz": "because", "coz": "because", "bc": "because", "cause": "because",
}  # fmt: skip
"""Spellings of dialects and of texting, by the word that the tables know."""

_TOKEN = re.compile(
    r"""
      (?P<number>(?=[£$€vV]?\d)(?![\w.+-]++@\w)(?:[£$€]|[vV](?=\d+\.\d))?\d+(?:[.,:]\d+)*(?:st|nd|rd|th|k|m|%|€|£)?(?![\w]))
    | (?P<word>[\w.+-]++@[\w-]+(?:\.[\w-]+)+|(?:Dr|Mr|Mrs|Ms|St|Prof)\.(?=\s)|(?:[^\W\d_]\.){2,}|[^\W_](?:[\w]|[-/+](?=\w)|\.(?=\w{2}))*(?:['’](?=[^\W\d_])[^\W\d_]+)?|[A-Za-z]+&[A-Za-z]+)
    | (?P<suffix>['’](?:s|m|re|ve|ll|d|em)\b)
    | (?P<mark>\.{2,}|…|[^\w\s])
    """,
    re.VERBOSE,
)
_SUFFIX = re.compile(r"(n['’]t|['’](?:s|m|re|ve|ll|d))$", re.IGNORECASE)


def tokenize(text: str, start: int = 0, end: int | None = None, times: Iterable[tuple[int, int]] = ()) -> list[Token]:
    """The tokens of ``text[start:end]``, with offsets into ``text``; each span of ``times`` becomes one token."""
    end = len(text) if end is None else end
    masks = sorted((max(s, start), min(e, end)) for s, e in times if s < end and e > start)
    tokens: list[Token] = []
    position = start
    for left, right in masks:
        if left < position:
            continue
        _scan(text, position, left, tokens)
        tokens.append(as_token(text[left:right], text[left:right].lower(), left, "time"))
        position = right
    _scan(text, position, end, tokens)
    return tokens


def _scan(text: str, start: int, end: int, out: list[Token]) -> None:
    for match in _UNBROKEN.finditer(text, start, end):
        at = match.start()
        for part, low, left, right, kind, capital, forms in _spell(match[0]):
            out.append(Token(part, low, at + left, at + right, kind, capital, forms))


_UNBROKEN = re.compile(r"\S+\s?")
"""No token goes on after a blank, but "Dr." is one only before it."""


@lru_cache(maxsize=16_384)
def _spell(written: str) -> list[Token]:
    """The tokens of what stands unbroken, with offsets into it."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(written):
        kind, at = match.lastgroup, match.start()
        if kind == "word":
            for part, low in _words_of(match[0]):
                tokens.append(as_token(part, low, at))
                at += len(part)
        else:
            low = match[0].lower().replace("’", "'")
            tokens.append(as_token(match[0], low, at, "word" if kind == "suffix" else kind or "mark"))
    return tokens


def _words_of(word: str) -> list[tuple[str, str]]:
    """A word as one text and how it is read, or as two where it is a contraction, written out or clipped."""
    low = word.lower().replace("’", "'")
    suffix = _SUFFIX.search(word)
    if suffix and suffix.start() > 0:
        cut = suffix.start()
        head = (
            {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}.get(low[:cut], low[:cut])
            if low.endswith("n't")
            else {"ah": "i"}.get(low[:cut], low[:cut])
        )
        return [(word[:cut], head), (word[cut:], low[cut:])]
    if low in _CLIPPED and not (low == "ill" and word != "Ill" and word != "ill"):
        first, second = _CLIPPED[low]
        cut = min(len(first), len(word) - 1)
        return [(word[:cut], first), (word[cut:], second)]
    return [(word, _VARIANTS.get(low, low) if word == low else low)]


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """A lower-case noun without its plural ending, as far as the regular rules go."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return _PLURALS.get(word, word)


_PLURALS = {
    "children": "child",
    "kids": "kid",
    "wives": "wife",
    "men": "man",
    "women": "woman",
    "mice": "mouse",
    "geese": "goose",
    "people": "person",
}
