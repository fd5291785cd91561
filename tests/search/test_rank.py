"""Ranking: exact against brute force, filters and expiry first, stable ties, each signal, a scale that means something."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from genome_core.errors import InvalidInput
from genome_core.search import bm25
from genome_core.search.index import Entry, ScopeIndex
from genome_core.search.question import Query, parse, question_vector
from genome_core.search.rank import Allowed, Candidate, Criteria, Mode, SearchWeights, explain, rank
from genome_core.search.text import passages, terms
from genome_core.testing.embedders import FakeEmbedder
from genome_core.types import Record

EMBEDDER = FakeEmbedder()
DAY = 86_400_000_000
NOW = datetime(2024, 6, 15, tzinfo=UTC)
MODES: tuple[Mode, ...] = ("hybrid", "dense", "lexical")


def micros(moment: datetime) -> int:
    return int(moment.timestamp() * 1e6)


def turn(
    key: int,
    text: str,
    speaker: str = "user",
    *,
    session: str = "s",
    at: datetime | None = None,
    expires: int | None = None,
) -> Entry:
    record = Record(text=text)
    parts = [(EMBEDDER.embed([part.wording])[0], " ".join(terms(part.text))) for part in passages(record, EMBEDDER)]
    moment = at or NOW - timedelta(days=1) + timedelta(seconds=key)
    return Entry(key, session, micros(moment), key, speaker, expires, parts)


def index_of(turns: Sequence[Entry]) -> ScopeIndex:
    index = ScopeIndex(64)
    index.add(turns)
    return index


def ask(index: ScopeIndex, text: str, allowed: Allowed | None = None, **options: Any) -> list[Candidate]:
    return rank(index, query(index, text), wanted(**({"limit": 10} | options)), allowed)


def wanted(**options: Any) -> Criteria:
    return Criteria(**({"now": micros(NOW)} | options))


def query(index: ScopeIndex, text: str) -> Query:
    parsed = parse(text, index.speakers, NOW)
    return parsed.with_vector(question_vector(parsed.wording, EMBEDDER))


def keys(candidates: Sequence[Candidate]) -> list[int]:
    return [candidate.key for candidate in candidates]


def only(*let_through: int) -> Allowed:
    return lambda asked: np.isin(asked, let_through)


NOTES = [
    turn(1, "The boiler in the cellar was serviced by Harlan Heating"),
    turn(2, "Tomatoes need water every second day in July"),
    turn(3, "The spare key hangs behind the blue door of the shed"),
    turn(4, "Error ERR_42-x means that the pump is blocked"),
    turn(5, "Grandmother's recipe for plum cake needs cold butter"),
]


@pytest.mark.parametrize("mode", MODES)
def test_the_record_that_answers_comes_first(mode: Mode) -> None:
    index = index_of(NOTES)
    assert keys(ask(index, "Where is the spare key?", mode=mode))[0] == 3
    assert keys(ask(index, "what does ERR_42-x mean", mode=mode))[0] == 4


def test_lexical_search_returns_only_records_that_share_a_word() -> None:
    assert sorted(keys(ask(index_of(NOTES), "spare boiler", mode="lexical"))) == [1, 3]


vectors = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=8))


@given(
    st.lists(st.tuples(vectors, st.integers(0, 3), st.integers(1, 3)), min_size=1, max_size=40),
    vectors,
    st.integers(0, 12),
    st.sets(st.integers(0, 39)),
)
def test_dense_search_is_exact_and_ordered_by_score_then_time_then_key(
    rows: list[tuple[np.ndarray, int, int]], question: np.ndarray, limit: int, allowed: set[int]
) -> None:
    entries = []
    for key, (vector, at, parts) in enumerate(rows):
        # Passages as turned vectors, so that each has its own cosine and the best is not always the first.
        turned = [np.roll(vector, part).astype(np.float32) for part in range(parts)]
        entries.append(Entry(key, "s", at, key, "user", None, [(v / np.linalg.norm(v), "") for v in turned]))
    index = ScopeIndex(8)
    index.add(entries)
    unit = (question / np.linalg.norm(question)).astype(np.float32)
    expected = []
    for entry in entries:
        cosines = [
            float(np.asarray(v, np.float64) @ unit.astype(np.float64)) for v, _ in entry.passages if v is not None
        ]
        if entry.key in allowed:
            expected.append((-round(max(cosines), 6), -entry.at, entry.key))
    asked = Query(text="", wording="", terms=(), vector=unit)
    found = rank(index, asked, Criteria(0, limit, "dense"), only(*allowed))
    assert keys(found) == [key for _, _, key in sorted(expected)[:limit]]
    assert [c.score for c in found] == pytest.approx([-score for score, _, _ in sorted(expected)[:limit]], abs=2e-6)


@pytest.mark.parametrize("limit", [1, 10, 60, 4_000])
def test_the_best_of_thousands_are_those_of_a_full_sort(limit: int) -> None:
    drawn = np.random.default_rng(limit).normal(size=(4_001, 8)).astype(np.float32)
    drawn = np.repeat(drawn[:1_001], 4, axis=0)[:4_001]  # with ties
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    index = ScopeIndex(8)
    index.add(Entry(key, "s", key % 7, key, "user", None, [(vector, "")]) for key, vector in enumerate(drawn))
    allowed = np.flatnonzero(np.arange(4_001) % 3)
    cosines = np.round(drawn.astype(np.float64) @ drawn[5].astype(np.float64), 6)
    order = sorted(allowed.tolist(), key=lambda key: (-cosines[key], -(key % 7), key))
    asked = Query(text="", wording="", terms=(), vector=drawn[5])
    assert keys(rank(index, asked, Criteria(0, limit, "dense"), only(*allowed))) == order[:limit]


def test_a_rare_word_counts_as_it_would_if_it_were_a_common_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ways lead to the same scores, bit for bit; how many rows a word bears on decides which is taken."""
    talk = [turn(key, f"word{key % 40} and word{key % 7}", speaker="AB"[key % 2]) for key in range(300)]
    alone = [turn(key, f"word{key % 40} notes", session="by one hand") for key in range(300, 340)]
    index = index_of([*talk, *alone])
    index.remove([3, 77, 310])
    found = []
    for rare in (0, 10**6):
        monkeypatch.setattr(bm25, "_RARE", rare)
        found.append(bm25.bm25(index, ["word39", "word5", "unheard"], index.present(0)))
    assert (found[0].rows == found[1].rows).all()
    assert found[0].mass == found[1].mass
    assert np.count_nonzero(found[0].rows) > 50


