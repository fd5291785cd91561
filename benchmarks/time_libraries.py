"""GENOME's grammar of time side by side with the date libraries of PyPI.

    python benchmarks/time_libraries.py DIR/26.json DIR/30.json ... [--show]

Each file is a LoCoMo conversation: ``turns`` with ``id``, ``at`` and ``text``, and ``questions`` with ``answer``,
``category`` and ``evidence``. Of the temporal questions those count whose gold is a date ("7 May 2023", "the week
before 9 June 2023", "2022"). Every reader sees the evidence turns alone and their own times. A question is right if
one of the times read overlaps the gold and is at most twice as wide; a turn in which nothing is read counts as its own
day. The second figure counts phrases without any date in which a reader sees one.

Libraries that are not installed are said to be so: ``pip install dateparser parsedatetime recognizers-text-suite``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from genome_core.facts.time import find_times
from genome_core.types import Precision

Span = tuple[datetime, datetime]
Reader = Callable[[str, datetime], list[Span]]
DAY = timedelta(days=1)
MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}
NO_DATE = Path(__file__).parent.parent / "tests" / "facts" / "no_dates.txt"

_MONTH = f"(?:{'|'.join(name[:3] for name in MONTHS)})[a-z]*"
_DATE = re.compile(
    rf"(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s*)?(?P<m>{_MONTH})[\s,.]*(?:(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)[\s,]*)?"
    r"(?P<y>\d{4})|(?P<only>(?<!\d)(?:19|20)\d\d(?!\d))",
    re.IGNORECASE,
)
_DAY_AND_MONTH = re.compile(rf"\d{{1,2}} (?:{_MONTH})|(?:{_MONTH}) \d{{1,2}}", re.IGNORECASE)
_OFFSET = re.compile(
    rf"(?P<n>one|two|three|four)?\s*(?P<unit>days?|weeks?|weekends?|{'|'.join(WEEKDAYS)})\s+(?P<side>before|after|of)",
    re.IGNORECASE,
)
_NOT_ONLY_A_DATE = re.compile(r"\b(and|between)\b|;", re.IGNORECASE)


# The gold, parsed by itself so that no reader marks its own work


def gold_span(answer: str, said_at: datetime) -> Span | None:
    """The stretch that a gold answer names, or None where it is not one date; a missing year is that of the turn."""
    if _DAY_AND_MONTH.fullmatch(answer.strip()):
        answer = f"{answer.strip()} {said_at.year}"
    dates = list(_DATE.finditer(answer))
    if len(dates) != 1 or len(answer) > 60 or _NOT_ONLY_A_DATE.search(answer):
        return None
    found = dates[0]
    start, end = _plain(found)
    before = answer[: found.start()].lower()
    if re.search(r"\d", before):  # a slip of the annotator, such as "3` July 2023"
        return None
    if offset := _OFFSET.search(before):
        return _before(start, end, offset)
    if "summer" in before:
        return datetime(start.year, 6, 1, tzinfo=UTC), datetime(start.year, 9, 1, tzinfo=UTC)
    return start, end


def _plain(found: re.Match[str]) -> Span:
    if found["only"]:
        year = int(found["only"])
        return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    year, month = (
        int(found["y"]),
        1 + next(n for n, name in enumerate(MONTHS) if found["m"].lower().startswith(name[:3])),
    )
    if day := found["d"] or found["d2"]:
        start = datetime(year, month, int(day), tzinfo=UTC)
        return start, start + DAY
    return datetime(year, month, 1, tzinfo=UTC), datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)


def _before(start: datetime, end: datetime, offset: re.Match[str]) -> Span:
    """ "The week before", "two weekends before", "the Friday before" a date; "the weekend of" or "after" it."""
    unit, side = offset["unit"].lower(), offset["side"].lower()
    count = COUNTS[(offset["n"] or "one").lower()]
    if unit in WEEKDAYS:
        back = (start.weekday() - WEEKDAYS.index(unit) - 1) % 7 + 1
        return start - back * DAY, start - (back - 1) * DAY
    unit = unit.rstrip("s")
    if side != "before":
        first = end if side == "after" else start
        if unit == "weekend":
            saturday = first + (5 - first.weekday()) % 7 * DAY
            return saturday, saturday + 2 * DAY
        monday = first - first.weekday() * DAY if side == "of" else first
        return monday, monday + 7 * DAY
    if unit == "weekend":
        back = (start.weekday() - 6) % 7 or 7
        sunday = start - back * DAY - 7 * (count - 1) * DAY
        return sunday - DAY, sunday + DAY
    days = count if unit == "day" else 7 * count
    return start - days * DAY, start - (days - (1 if unit == "day" else 7)) * DAY


def agrees(read: Span, gold: Span) -> bool:
    """They overlap, and what was read is at most twice as wide as the gold."""
    start, end = read
    end = max(end, start + timedelta(microseconds=1))
    return start < gold[1] and gold[0] < end and end - start <= 2 * (gold[1] - gold[0])


# The readers


def genome(text: str, said_at: datetime) -> list[Span]:
    """Vague times ("recently", "a few years ago") resolve nothing."""
    spans = []
    for mention in find_times(text, said_at):
        found = mention.start or mention.end
        if found is not None and found.precision is not Precision.UNKNOWN:
            spans.append((found.start, found.end))
    return spans


def dateparser_reader() -> Reader:
    search = importlib.import_module("dateparser.search")

    def read(text: str, said_at: datetime) -> list[Span]:
        settings = {"RELATIVE_BASE": said_at.replace(tzinfo=None), "PREFER_DATES_FROM": "past"}
        found = search.search_dates(text, languages=["en"], settings=settings) or []
        return [_day_of(moment) for _, moment in found]

    return read


def parsedatetime_reader() -> Reader:
    calendar = importlib.import_module("parsedatetime").Calendar()

    def read(text: str, said_at: datetime) -> list[Span]:
        found = calendar.nlp(text, sourceTime=said_at.replace(tzinfo=None)) or []
        return [_day_of(moment) for moment, *_ in found]

    return read


def recognizers_reader() -> Reader:
    recognizers = importlib.import_module("recognizers_date_time")

    def read(text: str, said_at: datetime) -> list[Span]:
        spans = []
        for found in recognizers.recognize_datetime(text, "en-us", reference=said_at.replace(tzinfo=None)):
            values = (found.resolution or {}).get("values") or []
            past = [span for value in values if (span := _recognized(value)) and span[0] <= said_at]
            spans += past[-1:] or [span for value in values[:1] if (span := _recognized(value))]
        return spans

    return read


def _recognized(value: dict[str, str]) -> Span | None:
    """One resolution: ``value``, or ``start`` and ``end``, in ISO form."""
    try:
        if "start" in value:
            start = datetime.fromisoformat(value["start"]).replace(tzinfo=UTC)
            return start, datetime.fromisoformat(value.get("end", value["start"])).replace(tzinfo=UTC)
        return _day_of(datetime.fromisoformat(value["value"])) if "value" in value else None
    except ValueError:  # a duration in seconds, or a time of day
        return None


def _day_of(moment: datetime) -> Span:
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=UTC)
    return start, start + DAY


LIBRARIES: dict[str, Callable[[], Reader]] = {
    "genome": lambda: genome,
    "dateparser": dateparser_reader,
    "parsedatetime": parsedatetime_reader,
    "recognizers-text": recognizers_reader,
}


# The measurement


def questions(path: Path) -> Iterator[tuple[str, str, Span, list[tuple[str, datetime]]]]:
    """Question, gold and the evidence turns with their times."""
    conversation = json.loads(path.read_text())
    turns = {turn["id"]: turn for turn in conversation["turns"]}
    for question in conversation["questions"]:
        evidence = [turns[name] for name in question["evidence"] if name in turns]
        if question["category"] != "temporal" or not evidence:
            continue
        said = [(t["text"], datetime.fromisoformat(t["at"]).replace(tzinfo=UTC)) for t in evidence]
        if gold := gold_span(str(question["answer"]), said[0][1]):
            yield question["question"], str(question["answer"]), gold, said


def answers(read: Reader, evidence: list[tuple[str, datetime]]) -> list[Span]:
    spans = []
    for text, said_at in evidence:
        spans += read(text, said_at) or [_day_of(said_at)]
    return spans


def measure(name: str, read: Reader, files: list[Path], phrases: list[str], show: bool) -> None:
    row, all_right, all_count = [], 0, 0
    for path in files:
        right = count = 0
        for question, answer, gold, evidence in questions(path):
            found = answers(read, evidence)
            count += 1
            right += any(agrees(span, gold) for span in found)
            if show and not any(agrees(span, gold) for span in found):
                print(f"  {path.stem} | {question} | {answer} | {[f'{a:%F}..{b:%F}' for a, b in found]}")
        row.append(f"{path.stem}: {right / count:.3f} ({right}/{count})")
        all_right, all_count = all_right + right, all_count + count
    said_at = datetime(2023, 8, 11, 14, 30, tzinfo=UTC)
    seen = [phrase for phrase in phrases if read(phrase, said_at)]
    if show:
        print("".join(f"  false: {phrase}\n" for phrase in seen), end="")
    turns = [(text, at) for path in files for *_, evidence in questions(path) for text, at in evidence]
    start = time.perf_counter()
    for text, at in turns:
        read(text, at)
    milliseconds = 1e3 * (time.perf_counter() - start) / len(turns)
    overall = f"{all_right / all_count:.3f}"
    print(
        f"{name:18s} right {overall}  [{'  '.join(row)}]  false {len(seen)}/{len(phrases)}  {milliseconds:.2f} ms a turn"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--only", choices=LIBRARIES, help="measure one reader")
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    arguments = parser.parse_args()
    phrases = [line for line in NO_DATE.read_text().splitlines() if line and not line.startswith("#")]
    warnings.simplefilter("ignore")  # the libraries warn about their own deprecations
    for name, load in LIBRARIES.items():
        if arguments.only in (None, name):
            try:
                read = load()
            except ImportError:
                print(f"{name:18s} not installed")
                continue
            measure(name, read, arguments.files, phrases, arguments.show)


if __name__ == "__main__":
    main()
