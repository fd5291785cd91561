"""What sounds like a lasting fact and is none, and whose it is where no word says so."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from genome_core.facts.extractor import RuleExtractor
from genome_core.types import Fact, FactKind, Record

SAID = datetime(2024, 5, 15, 12, tzinfo=UTC)


def read(text: str, *earlier: str) -> list[Fact]:
    before = [Record(text=said, id=str(i), name="Ole", at=SAID) for i, said in enumerate(earlier)]
    return RuleExtractor().extract(Record(text=text, id="t", name="Vera", at=SAID), lambda: before)


def triples(text: str, *earlier: str) -> list[tuple[str, str, str | None]]:
    return [(fact.subject, fact.attribute, fact.value) for fact in read(text, *earlier)]


@pytest.mark.parametrize(
    "text",
    [
        "Ruth has a glow. Dating someone since March.",
        "The Fiesta gave up last week, so Ruth cycles.",
        "Nothing beats curry in Ruth's house.",
        "Ruth was over the moon when they made it official.",
    ],
)
def test_what_may_be_somebody_elses_is_not_the_speakers(text: str) -> None:
    assert [fact for fact in read(text) if fact.subject == "Vera"] == []


def test_without_somebody_else_what_has_no_subject_is_the_speakers() -> None:
    assert triples("Got a kitten called Bo in March, she bites.") == [("Vera", "pet", "Bo the kitten")]
    assert triples("The Fiesta gave up last week.") == [("Vera", "car", "Fiesta")]


@pytest.mark.parametrize(
    ("text", "earlier", "subject"),
    [
        ("Ruth's old van broke down, so she drives a Polo now.", "Hilde is in town.", "Ruth"),
        ("In October Ruth came back, she lives in Hove now.", "Hilde is in town.", "Ruth"),
        ("She has moved to Hove, Hilde.", "Ruth rang.", "Ruth"),
        ("Thanks, Hilde! She has moved to Hove.", "Ruth rang.", "Ruth"),
        ("There is nobody in Ruth's life, she's single.", "Hilde is in town.", "Ruth"),
    ],
)
def test_who_is_only_addressed_is_not_meant_and_an_owner_is(text: str, earlier: str, subject: str) -> None:
    assert {fact.subject for fact in read(text, earlier)} == {subject}


@pytest.mark.parametrize(
    "text",
    [
        "We had to say goodbye to Fred.",
        "The rehearsals are going well.",
        "I did the flyers for the choir fair.",
        "Got on with Dev like a house on fire.",
        "Got an offer from Hexagon.",
        "Took a job in Ullapool for the summer.",
        "I'm at the hospital now.",
        "Lou moved in on the 1st.",
        "Choir practice moved to Thursdays.",
        "My car is in the garage.",
        "My course is in Hackney.",
        "Training is cancelled.",
    ],
)
def test_a_name_or_a_place_alone_tells_no_attribute(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I'm going out with Tom and Priti tonight.",
        "I'm driving a Mini this week.",
        "I'm in Glasgow for the rugby until Monday.",
        "Left the gym early.",
        "Tried hot yoga on Sunday.",
        "Went vegan, lasted a week.",
        "Got a Pixel on loan.",
        "I'm basically a monk.",
        "I'm vegan on weekdays only.",
        "I'm allergic to Mondays.",
        "I'd love to live by the sea and have a dog.",
        "I try to stay calm and be a leader in all I do.",
        "I quit my job! Just kidding.",
        "Yeah sure, and I'm the new CEO of Hexagon.",
        "I date back to the days before the internet.",
        "Retired people have no time.",
    ],
)
def test_what_passes_or_is_said_in_jest_is_no_state(text: str) -> None:
    assert read(text) == []


def test_it_is_given_up_only_where_the_verb_can_mean_such_a_thing() -> None:
    assert [f.kind for f in read("I got a Pixel in May and dropped it already.")] == [FactKind.ASSERTION]
    assert [f.kind for f in read("I got a Pixel in March and sold it in May.")] == [FactKind.ASSERTION, FactKind.END]


def test_what_is_given_up_ends_no_role_unless_it_was_work() -> None:
    assert triples("I'm done with running.") == [("Vera", "hobby", "running")]
    assert ("Vera", "role", None) in triples("I'm done with Hexagon for good, I finished at Hexagon on Sunday.")


def test_a_couple_that_parts_are_each_the_others_partner_and_separated_is_a_status() -> None:
    said = triples("Keith and Pat split up in January.")
    assert ("Keith", "partner", "Pat") in said
    assert ("Pat", "partner", "Keith") in said
    assert ("Keith", "partner", None) not in said
    assert triples("Keith and Pat separated in January.") == [
        ("Keith", "relationship_status", "separated"),
        ("Pat", "relationship_status", "separated"),
    ]


def test_what_held_until_a_time_has_ended() -> None:
    (fact,) = read("I was a flight attendant until 2014.")
    assert (fact.kind, fact.value) == (FactKind.END, "flight attendant")
    assert fact.valid_from is not None
    assert fact.valid_from.start.year == 2014


def test_a_name_after_a_comma_is_that_of_what_was_named_by_its_kind() -> None:
    assert triples("I've signed with a start-up, Novagrid.") == [("Vera", "employer", "Novagrid")]
    assert triples("I have a cat now. I call him Pan Kot.") == [("Vera", "pet", "Pan Kot the cat")]


def test_who_works_at_a_school_does_not_study_there() -> None:
    said = triples("My brother started at Elm School as a caretaker.")
    assert ("Vera's brother", "employer", "Elm School") in said
    assert ("Vera's brother", "role", "caretaker") in said


def test_the_time_before_a_clause_dates_it_unless_it_only_lasts_up_to_it() -> None:
    assert ("Vera", "employer", "Rothbau") in triples("Since 1988, when I began at Rothbau.")
    assert [f for f in read("From 2015 till I got the Rothbau job I sang.") if f.attribute == "employer"] == []


def test_a_day_of_the_week_is_nobodys_employer() -> None:
    assert triples("I've a Saturday job at the garden centre.") == [("Vera", "employer", "garden centre")]


def test_an_end_that_lasted_stays_an_end() -> None:
    assert [fact.kind for fact in read("I'm not vegan anymore, it lasted a month.")] == [FactKind.END]


def test_a_birthday_is_a_date_and_no_weekday() -> None:
    assert triples("Rosa was born on Tuesday.") == []
    assert triples("Rosa was born on the 3rd of May.") == [("Rosa", "birthday", "the 3rd of May")]


def test_who_moves_from_one_place_to_another_leaves_the_first() -> None:
    assert [(f.value, f.kind) for f in read("I moved from York to Nantes in March.")] == [
        ("Nantes", FactKind.ASSERTION),
        ("York", FactKind.END),
    ]
    assert "Trello" not in {value for _, _, value in triples("We moved from Trello to Linear in May.")}
    assert triples("I traded the Jetta for a Tacoma.") == [("Vera", "car", "Tacoma")]
    assert triples("I traded the bike for a Golf.") == [("Vera", "car", "Golf")]


@pytest.mark.parametrize(
    "text",
    [
        "I signed with Hexagon, I start there on 4 June.",
        "I've signed with Hexagon and my first day there is 9 October.",
        "Had lunch with Ruth. Three weeks into Hexagon and already bored.",
    ],
)
def test_what_is_signed_begins_later_and_what_follows_another_may_be_theirs(text: str) -> None:
    assert read(text) == []


def test_what_was_signed_and_has_begun_holds() -> None:
    assert triples("I've signed with Hexagon and started on 4 March.") == [("Vera", "employer", "Hexagon")]
    assert triples("I signed with Hexagon, the kids start school on Monday.") == [("Vera", "employer", "Hexagon")]


def test_a_pronoun_says_who_somebody_is_only_where_a_person_was_named() -> None:
    assert triples("Ruth joined in May and she's my boss now.") == [("Vera", "manager", "Ruth")]
    assert triples("She's my boss.", "I like Hexagon.") == []


def test_who_hands_on_an_office_has_it_no_more() -> None:
    said = read("Ruth took over from me as treasurer.")
    assert [(f.subject, f.value, f.kind) for f in said] == [
        ("Ruth", "treasurer", FactKind.ASSERTION),
        ("Vera", "treasurer", FactKind.END),
    ]
    assert triples("The rain took over from the wind as the main topic.") == []


@pytest.mark.parametrize(
    "text",
    [
        "Best waiter since 1990!",
        "New plumber since Monday.",
        "I'm the driver tonight.",
        "Ruth is our treasurer from Saturday on.",
        "I stopped teaching him maths.",
        "I have not been in York since.",
        "I played the tambourine in the band last night.",
        "Rents are due on Friday.",
        "My van is DONE.",
        "I'm a strong woman.",
        "My first day at the beach.",
        "Tomorrow is my first day at the bakery.",
        "I ran into Bergen traffic. He lives in York.",
        "We crossed the bridge.",
        "They are building a bridge. I'm on the bridge.",
    ],
)
def test_what_sounds_like_an_office_an_end_or_a_beginning_is_none(text: str) -> None:
    assert read(text) == []


def test_what_is_cancelled_is_no_employer() -> None:
    assert triples("I cancelled Hexagon on Friday.") == [("Vera", "membership", "Hexagon")]


def test_a_time_dates_only_the_clause_that_it_fits() -> None:
    said = read("I was a welder until May, and in June my sister opened a cafe.")
    assert [(f.value, f.kind) for f in said] == [("welder", FactKind.END)]
    assert triples("I've lived here since 2015 and before that I was living in York.") == []


def test_who_is_run_into_is_somebody_and_meant_by_he() -> None:
    assert triples("I ran into Torvald! He lives in York now.", "Tom rang.") == [("Torvald", "home", "York")]


@pytest.mark.parametrize(
    ("question", "reply"),
    [("Are Ruth Pole and Ben still in Hove?", "Yes, since May."), ("What are their names?", "Luna and Olly!")],
)
def test_a_reply_about_several_is_not_completed(question: str, reply: str) -> None:
    assert read(reply, question) == []
