"""Erasing, holding and sweeping from the shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from genome_core.erasure import ErasureReceipt
from genome_core.storage.signing import JournalKey
from tests.cli.conftest import Genome


@pytest.fixture
def notes(genome: Genome) -> str:
    genome("add", "notes.db", "The spare key is with Mrs Xyzzyplugh.", "--user", "tom", "--id", "key")
    genome("add", "notes.db", "The vet is Dr Sorensen.", "--user", "ann", "--id", "vet")
    return "notes.db"


def test_a_user_is_erased_with_a_receipt(genome: Genome, notes: str) -> None:
    receipt = genome("erase", notes, "--user", "tom", "--reason", "asked", "--yes", "--json").json
    assert receipt["counts"]["records"] == 1
    assert ErasureReceipt.from_json(receipt).is_complete
    assert b"Xyzzyplugh" not in Path(notes).read_bytes()
    assert genome("stats", notes, "--json").json["records"] == 1
    assert genome("verify", notes).code == 0
    assert [version["op"] for version in genome("history", notes, "key", "--user", "tom", "--json").json] == [
        "add",
        "erase",
    ]


def test_erasing_asks_first(genome: Genome, notes: str) -> None:
    refused = genome("erase", notes, "--user", "tom", "--reason", "asked", stdin="n\n")
    assert refused.code == 1
    assert "1 records of user_id tom" in refused.err
    assert genome("get", notes, "key", "--user", "tom").code == 0
    assert genome("erase", notes, "--user", "tom", "--reason", "asked", stdin="y\n").code == 0
    assert genome("get", notes, "key", "--user", "tom").code == 2


def test_single_ids_are_erased(genome: Genome, notes: str) -> None:
    genome("add", notes, "Something else", "--user", "tom", "--id", "other")
    genome("erase", notes, "--user", "tom", "--id", "key", "--reason", "asked", "--yes")
    assert genome("get", notes, "other", "--user", "tom").code == 0
    assert genome("get", notes, "key", "--user", "tom").code == 2


def test_erasing_without_a_scope_is_one_line(genome: Genome, notes: str) -> None:
    failed = genome("erase", notes, "--reason", "asked", "--yes")
    assert failed.code == 2
    assert "whose memory" in failed.err
    both = genome("erase", notes, "--reason", "asked", "--yes", "--everybody", "--user", "tom")
    assert both.code == 2
    assert genome("erase", notes, "--reason", "asked", "--yes", "--everybody", "--json").json["counts"]["records"] == 2


def test_the_receipt_is_signed_with_the_key(genome: Genome) -> None:
    from genome_core import Memory

    Path("key").write_bytes(b"a key for the journal of a test\n")
    with Memory("signed.db", journal_key="key") as memory:
        memory.add("secret", user_id="tom")
    assert genome("erase", "signed.db", "--user", "tom", "--reason", "asked", "--yes").code == 2
    receipt = genome("erase", "signed.db", "--user", "tom", "--reason", "asked", "--yes", "--json", "--key-file", "key")
    assert ErasureReceipt.from_json(receipt.json).is_signed_by(JournalKey(b"a key for the journal of a test"))


def test_a_hold_refuses_until_it_is_released(genome: Genome, notes: str) -> None:
    rule = genome("hold", notes, "--user", "tom", "--reason", "case 7").out.strip()
    failed = genome("erase", notes, "--user", "tom", "--reason", "asked", "--yes")
    assert failed.code == 2
    assert "case 7" in failed.err
    [listed] = genome("rules", notes, "--json").json
    assert (listed["id"], listed["kind"], listed["scope"], listed["days"]) == (rule, "hold", ["user:tom"], None)
    assert "case 7" in genome("rules", notes).out
    assert genome("release", notes, rule).code == 0
    assert genome("release", notes, rule).code == 2
    assert genome("erase", notes, "--user", "tom", "--reason", "asked", "--yes").code == 0


def test_sweep_erases_what_is_older(genome: Genome, notes: str) -> None:
    genome("retain", notes, "--user", "tom", "--days", "0.0000001", "--origin", "user", "--reason", "policy")
    assert genome("sweep", notes, "--json").json == {"records": 1}
    assert genome("sweep", notes).out.strip() == "Records gone: 0"
