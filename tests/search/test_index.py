"""The resident index: order of turns, windows, removal, compaction."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genome_core.search import index as index_module
from genome_core.search.index import Block, Entry, ScopeIndex
from genome_core.search.postings import Postings


def entry(
    key: int, *, session: str = "s", at: int | None = None, speaker: str = "Ann", texts: tuple[str, ...] = ("word",)
) -> Entry:
    vector = np.zeros(4, np.float32)
    vector[key % 4] = 1.0
    return Entry(key, session, key if at is None else at, key, speaker, None, tuple((vector, text) for text in texts))


def orders(index: ScopeIndex) -> dict[int, tuple[int, ...]]:
    """For each live key the keys of its record's neighbours."""
    return {int(key): tuple(chain(*index.neighbours(int(key), 100))) for key in index.key.data[index.alive.data]}


def windows(index: ScopeIndex) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """For each live row, told as (key, passage), its window in the same terms, -1 where there is no neighbour."""

    def name(row: int) -> tuple[int, int]:
        record = int(index.owner.data[row])
        return int(index.key.data[record]), row - int(index.first.data[record])

    return {
        name(row): [name(int(r)) if r >= 0 else (-1, -1) for r in index.windows.data[row]]
        for row in range(len(index.owner))
        if index.alive.data[index.owner.data[row]]
    }


def assert_same(one: ScopeIndex, other: ScopeIndex) -> None:
    assert orders(one) == orders(other)
    assert windows(one) == windows(other)
    assert dict(
        zip(one.key.data[one.alive.data], one.voices.data[one.session.data[one.alive.data]], strict=True)
    ) == dict(
        zip(other.key.data[other.alive.data], other.voices.data[other.session.data[other.alive.data]], strict=True)
    )


def test_neighbours_come_in_order_of_time_whatever_order_they_arrived_in() -> None:
    index = ScopeIndex(4)
    for key, at in ((1, 30), (2, 10), (3, 20), (4, 40)):
        index.add([entry(key, at=at)])
    assert index.neighbours(3, 5) == ([2], [1, 4])
    assert index.neighbours(1, 1) == ([3], [4])
    assert index.neighbours(99, 5) == ([], [])


def test_neighbours_stay_in_the_session() -> None:
    index = ScopeIndex(4)
    index.add([entry(1, session="a"), entry(2, session="b"), entry(3, session="a")])
    assert index.neighbours(1, 5) == ([], [3])


def test_adding_a_known_key_replaces_the_record() -> None:
    index = ScopeIndex(4)
    index.add([entry(1, texts=("old",)), entry(2)])
    index.add([entry(1, texts=("new",), at=9)])
    assert len(index) == 2
    assert index.neighbours(2, 5) == ([], [1])


def test_a_record_without_a_passage_is_refused() -> None:
    index = ScopeIndex(4)
    with pytest.raises(ValueError, match="passage"):
        index.add([entry(1, texts=())])
    assert len(index) == 0


def test_removal_of_unknown_keys_does_nothing() -> None:
    index = ScopeIndex(4)
    index.add([entry(1)])
    index.remove([7])
    assert len(index) == 1


def test_bytes_grow_with_content() -> None:
    index = ScopeIndex(4)
    before = index.nbytes
    index.add([entry(key) for key in range(1000)])
    assert index.nbytes > before + 1000 * 4 * 4


records = st.builds(
    lambda key, session, at, speaker, passages: entry(
        key, session=session, at=at, speaker=speaker, texts=("a b",) * passages
    ),
    st.integers(0, 30),
    st.sampled_from("ab"),
    st.integers(0, 5),
    st.sampled_from(["Ann", "Ben"]),
    st.integers(1, 4),
)


@settings(max_examples=150)
@given(
    st.lists(st.one_of(st.lists(records, min_size=1, max_size=25), st.lists(st.integers(0, 30), max_size=6).map(tuple)))
)
def test_any_history_of_additions_and_removals_gives_the_same_index_as_building_it_at_once(
    history: list[list[Entry] | tuple[int, ...]],
) -> None:
    index, alive = ScopeIndex(4), dict[int, Entry]()
    for step in history:
        if isinstance(step, tuple):
            index.remove(step)
            for key in step:
                alive.pop(key, None)
        else:
            index.add(step)
            alive |= {e.key: e for e in step}
    rebuilt = ScopeIndex(4)
    rebuilt.add(alive.values())
    assert_same(index, rebuilt)


def test_compaction_keeps_what_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_MOST_DEAD", 4)
    index, fresh = ScopeIndex(4), ScopeIndex(4)
    everything = [entry(key, texts=(f"w{key} common", "second"), speaker="AB"[key % 2]) for key in range(40)]
    index.add(everything)
    index.remove(range(30))
    fresh.add(everything[30:])
    assert len(index.key) < 40
    assert_same(index, fresh)
    rows, counts = index.postings.of("common")
    assert sorted(index.key.data[index.owner.data[rows]]) == list(range(30, 40))
    assert counts.tolist() == [1] * 10
    assert len(index.postings.of("w3")[0]) == 0
    index.add([entry(99)])
    assert index.neighbours(99, 2) == ([38, 39], [])


def test_what_was_added_before_a_source_of_blocks_failed_is_there_in_order() -> None:
    index = ScopeIndex(4)
    index.add([entry(1)])

    def blocks() -> Iterator[Block]:
        for keys in (range(10, 40), range(2, 10)):
            texts = ["word"] * len(keys)
            ones = np.ones(len(keys), np.int64)
            vectors = np.eye(4, dtype=np.float32)[[key % 4 for key in keys]]
            yield Block(keys, ["s"] * len(keys), keys, keys, texts, [None] * len(keys), ones, texts, vectors, ones > 0)
        raise ConnectionError("the database is gone")

    with pytest.raises(ConnectionError):
        index.add_blocks(blocks())
    assert index.neighbours(9, 2) == ([7, 8], [10, 11])
    index.remove(range(2, 40))
    assert index.neighbours(1, 2) == ([], [])


words = st.lists(st.sampled_from(["river", "family", "dinner", "x"]), max_size=4)


@given(st.lists(st.lists(words, min_size=1, max_size=30), max_size=12), st.sets(st.integers(0, 100)), st.booleans())
def test_postings_hold_every_word_however_the_rows_came(
    batches: list[list[list[str]]], dropped: set[int], one_by_one: bool
) -> None:
    postings, rows = Postings(), list[list[str]]()
    for batch in batches:
        for part in [[row] for row in batch] if one_by_one else [batch]:
            lengths = postings.extend(len(rows), [" ".join(row) for row in part])
            assert lengths.tolist() == [len(row) for row in part]
            rows += part
    kept = [number not in dropped for number in range(len(rows))]
    for renumbered in (False, True):
        if renumbered:
            postings.renumber(np.where(kept, np.cumsum(kept) - 1, -1))
            rows = [row for row, stays in zip(rows, kept, strict=True) if stays]
        for word in ("river", "family", "dinner", "x", "unheard"):
            expected = [(place, row.count(word)) for place, row in enumerate(rows) if word in row]
            found, counts = postings.of(word)
            assert list(zip(found.tolist(), counts.tolist(), strict=True)) == expected
