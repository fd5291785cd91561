"""The filter language: parsed once, answered by SQLite, by PostgreSQL, and by plain Python as the reference.

A filter is a mapping over a record's metadata; all its conditions must hold::

    {"city": "Rome"}                        equality; numbers by value (5 equals 5.0), true is not 1
    {"n": {"$gte": 2, "$lt": 5}}            several operators on one key
    {"tags": {"$contains": "red"}}          the key holds a list with this element
    {"title": {"$includes": "art"}}         the key holds a text with this text in it; case counts
    {"address": {"city": "Rome"}}           a nested key; a dot in a key is just a dot
    {"$or": [{"a": 1}, {"$not": {"b": 2}}]}
    {"$value": {"color": "red"}}            the same language over the record's structured value

Operators: ``$eq $ne $gt $gte $lt $lte $in $nin $contains $includes $exists`` and ``$and $or $not``.

**Absent keys** match nothing but ``$exists: false``, so ``{"k": {"$ne": 1}}`` needs the key to be there; ``$not`` is the
plain complement. A list with nothing in it decides alone: ``$in: []`` matches nothing, ``$nin: []`` everything.
**Order** is defined between two numbers and between two strings (by code point); other pairs do not match.
``$eq`` and ``$ne`` compare lists and mappings as a whole.
"""

from __future__ import annotations

import json
import operator
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from genome_core.errors import InvalidFilter
from genome_core.storage.json_text import from_json, json_text
from genome_core.types import Filter

