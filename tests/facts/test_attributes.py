"""The attribute table: names, aliases, one or many, cues."""

from __future__ import annotations

import pytest

from genome_core.errors import InvalidInput
from genome_core.facts.attributes import Attribute, AttributeTable


@pytest.mark.parametrize(
    ("said", "canonical"),
    [
        ("City", "home"),
        ("where someone lives", "home"),
        ("employer", "employer"),
        ("Occupation", "role"),
        ("favourite_food", "favorite food"),
        ("Relationship Status", "relationship_status"),
        ("wifi password", "wifi password"),
        ("  Lock   Code ", "lock code"),
    ],
)
def test_names_and_aliases_become_canonical(said: str, canonical: str) -> None:
    assert AttributeTable().canonical(said) == canonical


def test_a_canonical_name_stays_itself() -> None:
    table = AttributeTable()
    assert [table.canonical(a.name) for a in table.attributes] == [a.name for a in table.attributes]


def test_open_attributes_hold_one_value_at_a_time() -> None:
    table = AttributeTable()
    assert not table.is_many("wifi password")
    assert not table.is_many("home")
    assert table.is_many("languages")


def test_declaring_returns_a_new_table_and_leaves_the_old_one() -> None:
    table = AttributeTable()
    wider = table.declare(Attribute("badge", many=True, aliases=("lanyard",)))
    assert wider.canonical("Lanyard") == "badge"
    assert wider.is_many("badge")
    assert table.canonical("lanyard") == "lanyard"


def test_declaring_again_replaces() -> None:
    table = AttributeTable().declare(Attribute("home", many=True))
    assert table.is_many("home")
    assert table.canonical("city") == "city"


def test_cues_find_inflected_words() -> None:
    table = AttributeTable()
    assert "home" in table.cued("She relocated to the coast")
    assert "employer" in table.cued("Who does she work for?", question=True)
    assert table.cued("Lovely weather") == {}


def test_an_attribute_needs_a_name() -> None:
    with pytest.raises(InvalidInput, match="name"):
        Attribute("  ")
