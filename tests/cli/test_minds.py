"""Trust and disagreement from the shell."""

from __future__ import annotations

from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from tests.cli.conftest import Genome


def test_what_comes_from_the_web_is_shown_to_who_asks(genome: Genome) -> None:
    genome("add", "m.db", "Tom likes tea.", "--user", "tom")
    genome("add", "m.db", "Tom hates tea.", "--user", "tom", "--origin", "web")
    shown = genome("search", "m.db", "tea", "--user", "tom", "--json").json
    assert [hit["record"]["origin"] for hit in shown] == ["user"]
    everything = genome("search", "m.db", "tea", "--user", "tom", "--min-trust", "untrusted", "--json").json
    assert {hit["record"]["origin"] for hit in everything} == {"user", "web"}
    told = genome("explain", "m.db", "tea", "--user", "tom").out
    assert "trust" in told
    assert "hates" not in told


def test_a_disagreement_is_shown_resolved_and_reopened(genome: Genome) -> None:
    with Memory("m.db", embedder=FakeEmbedder()) as memory:
        for believer, home in (("a", "Oslo"), ("b", "Bergen")):
            memory.state("Ann", "home", home, at=memory.now(), believer=believer, origin="agent", user_id="ann")
    shown = genome("conflicts", "m.db", "--user", "ann").out
    assert all(word in shown for word in ("Oslo (a", "Bergen (b", "agent)"))  # a narrow table breaks the lines
    why = ("--reason", "asked her", "--by", "Tom", "--user", "ann")
    [id] = genome("resolve", "m.db", "Ann", "home", "Oslo", *why, "--json").json["ids"]
    assert genome("conflicts", "m.db", "--user", "ann", "--json").json == []
    again = genome("resolve", "m.db", "Ann", "home", "Oslo", *why)
    assert again.code == 2
    assert genome("reopen", "m.db", id, *why).code == 0
    assert len(genome("conflicts", "m.db", "--user", "ann", "--json").json) == 1


def test_two_minds_hear_different_things(genome: Genome) -> None:
    for believer, said in (("a", "Tom lives in Oslo."), ("b", "Tom lives in Bergen.")):
        genome("add", "m.db", said, "--user", "tom", "--believer", believer)
    [conflict] = genome("conflicts", "m.db", "--user", "tom", "--json").json
    assert {(conflict[side]["believer"], conflict[side]["value"]) for side in ("one", "other")} == {
        ("a", "Oslo"),
        ("b", "Bergen"),
    }
    assert genome("facts", "m.db", "--user", "tom", "--json").json == []  # the common view has heard nothing
