"""Attributes: the canonical names of what can be known about somebody or something, and the words that speak of each.

An attribute holds one value at a time (a home, an employer) or many (languages, pets). Names that nobody declared are
*open* attributes ("X's wifi password is Z"): they keep their own normalised noun and hold one value at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from genome_core.errors import InvalidInput
from genome_core.facts.words import VERB_FORMS, tokenize


@dataclass(frozen=True, slots=True)
class Attribute:
    """One canonical attribute.

    ``aliases`` are other names for it ("city" for ``home``). ``cues`` are words and phrases of sentences that state it and
    ``questions`` those of questions that ask for it, in base form: "live in" also finds "lived in" and "living in".
    ``prototypes`` are short example sentences for likeness by an embedder.
    """

    name: str
    many: bool = False
    aliases: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    prototypes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not normalise(self.name):
            raise InvalidInput("an attribute needs a name", hint="give it as text, for example 'home'")


def normalise(name: str) -> str:
    """Lower case, words joined by single spaces: "Favourite_Food " is "favorite food"."""
    words = re.sub(r"[\W_]+", " ", name.casefold()).split()
    return " ".join(_SPELLINGS.get(word, word) for word in words)


_SPELLINGS = {
    "favourite": "favorite",
    "fave": "favorite",
    "fav": "favorite",
    "colour": "color",
    "organisation": "organization",
}


@dataclass(frozen=True)
class AttributeTable:
    """A set of attributes with their names and cues: a value that is handed to the extractor and to ``Memory``.

    >>> table = AttributeTable().declare(Attribute("desk", aliases=("seat",)), Attribute("badge", many=True))
    >>> table.canonical("Seat"), table.is_many("badge"), table.is_many("wifi password")
    ('desk', True, False)
    """

    attributes: tuple[Attribute, ...] = ()
    _by_name: Mapping[str, Attribute] = field(init=False, repr=False, compare=False)
    _cues: tuple[tuple[str, str, bool], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.attributes:
            object.__setattr__(self, "attributes", DEFAULT_ATTRIBUTES)
        names: dict[str, Attribute] = {}
        for attribute in self.attributes:
            for alias in attribute.aliases:
                names[normalise(alias)] = attribute
        names.update({normalise(attribute.name): attribute for attribute in self.attributes})
        object.__setattr__(self, "_by_name", names)
        cues = [
            (f" {cue} ", a.name, asked)
            for a in self.attributes
            for asked, group in ((False, a.cues), (True, a.questions))
            for cue in group
        ]
        object.__setattr__(self, "_cues", tuple(cues))

    def declare(self, *attributes: Attribute) -> AttributeTable:
        """A table with these attributes added; one of the same name replaces the old one."""
        new = {normalise(a.name) for a in attributes}
        return AttributeTable((*(a for a in self.attributes if normalise(a.name) not in new), *attributes))

    def get(self, name: str) -> Attribute | None:
        """The attribute of that name or alias, or None for an open one."""
        return self._by_name.get(normalise(name))

    def canonical(self, name: str) -> str:
        """The canonical name: of a known attribute its own, of an open one the normalised noun."""
        found = self.get(name)
        return found.name if found else normalise(name)

    def is_many(self, name: str) -> bool:
        """Whether several values hold at a time. Open attributes: no."""
        found = self.get(name)
        return found.many if found else normalise(name).startswith(("like", "dislike"))

    def cued(self, text: str, *, question: bool = False) -> dict[str, float]:
        """The attributes whose cues stand in ``text``, with a score in 0..1: the more of the text's words a cue takes, the more.

        Statement cues count in questions too, at half weight.
        """
        words = base_words(text)
        found: dict[str, float] = {}
        for cue, name, asked in self._cues:
            if asked and not question:
                continue
            if cue in words:
                weight = 1.0 if asked == question else 0.5
                found[name] = max(found.get(name, 0.0), weight * min(1.0, 0.7 + 0.15 * (cue.count(" ") - 2)))
        return found


@lru_cache(maxsize=1024)
def base_words(text: str) -> str:
    """The words of ``text`` in base form, each with a blank on both sides: " she live in oslo "."""
    words = (_base(token.low) for token in tokenize(text) if token.kind in ("word", "number"))
    return f" {' '.join(words)} "


def _base(word: str) -> str:
    readings = VERB_FORMS.get(word)
    return readings[0][0] if readings and word != "left" else _SPELLINGS.get(word, word)


def _attribute(
    name: str,
    aliases: str = "",
    cues: str = "",
    questions: str = "",
    prototypes: Iterable[str] = (),
    *,
    many: bool = False,
) -> Attribute:
    def split(text: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in text.split("|") if part.strip())

    return Attribute(name, many, split(aliases), split(cues), split(questions), tuple(prototypes))


DEFAULT_ATTRIBUTES: tuple[Attribute, ...] = (
    _attribute(
        "home",
        "city|location|residence|town|address|country|place of residence|where someone lives|flat|house|apartment|place|pad|condo|neighborhood|home city|home town now|current city",
        "move to|move into|move in|move out|move back|live in|live at|living in|relocate|settle in|settle down|rent|flat|apartment|house|call home|new address|resident|keys to|emigrate|head off to|based in|place in|home to",
        "where live|where be live|which city|what city|which town|live now|where do live|city|town|country|address|home|living|reside|based|live|move",
        ("She moved to a new city.", "I live in this town.", "We rent a flat there.", "He relocated abroad."),
    ),
    _attribute(
        "hometown",
        "birthplace|place of birth|origin|home town|from",
        "grow up|be bear|born in|originally from|hometown|come from|raise in",
        "where from|grow up|born|originally from|hometown|birthplace",
        ("I grew up in a small town.",),
    ),
    _attribute(
        "employer",
        "workplace|company|work|place of work|where someone works|works at|works for|firm|organization",
        "work at|work for|work with|start at|join|hire|job at|job with|role at|payroll|quit|resign|notice|redundant|lay off|fire|employ|give a job|leave|offer|company|be with|be at|career",
        "where work|who work for|work for|employer|company|work at|workplace|job|work|employ",
        (
            "She works for a company.",
            "I started a new job at a firm.",
            "He quit his job.",
            "They were hired by a bank.",
        ),
    ),
    _attribute(
        "role",
        "occupation|job|job title|profession|position|title|work as|what someone does|career|trade|rank",
        "work as|job as|become a|promote|retrain|train as|qualify as|make a live as|career|position|be a|title|occupation|profession",
        "occupation|profession|job|job title|position|role|do for a live|do for work|work as|career|title",
        ("She works as a nurse.", "He became a teacher.", "I was promoted to manager."),
    ),
    _attribute(
        "school",
        "university|college|uni|place of study|alma mater|where someone studies",
        "school|university|uni|college|study at|enrol|enroll|graduate|start at|attend|class|course",
        "school|university|college|study|attend|uni",
        ("She studies at the university.", "My son started at a new school."),
    ),
    _attribute(
        "studies",
        "study subject|major|degree|subject|field of study|course",
        "study|major in|degree|course|phd|master|diploma|read",
        "study|major|degree|subject|course",
        ("I am studying biology.",),
    ),
    _attribute(
        "relationship_status",
        "relationship status|marital status|status of relationship|relationship|civil status",
        "married|marry|engage|engaged|divorce|single|split up|break up|date|dating|see|wedding|tie the knot|propose|relationship|together|widowed|separated|separate|girlfriend|boyfriend|husband|wife|fiancé|get hitch|say yes",
        "relationship|relationship status|marital status|married|single|engaged|divorced|date|dating|see|together|marry",
        ("They got married.", "I am single.", "She is dating someone.", "We broke up."),
    ),
    _attribute(
        "partner",
        "husband|wife|spouse|boyfriend|girlfriend|fiancé|fiancée|significant other|better half",
        "husband|wife|boyfriend|girlfriend|partner|fiancé|date|see|marry|married to|engaged to|together|break up|go out|split up",
        "husband|wife|boyfriend|girlfriend|partner|spouse|date|dating|see|married to|together with",
        ("My girlfriend is called Kim.", "I am dating him."),
    ),
    _attribute(
        "children",
        "child|kids|kid|son|daughter|sons|daughters|baby",
        "son|daughter|kid|child|children|baby|give birth|twins",
        "children|kids|son|daughter|child|kid|baby",
        ("She has two sons.",),
        many=True,
    ),
    _attribute(
        "siblings",
        "sibling|brother|sister|brothers|sisters",
        "brother|sister|sibling|twin",
        "brother|sister|sibling|siblings",
        ("My brother is called Tim.",),
        many=True,
    ),
    _attribute(
        "parents",
        "parent|mother|father|mum|mom|dad",
        "mother|father|mum|mom|dad|parents",
        "mother|father|mum|mom|dad|parents",
        ("My mother's name is Jo.",),
        many=True,
    ),
    _attribute("friends", "friend|best friend", "friend|best friend|mate", "friend|friends", many=True),
    _attribute(
        "pet",
        "pets|dog|cat|animal|animals|puppy|kitten",
        "dog|cat|puppy|kitten|adopt|rescue|pet|hamster|rabbit|parrot|vet|name he|name she|litter|breed|greyhound|spaniel|bring home",
        "pet|pets|dog|cat|animal",
        ("We adopted a dog.", "My cat died.", "She has a hamster."),
        many=True,
    ),
    _attribute(
        "car",
        "vehicle|ride|motorbike|van|wheels|auto|motor",
        "car|drive|van|motorbike|bike|wheels|ride|trade in|minivan|truck|garage|write off",
        "car|drive|vehicle|driving|ride",
        ("I bought a new car.", "She drives a van.", "He sold the car."),
    ),
    _attribute("bike", "bicycle", "bike|bicycle|cycle", "bike|bicycle"),
    _attribute(
        "phone",
        "mobile|cell|smartphone|cellphone|handset|mobile phone",
        "phone|iphone|pixel|android|galaxy|fairphone|handset|samsung",
        "phone|mobile|smartphone",
        ("I got a new phone.",),
    ),
    _attribute("computer", "laptop|tablet|pc", "laptop|macbook|computer|pc|tablet|ipad", "laptop|computer|tablet"),
    _attribute(
        "possession",
        "possessions|belongings|things owned|boat|camera|console|owns",
        "own|buy|sell|get rid of|boat|camera|caravan",
        "own|possess|have",
        many=True,
    ),
    _attribute(
        "provider",
        "phone provider|bank|subscription|subscriptions|plan|carrier|network|insurance|energy provider|phone_provider|broadband",
        "subscribe|subscription|switch to|provider|bank with|be with|cancel|plan|contract|bank|account",
        "provider|bank|subscription|subscribe|network|carrier",
        ("I switched my phone provider.",),
    ),
    _attribute(
        "diet",
        "eating habits|way of eating|dietary preference|dietary restriction",
        "vegan|vegetarian|pescatarian|keto|diet|eat|meat|gluten|plant-based|dairy|halal|kosher|veggie",
        "diet|vegan|vegetarian|eat|follow",
        ("I went vegan.", "She is a vegetarian."),
    ),
    _attribute(
        "allergy",
        "allergies|allergic to|intolerance|food allergy",
        "allergic|allergy|intolerant|intolerance|anaphylaxis|outgrow",
        "allergy|allergic|allergies|intolerant",
        ("I am allergic to nuts.",),
        many=True,
    ),
    _attribute(
        "health",
        "condition|health condition|diagnosis|illness|medical condition|disease",
        "diagnose|diagnosis|asthma|diabetes|pregnant|suffer from|condition|surgery|illness|coeliac|migraine",
        "health|condition|diagnosis|illness|diagnose",
        ("He was diagnosed with diabetes.",),
        many=True,
    ),
    _attribute(
        "hobby",
        "hobbies|pastime|interest|interests|sport|activity|pastimes|habit",
        "take up|start|play|get into|hobby|lesson|practise|train|club|class|give up|do yoga|learn|obsessed with|run|swim|climb",
        "hobby|hobbies|sport|play|do for fun|interest|pastime|free time",
        ("I took up rowing.", "She plays chess."),
        many=True,
    ),
    _attribute(
        "instrument",
        "instruments|musical instrument",
        "play the|guitar|piano|violin|drums|bass|instrument|cello",
        "instrument|play",
        many=True,
    ),
    _attribute(
        "gym",
        "fitness studio|fitness club|where someone trains|workout",
        "gym|work out|train at|crossfit|membership|fitness|join|sign up|yoga studio|member of|lift",
        "gym|work out|train|exercise|fitness",
        ("I joined a gym.", "She works out at the studio."),
    ),
    _attribute(
        "membership",
        "club|clubs|team|band|society|memberships|choir|church|group|sports club",
        "join|member|membership|club|team|band|choir|squad|belong to|society",
        "club|team|band|member|membership|society|group|choir",
        ("I joined a choir.",),
        many=True,
    ),
    _attribute(
        "language",
        "languages|speaks|tongue|mother tongue|native language|first language|native tongue",
        "speak|fluent|language|learn|bilingual|native",
        "language|languages|speak|fluent",
        ("She speaks French.",),
        many=True,
    ),
    _attribute(
        "favorite food",
        "favourite food|favourite dish|favorite dish|favourite meal|go-to meal|comfort food|favorite meal|favorite cuisine",
        "favorite|sushi|get into|really into|love|can n't get enough|go-to|obsessed|dish|meal|food|eat",
        "favorite food|favorite dish|favorite meal|food",
        ("Sushi is her favourite food.",),
    ),
    _attribute(
        "likes",
        "like|love|loves|enjoys|fan of|preference|preferences|into",
        "love|like|enjoy|fan of|into|adore|prefer|obsessed with",
        "like|love|enjoy|fan|prefer|into",
        many=True,
    ),
    _attribute(
        "dislikes",
        "dislike|hate|hates|pet peeve",
        "hate|dislike|loathe|detest|can n't stand|not a fan",
        "hate|dislike|can n't stand",
        many=True,
    ),
    _attribute(
        "name",
        "full name|surname|last name|first name|called",
        "name be|call|rename|known as|change name",
        "name|surname|call",
        ("My name is Robin.",),
    ),
    _attribute("nickname", "pet name|alias", "nickname|everyone call|go by", "nickname"),
    _attribute(
        "age", "how old|years old", "year old|years old|turn|age|birthday", "how old|age", ("She is ten years old.",)
    ),
    _attribute(
        "birthday",
        "birth date|date of birth|born on|dob",
        "birthday|be bear|born on|bear on",
        "birthday|when born|birth date|born",
        ("His birthday is in May.",),
    ),
    _attribute(
        "nationality",
        "citizenship|passport",
        "citizen|citizenship|nationality|passport",
        "nationality|citizen|citizenship",
    ),
    _attribute("religion", "faith", "convert to|catholic|muslim|jewish|buddhist|christian|church", "religion|faith"),
    _attribute(
        "project",
        "projects|working on",
        "work on|project|assign|thesis",
        "project|work on",
        ("She works on the project.",),
    ),
    _attribute(
        "owner",
        "lead|in charge|responsible|project lead|leader|maintainer|person responsible|head|captain",
        "own|owner|lead|in charge|responsible|take over|hand over|run by|maintain",
        "owner|own|lead|charge|responsible|who run|who lead",
        ("Ann took over the project.",),
    ),
    _attribute(
        "manager",
        "boss|supervisor|line manager|reports to",
        "manager|boss|report to|supervisor",
        "manager|boss|report to|supervisor",
    ),
    _attribute(
        "status",
        "state|stage|phase|progress",
        "status|on hold|pause|launch|live|ship|cancel|delay|beta|resume|complete|finish|active|production|go live|block",
        "status|state|stage|how far|phase",
        ("The project is on hold.",),
    ),
    _attribute(
        "version",
        "release|build",
        "version|release|upgrade to|roll out|ship|v1|v2|run",
        "version|release",
        ("We released version 2.1.",),
    ),
    _attribute(
        "price",
        "cost|fee|rate|rent|salary|price tag|how much",
        "cost|price|euro|dollar|pound|fee|per month|a month|charge|raise",
        "price|cost|how much|fee|rent",
        ("It costs ten dollars a month.",),
    ),
    _attribute(
        "deadline",
        "due date|due|target date|launch date|release date",
        "deadline|due|due date|slip to|push back|postpone|extend",
        "deadline|due|due date|when due",
        ("The deadline is the end of May.",),
    ),
    _attribute("budget", "funding", "budget", "budget"),
    _attribute(
        "doctor", "gp|dentist|therapist|physician", "doctor|dr|gp|dentist|therapist", "doctor|gp|dentist|therapist"
    ),
    _attribute("headquarters", "hq|head office", "headquarter|hq|head office", "headquarters|hq|head office"),
    _attribute("email", "email address|e-mail", "email", "email"),
    _attribute("phone number", "mobile number|number|telephone number", "phone number|number", "phone number|number"),
    _attribute("supports", "football team|favorite team", "support", "support"),
)
