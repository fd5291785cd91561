"""From ``user_id``, ``agent_id``, ``run_id`` or a namespace to what is written to and what is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, TypedDict, cast, overload

from genome_core.errors import InvalidScope
from genome_core.trust import Trust, TrustPolicy, as_trust
from genome_core.types import Namespace, Origins, Scope

_MAX_BYTES = 2000
"""A namespace's labels together, or an id, in UTF-8: what PostgreSQL can index."""

Ids: TypeAlias = str | Sequence[str] | None


class WriteScope(TypedDict, total=False):
    """Whose memory is written to: ids, or a namespace of labels."""

    user_id: str | None
    agent_id: str | None
    run_id: str | None
    namespace: Sequence[str] | None


class ReadScope(TypedDict, total=False):
    """Whose memory is read: everything below a user or a namespace; agents and runs wherever they are.

    Several agents or runs mean any of them. ``exact=True`` leaves out what lies below the namespace. ``min_trust`` is the least trust of
    what is read, by default what the memory's ``TrustPolicy`` shows; ``Trust.UNTRUSTED`` reads what is quarantined too.
    """

    user_id: str | None
    agent_id: Ids
    run_id: Ids
    namespace: Sequence[str] | None
    exact: bool
    min_trust: Trust | None


@overload
def write_namespace(scope: WriteScope) -> Namespace: ...
@overload
def write_namespace(scope: WriteScope, *, required: bool) -> Namespace | None: ...
def write_namespace(scope: WriteScope, *, required: bool = True) -> Namespace | None:
    """The one namespace that a write goes to; None if the scope names none and none is required. Raises ``InvalidScope``."""
    _known_keys(scope, WriteScope)
    ids = [(kind, scope.get(f"{kind}_id")) for kind in ("user", "agent", "run")]
    labels = tuple(f"{kind}:{_id(kind, given)}" for kind, given in ids if given is not None)
    namespace = scope.get("namespace")
    if namespace is not None:
        if labels:
            raise InvalidScope("namespace and ids exclude each other", hint="give one of them")
        return checked_namespace(namespace)
    if required and not labels:
        raise InvalidScope("whose memory is it?", hint="give user_id, agent_id, run_id or namespace")
    return checked_namespace(labels) if labels else None


def read_scope(scope: ReadScope, *, required: bool = True, origins: Origins | None = None) -> Scope:
    """What a read covers, in words of these origins. Raises ``InvalidScope`` if a scope is required and none is given."""
    _known_keys(scope, ReadScope)
    ids = [(kind, scope.get(f"{kind}_id")) for kind in ("user", "agent", "run")]
    namespace = scope.get("namespace")
    if namespace is not None:
        if any(given is not None for _, given in ids):
            raise InvalidScope("namespace and ids exclude each other", hint="give one of them")
        return Scope(checked_namespace(namespace), (), scope.get("exact", False), origins)
    if scope.get("exact"):
        return Scope(write_namespace(_single_ids(scope)), (), True, origins)
    user_id = scope.get("user_id")
    prefix = () if user_id is None else (f"user:{_id('user', user_id)}",)
    having = tuple(_group(kind, given) for kind, given in ids[1:] if given is not None)
    if required and not prefix and not having:
        raise InvalidScope(
            "whose memory is it?", hint="give user_id, agent_id, run_id or namespace; namespace=() means everybody's"
        )
    return Scope(prefix, having, False, origins)


def trusted(scope: ReadScope, policy: TrustPolicy, usual: Trust, *, required: bool = True) -> Scope:
    """What a read covers, and whose words in it: those of at least ``min_trust`` or, where it is not said, the ``usual`` tier.

    Raises ``InvalidScope`` as ``read_scope`` does, ``InvalidInput`` for what is no tier.
    """
    least = scope.get("min_trust")
    return read_scope(scope, required=required, origins=policy.origins(usual if least is None else as_trust(least)))


def _known_keys(scope: WriteScope | ReadScope, known: type[WriteScope] | type[ReadScope]) -> None:
    """A misspelt argument lands among the scope's: it must not be passed over."""
    unknown = scope.keys() - known.__annotations__.keys()
    if unknown:
        raise TypeError(
            f"unexpected arguments {', '.join(sorted(unknown))}; a scope has {', '.join(known.__annotations__)}"
        )


def _single_ids(scope: ReadScope) -> WriteScope:
    ids = {name: scope.get(name) for name in ("user_id", "agent_id", "run_id")}
    for name, given in ids.items():
        if given is not None and not isinstance(given, str):
            raise InvalidScope(f"exact with several {name}s", hint="name one")
    return cast("WriteScope", ids)


def _group(kind: str, given: Any) -> frozenset[str]:
    if not isinstance(given, str | Sequence | set | frozenset):
        raise InvalidScope(f"{kind}_id is {given!r}", hint="give a string, or a list of strings")
    group = frozenset(f"{kind}:{_id(kind, one)}" for one in ([given] if isinstance(given, str) else given))
    if not group:
        raise InvalidScope(f"an empty list of {kind} ids names nobody", hint="leave it out, or name at least one")
    return group


def checked_namespace(labels: Iterable[str]) -> Namespace:
    """The labels as a namespace; raises ``InvalidScope`` for what no database can keep exactly."""
    if isinstance(labels, str):
        raise InvalidScope(f"the namespace is the text {labels!r}", hint=f"give its labels, such as ({labels!r},)")
    namespace = tuple(labels)
    for label in namespace:
        if not isinstance(label, str) or not label.strip():
            raise InvalidScope(f"{label!r} is no label", hint="labels are strings with at least one visible character")
        _storable(label)
    if sum(len(label.encode()) + 1 for label in namespace) > _MAX_BYTES:
        raise InvalidScope(f"a namespace has at most {_MAX_BYTES} bytes", hint="use shorter labels")
    return namespace


def checked_id(id: str) -> str:
    """A record's id; raises ``InvalidScope`` for a blank or unusable one."""
    if not isinstance(id, str) or not id.strip():
        raise InvalidScope(f"{id!r} is no id", hint="an id is a string with at least one visible character")
    _storable(id)
    if len(id.encode()) > _MAX_BYTES:
        raise InvalidScope(f"an id has at most {_MAX_BYTES} bytes", hint="use a hash of it")
    return id


def _id(kind: str, given: Any) -> str:
    if not isinstance(given, str) or not given.strip():
        raise InvalidScope(f"{kind}_id is {given!r}", hint="give a string with at least one visible character")
    return given


def _storable(text: str) -> None:
    if "\x00" in text:
        raise InvalidScope(f"{text!r} holds NUL, which PostgreSQL can not keep")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidScope(f"{text!r} holds half a surrogate pair", hint="decode the source as UTF-8 first") from error
