"""Sentences of a turn: where they begin and end, how they are meant, whom they speak of and when.

A typed sentence is evidence, never a fact: it is what answers rest on where no rule was sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.clauses import Clause, clauses
from genome_core.facts.mentions import FIRST_PERSON, Mention, Referents, names_in
from genome_core.facts.time import Lean, TimeMention, find_times
from genome_core.facts.unreal import reports, unreal
from genome_core.facts.verbs import Phase, Tense
from genome_core.facts.words import Token, lowered, tokenize
from genome_core.types import Record


class Modality(StrEnum):
    """How a sentence is meant, where it is not a plain statement. Several may hold."""

    QUESTION = "question"
    PLAN = "plan"
    """A plan, intention, offer or wish: it never becomes true by waiting."""
    HYPOTHETICAL = "hypothetical"
    """If, would, might, imagine."""
    NEGATED = "negated"
    ENDED = "ended"
    """It speaks of something that stopped."""
    HEARSAY = "hearsay"
    """What somebody else said, thinks or is rumoured to have done."""
    EVENT = "event"
    """A trip, visit or other thing that happened once and changes nothing that lasts."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a turn. Offsets are into the turn's text."""

    text: str
    span: tuple[int, int]
    modality: frozenset[Modality] = frozenset()
    believer: str = ""
    """Whose words or belief it is, for hearsay: a name, or ``someone``."""
    times: tuple[TimeMention, ...] = ()
    entities: tuple[str, ...] = ()
    """People and things it speaks of, "I" and pronouns resolved; the speaker is there only if meant."""


Likeness = Callable[[str], Mapping[str, float]]
"""Gives, for a sentence's text, its likeness (0..1) to the prototypes of attributes."""

_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof sr jr st vs etc e.g i.e approx no dept inc ltd co corp fig jan feb mar apr jun jul aug sep sept oct nov dec mt ave blvd u.s u.k a.m p.m ph.d".split()
)
_BREAK = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)|\n+|[!?](?<=[^\s\d].)[!?]*(?=\S)")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences of ``text``, without the blanks around them.

    An abbreviation or an initial does not end a sentence, nor do dots between digits. Where nothing but an ellipsis divides,
    the next word's capital letter decides. Line breaks always divide.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        if _ends_sentence(text, start, match):
            spans.append((start, match.end()))
            start = match.end()
    spans.append((start, len(text)))
    trimmed = [(s + len(text[s:e]) - len(text[s:e].lstrip()), s + len(text[s:e].rstrip())) for s, e in spans]
    return [(s, e) for s, e in trimmed if e > s and any(ch.isalnum() for ch in text[s:e])]


_LAST_WORD = re.compile(r"[\w.]+$")
_VISIBLE = re.compile(r"\S")
_BEFORE_NAMES = frozenset("mr mrs ms dr prof st vs e.g i.e mt".split())
"""Abbreviations that a capital letter follows in the same sentence."""


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match[0]
    if mark[0] in "!?\n":
        return True
    if mark.startswith("..") or mark[0] == "…":
        after = _VISIBLE.search(text, match.end())
        return after is None or after[0].isupper() or after[0] in "\"'“("
    if mark != ".":
        return True
    at = match.start()
    word = _LAST_WORD.search(text, max(start, text.rfind(" ", start, at) + 1), at)
    low = word[0].lower() if word else ""
    if low in _ABBREVIATIONS:
        after = _VISIBLE.search(text, match.end())
        return after is not None and after[0].isupper() and low not in _BEFORE_NAMES
    return not (len(low) == 1 and low.isalpha() and low != "i" and text[at - 1].isupper())


