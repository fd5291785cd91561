"""JSON as the tables and the journal keep it: the spelling never changes, since digests are made of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genome_core.storage.json_text import canonical, json_text

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(VALUES)
def test_canonical_json_is_spelt_as_python_spells_it(value: object) -> None:
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(value) == expected


@given(VALUES)
def test_stored_json_keeps_the_order_of_keys_and_every_value(value: object) -> None:
    text = json_text(value)
    assert json.dumps(json.loads(text)) == json.dumps(value)
    if "e+" not in text:
        assert canonical(json.loads(text)) == canonical(value)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}])
def test_what_json_can_not_express_is_an_error(value: object) -> None:
    for write in (canonical, json_text):
        with pytest.raises(ValueError, match="JSON compliant"):
            write(value)