@pytest.mark.parametrize("mode", MODES)
def test_filters_are_applied_before_the_best_are_chosen(mode: Mode) -> None:
    """K10: a few allowed records among many better ones are all found, and score the same as without the filter."""
    index = index_of(
        [turn(key, f"red apple number {key}") for key in range(300)]
        + [turn(1000 + i, f"an apple in box {i}") for i in range(5)]
    )
    allowed = range(1000, 1005)
    found = ask(index, "red apple number 7", mode=mode, allowed=only(*allowed), limit=10)
    assert sorted(keys(found)) == list(allowed)
    unfiltered = {c.key: c.score for c in ask(index, "red apple number 7", mode=mode, limit=1000)}
    assert {c.key: c.score for c in found} == {key: unfiltered[key] for key in allowed}


MANY = index_of([turn(key, f"apple {key % 7} of box {key * 31 % 113}") for key in range(3000)])
"""With many equal scores, at every edge that a search can stop at."""


@cache
def everything(mode: Mode) -> list[Candidate]:
    return ask(MANY, "apple 3 in box 7", mode=mode, limit=3000)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0005, 0.002, 0.02, 0.2, 0.9]), st.integers(1, 40))
def test_the_best_that_pass_are_the_first_of_the_best_that_do(mode: Mode, seed: int, share: float, limit: int) -> None:
    chosen = np.flatnonzero(np.random.default_rng(seed).random(3000) < share)
    passing = set(chosen.tolist())
    found = ask(MANY, "apple 3 in box 7", mode=mode, allowed=only(*passing), limit=limit)
    assert found == [candidate for candidate in everything(mode) if candidate.key in passing][:limit]


