"""RuleExtractor: what a turn is read as, and what it must never be read as."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genome_core.facts.attributes import Attribute, AttributeTable
from genome_core.facts.extractor import RuleExtractor
from genome_core.facts.log import check
from genome_core.protocols import FactExtractor
from genome_core.types import Fact, FactKind, Record

SAID = datetime(2024, 5, 15, 12, tzinfo=UTC)


def read(text: str, *earlier: str, name: str = "Vera") -> list[Fact]:
    before = [Record(text=said, id=str(i), name=name, at=SAID) for i, said in enumerate(earlier)]
    return RuleExtractor().extract(Record(text=text, id="t", name=name, at=SAID), lambda: before)


def triples(text: str, *earlier: str) -> list[tuple[str, str, str | None]]:
    return [(fact.subject, fact.attribute, fact.value) for fact in read(text, *earlier)]


def only(text: str, *earlier: str) -> Fact:
    (fact,) = read(text, *earlier)
    return fact


def start(fact: Fact) -> str:
    assert fact.valid_from is not None
    return fact.valid_from.start.date().isoformat()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Tromsø", ("Vera", "home", "Tromsø")),
        ("Assistant baker since the 2nd!", ("Vera", "role", "Assistant baker")),
        ("As of today I'm the head gardener", ("Vera", "role", "head gardener")),
        ("That's me a welder since Monday", ("Vera", "role", "welder")),
        ("Olaf started with us as a trainee", ("Olaf", "role", "trainee")),
        ("I was a ship's cook from 2010 to 2014", ("Vera", "role", "ship's cook")),
        ("Ruth became a policewoman", ("Ruth", "role", "policewoman")),
        ("I've just finished my first shift at the sawmill", ("Vera", "employer", "sawmill")),
        ("Yesterday was my first day at the bakery", ("Vera", "employer", "bakery")),
        ("I was taken on full-time at Hexagon", ("Vera", "employer", "Hexagon")),
        ("I've sung alto in a quartet since 2010", ("Vera", "membership", "quartet")),
        ("We relocated to Nantes last autumn", ("Vera", "home", "Nantes")),
        ("We got the keys to a flat in Nantes", ("Vera", "home", "Nantes")),
        ("Pavel calls Nantes home", ("Pavel", "home", "Nantes")),
        ("Pavel works for Hexagon", ("Pavel", "employer", "Hexagon")),
        ("Hexagon hired Pavel in March", ("Pavel", "employer", "Hexagon")),
        ("Hexagon gave Pavel a job", ("Pavel", "employer", "Hexagon")),
        ("Pavel was hired by Hexagon in March", ("Pavel", "employer", "Hexagon")),
        ("Pavel jumped ship to Hexagon", ("Pavel", "employer", "Hexagon")),
        ("My sister Ola is a welder", ("Ola", "role", "welder")),
        ("Pavel got promoted to head of sales", ("Pavel", "role", "head of sales")),
        ("They made Pavel team lead", ("Pavel", "role", "team lead")),
        ("My brother bought a Yaris last week", ("Vera's brother", "car", "Yaris")),
        ("Traded my old van in for a Yaris", ("Vera", "car", "Yaris")),
        ("I switched gyms to Ironworks", ("Vera", "gym", "Ironworks")),
        ("I went vegan in January", ("Vera", "diet", "vegan")),
        ("Pavel is allergic to shellfish", ("Pavel", "allergy", "shellfish")),
        ("We adopted a beagle called Crumb", ("Vera", "pet", "Crumb the beagle")),
        ("We got a beagle. His name is Crumb", ("Vera", "pet", "Crumb the beagle")),
        ("Pavel got engaged on Saturday", ("Pavel", "relationship_status", "engaged")),
        ("I can't get enough of ramen", ("Vera", "favorite food", "ramen")),
        ("My favourite colour is teal", ("Vera", "favorite color", "teal")),
        ("I've taken up rowing", ("Vera", "hobby", "rowing")),
        ("I turned 40 last week", ("Vera", "age", "40")),
        ("The deadline for Apollo is 3 June", ("Apollo", "deadline", "3 June")),
        ("We pushed the Apollo deadline to 3 June", ("Apollo", "deadline", "3 June")),
        ("Apollo is on hold", ("Apollo", "status", "on hold")),
        ("Ola took over Apollo from Pavel", ("Apollo", "owner", "Ola")),
        ("Apollo costs 20 euros a month", ("Apollo", "price", "20 euros")),
        ("Our wifi password is tulip77", ("Vera", "wifi password", "tulip77")),
        ("im working at Hexagon now", ("Vera", "employer", "Hexagon")),
        ("Allergic to cashews, sorry", ("Vera", "allergy", "cashews")),
        ("I'm vegan, what should I cook?", ("Vera", "diet", "vegan")),
    ],
)
def test_a_plain_statement_becomes_a_fact(text: str, expected: tuple[str, str, str]) -> None:
    assert triples(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Ola moved to Nantes and joined Hexagon",
            [("Ola", "home", "Nantes"), ("Ola", "employer", "Hexagon")],
        ),
        ("I speak Welsh and Dutch", [("Vera", "language", "Welsh"), ("Vera", "language", "Dutch")]),
        ("Ola and Pavel live in Nantes", [("Ola", "home", "Nantes"), ("Pavel", "home", "Nantes")]),
        (
            "I joined Hexagon as a welder",
            [("Vera", "employer", "Hexagon"), ("Vera", "role", "welder")],
        ),
        (
            "My brother, who lives in York, got a dog",
            [("Vera's brother", "home", "York"), ("Vera's brother", "pet", "dog")],
        ),
    ],
)
def test_one_turn_can_say_several_things(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Should I move to Nantes?",
        "Pavel works at Hexagon, right?",
        "I want to move to Nantes",
        "I'm thinking about joining Hexagon",
        "If I moved to Nantes I'd buy a boat",
        "I'll start at Hexagon in June",
        "We're moving to Nantes in June",
        "I start at Hexagon next Monday",
        "I might go vegan",
        "Maybe Pavel lives in Nantes",
        "I wish I lived in Nantes",
        "Flew to Nantes for the weekend",
        "I have an interview at Hexagon",
        "I almost joined Hexagon",
        "I was going to buy the Yaris but it was gone",
        "In my dream I was married to a welder",
        '"I live in Nantes," said the man in the film',
        "I bought my mum a phone",
        "I have a dog to walk",
        "I played tennis yesterday",
        "I'm not a welder",
        "I joined the call",
        "We moved the meeting to Friday",
        "I left the party early",
    ],
)
def test_what_is_not_so_yields_no_fact(text: str) -> None:
    assert [fact for fact in read(text) if fact.kind is not FactKind.RETRACTION] == []


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("I quit Hexagon on Friday", "employer", "Hexagon"),
        ("Pavel no longer works at Hexagon", "employer", "Hexagon"),
        ("I used to work for Hexagon", "employer", "Hexagon"),
        ("I stopped working at Hexagon in May", "employer", "Hexagon"),
        ("Got laid off from Hexagon", "employer", "Hexagon"),
        ("I don't live in Nantes any more", "home", "Nantes"),
        ("I got rid of the Yaris", "car", "Yaris"),
        ("The Yaris is gone", "car", "Yaris"),
        ("I broke up with Pavel", "relationship_status", "Pavel"),
        ("I gave up smoking", "hobby", "smoking"),
        ("I'm not vegan anymore", "diet", "vegan"),
        ("I sold my car", "car", None),
    ],
)
def test_ends_are_ends(text: str, attribute: str, value: str | None) -> None:
    ends = [(fact.attribute, fact.value) for fact in read(text) if fact.kind is FactKind.END]
    assert (attribute, value) in ends
    assert all(fact.kind is FactKind.END for fact in read(text))


def test_what_did_not_come_is_retracted() -> None:
    assert only("I turned Hexagon down").kind is FactKind.RETRACTION
    assert only("Pavel never joined Hexagon").kind is FactKind.RETRACTION
    fact = only("We never moved after all", "We moved to Nantes")
    assert (fact.kind, fact.attribute, fact.value) == (FactKind.RETRACTION, "home", None)


def test_what_came_instead_of_a_retracted_value_is_asserted() -> None:
    first, second = read("Clara never joined Hexagon. She went to Octagon.")
    assert first.kind is FactKind.RETRACTION
    assert (second.kind, second.attribute, second.value) == (FactKind.ASSERTION, "employer", "Octagon")


def test_not_this_but_that_corrects_what_was_said() -> None:
    fact = only("Actually it's Bergen, not Oslo", "I live in Oslo")
    assert (fact.subject, fact.attribute, fact.value, fact.kind) == ("Vera", "home", "Bergen", FactKind.CORRECTION)
    assert (fact.source, fact.at) == ("t", SAID)


def test_not_this_but_that_about_nothing_said_before_is_no_fact() -> None:
    assert read("It's Bergen, not Oslo", "Lovely weather") == []


def test_scratch_that_takes_back_the_last_fact() -> None:
    fact = only("Scratch that", "I live in Oslo", "Nice weather")
    assert (fact.kind, fact.attribute, fact.value) == (FactKind.RETRACTION, "home", "Oslo")


def test_i_got_that_wrong_makes_corrections() -> None:
    assert only("I got that wrong, Ola moved to Nantes in May").kind is FactKind.CORRECTION


def test_a_date_is_when_an_event_made_it_so() -> None:
    assert start(only("I moved to Nantes in March 2023")) == "2023-03-01"
    assert start(only("In March 2023, I moved to Nantes")) == "2023-03-01"


def test_since_and_for_tell_when_a_state_began() -> None:
    assert start(only("I've lived in Nantes since 2019")) == "2019-01-01"
    assert start(only("I've been living in Nantes since I graduated in 2019")) == "2019-01-01"


def test_a_state_said_without_a_date_has_no_known_beginning() -> None:
    fact = only("I live in Nantes")
    assert (fact.valid_from, fact.valid_to) == (None, None)


def test_a_past_state_ends_where_its_words_say() -> None:
    fact = next(f for f in read("I lived in York from 2017 until 2019") if f.attribute == "home")
    assert fact.valid_to is not None
    assert (start(fact), fact.valid_to.start.year) == ("2017-01-01", 2019)


def test_a_clause_that_only_dates_dates_the_fact_before() -> None:
    assert start(only("Pavel's at Hexagon now, joined in March 2023")) == "2023-03-01"
    assert start(only("We've moved to Nantes! Arrived on 2 May 2024")) == "2024-05-02"


def test_a_past_tense_event_is_a_fact_even_when_dated_later() -> None:
    """Tense decides, not the date: some people note things ahead."""
    assert only("In February 2025, Pavel got a van").kind is FactKind.ASSERTION


def test_hearsay_keeps_its_believer_and_stays_below_the_threshold() -> None:
    (fact,) = read("Ola says Pavel moved to Nantes")
    assert (fact.subject, fact.believer) == ("Pavel", "Ola")
    assert fact.certainty < 0.5


def test_pronouns_mean_the_last_fitting_person() -> None:
    assert triples("She moved to Nantes", "How is Clara?") == [("Clara", "home", "Nantes")]
    assert triples("She moved to Nantes", "How are Clara and Olivia?")[:1] != [("Vera", "home", "Nantes")]
    assert triples("He moved to Nantes", "How is Clara?") == []


def test_the_context_is_asked_for_only_where_the_words_need_it() -> None:
    def context() -> Sequence[Record]:
        raise AssertionError("not needed")

    assert RuleExtractor().extract(Record(text="I live in Nantes", name="Vera", at=SAID), context)


def test_the_speaker_is_the_name_or_the_role() -> None:
    turn = Record(text="I live in Nantes", id="t", at=SAID)
    assert RuleExtractor().extract(turn, tuple)[0].subject == "user"


def test_facts_point_at_the_words_of_their_turn() -> None:
    text = "Lovely day. I moved to Nantes in March."
    fact = only(text)
    assert fact.span is not None
    assert "moved to Nantes" in text[slice(*fact.span)]
    assert (fact.source, fact.at, fact.extractor) == ("t", SAID, RuleExtractor().version)


def test_declared_names_are_the_canonical_ones() -> None:
    table = AttributeTable().declare(Attribute("badge colour", aliases=("badge",)))
    turn = Record(text="My badge is Crimson", name="Vera", at=SAID)
    assert RuleExtractor(table).extract(turn, tuple)[0].attribute == "badge colour"


def test_it_is_a_fact_extractor() -> None:
    assert isinstance(RuleExtractor(), FactExtractor)


@given(st.text(max_size=120))
def test_any_text_is_read_without_error(text: str) -> None:
    for fact in read(text):
        check(fact)


_WORDS = "I we Ola she moved to in at the a Hexagon Nantes quit joined not 's been since 2019 my dog sister if and , . ? \" sold it".split()


@given(st.lists(st.sampled_from(_WORDS), max_size=14).map(" ".join))
def test_any_jumble_of_words_gives_facts_that_the_log_takes(text: str) -> None:
    facts = read(text, "Ola moved to Oslo")
    for fact in facts:
        check(fact)
        assert fact.span is not None
        assert 0 <= fact.span[0] <= fact.span[1] <= len(text)
    assert facts == read(text, "Ola moved to Oslo")


def test_the_same_turn_gives_the_same_facts_under_any_hash_seed() -> None:
    code = (
        "from datetime import UTC, datetime\n"
        "from genome_core.facts.extractor import RuleExtractor\n"
        "from genome_core.types import Record\n"
        "t = 'Ola and Pavel moved to Nantes in May, she joined Hexagon as a welder and sold the Yaris'\n"
        "r = Record(text=t, id='t', name='Vera', at=datetime(2024, 5, 15, tzinfo=UTC))\n"
        "print(RuleExtractor().extract(r, tuple))\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(runs) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Been with Acorn since May", ("Vera", "employer", "Acorn")),
        ("The new flat is in Leith", ("Vera", "home", "Leith")),
        ("Our Mia turned 3", ("Mia", "age", "3")),
        ("I can't do gluten anymore", ("Vera", "allergy", "gluten")),
        ("Nothing beats ramen", ("Vera", "favorite food", "ramen")),
        ("Dan has taken over payroll", ("payroll", "owner", "Dan")),
        ("We bumped the Pro tier to 24 euros", ("Pro", "price", "24 euros")),
        ("Harbour has slipped to 3 June", ("Harbour", "deadline", "3 June")),
        ("My email's vera@example.org now", ("Vera", "email", "vera@example.org")),
        ("We bought a camper van", ("Vera", "car", "camper van")),
        ("My favourite food is goulash wherever I am", ("Vera", "favorite food", "goulash")),
        ("Really into pottery these days", ("Vera", "hobby", "pottery")),
        ("Officially single", ("Vera", "relationship_status", "single")),
        ("I am working in Hexagon since 2020", ("Vera", "employer", "Hexagon")),
        ("I cannae have soy", ("Vera", "allergy", "soy")),
        ("I've had no news lol i work at Hexagon now", ("Vera", "employer", "Hexagon")),
        ("got a car. A Yaris, blue.", ("Vera", "car", "Yaris")),
        ("My brother, a dentist, called", ("Vera's brother", "role", "dentist")),
    ],
)
def test_free_wording_becomes_a_fact(text: str, expected: tuple[str, str, str]) -> None:
    assert triples(text) == [expected]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("I have two brothers, Tom and Ned", ["Tom", "Ned"]),
        ("My kids are Ned and Lottie", ["Ned", "Lottie"]),
        ("We have two cats, Soot and Crumb", ["Soot", "Crumb"]),
        ("I know Kannada, Hindi and a bit of Telugu", ["Kannada", "Hindi", "Telugu"]),
        ("Traded the Golf for a Yaris", ["Yaris", "Golf"]),
    ],
)
def test_every_value_of_a_list_is_read(text: str, values: list[str]) -> None:
    assert [value for _, _, value in triples(text)] == values


@pytest.mark.parametrize(
    "text",
    [
        "We signed for a house in Hove, moving on December 1st",
        "I'm their nurse from June 2nd",
        "New job! Starting at Acorn on Monday",
        "I can't have dogs in this flat",
        "No more questions please",
        "Been in meetings for hours now",
        "I see Tom every day",
        "I left Dan in charge",
        "The new house is in a mess",
        "My commute to Leith is long",
        "Ola is no fan of mine, the cook said",
    ],
)
def test_free_wording_that_says_nothing_lasting_gives_no_fact(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize("text", ["*Bergen", "Bergen*", "sorry, I meant Bergen", "I meant Bergen, not Oslo"])
def test_a_word_put_right_corrects_what_was_said_last(text: str) -> None:
    fact = only(text, "I live in Oslo")
    assert (fact.kind, fact.attribute, fact.value) == (FactKind.CORRECTION, "home", "Bergen")


@pytest.mark.parametrize("text", ["*sigh*", "I meant well", "I meant the other one"])
def test_no_value_of_the_same_kind_corrects_nothing(text: str) -> None:
    assert read(text, "I live in Oslo") == []


@pytest.mark.parametrize("text", ["3.0 shipped on Tuesday", "We rolled 3.0 out", "Everyone's back on 3.0"])
def test_a_bare_version_is_that_of_the_thing_spoken_of_before(text: str) -> None:
    assert triples(text, "Apollo is on hold") == [("Apollo", "version", "3.0")]
    assert triples(text) == []


def test_a_bare_deadline_is_that_of_the_thing_spoken_of_before() -> None:
    assert triples("Deadline's now the 14th", "Apollo is on hold") == [("Apollo", "deadline", "14th")]


def test_an_assistant_is_not_read_as_speaking_of_somebody_called_you() -> None:
    said = Record(text="You live in Lisbon.", id="t", role="assistant", at=SAID)
    assert RuleExtractor().extract(said, tuple) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I no longer drink", "drinking"),
        ("Haven't smoked since May", "smoking"),
        ("Crochet is history", "Crochet"),
        ("I'm off the booze", "booze"),
    ],
)
def test_what_was_given_up_ends(text: str, value: str) -> None:
    fact = only(text)
    assert (fact.kind, fact.value) == (FactKind.END, value)


def test_what_held_for_all_of_a_time_ends_with_it() -> None:
    fact = only("I lived in Leith all of 2019")
    assert fact.valid_to is not None
    assert fact.valid_to.start.date().isoformat() == "2020-01-01"


@pytest.mark.parametrize(
    ("text", "homes"),
    [
        ("We left Oslo for Bergen.", ["Bergen"]),
        ("Tom left his wife for Anna.", []),
        ("I left Acme for Hexagon last month.", []),
        ("Yusra left the BBC for Channel 4.", []),
    ],
)
def test_leaving_one_for_another_is_a_move_only_between_places(text: str, homes: list[str]) -> None:
    turn = Record(text=text, id="1", name="Sam", at=datetime(2024, 5, 1, tzinfo=UTC))
    found = RuleExtractor().extract(turn, list)
    assert [f.value for f in found if f.attribute == "home" and f.kind is FactKind.ASSERTION] == homes
