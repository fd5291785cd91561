"""Attributes said by their name: "Ann's job is ...", "the deadline for Falcon slipped to ...", "my favourite food is ..."."""

from __future__ import annotations

from collections.abc import Sequence

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.clauses import Clause
from genome_core.facts.statements import Statement
from genome_core.facts.time import TimeMention


def possessed(clause: Clause, text: str, table: AttributeTable, times: Sequence[TimeMention]) -> list[Statement]:
    """The statement of a clause whose subject is an attribute of somebody or something."""
    return []
