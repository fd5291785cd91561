"""Terms, passages and wording."""

from __future__ import annotations

import re
import threading
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genome_core.search import text as texts
from genome_core.search.text import TARGET_TOKENS, passages, query_terms, split_passages, terms, wording
from genome_core.testing.embedders import FakeEmbedder
from genome_core.types import Record


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("We adopted two puppies", "puppy adoption adopting"),
        ("the café on the corner", "cafe"),
        ("the cafe on the corner", "CAFÉ"),
        ("naïve plan", "naive"),
        ("failed with ERR_42-x today", "ERR_42-x"),
        ("failed with ERR_42-x today", "err_42"),
        ("upgraded to v1.2.3.", "v1.2.3"),
        ("ticket ABC-123", "abc-123"),
        ("ticket ABC-123", "ABC 123"),
        ("call getUserName()", "user name"),
        ("call getUserName()", "getusername"),
        ("paid 1,200 euros", "1200"),
        ("it took 250.5 ms", "250.5"),
        ("Ann's brother", "Ann"),
        ("Ann’s brother", "ann"),
        ("Mr O'Brien called", "OBrien"),
        ("mail ann@example.org", "ann@example.org"),
        ("我喜欢玩成语接龙", "成语接龙"),
        ("我喜欢喝茶", "茶"),
        ("昨天watchdog重启了", "watchdog"),
        ("しりとりをした", "しりとり"),
        ("끝말잇기를 했다", "끝말잇기"),
        ("책을 읽었다", "책"),
        ("Мой пароль хранится в сейфе", "Пароли"),
        ("Ёлка стоит", "елка"),
        ("اشترى كتابا جديدا", "كتاب"),
        ("ฉันชอบกินข้าวเหนียว", "ข้าวเหนียว"),
        ("मुझे किताबें पसंद हैं", "किताबें"),
        ("Die Straße ist naß", "strasse"),
        ("ﬁle under Ⅳ", "file"),
    ],
)
def test_a_question_shares_terms_with_the_text_it_should_find(stored: str, asked: str) -> None:
    assert set(query_terms(asked)) & set(terms(stored))


@pytest.mark.parametrize("text", ["", "the", "???", "(", "*", "🎉🎉", "\ud83d", "\x00", "it's", "'", "-_-", "..."])
def test_nothing_to_look_up_gives_no_terms(text: str) -> None:
    assert query_terms(text) == []


def test_different_words_share_no_term() -> None:
    assert not set(terms("pottery class")) & set(terms("painting course"))


def test_terms_repeat_and_question_terms_do_not() -> None:
    assert terms("rain, rain and Rain") == ["rain"] * 3
    assert query_terms("rain, rain and Rain") == ["rain"]


@given(st.text())
def test_any_text_gives_terms_without_white_space(text: str) -> None:
    for term in terms(text):
        assert term
        assert term.split() == [term]
    assert set(query_terms(text)) <= set(terms(text))


def test_stemming_is_the_same_in_all_threads() -> None:
    text = " ".join(f"running{chr(97 + i % 26)}ing studies" for i in range(2000))
    expected, results = terms(text), list[list[str]]()
    threads = [threading.Thread(target=lambda: results.append(terms(text))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


def test_a_named_speaker_stands_in_the_wording() -> None:
    assert wording(Record(text="Hello", name="Ann")) == 'Ann said: "Hello"'
    assert wording(Record(text="Hello")) == "Hello"


def test_an_ordinary_turn_is_one_passage_and_is_kept_exactly() -> None:
    assert split_passages("  Hello there.\n\nHow are you?  ", FakeEmbedder()) == ["  Hello there.\n\nHow are you?  "]


@given(st.text(st.sampled_from("ab. \n!字"), max_size=3000), st.integers(12, 64))
def test_passages_fit_the_window_and_lose_nothing_but_space(text: str, window: int) -> None:
    embedder = FakeEmbedder(window=window)
    parts = split_passages(text, embedder)
    assert parts
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)
    assert all(embedder.count_tokens(part) <= window for part in parts)


def test_passages_end_with_sentences_where_they_can() -> None:
    sentence = "This sentence has exactly seven words here. "
    parts = split_passages(sentence * 200, FakeEmbedder())
    assert len(parts) > 5
    assert all(part.endswith(".") and part.startswith("This") for part in parts)
    assert all(FakeEmbedder().count_tokens(part) <= TARGET_TOKENS + 2 for part in parts)


def test_the_frame_of_a_named_turn_counts_too() -> None:
    embedder = FakeEmbedder(window=40)
    record = Record(
        text="word " * 500, name="Ann of the very long name with many parts", at=datetime(2024, 1, 1, tzinfo=UTC)
    )
    found = passages(record, embedder)
    assert len(found) > 10
    assert all(embedder.count_tokens(part.wording) <= 40 for part in found)
    assert all(part.wording.startswith("Ann of") and not part.text.startswith("Ann") for part in found)


@pytest.mark.parametrize(
    "text", ["word " * 200_000, "a" * 1_000_000, "字" * 300_000, "short. " * 140_000, "\n" * 1_000_000]
)
def test_a_megabyte_is_cut_in_counting_each_part_about_once(text: str) -> None:
    class Counting(FakeEmbedder):
        counted = 0

        def count_tokens(self, text: str) -> int:
            self.counted += len(text)
            return super().count_tokens(text)

    embedder = Counting()
    parts = split_passages(text, embedder)
    assert "".join(parts).replace(" ", "") == text.replace(" ", "").strip() or not text.strip()
    assert embedder.counted <= 8 * len(text)


def test_long_runs_are_terms_but_are_not_remembered() -> None:
    data = "k3" * 40
    assert terms(f"({data}), Rivers, rivers.") == [*terms(f"({data}),"), "river", "river"]
    assert data in terms(f"({data})")
    known = [len(texts._RUNS), len(texts._TOKENS)]
    terms(f"{data}x é{data}")
    assert [len(texts._RUNS), len(texts._TOKENS)] == known
