"""The package without LlamaIndex."""

from __future__ import annotations

import subprocess
import sys

import genome_llama_index
import pytest

WITHOUT = """
import sys
sys.modules["llama_index"] = None
import genome_llama_index
from genome_core.errors import MissingDependency
for name in genome_llama_index.__all__:
    try:
        getattr(genome_llama_index, name)
    except MissingDependency as error:
        assert "pip install 'genome-plugins[llama-index]'" in str(error)
    else:
        raise AssertionError(name)
"""


def test_without_llamaindex_each_name_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_name_loads_and_an_unknown_one_does_not() -> None:
    for name in genome_llama_index.__all__:
        assert getattr(genome_llama_index, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Unknown'"):
        _ = genome_llama_index.Unknown