@pytest.mark.parametrize("mode", MODES)
def test_a_filter_that_lets_much_through_is_asked_of_few_records(mode: Mode) -> None:
    asked: list[int] = []

    def every_second(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        asked.extend(keys.tolist())
        return np.isin(keys, range(0, 3000, 2))

    assert len(ask(MANY, "apple 3 in box 7", mode=mode, allowed=every_second)) == 10
    assert len(asked) < 600


@pytest.mark.parametrize("mode", MODES)
def test_since_is_inclusive_and_until_exclusive(mode: Mode) -> None:
    index = index_of([turn(key, "the same apple") for key in range(5)])
    at = index.at.data.tolist()
    assert keys(ask(index, "apple", mode=mode, since=at[1], until=at[3])) == [2, 1]
    explained = explain(index, query(index, "apple"), wanted(limit=5, mode=mode, since=at[1], until=at[3]))
    assert {c.key: c.left_out for c in explained} == {0: "filter", 1: "", 2: "", 3: "filter", 4: "filter"}


@pytest.mark.parametrize("mode", MODES)
def test_a_large_limit_and_a_limit_of_nothing(mode: Mode) -> None:
    index = index_of(NOTES)
    assert len(ask(index, "key boiler tomatoes error recipe", mode=mode, limit=5000)) == 5
    assert ask(index, "key", mode=mode, limit=0) == []
    with pytest.raises(InvalidInput, match="limit"):
        ask(index, "key", mode=mode, limit=-1)


@pytest.mark.parametrize("mode", MODES)
def test_what_has_expired_is_neither_found_nor_counted(mode: Mode) -> None:
    soon = turn(6, "The spare key is under the mat", expires=micros(NOW))
    index = index_of([*NOTES, soon])
    assert 6 not in keys(ask(index, "spare key", mode=mode))
    assert 6 in keys(ask(index, "spare key", mode=mode, now=micros(NOW) - 1))
    without = {c.key: c.score for c in ask(index_of(NOTES), "spare key", mode=mode)}
    # Until it is swept it keeps its place among its neighbours, so that their length is reckoned a little differently.
    assert {c.key: c.score for c in ask(index, "spare key", mode=mode)} == pytest.approx(without, abs=0.02)


@pytest.mark.parametrize("mode", MODES)
def test_equal_records_come_latest_first_then_by_key(mode: Mode) -> None:
    """K10-13: also when they lie far apart in a large product."""
    same = [
        turn(key, "the same words", session=str(key), at=NOW - timedelta(days=key % 2)) for key in range(0, 4000, 400)
    ]
    others = [turn(key, f"filler {key}", session=str(key)) for key in range(4000) if key % 400]
    found = [
        ask(index_of(sorted([*same, *others], key=lambda e: e.key * factor % 4001)), "the same words", mode=mode)
        for factor in (1, 7, 1009)
    ]
    assert keys(found[0]) == sorted(key for key in range(0, 4000, 400))
    assert found[0] == found[1] == found[2] or [keys(one) for one in found] == [keys(found[0])] * 3
    assert len({candidate.score for candidate in found[0]}) == 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "the",
        "???",
        "a OR",
        "(",
        "NEAR/2",
        "*",
        "🎉🎉🎉",
        '" OR 1=1 --',
        "\x00",
        "\ud83d",
        "word " * 2000,
        "字" * 10_000,
    ],
)
def test_odd_questions_raise_nothing(mode: Mode, text: str) -> None:
    """K12-02: stop words, punctuation, search syntax, ten thousand characters, only emoji."""
    index = index_of(NOTES)
    parsed = parse(text, index.speakers, NOW)
    vector = question_vector(parsed.wording.encode("utf-8", "replace").decode() or "x", EMBEDDER)
    found = rank(index, parsed.with_vector(vector), wanted(limit=3, mode=mode))
    assert all(np.isfinite(candidate.score) for candidate in found)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("我们昨天玩了成语接龙", "成语接龙"),
        ("しりとりをして遊んだ", "しりとり"),
        ("어제 끝말잇기를 했다", "끝말잇기"),
        ("服务器的watchdog又重启了", "watchdog"),
        ("Мой пароль лежит в сейфе", "Пароль"),
        ("we met at the café", "cafe"),
        ("اشتريت كتابا أمس", "كتاب"),
        ("เมื่อวานกินข้าวเหนียว", "ข้าวเหนียว"),
        ("मुझे किताबें पसंद हैं", "किताबें"),
    ],
)
def test_any_script_is_found_by_its_words(stored: str, asked: str) -> None:
    """K12-01."""
    index = index_of([*NOTES, turn(9, stored)])
    assert keys(ask(index, asked, mode="lexical")) == [9]
    assert keys(ask(index, asked))[0] == 9


