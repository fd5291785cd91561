"""Reading questions: who, what, when, and which kind of answer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from genome_core.errors import InvalidInput
from genome_core.facts.questions import Mode, Question, Relation, read_question

NOW = datetime(2024, 5, 1, tzinfo=UTC)
NAMES = ["Ann", "Bob", "Mary Ann", "Zoë"]


def read(text: str, **options: object) -> Question:
    return read_question(text, NOW, NAMES, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "mode", "attribute"),
    [
        ("Where does Ann live now?", Mode.VALUE, "home"),
        ("What is Ann's current employer?", Mode.VALUE, "employer"),
        ("Who does Ann work for these days?", Mode.VALUE, "employer"),
        ("what does ann do for a living", Mode.VALUE, "role"),
        ("What was Ann driving in July 2022?", Mode.VALUE, "car"),
        ("Who was Ann dating in June 2022?", Mode.VALUE, "partner"),
        ("What is Ann's favourite food?", Mode.VALUE, "favorite food"),
        ("What languages does Ann speak?", Mode.VALUE, "language"),
        ("What is Ann's wifi password?", Mode.VALUE, "wifi password"),
        ("List every job Ann has had, in order.", Mode.HISTORY, "role"),
        ("Which places has Ann lived in over the years?", Mode.HISTORY, "home"),
        ("What was Ann's first car?", Mode.FIRST, "car"),
        ("What was Ann's previous employer?", Mode.PREVIOUS, "employer"),
        ("When did Ann get married?", Mode.WHEN, "relationship_status"),
        ("Since when has Ann lived in Oslo?", Mode.WHEN, "home"),
        ("When is Ann's deadline?", Mode.VALUE, "deadline"),
        ("How long has Ann lived in Oslo?", Mode.HOW_LONG, "home"),
        ("How many pets does Ann have?", Mode.HOW_MANY, "pet"),
        ("Is Ann single?", Mode.WHETHER, "relationship_status"),
        ("Did Ann ever work at Spotify?", Mode.EVER, "employer"),
    ],
)
def test_the_kind_of_answer_and_the_attribute(text: str, mode: Mode, attribute: str) -> None:
    question = read(text)
    assert (question.mode, question.attribute, question.subject) == (mode, attribute, "Ann")


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("Which day does Ann have yoga?", Mode.VALUE),
        ("On which day is Ann's yoga class now?", Mode.VALUE),
        ("On which day was Ann's yoga class in March 2023?", Mode.VALUE),
        ("Which day is Ann's wedding?", Mode.WHEN),
        ("On which day was Ann hired?", Mode.WHEN),
    ],
)
def test_a_day_of_the_week_is_no_date(text: str, mode: Mode) -> None:
    assert read(text).mode is mode


def test_the_longest_known_name_is_meant() -> None:
    assert read("Where does Mary Ann live?").subject == "Mary Ann"


def test_a_relation_of_somebody_is_somebody_else() -> None:
    assert read("What is Ann's brother's job?").subject == "Ann's brother"
    assert read("What pets do Ann's parents have?").subject == "Ann's parents"
    brother = read("Who is Ann's brother?")
    assert (brother.subject, brother.attribute) == ("Ann", "siblings")


def test_i_is_whoever_asks() -> None:
    assert read("Where do I live?", asker="Bob").subject == "Bob"
    assert read("What is my sister's job?", asker="Bob").subject == "Bob's sister"
    assert read("Where do I live?").subject is None


def test_a_name_that_nobody_knows_is_still_a_name() -> None:
    assert read("What car does Kiran have?").subject == "Kiran"


def test_now_is_given_and_times_are_resolved_against_it() -> None:
    question = read("Where does Ann live now?")
    assert not question.dated
    assert (question.when.start, question.when.end) == (NOW, NOW)
    last_year = read("Where did Ann live last year?")
    assert last_year.dated
    assert (last_year.when.start.year, last_year.when.end.year) == (2023, 2024)


def test_before_and_after_a_time_or_a_value() -> None:
    dated = read("Where did Ann live before March 2023?")
    assert (dated.relation, dated.anchor) == (Relation.BEFORE, None)
    assert dated.when.start == datetime(2023, 3, 1, tzinfo=UTC)
    valued = read("Who did Ann work for after leaving Acme?")
    assert (valued.relation, valued.anchor) == (Relation.AFTER, "Acme")


def test_between_two_times_is_the_stretch() -> None:
    question = read("Where did Ann live between 2019 and 2021?")
    assert (question.when.start.year, question.when.end.year) == (2019, 2022)


def test_likeness_is_asked_only_where_no_word_tells() -> None:
    asked: list[str] = []

    def likeness(text: str) -> dict[str, float]:
        asked.append(text)
        return {"home": 0.6, "car": 0.2}

    assert read("Where does Ann live?", likeness=likeness).attribute == "home"
    assert asked == []
    assert read("Whereabouts can Ann be found?", likeness=likeness).attribute == "home"
    assert len(asked) == 1


@pytest.mark.parametrize(("text", "now"), [("  ", NOW), ("Where?", NOW.replace(tzinfo=None))])
def test_what_can_not_be_read_is_refused(text: str, now: datetime) -> None:
    with pytest.raises(InvalidInput):
        read_question(text, now)