@dataclass(frozen=True)
class Parsed:
    """A sentence as the rules read it. What not every rule asks for is found when one does."""

    text: str
    span: tuple[int, int]
    low: str
    """Its text in lower case."""
    tokens: tuple[Token, ...]
    clauses: tuple[Clause, ...]
    times: tuple[TimeMention, ...]
    every: Sequence[Token]
    """Its tokens with those that the rules pass over: openings, fillers and quotations."""
    speaker: str
    calls: bool
    """Whether it opens with words that only ask for attention."""

    @cached_property
    def mentioned(self) -> Sequence[Mention]:
        """The people it names."""
        return names_in(self.every, self.speaker)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words in lower case, verbs also in their base form."""
        lemmas = [lemma for token in self.tokens for lemma, _ in token.forms]
        return frozenset([*re.findall(r"[^\W\d_]+", self.low), *lemmas])

    @cached_property
    def is_question(self) -> bool:
        return not self.calls and _is_question(self.text)

    @property
    def is_rumour(self) -> bool:
        """Whether it is hearsay of nobody in particular."""
        return RUMOUR.search(self.low) is not None and _reporting(self.clauses) is None

    @property
    def is_supposed(self) -> bool:
        """Whether it only supposes: if, might, imagine."""
        return _SUPPOSED.search(self.low) is not None

    @property
    def is_trip(self) -> bool:
        return TRIP.search(self.low) is not None


def parse(turn: Record) -> list[Parsed]:
    """The sentences of ``turn``, parsed. ``turn.at`` must be set."""
    times = find_times(turn.text, said_at(turn))
    low = lowered(turn.text)
    return [_parsed(turn, low[start:end], start, end, times) for start, end in split_sentences(turn.text)]


def _parsed(turn: Record, low: str, start: int, end: int, times: Sequence[TimeMention]) -> Parsed:
    text, own = turn.text, turn.text[start:end]
    mine = tuple(t for t in times if start <= t.span[0] < end)
    spans = [t.span for t in mine]
    every = tokenize(text, start, end, spans)
    told = _TOLD.match(own)
    tokens = tokenize(text, start + told.end(), end, spans) if told else every
    tokens = _unquoted(own, _without_fillers(low, start, tokens))
    parts = tuple(clauses(tokens))
    ahead = _ahead(mine, parts, text, said_at(turn)) if mine else mine
    return Parsed(own, (start, end), low, tuple(tokens), parts, ahead, every, turn.speaker, told is not None)


_CHANGES = frozenset("move start begin join leave open launch get marry switch retire go fly".split())


def _ahead(
    times: tuple[TimeMention, ...], parts: Sequence[Clause], text: str, said: datetime
) -> tuple[TimeMention, ...]:
    """``times``, with a date without its year in "moving on 1 December" or "we move on 1 December" read as one to come."""
    for clause in parts:
        verb = clause.verb
        if verb is None or verb.tense not in (Tense.PROGRESSIVE, Tense.PRESENT) or verb.lemma not in _CHANGES:
            continue
        start, end = clause.span
        late = [m for m in times if m.inferred and start <= m.span[0] < end and m.start and m.start.end <= said]
        for mention in late:
            found = find_times(text[slice(*mention.span)], said, lean=Lean.FUTURE)
            if len(found) == 1:
                times = tuple(replace(found[0], span=m.span) if m is mention else m for m in times)
    return times


_FILLERS = re.compile(
    r"\b(?:these days|right now|at the moment|at present|for now|at this point|as of now|so far|of course|by now|by the way|in the end|nowadays|to be honest|to be fair|as usual|for real|for sure|as it happens|as you know|you know|in case you (?:missed it|wondered))\b",
)
"""Phrases that say nothing to the rules; their words still count for the frames that need one."""


def _without_fillers(low: str, start: int, tokens: list[Token]) -> list[Token]:
    fillers = [(start + match.start(), start + match.end()) for match in _FILLERS.finditer(low)]
    if not fillers:
        return tokens
    return [token for token in tokens if not any(left <= token.start < right for left, right in fillers)]


def _unquoted(text: str, tokens: list[Token]) -> list[Token]:
    """The tokens without what stands in quotation marks, which is not the speaker's own; titles of one or two words stay."""
    if _QUOTES.isdisjoint(text):
        return tokens
    marks = [i for i, token in enumerate(tokens) if token.text in _QUOTES]
    kept = tokens
    for left, right in reversed(list(zip(marks[::2], marks[1::2], strict=False))):
        if right - left > 3:
            kept = kept[:left] + kept[right + 1 :]
    return kept


_QUOTES = frozenset(['"', "“", "”"])


def read_sentences(turn: Record, context: Callable[[], Sequence[Record]] = tuple) -> list[Sentence]:
    """The typed sentences of a turn, in order. ``turn.at`` must be set; ``context`` as in ``FactExtractor.extract``."""
    referents = Referents(turn.speaker, context)
    found = []
    for parsed in parse(turn):
        entities = _entities(parsed, referents)
        found.append(Sentence(parsed.text, parsed.span, _modality(parsed), _believer(parsed), parsed.times, entities))
        referents.see(parsed.mentioned)
    return found


def attribute_types(sentence: Sentence, table: AttributeTable, likeness: Likeness | None = None) -> dict[str, float]:
    """The attributes that ``sentence`` may speak of, each with a score in 0..1: by cue words and, if given, by likeness."""
    scores = table.cued(sentence.text)
    for name, score in (likeness(sentence.text) if likeness else {}).items():
        scores[name] = max(scores.get(name, 0.0), score)
    return scores


