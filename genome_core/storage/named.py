"""Tables of adapters whose rows stand under a name (column ``namespace``) and a ``key``: how ``Memory.erase`` reaches them."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.storage import rules
from genome_core.storage.lists import one_of
from genome_core.types import Scope


def erase_named(connection: Connection, tables: sa.MetaData, scope: Scope, ids: Sequence[str] | None) -> int:
    """Deletes what stands under names in the scope, a name counting as a label: all of it, or the keys that are ids.

    Returns how many values. Raises ``Held`` where a legal hold stands.
    """
    count = 0
    for table in tables.sorted_tables:
        names = connection.scalars(sa.select(table.c.namespace).distinct()).all()
        mine = [name for name in names if scope.matches((name,))]
        gone = sa.delete(table).where(one_of(table.c.namespace, mine))
        if ids is not None:
            gone = gone.where(one_of(table.c.key, ids))
        rules.refuse_held(connection, [(name,) for name in mine])
        count += connection.execute(gone).rowcount
    return count
