"""Replies: a turn that only answers what another one just asked ("Where are you now?" "Leeds, since May") is read with the words that
it leaves out ("I live in Leeds, since May").

Only questions about lasting things are completed, and only replies that begin with a phrase or a yes or no; a reply that is a
statement of its own stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from genome_core.facts.phrases import noun_phrase
from genome_core.facts.words import tokenize
from genome_core.types import Fact, Record


@dataclass(frozen=True, slots=True)
class Completed:
    """A turn with the words that its beginning leaves out."""

    turn: Record
    shift: int = 0
    """By how much what follows the added words stands farther back than in the turn itself."""

    def restored(self, fact: Fact) -> Fact:
        """``fact`` with its place in the turn as it was said."""
        if not self.shift or fact.span is None:
            return fact
        start = max(0, fact.span[0] - self.shift)
        return replace(fact, span=(start, max(start, fact.span[1] - self.shift)))


_SOON = timedelta(days=3)
"""How long after a question its answer may come."""
_AWAY = r"(?:(?:oh|ah|aw|haha|ha|lol|well|um|erm|er|hm+|so|ok|okay|sure)\b[\s,.!…-]*)*"
_YES = re.compile(rf"^\W*{_AWAY}(?P<yes>(?:yes|yeah|yep|yup|ya|aye|correct|indeed|of course|still)\b(?:\s+(?:i am|i do|i have|we are|we do|he is|she is|he does|she does|sir|indeed|still)\b)?)[\s,.!;:-]*", re.I)  # fmt: skip
_NO = re.compile(rf"^\W*{_AWAY}(?P<no>(?:no|nope|nah|naw|not any ?more|no longer|no more|not now)\b(?:\s+(?:i'm not|i don't|not any ?more|not now|longer)\b)?)(?!\s+(?:idea|clue|way|problem|worries|one|need|doubt|plans?|news|time|wonder)\b)[\s,.!;:-]*", re.I)  # fmt: skip
_STATES = re.compile(r"^\W*(?:i|i'm|im|i've|ive|we|we're|were|we've|he|he's|hes|she|she's|shes|they|it|it's|its|you|u|there|that|that's|thats|this|don't|dont|dunno|not|no|nothing|nowhere|none|if|why|what|who|where|how|sorry|thanks|haha|lol|maybe|might|could|would|can|guess|depends|wait|good|god|ask|same|still|never|please|ugh|hi|hello|let|tell)\b", re.I)  # fmt: skip
"""How a turn begins that is no fragment of a statement."""
_LEAD = re.compile(r"^\W*(?:(?:so|and|but|hey|ok|okay|wait|then|oh|ooh|ah|hm+|anyway|btw|right|well|cool|nice|wow|omg|lol|haha|huh|hi|hiya|hello|whit|you said|remind me|sorry|yo|x+)\b[\s,.!-]*)*", re.I)  # fmt: skip
_TEXTING = {"u": "you", "ya": "you", "ye": "you", "yous": "you", "r": "are", "ur": "your", "wat": "what", "whit": "what", "wots": "what is", "wen": "when", "w": "with", "wiv": "with", "whats": "what is", "wheres": "where is", "hows": "how is", "whos": "who is", "yer": "your", "doin": "doing", "livin": "living", "workin": "working", "atm": "now", "nowadays": "now", "y'all": "you"}  # fmt: skip
_SUBJECT = r"(?P<who>you(?: two| both| guys| lot)?|he|she|they|it|(?:your|the|his|her) [\w-]+|[\w'-]+(?! and\b)(?!(?-i: [A-Z])))"
_NOW = r"(?: (?:now|these days|at the moment|currently|today|then|again|at|based|instead|for work|for a living|off to|though|yourself))*"


@dataclass(frozen=True, slots=True)
class _Asked:
    """How a question about something lasting is asked, and the words that a reply to it leaves out."""

    pattern: re.Pattern[str]
    verb: str
    """In its base form; the subject stands before it."""
    kinds: frozenset[str] = frozenset()
    """What the first phrase of a reply must be one of; empty for anything."""
    article: str = ""


def _asked(pattern: str, verb: str, kinds: str = "", article: str = "") -> _Asked:
    return _Asked(re.compile(rf"^{pattern}{_NOW}$", re.I), verb, frozenset(kinds.split()), article)


_WHAT: tuple[_Asked, ...] = (
    _asked(rf"(?:where|in (?:which|what) (?:town|city|place|country)) (?:are|is|do|does) {_SUBJECT}(?: (?:living|live|staying|stay|based|settled|moved|moving))?(?: to| in| at)?", "live in", "place name house"),
    _asked(rf"where did {_SUBJECT} (?:move|go|end up|settle|land)(?: to| in| off to)?", "moved to", "place name house"),
    _asked(rf"where (?:do|does|are|is) {_SUBJECT} (?:work|working|employed)(?: at| for)?", "work at", "org name provider school gym"),
    _asked(rf"who (?:do|does|are|is) {_SUBJECT} (?:work|working)(?: for| with| at)?", "work at", "org name provider school gym"),
    _asked(rf"what (?:do|does|are|is) {_SUBJECT} (?:do|doing|working as|work as)(?: for work| for a living)?", "be", "role", "a"),
    _asked(r"(?:what is|what's) (?P<who>your|his|her|their) (?:new )?(?:job|role|position|title|trade)(?: title)?", "be", "role", "a"),
    _asked(rf"what (?:are|is|do|does|did|was|were) {_SUBJECT} (?:studying|study|reading|majoring in)", "study", "subject course"),
    _asked(rf"(?:what|which)(?: car| one| make| kind| sort)?(?: of car| of one)? (?:are|is|do|does|did) {_SUBJECT} (?:driving|drive|get|buy|have|got|riding)", "have", "car phone pet bike computer instrument", "a"),
    _asked(rf"(?:what|which)(?: phone)? (?:are|is|do|does) {_SUBJECT} (?:using|use|on)", "have", "phone computer", "a"),
    _asked(rf"how old (?:are|is) {_SUBJECT}", "be"),
)  # fmt: skip
_WHETHER = re.compile(rf"^(?P<aux>are|is|do|does|have|has)(?:n't|nt| not)? {_SUBJECT} (?P<rest>.+)$", re.I)
_BARE = re.compile(r"^(?:(?:you|u) )?(?P<rest>still (?:at|in|with|on|living|working|playing|doing|going|the|a|an|driving|seeing|dating|single|married|vegan|veggie|vegetarian)\b.*)$", re.I)  # fmt: skip
_SINCE = re.compile(
    rf"^(?:since when|how long|since what year) (?P<aux>have|has|are|is|'ve) {_SUBJECT} (?P<rest>.+)$", re.I
)
_OWNED = re.compile(
    rf"^(?:since when|how long) (?:have|has) {_SUBJECT} (?:had |got )?(?P<rest>(?:an?|the|that|your) [\w -]+)$", re.I
)
_WHEN = re.compile(
    rf"^when did {_SUBJECT} (?P<rest>(?:start|join|move|leave|quit|get|buy|adopt|marry|retire|begin|become|give|stop|finish|sell)\b.*)$",
    re.I,
)
_WHO = re.compile(
    r"^(?:who is|who's|whos) (?P<rest>(?:the|your|our|their|his|her) [\w' -]+?|(?:leading|running|managing|in charge of|responsible for) [\w' -]+?)(?: now| these days| then)?$",
    re.I,
)
_CALLED = re.compile(
    r"^what(?:'s| is| are| do you call| did you call) (?P<whose>his|her|its|the [\w-]+?'?s|your [\w-]+?'?s|it|him|she|he)(?: (?:name|called))?$",
    re.I,
)


def completed(turn: Record, context: Callable[[], Sequence[Record]]) -> Completed:
    """``turn``, with the words before it that its first sentence leaves out; itself where it leaves out none."""
    text = turn.text
    short = re.match(r"^[^.!?\n;]{1,60}", text)
    if short is None or (_STATES.match(text) and not (_YES.match(text) or _NO.match(text))):
        return Completed(turn)
    question = _question_before(turn, context)
    if question is None:
        return Completed(turn)
    added, begins = _left_out(question, text)
    if not added:
        return Completed(turn)
    return Completed(replace(turn, text=added + text[begins:]), len(added) - begins)


def _question_before(turn: Record, context: Callable[[], Sequence[Record]]) -> str | None:
    """What the last turn of somebody else asks, in plain words."""
    before = [other for other in context() if other.id != turn.id][-1:]
    if not before or before[0].speaker == turn.speaker:
        return None
    asked = before[0]
    if turn.at and asked.at and not timedelta(0) <= turn.at - asked.at <= _SOON:
        return None
    found = re.findall(r"[^.!?\n]+\?", asked.text) or ([asked.text] if len(asked.text) < 60 else [])
    if not found:
        return None
    plain = found[-1].strip().rstrip("? ").replace("’", "'")
    plain = plain[_LEAD.match(plain).end() :] if _LEAD.match(plain) else plain  # type: ignore[union-attr]
    return " ".join(_TEXTING.get(word.lower(), word) for word in plain.split())


def _left_out(question: str, reply: str) -> tuple[str, int]:
    """The words that ``reply`` leaves out, and where in it what they lead to begins."""
    no, yes = _NO.match(reply), _YES.match(reply)
    if no or yes:
        said = no or yes
        statement = _of_whether(question, no=bool(no))
        if statement is None or said is None:
            return "", 0
        ended = re.match(
            r"(?:since|for|with|as|in|at|from|until|till|\d|two|three|a (?:year|month|week))\b",
            reply[said.end() :],
            re.I,
        )
        return (f"{statement} " if ended else f"{statement}. "), said.end()
    away = re.match(rf"^\W*{_AWAY}", reply)
    begins = away.end() if away else 0
    found = (
        _of_times(question, reply[begins:]) or _of_what(question, reply[begins:]) or _of_who(question, reply[begins:])
    )
    return (found, begins) if found else ("", 0)


def _of_whether(question: str, *, no: bool) -> str | None:
    bare = _BARE.match(question)
    if bare:
        return f"I am {'no longer' if no else 'still'} {bare['rest'][6:]}"
    match = _WHETHER.match(question)
    if match is None:
        return None
    who, rest = _speaker(match["who"]), match["rest"]
    still = re.match(r"still\s+|now\s+", rest, re.I)
    rest = rest[still.end() :] if still else rest
    if no and not (still and still[0].lower().startswith("still")):
        return None
    if match["aux"].lower() in ("have", "has") and not re.match(r"(?:got|an?|the|any|your|that)\b", rest, re.I):
        return None
    aux = {"do": "", "does": ""}.get(match["aux"].lower(), _agrees(match["aux"], who))
    verb = rest if aux or who in ("I", "they") else _third(rest)
    rest = re.sub(r"\byour\b", "my", verb, flags=re.I)
    middle = "no longer " if no else "still " if still else ""
    return " ".join(f"{who} {aux} {middle}{rest}".split())


def _of_times(question: str, reply: str) -> str:
    """ "Since when have you had a dog?" "Since August"."""
    timed = re.match(
        r"(?:since|for|in|on|from|last|this|about|around|almost|nearly|over|\d|a|an|two|three|four|five|six|seven|eight|nine|ten|yesterday|today|just|only|at|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\b",
        reply,
        re.I,
    )
    if timed is None:
        return ""
    length = re.match(
        r"(?:(?:about|around|almost|nearly|over|only|just)\s+)?(?:\d+|an?|two|three|four|five|six|seven|eight|nine|ten)\s+(?:and a half\s+)?(?:days?|weeks?|wks?|months?|years?|yrs?)\b(?!\s+ago)",
        reply,
        re.I,
    )
    join = " for " if length else " "
    owned = _OWNED.match(question)
    if owned:
        who = _speaker(owned["who"])
        return f"{who} {_agrees('have', who)} had {owned['rest']}{join}"
    since = _SINCE.match(question)
    if since:
        who = _speaker(since["who"])
        return f"{who} {_agrees(since['aux'], who)} {re.sub(r'^your', 'my', since['rest'])}{join}"
    when = _WHEN.match(question)
    if when and not length:
        return f"{_speaker(when['who'])} did {re.sub(r'your', 'my', when['rest'])} "
    return ""


def _of_what(question: str, reply: str) -> str:
    for asked in _WHAT:
        match = asked.pattern.match(question)
        if match is None or not _fits(reply, asked):
            continue
        who = _speaker(
            {"your": "you", "his": "he", "her": "she", "their": "they"}.get(match["who"].lower(), match["who"])
        )
        verb = (
            _agrees("are", who)
            if asked.verb == "be"
            else asked.verb
            if who in ("I", "they", "you")
            else _third(asked.verb)
        )
        words = f"{who} {verb}"
        preposition = re.match(r"(?:in|at|to|for|near|with)\s", reply, re.I)
        if preposition and " " in words:
            words = re.sub(r" (?:in|at|to)$", "", words)
        article = (
            asked.article if asked.article and not re.match(r"(?:an?|the|my|some|two|three)\s", reply, re.I) else ""
        )
        return " ".join(f"{words} {article}".split()) + " "
    return ""


def _of_who(question: str, reply: str) -> str:
    called = _CALLED.match(question)
    name = re.match(r"[\w'-]+", reply)
    if called and name and not _STATES.match(reply):
        whose = called["whose"].lower()
        whose = {"it": "its", "him": "his", "she": "her", "he": "his"}.get(whose, whose)
        whose = re.sub(r"^your ", "my ", whose)
        return f"{whose} name is "
    return ""


def _fits(reply: str, asked: _Asked) -> bool:
    """Whether a reply begins with what the question asks for."""
    start = re.match(r"(?:(?:in|at|to|for|near|with|back in|over in)\s+)?", reply, re.I)
    tokens = tokenize(reply, start.end() if start else 0)
    if not asked.kinds:
        return bool(tokens) and tokens[0].kind == "number"
    phrase = noun_phrase(tokens, 0) if tokens else None
    if phrase is None or phrase.is_pronoun:
        return False
    return bool(phrase.kinds & asked.kinds)


def _speaker(who: str) -> str:
    low = who.lower()
    if low.startswith("you") and not low.startswith("your "):
        return "I"
    if low.startswith("your "):
        return f"my {who[5:]}"
    return low if low in ("he", "she", "they", "it") else who


def _agrees(aux: str, who: str) -> str:
    low = aux.lower()
    if low in ("have", "has", "'ve"):
        return "have" if who in ("I", "they") else "has"
    return "am" if who == "I" else "are" if who == "they" else "is"


def _third(verb: str) -> str:
    first, *rest = verb.split(" ")
    if first in ("moved", "did"):
        return verb
    ending = "es" if first.endswith(("s", "sh", "ch", "o")) else "s"
    first = {"have": "has", "study": "studies"}.get(first, first + ending)
    return " ".join([first, *rest])
