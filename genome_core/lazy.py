"""Names of a package that load when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from genome_core.errors import MissingDependency


def lazy_names(
    package: str, modules: Mapping[str, str], needs: Mapping[str, tuple[str, str]] | None = None
) -> Callable[[str], Any]:
    """A module's ``__getattr__``, which finds each name in the module of ``package`` that ``modules`` says.

    ``needs`` tells, for each optional top-level module, what it is called and what to install. If it is not there, using
    the name raises ``MissingDependency``.
    """
    needs = needs or {}

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(f"{package}.{modules[name]}"), name)
        except ModuleNotFoundError as error:
            missing = (error.name or "").split(".")[0]
            if missing not in needs:
                raise
            called, requirement = needs[missing]
            raise MissingDependency(f"{name} needs {called}", hint=f"pip install {requirement}") from error

    return load
