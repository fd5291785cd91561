"""The OpenAI embedder, against a server on this machine that speaks the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import numpy as np
import pytest

from genome_core.embedders import OpenAIEmbedder, load_embedder
from genome_core.errors import EmbedderError, InvalidInput, MissingDependency
from genome_core.testing.embedders import FakeEmbedder, check_embedder
from tests.embedders.processes import run_python

pytest.importorskip("openai")


class FakeService(ThreadingHTTPServer):
    """Answers ``POST /v1/embeddings``; the last row comes first, as the protocol allows."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.drop = 0
        self.status = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        vectors = FakeEmbedder(body.get("dimensions", 24)).embed(body["input"]) * 3
        rows = [
            {"object": "embedding", "index": index, "embedding": vector.tolist()}
            for index, vector in enumerate(vectors)
        ]
        kept = rows[: len(rows) - self.drop][::-1]
        return {
            "object": "list",
            "model": body["model"],
            "data": kept,
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }


class Handler(BaseHTTPRequestHandler):
    server: FakeService

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        self.server.keys.append(self.headers["Authorization"])
        failed = self.server.status != 200
        known = self.path == "/v1/embeddings"
        answer = {"error": {"message": "no quota"}} if failed or not known else self.server.answer(body)
        content = json.dumps(answer).encode()
        self.send_response(self.server.status if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: the default writes to stderr."""


@pytest.fixture
def service() -> Iterator[FakeService]:
    with FakeService() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def connect(service: FakeService, **options: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder(base_url=service.url, api_key="a-key", max_retries=0, **options)


def test_it_keeps_the_contract(service: FakeService) -> None:
    check_embedder(connect(service), deterministic=False)


def test_vectors_are_put_in_the_order_of_the_texts_and_scaled(service: FakeService) -> None:
    texts = ["one", "two", "three"]
    assert np.allclose(connect(service).embed(texts), FakeEmbedder(24).embed(texts), atol=1e-6)


def test_the_model_width_and_key_are_sent(service: FakeService) -> None:
    embedder = connect(service, model="some-model", dimensions=8)
    assert (embedder.fingerprint.name, embedder.fingerprint.dimensions) == ("some-model", 8)
    assert service.requests[-1]["model"] == "some-model"
    assert service.requests[-1]["dimensions"] == 8
    assert service.keys == ["Bearer a-key"]


def test_large_batches_are_split(service: FakeService) -> None:
    embedder = connect(service)
    assert embedder.embed([f"text {number}" for number in range(600)]).shape == (600, 24)
    assert [len(request["input"]) for request in service.requests] == [1, 256, 256, 88]


def test_long_texts_are_sent_in_smaller_batches(service: FakeService) -> None:
    embedder = connect(service)
    embedder.embed(["word " * 4000] * 80)
    sizes = [len(request["input"]) for request in service.requests[1:]]
    assert sum(sizes) == 80
    assert max(sizes) * embedder.count_tokens("word " * 4000) < 300_000


def test_a_vector_too_few_is_an_error(service: FakeService) -> None:
    embedder = connect(service)
    service.drop = 1
    with pytest.raises(EmbedderError, match="2 vectors for 3 texts"):
        embedder.embed(["one", "two", "three"])


def test_a_failing_service_is_an_embedder_error(service: FakeService) -> None:
    embedder = connect(service)
    service.status = 429
    with pytest.raises(EmbedderError, match="no quota"):
        embedder.embed(["one"])


def test_a_service_that_is_not_there_is_an_embedder_error(service: FakeService) -> None:
    gone = service.url.replace(str(service.server_port), "1")
    with pytest.raises(EmbedderError, match="embedding service failed"):
        OpenAIEmbedder(base_url=gone, api_key="a-key", max_retries=0)


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InvalidInput, match="set OPENAI_API_KEY"):
        OpenAIEmbedder()


def test_it_is_loaded_by_name_with_the_settings_of_the_environment(
    service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", service.url)
    embedder = load_embedder("openai:another-model")
    assert embedder.fingerprint.name == "another-model"
    assert service.keys == ["Bearer from-the-environment"]


def test_without_the_library_the_error_says_what_to_install() -> None:
    code = """
from genome_core.embedders import OpenAIEmbedder
from genome_core.errors import MissingDependency
try:
    OpenAIEmbedder()
except MissingDependency as error:
    print(error.hint)
"""
    assert run_python(code, absent=("openai",)).strip() == "pip install 'genome-plugins[openai]'"
    assert issubclass(MissingDependency, ImportError)
