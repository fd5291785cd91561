"""Static vectors: fast, the same bits everywhere, distilled from any model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from genome_core.embedders import StaticEmbedder, distill
from genome_core.errors import InvalidInput
from genome_core.testing.embedders import check_embedder
from tests.embedders.processes import run_python
from tests.embedders.tiny import WIDTH

pytest.importorskip("model2vec")


def test_it_keeps_the_contract(tiny_static: Path) -> None:
    check_embedder(StaticEmbedder(tiny_static))


def test_vectors_agree_with_model2vec(tiny_static: Path) -> None:
    from model2vec import StaticModel

    texts = ["the cat sat.", "dog", "home, " * 700]
    theirs = StaticModel.from_pretrained(tiny_static).encode(texts, max_length=None)
    assert np.abs(StaticEmbedder(tiny_static).embed(texts) - theirs).max() < 1e-5  # theirs sums in float32


def test_a_model_with_shared_rows_and_separate_weights_agrees_with_model2vec(tiny_static: Path, tmp_path: Path) -> None:
    from model2vec import StaticModel

    whole = StaticModel.from_pretrained(tiny_static)
    rows = np.arange(len(whole.tokens)) % 10
    weights = np.linspace(0.5, 2, len(rows)).astype(np.float32)
    shared = StaticModel(
        whole.embedding[:10], whole.tokenizer, normalize=True, weights=weights, token_mapping=rows, max_length=None
    )
    shared.save_pretrained(tmp_path / "shared")
    texts = ["the cat sat.", "dog ran home"]
    assert np.abs(StaticEmbedder(tmp_path / "shared").embed(texts) - shared.encode(texts)).max() < 1e-6


def test_a_text_without_a_known_token_still_has_a_direction(tiny_static: Path) -> None:
    vectors = StaticEmbedder(tiny_static).embed(["", "雨", "cat"])
    assert np.array_equal(vectors[0], np.eye(1, WIDTH, dtype=np.float32)[0])
    assert np.array_equal(vectors[1], vectors[0])
    assert not np.array_equal(vectors[2], vectors[0])


def test_the_end_of_a_long_text_counts(tiny_static: Path) -> None:
    embedder = StaticEmbedder(tiny_static)
    first, second = embedder.embed(["cat " * 2000 + "dog " * 2000, "cat " * 2000])
    assert not np.allclose(first, second)
    assert embedder.count_tokens("cat " * 2000) == 2000


def test_the_same_bits_come_from_another_process(tiny_static: Path) -> None:
    texts = ["the cat sat.", "dog ran home", ""]
    code = (
        "from genome_core.embedders import StaticEmbedder\n"
        f"print(StaticEmbedder({str(tiny_static)!r}).embed({texts!r}).tobytes().hex())"
    )
    printed = run_python(code, {"PYTHONHASHSEED": "3"}, absent=("torch", "transformers"))
    assert printed.strip() == StaticEmbedder(tiny_static).embed(texts).tobytes().hex()


def test_the_fingerprint_tells_models_apart(tiny_static: Path, tiny_model: Path) -> None:
    fingerprint = StaticEmbedder(tiny_static).fingerprint
    assert (fingerprint.name, fingerprint.kind, fingerprint.dimensions) == ("tiny-static", "static", WIDTH)
    assert len(fingerprint.digest) == 64


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no model in"):
        StaticEmbedder(tmp_path)


def test_distilling_makes_a_model_that_loads_and_is_the_same_each_time(tiny_model: Path, tmp_path: Path) -> None:
    pytest.importorskip("skeletoken")
    made = distill(tiny_model, tmp_path / "static")
    check_embedder(made)
    again = distill(tiny_model, tmp_path / "again")
    assert made.fingerprint.digest == again.fingerprint.digest
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "static"]


def test_distilling_never_overwrites(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="exists already"):
        distill(tiny_model, tmp_path)


def test_without_the_library_the_error_says_what_to_install(
    tiny_static: Path, tiny_model: Path, tmp_path: Path
) -> None:
    code = f"""
from genome_core.embedders import StaticEmbedder, distill
from genome_core.errors import MissingDependency
for attempt in (lambda: StaticEmbedder({str(tiny_static)!r}), lambda: distill({str(tiny_model)!r}, {str(tmp_path / "new")!r})):
    try:
        attempt()
    except MissingDependency as error:
        print(error.hint)
"""
    assert run_python(code, absent=("model2vec",)).splitlines() == ["pip install 'genome-plugins[static]'"] * 2