def said_at(turn: Record) -> datetime:
    """When the turn was said; the epoch for a turn without a time, which only a caller outside ``Memory`` can hand in."""
    return turn.at or turn.created_at or datetime.fromtimestamp(0, UTC)


def was_known(turn: Record, known_at: datetime | None) -> bool:
    """Whether the turn was stored by ``known_at``; None is now."""
    return known_at is None or (turn.created_at or said_at(turn)) <= known_at


# --- how a sentence is meant ------------------------------------------------------------------------------------------

_ASKS = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hey|oh|well|btw)\W+)*(?:who|what|when|where|why|how|which|whose|do|does|did|is|are|was|were|can|could|would|will|should|has|have|am)(?:n't|nt)?\s+(?:i|you|u|we|he|she|it|they|the|your|that|this|there|anyone|anybody|[A-Z]\w+|is|are|was|were|do|does|did|about|come|many|much|long)\b"
)
_TOLD = re.compile(
    r"""^\W*(?:(?:so|and|but|ok|okay|hey|oh|well|btw|also)\W+)*
    (?: (?:did|have|has)\s+(?:i|u|you|anyone)(?:\s+\w+)?\s+(?:tell|told|mention(?:ed)?|say|said|hear|heard|see|seen|know)\b(?:\s+(?:you|u|about|this|that|it|everyone))*
      | guess\s+what
      | guess\s+who(?=\s+(?:has|is|got|just|now)\b)
      | you\s+know\s+what
      | (?:in\s+case|not\s+sure\s+if|dunno\s+if|don't\s+know\s+if|idk\s+if)\s+(?:i|we)(?:'ve)?\s+(?:\w+\s+)?(?:tell|told|mention(?:ed)?|said|say)\b(?:\s+(?:you|u|this|that|it|already|yet|before|everyone))*(?:\s*,?\s*but\b)?
      | (?:i|we)(?:'ve)?\s+(?:keep|kept|always|totally|completely)?\s*(?:forget(?:ting)?|forgot|meant|mean|been\s+meaning)\s+to\s+(?:mention|say|tell)\b(?:\s+(?:you|u|this|that|it|everyone))*(?:\s*,?\s*but\b)?
      | (?:(?:i|we)(?:'ve)?\s+)?(?:\w+\s+)?(?:found\s+out|learn(?:ed|t)|reali[sz]ed|discovered)\s+(?:that\s+)?(?=(?:i|we|my|our|he|she|they|[A-Z]\w+)\b)
      | (?:(?:it|as\s+it)\s+)?turns\s+out(?:\s+that)?
      | (?:it's|its|it\s+is)\s+official(?:ly)?(?:\s+that)?
      | (?:fun\s+fact|big\s+news|good\s+news|bad\s+news|sad\s+news|work\s+news|quick\s+update|update|fyi|for\s+the\s+record|for\s+the\s+minutes|small\s+update|news\s+from\s+\w+|confession|heads\s+up|quick\s+\w+)\b[^,:.!?]{0,40}(?=[:,])
    )[\s,:!?.;-]*""",
    re.IGNORECASE | re.VERBOSE,
)
"""Openings that only ask for attention: "Did I tell you", "Guess what", "In case I never mentioned it", "Quick update:"."""
_SUPPOSED = re.compile(
    r"\b(?:if|unless|in case|imagine|suppose|pretend|as if|as though|what if|maybe|perhaps|might|wish|would have|could have|should have|provided|assuming|hypothetically|joking|kidding|in my dreams|dreamt|dreamed|in theory|not sure|no idea (?:if|whether)|who knows|probably|possibly|i (?:think|guess|reckon|suppose|believe|assume)|i'd rather)\b",
)
RUMOUR = re.compile(
    r"\b(?:rumou?rs?|gossip|word on the street|word is|word has it|people (?:say|are saying)|they say|supposedly|allegedly|reportedly|(?:i|we|i've|we've) (?:only )?(?:heard|hear)|a little bird|says who|(?:someone|somebody) (?:said|told)|the (?:story|word) goes|don't quote me|dont quote me|who knows if|idk if|not sure if|no idea if|hearsay)\b",
)
TRIP = re.compile(
    r"\b(?:for (?:a|the|two|three|a few|this|one) (?:\w+ )?(?:weekend|conference|wedding|night|nights|trip|holiday|vacation|meeting|workshop|days|visit|concert|gig|week)|just a (?:short |quick )?trip|visit(?:ing|ed)?|on (?:holiday|vacation|a trip|business|tour|layover)|flew (?:to|in|out)|flying (?:to|in|out)|day trip|road trip|test drove|rented? a|(?:an?|the|my|his|her|our|some) (?:hired|hire|rented|rental|borrowed|courtesy|loaner|loan) (?=[\w])|trip to|stopover|honeymoon|passing through|on the way to|back from|sightseeing|for work until|(?:free|trial|taster|guest|day) (?:day|week|month|pass|session|class|lesson|shift|period)|never went (?:back|again))\b",
)


