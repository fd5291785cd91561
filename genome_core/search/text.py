"""From text to searchable units: lexical terms, passages that fit an encoder, and the wording a turn is encoded in.

Terms are what BM25 counts. A text gives them by these rules, the same on every machine:

* Unicode NFKC and case folding; accents of Latin and Greek letters are dropped (café = cafe).
* Words are stemmed by the Snowball stemmer of their script (English for Latin letters); English stop words are dropped.
* Codes and identifiers (``ERR_42-x``, ``v1.2.3``, ``getUserName``) count whole and in parts; ``1,200`` counts as ``1200``.
* Scripts written without spaces (Han, kana, Thai, ...) and Hangul, whose particles cling to the word, give pairs of
  neighbouring characters and single characters. A question is asked by its pairs; by a single character only where it stands alone.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

import Stemmer  # type: ignore[import-not-found]

from genome_core.protocols import Embedder
from genome_core.types import Record

TARGET_TOKENS = 160
"""Size of the passages that a long text is cut into; within 0.015 of recall from 90 to 235 (docs/recall.md)."""

STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below between
    both but by ca can could did do does doing don down during each few for from further had has have having he her here
    hers herself him himself his how i if in into is it its itself just let ll me more most my myself no nor
    nd not now of off on once only or other our ours ourselves out over own rd re same shall she should so some such than
    that the their theirs them themselves then there these they th this those through to too under until up us ve very was
    we were what when where which while who whom whose why will with wo would you your yours yourself yourselves""".split()
)

_STEMMERS = {
    "LATIN": "english",
    "CYRILLIC": "russian",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "DEVANAGARI": "hindi",
    "TAMIL": "tamil",
    "ARMENIAN": "armenian",
}
_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Myanmar
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff"  # Hangul
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_CONTRACTION = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m))$")
_GROUPED_DIGITS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INNER_BORDER = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_JOINER = re.compile(r"[-_./:@#+]")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])|\n+")
_local = threading.local()


def terms(text: str) -> list[str]:
    """The lexical terms of a stored text, in order, with repetitions."""
    return _terms(text, singles=True)


def query_terms(text: str) -> list[str]:
    """The distinct lexical terms of a question, in order of first use."""
    return list(dict.fromkeys(_terms(text, singles=False)))


def _terms(text: str, *, singles: bool) -> list[str]:
    text = text.replace("’", "'")
    if "," in text:
        text = _GROUPED_DIGITS.sub("", text)
    if text.isascii():
        return list(chain.from_iterable(map(_RUNS.__getitem__, text.split())))
    found: list[str] = []
    for match in _tokens().finditer(unicodedata.normalize("NFKC", text)):
        token = match[0]
        if match.lastgroup == "unspaced":
            found += _grams(token.casefold(), singles=singles)
        else:
            found += _TOKENS[token]
    return found


def _of_run(run: str) -> tuple[str, ...]:
    """The terms of ASCII signs without white space: no token reaches across white space."""
    return tuple(chain.from_iterable(map(_of_token, _ASCII_TOKEN.findall(run))))


def _of_token(token: str) -> tuple[str, ...]:
    if token.isascii() and token.isalpha() and (token.islower() or token.istitle()):
        return tuple(_word(token.lower()))
    return tuple(_compound(token))


class _Remembered(dict[str, tuple[str, ...]]):
    """The terms of what was seen: a language's common words come again and again, and stemming them is the cost.

    Faster than ``lru_cache``; once it is full it begins anew, and the common words are soon there again.
    """

    def __init__(self, terms_of: Callable[[str], tuple[str, ...]]) -> None:
        self._terms_of = terms_of

    def __missing__(self, seen: str) -> tuple[str, ...]:
        found = self._terms_of(seen)
        if len(seen) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[seen] = found
        return found


_RUNS, _TOKENS = _Remembered(_of_run), _Remembered(_of_token)
_MOST = 50_000
_LONGEST = 64
"""Of longer ones (encoded data) none comes again, and remembering them would take their room."""


@cache
def _tokens() -> re.Pattern[str]:
    """A word, with the joiners of identifiers and apostrophes inside, or a run of an unspaced script.

    Python's ``\\w`` leaves out the combining marks that spell the vowels of many scripts, so they are added.
    """
    marks = "".join(re.escape(chr(c)) for c in range(0x300, 0x10000) if unicodedata.category(chr(c)) in ("Mn", "Mc"))
    word = rf"(?:(?![{_UNSPACED}])[\w{marks}])+"
    return re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|(?P<word>{_joined(word)})")


def _joined(word: str) -> str:
    return rf"{word}(?:[-_./:@#+']{word})*"


_ASCII_TOKEN = re.compile(_joined(r"\w+"), re.ASCII)
"""What ``_tokens`` finds in ASCII text, four times as fast."""


