"""The default embedder: exact, the same bits everywhere, light to start."""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from genome_core.embedders import OnnxEmbedder, SentenceTransformerEmbedder
from genome_core.embedders.models import DEFAULT_SHA256, cache_folder
from genome_core.embedders.onnx_runtime import _default_threads
from tests.embedders.processes import run_python

WORDS = "the river rose after rain and nobody in town could remember when it last stood so high 2019 Ünder 雨".split()
HEAVY = ("torch", "transformers", "sentence_transformers", "onnx", "huggingface_hub")


def mixed_texts(count: int, seed: int) -> list[str]:
    """Texts from nothing to past the window, in an order that mixes their lengths."""
    choice = random.Random(seed)
    lengths = [choice.choice([0, 1, 2, 5, 20, 25, 30, 60, 300]) for _ in range(count)]
    return [" ".join(choice.choices(WORDS, k=length)) for length in lengths]


def test_vectors_agree_with_torch_and_so_do_the_fingerprints(
    onnx: OnnxEmbedder, torch_minilm: SentenceTransformerEmbedder
) -> None:
    texts = mixed_texts(24, seed=1)
    assert np.abs(onnx.embed(texts) - torch_minilm.embed(texts)).max() < 1e-6
    assert onnx.fingerprint == torch_minilm.fingerprint
    assert onnx.window == torch_minilm.window == 256
    assert [onnx.count_tokens(text) for text in texts] == [torch_minilm.count_tokens(text) for text in texts]


def test_the_fingerprint_names_the_official_weights(onnx: OnnxEmbedder) -> None:
    assert (onnx.fingerprint.name, onnx.fingerprint.digest) == ("all-MiniLM-L6-v2", DEFAULT_SHA256)
    assert (onnx.fingerprint.dimensions, onnx.fingerprint.kind) == (384, "transformer")


def test_a_text_has_the_same_bits_in_every_batch(onnx: OnnxEmbedder) -> None:
    texts = mixed_texts(24, seed=2)
    alone = np.concatenate([onnx.embed([text]) for text in texts])
    order = list(range(len(texts)))
    for seed in range(3):
        random.Random(seed).shuffle(order)
        size = 1 + 13 * seed
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        for batch in batches:
            assert np.array_equal(onnx.embed([texts[place] for place in batch]), alone[batch])


def test_a_text_has_the_same_bits_among_many_of_its_length(onnx: OnnxEmbedder) -> None:
    choice = random.Random(5)
    plain = [word for word in WORDS if onnx.count_tokens(word) == 3]
    texts = [" ".join(choice.choices(plain, k=size)) for size in (1, 21) for _ in range(40)]
    alone = np.concatenate([onnx.embed([text]) for text in texts])
    assert np.array_equal(onnx.embed(texts), alone)
    assert np.array_equal(onnx.embed(texts[::3]), alone[::3])


def test_a_text_has_the_same_bits_from_eight_threads_at_once(onnx: OnnxEmbedder) -> None:
    texts = mixed_texts(8, seed=3)
    alone = onnx.embed(texts)
    with ThreadPoolExecutor(8) as pool:
        for vectors in pool.map(lambda _: onnx.embed(texts), range(8)):
            assert np.array_equal(vectors, alone)


def test_a_text_has_the_same_bits_in_another_process_and_with_another_number_of_threads(onnx: OnnxEmbedder) -> None:
    texts = mixed_texts(12, seed=4)
    expected = onnx.embed(texts).tobytes().hex()
    code = f"from genome_core.embedders import OnnxEmbedder\nprint(OnnxEmbedder().embed({texts!r}).tobytes().hex())"
    for seed, threads in (("0", "1"), ("1", "2"), ("random", "4")):
        assert run_python(code, {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads}).strip() == expected


def test_an_exported_model_needs_neither_torch_nor_sentence_transformers(onnx: OnnxEmbedder) -> None:
    code = "from genome_core.embedders import OnnxEmbedder\nprint(OnnxEmbedder().embed(['hello']).shape)"
    assert run_python(code, absent=HEAVY).strip() == "(1, 384)"


def test_importing_the_package_loads_no_model_library() -> None:
    code = "import genome_core.embedders\nprint({'numpy', 'onnxruntime', 'tokenizers', 'torch'} & set(sys.modules))"
    assert run_python(code).strip() == "set()"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.parametrize("threads", [1, 4])
def test_a_forked_process_embeds_and_ends(onnx: OnnxEmbedder, threads: int) -> None:
    code = f"""
import os
from genome_core.embedders import OnnxEmbedder
embedder = OnnxEmbedder(threads={threads})
texts = ["in the parent", "and in the child"]
vectors = embedder.embed(texts)
child = os.fork()
if child == 0:
    sys.exit(not (embedder.embed(texts) == vectors).all())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run_python(code, timeout=60).strip() == "0"


def test_nothing_is_written_to_the_home_and_no_thread_reports_home(onnx: OnnxEmbedder, tmp_path: Path) -> None:
    """The packages of ONNX Runtime keep and send records of their use unless they are told not to."""
    code = """
import os
os.environ.pop("ORT_DISABLE_TELEMETRY", None)
from genome_core.embedders import OnnxEmbedder
OnnxEmbedder().embed(["hello"])
print(os.environ["ORT_DISABLE_TELEMETRY"])
"""
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "GENOME_CACHE": str(cache_folder())}
    run_python(code, home)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize(
    ("setting", "expected"), [("1", 1), ("3", 3), ("2,1", 2), ("", None), ("0", None), ("many", None)]
)
def test_the_number_of_threads_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, setting: str, expected: int | None
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", setting)
    assert _default_threads() == expected or (expected is None and 1 <= _default_threads() <= 4)


def test_count_tokens_counts_past_the_window(onnx: OnnxEmbedder) -> None:
    assert onnx.count_tokens("") == 2
    assert onnx.count_tokens("hello") == 3
    assert onnx.count_tokens("hello " * 254) == onnx.window
    assert onnx.count_tokens("hello " * 5000) == 5002


def test_a_query_is_embedded_as_the_same_text(onnx: OnnxEmbedder) -> None:
    assert np.array_equal(onnx.embed_query("Where is my key?"), onnx.embed(["Where is my key?"])[0])


def test_similar_texts_are_nearer_than_others(onnx: OnnxEmbedder) -> None:
    question, answer, other = onnx.embed(
        ["Which pet does she have?", "She adopted a small grey cat.", "The train to Porto leaves at nine."]
    )
    assert question @ answer > question @ other + 0.2