def _modality(parsed: Parsed) -> frozenset[Modality]:
    found, parts = set(), parsed.clauses
    if parsed.is_question:
        found.add(Modality.QUESTION)
    if _SUPPOSED.search(parsed.low):
        found.add(Modality.HYPOTHETICAL)
    if RUMOUR.search(parsed.low) or _reporting(parts):
        found.add(Modality.HEARSAY)
    if parsed.is_trip:
        found.add(Modality.EVENT)
    for place, clause in enumerate(parts):
        if clause.verb is None:
            continue
        if clause.verb.tense is Tense.FUTURE or unreal(parts, place):
            found.add(Modality.PLAN)
        if clause.verb.negated:
            found.add(Modality.NEGATED)
        if clause.verb.ended or clause.verb.phase in (Phase.STOP, Phase.USED):
            found.add(Modality.ENDED)
    return frozenset(found)


def _is_question(text: str) -> bool:
    if text.rstrip().endswith("??") and _AMAZED.match(text):
        return False
    return text.rstrip("\"')” !").endswith("?") or _ASKS.match(text[:1].lower() + text[1:]) is not None


_AMAZED = re.compile(r"(?:(?:so|and|ok|omg|wow|guys|wait)\W+)*(?:i|we)(?:'m|'ve|m|ve)?\s", re.IGNORECASE)
"""How texting starts that is only amazed: "i actually passed the exam??"."""


def _reporting(parts: Sequence[Clause]) -> Clause | None:
    """The first clause that tells what somebody else says, thinks or wants."""
    return next((c for c in parts if reports(c) and c.subjects[0].head not in (*FIRST_PERSON, "you")), None)


def _believer(parsed: Parsed) -> str:
    clause = _reporting(parsed.clauses)
    if clause is None:
        return ""
    said = " ".join(word.text for word in clause.subjects[0].words).lower()
    names = [mention.name for mention in parsed.mentioned if mention.name]
    return next((name for name in names if said in name.lower() or name.lower() in said), "someone")


def _entities(parsed: Parsed, referents: Referents) -> tuple[str, ...]:
    tokens = parsed.tokens
    names = [mention.name for mention in parsed.mentioned if mention.name]
    lows = {token.low for token in tokens}
    if lows & {*FIRST_PERSON, "my", "our", "mine"} or (
        not any(c.low in ("he", "she", "they", "it", "you") for c in tokens) and not names
    ):
        names.append(referents.speaker)
    pronouns = [low for low in ("he", "she", "him", "her", "his") if low in lows]
    said = parsed.mentioned if pronouns else ()
    names += [name for low in pronouns if not _names_whom(said, low) and (name := referents.one(low))]
    if lows & {"they", "them", "their", "both"}:
        names += referents.several()
    names += _things(tokens)
    return tuple(dict.fromkeys(names))


def _names_whom(said: Sequence[Mention], pronoun: str) -> bool:
    """Whether a sentence itself names one whom its pronoun can mean: "Our Philip has a post, he began there in May"."""
    wanted = "f" if pronoun in ("she", "her") else "m"
    return any(mention.gender == wanted and mention.name and not mention.plural for mention in said)


def _things(tokens: Sequence[Token]) -> list[str]:
    """Capitalised words inside the sentence: names of places, firms, projects and the like."""
    found: list[list[Token]] = []
    for i, token in enumerate(tokens):
        if (
            token.kind == "word"
            and token.capital
            and token.low != "i"
            and not token.low.startswith("'")
            and (i > 0 or (len(tokens) > 1 and tokens[1].capital))
        ):
            if found and i > 0 and found[-1][-1] is tokens[i - 1]:
                found[-1].append(token)
            else:
                found.append([token])
    return [" ".join(token.text for token in group) for group in found]


_INVERTED = frozenset("can could would should do does did is are was were will have has am may shall ca wo".split())
_ASKING = frozenset("what how why when where who which whose any is".split())


def asked_from(parsed: Parsed) -> int:
    """How many clauses of a question come before what is asked: "I'm vegan, what should I cook?" states one."""
    for i, clause in enumerate(parsed.clauses):
        lows = [token.low for token in clause.tokens if token.kind == "word"]
        asks = clause.opener in _ASKING or (bool(lows) and (lows[0] in _INVERTED or lows[0] in _ASKING))
        if asks:
            return i if len(lows) > 3 or clause.opener in _ASKING else 0
    return 0