_ORDER: Mapping[str, Callable[[Any, Any], Any]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_OPERATORS = {"$eq", "$ne", "$in", "$nin", "$contains", "$includes", "$exists", *_ORDER}
_MOST_PARTS = 500
"""SQLite bounds the depth of an expression."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One operator on one key. ``path`` begins with ``metadata`` or ``value``."""

    path: tuple[str, ...]
    operator: str
    operand: Any


@dataclass(frozen=True, slots=True)
class All:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Some:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Node


Node = Condition | All | Some | Not


def parse(filter: Filter) -> Node:
    """Reads a filter; raises ``InvalidFilter`` for anything outside the language, or too large for a database."""
    node = _parse(filter, ("metadata",))
    if (size := _size(node)) > _MOST_PARTS:
        raise InvalidFilter(
            f"a filter of {size} conditions", hint=f"at most {_MOST_PARTS}; $in takes any number of values"
        )
    return node


def _size(node: Node) -> int:
    if isinstance(node, All | Some):
        return 1 + sum(map(_size, node.parts))
    return 1 + _size(node.part) if isinstance(node, Not) else 1


def _parse(filter: Filter, path: tuple[str, ...]) -> Node:
    if not isinstance(filter, Mapping):
        raise InvalidFilter(f"a filter is a mapping, not {type(filter).__name__}", hint='such as {"city": "Rome"}')
    parts: list[Node] = []
    for key, operand in filter.items():
        if not isinstance(key, str):
            raise InvalidFilter(f"filter keys are strings, not {key!r}")
        _require_json(key)
        parts.append(_entry(key, operand, path))
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _entry(key: str, operand: Any, path: tuple[str, ...]) -> Node:
    if key in ("$and", "$or"):
        if not _is_list(operand):
            raise InvalidFilter(f"{key} takes a list of filters, not {operand!r}")
        parts = tuple(_parse(part, path) for part in operand)
        return All(parts) if key == "$and" else Some(parts)
    if key == "$not":
        return Not(_parse(operand, path))
    if key == "$value" and path == ("metadata",):
        return _parse(operand, ("value",))
    if key in _OPERATORS:
        raise InvalidFilter(f"{key} stands where a key should", hint=f'write {{"key": {{"{key}": ...}}}}')
    here = (*path, key)
    if not isinstance(operand, Mapping):
        return _condition(here, "$eq", operand)
    if not operand:
        return _condition(here, "$eq", {})
    if not all(isinstance(name, str) and name.startswith("$") for name in operand):
        return _parse(operand, here)
    parts = tuple(
        Not(_parse({key: value}, path)) if name == "$not" else _condition(here, name, value)
        for name, value in operand.items()
    )
    return parts[0] if len(parts) == 1 else All(parts)


def _condition(path: tuple[str, ...], operator: str, operand: Any) -> Condition:
    if operator not in _OPERATORS:
        raise InvalidFilter(
            f"unknown operator {operator}", hint=f"one of {', '.join(sorted(_OPERATORS))}, $and, $or, $not"
        )
    if operator in ("$in", "$nin"):
        if not _is_list(operand):
            raise InvalidFilter(f"{operator} takes a list, not {operand!r}")
        operand = list(operand)
    if operator == "$exists" and not isinstance(operand, bool):
        raise InvalidFilter(f"$exists takes true or false, not {operand!r}")
    if operator in _ORDER and (isinstance(operand, bool) or not isinstance(operand, (int, float, str))):
        raise InvalidFilter(f"{operator} compares numbers or strings, not {operand!r}")
    if operator == "$contains" and isinstance(operand, (Mapping, list, tuple)):
        raise InvalidFilter("$contains looks for one plain value", hint="use $and for several")
    if operator == "$includes" and not isinstance(operand, str):
        raise InvalidFilter(f"$includes looks for a text, not {operand!r}")
    _require_json(operand)
    return Condition(path, operator, operand)


def _is_list(operand: Any) -> bool:
    return isinstance(operand, Sequence | set | frozenset) and not isinstance(operand, str | bytes)


def _require_json(operand: Any) -> None:
    if isinstance(operand, str) and operand.isascii() and "\x00" not in operand:
        return
    try:
        text = json.dumps(operand, allow_nan=False, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError) as error:
        raise InvalidFilter(f"{operand!r} can not be compared with stored JSON") from error
    if "\\u0000" in text and "\x00" in str(operand):
        raise InvalidFilter("no stored text holds NUL")


# --- the reference ---------------------------------------------------------------------------------------------------


def matches(node: Node, document: Mapping[str, Any]) -> bool:
    """Whether a document ``{"metadata": ..., "value": ...}`` passes; what the databases must agree with."""
    if isinstance(node, All):
        return all(matches(part, document) for part in node.parts)
    if isinstance(node, Some):
        return any(matches(part, document) for part in node.parts)
    if isinstance(node, Not):
        return not matches(node.part, document)
    found: Any = document
    for key in node.path:
        if not (type(found) is dict or isinstance(found, Mapping)) or key not in found:  # the former is quick
            return node.operand is False if node.operator == "$exists" else node.operator == "$nin" and not node.operand
        found = found[key]
    return _holds(node, found)


def test(filter: Filter) -> Callable[[Mapping[str, Any]], bool]:
    """A test of rows that have the texts of ``metadata`` and ``value``: ``where`` in Python. Raises ``InvalidFilter``."""
    node = parse(filter)
    asked, texts = sorted(_asked(node)), _texts(node)

    def passes(row: Mapping[str, Any]) -> bool:
        for name, text in texts:
            if text not in (row[name] or ""):
                return False
        try:
            document = {name: None if row[name] is None else from_json(row[name]) for name in asked}
        except ValueError:  # damaged from outside
            return False
        return matches(node, document)

    return passes


def _holds(condition: Condition, found: Any) -> bool:
    name, operand = condition.operator, condition.operand
    if name == "$exists":
        return bool(operand)
    if name in ("$eq", "$ne"):
        return json_equal(found, operand) is (name == "$eq")
    if name in ("$in", "$nin"):
        return any(json_equal(found, one) for one in operand) is (name == "$in")
    if name == "$contains":
        return isinstance(found, list | tuple) and any(json_equal(element, operand) for element in found)
    if name == "$includes":
        return isinstance(found, str) and operand in found
    if (_is_number(found) and _is_number(operand)) or (isinstance(found, str) and isinstance(operand, str)):
        return bool(_ORDER[name](found, operand))
    return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def json_equal(one: Any, other: Any) -> bool:
    """Equality of JSON values: 5 equals 5.0, true does not equal 1, the order of keys does not matter."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(json_equal(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(json_equal, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return (type(one) is type(other) and one == other) or (_is_number(one) and _is_number(other) and one == other)


# --- the databases ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A filter as a key: its text tells 1 from true and 1.0, which Python takes for equal."""

    text: str
    node: Node = field(compare=False)


def where(filter: Filter, columns: tuple[sa.Column[Any], sa.Column[Any]], dialect: str) -> sa.ColumnElement[bool]:
    """``to_sql`` of a filter over the columns of metadata and value; remembers the filters that were asked for lately."""
    node = parse(filter)
    return _where(_Parsed(repr(node), node), columns, dialect)


@lru_cache(maxsize=64)
def _where(filter: _Parsed, columns: tuple[sa.Column[Any], sa.Column[Any]], dialect: str) -> sa.ColumnElement[bool]:
    metadata, value = columns
    return to_sql(filter.node, {"metadata": metadata, "value": value}, dialect)


def to_sql(node: Node, columns: Mapping[str, sa.ColumnElement[Any]], dialect: str) -> sa.ColumnElement[bool]:
    """The filter as a WHERE clause that is true or false, never NULL; keys and operands are bound, never SQL.

    ``columns`` has the texts of ``metadata`` and ``value``, as ``json_text`` writes them. A row passes no filter that asks of a
    text that was damaged from outside; a text that the filter does not ask of is not parsed.
    """
    find = sa.func.strpos if dialect == "postgresql" else sa.func.instr
    holding = [find(columns[name], text) > 0 for name, text in _texts(node)]
    asked = sorted(_asked(node))
    readable = [IsReadable(columns[name]) for name in asked]
    test = _parsed_once(node, columns, asked) if dialect == "postgresql" and asked else _to_sql(node, columns, dialect)
    return sa.case((sa.and_(sa.true(), *holding, *readable), test), else_=sa.false())


def _parsed_once(
    node: Node, columns: Mapping[str, sa.ColumnElement[Any]], asked: Sequence[str]
) -> sa.ColumnElement[bool]:
    """The filter over texts that PostgreSQL parses once, however often it asks of them: OFFSET keeps the cast in its place."""
    documents = sa.select(*(sa.cast(columns[name], JSONB).label(name) for name in asked)).offset(sa.literal_column("0"))
    parsed = documents.correlate(*(columns[name].table for name in asked)).lateral()
    return (
        sa.select(_to_sql(node, {name: parsed.c[name] for name in asked}, "postgresql"))
        .select_from(parsed)
        .scalar_subquery()
    )


def _texts(node: Node) -> list[tuple[str, str]]:
    """Texts that a column must hold somewhere for the filter to pass: looking for them is cheaper than parsing JSON."""
    if isinstance(node, All) or (isinstance(node, Some) and len(node.parts) == 1):
        return [found for part in node.parts for found in _texts(part)]
    if not isinstance(node, Condition):
        return []
    operand, form = node.operand, "{}" if node.operator == "$includes" else '"{}"'
    if node.operator == "$in" and len(operand) == 1:
        operand = operand[0]
    elif node.operator not in ("$eq", "$contains", "$includes"):
        return []
    if not isinstance(operand, str) or not _PLAIN_TEXT.fullmatch(operand):
        return []
    return [(node.path[0], form.format(operand))]


def _asked(node: Node) -> set[str]:
    """The columns that a filter asks of."""
    if isinstance(node, Condition):
        return {node.path[0]}
    parts = [node.part] if isinstance(node, Not) else node.parts
    return set().union(*map(_asked, parts))


def _to_sql(node: Node, columns: Mapping[str, sa.ColumnElement[Any]], dialect: str) -> sa.ColumnElement[bool]:
    if isinstance(node, All):
        return sa.and_(sa.true(), *(_to_sql(part, columns, dialect) for part in node.parts))
    if isinstance(node, Some):
        return sa.or_(sa.false(), *(_to_sql(part, columns, dialect) for part in node.parts))
    if isinstance(node, Not):
        return sa.not_(_to_sql(node.part, columns, dialect))
    leaf = _on_postgres if dialect == "postgresql" else _on_sqlite
    if node.operator == "$exists" and node.operand is False:
        return sa.not_(leaf(Condition(node.path, "$exists", True), columns))
    if node.operator in ("$in", "$nin") and not node.operand:
        return sa.false() if node.operator == "$in" else sa.true()
    return leaf(node, columns)


class IsReadable(FunctionElement[bool]):
    """Whether a column holds JSON, or nothing. PostgreSQL before 16 can not tell: there a damaged row is an error."""

    type = sa.Boolean()
    inherit_cache = True


@compiles(IsReadable, "postgresql")
def _is_readable_on_postgres(element: IsReadable, compiler: SQLCompiler, **options: Any) -> str:
    if (compiler.dialect.server_version_info or ()) < (16,):
        return "true"
    return f"coalesce(pg_input_is_valid({compiler.process(element.clauses, **options)}, 'jsonb'), true)"


@compiles(IsReadable, "sqlite")
def _is_readable_on_sqlite(element: IsReadable, compiler: SQLCompiler, **options: Any) -> str:
    column = compiler.process(element.clauses, **options)
    return f"({column} IS NULL OR json_valid({column}))"  # of NULL, older releases of SQLite say that it is not valid


def _on_postgres(condition: Condition, columns: Mapping[str, sa.ColumnElement[Any]]) -> sa.ColumnElement[bool]:
    found = columns[condition.path[0]]
    for key in condition.path[1:]:
        found = found.op("->")(sa.cast(key, sa.Text))
    name, operand = condition.operator, condition.operand
    if name == "$exists":
        return found.is_not(None)
    if name in ("$eq", "$ne"):
        return sa.func.coalesce(found == _jsonb(operand) if name == "$eq" else found != _jsonb(operand), sa.false())
    if name in ("$in", "$nin"):
        elements = sa.select(sa.func.jsonb_array_elements(_jsonb(operand), type_=JSONB)).scalar_subquery()
        among = found == sa.func.any(sa.func.array(elements))
        return sa.func.coalesce(among if name == "$in" else sa.not_(among), sa.false())
    kind = sa.func.jsonb_typeof(found)
    if name == "$contains":
        # Containment of an object in an array is looser than equality, so only plain values are asked for.
        return sa.case((kind == "array", found.bool_op("@>")(_jsonb([operand]))), else_=sa.false())
    text = found.op("#>>", return_type=sa.Text())(sa.literal_column("'{}'::text[]"))
    if name == "$includes":
        return sa.case((kind == "string", sa.func.strpos(text, operand) > 0), else_=sa.false())
    if isinstance(operand, str):
        return sa.case((kind == "string", _ORDER[name](text.collate("C"), operand)), else_=sa.false())
    number = sa.cast(sa.cast(json_text(operand), sa.Text), sa.Numeric)
    return sa.case((kind == "number", _ORDER[name](sa.cast(text, sa.Numeric), number)), else_=sa.false())


def _jsonb(operand: Any) -> sa.ColumnElement[Any]:
    return sa.cast(sa.cast(json_text(operand), sa.Text), JSONB)


def _on_sqlite(condition: Condition, columns: Mapping[str, sa.ColumnElement[Any]]) -> sa.ColumnElement[bool]:
    root = columns[condition.path[0]]
    if _is_beyond_sqlite(condition.operand):
        told = json.dumps([condition.path, condition.operator, condition.operand])
        return sa.func.genome_filter_holds(told, root) == 1
    keys = condition.path[1:]
    if path := sqlite_path(keys):
        kind, value = sa.func.json_type(root, path), sa.func.json_extract(root, path)
        found = _Found(type=kind, atom=value, value=value)
        return sa.and_(kind.is_not(None), sa.func.coalesce(_sqlite_test(condition, found), sa.false()))
    # SQLite's path syntax can not quote every key: level by level, with the key bound.
    source: sa.ColumnElement[Any] = sa.case((sa.func.json_type(root) == "object", root), else_="{}")
    query = sa.select(sa.literal(1))
    for key in keys:
        level = sa.func.json_each(source).table_valued("key", "type", "atom", "value", joins_implicitly=True)
        query = query.select_from(level).where(level.c.key == key)
        source = sa.case((level.c.type == "object", level.c.value), else_="{}")
    return sa.exists(query.where(_sqlite_test(condition, _Found(level.c.type, level.c.atom, level.c.value))))


_PLAIN_KEY = re.compile(r"[A-Za-z0-9_ .:/-]+")
"""Keys that JSON writes in one way only and that a quoted path can hold."""


def sqlite_path(keys: Sequence[str]) -> str | None:
    """The keys as a path for SQLite's functions; None if its syntax can not quote one of them."""
    return "$" + "".join(f'."{key}"' for key in keys) if all(map(_PLAIN_KEY.fullmatch, keys)) else None


_PLAIN_TEXT = re.compile(r"[A-Za-z0-9_ .:@-]+")
"""Texts that every writer of JSON spells in one way."""


class _Found(NamedTuple):
    """What SQLite tells of a JSON value; ``atom`` is the plain value, ``value`` the text of a list or mapping."""

    type: Any
    atom: Any
    value: Any


def _sqlite_test(condition: Condition, found: _Found) -> sa.ColumnElement[bool]:
    name, operand = condition.operator, condition.operand
    if name == "$exists":
        return sa.true()
    if name in ("$eq", "$in"):
        return _sqlite_any(found, operand if name == "$in" else [operand])
    if name in ("$ne", "$nin"):
        return sa.not_(_sqlite_any(found, operand if name == "$nin" else [operand]))
    if name == "$includes":
        return sa.and_(found.type == "text", sa.func.instr(found.atom, operand) > 0)
    if name == "$contains":
        array = sa.case((found.type == "array", found.value), else_="[]")
        element = sa.func.json_each(array).table_valued("type", "atom", "value", joins_implicitly=True)
        return sa.exists(
            sa.select(sa.literal(1)).select_from(element).where(_sqlite_any(_Found(*element.c), [operand]))
        )
    kinds = ("text",) if isinstance(operand, str) else ("integer", "real")
    return sa.and_(found.type.in_(kinds), _ORDER[name](found.atom, operand))


def _sqlite_any(found: _Found, operands: Sequence[Any]) -> sa.ColumnElement[bool]:
    """Equality with one of the values. Each kind of value is compared as a whole list, however long."""
    plain = [json.dumps(one) for one in operands if one is None or isinstance(one, bool)]
    texts = [one for one in operands if isinstance(one, str)]
    numbers = [one for one in operands if _is_number(one)]
    composite = [one for one in operands if isinstance(one, Mapping | list | tuple)]
    kinds: list[sa.ColumnElement[bool]] = []
    if plain:
        kinds.append(found.type.in_(plain))
    if texts:
        kinds.append(sa.and_(found.type == "text", found.atom.in_(_elements(texts))))
    if numbers:
        kinds.append(sa.and_(found.type.in_(("integer", "real")), found.atom.in_(_elements(numbers))))
    if composite:
        equal = sa.func.genome_json_contains(json.dumps(composite), found.value)
        kinds.append(sa.case((found.type.in_(("array", "object")), equal), else_=0) == 1)
    return sa.or_(sa.false(), *kinds)


def _elements(values: Sequence[Any]) -> Any:
    if len(values) == 1:
        return values
    element = sa.func.json_each(json.dumps(values, ensure_ascii=False)).table_valued("value", joins_implicitly=True)
    return sa.select(element.c.value)


def _is_beyond_sqlite(operand: Any) -> bool:
    """Whether one of the operands is a number that SQLite, whose integers have 64 bits, can not compare exactly."""
    return any(_is_number(one) and abs(one) >= 2**63 for one in (operand if isinstance(operand, list) else [operand]))


def install(connection: sqlite3.Connection) -> None:
    """Teaches a connection of SQLite what it can not do itself."""
    connection.create_function("genome_json_contains", 2, _json_contains, deterministic=True)
    connection.create_function("genome_filter_holds", 2, _filter_holds, deterministic=True)


def _json_contains(elements: str, found: str) -> bool:
    """Whether a JSON value equals an element of a JSON list, both as text."""
    value = json.loads(found)
    return any(json_equal(value, one) for one in json.loads(elements))


def _filter_holds(condition: str, root: str | None) -> bool:
    """Whether a condition holds for the JSON text of the column that its path begins with."""
    path, name, operand = json.loads(condition)
    return matches(Condition(tuple(path), name, operand), {path[0]: None if root is None else json.loads(root)})