def _grams(run: str, *, singles: bool) -> Iterator[str]:
    if singles or len(run) == 1:
        yield from run
    for i in range(len(run) - 1):
        yield run[i : i + 2]


def _compound(token: str) -> Iterator[str]:
    """A token that is more than one plain word: whole if it looks like a code, and each of its parts."""
    pieces = [part for part in _JOINER.split(token) if part]
    parts = [p for piece in pieces for p in ([piece] if piece.isdigit() else _INNER_BORDER.split(piece))]
    if len(parts) > 1 and (len(pieces) == 1 or not all(map(str.isalpha, pieces)) or "-" not in token):
        whole = _fold(token).strip("'")
        yield _stem(whole) if whole.isalpha() else whole
    for part in parts:
        if part.isdigit() and part.isascii():
            yield part
            continue
        folded = _fold(part)
        if len(parts) == 1 or len(folded) > 1 or folded.isdigit():
            yield from _word(folded)


def _word(word: str) -> Iterator[str]:
    """One case-folded word: its stem, unless it is a stop word. ``o'brien`` also counts as ``obrien``."""
    if "'" in word:
        word = _CONTRACTION.sub("", word.strip("'"))
        if "'" in word:
            yield word.replace("'", "")
            yield from (_stem(part) for part in word.split("'") if len(part) > 1 and part not in STOP_WORDS)
            return
    if word and word not in STOP_WORDS:
        yield _stem(word)


def _fold(token: str) -> str:
    token = token.casefold()
    if token.isascii():
        return token
    decomposed = unicodedata.normalize("NFD", token)
    kept = [c for c in decomposed if not "\u0300" <= c <= "\u036f" or c == "\u0306"]  # the breve makes и an й
    return unicodedata.normalize("NFC", "".join(kept))


def _stem(word: str) -> str:
    if word.isdigit():
        return word
    script = "LATIN" if word.isascii() else unicodedata.name(word[0], "").split(" ", 1)[0]
    language = _STEMMERS.get(script)
    return str(_stemmer(language).stemWord(word)) if language else word


def _stemmer(language: str) -> Stemmer.Stemmer:
    """A stemmer object may not be used by two threads at once, so that each thread has its own."""
    stemmers: dict[str, Stemmer.Stemmer] = _local.__dict__.setdefault("stemmers", {})
    if language not in stemmers:
        stemmers[language] = Stemmer.Stemmer(language)
    return stemmers[language]


class Passage(NamedTuple):
    """A part of a record that has a vector and lexical terms of its own."""

    text: str
    wording: str
    """What the encoder gets."""


def passages(record: Record, embedder: Embedder) -> list[Passage]:
    """The passages of a record, each in the wording for the encoder and within its window."""
    parts = split_passages(record.text, embedder, frame=wording(record, ""))
    return [Passage(part, wording(record, part)) for part in parts]


def wording(record: Record, passage: str | None = None) -> str:
    """How a turn, or a passage of it, is written for the encoder: ``Ann said: "..."`` where the speaker has a name."""
    text = record.text if passage is None else passage
    return f'{record.name} said: "{text}"' if record.name else text


def split_passages(text: str, embedder: Embedder, *, frame: str = "") -> list[str]:
    """Cut a text into passages that fit ``embedder.window`` tokens together with a ``frame`` put around each.

    An ordinary turn stays whole. Longer text is cut at paragraphs and sentences, a sentence too long between words, a
    word too long between characters. Nothing but white space at the cuts is lost. Takes time linear in the text.
    """
    room = max(embedder.window - embedder.count_tokens(frame), 8)
    if len(text.encode("utf-8", "replace")) <= room:
        return [text]  # a token has at least one byte
    target = min(TARGET_TOKENS, room)
    result: list[str] = []
    current, size = "", 0
    for piece, tokens in _pieces(text, embedder, target):
        if current.strip() and size + tokens > target:
            result.append(current.strip())
            current, size = "", 0
        current += piece
        size += tokens
    if current.strip():
        result.append(current.strip())
    return result or [text]


def _pieces(text: str, embedder: Embedder, target: int) -> Iterator[tuple[str, int]]:
    """Consecutive slices of the text with their token counts, none above ``target``."""
    marks = embedder.count_tokens("")  # what a model puts around every text
    bite = 8 * target
    start = 0
    for border in [match.end() for match in _SENTENCE.finditer(text)] + [len(text)]:
        # A long sentence is first bitten into parts, so that halving them takes linear time.
        waiting = [text[i : min(i + bite, border)] for i in reversed(range(start, border, bite))]
        start = border
        while waiting:
            part = waiting.pop()
            tokens = embedder.count_tokens(part) - marks
            if tokens <= target or len(part) == 1:
                yield part, tokens
            else:
                half = len(part) // 2
                cut = part.rfind(" ", half // 2, half) + 1 or half
                waiting += [part[cut:], part[:cut]]