def test_a_sentence_at_the_end_of_a_long_text_is_found() -> None:
    """K11-04: one hit for the record, however many passages it has."""
    long = turn(9, "The committee discussed the budget again. " * 400 + "The heron nests beside the old mill.")
    index = index_of(
        [*NOTES, long, *(turn(20 + i, f"We talked about topic {i} in meeting room {i}") for i in range(50))]
    )
    for mode in MODES:
        found = keys(ask(index, "Where does the heron nest?", mode=mode))
        assert 9 in found[:3]
        assert found.count(9) == 1


DIALOGUE = [
    turn(1, "Guess what, I finally booked the sailing course!", "Ann"),
    turn(2, "Great! Which town?", "Ben"),
    turn(3, "In Kiel, from the second of August.", "Ann"),
    turn(4, "I bought a red bicycle from my neighbour.", "Ben"),
    turn(5, "Nice colour.", "Ann"),
    turn(6, "It rides well on the hills around here.", "Ben"),
    turn(7, "My garden is full of plums this year.", "Ann"),
    turn(8, "Plums are best in a cake.", "Ben"),
]


def test_a_short_turn_profits_from_the_words_around_it() -> None:
    index = index_of(DIALOGUE)
    parts = {c.key: {s.name: s for s in c.signals}["lexical"] for c in ask(index, "sailing course", limit=8)}
    assert parts[1].value > parts[3].value > parts[8].value == 0
    assert (parts[1].detail, parts[3].detail, parts[8].detail) == ("sail, cours", "(sail), (cours)", "")


def test_lexical_search_ranks_by_the_words_around_but_returns_only_records_with_a_word_of_their_own() -> None:
    assert keys(ask(index_of(DIALOGUE), "sailing course", mode="lexical")) == [1]
    assert sorted(keys(ask(index_of(DIALOGUE), "red plums", mode="lexical"))) == [4, 7, 8]


def test_notes_by_one_hand_do_not_lend_their_words() -> None:
    """Else a note that shares nothing with the question would pass a threshold because of what stands beside it."""
    notes = [entry._replace(speaker="user") for entry in DIALOGUE]
    words = {c.key: c.signals[1].value for c in ask(index_of(notes), "sailing course")}
    assert {key for key, share in words.items() if share > 0} == {1}


def test_a_long_record_neither_takes_nor_lends_words() -> None:
    lecture = " ".join(f"remark{i} on history" for i in range(200))
    index = index_of(
        [turn(1, "The sailing course is booked", "Ann"), turn(2, lecture, "Ben"), turn(3, lecture + " sailing", "Ann")]
    )
    words = {c.key: c.signals[1].value for c in ask(index, "sailing")}
    assert words[1] > 10 * words[2]
    assert words[3] > 10 * words[2]


