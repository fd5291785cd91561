"""How many: "two", "a few", "2-3", "a year and a half"; and counting that many units back or ahead."""

from __future__ import annotations

import re
from datetime import datetime

from genome_core.facts.time.lexicon import NUMBERS, ORDINALS, TENS, VAGUE
from genome_core.facts.time.stretch import Stretch, Unit, around, day, shift
from genome_core.types import Precision

_DIGITS = re.compile(r"\d+(?:\.\d+)?")


def number(word: str) -> float:
    """The value of a number in digits (with or without "th"), or of a cardinal or ordinal in one word; ValueError for any other word."""
    if word in NUMBERS:
        return NUMBERS[word]
    if word in TENS:
        return TENS[word]
    if found := _DIGITS.match(word):
        return float(found[0])
    if word in ORDINALS:
        return ORDINALS[word]
    raise ValueError(f"not a number: {word!r}")


def integer(word: str) -> int:
    return int(number(word))


def amount(words: list[str]) -> tuple[float, float]:
    """The least and the greatest number that the words of an ``{amount}`` may mean."""
    for word in words:
        if word in VAGUE:
            return VAGUE[word]
    half = 0.5 if "half" in words else 0.0
    values: list[float] = []
    for word in words:
        if len(parts := re.findall(r"\d+", word)) == 2 and "." not in word:
            return int(parts[0]), int(parts[1])
        if word in NUMBERS or word in TENS or _DIGITS.match(word):
            values.append(number(word))
    if "or" in words or "to" in words:
        return values[0], values[-1]
    if half and words[-1] in ("a", "an", "half"):  # "half a year", "two and a half"
        values = values[:-1]
    if "hundred" in words:
        total = values[0] * 100
    elif any(word in TENS for word in words):
        total = sum(values)
    elif len(values) == 2:  # "two - three": a dash between two numbers
        return values[0], values[1]
    else:
        total = sum(values)
    return total + half, total + half


def away(now: datetime, words: list[str], unit: Unit, sign: int) -> Stretch:
    """The stretch that lies an ``{amount}`` of units before (``sign`` -1) or after ``now``.

    A whole number gives the calendar unit in which that day lies, a fraction half a unit around it, a vague or double
    number all from the least to the greatest, of unknown precision.
    """
    low, high = amount(words)
    if low != high:
        ends = [around(shift(now, unit, sign * count), unit) for count in (low, high)]
        return Stretch(min(s.start for s in ends), max(s.end for s in ends), Precision.UNKNOWN)
    middle = shift(now, unit, sign * low)
    if low == int(low):
        return around(middle, unit)
    if unit.precision is Precision.DAY:
        return day(middle)
    return Stretch(day(shift(middle, unit, -0.25)).start, day(shift(middle, unit, 0.25)).end, unit.precision)
