"""The demonstration and the receipt: what a newcomer runs first."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from genome_core import demo
from genome_core.cli.receipt import Network, OutboundBlocked
from tests.cli.conftest import Genome


def test_the_conversation_spans_two_years_in_order() -> None:
    turns = demo.conversation()
    times = [turn.at for turn in turns if turn.at]
    assert len(times) == len(turns) >= 60
    assert times == sorted(times)
    assert (times[-1] - times[0]).days > 700
    assert {turn.speaker for turn in turns} == {"Nadia", "Tom", "assistant"}


def test_every_question_is_answered_by_a_turn() -> None:
    assert {question.answer for question in demo.questions()} <= {turn.id for turn in demo.conversation()}


def test_the_demo_finds_what_was_said(genome: Genome) -> None:
    shown = genome("demo", "--json")
    assert shown.code == 0
    recalled = shown.json["recalled"]
    assert [one["question"] for one in recalled] == [question.text for question in demo.questions()]
    for question, one in zip(demo.questions(), recalled, strict=True):
        assert question.answer in [hit["record"]["id"] for hit in one["hits"]]


def test_the_demo_knows_what_held_when_and_what_was_known_then(genome: Genome) -> None:
    known = genome("demo", "--json").json["known"]
    assert [one["answer"]["value"] for one in known] == [fact.value for fact in demo.fact_questions()]
    assert any(fact.known_at for fact in demo.fact_questions())


def test_the_demo_shows_questions_and_when_it_was_said(genome: Genome) -> None:
    shown = genome("demo").out
    for question in demo.questions():
        assert question.text in shown
    assert "2024-03-05" in shown
    assert "as known on 1 October 2024" in shown
    assert not list(Path.cwd().iterdir())


def test_the_store_of_the_demo_can_be_kept(genome: Genome) -> None:
    assert genome("demo", "--keep", "kept.db").code == 0
    assert genome("stats", "kept.db", "--json").json["records"] == len(demo.conversation())
    again = genome("demo", "--keep", "kept.db")
    assert again.code == 2
    assert "kept.db exists" in again.err


def test_the_receipt_passes_offline(genome: Genome) -> None:
    receipt = genome("verify-install", "--json")
    assert receipt.json["passed"], receipt.out
    assert receipt.code == 0
    assert {check["name"] for check in receipt.json["checks"]} >= {
        "writes",
        "retrieval",
        "journal",
        "network",
        "LLM calls",
    }


def test_the_receipt_is_printed_for_people(genome: Genome) -> None:
    shown = genome("verify-install").out
    assert "200 of 200 stored" in shown
    assert "0 attempts to reach another host" in shown
    assert "FAIL" not in shown


def test_a_blocked_network_refuses_and_counts() -> None:
    network = Network()
    with network.blocked():
        with socket.socket() as connection, pytest.raises(OutboundBlocked):
            connection.connect(("127.0.0.1", 9))
        with pytest.raises(OutboundBlocked):
            socket.getaddrinfo("localhost", 80)
    assert len(network.attempts) == 2
    assert socket.getaddrinfo("localhost", 80)
    assert len(network.attempts) == 2
