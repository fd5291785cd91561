"""Writing, reading, updating and deleting records (cases K03, K04, K05, K08, K12, K13, K14)."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from genome_core import Memory
from genome_core.errors import Conflict, InvalidInput, NotFound
from genome_core.inputs import clean_text
from genome_core.types import Record
from tests.conftest import FakeClock

LONG_AGO = datetime(2023, 5, 1, 12, tzinfo=UTC)


def texts(found: Any) -> list[str]:
    return [(one.record if hasattr(one, "record") else one).text for one in found]


# --- what counts as the same -----------------------------------------------------------------------------------------


def test_the_same_words_are_stored_once(memory: Memory) -> None:
    first = memory.add("I like  tea", user_id="u")
    assert memory.add(["I like tea", " I like tea\n"], user_id="u") == first * 2
    assert memory.count(user_id="u") == 1
    assert memory.stats().journal_entries == 1


@pytest.mark.parametrize(
    "other",
    [
        {"role": "assistant", "content": "I like tea"},
        {"role": "user", "name": "Ann", "content": "I like tea"},
        {"role": "user", "content": "i like tea"},
        {"role": "user", "content": "I like tea", "at": LONG_AGO},
        {"role": "user", "content": "I like tea", "id": "mine"},
        {"role": "user", "content": "I like tea", "value": {"a": 1}},
    ],
)
def test_another_role_speaker_case_time_value_or_own_id_is_another_record(
    memory: Memory, other: dict[str, Any]
) -> None:
    memory.add(["I like tea", other], user_id="u")
    assert memory.count(user_id="u") == 2


def test_near_duplicates_are_all_kept(memory: Memory) -> None:
    pairs = ["deadline is October 15", "deadline is October 16", "v1.2 is live", "v1.3 is live"]
    memory.add(pairs, user_id="u")
    for text in pairs:
        assert texts(memory.search(text, user_id="u", limit=1)) == [text]


def test_the_same_words_in_two_scopes_are_two_records(memory: Memory) -> None:
    [one] = memory.add("x", user_id="a")
    [other] = memory.add("x", user_id="b")
    assert one != other


def test_a_batch_with_repeats_gives_an_id_for_each_and_no_hit_twice(memory: Memory) -> None:
    ids = memory.add(["x y", "x y", "z"], user_id="u")
    assert ids[0] == ids[1] != ids[2]
    assert sorted(texts(memory.search("x y z", user_id="u"))) == ["x y", "z"]


def test_the_same_id_makes_the_next_version(memory: Memory, clock: FakeClock) -> None:
    memory.add("3 stages", id="p", user_id="u")
    before = clock.now
    clock.advance(timedelta(days=1))
    memory.add("5 stages", id="p", user_id="u")
    record = memory.get("p")
    assert record is not None
    assert (record.text, record.version) == ("5 stages", 2)
    assert texts(memory.search("stages", user_id="u")) == ["5 stages"]
    versions = memory.history("p", user_id="u")
    assert [(v.op, v.record and v.record.text) for v in versions] == [("add", "3 stages"), ("update", "5 stages")]
    assert [v.record.text for v in versions if v.record and v.at < before] == ["3 stages"]


def test_a_transcript_sent_again_changes_nothing(memory: Memory) -> None:
    transcript = [{"role": "user", "content": "yes", "id": str(turn)} for turn in range(10)]
    for end in range(1, 11):
        memory.add(transcript[:end], user_id="u")
    assert memory.count(user_id="u") == 10
    assert memory.stats().journal_entries == 10


def test_ids_given_for_some_keep_their_order(memory: Memory) -> None:
    ids = memory.add([{"content": "one", "id": "1"}, {"content": "two"}], user_id="u")
    assert ids[0] == "1"
    assert [record.text for record in memory.get_many(ids, user_id="u")] == ["one", "two"]


def test_an_id_can_be_used_again_after_deletion(memory: Memory, clock: FakeClock) -> None:
    memory.add("old", id="1", user_id="u")
    assert memory.delete("1") is True
    clock.advance(timedelta(days=1))
    memory.add("new", id="1", user_id="u")
    record = memory.get("1")
    assert record is not None
    assert (record.text, record.version, record.created_at) == ("new", 1, record.updated_at)
    assert [version.op for version in memory.history("1")] == ["add", "delete", "add"]


def test_a_changed_record_makes_room_for_its_old_words(memory: Memory) -> None:
    [id] = memory.add("first words", user_id="u")
    memory.update(id, text="second words")
    [again] = memory.add("first words", user_id="u")
    assert again != id
    assert memory.count(user_id="u") == 2
    assert memory.add("first words", user_id="u") == [again]


# --- all or nothing --------------------------------------------------------------------------------------------------

BAD: list[Any] = [
    {"role": "user"},
    {"content": "x", "city": "Rome"},
    {"content": 5},
    {"content": "x", "metadata": {"a": {1, 2}}},
    {"content": "x", "metadata": {1: 2}},
    {"content": "x", "metadata": {"a": float("nan")}},
    {"content": "x", "metadata": {"a": datetime.now(UTC)}},
    {"content": "x", "metadata": [1]},
    {"content": "x", "value": object()},
    {"content": "x", "at": datetime(2023, 5, 1)},
    {"content": "x", "at": "2023-05-01"},
    {"content": "x", "role": " "},
    {"content": "x", "id": " "},
    {"content": "nul \x00"},
    {"content": "half \ud83d"},
    {"content": "x", "metadata": {"deep": ["half \ud83d"]}},
    17,
    None,
]


@pytest.mark.parametrize("bad", BAD)
def test_one_bad_item_and_nothing_is_written(memory: Memory, bad: Any) -> None:
    with pytest.raises(InvalidInput):
        memory.add(["good", bad], user_id="u")
    assert memory.count(user_id="u") == 0
    assert memory.stats().journal_entries == 0


def test_bad_arguments_are_refused(memory: Memory) -> None:
    naive = datetime(2023, 5, 1)
    calls: list[dict[str, Any]] = [
        {"at": naive},
        {"ttl": -1},
        {"ttl": 0},
        {"ttl": float("nan")},
        {"ttl": 1e300},
        {"ttl": "soon"},
        {"metadata": {"a": object()}},
        {"vectors": []},
        {"vectors": [[1.0, 2.0], [1.0]]},
    ]
    for arguments in calls:
        with pytest.raises(ValueError, match=r"."):
            memory.add("x", user_id="u", **arguments)
    with pytest.raises(InvalidInput):
        memory.add(["a", "b"], id="1", user_id="u")
    for moment in ({"at": naive}, {"since": naive}, {"until": naive}):
        with pytest.raises(InvalidInput):
            memory.search("x", user_id="u", **moment)  # type: ignore[arg-type]
    assert memory.stats().journal_entries == 0


def test_clean_text_replaces_what_no_database_keeps(memory: Memory) -> None:
    dirty = "nul \x00, half \ud83d, whole \ud83d\ude00"
    memory.add(clean_text(dirty), user_id="u")
    assert texts(memory.get_all(user_id="u")) == ["nul \ufffd, half \ufffd, whole \U0001f600"]


# --- what comes back -------------------------------------------------------------------------------------------------

FULL = Record(
    text="Grüße, 成语 <recall> {{x}} </facts> ``` \u200d👩‍🚀 \\ ' \" %_",
    id="über/1",
    role="assistant",
    name="Zoë O'Hara",
    value={"a": [1, 2.5, 1e22, 2**70, None, True, {"b": "c"}], "z": 1, "a b": "it's"},
    metadata={"städte": ["Rome"], "$x": 1.0, "n": 10, "nested": {"deep": [[]]}, "empty": {}},
    at=datetime(2023, 5, 1, 23, 59, 59, 999999, tzinfo=UTC),
    origin="tool",
)


def test_every_field_comes_back_from_every_verb(memory: Memory) -> None:
    memory.add(FULL, namespace=("a", "b"), ttl=timedelta(days=10_000))
    seen = [
        memory.get("über/1"),
        *memory.get_all(namespace=("a",)),
        *memory.get_many(["über/1"], namespace=("a",)),
        *(hit.record for hit in memory.search("recall", namespace=("a",))),
        *(hit.record for hit in memory.search("", namespace=("a",))),
        *(one.record for one in memory.explain("recall", namespace=("a",))),
        *(version.record for version in memory.history("über/1")),
    ]
    assert len(seen) == 7
    for record in seen:
        assert record is not None
        assert record == seen[0]
        for name in ("text", "id", "role", "name", "value", "metadata", "at", "origin"):
            assert getattr(record, name) == getattr(FULL, name), name
        assert type(record.metadata["$x"]) is float
        assert type(record.metadata["n"]) is int
        assert record.namespace == ("a", "b")
        assert record.version == 1
        assert record.created_at == record.updated_at
        assert record.expires_at is not None
        assert record.expires_at.tzinfo is UTC


def test_nothing_the_caller_holds_is_shared_or_changed(memory: Memory) -> None:
    message = {"role": "user", "content": "x", "id": "1", "metadata": {"list": [1]}, "value": {"a": [1]}}
    original = copy.deepcopy(message)
    memory.add([message], user_id="u")
    assert message == original
    message["metadata"]["list"].append(2)  # type: ignore[index]
    first = memory.get("1")
    assert first is not None
    first.metadata["list"].append(3)
    again = memory.get("1")
    assert again is not None
    assert again.metadata == {"list": [1]}
    assert again.value == {"a": [1]}


def test_update_changes_only_what_it_is_given(memory: Memory) -> None:
    memory.add({"content": "x", "id": "1", "metadata": {"a": 1}, "at": LONG_AGO, "name": "Ann"}, user_id="u")
    assert memory.update("1", metadata=None, text="y").metadata == {"a": 1}
    assert memory.update("1", metadata={}).metadata == {}
    updated = memory.update("1", value={"v": 1}, name=None)
    assert (updated.text, updated.at, updated.name, updated.value, updated.version) == (
        "y",
        LONG_AGO,
        None,
        {"v": 1},
        4,
    )
    assert texts(memory.search("y", user_id="u")) == ["y"]
    assert memory.search("x", user_id="u", mode="lexical") == []


def test_update_of_what_is_not_there_says_so(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.update("nope", text="x")
    memory.add("x", id="1", user_id="u")
    with pytest.raises(NotFound):
        memory.update("1", text="y", user_id="other")


def test_update_of_an_old_version_conflicts(memory: Memory) -> None:
    memory.add("x", id="1", user_id="u")
    memory.update("1", text="y", if_version=1)
    with pytest.raises(Conflict):
        memory.update("1", text="z", if_version=1)
    record = memory.get("1")
    assert record is not None
    assert record.text == "y"


def test_event_time_and_recorded_time_are_kept_apart(memory: Memory, clock: FakeClock) -> None:
    told = clock.now
    memory.add("told late", at=LONG_AGO, id="1", user_id="u")
    memory.update("1", metadata={"a": 1})
    record = memory.get("1")
    assert record is not None
    assert record.at == LONG_AGO
    assert record.created_at is not None
    assert record.created_at >= told
    assert texts(memory.search("told", user_id="u", since=LONG_AGO, until=LONG_AGO + timedelta(seconds=1))) == [
        "told late"
    ]
    assert memory.search("told", user_id="u", until=LONG_AGO) == []
    assert texts(memory.search("", user_id="u", since=LONG_AGO, until=told)) == ["told late"]


# --- deleting --------------------------------------------------------------------------------------------------------


def test_deleting_the_unknown_is_no_error(memory: Memory) -> None:
    assert memory.delete("nope") is False
    assert memory.delete_many([], user_id="u") == 0
    assert memory.delete_many(["nope"], user_id="u") == 0
    assert memory.delete_all(user_id="nobody") == 0


def test_delete_all_has_no_page_limit(memory: Memory) -> None:
    """K03-04."""
    count = 2500
    vector = np.zeros(memory.embedder.fingerprint.dimensions, np.float32)
    vector[0] = 1
    memory.add([f"note {n}" for n in range(count)], user_id="u", vectors=[vector] * count)
    memory.add("other", user_id="v")
    assert memory.delete_all(user_id="u") == count
    assert memory.count(user_id="u") == 0
    assert memory.search("note", user_id="u") == []
    stats = memory.stats()
    assert (stats.records, stats.passages) == (1, 1)


def test_delete_all_with_a_filter_deletes_what_passes(memory: Memory) -> None:
    memory.add([{"content": str(n), "metadata": {"n": n}} for n in range(6)], user_id="u")
    assert memory.delete_all(user_id="u", filter={"n": {"$gte": 4}}) == 2
    assert memory.delete_all(user_id="u", filter=lambda record: record.text == "0") == 1
    assert sorted(texts(memory.get_all(user_id="u"))) == ["1", "2", "3"]


def test_facts_go_with_their_source_unless_kept(memory: Memory) -> None:
    memory.add({"content": "I live in Oslo.", "name": "Ann", "id": "1"}, user_id="u")
    memory.add({"content": "I work at Acme.", "name": "Ann", "id": "2"}, user_id="u")
    assert {window.value for window in memory.timeline(user_id="u")} == {"Oslo", "Acme"}
    memory.delete("1")
    assert {window.value for window in memory.timeline(user_id="u")} == {"Acme"}
    memory.delete("2", keep_facts=True)
    assert {window.value for window in memory.timeline(user_id="u")} == {"Acme"}
    memory.state("Ann", "pet", "Rex", user_id="u")
    memory.delete_all(user_id="u")
    assert memory.fact_log(user_id="u") == []


def test_a_record_without_a_value_lacks_every_key_of_it(memory: Memory) -> None:
    memory.add(["bare", {"content": "with a value", "value": {"private": True}}], user_id="u")
    assert texts(memory.get_all(user_id="u", filter={"$not": {"$value": {"private": True}}})) == ["bare"]
    assert texts(memory.get_all(user_id="u", filter={"$value": {"private": {"$exists": False}}})) == ["bare"]
    assert texts(memory.get_all(user_id="u", filter={"$value": {"private": {"$ne": True}}})) == []


def test_reset_leaves_an_empty_store_that_works(memory: Memory) -> None:
    memory.add({"content": "I live in Oslo.", "name": "Ann"}, user_id="u")
    assert memory.search("Oslo", user_id="u")
    memory.reset()
    stats = memory.stats()
    assert (stats.records, stats.passages, stats.facts, stats.journal_entries, stats.namespaces) == (0, 0, 0, 0, 0)
    assert stats.embedder is None
    assert memory.search("Oslo", user_id="u") == []
    memory.add("I like tea", user_id="u")
    assert texts(memory.search("tea", user_id="u")) == ["I like tea"]


def test_compact_bounds_what_history_keeps(memory: Memory) -> None:
    """K13-07: ten thousand changes of one record."""
    for start in range(0, 10_000, 1_000):
        states = [{"content": f"state {start + n} " + "x" * 500, "id": "p"} for n in range(1_000)]
        memory.add(states, user_id="u", vectors=[None] * 1_000)
    before = memory.stats().bytes
    assert memory.compact(keep_versions=3) == 9_997
    assert memory.compact(keep_versions=3) == 0
    versions = memory.history("p")
    assert len(versions) == 10_000
    assert [version.record.text[:10] for version in versions if version.record] == [
        "state 9997",
        "state 9998",
        "state 9999",
    ]
    report = memory.verify()
    # With one entry of what the emptied ones told of the present, and one of which they are.
    assert (report.entries, report.erased) == (10_002, 9_997)
    memory.verify(deep=True)
    if not memory.database.is_postgres:
        assert memory.stats().bytes < before / 2
    with pytest.raises(InvalidInput):
        memory.compact(keep_versions=0)


def test_compact_drops_the_content_of_what_was_deleted(memory: Memory) -> None:
    memory.add("the secret word is zanzibar", id="s", user_id="u")
    memory.delete("s")
    assert [v.record.text for v in memory.history("s") if v.record] == ["the secret word is zanzibar"]
    assert memory.compact() == 1
    assert [(v.op, v.record) for v in memory.history("s")] == [("add", None), ("delete", None)]
    assert memory.verify().erased == 1


def test_no_model_is_loaded_that_is_not_needed(store_url: str) -> None:
    class Absent:
        @property
        def fingerprint(self) -> Any:
            raise AssertionError("the model was loaded")

    with Memory(store_url, embedder=Absent()) as memory:  # type: ignore[arg-type]
        memory.add(Record(text="state", id="1", namespace=("flow",), index=()))
        memory.add({"content": "by words only", "id": "2"}, namespace=("flow",), vectors=[None])
        memory.update("1", metadata={"a": 1})
        memory.update("1", text="another state")
        assert sorted(texts(memory.get_all(namespace=("flow",)))) == ["another state", "by words only"]
        assert memory.delete_all(namespace=("flow",)) == 2
        memory.reset()


# --- expiry ----------------------------------------------------------------------------------------------------------


def test_the_expired_is_gone_from_every_read_before_it_is_swept(memory: Memory, clock: FakeClock) -> None:
    memory.add("short", id="1", ttl=60, user_id="u")
    memory.add("long", id="2", user_id="u", run_id="r")
    assert sorted(texts(memory.search("short long", user_id="u"))) == ["long", "short"]
    clock.advance(timedelta(minutes=5))
    assert memory.get("1") is None
    assert texts(memory.search("short long", user_id="u")) == ["long"]
    assert texts(memory.search("", user_id="u")) == ["long"]
    assert texts(memory.get_all(user_id="u")) == ["long"]
    assert memory.count(user_id="u") == 1
    assert memory.namespaces(user_id="u") == [("user:u", "run:r")]
    assert "short" not in memory.context("short", user_id="u")
    with pytest.raises(NotFound):
        memory.update("1", ttl=None)
    assert memory.sweep() == 1
    assert memory.sweep() == 0
    assert memory.stats().records == 1
    assert [version.op for version in memory.history("1")] == ["add", "expire"]


def test_an_expired_twin_does_not_swallow_a_new_record(memory: Memory, clock: FakeClock) -> None:
    memory.add("again", ttl=60, user_id="u")
    clock.advance(timedelta(minutes=5))
    memory.add("again", user_id="u")
    assert memory.count(user_id="u") == 1


@pytest.mark.parametrize("given", [False, True])
def test_said_again_a_record_lives_as_long_as_either_asks_for(memory: Memory, given: bool) -> None:
    vector = np.ones(memory.embedder.fingerprint.dimensions, np.float32)
    vectors = [vector] if given else None
    [id] = memory.add("again", ttl=60, user_id="u", vectors=vectors)
    until = memory.get_all(user_id="u").records[0].expires_at
    assert memory.add("again", ttl=5, user_id="u", vectors=vectors) == [id]
    assert memory.get_all(user_id="u").records[0].expires_at == until
    memory.add("again", user_id="u", vectors=vectors)
    assert memory.get_all(user_id="u").records[0].expires_at is None


# --- paging ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newest_first", [False, True])
def test_pages_show_each_record_once_while_others_come(memory: Memory, newest_first: bool) -> None:
    moments = [LONG_AGO + timedelta(days=n // 5) for n in range(50)]
    memory.add([{"content": f"n{n}", "id": f"{n:02}", "at": at} for n, at in enumerate(moments)], user_id="u")
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = memory.get_all(user_id="u", limit=7, after=cursor, newest_first=newest_first)
        seen += [record.id for record in page if not record.id.startswith("late")]
        memory.add("late", id=f"late{len(seen)}", at=LONG_AGO + timedelta(days=3), user_id="u")
        cursor = page.next
        if cursor is None:
            break
    ids = [f"{n:02}" for n in range(50)]
    assert seen == (ids[::-1] if newest_first else ids)


def test_limits(memory: Memory) -> None:
    memory.add(["a", "b"], user_id="u")
    assert len(memory.get_all(user_id="u", limit=0)) == 0
    assert memory.search("a", user_id="u", limit=0) == []
    for call in (memory.get_all, lambda **scope: memory.search("a", **scope)):
        with pytest.raises(InvalidInput):
            call(user_id="u", limit=-1)
    with pytest.raises(InvalidInput, match="cursor"):
        memory.get_all(user_id="u", after="nonsense")
    assert memory.get_all(user_id="u", limit=2).next is None


def test_turns_of_one_instant_keep_their_order(memory: Memory) -> None:
    memory.add([{"content": f"turn {n}", "at": LONG_AGO} for n in range(100)], user_id="u")
    assert texts(memory.get_all(user_id="u")) == [f"turn {n}" for n in range(100)]


# --- long texts, export, other embedders -----------------------------------------------------------------------------


def test_a_megabyte_of_text_is_kept_and_its_end_is_found(memory: Memory) -> None:
    filler = "The weather was ordinary and nobody said anything of note. " * 17_000
    memory.add({"content": filler + "The vault code is zebra-4711.", "role": "document"}, user_id="u")
    memory.add("The weather was fine.", user_id="u")
    [hit] = memory.search("zebra-4711 vault code", user_id="u", limit=1)
    assert len(hit.record.text) > 1_000_000


def test_export_and_import_carry_everything(memory: Memory, tmp_path: Any, embedder: Any) -> None:
    memory.add({"content": "I live in Oslo.", "name": "Ann", "at": LONG_AGO}, user_id="u", run_id="r")
    memory.add(FULL, namespace=("a", "b"))
    memory.state("Bob", "home", "Rome", valid_from=LONG_AGO, user_id="u")
    memory.add("not to be found by meaning", id="bare", user_id="u", vectors=[None])
    path = tmp_path / "export.jsonl"
    assert memory.export(path) == 3
    with Memory(":memory:", embedder=embedder) as other:
        assert other.import_(path) == 3
        assert list(other.get_all(namespace=())) == list(memory.get_all(namespace=()))
        mine, theirs = memory.timeline(namespace=()), other.timeline(namespace=())
        assert [(w.value, w.begins, w.facts[0].recorded_at) for w in theirs[1:]] == [
            (w.value, w.begins, w.facts[0].recorded_at) for w in mine[1:]
        ]
        entries = other.stats().journal_entries
        assert other.add({"content": "I live in  Oslo.", "name": "Ann", "at": LONG_AGO}, user_id="u", run_id="r")
        assert other.import_(path) == 3
        assert other.stats().journal_entries == entries
        assert [hit.record.id for hit in other.search("meaning", user_id="u", mode="dense")].count("bare") == 0


def test_a_broken_import_writes_nothing(memory: Memory, tmp_path: Any) -> None:
    memory.add(["a", "b"], user_id="u")
    path = tmp_path / "export.jsonl"
    memory.export(path)
    lines = path.read_text().splitlines()
    memory.reset()
    for broken in ([*lines, "{"], ["{}", *lines], [*lines, json.dumps({"record": {}})], ["not json"]):
        path.write_text("\n".join(broken))
        with pytest.raises(InvalidInput, match="line"):
            memory.import_(path)
        assert memory.stats().records == 0
