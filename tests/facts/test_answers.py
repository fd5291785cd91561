"""Answers: facts and sentences on one time axis, and what is given where no value is sure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from genome_core.facts.answers import Answer, Rests, answer
from genome_core.facts.candidates import Told
from genome_core.facts.questions import read_question
from genome_core.facts.sentences import read_sentences
from genome_core.types import Fact, FactKind, Precision, Record, TimeSpan

NOW = datetime(2024, 6, 1, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def on(text: str) -> TimeSpan:
    start = day(text)
    return TimeSpan(start, start + timedelta(1), Precision.DAY)


def fact(attribute: str, value: str | None, since: str | None, **more: object) -> Fact:
    return Fact(
        subject="Ann",
        attribute=attribute,
        value=value,
        valid_from=on(since) if since else None,
        at=day("2024-05-01"),
        recorded_at=day("2024-05-01"),
        **more,  # type: ignore[arg-type]
    )


def told(*turns: tuple[str, str, str]) -> list[Told]:
    """Typed sentences of turns given as (date, speaker, text)."""
    records = [Record(id=f"t{i}", text=text, name=who, at=day(date)) for i, (date, who, text) in enumerate(turns)]
    return [Told(sentence, record) for record in records for sentence in read_sentences(record)]


def ask(question: str, facts: Sequence[Fact] = (), sentences: Sequence[Told] = (), **options: object) -> Answer:
    read = read_question(question, NOW, ["Ann", "Bob"])
    return answer(read, facts, sentences, people=["Ann", "Bob"], **options)  # type: ignore[arg-type]


HOMES = [fact("home", "York", "2019-09-01"), fact("home", "Leeds", "2022-02-04"), fact("home", "Oslo", "2023-10-01")]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Where does Ann live?", "Oslo"),
        ("Where did Ann live in March 2022?", "Leeds"),
        ("Where did Ann live in 2022?", "Leeds"),
        ("Where did Ann live before Leeds?", "York"),
        ("Where did Ann live after York?", "Leeds"),
        ("Where did Ann live before February 2022?", "York"),
        ("What was Ann's first home?", "York"),
        ("What was Ann's previous home?", "Leeds"),
        ("When did Ann move to Leeds?", "4 February 2022"),
        ("How long did Ann live in Leeds?", "1 year and 7 months"),
        ("How many cities has Ann lived in?", "3"),
        ("Does Ann live in Leeds?", "no"),
        ("Does Ann live in Oslo?", "yes"),
        ("Has Ann ever lived in York?", "yes"),
        ("Where did Ann live in 2018?", None),
        ("Has Ann ever lived in Paris?", None),
        ("Where does Bob live?", None),
    ],
)
def test_facts_answer_every_kind_of_question(question: str, value: str | None) -> None:
    found = ask(question, HOMES)
    assert found.value == value
    assert found.unknown == (value is None)


def test_a_list_has_all_values_in_order() -> None:
    found = ask("List every city Ann has lived in, in order.", HOMES[::-1])
    assert found.values == ("York", "Leeds", "Oslo")
    assert found.value == "York, Leeds and Oslo"
    assert found.rests is Rests.FACTS


def test_several_values_at_a_time_are_given_together() -> None:
    facts = [fact("language", "French", "2020-01-01"), fact("language", "German", "2021-01-01")]
    assert ask("What languages does Ann speak?", facts).values == ("French", "German")
    assert ask("Does Ann speak German?", facts).value == "yes"
    assert ask("Does Ann speak Dutch?", facts).value is None


def test_an_ended_value_is_known_to_be_none_and_not_unknown() -> None:
    facts = [fact("car", "Golf", "2022-03-31"), fact("car", "Golf", "2022-10-01", kind=FactKind.END)]
    found = ask("What car does Ann drive?", facts)
    assert (found.value, found.unknown) == (None, False)
    assert ask("Does Ann still have the Golf?", facts).value == "no"


def test_a_denied_value_gives_no_and_a_trace_of_nothing_gives_unknown() -> None:
    facts = [fact("employer", "Spotify", None, kind=FactKind.RETRACTION, source="t0")]
    assert ask("Did Ann ever work at Spotify?", facts).value == "no"
    assert ask("Did Ann ever work at Acme?", facts).unknown


def test_what_began_at_an_unknown_time_is_evidence_for_earlier() -> None:
    sentences = told(("2024-05-01", "Ann", "I live in Ghent."))
    facts = [fact("home", "Ghent", None, source="t0", span=(0, 16))]
    assert ask("Where does Ann live?", facts, sentences).value == "Ghent"
    earlier = ask("Where did Ann live in 2018?", facts, sentences)
    assert (earlier.value, earlier.unknown) == (None, True)
    assert [e.text for e in earlier.evidence] == ["I live in Ghent."]


def test_a_sentence_that_no_rule_read_gives_its_value() -> None:
    sentences = told(("2023-12-01", "Bob", "Ann has been living in Lisbon since October 2023."))
    found = ask("Where does Ann live?", HOMES[:2], sentences)
    assert (found.value, found.rests) == ("Lisbon", Rests.SENTENCES)
    assert found.evidence[0].source == "t0"
    assert found.evidence[0].when is not None
    assert ask("Where did Ann live in March 2023?", HOMES[:2], sentences).value == "Leeds"


@pytest.mark.parametrize(
    "text",
    [
        "Ann might move to Lisbon.",
        "Ann will move to Lisbon in October.",
        "Would Ann move to Lisbon?",
        "If Ann moves to Lisbon, I will cry.",
        "Rumour has it Ann moved to Lisbon in October 2023.",
        "Ann never moved to Lisbon.",
        "Bob moved to Lisbon in October 2023.",
        "Ann's sister moved to Lisbon in October 2023.",
        "Ann flew to Lisbon for a conference in October 2023.",
    ],
)
def test_what_is_not_stated_of_the_subject_changes_nothing(text: str) -> None:
    found = ask("Where does Ann live?", HOMES[:2], told(("2023-12-01", "Bob", text)))
    assert (found.value, found.rests) == ("Leeds", Rests.FACTS)


def test_the_same_question_at_another_known_time() -> None:
    late = Fact(
        subject="Ann",
        attribute="home",
        value="Rome",
        valid_from=on("2024-01-01"),
        at=day("2024-05-20"),
        recorded_at=day("2024-05-20"),
    )
    assert ask("Where does Ann live?", [*HOMES, late]).value == "Rome"
    assert ask("Where does Ann live?", [*HOMES, late], known_at=day("2024-05-10")).value == "Oslo"


def test_the_order_of_facts_and_sentences_never_matters() -> None:
    sentences = told(
        ("2023-12-01", "Bob", "Ann has been living in Lisbon since October 2023."),
        ("2024-02-01", "Bob", "Ann has been living in Porto since January 2024."),
    )
    for question in ("Where does Ann live?", "List every city Ann has lived in, in order."):
        assert ask(question, HOMES, sentences) == ask(question, HOMES[::-1], sentences[::-1])