def test_words_do_not_reach_across_sessions_or_long_pauses() -> None:
    def lent(turns: list[Entry]) -> float:
        return {c.key: c.signals[1].value for c in ask(index_of(turns), "sailing course")}[2]

    assert lent(DIALOGUE) > 0
    assert lent([entry._replace(session=str(entry.key)) for entry in DIALOGUE]) == 0
    assert lent([entry._replace(at=entry.at + entry.key * DAY) for entry in DIALOGUE]) == 0


def test_the_speaker_named_is_preferred() -> None:
    index = index_of(
        [turn(1, "I love old trains", "Ann"), turn(2, "I love old trains", "Ben"), turn(3, "Lunch is ready", "Ann")]
    )
    assert keys(ask(index, "What does Ann love?"))[0] == 1
    assert keys(ask(index, "What does Ben love?"))[0] == 2
    found = ask(index, "What does Ben love?", weights=SearchWeights(speaker=0))
    assert found[0].score == found[1].score
    assert all(signal.name != "speaker" for signal in found[0].signals)


def test_the_users_own_words_are_preferred_for_questions_about_me() -> None:
    index = index_of(
        [
            turn(1, "The dog is called Rex", "assistant"),
            turn(2, "The dog is called Rex", "user"),
            turn(3, "Fine.", "user"),
        ]
    )
    assert keys(ask(index, "What is my dog called?"))[0] == 2
    assert keys(ask(index, "How did you say the dog is called?"))[0] == 1


def test_the_time_asked_about_is_preferred_and_what_came_soon_after_next() -> None:
    times = [datetime(2023, month, 10, tzinfo=UTC) for month in (4, 5, 6, 12)]
    index = index_of([turn(i, "We went hiking together", session=str(i), at=at) for i, at in enumerate(times)])
    assert keys(ask(index, "Where did we go hiking in May 2023?")) == [1, 2, 3, 0]
    assert keys(ask(index, "Where did we go hiking in May 2023?", weights=SearchWeights(time=0))) == [3, 2, 1, 0]


@pytest.mark.parametrize("mode", MODES)
def test_the_parts_add_up_to_the_score(mode: Mode) -> None:
    for candidate in ask(index_of(DIALOGUE), "Which town is Ann's sailing course in?", mode=mode)[:3]:
        assert sum(signal.part for signal in candidate.signals) == pytest.approx(candidate.score, abs=1e-5)


def test_scores_lie_between_0_and_1_and_fall() -> None:
    for text in ("Where is the spare key?", "zebra", "the", "The spare key hangs behind the blue door of the shed"):
        scores = [candidate.score for candidate in ask(index_of(NOTES), text)]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
    assert ask(index_of(NOTES), "The spare key hangs behind the blue door of the shed")[0].score > 0.99


@pytest.mark.parametrize(("mode", "threshold"), [("hybrid", 0.5), ("dense", 0.5), ("lexical", 0.5)])
def test_a_threshold_keeps_what_fits_and_drops_what_was_never_stored(mode: Mode, threshold: float) -> None:
    """K10-09."""
    index = index_of(NOTES)
    assert keys(ask(index, "spare key behind the blue door", mode=mode, threshold=threshold)) == [3]
    assert ask(index, "Zorblax quarterly spaceship insurance", mode=mode, threshold=threshold) == []


def test_a_scope_of_one_record_scores_by_how_well_it_fits() -> None:
    index = index_of(NOTES[2:3])
    assert ask(index, "Where does the spare key hang?")[0].score > 0.6
    assert ask(index, "Zorblax quarterly insurance")[0].score < 0.3


