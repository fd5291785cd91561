"""The parts of the rules: words, clauses, frames, and the tense that decides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genome_core.facts.clauses import _VERBAL, Clause, clauses
from genome_core.facts.frame_index import GROUPS, index
from genome_core.facts.frames import Frames
from genome_core.facts.matching import match
from genome_core.facts.nouns import kinds_of
from genome_core.facts.phrases import noun_phrase
from genome_core.facts.verbs import Phase, Tense, verb_group
from genome_core.facts.words import VERB_FORMS, Form, tokenize


def only(text: str) -> Clause:
    (clause,) = [clause for clause in clauses(tokenize(text)) if clause.verb]
    return clause


def phrase(text: str) -> list[str]:
    found = noun_phrase(tokenize(text), 0)
    return [word.low for word in found.words] if found else []


def test_tokens_keep_their_offsets() -> None:
    text = "I didn't cost £40, dont u know?"
    assert all(text[t.start : t.end] == t.text for t in tokenize(text))


@pytest.mark.parametrize(
    ("form", "lemma", "kind"),
    [
        ("bought", "buy", Form.PAST),
        ("quit", "quit", Form.PARTICIPLE),
        ("stepped", "step", Form.PAST),
        ("dying", "die", Form.GERUND),
        ("carries", "carry", Form.PRESENT),
    ],
)
def test_verb_forms(form: str, lemma: str, kind: Form) -> None:
    assert (lemma, kind) in VERB_FORMS[form]


def test_every_verb_of_the_frames_is_known_in_all_its_forms() -> None:
    known = {lemma for readings in VERB_FORMS.values() for lemma, _ in readings}
    assert sorted(set(index()) - known) == []


def test_every_group_names_kinds_and_attributes() -> None:
    assert all(entry.count(":") == 1 for group in GROUPS for entry in group.takes.split())
    assert all("=" in group.value for group in GROUPS if group.value)


FRAMES = sorted(
    {frame.elements: frame for frames in index().values() for frame in frames.every}.values(), key=lambda f: f.elements
)
NAMED = sorted({word for frame in FRAMES for element in frame.elements for word in element.strip("()!").split("|")})
WORDS = st.lists(
    st.sampled_from([*NAMED, "Ola", "a", "the", "car", "keys", "job", "her", "now", ",", "Acme"]), max_size=6
)


@given(WORDS)
def test_a_frame_matches_only_where_one_of_its_words_follows(words: list[str]) -> None:
    tokens = tokenize(" ".join(words))
    tried = Frames(FRAMES).before(frozenset(token.low for token in tokens))
    assert tried == [frame for frame in FRAMES if frame in tried]
    assert [frame.elements for frame in FRAMES if frame not in tried and match(frame.elements, tokens)] == []


VERBLESS = [
    word
    for word in [*NAMED, "will", "n't", "not", "Ola", "the", "car", "used", "'s", "no", "longer"]
    if word not in VERB_FORMS
]


@given(st.lists(st.sampled_from(VERBLESS), min_size=1, max_size=6))
def test_without_a_word_that_can_be_a_verb_there_is_no_verb(words: list[str]) -> None:
    tokens = [token for token in tokenize(" ".join(words)) if not (token.forms or token.low in _VERBAL)]
    groups = [verb_group(tokens, i, after_subject=after) for i in range(len(tokens)) for after in (True, False)]
    assert groups == [None] * len(groups)


def test_most_frames_name_a_word() -> None:
    assert sum(bool(frame.named) for frame in FRAMES) > len(FRAMES) / 2


@pytest.mark.parametrize(
    ("text", "lemma", "tense"),
    [
        ("Ola works there", "work", Tense.PRESENT),
        ("Ola is working there", "work", Tense.PROGRESSIVE),
        ("Ola worked there", "work", Tense.PAST),
        ("Ola has worked there", "work", Tense.PERFECT),
        ("Ola's been working there", "work", Tense.PERFECT_PROGRESSIVE),
        ("Ola had worked there", "work", Tense.PAST_PERFECT),
        ("Ola will work there", "work", Tense.FUTURE),
        ("Ola is going to work there", "work", Tense.FUTURE),
        ("Ola wants to work there", "work", Tense.FUTURE),
        ("Ola had to sell the car", "sell", Tense.PAST),
        ("Ola ended up buying the car", "buy", Tense.PAST),
        ("Ola almost bought the car", "buy", Tense.FUTURE),
    ],
)
def test_the_verb_group_gives_lemma_and_tense(text: str, lemma: str, tense: Tense) -> None:
    verb = only(text).verb
    assert verb is not None
    assert (verb.lemma, verb.tense) == (lemma, tense)


@pytest.mark.parametrize(
    ("text", "phase"),
    [
        ("Ola started working there", Phase.START),
        ("Ola stopped working there", Phase.STOP),
        ("Ola used to work there", Phase.USED),
        ("Ola works there", Phase.NONE),
    ],
)
def test_the_verb_above_gives_the_phase(text: str, phase: Phase) -> None:
    verb = only(text).verb
    assert verb is not None
    assert verb.phase is phase


def test_a_clause_without_a_subject_takes_the_one_before() -> None:
    first, second = clauses(tokenize("Ola moved to Nantes and joined Hexagon"))
    assert second.inherited
    assert second.subjects == first.subjects


def test_a_sentence_without_a_subject_means_the_speaker() -> None:
    assert only("Started at Hexagon today").elliptic


def test_what_could_not_be_read_leaves_the_next_clause_without_a_subject() -> None:
    last = clauses(tokenize("the removal people lovely as ever carried it all and left for Spain"))[-1]
    assert not last.elliptic or last.verb is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a small games studio in Brno", ["small", "games", "studio"]),
        ("the Bank of America now", ["bank", "of", "america"]),
        ("St Mary's in May", ["st", "mary", "'s"]),
        ("my sister Ola works", ["sister", "ola"]),
        ("head of sales at Hexagon", ["head", "of", "sales"]),
    ],
)
def test_noun_phrases_end_where_they_should(text: str, words: list[str]) -> None:
    assert phrase(text) == words


def test_a_possessor_is_kept_apart() -> None:
    found = noun_phrase(tokenize("Ola's new car"), 0)
    assert found is not None
    assert found.possessor is not None
    assert found.possessor.words[0].text == "Ola"


@pytest.mark.parametrize(
    ("words", "capital", "kind"),
    [
        (["toyota", "corolla"], [True, True], "car"),
        (["golf"], [True], "car"),
        (["golf"], [False], "hobby"),
        (["marine", "biologist"], [False, False], "role"),
        (["head", "of", "sales"], [False, False, False], "role"),
        (["new", "york"], [True, True], "place"),
        (["cat", "soot"], [False, True], "pet"),
    ],
)
def test_kinds_of_nouns(words: list[str], capital: list[bool], kind: str) -> None:
    assert kind in kinds_of(words, capital)


def test_a_lower_case_golf_is_no_car() -> None:
    assert "car" not in kinds_of(["golf"], [False])