def test_a_record_without_a_vector_is_found_by_words_only() -> None:
    bare = Entry(9, "s", 0, 9, "user", None, [(None, "heron mill")])
    index = index_of([*NOTES, bare])
    assert keys(ask(index, "heron"))[0] == 9
    assert 9 not in keys(ask(index, "heron", mode="dense"))
    assert 9 not in keys(ask(index, "boiler"))


def test_hybrid_needs_a_vector_and_lexical_does_not() -> None:
    index = index_of(NOTES)
    asked = parse("spare key", index.speakers, NOW)
    assert keys(rank(index, asked, wanted(limit=1, mode="lexical"))) == [3]
    with pytest.raises(InvalidInput, match="vector"):
        rank(index, asked, wanted(limit=1))
    with pytest.raises(InvalidInput, match="mode"):
        rank(index, asked, wanted(limit=1, mode="fuzzy"))


def test_what_expires_or_changes_between_two_questions_is_seen() -> None:
    """What is reckoned once for all questions holds no longer than it is true."""
    index = index_of(
        [turn(1, "a red apple", expires=micros(NOW) + 10), turn(2, "a green apple"), turn(3, "an old apple")]
    )
    for mode in MODES:
        assert sorted(keys(ask(index, "apple", mode=mode))) == [1, 2, 3]
        assert sorted(keys(ask(index, "apple", mode=mode, now=micros(NOW) + 10))) == [2, 3]
        assert sorted(keys(ask(index, "apple", mode=mode))) == [1, 2, 3]  # a clock may be set back
    index.remove([3])
    index.add([turn(4, "a new apple")])
    for mode in MODES:
        assert sorted(keys(ask(index, "apple", mode=mode))) == [1, 2, 4]


def test_weights_are_checked() -> None:
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InvalidInput, match="lexical"):
            SearchWeights(lexical=wrong)


def test_a_signal_is_switched_off_by_its_weight() -> None:
    index = index_of(NOTES)
    words = [c.key for c in ask(index, "spare boiler", weights=SearchWeights(dense=0))]
    assert words[:2] == keys(ask(index, "spare boiler", mode="lexical"))
    meaning = [c.key for c in ask(index, "spare boiler", weights=SearchWeights(lexical=0))]
    assert meaning == keys(ask(index, "spare boiler", mode="dense"))


def test_explain_says_why_each_candidate_was_left_out() -> None:
    index = index_of([*NOTES, turn(6, "The spare key is under the mat", expires=micros(NOW))])
    one = wanted(limit=1, threshold=0.05)
    asked = query(index, "Where is the spare key of the boiler?")
    explained = {c.key: c for c in explain(index, asked, one, only(1, 3, 4, 6), candidates=10)}
    reasons = {key: c.left_out for key, c in explained.items()}
    assert reasons[6] == "expired"
    assert reasons[2] == reasons[5] == "filter"
    assert sorted((reasons[1], reasons[3])) == ["", "limit"]
    hits = rank(index, asked, one, only(1, 3, 4, 6))
    assert [c.key for c in explained.values() if not c.left_out] == keys(hits)
    assert explained == {c.key: c for c in explain(index, asked, one, only(1, 3, 4, 6), candidates=10)}
    words = {s.name: s for s in explained[3].signals}
    assert words["lexical"].detail == "spare, key"
    assert -1 <= words["dense"].value <= 1


def test_explain_tells_words_that_do_not_match_and_scores_below_the_threshold() -> None:
    index = index_of(NOTES)
    asked = query(index, "spare key")
    lexical = {c.key: c.left_out for c in explain(index, asked, wanted(limit=5, mode="lexical"))}
    assert lexical == {1: "no match", 2: "no match", 3: "", 4: "no match", 5: "no match"}
    dense = {c.key: c.left_out for c in explain(index, asked, wanted(limit=5, mode="dense", threshold=0.3))}
    assert dense == {1: "threshold", 2: "threshold", 3: "", 4: "threshold", 5: "threshold"}
